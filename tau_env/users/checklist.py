"""What a scenario asks of the one who plays it, checked on texts: said, asked for, agreed to.

The readings are those of the scripted customer. Where they cannot tell, nothing is held against
the player.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tau_env.language.acts import read_agent
from tau_env.language.cache import per_lexicon
from tau_env.language.replies import read_customer
from tau_env.language.tagging import tagger
from tau_env.schema import Fact, Lexicon, Scenario, Twist, Want
from tau_env.users import contradictions, hearing
from tau_env.users.agenda import SETTLED, Agenda, Item, values_of
from tau_env.users.hearing import PROPOSING
from tau_env.users.sources import all_wants, marks, things_in
from tau_env.users.telling import PARTS

# "Verify your identity" asks for whatever the customer has to show.
_VERIFIES = re.compile(
    r"\b(?:identity|identify|identification|verify|verification|authenticate)\b"
    r"|\byour (?:personal |contact |account )?details\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_EMAIL = re.compile(r"\S+@\S+")
AGREES = ("yes", "yes_but")
TURNS_DOWN = ("no", "withdrawn", "yes_but")


class Checklist:
    """One trial's account of the customer's side."""

    def __init__(self, scenario: Scenario, lexicon: Lexicon) -> None:
        """Begin with everything still to be said."""
        self._scenario = scenario
        self._lexicon = lexicon
        self._wants = all_wants(scenario)
        wide = scenario.model_copy(update={"wants": self._wants, "twists": ()})
        self._agenda = Agenda(wide, lexicon)
        for item in self._agenda.items:
            item.raised = True
        self._own = [_own_values(want, self._wants) for want in self._wants]
        self._raised = [False] * len(self._wants)
        self._played = [False] * len(scenario.twists)
        self._asked = {name for name, fact in scenario.facts.items() if self._is_free(fact)}
        self._heard = ""

    def _is_free(self, fact: Fact) -> bool:
        """Whether a fact may stand in any line: it is open, or told together with what is wanted.

        The country of a new address is asked for, and stands in the sentence with the address.
        """
        wanted = {
            value for want in self._wants for slot in want.slots for value in values_of(want, slot)
        }
        return (
            fact.tell == "open"
            or fact.value in wanted
            or any(
                fact.value in sentence and any(value in sentence for value in wanted)
                for sentence in _SENTENCE.split(self._scenario.instruction)
            )
        )

    # What is heard and said.

    def hear(self, text: str) -> None:
        """Take in a message of the agent."""
        self._heard = text
        reading = read_agent(text, self._lexicon)
        slots = _parts(reading.asked())
        facts = self._scenario.facts
        lower = text.lower()
        any_identity = _VERIFIES.search(text) is not None or any(
            act.kind == "asks_identity" and facts.keys().isdisjoint(_parts(act.slots))
            for act in reading.acts
        )
        for name, fact in facts.items():
            slot = self._lexicon.slots.get(name)
            identity = slot is not None and slot.role == "identity"
            # Where the reading finds no question, a word for the fact is enough.
            nouns = () if slot is None or slots else slot.nouns
            named = any(_says(lower, noun) for noun in nouns)
            if name in slots or named or (identity and any_identity) or _says(lower, fact.value):
                self._asked.add(name)
        heard = hearing.hear(text, self._lexicon)
        hearing.hear_report(self._agenda, heard)
        for item in hearing.refused_items(self._agenda, heard, []):
            item.state = "refused"
        hearing.hear_information(self._agenda, heard)

    def tell(self, line: str) -> None:
        """Take in a line of the customer that was delivered."""
        if self._kind(line) in AGREES:
            for item in self._proposed():
                item.state = "agreed"
        self._raised = self._raised_with(line)
        played = self._played_with(line)
        for twist, now in zip(self._scenario.twists, played, strict=True):
            if now:
                self._apply(twist)
        self._played = played

    def _raised_with(self, line: str) -> list[bool]:
        """Which wants are said once this line is; what the customer agrees to it has said too."""
        agreed_to = self._heard if self._kind(line) in AGREES else ""
        return [
            said or self._raises(place, line) or self._raises(place, agreed_to)
            for place, said in enumerate(self._raised)
        ]

    def _played_with(self, line: str) -> list[bool]:
        """Which twists have happened once this line is said."""
        items = self._proposed()
        return [
            done or self._plays(twist, line, items)
            for twist, done in zip(self._scenario.twists, self._played, strict=True)
        ]

    def _plays(self, twist: Twist, line: str, items: list[Item]) -> bool:
        if twist.kind == "corrects":
            return all(self._names(line, value) for value in twist.slots.values())
        kind = self._kind(line)
        late = twist.kind == "changes_mind" and kind == "no"
        return kind in TURNS_DOWN and (late or self._concerns(twist, items))

    def _kind(self, line: str) -> str:
        return read_customer(line, self._lexicon).kind

    def _apply(self, twist: Twist) -> None:
        item = self._agenda.items[twist.want]
        if twist.kind == "changes_mind":
            item.state = "dropped"
        elif twist.kind == "corrects":
            slots = {**item.want.slots, **twist.slots}
            item.want = item.want.model_copy(update={"slots": slots})

    def _raises(self, place: int, text: str) -> bool:
        """Whether a text speaks of a want: by a value of its own, else by its action."""
        if not text:
            return False
        own, want = self._own[place], self._wants[place]
        if own:
            return any(self._names(text, value) for value in own)
        actions = tagger(self._lexicon).tag(text).all_actions()
        if want.do not in self._lexicon.verbs or want.do in actions:
            return True
        lower = text.lower()
        return any(_says(lower, thing) for thing in _objects(self._lexicon).get(want.do, ()))

    def _names(self, text: str, value: str) -> bool:
        """Whether a text has a value, in any spelling that the reading knows."""
        wanted = marks(value, self._lexicon)
        return _says(text.lower(), value) or bool(wanted and wanted <= marks(text, self._lexicon))

    # What may be asked.

    def unsaid(self, line: str = "") -> tuple[str, ...]:
        """What the customer may not leave without having said, in words for the player.

        Args:
            line: taken as said, without being noted.
        """
        found = [
            f"you have not asked for this yet: {_told(want)}"
            for want, raised in zip(self._wants, self._raised_with(line), strict=True)
            if not raised
        ]
        for twist, played in zip(self._scenario.twists, self._played_with(line), strict=True):
            if not played and twist.kind == "corrects":
                right = ", ".join(twist.slots.values())
                found.append(f"you have not said yet what your instruction corrects: {right}")
            elif not played and twist.kind == "changes_mind":
                found.append("you have not said yet that you changed your mind")
        return tuple(found)

    def unsettled(self) -> tuple[str, ...]:
        """Wants of which the agent has said neither that they are done nor that they cannot be."""
        return tuple(_told(item.want) for item in self._agenda.items if item.state not in SETTLED)

    def volunteered(self, line: str) -> tuple[str, ...]:
        """Names of facts in a line that are told only when asked for, and were not asked for."""
        lower = line.lower()
        # A name in an address is told with the address, which is a fact of its own.
        bare = _EMAIL.sub("@", lower)
        return tuple(
            name
            for name, fact in self._scenario.facts.items()
            if name not in self._asked and _says(lower if "@" in fact.value else bare, fact.value)
        )

    def wrong_yes(self, line: str) -> tuple[str, ...]:
        """What is wrong with agreeing to the agent's last message; empty if nothing can be found.

        Args:
            line: the customer's answer; only a plain yes can be wrong.
        """
        if self._kind(line) != "yes":
            return ()
        reading = hearing.hear(self._heard, self._lexicon)
        scenario, lexicon = self._scenario, self._lexicon
        if hearing.checks_identity(self._agenda, reading):
            wrong = contradictions.identity_objections(scenario, lexicon, reading)
            return tuple(f"{one.slot} is {one.right}" for one in wrong)
        email = contradictions.wrong_email(scenario, lexicon, reading)
        if email is not None:
            return (f"{email.slot} is {email.right}",)
        items = self._proposed()
        found = [
            f"{one.slot} is {one.right}"
            for one in contradictions.objections(scenario, lexicon, reading, items)
        ]
        found += [
            f"{name} is no part of it"
            for name in contradictions.things_too_many(lexicon, reading, items)
        ]
        if not items and reading.has(*PROPOSING) and hearing.unwanted(self._agenda, reading):
            found.append("you did not ask for what the agent proposes")
        return (*found, *self._too_early(items))

    def _too_early(self, items: list[Item]) -> list[str]:
        """Twists that the instruction puts before any agreement to these wants."""
        found = []
        for twist, played in zip(self._scenario.twists, self._played, strict=True):
            if not self._concerns(twist, items):
                continue
            if twist.kind == "changes_mind":
                found.append("you have changed your mind about it")
            elif twist.kind in ("declines", "corrects") and not played:
                found.append("your instruction says what you answer first, and it is no yes")
        return found

    def _proposed(self) -> list[Item]:
        """The wants that the agent's last message proposes to carry out."""
        reading = hearing.hear(self._heard, self._lexicon)
        if not reading.has(*PROPOSING) or hearing.checks_identity(self._agenda, reading):
            return []
        return hearing.proposed_items(self._agenda, reading, None)

    def _concerns(self, twist: Twist, items: list[Item]) -> bool:
        return twist.kind != "adds" and any(
            item is self._agenda.items[twist.want] for item in items
        )


