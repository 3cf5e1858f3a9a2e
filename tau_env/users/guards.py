"""What a line of a model-played customer must keep to; a line is delivered whole or not at all.

A complaint is a sentence for the model, which is then asked again. Whether the customer may leave
is decided here too: by its wish, never by a word in a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher

from tau_env.language.replies import read_customer
from tau_env.schema import Lexicon, Scenario
from tau_env.users import casting
from tau_env.users.checklist import AGREES, Checklist
from tau_env.users.hearing import PROPOSING, hear
from tau_env.users.sources import Sources

LONGEST = 2_000
"""Characters of a line; nobody writes more to a service desk."""
SAME = 0.9
"""Similarity from which a line is the first one again."""
SAME_LINES = 3
"""So often in a row nobody says the same."""
ECHO = 6
"""Words in a row that a line shares with the director's by no chance."""

_MARKER = re.compile(
    r"</?\|?[a-z][\w|-]*\|?>"
    r"|#{2,}\s*[a-z][a-z _-]*#{2,}"
    r"|\[/?(?:stop|end|exit|done|terminate|end of (?:the )?(?:conversation|chat))\]"
    r"|^\W*(?:stop|terminate|end of (?:the )?(?:conversation|chat))\W*$"
    r"|```",
    re.IGNORECASE | re.MULTILINE,
)
_OUT_OF_ROLE = re.compile(
    r"\bas (?:the|a|an) (?:simulated |ai )?(?:user|customer|language model|ai|assistant)\b"
    r"|\bi(?:['’]m| am) (?:an? )?(?:ai|language model|assistant|chatbot|simulat\w+)\b"
    r"|\b(?:my|the|your) (?:instructions?|scenario|role|prompt|script) (?:says?|is|are|tells?)\b"
    r"|\b(?:the|this) (?:user|customer) (?:should|would|wants|needs|must|is|has)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b",
    re.IGNORECASE,
)
_AGENT_SPEAKS = re.compile(
    r"\bhow (?:can|may|could) i (?:help|assist)\b"
    r"|\banything else (?:that )?i (?:can|could|may) (?:help|assist|do)\b"
    r"|\b(?:shall|should) i (?:go ahead|proceed|cancel|change|update|process)\b"
    r"|\b(?:would|do) you (?:like|want) me to (?:go ahead|proceed|cancel|change|update|process)\b"
    r"|\bi(?:['’]ve| have) (?:now |just |successfully )*"
    r"(?:cancell?ed|changed|updated|processed|refunded|modified|booked|exchanged) your\b"
    r"|\bthank you for (?:contacting|calling|reaching out)\b"
    r"|\b(?:could|can|may) i (?:please )?have your\b"
    r"|\bi(?:['’]m| am|['’]d be| would be) (?:happy|glad|here) to (?:help|assist)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w']+")


