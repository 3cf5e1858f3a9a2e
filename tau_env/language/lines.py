"""The sentences of a message with their tags and pattern hits, and what each inherits from a list.

What the hits mean is decided in `acts` and `asking`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from tau_env.language.patterns import Hit, PatternSet
from tau_env.language.phrasebook import FAMILIES, LISTS
from tau_env.language.sentences import Sentence
from tau_env.language.tagging import Tagged, tagger
from tau_env.language.words import word_set
from tau_env.schema.domain import Lexicon

_PATTERNS = PatternSet(FAMILIES, LISTS)
_CHOOSING = word_set("which what whichever where when how either")
_PREFERRING = word_set("prefer rather both only")
_LEAVING = word_set("leave keep stay wait not")
_TURNS = word_set("but however instead though although ;")
_THANKS = word_set("thank thanks")
_ASKING = ("question", "request", "needed")
_POINTING = word_set("it that this those these them one both either following below same")
_MAY = word_set("can could may might")
_PRESENT = word_set("is are then")
_MONEY_MOVES = word_set("refunded charged credited paid deducted taken reimbursed debited")
_ACTIONS = ("ACT", "ACTED", "ACTING")


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence or list item, ready to be judged.

    Attributes:
        index: its place in the message.
        sentence: the text.
        tagged: its words and tags, without a leading word of thanks.
        hits: pattern hits in order.
        families: the families that are hit.
        lead: True if it asks for what the list below it names.
        asked_by_lead: True for an item of a list that was asked for.
    """

    index: int
    sentence: Sentence
    tagged: Tagged
    hits: tuple[Hit, ...]
    families: frozenset[str]
    lead: bool = False
    asked_by_lead: bool = False

    def spans(self, family: str, without: str = "") -> tuple[Hit, ...]:
        """Hits of a family that no hit of the other family overlaps."""
        if family not in self.families:
            return ()
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

    def actions_of(self, hits: tuple[Hit, ...]) -> tuple[str, ...]:
        """The actions in the clauses of these hits: what follows a "but" is another matter."""
        words = self.tagged.words
        turns = [place for place, word in enumerate(words) if word in _TURNS]
        found: list[str] = []
        for hit in hits:
            start = max((turn for turn in turns if turn < hit.start), default=0)
            end = min((turn for turn in turns if turn >= hit.end), default=len(words))
            found += self.tagged.all_actions(start, end)
        return tuple(dict.fromkeys(found))

    def starts_question(self, word: int) -> bool:
        """Whether a question begins at or before this word."""
        return any(hit.family == "question" and hit.start <= word for hit in self.hits)

    @property
    def asks(self) -> bool:
        """Whether it wants an answer."""
        if self.sentence.question or self.asked_by_lead:
            return True
        families = ("request", "needed") if self.sentence.opens_list else _ASKING
        return any(hit.family in families and not self.held(hit) for hit in self.hits)

    def held(self, hit: Hit) -> bool:
        """Whether a hit is part of a request to wait."""
        return any(
            other.family == "hold" and hit.start < other.end and other.start < hit.end
            for other in self.hits
        )

    @property
    def opens_with_wh(self) -> bool:
        """Whether a question word stands at its beginning."""
        return any(hit.family == "wh" and hit.start <= 1 for hit in self.hits)

    @property
    def points(self) -> bool:
        """Whether it refers to something by a pronoun."""
        return not _POINTING.isdisjoint(self.tagged.words)

    @property
    def points_back(self) -> bool:
        """Whether it may only repeat what was asked before: "which can you give me?"."""
        return self.points or not {"which", "whichever", "any"}.isdisjoint(self.tagged.words)

    @property
    def acts(self) -> bool:
        """Whether it speaks of an action of the lexicon."""
        return self.tagged.has(*_ACTIONS)

    @property
    def confirms(self) -> bool:
        """Whether it asks the customer to agree to something of the agent's doing."""
        if self.sentence.question and self._short_action():
            return True
        if self.has("transfer") and not self.acts:
            return False
        if self.asked_by_lead or self._prefers() or self._between_actions():
            return False
        hits = self.spans("confirm", without="unconfirm")
        return any(not self._chooses(hit) for hit in hits)

    def _prefers(self) -> bool:
        """Whether it offers things to choose from: "would you prefer a or b"."""
        words = self.tagged.words
        if "or" not in words or _PREFERRING.isdisjoint(words):
            return False
        # "Shall I do it, or would you rather leave it?" is to be agreed to.
        return _LEAVING.isdisjoint(words[words.index("or") :])

    def _between_actions(self) -> bool:
        """Whether it leaves open which of two actions: "modify or cancel"."""
        words = self.tagged.words
        offers = sum(word in ("would", "do") for word, then in pairwise(words) if then == "you")
        return (offers > 1 and "or" in words) or any(
            word == "or" and "ACT" in words[max(0, place - 3) : place] and "ACT" in after
            for place, word in enumerate(words)
            for after in [words[place + 1 : place + 4]]
        )

    def _chooses(self, hit: Hit) -> bool:
        """Whether the words around ask for a choice: "which one would you like to go with"."""
        around = self.tagged.words[max(0, hit.start - 6) : hit.start]
        return not _CHOOSING.isdisjoint(around + self.tagged.words[hit.end : hit.end + 2])

    def _short_action(self) -> bool:
        words = self.tagged.words
        return bool(words) and words[0] in ("ACT", "ACTING") and "or" not in words

    @property
    def proposes(self) -> bool:
        """Whether it says what the agent would do."""
        if self.has("transfer"):
            return False
        valued = self.tagged.has("VAL")
        return (self.has("will") and (self.acts or valued)) or (self.has("offer") and valued)

    @property
    def is_possible(self) -> bool:
        """Whether it only says what can be done: "the lamp can be returned"."""
        words, hits = self.tagged.words, self.spans("will")
        return not self.has("offer") and all(
            words[hit.start] in _MAY and words[hit.start + 1] == "be" for hit in hits
        )

    @property
    def moves_money(self) -> bool:
        """Whether all that it reports is money that "is refunded", not yet "was"."""
        hits, words = self.spans("done", without="undone"), self.tagged.words
        return bool(hits) and all(
            words[hit.end - 1] in _MONEY_MOVES and words[hit.end - 2] in _PRESENT for hit in hits
        )

    @property
    def prices_record(self) -> bool:
        """Whether it holds a record's id and an amount of money."""
        values = zip(self.tagged.words, self.tagged.slots, self.tagged.values, strict=True)
        held = [(slots, value) for word, slots, value in values if word == "VAL"]
        return any(slots for slots, _ in held) and any(value[0] in "$€£" for _, value in held)

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
        hits = _hits(tagged)
        families = frozenset(hit.family for hit in hits)
        asked = sentence.item and lead_asks and not tagged.has("VAL")
        line = Line(index, sentence, tagged, hits, families, asked_by_lead=asked)
        if not sentence.item:
            lead_asks = sentence.opens_list and line.asks
            if lead_asks:
                line = replace(line, lead=True)
        lines.append(line)
    return lines


def _hits(tagged: Tagged) -> tuple[Hit, ...]:
    """The pattern hits of a sentence; of opening thanks only leave-taking counts.

    What "has been requested" is done, not needed, and neither is "if needed".
    """
    hits = _PATTERNS.find(tagged.words)
    against = [hit for hit in hits if hit.family in ("done", "unneeded")]
    if against:
        hits = tuple(
            hit
            for hit in hits
            if hit.family != "needed"
            or not any(hit.start < one.end and one.start < hit.end for one in against)
        )
    words = tagged.words
    if not words or words[0] not in _THANKS:
        return hits
    end = words.index(",") if "," in words else len(words)
    return tuple(hit for hit in hits if hit.start > end or hit.family == "closing")
