"""What the transcript knows of the things behind ids: names, options, amounts, what they hold.

Built from result texts only, call by call; a thing can then be recognised by whatever is unique.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from tau_env.graders._facts import parsed
from tau_env.graders._said import Said, phrase
from tau_env.language.cache import per_lexicon, per_text
from tau_env.schema import Lexicon

_EMPTY_WORDS = frozenset(("yes", "no", "none", "true", "false", ""))
_NAMES = ("name", "title")
_ANYTHING = ""
# A record holds so much that its short traits ("5", "M") turn up in any message.
_FEW, _SHORT = 2, 2
_WORDED_ID = re.compile(r"([a-z]+(?:_[a-z]+)*)_[0-9]+")
_DATE = re.compile(r"[0-9]{4} [0-9]{2} [0-9]{2}")


@dataclass(frozen=True, slots=True)
class Thing:
    """Something with an id.

    Attributes:
        id: as in the results.
        keys: field names under which it was seen; things with a common key are of one kind.
        traits: phrases that describe it.
        name: its name as a phrase; empty if it has none.
        holds: ids that stand inside it.
        defined: whether a result has an entry under this id; then mere mentions of it elsewhere
            ("paid $5 with ...") do not describe it.
    """

    id: str
    keys: frozenset[str] = frozenset()
    traits: frozenset[str] = frozenset()
    name: str = ""
    holds: frozenset[str] = frozenset()
    defined: bool = False

    def with_more(self, other: Thing) -> Thing:
        """This thing with what another result says of it."""
        if self.defined == other.defined:
            traits = self.traits | other.traits
        else:
            traits = self.traits if self.defined else other.traits
        return Thing(
            self.id,
            self.keys | other.keys,
            traits,
            self.name or other.name,
            self.holds | other.holds,
            self.defined or other.defined,
        )


@per_lexicon
def id_pattern(lexicon: Lexicon) -> re.Pattern[str]:
    """What any id of the domain looks like."""
    patterns = [slot.pattern for slot in lexicon.slots.values() if slot.kind == "id"]
    return re.compile("|".join(f"(?a:{pattern})" for pattern in patterns if pattern) or r"(?!)")


@per_text
def things_in(result: str, lexicon: Lexicon) -> Mapping[str, Thing]:
    """The things that one result text shows."""
    value = parsed(result)
    if not isinstance(value, dict | list):
        return {}
    walk = _Walk(id_pattern(lexicon))
    traits, _ = walk.enter(value, "", "")
    return {**walk.found, _ANYTHING: Thing(_ANYTHING, traits=traits)}


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Things that could be meant, compared by identity so that readings of it can be kept."""

    things: tuple[Thing, ...]
    ids: frozenset[str]


@lru_cache(maxsize=4096)
def narrowed(pool: Pool, ids: frozenset[str]) -> Pool:
    """The things of a pool with these ids."""
    return _pool(one for one in pool.things if one.id in ids)


def _pool(things: Iterable[Thing]) -> Pool:
    kept = tuple(things)
    return Pool(kept, frozenset(one.id for one in kept))


class _Known:
    """The things of several results together; shared by all who have seen the same results."""

    def __init__(self, results: tuple[str, ...], lexicon: Lexicon) -> None:
        self.by_id: dict[str, Thing] = {}
        for result in results:
            for identifier, thing in things_in(result, lexicon).items():
                known = self.by_id.get(identifier)
                self.by_id[identifier] = known.with_more(thing) if known else thing
        self.by_phrase = {phrase(one).strip(): one for one in self.by_id if one}
        self.kinds: dict[str, Pool] = {}


@per_lexicon
def _knowing(lexicon: Lexicon) -> Callable[[tuple[str, ...]], _Known]:
    return lru_cache(maxsize=2048)(lambda results: _Known(results, lexicon))


@lru_cache(maxsize=16_384)
def _written(known: _Known, said: Said) -> frozenset[str]:
    return frozenset(known.by_phrase[one] for one in known.by_phrase.keys() & said.runs)


