"""Drawing situations: pools of them, alike for twins, from both splits; twists in a share of them.

A situation is what a task is about: a record, or something that is made from one.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from tau_env.family import draw, split_of

LEAD = 8
"""So many tasks one split may have more than the other."""


class Person(Protocol):
    """A customer, as far as drawing and talking go."""

    @property
    def id(self) -> str:
        """The customer's id; its number decides the split."""
        ...

    @property
    def first_name(self) -> str:
        """How an agent addresses them."""
        ...


class Situation(Protocol):
    """What a pool hands out."""

    @property
    def customer(self) -> Person:
        """Whose record it is."""
        ...

    @property
    def shape(self) -> str:
        """What twins must have in common, so that their openings sound alike."""
        ...


S = TypeVar("S", bound=Situation)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Pool(Generic[S]):
    """Situations made from records in a drawn order."""

    def __init__(
        self, rng: random.Random, record_ids: Iterable[str], make: Callable[[str], S | None]
    ) -> None:
        """Draw the order.

        Args:
            rng: draws the order.
            record_ids: in an order of their own (a sorted query).
            make: a record's situation, or None if it does not fit.
        """
        self._ids: list[str] = draw(rng, record_ids)
        self._make = make
        self._made: dict[str, S | None] = {}

    def take(self, taken: set[str], *, like: S | None = None, split: str | None = None) -> S | None:
        """The next situation whose customer is free; its customer is taken then.

        Args:
            taken: ids of customers that are in use.
            like: only situations of this one's split and `shape`.
            split: only situations of this split.

        Returns:
            The situation, or None if none is left.
        """
        for record_id in self._ids:
            if record_id not in self._made:
                self._made[record_id] = self._make(record_id)
            found = self._made[record_id]
            if found is None or found.customer.id in taken:
                continue
            if split is not None and split_of(found.customer.id) != split:
                continue
            if like is None or _alike(found, like):
                taken.add(found.customer.id)
                return found
        return None


def _alike(one: Situation, two: Situation) -> bool:
    return one.shape == two.shape and split_of(one.customer.id) == split_of(two.customer.id)


class Splits:
    """How many tasks of each split a family has made; neither gets far ahead."""

    def __init__(self) -> None:
        """Begin with none."""
        self._ahead = 0

    def count(self, customer: str, *, tasks: int = 1) -> None:
        """Note tasks about a customer, by id."""
        self._ahead += tasks if split_of(customer) == "train" else -tasks

    @property
    def wanted(self) -> str | None:
        """The split that the next task must be of, because the other leads by `LEAD`."""
        if abs(self._ahead) < LEAD:
            return None
        return "test" if self._ahead > 0 else "train"


def in_turn(pools: Sequence[Pool[S]]) -> Iterator[tuple[int, S]]:
    """Situations of each pool in turn, from both splits alike, until a pool runs dry.

    Args:
        pools: kinds of situations.

    Yields:
        The number of the pool, and a situation; no customer twice.
    """
    taken: set[str] = set()
    for number in itertools.count():
        kind = number % len(pools)
        split = _split_in_turn(number, len(pools))
        found = pools[kind].take(taken, split=split) or pools[kind].take(taken)
        if found is None:
            return
        yield kind, found


def _split_in_turn(number: int, kinds: int) -> str:
    """The split whose turn it is, such that each kind comes from both."""
    return ("train", "test")[(number + number // kinds) % 2]


def balanced_twins(
    pools: Sequence[tuple[Pool[S], Pool[S]]], *, taken: set[str] | None = None
) -> Iterator[tuple[S, S]]:
    """As `twin_pairs`, from both splits alike as far as the company has them.

    Args:
        pools: kinds of pairs, taken in turn until one runs dry.
        taken: ids of customers in use, shared with other pools of the family; none when None.
    """
    taken = set() if taken is None else taken
    for number in itertools.count():
        allowed, forbidden = pools[number % len(pools)]
        split = _split_in_turn(number, len(pools))
        pair = _pair(allowed, forbidden, taken, split) or _pair(allowed, forbidden, taken, None)
        if pair is None:
            return
        yield pair


def _pair(
    allowed: Pool[S], forbidden: Pool[S], taken: set[str], split: str | None
) -> tuple[S, S] | None:
    """A pair whose customers are free; the passed-over ones are in use from then on."""
    while (two := forbidden.take(taken, split=split)) is not None:
        one = allowed.take(taken, like=two)
        if one is not None:
            return one, two
    return None


def twin_pairs(pools: Sequence[tuple[Pool[S], Pool[S]]]) -> Iterator[tuple[S, S]]:
    """Pairs of an allowed and a forbidden situation, alike, no customer twice.

    Args:
        pools: kinds of pairs, taken in turn until one runs dry.
    """
    taken: set[str] = set()
    splits = Splits()
    for allowed, forbidden in itertools.cycle(pools):
        pair = _pair(allowed, forbidden, taken, splits.wanted)
        if pair is None:
            return
        splits.count(pair[0].customer.id, tasks=2)
        yield pair


class Build(Protocol[T_co]):
    """Makes what a situation gives, with its twist or without."""

    def __call__(self, *, twisted: bool) -> T_co:
        """Make it."""
        ...


def maybe_twisted(rng: random.Random, build: Build[T], *, share: float, twists: bool) -> T:
    """What a situation gives, with a twist in a drawn share of the cases.

    The stream goes on as if every drawn twist had been made, so that the set without twists has
    the same situations, and in each the same words up to the twist.

    Args:
        rng: draws whether there is a twist, and all that `build` draws.
        build: makes it, with or without.
        share: how often there is a twist.
        twists: False leaves it out where it was drawn.
    """
    twisted = rng.random() < share
    before = rng.getstate()
    made = build(twisted=twisted)
    if twists or not twisted:
        return made
    after = rng.getstate()
    rng.setstate(before)
    made = build(twisted=False)
    rng.setstate(after)
    return made
