"""What an agent's message does: it asks, proposes, reports, refuses, hands over, takes leave.

A message is read sentence by sentence; each sentence is tagged by the lexicon and searched for
the patterns of `phrasebook`; the few rules here say which acts a set of hits makes. Values are
read by `literals`, the customer's answers by `replies`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tau_env.language.cache import per_text
from tau_env.language.literals import find_literals
from tau_env.language.patterns import Hit, PatternSet
from tau_env.language.phrasebook import FAMILIES, LISTS
from tau_env.language.reading import Act, ActKind, Reading
from tau_env.language.sentences import Sentence, split_sentences
from tau_env.language.tagging import Tagged, tagger
from tau_env.schema.domain import Lexicon

_PATTERNS = PatternSet(FAMILIES, LISTS)
_ROLE_ACTS: tuple[tuple[ActKind, str], ...] = (
    ("asks_identity", "identity"),
    ("asks_record", "record"),
    ("asks_detail", "detail"),
)
_CLOSERS = ("asks_identity", "asks_record", "asks_detail", "asks_confirmation", "proposes")


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence with its tags and hits, and what it inherits from the line before a list."""

    index: int
    sentence: Sentence
    tagged: Tagged
    hits: tuple[Hit, ...]
    asked_by_lead: bool = False

    def spans(self, family: str, without: str = "") -> tuple[Hit, ...]:
        """Hits of a family that no hit of the other family overlaps."""
        against = [hit for hit in self.hits if hit.family == without]
        return tuple(
            hit
            for hit in self.hits
            if hit.family == family
            and not any(hit.start < no.end and no.start < hit.end for no in against)
        )

    def has(self, family: str, without: str = "") -> bool:
        """Whether a family is hit."""
        return bool(self.spans(family, without))

    @property
    def asks(self) -> bool:
        """Whether it wants an answer."""
        return (
            self.sentence.question
            or self.asked_by_lead
            or any(hit.family in ("question", "request", "needed") for hit in self.hits)
        )


@per_text
def read_agent(text: str, lexicon: Lexicon) -> Reading:
    """Read what an agent's message does.

    Args:
        text: the message.
        lexicon: the domain's words.

    Returns:
        Sentences, acts in order of the sentences, and literals. A message that does nothing else
        has one act ``informs`` or ``holding``.
    """
    sentences = split_sentences(text)
    lines = _lines(sentences, lexicon)
    acts = _message_acts(lines, lexicon)
    return Reading(
        text=text,
        sentences=tuple(sentence.text for sentence in sentences),
        acts=tuple(sorted(acts, key=lambda act: act.sentence)),
        literals=find_literals(text, lexicon),
    )


def _lines(sentences: tuple[Sentence, ...], lexicon: Lexicon) -> list[_Line]:
    tag = tagger(lexicon).tag
    lines: list[_Line] = []
    lead_asks = False
    for index, sentence in enumerate(sentences):
        tagged = tag(sentence.text)
        line = _Line(index, sentence, tagged, _PATTERNS.find(tagged.words))
        if sentence.item:
            line = replace(line, asked_by_lead=lead_asks and not tagged.has("VAL"))
        else:
            lead_asks = sentence.opens_list and line.asks
        lines.append(line)
    return lines


def _message_acts(lines: list[_Line], lexicon: Lexicon) -> list[Act]:
    acts: list[Act] = []
    for line in lines:
        acts += _line_acts(line, lines, lexicon)
    return _settle(acts, lines)


def _line_acts(line: _Line, lines: list[_Line], lexicon: Lexicon) -> list[Act]:
    index, actions = line.index, line.tagged.all_actions()
    acts: list[Act] = []
    transfer = line.has("transfer")
    if transfer:
        acts.append(Act("offers_transfer", index))
    if line.has("refuse", without="unrefuse"):
        acts.append(Act("refuses", index, actions=actions))
    if line.has("done", without="undone") and not line.sentence.question:
        acts.append(Act("reports_done", index, actions=actions))
    more = line.has("more")
    if more:
        acts.append(Act("asks_more", index))
    if line.has("closing"):
        acts.append(Act("asks_more", index))
    asked = _asked(line, lines, lexicon)
    confirm = line.has("confirm") and not (transfer and not actions)
    if confirm:
        acts.append(Act("asks_confirmation", index, actions=actions))
    if asked:
        acts += asked
    elif line.asks and not (more or transfer or confirm) and _open_question(line):
        acts.append(Act("asks_detail", index))
    return acts


def _open_question(line: _Line) -> bool:
    return line.sentence.question or line.has("choice") or line.has("request")


def _asked(line: _Line, lines: list[_Line], lexicon: Lexicon) -> list[Act]:
    """Asking acts for the slots that a sentence wants."""
    if not line.asks:
        return []
    starts = [hit.start for hit in line.hits if hit.family in ("question", "request")]
    start = 0 if line.asked_by_lead or line.has("needed") or not starts else min(starts)
    slots: dict[str, list[str]] = {}
    for position in range(start, len(line.tagged.words)):
        tag = line.tagged.words[position]
        for slot in line.tagged.slots[position]:
            role = lexicon.slots[slot].role
            if tag in ("IDENT", "RECID", "DET", "WORD"):
                slots.setdefault(role, []).append(slot)
    return [
        Act(kind, line.index, slots=tuple(dict.fromkeys(slots[role])))
        for kind, role in _ROLE_ACTS
        if role in slots
    ]


def _settle(acts: list[Act], lines: list[_Line]) -> list[Act]:
    """What only the whole message tells: proposals, leave-taking, holding, informing."""
    kinds = {act.kind for act in acts}
    if "asks_confirmation" in kinds:
        acts.append(Act("proposes", 0))
    if not acts:
        kind: ActKind = "holding" if any(line.has("hold") for line in lines) else "informs"
        acts.append(Act(kind, 0))
    return acts
