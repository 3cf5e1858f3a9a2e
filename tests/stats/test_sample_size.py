"""Tasks for a wanted difference: the drawn power against theory and fresh studies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from tau_env.errors import BadArgument
from tau_env.stats.design import BetaPopulation
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.sample_size import PowerNotReached, better_population, tasks_for_difference

PILOT = BetaPopulation.of(mean=0.6, rho=0.35)


def tasks(population: BetaPopulation = PILOT, *, seed: int, **question: Any) -> int:
    """The number of tasks, where it is known to exist."""
    found = tasks_for_difference(population, rng=np.random.default_rng(seed), **question).tasks
    assert found is not None
    return found


def test_better_population_moves_pass_hat_k_by_the_difference() -> None:
    other = better_population(PILOT, k=3, difference=0.08)
    assert other.pass_hat(3) - PILOT.pass_hat(3) == pytest.approx(0.08, abs=1e-9)
    assert other.a + other.b == pytest.approx(PILOT.a + PILOT.b)


def test_power_is_what_fresh_studies_show() -> None:
    size = tasks_for_difference(
        PILOT, k=2, difference=0.1, n=4, rng=np.random.default_rng(1), replicates=2_000
    )
    other = better_population(PILOT, k=2, difference=0.1)
    rng = np.random.default_rng(2)
    assert size.tasks is not None
    shown = 0
    for _ in range(1_000):
        rank = rng.random(size.tasks)
        a, b = (
            pass_hat_k(4, rng.binomial(4, special.betaincinv(q.a, q.b, rank)), 2)
            for q in (PILOT, other)
        )
        test = stats.ttest_rel(b, a)
        shown += int(test.pvalue < 0.05 and test.statistic > 0)
    assert shown / 1_000 == pytest.approx(0.8, abs=0.05)
    assert size.power >= 0.8


def test_unlike_agents_need_more_tasks() -> None:
    sizes = [tasks(k=1, difference=0.1, n=4, alike=alike, seed=3) for alike in (1.0, 0.5, 0.0)]
    assert sizes[0] < sizes[1] < sizes[2]


def test_unlike_agents_against_the_two_sample_formula() -> None:
    size = tasks_for_difference(
        PILOT, k=1, difference=0.1, n=4, alike=0.0, rng=np.random.default_rng(4), replicates=4_000
    )
    other = better_population(PILOT, k=1, difference=0.1)
    variance = sum(stats.betabinom.var(4, q.a, q.b) / 16 for q in (PILOT, other))
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert size.tasks == pytest.approx(z**2 * variance / 0.01, rel=0.07)


def test_more_trials_need_fewer_tasks() -> None:
    few, many = (tasks(k=2, difference=0.08, n=n, seed=5) for n in (2, 8))
    assert many < few


def test_a_loss_is_as_visible_as_a_gain() -> None:
    even = BetaPopulation.of(mean=0.5, rho=0.35)
    up, down = (tasks(even, k=1, difference=d, n=4, seed=6) for d in (0.1, -0.1))
    assert down == pytest.approx(up, rel=0.1)


def test_a_difference_too_small_for_the_limit_is_none_with_a_warning() -> None:
    with pytest.warns(PowerNotReached, match="allow more tasks"):
        size = tasks_for_difference(
            PILOT, k=1, difference=0.01, n=4, max_tasks=50, rng=np.random.default_rng(7)
        )
    assert size.tasks is None
    assert size.power < 0.8


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"k": 4, "difference": 0.1, "n": 3}, "at least k"),
        ({"k": 1, "difference": 0.9, "n": 3}, "strictly between"),
        ({"k": 1, "difference": 0.0, "n": 3}, "must not be 0"),
    ],
)
def test_wrong_calls_say_what_is_wrong(kwargs: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        tasks_for_difference(PILOT, rng=np.random.default_rng(0), **kwargs)
