"""Agreement of two raters: kappa against hand and statsmodels, coverage of its interval, flips."""

from __future__ import annotations

import math

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread
from tau_env.stats.agreement import cohen_kappa, flips


def rated(
    both: int, first_only: int, second_only: int, neither: int
) -> tuple[list[int], list[int]]:
    first = [1] * (both + first_only) + [0] * (second_only + neither)
    second = [1] * both + [0] * first_only + [1] * second_only + [0] * neither
    return first, second


def test_kappa_is_that_of_the_textbook_table() -> None:
    found = cohen_kappa(*rated(20, 5, 10, 15))
    assert (found.observed, found.chance) == pytest.approx((0.7, 0.5))
    assert found.kappa == pytest.approx(0.4)
    assert (found.false_yes, found.false_no) == pytest.approx((10 / 25, 5 / 25))
    assert (found.both, found.first_only, found.second_only, found.neither) == (20, 5, 10, 15)


def test_standard_error_is_that_of_statsmodels_for_many_items() -> None:
    counts = (4000, 500, 700, 3000)
    theirs = cohens_kappa(np.array([[counts[0], counts[1]], [counts[2], counts[3]]]))
    ours = cohen_kappa(*rated(*counts))
    assert ours.kappa == pytest.approx(theirs.kappa)
    assert ours.low == pytest.approx(theirs.kappa_low, abs=1e-3)
    assert ours.high == pytest.approx(theirs.kappa_upp, abs=1e-3)


@pytest.mark.parametrize(("hit", "items"), [(0.9, 20), (0.98, 20), (0.98, 40), (0.7, 40)])
def test_interval_covers_what_it_says(hit: float, items: int) -> None:
    rng = np.random.default_rng(7)
    truth = 2 * hit - 1  # half of the items are yes, both kinds of error equally frequent
    covered = 0
    for _ in range(600):
        first = (rng.random(items) < 0.5).astype(int)
        second = np.where(rng.random(items) < hit, first, 1 - first)
        found = cohen_kappa(first, second)
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 600 <= 0.985


def test_full_agreement_of_few_items_is_no_certainty() -> None:
    found = cohen_kappa(*rated(10, 0, 0, 10))
    assert (found.kappa, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(2 * 0.025 ** (1 / 20) - 1)
    assert cohen_kappa(*rated(100, 0, 0, 100)).low > found.low


def test_items_of_one_trial_count_less_than_as_many_trials() -> None:
    first, second = rated(20, 5, 10, 15)
    alone = cohen_kappa(first * 4, second * 4)
    tied = cohen_kappa(first * 4, second * 4, clusters=list(range(50)) * 4)
    assert tied.kappa == alone.kappa
    assert (tied.clusters, tied.items) == (50, 200)
    assert tied.high - tied.low > 1.9 * (alone.high - alone.low)


def test_kappa_is_not_a_number_where_chance_gives_full_agreement() -> None:
    with pytest.warns(NoSpread, match="label other items"):
        found = cohen_kappa([1, 1, 1], [1, 1, 1])
    assert math.isnan(found.kappa)
    assert math.isnan(found.low)
    assert found.observed == 1.0
    with pytest.warns(NoSpread, match="label more trials"):
        assert math.isnan(cohen_kappa([1, 0], [1, 0], clusters=["a", "a"]).low)


@pytest.mark.parametrize(("first", "second"), [([], []), ([1], [1, 0]), ([1, 2], [1, 0])])
def test_what_is_no_pair_of_verdicts_is_refused(first: list[int], second: list[int]) -> None:
    with pytest.raises(BadArgument):
        cohen_kappa(first, second)


def test_flips_are_counted_by_direction() -> None:
    found = flips([0, 0, 0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1])
    assert (found.pairs, found.up, found.down) == (8, 6, 0)
    assert found.rate == 0.75
    assert found.p_value == pytest.approx(2 / 2**6)
    assert found.low < 0.75 < found.high


def test_without_a_flip_the_rate_still_has_an_upper_end() -> None:
    found = flips([1] * 20, [1] * 20)
    assert (found.rate, found.p_value, found.low) == (0.0, 1.0, 0.0)
    assert found.high == pytest.approx(0.161, abs=1e-3)
    with pytest.warns(NoSpread):
        assert math.isnan(flips([], []).rate)
