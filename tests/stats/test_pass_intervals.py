"""Intervals for pass^k and pass@k."""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_answers import SHARED
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread, TooFewTasks, TooFewTrials
from tau_env.stats._spread import between_families, between_trials, collapse, within_strata
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import (
    FRESH_TASKS,
    NEW_FAMILIES,
    THESE_TASKS,
    clustered_se,
    exact,
    wilson,
)
from tau_env.stats.pass_intervals import (
    CONSERVATIVE,
    WILSON,
    pass_at_k_interval,
    pass_hat_k_interval,
)


def mixed_counts(tasks: int = 100, n: int = 4, seed: int = 41) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.binomial(n, rng.beta(1.2, 0.8, tasks))


def test_public_tau_bench_trials_give_the_published_points() -> None:
    path = SHARED / "tau_bench" / "gpt-4o-airline.json"
    if not path.exists():
        pytest.skip(f"no {path}")
    wins: Counter[int] = Counter()
    trials: Counter[int] = Counter()
    for row in json.loads(path.read_text(encoding="utf-8")):
        trials[row["task_id"]] += 1
        wins[row["task_id"]] += row["reward"] == 1
    counts, n = [wins[t] for t in trials], list(trials.values())
    got = [pass_hat_k_interval(counts, n, k) for k in (1, 2, 3, 4)]
    assert [round(i.estimate, 3) for i in got] == [0.420, 0.273, 0.220, 0.200]
    assert all(i.low < i.estimate < i.high for i in got)
    assert all((i.M, i.n, i.population) == (50, 4, FRESH_TASKS) for i in got)


def test_all_passed_indicators_get_wilsons_interval_with_a_t_quantile() -> None:
    counts = np.repeat([3, 2], [62, 20])
    got = pass_hat_k_interval(counts, 3, 3)
    worth = 82 - 1  # p(1-p)/variance with the variance's M - 1
    want = wilson(62 / 82, worth, quantile=stats.t.ppf(0.975, 81))
    assert (got.low, got.high) == pytest.approx((float(want.low), float(want.high)), abs=1e-12)
    assert got.method == WILSON
    assert not got.conservative


def test_rare_successes_get_the_labelled_bound() -> None:
    counts = np.repeat([4, 0], [3, 97])
    got = pass_hat_k_interval(counts, 4, 4)
    clopper_pearson = exact(0.03, 100)
    assert got.low == pytest.approx(float(clopper_pearson.low), abs=0.003)
    assert got.high == pytest.approx(float(clopper_pearson.high), abs=0.003)
    assert got.high >= clopper_pearson.high
    assert got.method == CONSERVATIVE
    assert got.conservative


@pytest.mark.parametrize(("count", "low", "high"), [(0, 0.0, None), (4, None, 1.0)])
def test_no_success_or_no_failure_is_no_certainty(
    count: int, low: float | None, high: float | None
) -> None:
    got = pass_hat_k_interval([count] * 30, 4, 2)
    assert got.conservative
    assert got.high - got.low == pytest.approx(1 - 0.025 ** (1 / 30), abs=1e-6)
    assert got.low == low or got.high == high
    assert math.isnan(got.se)


def test_pass_at_k_mirrors_the_failures() -> None:
    counts = mixed_counts()
    for population in (FRESH_TASKS, THESE_TASKS):
        at = pass_at_k_interval(counts, 4, 2, population=population)
        hat = pass_hat_k_interval(4 - counts, 4, 2, population=population)
        assert (at.low, at.high) == pytest.approx((1 - hat.high, 1 - hat.low), abs=1e-15)
        assert at.estimate == pytest.approx(1 - hat.estimate)
    one = pass_at_k_interval(counts, 4, 1)
    same = pass_hat_k_interval(counts, 4, 1)
    assert (one.low, one.high) == pytest.approx((same.low, same.high), abs=1e-12)


def test_more_is_claimed_the_wider_the_interval() -> None:
    rng = np.random.default_rng(42)
    family = np.arange(120) % 12
    p = 1 / (1 + np.exp(-(1 + rng.normal(size=12)[family] + rng.normal(size=120))))
    counts = rng.binomial(8, p)

    def width(population: Any) -> float:
        got = pass_hat_k_interval(counts, 8, 2, population=population, families=family)
        return got.high - got.low

    assert width(THESE_TASKS) < width(FRESH_TASKS) < width(NEW_FAMILIES)


def test_unequal_trials_are_allowed_and_short_ones_named() -> None:
    got = pass_hat_k_interval([3, 6, 0, 4], [4, 8, 5, 4], 2)
    assert got.estimate == pytest.approx(np.mean(pass_hat_k([4, 8, 5, 4], [3, 6, 0, 4], 2)))
    assert got.n == 4
    with pytest.raises(BadArgument, match=r"n=1 trials \(task 'refund'\) are fewer than k=2"):
        pass_hat_k_interval([1, 1], [2, 1], 2, tasks=["cancel", "refund"])


