"""Two agents on the same tasks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from known_answers import answer
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread, TooFewTasks, TooFewTrials
from tau_env.stats._permutation import exchange_trials, flip_signs
from tau_env.stats.comparison import Comparison, compare_agents, paired_difference
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import FRESH_TASKS, NEW_FAMILIES, THESE_TASKS, Population
from tau_env.stats.unpaired import unpaired_difference


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def rates(source: np.random.Generator, family: np.ndarray) -> np.ndarray:
    """Success rates with family and task effects."""
    effects = source.normal(0, 1, family.max() + 1)[family]
    logit = 1 + effects + source.normal(0, 1, family.size)
    return np.asarray(1 / (1 + np.exp(-logit)))


def test_known_paired_difference() -> None:
    entry = answer("paired-difference")
    a, b = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    got = paired_difference(a, b, rng=rng())
    assert got.difference == pytest.approx(want["diff"], abs=tol)
    assert got.se == pytest.approx(want["paired_se"], abs=tol)
    assert unpaired_difference(a, b).se == pytest.approx(want["unpaired_se"], abs=tol)
    assert got.higher == (2, 7)
    assert got.lower == ()
    assert got.verdict == "within noise"


def test_paired_interval_agrees_with_scipy() -> None:
    source = rng(61)
    a, b = source.random(40), source.random(40)
    got = paired_difference(a, b, rng=source)
    want = stats.ttest_rel(a, b)
    ends = want.confidence_interval(0.95)
    assert (got.low, got.high) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert got.df == want.df
    assert got.p_value == pytest.approx(want.pvalue, abs=0.02)


def test_sign_flips_agree_with_scipy() -> None:
    source = rng(62)
    d = source.normal(0.3, 1, 12)

    def mean(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.asarray(np.mean(x - y, axis=axis))

    want = stats.permutation_test(
        [d, np.zeros(12)], mean, permutation_type="samples", n_resamples=5_000
    )
    assert flip_signs(d, source, 10) == pytest.approx(want.pvalue, abs=1e-12)


def test_sign_flips_at_random_agree_with_all_flips() -> None:
    source = rng(63)
    d = np.append(source.normal(0.3, 1, 14), [1e-6] * 6)
    random = flip_signs(d, source, 40_000)
    assert random == pytest.approx(flip_signs(d[:14], source, 1), abs=0.01)


def test_exchange_of_trials_agrees_with_fisher_for_one_task() -> None:
    c_a, c_b, n = np.array([11]), np.array([4]), np.array([15])
    got = exchange_trials(c_a, n, c_b, n, 1, rng=rng(64), permutations=40_000)
    want = stats.fisher_exact(np.array([[11, 4], [4, 11]])).pvalue
    assert got == pytest.approx(want, abs=0.003)


@pytest.mark.parametrize("population", [FRESH_TASKS, THESE_TASKS, NEW_FAMILIES])
def test_equal_noisy_agents_are_told_apart_no_more_often_than_promised(
    population: Population,
) -> None:
    source, family = rng(65), np.arange(60) % 20
    held = small = 0
    runs = 300
    for _ in range(runs):
        p = rates(source, family)
        got = compare_agents(
            source.binomial(4, p),
            4,
            source.binomial(4, p),
            4,
            2,
            rng=source,
            population=population,
            families=family,
            permutations=400,
        )
        held += got.low <= 0 <= got.high
        small += got.p_value <= 0.05
    assert held / runs >= 0.925
    assert small / runs <= 0.085


def test_a_difference_of_the_detectable_size_is_found_as_often_as_promised() -> None:
    source = rng(66)
    found, told = 0, []
    for _ in range(300):
        p = source.beta(2, 2, 100)
        worse = np.clip(p - 0.09, 0, 1)
        got = compare_agents(
            source.binomial(4, p), 4, source.binomial(4, worse), 4, 1, rng=source, permutations=1
        )
        found += got.verdict == "first better"
        told.append(got.detectable)
    truth = float(np.mean(np.minimum(0.09, source.beta(2, 2, 100_000))))
    assert np.mean(told) == pytest.approx(truth, abs=0.02)
    assert found / 300 == pytest.approx(0.8, abs=0.12)


def test_two_points_at_fifty_tasks_are_within_noise() -> None:
    source = rng(67)
    p = source.beta(1.2, 0.8, 50)
    a = source.binomial(1, p)
    b = a.copy()
    b[np.flatnonzero(a)[:3]] = 0
    b[np.flatnonzero(a == 0)[:2]] = 1
    got = compare_agents(a, 1, b, 1, 1, rng=source)
    assert got.difference == pytest.approx(0.02)
    assert got.verdict == "within noise"
    assert (len(got.higher), len(got.lower)) == (3, 2)


def test_a_clear_difference_is_named_either_way() -> None:
    good, bad = [4] * 30 + [2] * 5, [1] * 30 + [2] * 5
    first = compare_agents(good, 4, bad, 4, 1, rng=rng(), tasks=[f"t{i}" for i in range(35)])
    assert first.verdict == "first better"
    assert first.higher[:2] == ("t0", "t1")
    assert compare_agents(bad, 4, good, 4, 1, rng=rng()).verdict == "second better"


def test_comparison_takes_other_numbers_of_trials() -> None:
    got = compare_agents([3, 4, 0, 2], [4, 4, 4, 4], [3, 8, 1, 2], [8, 8, 8, 8], 2, rng=rng())
    a, b = pass_hat_k(4, [3, 4, 0, 2], 2), pass_hat_k(8, [3, 8, 1, 2], 2)
    assert got.difference == pytest.approx(float(np.mean(a - b)))
    assert got.n == 4


def test_new_families_flip_whole_families() -> None:
    d = np.array([1.0, 1.0, 1.0, 1.0, 0.5, 0.5])
    got = paired_difference(
        d, np.zeros(6), rng=rng(), families=[0, 0, 1, 1, 2, 2], population=NEW_FAMILIES
    )
    assert got.p_value == 2 / 2**3
    assert "families" in got.method


def nan_everywhere(got: Comparison) -> bool:
    return all(math.isnan(x) for x in (got.low, got.high, got.se, got.detectable))


def test_equal_outcomes_are_no_proof_of_equality() -> None:
    with pytest.warns(NoSpread):
        got = compare_agents([4, 0, 2], 4, [4, 0, 2], 4, 2, rng=rng())
    assert nan_everywhere(got)
    assert got.difference == 0
    assert got.p_value == 1
    assert got.verdict == "not enough data"


def test_these_tasks_at_n_equal_k_have_a_test_but_no_interval() -> None:
    with pytest.warns(TooFewTrials):
        got = compare_agents([2, 0, 2, 1], 2, [0, 0, 2, 2], 2, 2, rng=rng(), population=THESE_TASKS)
    assert nan_everywhere(got)
    assert 0 < got.p_value <= 1


def test_one_task_or_family_has_no_interval() -> None:
    for population in (FRESH_TASKS, THESE_TASKS):
        with pytest.warns(TooFewTasks):
            got = compare_agents([4], 4, [2], 4, 1, rng=rng(), population=population)
        assert nan_everywhere(got)
    with pytest.warns(TooFewTasks):
        got = paired_difference([1, 0], [0, 0], rng=rng(), families="AA", population=NEW_FAMILIES)
    assert nan_everywhere(got)


def test_comparison_is_the_same_for_the_same_seed() -> None:
    counts = rng(68).binomial(4, 0.6, (2, 40))
    one = compare_agents(counts[0], 4, counts[1], 4, 2, rng=rng(5))
    assert one == compare_agents(counts[0], 4, counts[1], 4, 2, rng=rng(5))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"population": "everything"}, "population='everything'"),
        ({"population": NEW_FAMILIES}, "family label"),
        ({"level": 95}, "level=95"),
        ({"power": 1.0}, "power=1.0"),
        ({"permutations": 0}, "permutations=0"),
    ],
)
def test_comparisons_refuse_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        compare_agents([1, 2], 4, [1, 3], 4, 1, rng=rng(), **options)


def test_comparisons_refuse_wrong_data() -> None:
    with pytest.raises(BadArgument, match="the same tasks"):
        compare_agents([1, 2], 4, [1], 4, 1, rng=rng())
    with pytest.raises(BadArgument, match=r"n=1 trials \(task 'b'\)"):
        compare_agents([1, 1], 4, [1, 1], [4, 1], 2, rng=rng(), tasks="ab")
    with pytest.raises(BadArgument, match="k=0"):
        compare_agents([1], 4, [1], 4, 0, rng=rng())
    with pytest.raises(BadArgument, match="one value per task"):
        paired_difference([1, 0], [1], rng=rng())
    with pytest.raises(BadArgument, match="NaN"):
        paired_difference([1, math.nan], [1, 0], rng=rng())
    with pytest.raises(BadArgument, match="compare_agents"):
        paired_difference([1, 0], [1, 0], rng=rng(), population=THESE_TASKS)
