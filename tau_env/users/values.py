"""Values that the customer knows, held against what a message says: named, another one, or nothing.

A value of the scenario is written as the customer says it ("New York", "June 14", "Visa ending in
1234"); a message may say it in another spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from functools import lru_cache

from tau_env.language.cache import per_text
from tau_env.language.counting import counts, is_added
from tau_env.language.inflection import plural
from tau_env.language.literals import find_literals, is_same_day
from tau_env.language.reading import Reading
from tau_env.schema import Lexicon, Slot
from tau_env.schema.domain import YES_OR_NO

_STREET = re.compile(
    r"\b\d{1,5}\s+(?:[A-Z][\w.'-]*\s+){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|"
    r"Boulevard|Blvd|Way|Place|Pl|Terrace|Circle)\b"
)
_NAME = re.compile(r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)+")
_BESIDE = 30
"""So many characters behind a name its date stands at most: "(date of birth: ...)"."""
_INSTEAD_OF = re.compile(r"\b(?:instead of|rather than|not (?:on|to|onto|with)) [^,.;!?]*", re.I)
_TURNS_DOWN = re.compile(
    r"(?:\bnot\b|n['’]t\b|\b(?:cannot|only|no|too (?:little|low|small)|unfortunately|regret|afraid"
    r"|alas|sorry|insufficient|unable)\b)",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:would|shall|will|should|may|let me|could)\b(?! not|n['’]t)|['’](?:d|ll)\b|\?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\\?\d+")


@per_text
def _read(value: str, lexicon: Lexicon) -> Mapping[tuple[str, str], frozenset[str]]:
    """The values in a text by (kind, slot)."""
    found: dict[tuple[str, str], set[str]] = {}
    for one in find_literals(value, lexicon):
        found.setdefault((one.kind, one.slot), set()).add(str(one.value))
    return {key: frozenset(values) for key, values in found.items()}


def _meant(lexicon: Lexicon, name: str, value: str) -> frozenset[str]:
    """A value as a reading has it."""
    kind = lexicon.slots[name].kind
    if value in lexicon.slots[name].words:
        return frozenset((value,))
    return _read(value, lexicon).get((kind, name if kind == "word" else "")) or frozenset((value,))


def names(lexicon: Lexicon, reading: Reading, name: str, value: str) -> bool:
    """Whether a message names a value of a slot, in any spelling.

    Args:
        lexicon: the domain's words.
        reading: the message.
        name: the slot.
        value: as the customer says it.
    """
    slot = lexicon.slots.get(name)
    if slot is not None and slot.kind == "word":
        said = {str(one) for one in reading.values("word", name)}
        if not said.isdisjoint(_meant(lexicon, name, value)):
            return not _other_form(reading.text, value)
    elif slot is not None and slot.kind == "number":
        counted = counts(reading.text, lexicon).get(name)
        return counted is not None and value.isdigit() and int(value) in counted.all
    elif slot is not None and slot.kind == "date":
        return _same_day(lexicon, reading, name, (value,))
    elif any((one.slot, one.value) == (name, value) for one in reading.literals):
        return True
    if slot is not None and not YES_OR_NO.isdisjoint(slot.words):
        return False
    return len(value) > 2 and value.lower().split(" and ")[0] in reading.text.lower()


def differs(
    lexicon: Lexicon, reading: Reading, name: str, known: Mapping[str, Iterable[str]]
) -> bool:
    """Whether a message has values for a slot, and none of the right ones.

    Args:
        lexicon: the domain's words.
        reading: the message.
        name: the slot.
        known: values as the customer says them, by slot; a date that belongs to another slot is
            no wrong one for this.
    """
    slot, right = lexicon.slots[name], tuple(known[name])
    if slot.kind == "text":
        return any(
            _other_form(reading.text, value)
            or _other_date(lexicon, reading, value)
            or _other_shares(lexicon, reading, value)
            for value in right
        )
    if slot.kind == "date":
        others = {
            day for one, values in known.items() if one != name for day in _days(lexicon, values)
        }
        days = [str(one) for one in reading.values("date")]
        strange = [one for one in days if not any(is_same_day(one, other) for other in others)]
        return bool(strange) and not _same_day(lexicon, reading, name, right)
    if slot.kind == "number":
        counted = counts(reading.text, lexicon).get(name)
        numbers = [int(one) for one in right if one.isdigit()]
        if counted is None or not numbers:
            return False
        return all(counted.denies(one, added=is_added(slot)) for one in numbers)
    if slot.kind in ("word", "id"):
        said = {str(value) for value in reading.values(slot.kind, name)}
        if slot.kind == "word" and any(_other_form(reading.text, value) for value in right):
            return True
        wanted = {word for value in right for word in _meant(lexicon, name, value)}
        if slot.kind == "word" and _denied(lexicon, reading, name, wanted):
            return True
    elif slot.kind in ("email", "zip", "money"):
        said = {str(value).lower() for value in reading.values(slot.kind)}
    else:
        return False
    folded = {one for value in right for one in _folded(lexicon, name, slot, value)}
    return bool(said) and said.isdisjoint(folded)


def _denied(lexicon: Lexicon, reading: Reading, name: str, right: Set[str]) -> bool:
    """Whether a message names the right word only to turn it down, and offers another one.

    As in "Your gift card holds only $5. I would charge it to your PayPal instead.".
    """
    named = others = False
    for sentence in reading.sentences:
        left = _INSTEAD_OF.sub("", sentence)
        said = _read(left, lexicon).get(("word", name), frozenset())
        offers = _OFFERS.search(left) is not None
        if said & right and (offers or not _TURNS_DOWN.search(left)):
            return False
        named = named or bool(said & right) or left != sentence
        others = others or (bool(said - right) and offers)
    return named and others


def _same_day(lexicon: Lexicon, reading: Reading, name: str, right: Iterable[str]) -> bool:
    days = [day for value in right for day in _meant(lexicon, name, value)]
    return any(is_same_day(str(one), day) for one in reading.values("date") for day in days)


def _other_date(lexicon: Lexicon, reading: Reading, value: str) -> bool:
    """Whether a name of a value that has a date, "Ada Kim, born 1990-04-05", is given another."""
    last = 0
    for date in (one for one in find_literals(value, lexicon) if one.kind == "date"):
        name = _NAME.search(value, last, date.start)
        last = date.end
        if name is None:
            continue
        for found in re.finditer(rf"(?<!\w){re.escape(name.group())}(?!\w)", reading.text):
            beside = [
                str(one.value)
                for one in reading.literals
                if one.kind == "date" and 0 <= one.start - found.end() <= _BESIDE
            ]
            if beside and not is_same_day(beside[0], str(date.value)):
                return True
    return False


def _days(lexicon: Lexicon, values: Iterable[str]) -> frozenset[str]:
    """All dates in some values."""
    return frozenset[str]().union(*(_read(one, lexicon).get(("date", ""), ()) for one in values))


def _folded(lexicon: Lexicon, name: str, slot: Slot, value: str) -> frozenset[str]:
    if slot.kind == "money":
        digits = re.sub(r"[^\d.]", "", value)
        return frozenset((str(round(float(digits) * 100)) if digits else value,))
    if slot.kind == "email":
        return frozenset((value.lower(),))
    return _meant(lexicon, name, value) if slot.kind == "word" else frozenset((value,))


def in_words(lexicon: Lexicon, name: str, value: str) -> str:
    """A value as it can stand in a sentence by itself: "2 bags", "no insurance".

    Args:
        lexicon: the domain's words.
        name: the slot.
        value: as the customer says it.
    """
    slot = lexicon.slots.get(name)
    if slot is not None and value in YES_OR_NO and slot.words.get(value):
        return slot.words[value][0]
    if slot is not None and slot.kind == "number" and slot.nouns and value.isdigit():
        return f"{value} {slot.nouns[0] if value == '1' else plural(slot.nouns[0])}"
    return value


@lru_cache(maxsize=4096)
def _form(value: str) -> re.Pattern[str] | None:
    """The value with any numbers in the place of its own; None if it has none."""
    form, count = _DIGITS.subn(r"\\d+", re.escape(value))
    return re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE) if count else None


def _other_form(text: str, value: str) -> bool:
    """Whether a text has something of a value's form, and not the value."""
    form = _form(value)
    if form is None:
        return False
    said = {_plain(found) for found in form.findall(text)}
    street = _STREET.search(value)
    if street is not None:
        # Compared as a street: what follows the street's name is not in the match.
        said |= {_plain(found) for found in _STREET.findall(text)}
        return bool(said) and said.isdisjoint((_plain(value), _plain(street.group())))
    return bool(said) and _plain(value) not in said


def _other_shares(lexicon: Lexicon, reading: Reading, value: str) -> bool:
    """Whether a message divides money among the same things otherwise: "$80 from my gift card"."""
    found = _read(value, lexicon)
    shares = found.get(("money", ""), frozenset())
    things = {
        (slot, one) for (kind, slot), values in found.items() if kind == "word" for one in values
    }
    if not shares or not things:
        return False
    said = {str(one) for one in reading.values("money")}
    named = {(one.slot, str(one.value)) for one in reading.literals if one.kind == "word"}
    return bool(said) and things <= named and not shares <= said


def _plain(text: str) -> str:
    return " ".join(text.split()).lower()