@per_lexicon
def _objects(lexicon: Lexicon) -> dict[str, frozenset[str]]:
    """By action what only its verbs are about: the "profile" of "change profile"."""
    found = {
        action: {way.partition(" ")[2] for way in ways} - {""}
        for action, ways in lexicon.verbs.items()
    }
    return {
        action: frozenset(things.difference(*(found[one] for one in found if one != action)))
        for action, things in found.items()
    }


def _own_values(want: Want, wants: tuple[Want, ...]) -> tuple[str, ...]:
    """Values of a want that no other want has: whoever says one speaks of this want."""

    def parts(one: Want) -> set[str]:
        whole = (value for slot in one.slots for value in values_of(one, slot))
        return {part for value in whole for part in things_in(value)}

    others = {part for one in wants if one is not want for part in parts(one)}
    return tuple(sorted(part for part in parts(want) - others if len(part) > 2))


def _parts(slots: Iterable[str]) -> set[str]:
    """Slots, those that are told by their parts taken apart."""
    return {part for slot in slots for part in PARTS.get(slot, (slot,))}


def _told(want: Want) -> str:
    values = ", ".join(f"{slot} {' and '.join(values_of(want, slot))}" for slot in want.slots)
    return f"{want.do.replace('_', ' ')} ({values})" if values else want.do.replace("_", " ")


def _says(lower: str, value: str) -> bool:
    """Whether a text in lower case has a value as a word of its own; "W1" is "#W1"."""
    bare = re.escape(value.lower().lstrip("#"))
    return bool(bare) and re.search(rf"(?<!\w){bare}(?!\w)", lower) is not None
