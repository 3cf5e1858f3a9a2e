"""Intervals when trials share users as well as tasks: both are resampled.

Here: pass^k over tasks x users. Not here: the variance parts on balanced grids and the difference
between deployment and same-caller pass^k (``callers``).

Resampling rows and columns outright (the pigeonhole bootstrap) counts a trial's own noise once
per row and once more per column. When every task meets few of the users, as with n trials spread
over J users, that doubles or triples the spread of pass^k. So the users' share of the spread is
first estimated from pairs of trials that share a user and not a task, and the users' scores are
scaled to it before both are resampled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import (
    FewClusters,
    FloatArray,
    IntArray,
    NoSpread,
    check_level,
    labels,
    per_task,
    warn,
    whole,
)
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import FEW_CLUSTERS, FRESH_TASKS, Interval


def bootstrap_two_way(
    passed: ArrayLike,
    tasks: Sequence[object] | NDArray[np.generic],
    users: Sequence[object] | NDArray[np.generic],
    k: int,
    *,
    rng: np.random.Generator,
    replicates: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Return pass^k with an interval for fresh tasks and fresh users.

    Tasks and users are resampled independently; each replicate adds the resampled tasks' scores
    and the resampled users' (scaled) scores, to first order. Ends are percentiles, stretched by
    the t quantile with min(M, J) - 1, because with few users their share of the spread is itself
    poorly known.

    Args:
        passed: 0 or 1 per trial, shape ``(N,)``.
        tasks: the task of each trial.
        users: the user of each trial.
        k: how many trials must all pass, at least 1.
        rng: the source of randomness.
        replicates: number of resamples.
        level: coverage wanted.

    Returns:
        The interval; ``J`` is the number of users. NaN ends with ``NoSpread`` if nothing varies.
        Warns ``FewClusters`` below 20 users.

    Raises:
        BadArgument: fewer than two tasks or users, a task with n < k, outcomes other than 0/1.

    Source:
        Owen 2007, The pigeonhole bootstrap (arXiv:0712.1111); scaling of the users' scores by
        pairs of trials: moments, as in analysis of variance.
    """
    check_level(level)
    outcome, task, user = _trials(passed, tasks, users)
    scores, estimate, n = _scores(outcome, task, k)
    count, callers = int(task.max()) + 1, int(user.max()) + 1
    by_task = np.bincount(task, weights=scores) * math.sqrt(count / (count - 1))
    # A change of one user's skill moves every k-subset that holds one of their trials.
    by_user = _user_scores(k * scores, task, user)
    moves = _multipliers(rng, count, replicates) @ by_task
    moves += _multipliers(rng, callers, replicates) @ by_user
    if not np.any(np.abs(moves) > 1e-12):
        warn(NoSpread, "all tasks and users score alike: no spread can be estimated")
        low = high = se = np.nan
    else:
        tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        stretch = stats.t.ppf(tails[1], min(count, callers) - 1) / stats.norm.ppf(tails[1])
        low, high = np.clip(estimate + stretch * np.quantile(moves, tails), 0.0, 1.0)
        se = float(moves.std(ddof=1))
    if callers < FEW_CLUSTERS:
        warn(FewClusters, f"{callers} users are few: their share of the spread is poorly known")
    return Interval(
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=level,
        method=f"two-way bootstrap of tasks and users, {replicates} replicates",
        population=FRESH_TASKS,
        M=count,
        n=n,
        k=k,
        J=callers,
        se=se,
        df=min(count, callers) - 1,
        note="fresh users as well as fresh tasks",
    )


def _trials(
    passed: ArrayLike,
    tasks: Sequence[object] | NDArray[np.generic],
    users: Sequence[object] | NDArray[np.generic],
) -> tuple[IntArray, IntArray, IntArray]:
    """Check the columns; return outcome, task number, user number per trial."""
    outcome = np.atleast_1d(whole("passed", passed))
    if (outcome > 1).any() or outcome.ndim != 1:
        raise BadArgument("passed: one 0 or 1 per trial is needed")
    task, user = labels("tasks", tasks, outcome.size), labels("users", users, outcome.size)
    for name, label in (("tasks", task), ("users", user)):
        if outcome.size == 0 or label.max() < 1:
            raise BadArgument(f"{name}: at least two different ones are needed to see a spread")
    return outcome, task, user


def _scores(outcome: IntArray, task: IntArray, k: int) -> tuple[FloatArray, float, int]:
    """Return a score per trial, the estimate and the smallest n.

    The score is the mean over the k-subsets that hold the trial of (all passed - estimate), over
    n M, so that the scores of a task add up to its share of the estimate's deviation.
    """
    n, wins = np.bincount(task), np.bincount(task, weights=outcome).astype(np.int64)
    wins, n = per_task(wins, n, k=k)
    value = np.asarray(pass_hat_k(n, wins, k))
    estimate = float(value.mean())
    with_it = np.asarray(pass_hat_k(n - 1, np.maximum(wins - 1, 0), k - 1))
    scores = (outcome * with_it[task] - estimate) / n[task] / n.size
    return scores, estimate, int(n.min())


def _user_scores(scores: FloatArray, task: IntArray, user: IntArray) -> FloatArray:
    """Return a score per user whose squares add up to the users' part of the variance.

    That part is what trials of one user on different tasks have in common beyond what any two
    trials on different tasks have; it is 0 where chance makes it negative.
    """
    by_user = np.asarray(np.bincount(user, weights=scores), dtype=np.float64)
    size = float(by_user @ by_user)
    cell = user * (task.max() + 1) + task
    shared, shared_pairs = _pairs(scores, user, cell)
    total, all_pairs = _pairs(scores, np.zeros_like(task), task)
    if size == 0.0 or shared_pairs == 0.0 or all_pairs == shared_pairs:
        return np.zeros_like(by_user)
    apart = (total - shared) / (all_pairs - shared_pairs)
    return by_user * math.sqrt(max(shared - shared_pairs * apart, 0.0) / size)


def _pairs(scores: FloatArray, group: IntArray, cell: IntArray) -> tuple[float, float]:
    """Return sum of products and number of ordered pairs within a group but across its cells."""
    product = np.sum(np.bincount(group, weights=scores) ** 2) - np.sum(
        np.bincount(cell, weights=scores) ** 2
    )
    number = np.sum(np.bincount(group).astype(float) ** 2) - np.sum(
        np.bincount(cell).astype(float) ** 2
    )
    return float(product), float(number)


def _multipliers(rng: np.random.Generator, size: int, replicates: int) -> FloatArray:
    """Return how much more often than once each unit is drawn, shape (replicates, size)."""
    drawn = rng.multinomial(size, np.full(size, 1.0 / size), size=replicates)
    return drawn.astype(np.float64) - 1.0
