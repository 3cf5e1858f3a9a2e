"""How many of something a text speaks of: "2 more bags", "a total of three suitcases", "Bags: 0".

Only for slots whose kind is ``number``: their nouns are what is counted. Other numbers are read in
`literals`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tau_env.language.cache import per_lexicon, per_text
from tau_env.language.inflection import plural
from tau_env.language.literals import NUMBER_WORDS
from tau_env.schema.domain import Lexicon, Slot

_WORDS = {**NUMBER_WORDS, "no": 0, "zero": 0, "none": 0, "nothing": 0, "without": 0, "another": 1}
_WORDS |= {"a": 1, "an": 1}
_VAGUE = frozenset(("a", "an"))
_ADDED = frozenset(("more", "additional", "extra", "further", "another", "other", "new"))
_FREE = frozenset(("free", "paid", "complimentary", "included", "chargeable", "nonfree", "each"))
_BETWEEN = (
    r"(?:more|additional|extra|further|other|new|free|paid|complimentary|included|chargeable"
    r"|non-?free|checked|check-in|pieces? of|items? of|any|the|of|your|my|whole|total|in total)"
)
_NUMBER = (
    r"(?<![\w$#.,/:-])(?P<{0}>[0-9]{{1,3}}(?![\w]|[.,:/-][0-9])"
    rf"|(?i:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b)"
)
_TOTAL_BEFORE = re.compile(r"(?i)\b(?:total|altogether|in all|overall)\b[^.;,\n]{0,12}$")
_WHOLE = r"(?:in total|in all|altogether|overall|all in all)\b"
_TOTAL_AFTER = re.compile(rf"(?i)^s?[\s*]*{_WHOLE}")
_FREE_AFTER = re.compile(
    r"(?i)^s?[\s*]*\(?(?:are |is |will be |would be |at )?(?:free|no charge)\b"
)
_PART_BEFORE = re.compile(r"(?i)\b(?:non-?|free|paid|included|extra|additional)[\s-]*$")
_ADDS_BEFORE = re.compile(r"(?i)\b(?:add|adding|adds|plus)\s*$")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many things of a slot a text speaks of.

    Attributes:
        total: numbers that are said to be the whole.
        added: numbers that come on top of what there is.
        plain: numbers that may be either.
        loose: numbers of a part, such as what is free, and "a bag"; they rule nothing out.
    """

    total: frozenset[int] = frozenset()
    added: frozenset[int] = frozenset()
    plain: frozenset[int] = frozenset()
    loose: frozenset[int] = frozenset()

    @property
    def all(self) -> frozenset[int]:
        """Every number."""
        return self.sure | self.loose

    @property
    def sure(self) -> frozenset[int]:
        """All numbers that say how many."""
        return self.total | self.added | self.plain

    def fits(self, whole: int, before: int | None = None) -> bool | None:
        """Whether the text can mean this number.

        Args:
            whole: how many there are to be.
            before: how many there were, where it is known.

        Returns:
            None if it speaks of none.
        """
        more = None if before is None else whole - before
        if self.total:
            return whole in self.total | self.plain
        if self.added and more is not None:
            return more in self.added or whole in self.plain
        either = self.plain | self.added | self.loose
        if whole in either or (more is not None and more in either):
            return True
        return False if self.sure else None

    def denies(self, number: int, *, added: bool) -> bool:
        """Whether the text says another number to somebody who does not know what there was.

        Args:
            number: how many there are to be.
            added: whether it is what comes on top; then totals say nothing of it, and otherwise
                what is added says nothing.
        """
        said = self.added if added else self.total or (self.plain - self.added)
        return bool(said) and number not in said | self.plain | self.loose


def is_added(slot: Slot) -> bool:
    """Whether a slot counts what comes on top: one of its nouns is an "extra ..."."""
    return any(noun.split()[0] in _ADDED for noun in slot.nouns)


@per_lexicon
def _counter(lexicon: Lexicon) -> Callable[[str], dict[str, Counts]]:
    """What reads the counts of all number slots of a lexicon."""
    patterns = {
        name: _patterns(slot)
        for name, slot in lexicon.slots.items()
        if slot.kind == "number" and slot.nouns
    }
    return lambda text: {name: _read(text, pattern) for name, pattern in patterns.items()}


def _patterns(slot: Slot) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds the numbers of a slot, and its nouns."""
    nouns = {form for noun in slot.nouns for form in (noun, plural(noun))}
    noun = (
        "(?i:" + "|".join(re.escape(one) for one in sorted(nouns, key=len, reverse=True)) + r")\b"
    )
    first, after = _NUMBER.format("first"), _NUMBER.format("after")
    return re.compile(
        rf"{first}\s+(?P<between>(?i:{_BETWEEN}\s+){{0,4}}?)(?P<noun>{noun})"
        rf"|{noun}(?:\s*\([^)]*\))?[\s*]*(?i:[:=(]|is|are|will be|would be|(?:from \w+ )?to)"
        rf"[\s*]*{after}"
        rf"|{_NUMBER.format('whole')}(?=\s+(?i:{_WHOLE}))"
        rf"|(?i:\badd(?:ing)?)\s+{_NUMBER.format('more')}(?=\s*(?:[,.;:!?)(]|$|more\b|of\b))"
    ), re.compile(noun)


@per_text
def counts(text: str, lexicon: Lexicon) -> dict[str, Counts]:
    """How many of each number slot a text speaks of; treat the result as read-only.

    Args:
        text: a message.
        lexicon: the domain's words.

    Returns:
        Slot name -> counts, for every slot of kind ``number`` that has nouns.
    """
    return _counter(lexicon)(text)


def _read(text: str, patterns: tuple[re.Pattern[str], re.Pattern[str]]) -> Counts:
    pattern, noun = patterns
    if noun.search(text) is None:
        return Counts()
    found: dict[str, set[int]] = {"total": set(), "added": set(), "plain": set(), "loose": set()}
    for match in pattern.finditer(text):
        word = (match["first"] or match["after"] or match["whole"] or match["more"]).lower()
        number = int(word) if word.isdigit() else _WORDS[word]
        found[_sort(text, match, word)].add(number)
    return Counts(**{name: frozenset(numbers) for name, numbers in found.items()})


def _sort(text: str, match: re.Match[str], word: str) -> str:
    """How a number is meant, by the words around it."""
    before, after = text[: match.start()][-40:], text[match.end() : match.end() + 30]
    if match["whole"] or match["more"]:
        return "total" if match["whole"] else "added"
    if word in _VAGUE or _PART_BEFORE.search(before):
        return "loose"
    if match["after"]:
        return "total"
    between = set(match["between"].lower().split())
    if between & _FREE or any(part.startswith("non") for part in between):
        return "loose"
    if _FREE_AFTER.match(after):
        return "loose"
    if _TOTAL_BEFORE.search(before) or _TOTAL_AFTER.match(after) or between & {"total"}:
        return "total"
    if between & _ADDED or word == "another" or _ADDS_BEFORE.search(before):
        return "added" if _WORDS.get(word, word) != 0 else "loose"
    return "plain"
