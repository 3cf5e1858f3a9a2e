"""Bootstrap of a mean over tasks: by task, by task within families, by whole family.

Here: percentile and BCa intervals by resampling. Not here: tasks and users together (``two_way``),
the choice of an interval for pass^k (``pass_intervals``), whose closed form covers better.

Resampling tasks is a multinomial draw over the distinct values, not over the tasks: the same law
at a fraction of the cost, since pass^k from n trials takes at most n + 1 values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FloatArray, IntArray, NoSpread, check_level, labels, warn
from tau_env.stats.intervals import (
    FRESH_TASKS,
    NEW_FAMILIES,
    THESE_TASKS,
    Interval,
    Population,
    check_population,
)

Kind = Literal["percentile", "bca"]

# Ties of a replicate with the estimate are a matter of rounding, not of the data.
_TIE = 1e-12


def bootstrap_mean(
    values: ArrayLike,
    *,
    rng: np.random.Generator,
    families: Sequence[object] | NDArray[np.generic] | None = None,
    population: Population = FRESH_TASKS,
    kind: Kind = "percentile",
    replicates: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Return a bootstrap interval for the mean of one value per task.

    Fresh tasks of these families: tasks are resampled within their family (all together without
    ``families``). New families: whole families are resampled. Within a family of m tasks the
    bootstrap spread is (m-1)/m of the true one, and a family with one task adds none: with small
    families prefer ``pass_hat_k_interval``.

    Args:
        values: one per task, shape ``(M,)``, such as ``pass_hat_k(n, c, k)``.
        rng: the source of randomness.
        families: a label per task.
        population: "fresh tasks of these families" or "new families".
        kind: "percentile", or "bca" (corrected for bias and skewness).
        replicates: number of resamples.
        level: coverage wanted.

    Returns:
        The interval; NaN ends with ``NoSpread`` if no replicate differs from the estimate.

    Raises:
        BadArgument: no task, "these tasks" (resampling tasks says nothing of them), new families
            without labels or with fewer than two, an unknown kind, a level outside (0, 1).

    Source:
        Efron & Tibshirani 1993, chapters 13 and 14; strata: Davison & Hinkley 1997, section 3.2.
    """
    x, family = _checked(values, families, population, kind, level)
    draw = _resample_families if population == NEW_FAMILIES else _resample_tasks
    replicas = np.sort(draw(x, family, rng, replicates))
    estimate = float(x.mean())
    tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    if replicas[-1] - replicas[0] <= _TIE:
        warn(NoSpread, "no replicate differs from the estimate: the values do not vary")
        low = high = np.nan
    else:
        if kind == "bca":
            tails = _corrected(tails, replicas, estimate, _skew(x, family, population))
        low, high = np.quantile(replicas, tails)
    what = "families" if population == NEW_FAMILIES else "tasks"
    within = " within families" if population == FRESH_TASKS and families is not None else ""
    return Interval(
        estimate=estimate,
        low=float(low),
        high=float(high),
        level=level,
        method=f"bootstrap of {what}{within}, {kind}, {replicates} replicates",
        population=population,
        M=x.size,
        se=float(replicas.std(ddof=1)) if low == low else np.nan,
    )


def _checked(
    values: ArrayLike,
    families: Sequence[object] | NDArray[np.generic] | None,
    population: Population,
    kind: str,
    level: float,
) -> tuple[FloatArray, IntArray]:
    """Check the arguments; return the values and a family number per task."""
    check_level(level)
    check_population(population)
    x = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if x.ndim != 1 or x.size == 0 or not np.isfinite(x).all():
        raise BadArgument(f"values of shape {x.shape}: one finite value per task is needed")
    if kind not in ("percentile", "bca"):
        raise BadArgument(f"kind={kind!r}: one of 'percentile', 'bca'")
    if population == THESE_TASKS:
        raise BadArgument("resampling tasks says nothing of these tasks: use pass_hat_k_interval")
    family = (
        np.zeros(x.size, np.int64) if families is None else labels("families", families, x.size)
    )
    if population == NEW_FAMILIES and family.max() < 1:
        raise BadArgument("new families: needs family labels of at least two families")
    return x, family


def _resample_tasks(
    x: FloatArray, family: IntArray, rng: np.random.Generator, replicates: int
) -> FloatArray:
    """Return means of replicates that resample tasks within each family."""
    total = np.zeros(replicates)
    for f in range(int(family.max()) + 1):
        levels, counts = np.unique(x[family == f], return_counts=True)
        size = int(counts.sum())
        total += rng.multinomial(size, counts / size, size=replicates) @ levels
    return total / x.size


def _resample_families(
    x: FloatArray, family: IntArray, rng: np.random.Generator, replicates: int
) -> FloatArray:
    """Return means over tasks of replicates that resample whole families."""
    sizes = np.bincount(family).astype(np.float64)
    sums = np.bincount(family, weights=x)
    times = rng.multinomial(sizes.size, np.full(sizes.size, 1.0 / sizes.size), size=replicates)
    return np.asarray((times @ sums) / (times @ sizes))


def _skew(x: FloatArray, family: IntArray, population: Population) -> float:
    """Return the acceleration of BCa from the deviations of the resampled units."""
    if population == NEW_FAMILIES:
        deviations = np.bincount(family, weights=x - x.mean()).astype(np.float64)
    else:
        deviations = x - (np.bincount(family, weights=x) / np.bincount(family))[family]
    spread = float(np.sum(deviations**2))
    return float(np.sum(deviations**3)) / (6.0 * spread**1.5) if spread > 0.0 else 0.0


def _corrected(
    tails: FloatArray, replicas: FloatArray, estimate: float, acceleration: float
) -> FloatArray:
    """Move the tail shares of the percentile interval as BCa asks."""
    below = float(np.mean(replicas < estimate - _TIE))
    upto = float(np.mean(replicas <= estimate + _TIE))
    edge = 0.5 / replicas.size
    bias = stats.norm.ppf(np.clip((below + upto) / 2.0, edge, 1.0 - edge))
    z = bias + stats.norm.ppf(tails)
    return np.asarray(stats.norm.cdf(bias + z / (1.0 - acceleration * z)))
