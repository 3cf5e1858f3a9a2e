"""Differences of two samples that share no tasks.

Here: Welch's interval for means, Fisher's exact test for counts. Not here: agents that ran the
same tasks (``comparison``), for which these throw information away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread, check_level, warn


@dataclass(frozen=True)
class Unpaired:
    """A difference of two samples that share no tasks, first minus second.

    Attributes:
        difference: of the means or shares.
        se: its standard error; NaN where the data show none.
        low: lower end of its interval; NaN likewise.
        high: upper end; NaN likewise.
        p_value: two-sided; NaN likewise.
        level: nominal coverage.
        method: the test.
        n_first: items in the first sample.
        n_second: items in the second.
    """

    difference: float
    se: float
    low: float
    high: float
    p_value: float
    level: float
    method: str
    n_first: int
    n_second: int


def unpaired_difference(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Unpaired:
    """Compare the means of two samples of tasks that have nothing in common.

    Args:
        first: one value per task, at least two.
        second: likewise, of other tasks.
        level: coverage wanted.

    Returns:
        Welch's interval and test; NaN with ``NoSpread`` if neither sample varies.

    Raises:
        BadArgument: fewer than two values in a sample, a level outside (0, 1).

    Source:
        Welch 1947, Biometrika 34, 28-35 (doi:10.1093/biomet/34.1-2.28).
    """
    check_level(level)
    a, b = np.atleast_1d(np.asarray(first, float)), np.atleast_1d(np.asarray(second, float))
    if min(a.size, b.size) < 2:
        raise BadArgument(f"{a.size} and {b.size} values: each sample needs two or more")
    parts = np.array([a.var(ddof=1) / a.size, b.var(ddof=1) / b.size])
    se, difference = math.sqrt(float(parts.sum())), float(a.mean() - b.mean())
    reach = p_value = math.nan
    if se == 0.0:
        warn(NoSpread, "neither sample varies: no standard error")
        se = math.nan
    else:
        df = float(parts.sum() ** 2 / np.sum(parts**2 / np.array([a.size - 1, b.size - 1])))
        reach = float(stats.t.ppf(0.5 + level / 2.0, df)) * se
        p_value = 2.0 * float(stats.t.sf(abs(difference) / se, df))
    return Unpaired(
        difference=difference,
        se=se,
        low=difference - reach,
        high=difference + reach,
        p_value=p_value,
        level=level,
        method="Welch",
        n_first=a.size,
        n_second=b.size,
    )


def fisher_exact(passed_first: int, n_first: int, passed_second: int, n_second: int) -> Unpaired:
    """Test two shares of independent tasks for a difference, exactly.

    For unpaired counts only: on shared tasks it ignores the pairing and loses power.

    Args:
        passed_first: tasks passed in the first sample.
        n_first: tasks in it, at least 1.
        passed_second: tasks passed in the second.
        n_second: tasks in it, at least 1.

    Returns:
        The difference of shares and the two-sided p-value; no interval (NaN).

    Raises:
        BadArgument: a count outside 0..n, or n < 1.

    Source:
        Fisher 1935, The Design of Experiments; two-sided by summing the less likely tables.
    """
    for passed, n in ((passed_first, n_first), (passed_second, n_second)):
        if n < 1 or not 0 <= passed <= n:
            raise BadArgument(f"{passed} of {n} passed: needs n >= 1 and a count in 0..n")
    first, second = (
        [passed_first, n_first - passed_first],
        [passed_second, n_second - passed_second],
    )
    return Unpaired(
        difference=passed_first / n_first - passed_second / n_second,
        se=math.nan,
        low=math.nan,
        high=math.nan,
        p_value=float(stats.fisher_exact(np.array([first, second])).pvalue),
        level=math.nan,
        method="Fisher exact, unpaired",
        n_first=n_first,
        n_second=n_second,
    )
