"""How unlike the tasks are: correlation of trials, design effect, outcome histograms.

Here: the intraclass correlation from counts, what it does to a naive interval, and what published
summaries imply about both. Not here: a model of the spread (``beta_binomial``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import (
    FloatArray,
    NoSpread,
    TooFewTrials,
    check_level,
    per_task,
    plain,
    warn,
    whole,
)
from tau_env.stats.estimators import pass_hat_k


@dataclass(frozen=True)
class Heterogeneity:
    """Spread of the success rates over tasks, by factorial moments.

    Attributes:
        mean: pass^1.
        var_p: estimated variance of the success rates; may be negative by chance.
        rho: var_p / (mean (1 - mean)), the correlation of two trials of one task; NaN if unknown.
        design_effect: 1 + (n - 1) rho at the mean number of trials; NaN likewise.
        M: number of tasks.
        n: smallest number of trials of any task.
        n_max: largest.
        method: "factorial moments".
    """

    mean: float
    var_p: float
    rho: float
    design_effect: float
    M: int
    n: int
    n_max: int
    method: str = "factorial moments"


@dataclass(frozen=True)
class ImpliedCorrelation:
    """What a published interval says about the tasks behind it.

    Attributes:
        naive_half_width: half-width if all M n trials were independent.
        width_ratio: reported over naive half-width.
        design_effect: its square.
        rho: (design effect - 1) / (n - 1).
        M: number of tasks.
        n: trials per task.
    """

    naive_half_width: float
    width_ratio: float
    design_effect: float
    rho: float
    M: int
    n: int


@dataclass(frozen=True)
class Reconstruction:
    """The histograms of successes that published figures allow.

    Attributes:
        histograms: each a tuple of counts, index = successes out of 3.
        unique: exactly one histogram fits.
        M: number of tasks.
        n: trials per task, 3.
    """

    histograms: tuple[tuple[int, int, int, int], ...]
    unique: bool
    M: int
    n: int = 3


def heterogeneity(counts: ArrayLike, n: ArrayLike) -> Heterogeneity:
    """Estimate how much success rates differ between tasks.

    E[c(c-1)] = n(n-1) E[p^2] gives E[p^2] without bias, hence Var(p). Assumes independent, alike
    trials within a task. The estimate of rho is a ratio and slightly biased at small M; it is not
    cut off at 0, so that it stays comparable between runs.

    Args:
        counts: successes per task, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``.

    Returns:
        The spread. With fewer than two trials in some task var_p and rho are NaN
        (``TooFewTrials``); if all trials passed or all failed rho is NaN (``NoSpread``).

    Raises:
        BadArgument: no task, a task without trials, c > n.

    Source:
        Factorial moments of the binomial; Ridout, Demétrio & Firth 1999, Biometrics 55, 137-148
        (doi:10.1111/j.0006-341X.1999.00137.x).
    """
    c, trials = per_task(counts, n, k=1)
    mean = float(np.mean(c / trials))
    var_p = rho = math.nan
    if int(trials.min()) < 2:
        warn(TooFewTrials, "rho is NaN: every task needs two trials to tell tasks from luck")
    else:
        var_p = float(np.mean(pass_hat_k(trials, c, 2))) - mean * mean
        if mean in (0.0, 1.0):
            warn(NoSpread, f"rho is NaN: all trials {'passed' if mean else 'failed'}")
        else:
            rho = var_p / (mean * (1.0 - mean))
    return Heterogeneity(
        mean=mean,
        var_p=var_p,
        rho=rho,
        design_effect=1.0 + (float(trials.mean()) - 1.0) * rho,
        M=c.size,
        n=int(trials.min()),
        n_max=int(trials.max()),
    )


@overload
def design_effect(n: int, rho: float) -> float: ...
@overload
def design_effect(n: ArrayLike, rho: ArrayLike) -> FloatArray: ...
def design_effect(n: ArrayLike, rho: ArrayLike) -> FloatArray | float:
    """Return 1 + (n - 1) rho: how much clustering multiplies the variance of a naive estimate.

    Args:
        n: trials per task, at least 1; broadcasts with rho.
        rho: correlation of two trials of one task, at most 1.

    Returns:
        A float for scalars, else an array.

    Raises:
        BadArgument: n < 1 or rho > 1.

    Source:
        Kish 1965, Survey Sampling, section 5.4.
    """
    trials, share = np.broadcast_arrays(whole("n", n), np.asarray(rho, dtype=np.float64))
    if (trials < 1).any() or not (share <= 1.0).all():
        raise BadArgument(f"n={n!r}, rho={rho!r}: n is at least 1 and rho at most 1")
    return plain(1.0 + (trials - 1) * share)


def naive_coverage(effect: float, *, level: float = 0.95, z: float | None = None) -> float:
    """Return how often a normal interval covers that ignores a design effect.

    Args:
        effect: the design effect, above 0.
        level: the interval's nominal coverage.
        z: the normal quantile used, if it was rounded (1.96); default: exact for ``level``.

    Returns:
        Its true coverage in large samples.

    Raises:
        BadArgument: an effect that is not positive, a level outside (0, 1).

    Source:
        Kish 1965, Survey Sampling, section 5.4.
    """
    if not effect > 0.0:
        raise BadArgument(f"effect={effect!r}: a design effect is above 0")
    return 2.0 * float(stats.norm.cdf(_quantile(level, z) / math.sqrt(effect))) - 1.0


def implied_correlation(
    rate: float,
    half_width: float,
    *,
    tasks: int,
    n: int,
    level: float = 0.95,
    z: float | None = None,
) -> ImpliedCorrelation:
    """Read the correlation of trials off a published pass^1 and its half-width.

    Args:
        rate: pass^1, strictly inside (0, 1).
        half_width: reported half-width, same unit.
        tasks: number of tasks M.
        n: trials per task, at least 2.
        level: nominal coverage of the reported interval.
        z: its normal quantile, if it was rounded (1.96).

    Returns:
        The naive half-width, the ratio, the design effect and rho.

    Raises:
        BadArgument: a value outside its range.

    Source:
        Kish 1965, Survey Sampling, section 5.4, solved for rho.
    """
    if not (0.0 < rate < 1.0 and half_width > 0.0 and tasks >= 1 and n >= 2):
        raise BadArgument(
            f"rate={rate!r}, half_width={half_width!r}, tasks={tasks}, n={n}: needs a rate inside "
            "(0, 1), a positive half-width, a task and two trials per task"
        )
    naive = _quantile(level, z) * math.sqrt(rate * (1.0 - rate) / (tasks * n))
    ratio = half_width / naive
    return ImpliedCorrelation(
        naive_half_width=naive,
        width_ratio=ratio,
        design_effect=ratio**2,
        rho=(ratio**2 - 1.0) / (n - 1),
        M=tasks,
        n=n,
    )


def reconstruct_histogram(
    tasks: int, *, pass_at_1: float, pass_at_3: float, reliable_at_3: float, decimals: int = 3
) -> Reconstruction:
    """Recover how many tasks had 0, 1, 2, 3 successes of three from three published shares.

    Reliable@3 fixes the tasks with three, Pass@3 those with none, Pass@1 the successes in all.
    Every histogram that rounds to the three figures is found; a half rounds either way.

    Args:
        tasks: number of tasks M.
        pass_at_1: share of trials passed, as published.
        pass_at_3: share of tasks passed at least once.
        reliable_at_3: share of tasks passed three times.
        decimals: digits of the published shares (23.6% is 0.236 with 3).

    Returns:
        All histograms that fit, and whether there is just one.

    Raises:
        BadArgument: no task, a share outside [0, 1], or figures that no histogram gives.

    Source:
        Counting; exhaustive.
    """
    for name, share in (("pass_at_1", pass_at_1), ("pass_at_3", pass_at_3)):
        if not 0.0 <= share <= 1.0:
            raise BadArgument(f"{name}={share!r}: a share in [0, 1] is needed (23.6% is 0.236)")
    found = []
    for solved in _counts_near(pass_at_3, tasks, decimals):
        for all_three in _counts_near(reliable_at_3, tasks, decimals):
            between = solved - all_three
            for total in _counts_near(pass_at_1, 3 * tasks, decimals):
                twice = total - 3 * all_three - between
                if 0 <= twice <= between:
                    found.append((tasks - solved, between - twice, twice, all_three))
    if not found:
        raise BadArgument(
            f"no histogram of {tasks} tasks x 3 trials rounds to Pass@1={pass_at_1}, "
            f"Pass@3={pass_at_3}, Reliable@3={reliable_at_3} at {decimals} decimals: check them"
        )
    return Reconstruction(histograms=tuple(sorted(found)), unique=len(found) == 1, M=tasks)


def _counts_near(share: float, total: int, decimals: int) -> range:
    """Return the counts out of ``total`` whose share rounds to ``share``."""
    slack = 0.5 * 10.0**-decimals + 1e-12
    low = math.ceil((share - slack) * total - 1e-9)
    high = math.floor((share + slack) * total + 1e-9)
    return range(max(low, 0), min(high, total) + 1)


def _quantile(level: float, z: float | None) -> float:
    """Return the normal quantile of a two-sided level, unless one is given."""
    check_level(level)
    return float(stats.norm.ppf(0.5 + level / 2.0)) if z is None else z
