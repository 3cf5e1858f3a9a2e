"""Intervals for pass^k and pass@k, one method per population, chosen by measured coverage.

Here: the two intervals and the methods that they choose between. Not here: the measurement
(``coverage``, table in docs/coverage.md), resampling (``bootstrap``), users (``two_way``).

The choice: Wilson's interval on the number of all-or-nothing tasks that would have the estimated
variance, p(1-p)/variance, with a t quantile. Where fewer than ten tasks' worth of successes or of
failures were seen it gives way to a bound that allows for one more task at the far end than was
seen; that covers more than it says and is labelled conservative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import (
    FloatArray,
    IntArray,
    NoSpread,
    TooFewTasks,
    TooFewTrials,
    check_level,
    labels,
    per_task,
    warn,
)
from tau_env.stats._spread import Spread, between_families, between_trials, collapse, within_strata
from tau_env.stats.estimators import pass_at_k, pass_hat_k
from tau_env.stats.intervals import (
    FRESH_TASKS,
    NEW_FAMILIES,
    THESE_TASKS,
    Bounds,
    Interval,
    Population,
    check_population,
    exact,
    wilson,
)

WILSON = "Wilson on effective tasks, t quantile"
CONSERVATIVE = "one more task at either end, conservative"
FEWEST = 10.0
"""Tasks' worth of successes, and of failures, from which the Wilson interval is trusted."""


