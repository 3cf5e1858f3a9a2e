"""Time horizons: against statsmodels, known answers, and planted curves."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import statsmodels.api as sm
from known_answers import answer
from numpy.typing import NDArray
from scipy import special

from tau_env.errors import BadArgument
from tau_env.stats.horizon import (
    EmptyLengthBin,
    NoHorizon,
    fit_horizon,
    growth_factor,
    horizon_at,
    horizon_interval,
    success_by_length,
)


def planted(
    rng: np.random.Generator,
    *,
    tasks: int = 400,
    trials: int = 4,
    h50: float = 30.0,
    slope: float = 0.7,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    minutes = np.exp2(rng.uniform(0, 9, tasks))
    rate = special.expit(-slope * (np.log2(minutes) - np.log2(h50)))
    return minutes, rng.binomial(trials, rate)


def test_known_horizon_logistic() -> None:
    entry = answer("horizon-logistic")
    h50, slopes = entry["inputs"].values()
    got = [horizon_at(0.8, h50=h50, slope=s) for s in slopes]
    np.testing.assert_allclose(got, entry["expected"]["h80"], atol=entry["tolerance"])


def test_known_horizon_doubling() -> None:
    entry = answer("horizon-doubling")
    months = entry["inputs"]["months"]
    want, tol = entry["expected"], entry["tolerance"]
    assert growth_factor(12, doubling=months) == pytest.approx(want["per_year"], abs=tol)
    assert growth_factor(72, doubling=months) == pytest.approx(want["six_years"], abs=tol)


@pytest.mark.parametrize("trials", [1, 4])
def test_fit_against_statsmodels(trials: int) -> None:
    minutes, passes = planted(np.random.default_rng(1), tasks=120, trials=trials)
    glm = sm.GLM(
        np.c_[passes, trials - passes],
        sm.add_constant(np.log2(minutes)),
        family=sm.families.Binomial(),
    ).fit()
    constant, slope = glm.params
    got = fit_horizon(minutes, passes, trials)
    assert got.slope == pytest.approx(-slope, rel=1e-6)
    assert got.h50 == pytest.approx(2 ** (-constant / slope), rel=1e-6)


def test_fit_finds_the_planted_curve() -> None:
    minutes, passes = planted(np.random.default_rng(2), tasks=20_000)
    got = fit_horizon(minutes, passes, 4)
    assert got.h50 == pytest.approx(30, rel=0.05)
    assert got.h80 == pytest.approx(horizon_at(0.8, h50=30, slope=0.7), rel=0.07)
    assert not got.beyond_50
    assert not got.beyond_80


def test_horizon_beyond_the_longest_task_is_flagged() -> None:
    rng = np.random.default_rng(3)
    minutes = np.exp2(rng.uniform(0, 4, 300))
    rate = special.expit(-0.5 * (np.log2(minutes) - 7))
    got = fit_horizon(minutes, rng.binomial(4, rate), 4)
    assert got.beyond_50
    assert not got.beyond_80
    assert got.h50 > got.longest == pytest.approx(minutes.max())


@pytest.mark.parametrize(
    ("minutes", "passes"),
    [
        ([1, 2, 4, 8], [1, 1, 0, 0]),
        ([1, 2, 4, 8], [1, 1, 1, 1]),
        ([1, 2, 4, 8], [0, 1, 0, 1]),
        ([1, 2, 4, 8, 1, 2, 4, 8], [1, 1, 1, 1, 0, 0, 0, 0]),
    ],
    ids=["clean step", "all pass", "rises", "flat"],
)
def test_no_curve_is_nan_with_a_warning(minutes: list[int], passes: list[int]) -> None:
    with pytest.warns(NoHorizon, match="no horizon"):
        got = fit_horizon(minutes, passes)
    assert math.isnan(got.h50)
    assert math.isnan(got.h80)


def test_interval_covers_the_planted_horizon() -> None:
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(100):
        minutes, passes = planted(rng, tasks=100, trials=2)
        got = horizon_interval(minutes, passes, 2, rng=rng, replicates=200)
        held += got.low_50 <= 30 <= got.high_50
    assert held >= 87


def test_families_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    family = np.repeat(np.arange(12), 10)
    minutes = np.exp2(rng.uniform(0, 9, 120))
    shift = rng.normal(0, 1.5, 12)[family]
    passes = rng.binomial(2, special.expit(-0.7 * (np.log2(minutes) - 5) + shift))
    tasks = horizon_interval(minutes, passes, 2, rng=np.random.default_rng(1))
    clustered = horizon_interval(
        minutes, passes, 2, rng=np.random.default_rng(1), families=family.tolist()
    )
    assert clustered.population == "new families"
    assert math.log(clustered.high_50 / clustered.low_50) > 1.3 * math.log(
        tasks.high_50 / tasks.low_50
    )


def test_resamples_without_a_fall_make_the_interval_open() -> None:
    got = horizon_interval([1, 2, 4, 8], [2, 2, 1, 2], 2, rng=np.random.default_rng(0))
    assert got.high_50 == math.inf


def test_success_by_length_is_the_mean_over_tasks() -> None:
    bins = success_by_length([1, 3, 10, 100], [4, 2, 1, 0], [4, 4, 2, 5], edges=[1, 10, 100])
    assert [(b.tasks, b.rate) for b in bins] == [(2, 0.75), (2, 0.25)]


def test_an_empty_span_is_nan_with_a_warning() -> None:
    with pytest.warns(EmptyLengthBin, match="5-50"):
        bins = success_by_length([1, 60], [1, 0], edges=[1, 5, 50, 100])
    assert math.isnan(bins[1].rate)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fit_horizon([0, 1], [1, 0]), "above zero"),
        (lambda: fit_horizon([1], [1, 0]), "shape"),
        (lambda: horizon_at(1.0, h50=60, slope=1), "strictly between"),
        (lambda: horizon_at(0.8, h50=60, slope=0), "slope"),
        (lambda: success_by_length([1, 200], [1, 0], edges=[1, 100]), "widen"),
        (
            lambda: horizon_interval(
                [1, 2], [1, 0], rng=np.random.default_rng(0), families=["a", "a"]
            ),
            "at least 2",
        ),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
