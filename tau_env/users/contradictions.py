"""Where what the agent says contradicts what the customer knows; silence and unknowns do not.

Values of closed kinds are compared as read; free texts only where they have a form that can be
recognised: a street, words around a number, the name of a thing. What the customer does about it is
decided in `scripted`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tau_env.language.cache import per_lexicon
from tau_env.language.reading import Reading
from tau_env.schema import Lexicon, Scenario
from tau_env.users.agenda import Item, part_slots, values_of
from tau_env.users.values import differs, in_words, names

_THING = re.compile(r"\b(?:the|your|an?)\s+((?:[A-Z][\w'’-]*)(?:\s+[A-Z][\w'’-]*)*)")
_AND = re.compile(r",?\s+and\s+(?:the\s+)?|,\s*(?:the\s+)?")
_WORD = re.compile(r"[^\W\d_]+")
_ADDRESSED = re.compile(r"\b(?:you|your|yours|account|profile)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Objection:
    """A value of the agent that contradicts what the customer knows.

    Attributes:
        slot: what it is about.
        right: the value that the customer knows.
    """

    slot: str
    right: str


def objections(
    scenario: Scenario, lexicon: Lexicon, reading: Reading, items: Iterable[Item]
) -> list[Objection]:
    """What in a message contradicts these wants, or the customer's e-mail and amounts.

    Args:
        scenario: what the customer knows.
        lexicon: the domain's words.
        reading: the message.
        items: the wants that it speaks of.

    Returns:
        One objection a slot; empty where nothing contradicts.
    """
    known: dict[str, list[str]] = {}
    for item in items:
        for name in item.want.slots:
            known.setdefault(name, []).extend(values_of(item.want, name))
    for name, fact in scenario.facts.items():
        slot = lexicon.slots.get(name)
        if name not in known and slot is not None and slot.kind in ("email", "money"):
            known[name] = [fact.value]
    found = []
    for name, right in known.items():
        slot = lexicon.slots.get(name)
        if slot is not None and slot.role != "record" and differs(lexicon, reading, name, known):
            found.append(Objection(name, in_words(lexicon, name, right[0])))
    return found + list(_thing_objections(lexicon, reading, known))


def identity_objections(scenario: Scenario, lexicon: Lexicon, reading: Reading) -> list[Objection]:
    """What in a check of the customer's identity is wrong: e-mail, zip or name."""
    found = []
    for name, fact in scenario.facts.items():
        slot = lexicon.slots.get(name)
        if slot is None or slot.role != "identity" or slot.kind == "name":
            continue
        if differs(lexicon, reading, name, {name: [fact.value]}):
            found.append(Objection(name, fact.value))
    names = [
        fact.value
        for name, fact in scenario.facts.items()
        if name in lexicon.slots and lexicon.slots[name].kind == "name"
    ]
    own = {word for name in names for word in name.lower().split()}
    said = {word for value in reading.values("name") for word in str(value).split()}
    if own and said - own:
        found.append(Objection("name", " ".join(names)))
    return found


def wrong_email(scenario: Scenario, lexicon: Lexicon, reading: Reading) -> Objection | None:
    """Another e-mail address than the customer's in a sentence about the customer, if any."""
    emails = {str(value) for value in reading.values("email")}
    if not emails:
        return None
    for name, fact in scenario.facts.items():
        slot = lexicon.slots.get(name)
        if slot is None or slot.kind != "email":
            continue
        if fact.value.lower() in {email.lower() for email in emails}:
            return None
        for sentence in reading.sentences:
            if _ADDRESSED.search(sentence) and any(email in sentence for email in emails):
                return Objection(name, fact.value)
    return None


def known_values(
    scenario: Scenario, lexicon: Lexicon, items: Iterable[Item], reading: Reading
) -> bool:
    """Whether a message says anything that the customer knows."""
    known = [(name, fact.value) for name, fact in scenario.facts.items()]
    known += [
        (name, value)
        for item in items
        for name in item.want.slots
        for value in values_of(item.want, name)
    ]
    return any(
        names(lexicon, reading, name, value)
        or any(str(one.value) == value for one in reading.literals)
        for name, value in known
    )


def things_too_many(lexicon: Lexicon, reading: Reading, items: Iterable[Item]) -> list[str]:
    """Names of things that a message joins to a wanted one and that no want has."""
    own = [thing for item in items for thing in _things(lexicon, item)]
    found = [name for thing in own for name in _joined(thing).findall(reading.text)]
    known = " ".join(own).lower()
    return [
        name
        for name in dict.fromkeys(found)
        if name.lower() not in known and _is_name(lexicon, name)
    ]


def _things(lexicon: Lexicon, item: Item) -> list[str]:
    """Names of the things that a want is about: values of text slots for parts of a record."""
    found: list[str] = []
    for name in item.want.slots:
        if name in part_slots(lexicon):
            for value in values_of(item.want, name):
                found += _AND.split(value)
    return [thing for thing in found if thing]


def _thing_objections(
    lexicon: Lexicon, reading: Reading, known: dict[str, list[str]]
) -> Iterator[Objection]:
    """Other things named in place of the wanted ones, or some of them left out."""
    for name in part_slots(lexicon) & known.keys():
        text = reading.text.lower()
        for value in known[name]:
            things = _AND.split(value)
            named = [thing.lower() in text for thing in things]
            if all(named):
                continue
            others = [one for one in _THING.findall(reading.text) if _is_name(lexicon, one)]
            if (any(named) and not reading.has("refuses")) or (not any(named) and others):
                yield Objection(name, value)


@per_lexicon
def _vocabulary(lexicon: Lexicon) -> frozenset[str]:
    """Words of the lexicon: a phrase with one of them names no thing."""
    texts: list[str] = []
    for slot in lexicon.slots.values():
        texts += [*slot.nouns, *(way for value in slot.words for way in slot.ways(value))]
    texts += [way for ways in lexicon.verbs.values() for way in ways]
    texts += [noun for nouns in lexicon.nouns.values() for noun in nouns]
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def _is_name(lexicon: Lexicon, phrase: str) -> bool:
    """Whether a capitalised phrase may name a thing: no word of it is one of the lexicon's."""
    return _vocabulary(lexicon).isdisjoint(_WORD.findall(phrase.lower()))


@lru_cache(maxsize=4096)
def _joined(thing: str) -> re.Pattern[str]:
    """A thing joined to another capitalised one by "and"."""
    return re.compile(
        rf"(?i:{re.escape(thing)}s?(?:\s*\([^)]*\))?,?\s+(?:and|plus|as well as)\s+"
        r"(?:(?:the|your|an?)\s+)?)((?:[A-Z][\w'’-]*)(?:\s+[A-Z][\w'’-]*)*)"
    )