def test_trial_noise_variance_is_unbiased() -> None:
    rng = np.random.default_rng(43)
    p = rng.beta(1.2, 0.8, 40)
    n, k = np.full(40, 8), 3
    counts = rng.binomial(8, p, (100_000, 40))
    truth = float(np.asarray(pass_hat_k(n, counts, k)).mean(axis=1).var())
    told = between_trials(counts, n, k).variance
    assert float(told.mean()) == pytest.approx(truth, rel=0.02)


def test_trial_noise_below_twice_k_is_never_understated() -> None:
    rng = np.random.default_rng(44)
    for a, b in ((1.2, 0.8), (12, 8), (0.3, 0.2)):
        p = rng.beta(a, b, 400)
        n, k = np.full(400, 4), 3
        counts = rng.binomial(4, p, (5_000, 400))
        truth = float(np.asarray(pass_hat_k(n, counts, k)).mean(axis=1).var())
        told = float(between_trials(counts, n, k).variance.mean())
        assert truth * 0.97 < told
    got = pass_hat_k_interval(mixed_counts(), 4, 3, population=THESE_TASKS)
    assert got.conservative
    assert "bounded" in got.note


def test_family_spread_is_the_clustered_formula_for_equal_families() -> None:
    rng = np.random.default_rng(45)
    family = np.arange(120) % 30
    values = rng.random(120)
    spread = between_families(values, family)
    assert math.sqrt(float(spread.variance)) == pytest.approx(clustered_se(values, family))
    assert float(spread.df) == pytest.approx(29)


def test_strata_of_one_family_are_the_sample_variance() -> None:
    values = np.random.default_rng(46).random(50)
    spread = within_strata(values, np.zeros(50, np.int64))
    assert float(spread.variance) == pytest.approx(values.var(ddof=1) / 50)
    assert float(spread.df) == pytest.approx(49)


@pytest.mark.parametrize(
    ("family", "want"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1]),
        ([0, 0, 1, 2], [0, 0, 1, 1]),
        ([0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 1]),
        ([0, 1, 2, 3], [0, 0, 0, 0]),
    ],
)
def test_lone_tasks_are_taken_together(family: list[int], want: list[int]) -> None:
    assert collapse(np.array(family)).tolist() == want


def test_lone_tasks_are_mentioned() -> None:
    got = pass_hat_k_interval(mixed_counts(), 4, 1, families=[0] * 98 + [1, 2])
    assert got.note == "2 families with one task taken together"


def test_new_families_say_what_they_are_worth() -> None:
    got = pass_hat_k_interval(
        mixed_counts(), 4, 1, families=[0] * 50 + [1] * 50, population=NEW_FAMILIES
    )
    assert got.note == "2 families, worth 2.0 equal ones"
    assert got.df == 1


@pytest.mark.parametrize(
    ("category", "counts", "n", "k", "options"),
    [
        (TooFewTasks, [3], 4, 2, {}),
        (TooFewTasks, [3, 2], 4, 2, {"population": NEW_FAMILIES, "families": "AA"}),
        (TooFewTrials, [3, 4, 0], 4, 4, {"population": THESE_TASKS}),
        (NoSpread, [4, 4, 0], 4, 2, {"population": THESE_TASKS}),
    ],
)
def test_no_answer_is_nan_with_a_named_warning(
    category: type[Warning], counts: list[int], n: int, k: int, options: dict[str, Any]
) -> None:
    with pytest.warns(category, match="no interval"):
        got = pass_hat_k_interval(counts, n, k, **options)
    assert math.isnan(got.low)
    assert math.isnan(got.high)
    assert got.estimate == pytest.approx(np.mean(pass_hat_k(n, counts, k)))
    assert got.note


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([], 4, 1), {}, "empty"),
        (([5], 4, 1), {}, "c=5"),
        (([1], 4, 0), {}, "k=0"),
        (([1, 2], [4, 4, 4], 1), {}, "one count per task"),
        (([1, 2], 4, 1), {"population": NEW_FAMILIES}, "family label"),
        (([1, 2], 4, 1), {"population": "everything"}, "population='everything'"),
        (([1, 2], 4, 1), {"families": "A"}, "one label per task"),
        (([1, 2], 4, 1), {"tasks": ["a"]}, "one name per task"),
        (([1, 2], 4, 1), {"level": 95}, "level=95"),
    ],
)
def test_wrong_calls_are_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadArgument, match=words):
        pass_hat_k_interval(*arguments, **options)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_intervals_stay_inside_the_unit_and_hold_the_estimate(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    k = data.draw(st.integers(1, n))
    counts = data.draw(st.lists(st.integers(0, n), min_size=2, max_size=40))
    population = data.draw(st.sampled_from([THESE_TASKS, FRESH_TASKS, NEW_FAMILIES]))
    families = data.draw(st.lists(st.integers(0, 5), min_size=len(counts), max_size=len(counts)))
    for interval in (pass_hat_k_interval, pass_at_k_interval):
        with warnings.catch_warnings():
            for category in (TooFewTasks, TooFewTrials, NoSpread):
                warnings.simplefilter("ignore", category)
            got = interval(counts, n, k, population=population, families=families)
        if not math.isnan(got.low):
            slack = 1e-12
            assert 0 <= got.low <= got.estimate + slack
            assert got.estimate - slack <= got.high <= 1
            assert got.high > got.low