class Guards:
    """Judges the lines of one trial."""

    def __init__(self, scenario: Scenario, lexicon: Lexicon) -> None:
        """Begin a trial.

        Args:
            scenario: what the customer wants and knows.
            lexicon: the domain's words.
        """
        self._lexicon = lexicon
        self._sources = Sources(scenario, lexicon)
        self._checklist = Checklist(scenario, lexicon)
        self._lines: list[str] = []
        self._settled = False
        self._heard = hear("", lexicon)
        self._directed = _DIRECTED

    def hear(self, text: str) -> None:
        """Take in a message of the agent."""
        self._sources.add(text)
        self._checklist.hear(text)
        self._heard = hear(text, self._lexicon)
        self._settled = self._settled or self._heard.has("reports_done")

    def tell(self, line: str) -> None:
        """Take in a line that is delivered."""
        self._checklist.tell(line)
        self._settled = self._settled or self._agrees(line, ())
        self._lines.append(line)

    def direct(self, complaint: str) -> None:
        """Take in what the model is told of a line that was not sent: it is not for the agent."""
        # What follows a colon is the scenario's, and the customer's to say.
        fixed = (part.partition(":")[0] for part in complaint.split("; "))
        self._directed = self._directed.union(*map(_runs, fixed))

    def complaints(self, line: str) -> tuple[str, ...]:
        """What keeps a line from being delivered, in words for the model; empty if nothing does."""
        found = [complaint for check in _CHECKS if (complaint := check(line))]
        if echoes := sorted(_runs(line) & self._directed):
            found.append(
                f"'{' '.join(echoes[0])}' is the director's word to you: speak as the customer"
            )
        if self._repeats(line):
            found.append(
                "you have said that before and it was heard: answer the agent's last message"
            )
        for told, names in (
            ("it names what is neither in your instruction nor said by the agent", self._invented),
            ("nobody has asked for this fact yet, so keep it to yourself", self._volunteered),
            ("you must not agree to this", self._wrong_yes),
        ):
            if values := names(line):
                found.append(f"{told}: {', '.join(values)}")
        return tuple(found)

    def unsaid(self, line: str = "") -> tuple[str, ...]:
        """What must be said before the customer may leave, were this line said as well."""
        return self._checklist.unsaid(line)

    def unsettled(self) -> tuple[str, ...]:
        """Wants that the agent has not spoken of as done or refused, as far as can be read."""
        return self._checklist.unsettled()

    def keeps(self, line: str, acts: Iterable[str]) -> str:
        """Why the customer may not leave with a line that may be said; empty if it may.

        Args:
            line: the line, before `tell`.
            acts: what the model says that the line does.
        """
        if not self._lines:
            return "it had only begun"
        if self._commits(line, acts):
            return "it agrees to something that is yet to be done"
        if self.unsaid():
            return "it asks for something that is yet to be answered"
        return ""

    def _agrees(self, line: str, acts: Iterable[str]) -> bool:
        return "agrees" in acts or read_customer(line, self._lexicon).kind in AGREES

    def _commits(self, line: str, acts: Iterable[str]) -> bool:
        """Whether it agrees to something that is yet to be done, unless the agent is through."""
        through = self._heard.has("reports_done", "refuses") and not self._heard.has(*PROPOSING)
        return self._agrees(line, acts) and not through

    def _repeats(self, line: str) -> bool:
        """The same line too often, or the opening again after something was settled."""
        if self._lines[1 - SAME_LINES :] == [line] * (SAME_LINES - 1):
            return True
        if not self._settled or not self._lines:
            return False
        first = self._lines[0].lower()
        return SequenceMatcher(None, first, line.lower(), autojunk=False).ratio() >= SAME

    def _invented(self, line: str) -> tuple[str, ...]:
        return self._sources.invented(line)

    def _volunteered(self, line: str) -> tuple[str, ...]:
        return self._checklist.volunteered(line)

    def _wrong_yes(self, line: str) -> tuple[str, ...]:
        return self._checklist.wrong_yes(line)


def _empty(line: str) -> str:
    return "" if line.strip() else "it is empty"


def _too_long(line: str) -> str:
    return "" if len(line) <= LONGEST else f"it is longer than {LONGEST} characters"


def _marked(line: str) -> str:
    found = _MARKER.search(line)
    if found is None:
        return ""
    return f"{found.group()!r} is no word of a customer; whether you leave stands in 'ends' alone"


def _out_of_role(line: str) -> str:
    found = _OUT_OF_ROLE.search(line)
    return "" if found is None else f"{found.group()!r} speaks about your role: speak as yourself"


def _as_agent(line: str) -> str:
    found = _AGENT_SPEAKS.search(line)
    return "" if found is None else f"{found.group()!r} is the agent's part: you are the customer"


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[at : at + ECHO]) for at in range(len(words) - ECHO + 1))


_DIRECTED = frozenset[tuple[str, ...]]().union(*map(_runs, casting.OWN_WORDS))


_CHECKS: tuple[Callable[[str], str], ...] = (_empty, _too_long, _marked, _out_of_role, _as_agent)
