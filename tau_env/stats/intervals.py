"""Intervals and standard errors of a mean over tasks, from first principles.

Here: proportions (Wald, Wilson, exact), clustered standard errors, the number of clusters that the
tasks are worth, and ``Interval``, the result every interval of the package comes in. Not here:
which of them suits pass^k (``pass_intervals``), resampling (``bootstrap``).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import (
    FewClusters,
    FloatArray,
    NoSpread,
    check_level,
    labels,
    plain,
    warn,
)

Population = Literal["these tasks", "fresh tasks of these families", "new families"]

THESE_TASKS: Population = "these tasks"
FRESH_TASKS: Population = "fresh tasks of these families"
NEW_FAMILIES: Population = "new families"

FEW_CLUSTERS = 20.0


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval and everything that must be said beside it.

    Attributes:
        estimate: the point.
        low: lower end; NaN where the data cannot answer.
        high: upper end; NaN likewise.
        level: nominal coverage.
        method: how the interval was made.
        population: what it speaks of: these tasks, fresh tasks of these families, new families.
        M: number of tasks.
        n: smallest number of trials of any task.
        k: of pass^k or pass@k; 1 for a plain mean.
        J: distinct users (callers), if recorded.
        se: standard error; NaN where the method has none.
        df: degrees of freedom of the t quantile; infinite for a normal one.
        conservative: the interval covers more than its level by design.
        note: what a reader must know beside the numbers; empty if nothing.
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    population: Population
    M: int
    n: int = 1
    k: int = 1
    J: int | None = None
    se: float = math.nan
    df: float = math.inf
    conservative: bool = False
    note: str = ""


class Bounds(NamedTuple):
    """Lower and upper ends of intervals, arrays of one shape."""

    low: FloatArray
    high: FloatArray


def check_population(population: str) -> None:
    """Refuse a population that is none of the three.

    Raises:
        BadArgument: with the three names.
    """
    known = (THESE_TASKS, FRESH_TASKS, NEW_FAMILIES)
    if population not in known:
        raise BadArgument(f"population={population!r}: one of {', '.join(map(repr, known))}")


@overload
def proportion_se(p: float, n: float) -> float: ...
@overload
def proportion_se(p: ArrayLike, n: ArrayLike) -> FloatArray: ...
def proportion_se(p: ArrayLike, n: ArrayLike) -> FloatArray | float:
    """Return sqrt(p (1-p) / n), the standard error of a share of n independent items.

    Args:
        p: share or shares in [0, 1]; broadcasts with n.
        n: number of items, above 0; need not be whole (an effective number).

    Returns:
        A float for scalars, else an array.

    Raises:
        BadArgument: p outside [0, 1] or n not positive.

    Source:
        Miller 2024, Adding Error Bars to Evals (arXiv:2411.00640).
    """
    share, size = _share(p, n)
    return plain(np.asarray(np.sqrt(share * (1.0 - share) / size)))


def wald(p: ArrayLike, n: ArrayLike, *, quantile: ArrayLike) -> Bounds:
    """Return p ± quantile · se, cut to [0, 1]; too narrow near 0 and 1.

    Args:
        p: share or shares in [0, 1].
        n: number of items, above 0.
        quantile: two-sided normal or t quantile, as 1.96.

    Returns:
        Lower and upper ends, arrays of the broadcast shape.

    Raises:
        BadArgument: p outside [0, 1] or n not positive.

    Source:
        Brown, Cai & DasGupta 2001, Statistical Science 16, section 2 (doi:10.1214/ss/1009213286).
    """
    share, size = _share(p, n)
    reach = np.asarray(quantile) * np.sqrt(share * (1.0 - share) / size)
    return Bounds(np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0))


def wilson(p: ArrayLike, n: ArrayLike, *, quantile: ArrayLike) -> Bounds:
    """Return the score interval: all shares that p would not reject.

    Args:
        p: share or shares in [0, 1].
        n: number of items, above 0; an effective number for clustered data.
        quantile: two-sided normal or t quantile, as 1.96.

    Returns:
        Lower and upper ends, arrays of the broadcast shape; inside [0, 1].

    Raises:
        BadArgument: p outside [0, 1] or n not positive.

    Source:
        Wilson 1927, JASA 22, 209-212 (doi:10.1080/01621459.1927.10502953); with an effective
        number: Franco et al. 2019 (doi:10.1093/jssam/smy019).
    """
    share, size = _share(p, n)
    z2 = np.asarray(quantile, dtype=np.float64) ** 2
    centre = (share + z2 / (2.0 * size)) / (1.0 + z2 / size)
    inner = share * (1.0 - share) / size + z2 / (4.0 * size**2)
    reach = np.sqrt(z2 * inner) / (1.0 + z2 / size)
    low = np.where(share == 0.0, 0.0, np.maximum(centre - reach, 0.0))
    return Bounds(low, np.where(share == 1.0, 1.0, np.minimum(centre + reach, 1.0)))


def exact(p: ArrayLike, n: ArrayLike, *, level: float = 0.95) -> Bounds:
    """Return the Clopper-Pearson interval; p·n need not be whole.

    Args:
        p: share or shares in [0, 1].
        n: number of items, above 0.
        level: least coverage for whole counts.

    Returns:
        Lower and upper ends, arrays of the broadcast shape.

    Raises:
        BadArgument: p outside [0, 1], n not positive, a level outside (0, 1).

    Source:
        Clopper & Pearson 1934, Biometrika 26, 404-413; between whole counts: Korn & Graubard
        1998, Survey Methodology 24, 193-201.
    """
    check_level(level)
    share, size = _share(p, n)
    x, tail = share * size, (1.0 - level) / 2.0
    with np.errstate(invalid="ignore"):
        low = np.where(x <= 0.0, 0.0, stats.beta.ppf(tail, x, size - x + 1.0))
        high = np.where(x >= size, 1.0, stats.beta.ppf(1.0 - tail, x + 1.0, size - x))
    return Bounds(low, high)


def proportion_interval(
    successes: int,
    n: int,
    *,
    method: Literal["wilson", "exact", "wald"] = "wilson",
    level: float = 0.95,
) -> Interval:
    """Return an interval for a share of n independent items, such as all-passed indicators.

    Args:
        successes: items that passed.
        n: items in all, at least 1.
        method: "wilson" (default), "exact" (never covers less than the level) or "wald".
        level: coverage wanted.

    Returns:
        The interval, for fresh items of the same kind.

    Raises:
        BadArgument: successes outside 0..n, n < 1, an unknown method, a level outside (0, 1).

    Source:
        Brown, Cai & DasGupta 2001 (doi:10.1214/ss/1009213286).
    """
    check_level(level)
    if n < 1 or not 0 <= successes <= n:
        raise BadArgument(f"successes={successes} of n={n}: needs n >= 1 and 0 <= successes <= n")
    p, z = successes / n, float(stats.norm.ppf(0.5 + level / 2.0))
    if method == "exact":
        low, high = exact(p, n, level=level)
    elif method in ("wilson", "wald"):
        low, high = (wilson if method == "wilson" else wald)(p, n, quantile=z)
    else:
        raise BadArgument(f"method={method!r}: one of 'wilson', 'exact', 'wald'")
    return Interval(
        estimate=p,
        low=float(low),
        high=float(high),
        level=level,
        method=method,
        population=FRESH_TASKS,
        M=n,
        se=float(proportion_se(p, n)) if 0 < successes < n else math.nan,
        conservative=method == "exact",
    )


def clustered_se(values: ArrayLike, clusters: Sequence[object] | NDArray[np.generic]) -> float:
    """Return the standard error of the mean when values of one cluster hang together.

    SE² = C/(C-1) · Σ over clusters of (sum of deviations)² / M². With every task its own cluster
    it is sd/sqrt(M). Warns ``FewClusters`` where the clusters are worth fewer than 20: the value
    then tends to be low.

    Args:
        values: one per task, shape ``(M,)``.
        clusters: a label per task.

    Returns:
        The standard error; NaN with ``NoSpread`` if the clusters do not differ at all.

    Raises:
        BadArgument: fewer than two clusters, or not one label per value.

    Source:
        Liang & Zeger 1986 (doi:10.1093/biomet/73.1.13); C/(C-1): Cameron & Miller 2015, section
        II.C (doi:10.3368/jhr.50.2.317). Miller 2024 (arXiv:2411.00640) leaves the factor out.
    """
    x, sums, sizes = _cluster_sums(values, clusters)
    worth = j_eff(sizes)
    if worth < FEW_CLUSTERS:
        warn(
            FewClusters,
            f"{sizes.size} clusters are worth {worth:.1f} equal ones, below {FEW_CLUSTERS:.0f}: "
            "the clustered standard error tends to be low",
        )
    return _se_of_sums(sums, x.size)


def clustered_interval(
    values: ArrayLike, clusters: Sequence[object] | NDArray[np.generic], *, level: float = 0.95
) -> Interval:
    """Return mean ± t(C-1) · clustered standard error: for fresh clusters, unbounded.

    Args:
        values: one per task, shape ``(M,)``.
        clusters: a label per task, such as its family.
        level: coverage wanted.

    Returns:
        The interval for new families; ``note`` gives the number of clusters and their worth.

    Raises:
        BadArgument: fewer than two clusters, not one label per value, a level outside (0, 1).

    Source:
        As ``clustered_se``; t with C-1: Cameron & Miller 2015, section VI.D.
    """
    check_level(level)
    x, sums, sizes = _cluster_sums(values, clusters)
    worth = j_eff(sizes)
    if worth < FEW_CLUSTERS:
        warn(FewClusters, f"{sizes.size} clusters are worth {worth:.1f} equal ones: rough interval")
    se, df = _se_of_sums(sums, x.size), sizes.size - 1
    reach = float(stats.t.ppf(0.5 + level / 2.0, df)) * se
    mean = float(x.mean())
    return Interval(
        estimate=mean,
        low=mean - reach,
        high=mean + reach,
        level=level,
        method="clustered standard error, t",
        population=NEW_FAMILIES,
        M=x.size,
        se=se,
        df=df,
        note=f"{sizes.size} clusters, worth {worth:.1f} equal ones",
    )


def j_eff(sizes: ArrayLike) -> float:
    """Return (Σ size)² / Σ size²: how many equal clusters the clusters are worth.

    Args:
        sizes: tasks per cluster, at least one positive.

    Returns:
        A number between 1 and the number of clusters.

    Raises:
        BadArgument: no size, or a negative one, or all zero.

    Source:
        Kish 1965, Survey Sampling, section 11.7.
    """
    given = np.asarray(sizes, dtype=np.float64)
    if given.size == 0 or not (given >= 0.0).all() or not given.any():
        raise BadArgument(f"sizes={sizes!r}: at least one cluster with tasks, none negative")
    return float(given.sum() ** 2 / np.sum(given**2))


def _share(p: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check and broadcast a share and a number of items."""
    share, size = np.broadcast_arrays(np.asarray(p, float), np.asarray(n, float))
    if not ((share >= 0.0) & (share <= 1.0)).all() or not (size > 0.0).all():
        raise BadArgument(f"p={p!r}, n={n!r}: a share in [0, 1] of a positive number is needed")
    return share, size


def _cluster_sums(
    values: ArrayLike, clusters: Sequence[object] | NDArray[np.generic]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the values, the sum of deviations and the size of each cluster."""
    x = np.atleast_1d(np.asarray(values, dtype=np.float64))
    label = labels("clusters", clusters, x.size)
    sizes = np.bincount(label).astype(np.float64)
    if sizes.size < 2:
        raise BadArgument(
            f"{sizes.size} cluster: a clustered standard error needs at least two; "
            "state the population as these tasks or fresh tasks of these families"
        )
    sums = np.bincount(label, weights=x - x.mean()).astype(np.float64)
    return x, sums, sizes


def _se_of_sums(sums: FloatArray, tasks: int) -> float:
    """Return the clustered standard error from sums of deviations, NaN if all are zero."""
    if not np.any(np.abs(sums) > 1e-12 * tasks):
        warnings.warn("the clusters do not differ: no standard error", NoSpread, stacklevel=3)
        return math.nan
    return math.sqrt(sums.size / (sums.size - 1) * float(sums @ sums)) / tasks