def pass_hat_k_interval(
    counts: ArrayLike,
    n: ArrayLike,
    k: int,
    *,
    population: Population = FRESH_TASKS,
    families: Sequence[object] | NDArray[np.generic] | None = None,
    tasks: Sequence[object] | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the benchmark's pass^k with an interval for the stated population.

    * "these tasks": only the trials would be new. Needs n > k; for n < 2k the spread is bounded,
      and the interval is conservative.
    * "fresh tasks of these families" (default): new tasks, drawn within each family if
      ``families`` are given. Families with one task are treated as one family.
    * "new families": families drawn anew, whatever their number of tasks.

    Assumes trials of a task to be independent and alike, and tasks (families) to be drawn
    independently. All ends lie in [0, 1].

    Args:
        counts: successes per task, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``; may differ by task.
        k: how many trials must all pass, at least 1.
        population: what the interval speaks of.
        families: a label per task; needed for new families.
        tasks: names for messages, length M.
        level: coverage wanted.

    Returns:
        The interval. Its ends are NaN, with a warning, for one task (``TooFewTasks``), one family
        when new ones are asked for (likewise), these tasks with n = k (``TooFewTrials``) or with
        no task that both passed and failed (``NoSpread``).

    Raises:
        BadArgument: no task, n < k (the task is named), c > n, k < 1, new families without
            labels, an unknown population, a level outside (0, 1).

    Source:
        pass^k: Yao et al. 2024 (arXiv:2406.12045); Wilson on an effective number: Franco, Little,
        Louis & Slud 2019 (doi:10.1093/jssam/smy019); bound: ``one_more``. Coverage:
        docs/coverage.md.
    """
    check_level(level)
    check_population(population)
    if k < 1:
        raise BadArgument(f"k={k}: an interval needs k >= 1; pass^0 is 1 whatever the agent does")
    c, trials = per_task(counts, n, k=k, tasks=tasks)
    family = labels("families", families, c.size) if families is not None else None
    values = np.asarray(pass_hat_k(trials, c, k))
    estimate = float(values.mean())
    unknown = Interval(
        estimate=estimate,
        low=math.nan,
        high=math.nan,
        level=level,
        method=WILSON,
        population=population,
        M=c.size,
        n=int(trials.min()),
        k=k,
    )
    reason = _why_unknown(c, trials, k, family, population)
    if reason is not None:
        warn(reason[0], f"no interval: {reason[1]}")
        return replace(unknown, note=reason[1])
    spread = spread_of(c, trials, k, family, population)
    low, high, careful = choose(np.asarray(estimate), spread, level)
    bounded = population == THESE_TASKS and int(trials.min()) < 2 * k
    return replace(
        unknown,
        low=float(low),
        high=float(high),
        method=CONSERVATIVE if careful else WILSON,
        se=math.sqrt(float(spread.variance)) if float(spread.variance) > 0.0 else math.nan,
        df=float(spread.df),
        conservative=bool(careful) or bounded,
        note=_note(spread, family, population, bounded=bounded),
    )


def pass_at_k_interval(
    counts: ArrayLike,
    n: ArrayLike,
    k: int,
    *,
    population: Population = FRESH_TASKS,
    families: Sequence[object] | NDArray[np.generic] | None = None,
    tasks: Sequence[object] | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the benchmark's pass@k with an interval for the stated population.

    One minus the pass^k of the failures, so everything said of ``pass_hat_k_interval`` holds.

    Args:
        counts: successes per task, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``; may differ by task.
        k: how many trials are allowed, at least 1.
        population: what the interval speaks of.
        families: a label per task; needed for new families.
        tasks: names for messages, length M.
        level: coverage wanted.

    Returns:
        The interval, as for ``pass_hat_k_interval``.

    Raises:
        BadArgument: as for ``pass_hat_k_interval``.

    Source:
        Chen et al. 2021, section 2.1 (arXiv:2107.03374); interval as ``pass_hat_k_interval``.
    """
    c, trials = per_task(counts, n, k=k, tasks=tasks)
    failures = pass_hat_k_interval(
        trials - c, trials, k, population=population, families=families, tasks=tasks, level=level
    )
    estimate = float(np.mean(pass_at_k(trials, c, k)))
    return replace(failures, estimate=estimate, low=1.0 - failures.high, high=1.0 - failures.low)


def spread_of(
    c: IntArray, n: IntArray, k: int, family: IntArray | None, population: Population
) -> Spread:
    """Return the variance of pass^k for a population, of one run or many.

    Args:
        c: successes, shape ``(..., M)``.
        n: trials, shape ``(M,)``.
        k: how many trials must all pass.
        family: a number per task, or None for one family.
        population: what varies.

    Returns:
        The spread, of shape ``(...)``.

    Raises:
        BadArgument: new families without family numbers.

    Source:
        As the functions of ``_spread``.
    """
    if population == THESE_TASKS:
        return between_trials(c, n, k)
    values = np.asarray(pass_hat_k(n, c, k))
    if population == NEW_FAMILIES:
        if family is None:
            raise BadArgument("new families: give a family label per task")
        return between_families(values, family)
    stratum = collapse(family) if family is not None else np.zeros(values.shape[-1], np.int64)
    return within_strata(values, stratum)


def choose(
    estimate: FloatArray, spread: Spread, level: float
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return the interval in use: Wilson, or the conservative bound where little was seen.

    Args:
        estimate: shape ``(...)``.
        spread: of the same shape.
        level: coverage wanted.

    Returns:
        Lower ends, upper ends, and where the conservative bound was taken.

    Source:
        docs/coverage.md.
    """
    rarer = np.minimum(estimate, 1.0 - estimate)
    tasks_seen = rarer * spread.tasks
    careful = (tasks_seen < FEWEST) | (rarer * spread.size < 1.0) | (spread.variance <= 0.0)
    plain = effective_wilson(estimate, spread, level)
    bound = one_more(estimate, spread, level)
    low = np.where(careful, bound.low, plain.low)
    high = np.where(careful, bound.high, plain.high)
    return low, high, careful


def effective_wilson(estimate: FloatArray, spread: Spread, level: float) -> Bounds:
    """Return Wilson's interval on p(1-p)/variance tasks, with a t quantile.

    Args:
        estimate: shape ``(...)``.
        spread: of the same shape.
        level: coverage wanted.

    Returns:
        Lower and upper ends.

    Source:
        Franco, Little, Louis & Slud 2019 (doi:10.1093/jssam/smy019).
    """
    binomial = estimate * (1.0 - estimate)
    worth = np.divide(
        binomial,
        spread.variance,
        out=np.full_like(binomial, spread.size),
        where=(spread.variance > 0.0) & (binomial > 0.0),
    )
    return wilson(estimate, worth, quantile=stats.t.ppf(0.5 + level / 2.0, spread.df))


def one_more(estimate: FloatArray, spread: Spread, level: float) -> Bounds:
    """Return a bound that allows for one more task at the far end than was seen.

    The upper end is the quantile of the Beta law whose mean and variance are those of the data
    with one task at 1 added, the lower end likewise with one at 0: what Clopper and Pearson do to
    a count, done to values. A run that happened to see no rare, large value is thereby allowed
    for. Without any spread in the data it is the exact binomial bound on ``size`` tasks.

    Args:
        estimate: shape ``(...)``.
        spread: of the same shape.
        level: coverage wanted.

    Returns:
        Lower and upper ends.

    Source:
        Clopper & Pearson 1934, Biometrika 26, 404-413, extended to a variance as in Korn &
        Graubard 1998; measured in docs/coverage.md.
    """
    size, tail = spread.size, (1.0 - level) / 2.0
    shrink = (stats.norm.ppf(1.0 - tail) / stats.t.ppf(1.0 - tail, spread.df)) ** 2

    def end(added: float) -> FloatArray:
        mean = (size * estimate + added) / (size + 1.0)
        squares = spread.variance * size * (size - 1.0)
        squares = squares + (added - estimate) ** 2 * size / (size + 1.0)
        worth = mean * (1.0 - mean) * size * (size + 1.0) / np.where(squares > 0.0, squares, 1.0)
        shape = np.clip(worth * shrink, 1e-9, None)
        share = np.clip(mean, 1e-12, 1.0 - 1e-12)
        point = 1.0 - tail if added == 1.0 else tail
        found = np.asarray(stats.beta.ppf(point, share * shape, (1.0 - share) * shape))
        return np.where(estimate == added, added, found)

    flat = exact(estimate, size, level=level)
    still = spread.variance <= 0.0
    return Bounds(np.where(still, flat.low, end(0.0)), np.where(still, flat.high, end(1.0)))


def _why_unknown(
    c: IntArray, n: IntArray, k: int, family: IntArray | None, population: Population
) -> tuple[type[Warning], str] | None:
    """Say why the data cannot give an interval, if they cannot."""
    if population == NEW_FAMILIES:
        if family is None:
            raise BadArgument("new families: give a family label per task")
        if family.max() < 1:
            return TooFewTasks, "one family says nothing of new ones"
    if c.size < 2:
        return TooFewTasks, "one task shows no spread over tasks"
    if population == THESE_TASKS:
        if int(n.min()) == k:
            return TooFewTrials, f"pass^{k} of these tasks has no known noise from {k} trials"
        if ((c == 0) | (c == n)).all():
            return NoSpread, "every task passed or failed throughout: exact if deterministic"
    return None


def _note(spread: Spread, family: IntArray | None, population: Population, *, bounded: bool) -> str:
    """Return what must be said beside the interval."""
    if bounded:
        return "fewer than 2k trials: the trial noise is bounded, not estimated"
    if population == NEW_FAMILIES and family is not None:
        return f"{family.max() + 1} families, worth {spread.size:.1f} equal ones"
    if population == FRESH_TASKS and family is not None:
        alone = int(np.sum(np.bincount(family) == 1))
        return f"{alone} families with one task taken together" if alone else ""
    return ""
