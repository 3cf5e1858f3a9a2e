"""Crashes, reruns, and bounds for missing trials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known_answers import answer
from numpy.typing import NDArray

from tau_env.errors import BadArgument
from tau_env.stats.crashes import NoTrialLeft, crash_effects, missing_bounds


def test_known_rerun_one_task() -> None:
    entry = answer("rerun-one-task")
    p, f, r = entry["inputs"].values()
    effects = crash_effects(p, crash_rate=f, reruns=r)
    want, tol = entry["expected"], entry["tolerance"]
    assert effects.crash_as_failure == pytest.approx(want["crash_as_failure"], abs=tol)
    assert effects.rerun_crashes == pytest.approx(want["rerun_crashes"], abs=tol)
    assert effects.rerun_failures == pytest.approx(want["rerun_failures"], abs=tol)
    many = crash_effects(p, crash_rate=f, reruns=60)
    assert many.rerun_crashes == pytest.approx(want["limit_many_reruns"], abs=tol)


def test_known_rerun_general() -> None:
    entry = answer("rerun-general")
    p, f, reruns = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    effects = [crash_effects(p, crash_rate=f, reruns=r) for r in reruns]
    np.testing.assert_allclose([e.rerun_crashes for e in effects], want["rerun_crashes"], atol=tol)
    assert effects[0].crash_as_failure == pytest.approx(want["crash_as_failure"], abs=tol)
    assert effects[1].rerun_failures == pytest.approx(want["rerun_failures"], abs=tol)


@pytest.mark.parametrize("ab", [(1.2, 0.8), (1.224, 0.776)], ids=str)
def test_known_rerun_simulation(ab: tuple[float, float]) -> None:
    entry = answer("rerun-simulation")
    want = entry["expected"]["Beta({:g},{:g})".format(*ab).replace("0.", ".")]
    rng = np.random.default_rng(11)
    p = rng.beta(*ab, size=entry["inputs"]["tasks"])
    effects = crash_effects(p, crash_rate=entry["inputs"]["f"], reruns=1)
    for name in ("true", "crash_as_failure", "rerun_crashes", "rerun_failures"):
        assert getattr(effects, name) == pytest.approx(want[name], abs=entry["tolerance"])
    assert effects.trap == pytest.approx(want["gain"], abs=entry["tolerance"])


def test_formulas_against_drawn_trials() -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(1.2, 0.8, size=200_000)

    def attempt(open_: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        crash = rng.random(p.size) < 0.1
        return open_ & crash, open_ & ~crash & (rng.random(p.size) < p)

    crashed, passed = attempt(np.ones(p.size, dtype=bool))
    _, later = attempt(crashed)
    _, anyway = attempt(~passed)
    effects = crash_effects(p, crash_rate=0.1, reruns=1)
    assert (passed | later).mean() == pytest.approx(effects.rerun_crashes, abs=0.005)
    assert (passed | anyway).mean() == pytest.approx(effects.rerun_failures, abs=0.005)


def test_f102_one_survivor_of_four_is_not_a_hundred_percent() -> None:
    with pytest.warns(NoTrialLeft, match=r"task 0 with 1 of 4"):
        bounds = missing_bounds([1], [1], 4, k=4)
    assert math.isnan(bounds.observed)
    assert (bounds.low, bounds.high, bounds.missing) == (0.0, 1.0, 3)


def test_bounds_hold_every_completion() -> None:
    c, n, planned = np.array([3, 1, 0, 2]), np.array([4, 2, 1, 4]), 4
    with pytest.warns(NoTrialLeft):
        bounds = missing_bounds(c, n, planned, k=2)
    rng = np.random.default_rng(1)
    for _ in range(50):
        full = c + rng.binomial(planned - n, 0.5)
        value = np.mean(full * (full - 1) / 12)
        assert bounds.low <= value <= bounds.high


def test_bounds_meet_when_nothing_is_missing() -> None:
    bounds = missing_bounds([3, 4], [4, 4], 4, k=2)
    assert bounds.low == bounds.observed == bounds.high == pytest.approx(0.75)


def test_tasks_without_a_trial_are_named() -> None:
    with pytest.warns(NoTrialLeft):
        bounds = missing_bounds([2, 0], [4, 0], 4, k=1)
    assert bounds.empty_tasks == (1,)
    assert (bounds.low, bounds.high) == (0.25, 0.75)


@pytest.mark.parametrize(
    ("c", "n", "planned", "k"),
    [([3], [2], 4, 1), ([1], [5], 4, 1), ([1], [2], 3, 4), ([], [], 4, 1), ([1, 2], [2], 4, 1)],
)
def test_impossible_counts_are_refused(c: list[int], n: list[int], planned: int, k: int) -> None:
    with pytest.raises(BadArgument):
        missing_bounds(c, n, planned, k)
