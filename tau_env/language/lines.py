"""The sentences of a message with their tags and pattern hits, and what each inherits from a list.

What the hits mean is decided in `acts` and `asking`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tau_env.language.patterns import Hit, PatternSet
from tau_env.language.phrasebook import FAMILIES, LISTS
from tau_env.language.sentences import Sentence
from tau_env.language.tagging import Tagged, tagger
from tau_env.schema.domain import Lexicon

_PATTERNS = PatternSet(FAMILIES, LISTS)
_ACTIONS = ("ACT", "ACTED", "ACTING")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or list item, ready to be judged.

    Attributes:
        index: its place in the message.
        sentence: the text.
        tagged: its words and tags, without a leading word of thanks.
        hits: pattern hits in order.
        lead: True if it asks for what the list below it names.
        asked_by_lead: True for an item of a list that was asked for.
    """

    index: int
    sentence: Sentence
    tagged: Tagged
    hits: tuple[Hit, ...]
    lead: bool = False
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

    def starts_question(self, word: int) -> bool:
        """Whether a question begins at or before this word."""
        return any(hit.family == "question" and hit.start <= word for hit in self.hits)

    @property
    def asks(self) -> bool:
        """Whether it wants an answer."""
        return (
            self.sentence.question
            or self.asked_by_lead
            or any(hit.family in ("question", "request", "needed") for hit in self.hits)
        )

    @property
    def acts(self) -> bool:
        """Whether it speaks of an action of the lexicon."""
        return self.tagged.has(*_ACTIONS)

    @property
    def confirms(self) -> bool:
        """Whether it asks the customer to agree to something of the agent's doing."""
        if self.sentence.question and self._short_action():
            return True
        hits = self.spans("confirm")
        if not hits or (self.has("transfer") and not self.acts):
            return False
        return True

    def _short_action(self) -> bool:
        words = self.tagged.words
        return bool(words) and words[0] in ("ACT", "ACTING") and "or" not in words

    @property
    def proposes(self) -> bool:
        """Whether it says what the agent would do."""
        return self.has("will") and self.acts and not self.has("transfer")

    @property
    def is_concrete(self) -> bool:
        """Whether it names an action or a value."""
        return self.acts or self.tagged.has("VAL")


def read_lines(sentences: tuple[Sentence, ...], lexicon: Lexicon) -> list[Line]:
    """Tag and search the sentences of a message."""
    tag = tagger(lexicon).tag
    lines: list[Line] = []
    lead_asks = False
    for index, sentence in enumerate(sentences):
        tagged = tag(sentence.text)
        line = Line(index, sentence, tagged, _PATTERNS.find(tagged.words))
        if sentence.item:
            line = replace(line, asked_by_lead=lead_asks and not tagged.has("VAL"))
        else:
            lead_asks = sentence.opens_list and line.asks
            line = replace(line, lead=lead_asks)
        lines.append(line)
    return lines
