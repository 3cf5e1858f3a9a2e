"""Pools, twins, splits and twists: what a family draws, whatever a record is."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import islice

import pytest

from tau_env.families.draw import (
    LEAD,
    Pool,
    Splits,
    balanced_twins,
    in_turn,
    maybe_twisted,
    twin_pairs,
)
from tau_env.family import split_of


@dataclass(frozen=True)
class Person:
    id: str
    first_name: str = "Ada"


@dataclass(frozen=True)
class Record:
    number: int
    shape: str

    @property
    def customer(self) -> Person:
        return Person(f"c_{self.number // 2}")


def make(number: str) -> Record | None:
    """Two records a customer, of two shapes; every tenth record is no situation."""
    at = int(number)
    return None if at % 10 == 9 else Record(at, "ab"[at % 3 % 2])


def pool(seed: int, *, ids: range = range(400)) -> Pool[Record]:
    return Pool(random.Random(seed), [str(number) for number in ids], make)


def test_pool_gives_every_customer_once_and_then_none() -> None:
    found, taken = [], set[str]()
    while (one := pool(1).take(taken)) is not None:
        found.append(one.customer.id)
    assert len(found) == len(set(found)) == len(taken) == 200


def test_pool_keeps_to_shape_and_split_of_the_one_to_be_matched() -> None:
    like = Record(2, "a")
    one = pool(1).take(set(), like=like)
    assert one is not None
    assert one.shape == "a"
    assert split_of(one.customer.id) == split_of(like.customer.id)
    two = pool(1).take(set(), split="train")
    assert two is not None
    assert split_of(two.customer.id) == "train"


@pytest.mark.parametrize("pairs", [twin_pairs, balanced_twins])
def test_twins_are_alike_and_share_no_customer(pairs: object) -> None:
    assert callable(pairs)
    made = list(pairs([(pool(1), pool(2)), (pool(3), pool(4))]))
    assert len(made) > 40
    for one, two in made:
        assert one.shape == two.shape
        assert split_of(one.customer.id) == split_of(two.customer.id)
    customers = [one.customer.id for pair in made for one in pair]
    assert len(customers) == len(set(customers))


def test_balanced_twins_leave_out_and_take_customers_of_other_pools() -> None:
    taken: set[str] = set()
    other = pool(5).take(taken)
    assert other is not None
    pairs = list(islice(balanced_twins([(pool(1), pool(2))], taken=taken), 5))
    found = {one.customer.id for pair in pairs for one in pair}
    assert other.customer.id not in found
    assert found <= taken


def test_no_split_of_twin_pairs_gets_far_ahead() -> None:
    splits = Splits()
    assert splits.wanted is None
    splits.count("c_2", tasks=LEAD)
    assert splits.wanted == "test"
    splits.count("c_3", tasks=2 * LEAD)
    assert splits.wanted == "train"


def test_balanced_twins_come_from_both_splits_in_every_kind() -> None:
    pairs = list(islice(balanced_twins([(pool(1), pool(2)), (pool(3), pool(4))]), 8))
    for kind in (0, 1):
        splits = Counter(split_of(one.customer.id) for one, _ in pairs[kind::2])
        assert splits == {"train": 2, "test": 2}


def test_in_turn_takes_from_each_pool_until_one_is_dry() -> None:
    found = list(in_turn([pool(1, ids=range(8)), pool(2)]))
    assert [kind for kind, _ in found] == [number % 2 for number in range(len(found))]
    assert 4 <= len(found) <= 9


def said(rng: random.Random, *, twisted: bool) -> list[float]:
    return [rng.random() for _ in range(3 if twisted else 2)]


def test_without_its_twist_a_situation_draws_the_same_and_the_stream_goes_on_alike() -> None:
    one, two = random.Random(5), random.Random(5)
    for _ in range(20):
        with_it = maybe_twisted(one, partial(said, one), share=0.5, twists=True)
        without = maybe_twisted(two, partial(said, two), share=0.5, twists=False)
        assert with_it[:2] == without
        assert one.getstate() == two.getstate()
