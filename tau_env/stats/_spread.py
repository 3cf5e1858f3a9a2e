"""Variance of a mean over tasks, per population, for one run or many runs at once.

Every function takes values of shape ``(..., M)`` and returns arrays of shape ``(...)``: the
intervals use them on one run, the coverage table on thousands. Not here: intervals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tau_env.stats._arrays import FloatArray, IntArray
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import j_eff


class Spread(NamedTuple):
    """Estimated variance of the mean.

    Attributes:
        variance: at least 0, shape ``(...)``.
        df: degrees of freedom of that estimate, shape ``(...)``.
        size: how many independent 0/1 units the tasks are worth at the very least.
        tasks: number of tasks M.
    """

    variance: FloatArray
    df: FloatArray
    size: float
    tasks: int


def collapse(family: IntArray) -> IntArray:
    """Join families that have one task each, since one task shows no spread within its family.

    They become one stratum; a single such task joins the smallest other family. Ignoring what
    separates them can only widen the interval.

    Args:
        family: a number 0, 1, … per task, shape ``(M,)``.

    Returns:
        Stratum numbers per task, each stratum with at least two tasks if M >= 2.

    Source:
        Collapsed strata: Cochran 1977, Sampling Techniques, section 5A.12.
    """
    sizes = np.bincount(family)
    alone = sizes[family] == 1
    joined = np.where(alone, sizes.size, family)
    if alone.sum() == 1 and sizes.size > 1:
        others = np.where(sizes > 1, sizes, family.size + 1)
        joined = np.where(alone, int(np.argmin(others)), family)
    return np.unique(joined, return_inverse=True)[1].astype(np.int64)


def within_strata(values: FloatArray, stratum: IntArray) -> Spread:
    """Return the spread over fresh tasks of the same strata, with Satterthwaite's df.

    Args:
        values: one per task, shape ``(..., M)``.
        stratum: a number per task, each stratum with at least two tasks.

    Returns:
        The spread; ``size`` is M.

    Source:
        Cochran 1977, Sampling Techniques, sections 5.3 and 5.4.
    """
    sizes = np.bincount(stratum).astype(np.float64)
    indicator = np.eye(sizes.size)[stratum]
    deviations = values - ((values @ indicator) / sizes)[..., stratum]
    parts = (deviations**2 @ indicator) / (sizes - 1.0) * sizes / values.shape[-1] ** 2
    total = parts.sum(axis=-1)
    blur = np.sum(parts**2 / (sizes - 1.0), axis=-1)
    flat = float(values.shape[-1] - sizes.size)
    df = np.divide(total**2, blur, out=np.full_like(total, flat), where=blur > 0.0)
    return Spread(total, df, float(values.shape[-1]), values.shape[-1])


def between_families(values: FloatArray, family: IntArray) -> Spread:
    """Return the spread over fresh families: clustered, corrected for each family's leverage.

    CR2 for a mean: the squared sum of a family's deviations is divided by 1 - its share of the
    tasks, which for equal families is the factor C/(C-1). The degrees of freedom are J_eff - 1,
    C - 1 for equal families: with uneven ones C - 1 covers 82 to 91% instead of 95%.

    Args:
        values: one per task, shape ``(..., M)``.
        family: a number per task, at least two families.

    Returns:
        The spread; ``size`` is J_eff.

    Source:
        Bell & McCaffrey 2002, Survey Methodology 28, 169-181; the degrees of freedom are chosen
        by the coverage table (docs/coverage.md).
    """
    sizes = np.bincount(family).astype(np.float64)
    deviations = values - values.mean(axis=-1, keepdims=True)
    sums = deviations @ np.eye(sizes.size)[family]
    shares = sizes / sizes.sum()
    total = np.sum(sums**2 / (1.0 - shares), axis=-1) / sizes.sum() ** 2
    worth = j_eff(sizes)
    return Spread(total, np.full_like(total, max(worth - 1.0, 1.0)), worth, family.size)


def between_trials(c: IntArray, n: IntArray, k: int) -> Spread:
    """Return the spread of pass^k over fresh trials of the very same tasks.

    For n >= 2k each task's variance is estimated without bias by u² - C(c,2k)/C(n,2k). For
    k < n < 2k, where no function of the counts is unbiased, E p^(2k) is bounded from below by the
    log-convexity of moments in k, through pass^k and pass^n: the variance is then too large
    rather than too small.

    Args:
        c: successes, shape ``(..., M)``.
        n: trials, shape ``(M,)``, all above k.
        k: how many trials must all pass.

    Returns:
        The spread; ``size`` is M.

    Source:
        U-statistics: Lehmann & Casella 1998, section 2.3; Lyapunov's inequality for the bound.
    """
    value = np.asarray(pass_hat_k(n, c, k))
    tasks = value.shape[-1]
    least, flat = int(n.min()), max(tasks - 1.0, 1.0)
    if least >= 2 * k:
        terms = value**2 - np.asarray(pass_hat_k(n, c, 2 * k))
        total = np.maximum(terms.sum(axis=-1), 0.0)
        blur = terms.var(axis=-1, ddof=1) * tasks
        df = np.divide(2.0 * total**2, blur, out=np.full_like(total, flat), where=blur > 0.0)
        return Spread(total / tasks**2, np.clip(df, 1.0, flat), float(tasks), tasks)
    low, high = value.mean(axis=-1), np.asarray(pass_hat_k(n, c, least)).mean(axis=-1)
    step = np.divide(high, low, out=np.zeros_like(low), where=low > 0.0)
    floor = np.maximum(high * step ** ((2 * k - least) / (least - k)), low**2)
    total = np.maximum((value**2).mean(axis=-1) - floor, 0.0)
    return Spread(total / tasks, np.full_like(total, flat), float(tasks), tasks)
