"""A message as confirmation sees it: what it proposes, in pieces that can be searched for values.

Pieces come in three sizes: clauses ("the blue one" | "for the red one"), blocks (a heading with
its list) and the whole. Sentences that refuse or report propose nothing and are left out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache

from tau_env.graders._direction import Direction, directions_in
from tau_env.language.acts import read_agent
from tau_env.language.cache import per_text
from tau_env.language.counting import Counts, counts
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal, Reading
from tau_env.language.sentences import Sentence, split_sentences
from tau_env.language.tagging import Tagged, tagger
from tau_env.schema import Lexicon
from tau_env.schema.domain import YES_OR_NO

_TOKEN = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}\b)")
_CLAUSES = re.compile(
    r"\s(?:for|to|into|with|instead of|rather than|in exchange for|replaced by|becomes)\s"
    r"|\s*(?:→|->|=>)\s*|;\s"
)
_LEFT_BEHIND = re.compile(
    r"\bfrom\s+(?:(?!\bto\b)[^.;!?])*(?=\s(?:in)?to\s)|\b(?:instead of|rather than)\s+[^,.;!?]+"
    r"|\bor\s+(?:would|do|should|shall|will)\s+(?:you|i|we|it)\b[^.;!?]*\b(?:leave|keep|stay)\b[^.;!?]*",
    re.IGNORECASE,
)
_OLD_LABEL = re.compile(r"(?i)(?:current|old|previous|existing|former)\b")
_PRESENT = re.compile(
    r"(?i)^(?!.*\b(?:has|have|had|was|were)\b).*"
    r"\b(?:is|are) (?:then )?(?:charged|refunded|credited)\b"
)
_BUT = re.compile(r"\b(?:but|however|instead)\b")
_ALL = re.compile(
    r"\b(?:all|both|every|each)(?: of)?(?: the| your| its| these| those)?(?: \w+)? "
    r"(?:items?|products?|articles?|things?|pieces?|parts?|of it|of them)\b"
    r"|\b(?:entire|whole|complete) \w+|\beverything (?:in|from|of)\b|\ball of (?:it|them)\b"
)


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What a message says, ready for matching; phrases are normal tokens between blanks.

    Attributes:
        whole: the message.
        texts: its clauses.
        blocks: for each block of several clauses their places.
        money: amounts in cents, without sign.
        dates: ISO dates, ``--07-04`` where no year was given.
        words: closed words as (slot, value).
        ids: ids as (slot, value).
        actions: lexicon verbs that it speaks of.
        clear: those of them that its words do not leave open: "change it" may mean several.
        asks: whether it has a question mark.
        everything: whether it says "all", "both" or the like.
        acts: for agents: what it does.
        directions: for agents: by amount in cents who gets it, where the words beside it say so.
        aims: the message without what is left behind ("from X", "instead of X", "Current: X").
        lines: its sentences and list items as they were written.
        items: places of the list items among them.
        counted: how many it speaks of, by number slot.
    """

    whole: str
    texts: tuple[str, ...]
    blocks: tuple[tuple[int, ...], ...]
    money: frozenset[int]
    dates: frozenset[str]
    words: frozenset[tuple[str, str]]
    ids: frozenset[tuple[str, str]]
    actions: frozenset[str]
    asks: bool
    everything: bool
    acts: frozenset[str]
    directions: Mapping[int, frozenset[Direction]] = field(default_factory=dict)
    aims: Said | None = None
    clear: frozenset[str] = frozenset()
    lines: tuple[str, ...] = ()
    items: frozenset[int] = frozenset()
    counted: Mapping[str, Counts] = field(default_factory=dict)

    @property
    def clauses(self) -> tuple[frozenset[str], ...]:
        """For each clause its runs of one to four tokens."""
        return _all_runs(self.texts)[0]

    @property
    def runs(self) -> frozenset[str]:
        """The runs of all clauses."""
        return _all_runs(self.texts)[1]

    @property
    def aim(self) -> Said:
        """What the message wants to come about; for values of which there can be only one."""
        return self.aims or self


def phrase(value: object) -> str:
    """A value as normal tokens between blanks: ``gift_card_12`` is `` gift card 12 ``."""
    return _phrase(str(value))


@lru_cache(maxsize=32_768)
def _phrase(value: str) -> str:
    text = _THOUSANDS.sub("", value.lower().replace("\u2019", "'").replace("_", " "))
    tokens = []
    for token in _TOKEN.findall(text):
        whole, dot, rest = token.partition(".")
        if dot and whole.isdigit() and rest.isdigit():
            token = token.rstrip("0").rstrip(".")
        tokens.append(token)
    return f" {' '.join(tokens)} "


def _runs(clause: str) -> frozenset[str]:
    """Runs of one to four tokens; a plural is also its singular."""
    tokens = clause.split()
    runs = {
        " ".join(tokens[start : start + size])
        for size in range(1, 5)
        for start in range(len(tokens) - size + 1)
    }
    return frozenset(runs | {run[:-1] for run in runs if len(run) > 3 and run.endswith("s")})


@lru_cache(maxsize=8192)
def _all_runs(clauses: tuple[str, ...]) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    runs = tuple(_runs(clause) for clause in clauses)
    return runs, frozenset[str]().union(*runs)


@per_text
def said_by_agent(text: str, lexicon: Lexicon) -> Said:
    """What an agent's message proposes: refusals and reports left out."""
    reading = read_agent(text, lexicon)
    sentences = split_sentences(text)
    kept = [(sentence, _kept(index, sentence, reading)) for index, sentence in enumerate(sentences)]
    acts = frozenset(act.kind for act in reading.acts)
    said = _with_aims([(one, part) for one, part in kept if part], text, lexicon, acts)
    return replace(_without_asked(said, reading, lexicon), directions=directions_in(text, lexicon))


