"""Tasks and users resampled together."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from known_answers import answer
from scipy import special

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FewClusters, NoSpread
from tau_env.stats.bootstrap import bootstrap_mean
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import Interval
from tau_env.stats.two_way import bootstrap_two_way


def calls(
    rng: np.random.Generator, tasks: int, n: int, users: int, *, user_sd: float = 0.6
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outcome, task and user of every trial: logit rate = 1.2 + task + user."""
    task = np.repeat(np.arange(tasks), n)
    user = rng.integers(0, users, task.size)
    logit = 1.2 + rng.normal(0, 1.5, tasks)[task] + rng.normal(0, user_sd, users)[user]
    return (rng.random(task.size) < special.expit(logit)).astype(int), task, user


def quietly(*args: object, **options: object) -> Interval:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewClusters)
        return bootstrap_two_way(*args, **options)  # type: ignore[arg-type]


def test_known_caller_two_way_sd() -> None:
    entry = answer("caller-two-way-sd")
    given, want = entry["inputs"], entry["expected"]
    tasks, n, k = given["tasks"], given["n"], given["k"]
    tol = entry["tolerance"]["simulation_of_1500_replicates"]
    rng = np.random.default_rng(31)
    for i, users in enumerate(given["callers"]):
        two_way, task_only = [], []
        for _ in range(200):
            passed, task, user = calls(rng, tasks, n, users)
            two_way.append(quietly(passed, task, user, k, rng=rng, replicates=500).se)
            values = pass_hat_k(n, np.bincount(task, weights=passed), k)
            task_only.append(bootstrap_mean(values, rng=rng, replicates=500).se)
        spread = 100 * math.sqrt(np.mean(np.square(two_way)))
        assert spread == pytest.approx(want["sd_points_with_replacement"][i], abs=tol)
        told = 100 * float(np.mean(task_only))
        assert told == pytest.approx(want["task_bootstrap_points"][i], abs=0.1)


@pytest.mark.heavy
@pytest.mark.parametrize("users", [8, 30])
def test_two_way_covers_where_tasks_alone_do_not(users: int) -> None:
    truth = answer("caller-deployment-vs-same")["expected"]["deployment"]
    rng = np.random.default_rng(32)
    held = alone = 0
    for _ in range(1_000):
        passed, task, user = calls(rng, 200, 3, users)
        both = quietly(passed, task, user, 3, rng=rng, replicates=500)
        held += both.low <= truth <= both.high
        values = pass_hat_k(3, np.bincount(task, weights=passed), 3)
        tasks = bootstrap_mean(values, rng=rng, replicates=500)
        alone += tasks.low <= truth <= tasks.high
    assert held / 1_000 >= 0.92
    assert alone < held


def test_without_user_effects_it_is_the_task_bootstrap() -> None:
    rng = np.random.default_rng(33)
    ratio = []
    for _ in range(100):
        passed, task, user = calls(rng, 100, 4, 40, user_sd=0.0)
        both = bootstrap_two_way(passed, task, user, 2, rng=rng, replicates=500)
        values = pass_hat_k(4, np.bincount(task, weights=passed), 2)
        ratio.append(both.se / bootstrap_mean(values, rng=rng, replicates=500).se)
        assert both.estimate == pytest.approx(float(values.mean()))
    assert 0.98 < np.mean(ratio) < 1.12


def test_two_way_says_what_it_rests_on() -> None:
    passed, task, user = calls(np.random.default_rng(34), 30, 3, 6)
    with pytest.warns(FewClusters, match="6 users are few"):
        got = bootstrap_two_way(passed, task, user, 2, rng=np.random.default_rng(1))
    assert (got.M, got.n, got.k, got.J, got.df) == (30, 3, 2, 6, 5)
    assert 0 <= got.low <= got.estimate <= got.high <= 1
    assert "users" in got.note


def test_two_way_of_equal_outcomes_is_nan() -> None:
    with pytest.warns(NoSpread), pytest.warns(FewClusters):
        got = bootstrap_two_way([1, 1, 1, 1], "AABB", "xyxy", 1, rng=np.random.default_rng(1))
    assert math.isnan(got.low)
    assert math.isnan(got.se)


def test_two_way_refuses() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(BadArgument, match="users: at least two"):
        bootstrap_two_way([1, 0], "AB", "xx", 1, rng=rng)
    with pytest.raises(BadArgument, match="tasks: at least two"):
        bootstrap_two_way([1, 0], "AA", "xy", 1, rng=rng)
    with pytest.raises(BadArgument, match="one 0 or 1"):
        bootstrap_two_way([2, 0], "AB", "xy", 1, rng=rng)
    with pytest.raises(BadArgument, match="n >= k"):
        bootstrap_two_way([1, 0], "AB", "xy", 2, rng=rng)