class Things:
    """All things that results have shown so far."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._pattern = id_pattern(lexicon)
        self._knowing = _knowing(lexicon)
        self._results: dict[str, tuple[str, ...]] = {}
        self._known: _Known | None = None

    def learn(self, result: str, subjects: tuple[str, ...] = ()) -> None:
        """Take in a result text, and which customers it concerns."""
        self._results[result] = subjects
        self._known = None

    def about(self, subjects: tuple[str, ...]) -> Things:
        """What results about these customers, or about none, have shown.

        A look at somebody else's record must not make "your gift card" mean two things.
        """
        own = {
            result: whose
            for result, whose in self._results.items()
            if not whose or not subjects or not set(whose).isdisjoint(subjects)
        }
        if len(own) == len(self._results):
            return self
        found = Things.__new__(Things)
        found._pattern, found._knowing = self._pattern, self._knowing
        found._results, found._known = own, None
        return found

    def get(self, identifier: str) -> Thing:
        """The thing of an id, with nothing known of it if no result showed it."""
        return self._all().by_id.get(identifier) or Thing(identifier)

    def kind(self, identifier: str) -> Pool:
        """All things of the same kind, the thing itself included."""
        known = self._all()
        kind = known.kinds.get(identifier)
        if kind is None:
            target = self.get(identifier)
            same = [one for one in known.by_id.values() if one.keys & target.keys]
            kind = known.kinds[identifier] = _pool(same or [target])
        return kind

    def written(self, said: Said) -> frozenset[str]:
        """Known ids that stand in a message."""
        return _written(self._all(), said)

    def has_trait(self, value: object) -> bool:
        """Whether any result shows this value."""
        return bool(_scalar_traits(value) & self.get(_ANYTHING).traits)

    def is_id(self, value: object) -> bool:
        """Whether a value looks like an id of the domain."""
        return isinstance(value, str) and self._pattern.fullmatch(value) is not None

    def _all(self) -> _Known:
        if self._known is None:
            self._known = self._knowing(tuple(self._results))
        return self._known


class _Walk:
    """One walk through a JSON value, which finds its things."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.found: dict[str, Thing] = {}

    def enter(self, value: Any, key: str, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """Enter a value that stands under a key; returns the traits and the ids in it."""
        if isinstance(value, dict):
            return self._enter_dict(value, key, name)
        if isinstance(value, list):
            inner = [self.enter(one, key, name) for one in value]
            none = frozenset[str]()
            return none.union(*(one for one, _ in inner)), none.union(*(one for _, one in inner))
        if isinstance(value, str) and self._pattern.fullmatch(value):
            self._add(Thing(value, keys=frozenset((key,))))
            return frozenset(), frozenset((value,))
        return _scalar_traits(value), frozenset()

    def _enter_dict(
        self, value: dict[str, Any], parent: str, name: str
    ) -> tuple[frozenset[str], frozenset[str]]:
        own = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), name)
        traits: set[str] = set(_name_traits(own))
        ids: set[str] = set()
        direct: list[str] = []
        for key, inner in value.items():
            inner_traits, inner_ids = self.enter(inner, key, own)
            if self._pattern.fullmatch(key):
                self._add(Thing(key, keys=frozenset((parent,)), traits=inner_traits, defined=True))
                inner_ids |= {key}
            elif isinstance(inner, str) and inner_ids:
                direct.append(inner)
            traits |= inner_traits
            ids |= inner_ids
        if len(ids) > _FEW:
            traits = {trait for trait in traits if len(trait) > _SHORT}
        for one in direct:
            self._add(
                Thing(
                    one,
                    traits=frozenset(traits),
                    name=phrase(own).strip(),
                    holds=frozenset(ids - {one}),
                )
            )
        return frozenset(traits), frozenset(ids)

    def _add(self, thing: Thing) -> None:
        if not thing.defined:
            thing = replace(thing, traits=thing.traits | _id_traits(thing.id))
        known = self.found.get(thing.id)
        self.found[thing.id] = known.with_more(thing) if known else thing


def _id_traits(identifier: str) -> frozenset[str]:
    """The words of an id that has some: what is only mentioned as "gift_card_12" is a gift card."""
    found = _WORDED_ID.fullmatch(identifier)
    return frozenset((phrase(found[1]).strip(),)) if found else frozenset()


def _scalar_traits(value: object) -> frozenset[str]:
    if value is None or isinstance(value, bool):
        return frozenset()
    text = phrase(value).strip()
    if _DATE.fullmatch(text):
        return frozenset((text[5:],))
    return frozenset() if text in _EMPTY_WORDS else frozenset((text,))


@lru_cache(maxsize=8192)
def _name_traits(name: str) -> frozenset[str]:
    """A name and its last word: "Mechanical Keyboard" is also "the keyboard"."""
    words = phrase(name).split()
    if not words or any(character.isdigit() for character in name):
        return frozenset()
    last = words[-1:] if len(words[-1]) > _SHORT + 1 else []
    return frozenset((" ".join(words), *last))


@lru_cache(maxsize=16_384)
def recognised(pool: Pool, said: Said) -> tuple[frozenset[str], frozenset[str]]:
    """Find which things of a pool a message describes.

    The closest description wins: clause before block before whole message, and a clause that
    describes one thing is used up. Within a piece a thing is described unless another has all of
    its traits there and more.

    Returns:
        Ids that are described alone, and ids that share their description with others.
    """
    candidates = [(one, found) for one in pool.things if (found := one.traits & said.runs)]
    if len(candidates) <= 1:
        return frozenset(one.id for one, _ in candidates), frozenset()
    alone: set[str] = set()
    shared: dict[int, set[str]] = {}
    left = set(range(len(said.clauses)))
    clauses = tuple((place,) for place in range(len(said.clauses)))
    for pieces in (clauses, said.blocks, (tuple(left),)):
        for piece in pieces:
            open_places = left.intersection(piece)
            if not open_places or (len(open_places) == 1 and pieces is not clauses):
                continue
            runs = frozenset[str]().union(*(said.clauses[place] for place in open_places))
            single, several = _best(candidates, runs)
            alone |= single
            if single:
                left -= open_places
            else:
                shared.update(dict.fromkeys(open_places, several))
    several = set[str]().union(*(shared.get(place, ()) for place in left))
    return frozenset(alone), frozenset(several - alone)


def _best(
    candidates: list[tuple[Thing, frozenset[str]]], runs: frozenset[str]
) -> tuple[set[str], set[str]]:
    """Ids with a description in a piece that no other's surpasses: alone with it, or together.

    Where some things are named, those that are not are only alike in an option.
    """
    found = [(one, here) for one, traits in candidates if (here := traits & runs)]
    named = [(one, here) for one, here in found if here & _name_traits(one.name)]
    owners: dict[frozenset[str], set[str]] = {}
    for one, here in named or found:
        owners.setdefault(here, set()).add(one.id)
    single: set[str] = set()
    several: set[str] = set()
    for here, ids in owners.items():
        if any(here < other for other in owners):
            continue
        if len(ids) == 1:
            single |= ids
        else:
            several |= ids
    return single, several
