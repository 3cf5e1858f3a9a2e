"""Where a customer's values are from: the scenario, or what the agent said; others are invented.

Values are compared as read (a date is a date in any spelling, $20 is 20.00); what the reading does
not know is compared as it is written. Nothing is decided here about who may say what when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from tau_env.language.cache import per_lexicon
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal
from tau_env.schema import Lexicon, Scenario, Want
from tau_env.users.agenda import values_of
from tau_env.users.wording import AFTER, BEFORE, COMMON, OWN

_WITH_DIGIT = re.compile(r"[^\s,;:!?()\"“”]*\d[^\s,;:!?()\"“”]*")
_DIGITS = re.compile(r"\d+")
_AND = re.compile(r",?\s+and\s+(?:the\s+)?|,\s*(?:the\s+)?")
_WORD = re.compile(r"[^\W\d_]+")
_INNER_CAPITAL = re.compile(r"(?<=[^\s.!?:\n\"“(—–*•-])[ \t]+([A-Z][^\W\d_]+)")
_POLITE = "i hi hello hey dear sir madam mr mrs ms ok okay thanks thank please yes no am pm id zip"
Mark = tuple[str, str]


def marks(text: str, lexicon: Lexicon) -> frozenset[Mark]:
    """The values of a text in one spelling: a kind and a canonical form each."""
    return frozenset(_mark(one) for one in find_literals(text, lexicon))


def _mark(one: Literal) -> Mark:
    value = str(one.value)
    if one.kind == "money":
        return "number", _plain(Decimal(value) / 100)
    if one.kind == "number":
        return "number", _plain(Decimal(value))
    if one.kind == "date":
        return "date", value[-5:]
    return one.kind, value.lstrip("#").lower()


def _plain(number: Decimal) -> str:
    return format(number.normalize(), "f")


def all_wants(scenario: Scenario) -> tuple[Want, ...]:
    """The wants of a scenario, those that a twist adds among them."""
    added = (twist.added for twist in scenario.twists)
    return (*scenario.wants, *(want for want in added if want is not None))


def things_in(value: str) -> list[str]:
    """The things that a value names: "the Kite and the Drum" are two."""
    return _AND.split(value)


def texts_of(scenario: Scenario, lexicon: Lexicon) -> Iterator[str]:
    """Everything that a scenario says, the domain's phrases for its opening and wants included."""
    yield scenario.instruction
    named = [scenario.opening, *(want.say or want.do for want in all_wants(scenario))]
    for name in named:
        yield from lexicon.phrases.get(name, ())
    yield from (fact.value for fact in scenario.facts.values())
    for want in all_wants(scenario):
        for slot in want.slots:
            yield from values_of(want, slot)
    for twist in scenario.twists:
        yield from twist.slots.values()


class Sources:
    """What may be repeated in one trial, growing with every message of the agent."""

    def __init__(self, scenario: Scenario, lexicon: Lexicon) -> None:
        """Begin with what the scenario says."""
        self._lexicon = lexicon
        self._marks: set[Mark] = set()
        self._words: set[str] = set()
        self._digits: set[str] = set()
        for text in texts_of(scenario, lexicon):
            self.add(text)
        # "Both my requests" or "two things" counts what the scenario names.
        wants = all_wants(scenario)
        values = [value for one in wants for slot in one.slots for value in values_of(one, slot)]
        counts = {len(wants), *(len(things_in(value)) for value in values)}
        self._marks.update(("number", str(count)) for count in counts)

    def add(self, text: str) -> None:
        """Take in a text: whatever stands in it may be said."""
        self._marks |= marks(text, self._lexicon)
        self._words.update(_WORD.findall(text.lower()))
        self._digits.update(_digits(text))

    def invented(self, line: str) -> tuple[str, ...]:
        """Values of a line that are from nowhere, as written, each once.

        Ids, e-mails, amounts, numbers, dates, zips, closed words, everything with a digit, and
        capitalised words inside a sentence that are no ordinary words (names).
        """
        found = [*self._literals(line), *self._with_digits(line), *self._names(line)]
        return tuple(dict.fromkeys(found))

    def _literals(self, line: str) -> Iterator[str]:
        usual = _usual_marks(self._lexicon)
        for one in find_literals(line, self._lexicon):
            if _mark(one) not in self._marks | usual and not self._is_spelt(one):
                yield one.text

    def _is_spelt(self, one: Literal) -> bool:
        """Whether a value stands somewhere in other form: a name by its words, digits alone."""
        if one.kind == "name":
            return self._words.issuperset(_WORD.findall(one.text.lower()))
        digits = set(_digits(one.text))
        return bool(digits) and "@" not in one.text and digits <= self._digits

    def _with_digits(self, line: str) -> Iterator[str]:
        """What is written with digits and is no value that the reading knows: a phone number."""
        read = [(one.start, one.end) for one in find_literals(line, self._lexicon)]
        for match in _WITH_DIGIT.finditer(line):
            covered = any(start < match.end() and match.start() < end for start, end in read)
            if not covered and not set(_digits(match.group())) <= self._digits:
                yield match.group().rstrip(".'’")

    def _names(self, line: str) -> Iterator[str]:
        read = [(one.start, one.end) for one in find_literals(line, self._lexicon)]
        for match in _INNER_CAPITAL.finditer(line):
            word = match.group(1).lower()
            covered = any(start <= match.start(1) < end for start, end in read)
            if not covered and word not in self._words and word not in _ordinary(self._lexicon):
                yield match.group(1)


def _digits(text: str) -> Iterator[str]:
    """The digits of every token that has some: ``9725`` of "ending in 9725."."""
    for match in _WITH_DIGIT.finditer(text):
        yield "".join(_DIGITS.findall(match.group()))


def _phrases(lexicon: Lexicon) -> list[str]:
    """What the scripted customer says in this domain."""
    groups: list[Iterable[tuple[str, ...]]] = [COMMON.values(), BEFORE.values(), AFTER.values()]
    groups += [*(own.values() for own in OWN.values()), lexicon.phrases.values()]
    return [way for group in groups for ways in group for way in ways]


@per_lexicon
def _usual_marks(lexicon: Lexicon) -> frozenset[Mark]:
    """Closed words that stand in common phrases: the one in "I can't find it" tells nothing."""
    found = (mark for text in _phrases(lexicon) for mark in marks(text, lexicon))
    return frozenset(mark for mark in found if mark[0] == "word")


@per_lexicon
def _ordinary(lexicon: Lexicon) -> frozenset[str]:
    """Words that name nobody: those of the scripted customer's phrases and of the lexicon."""
    texts = [_POLITE, *_phrases(lexicon)]
    texts += [way for ways in (*lexicon.verbs.values(), *lexicon.nouns.values()) for way in ways]
    for slot in lexicon.slots.values():
        texts += [*slot.nouns, *slot.words, *(way for ways in slot.words.values() for way in ways)]
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))