@per_text
def said_by_customer(text: str, lexicon: Lexicon) -> Said:
    """What a customer's message names."""
    kept = [(one, one.text) for one in split_sentences(text)]
    return _with_aims(kept, text, lexicon, frozenset())


def _without_asked(said: Said, reading: Reading, lexicon: Lexicon) -> Said:
    """What a message says without the yes or no that it only asks for: "want insurance?"."""
    asked = {slot for act in reading.acts if act.kind == "asks_detail" for slot in act.slots}
    open_slots = {name for name in asked if not YES_OR_NO.isdisjoint(lexicon.slots[name].words)}
    if not open_slots:
        return said
    words = frozenset(word for word in said.words if word[0] not in open_slots)
    aims = None if said.aims is None else replace(said.aims, words=words & said.aims.words)
    return replace(said, words=words, aims=aims)


def _kept(index: int, sentence: Sentence, reading: Reading) -> str:
    """The part of a sentence that may propose: all, what follows a "but", or nothing."""
    kinds = {act.kind for act in reading.acts if act.sentence == index}
    if "refuses" not in kinds and "reports_done" not in kinds:
        return sentence.text
    if kinds & {"proposes", "asks_confirmation"} and "reports_done" in kinds:
        return sentence.text
    if "refuses" not in kinds and reading.has("asks_confirmation") and _is_to_come(index, reading):
        return sentence.text
    return "".join(_BUT.split(sentence.text, maxsplit=1)[1:])


def _is_to_come(index: int, reading: Reading) -> bool:
    """Whether what sounds done is part of a proposal: "$52.00 is charged to your card"."""
    acting = any(act.actions for act in reading.acts if act.sentence == index)
    return not acting and _PRESENT.search(reading.sentences[index]) is not None


def _with_aims(
    kept: list[tuple[Sentence, str]], source: str, lexicon: Lexicon, acts: frozenset[str]
) -> Said:
    said = _said(kept, source, lexicon, acts)
    aims = [
        (one, _LEFT_BEHIND.sub(" ", part)) for one, part in kept if not _OLD_LABEL.match(one.label)
    ]
    return said if aims == kept else replace(said, aims=_said(aims, source, lexicon, acts))


def _literals_of(part: str, source: str, lexicon: Lexicon) -> list[Literal]:
    """Literals of a part of a message, taken from the whole message's where it stands in it."""
    start = source.find(part)
    if start < 0 or source.count(part) > 1:
        return list(find_literals(part, lexicon))
    end = start + len(part)
    return [
        replace(one, start=one.start - start, end=one.end - start)
        for one in find_literals(source, lexicon)
        if start <= one.start and one.end <= end
    ]


def _said(
    kept: list[tuple[Sentence, str]], source: str, lexicon: Lexicon, acts: frozenset[str]
) -> Said:
    clauses: list[str] = []
    blocks: list[list[int]] = []
    literals: list[Literal] = []
    actions: set[str] = set()
    clear: set[str] = set()
    in_list = False
    for sentence, text in kept:
        if not blocks or sentence.opens_list or not (sentence.item and in_list):
            blocks.append([])
        in_list = sentence.opens_list or sentence.item
        if not sentence.opens_list:
            tagged = tagger(lexicon).tag(text)
            actions.update(tagged.all_actions())
            clear.update(tagged.clear_actions())
        found = _literals_of(text, source, lexicon)
        literals += found
        for start, end in _clauses(text):
            words = [
                str(one.value)
                for one in found
                if one.kind in ("word", "date") and start <= one.start < end
            ]
            blocks[-1].append(len(clauses))
            clauses.append(phrase(" ".join((text[start:end], *words))))
    for tagged in _headings(kept, lexicon):
        actions.update(tagged.all_actions())
        clear.update(tagged.clear_actions())
    whole = " ".join(clauses)
    return Said(
        whole=re.sub(" +", " ", whole),
        texts=tuple(clauses),
        blocks=tuple(tuple(block) for block in blocks if len(block) > 1),
        money=frozenset(_cents(one) for one in literals if one.kind in ("money", "number")),
        dates=frozenset(str(one.value) for one in literals if one.kind == "date"),
        words=frozenset((one.slot, str(one.value)) for one in literals if one.kind == "word"),
        ids=frozenset((one.slot, str(one.value)) for one in literals if one.kind == "id"),
        actions=frozenset(actions),
        clear=frozenset(clear),
        asks=any(sentence.question for sentence, _ in kept),
        everything=bool(_ALL.search(whole)),
        acts=acts,
        lines=tuple(text for _, text in kept),
        items=frozenset(place for place, (one, _) in enumerate(kept) if one.item),
        counted=counts("\n".join(text for _, text in kept), lexicon),
    )


def _headings(kept: list[tuple[Sentence, str]], lexicon: Lexicon) -> Iterator[Tagged]:
    """The headings, read with their labels: "the change:" above "New address: ..."."""
    for place, (sentence, text) in enumerate(kept):
        if sentence.opens_list:
            items = itertools.takewhile(lambda one: one[0].item, kept[place + 1 :])
            labels = " ".join(item.label for item, _ in items)
            yield tagger(lexicon).tag(f"{text} {labels}")


def _clauses(text: str) -> list[tuple[int, int]]:
    """Start and end of every clause."""
    cuts = [match.span() for match in _CLAUSES.finditer(text)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return list(zip(starts, ends, strict=True))


def _cents(one: Literal) -> int:
    return abs(int(one.value)) if one.kind == "money" else abs(int(Decimal(one.value) * 100))
