"""Is one agent better than another: differences with intervals, tests, and what could be seen.

Here: paired differences, the tasks that changed, the smallest difference that the run could have
shown. Not here: samples that share no tasks (``unpaired``), many agents (``many``), one agent's
interval (``pass_intervals``).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
from tau_env.stats._permutation import exchange_trials, flip_signs
from tau_env.stats._spread import Spread, between_families, between_trials, collapse, within_strata
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import (
    FRESH_TASKS,
    NEW_FAMILIES,
    THESE_TASKS,
    Population,
    check_population,
)

Verdict = Literal["first better", "second better", "within noise", "not enough data"]


@dataclass(frozen=True)
class Comparison:
    """The difference of two agents on the same tasks, first minus second.

    Attributes:
        difference: of pass^k (or of the means of the values given).
        low: lower end of its interval; NaN where the data cannot answer.
        high: upper end; NaN likewise.
        se: standard error; NaN likewise.
        df: degrees of freedom of the t quantile.
        level: nominal coverage.
        p_value: two-sided permutation test; NaN where nothing can be exchanged.
        detectable: smallest true difference that a run of this size finds with ``power``.
        power: chance of finding it.
        verdict: by the interval; "within noise" if it holds 0.
        higher: tasks on which the first agent did better, by name or position.
        lower: tasks on which it did worse.
        method: how the interval and the test were made.
        population: what they speak of.
        M: number of tasks.
        n: smallest number of trials of any task and agent.
        k: of pass^k; 1 for values.
    """

    difference: float
    low: float
    high: float
    se: float
    df: float
    level: float
    p_value: float
    detectable: float
    power: float
    verdict: Verdict
    higher: tuple[object, ...]
    lower: tuple[object, ...]
    method: str
    population: Population
    M: int
    n: int
    k: int


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    rng: np.random.Generator,
    population: Population = FRESH_TASKS,
    families: Sequence[object] | NDArray[np.generic] | None = None,
    tasks: Sequence[object] | None = None,
    level: float = 0.95,
    power: float = 0.8,
    permutations: int = 10_000,
) -> Comparison:
    """Compare two agents by one value per task, such as scores or all-passed indicators.

    The interval is difference ± t · standard error of the per-task differences (within families
    for fresh tasks, between them for new families), cut to [-1, 1]. The test flips the sign of
    whole tasks, or of whole families for new ones.

    Args:
        first: values in [0, 1] of the first agent, shape ``(M,)``.
        second: of the second, in the same order of tasks.
        rng: the source of randomness; unused where all flips can be tried.
        population: "fresh tasks of these families" or "new families".
        families: a label per task.
        tasks: names, for ``higher`` and ``lower``.
        level: coverage wanted.
        power: chance wanted for ``detectable``.
        permutations: number of random flips.

    Returns:
        The comparison; interval and standard error are NaN, with ``NoSpread`` or ``TooFewTasks``,
        if the differences are all alike or there is one unit.

    Raises:
        BadArgument: other lengths, no task, "these tasks" (needs trials: ``compare_agents``), new
            families without labels.

    Source:
        Miller 2024, section 4 (arXiv:2411.00640); flips: Fisher 1935, The Design of Experiments,
        section 21.
    """
    if population == THESE_TASKS:
        raise BadArgument("these tasks: one value per task shows no trial noise; compare_agents")
    a, b = np.atleast_1d(np.asarray(first, float)), np.atleast_1d(np.asarray(second, float))
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise BadArgument(f"shapes {a.shape} and {b.shape}: one value per task and agent is needed")
    inside = ((a >= 0.0) & (a <= 1.0) & (b >= 0.0) & (b <= 1.0)).all()
    if not inside:
        raise BadArgument("values must lie in [0, 1] and not be NaN")
    options = _Options(population, level, power, permutations, rng)
    family = labels("families", families, a.size) if families is not None else None
    return _compare(a - b, family, tasks, options, n=1, k=1)


def compare_agents(
    counts_first: ArrayLike,
    n_first: ArrayLike,
    counts_second: ArrayLike,
    n_second: ArrayLike,
    k: int,
    *,
    rng: np.random.Generator,
    population: Population = FRESH_TASKS,
    families: Sequence[object] | NDArray[np.generic] | None = None,
    tasks: Sequence[object] | None = None,
    level: float = 0.95,
    power: float = 0.8,
    permutations: int = 10_000,
) -> Comparison:
    """Compare pass^k of two agents that ran the same tasks.

    As ``paired_difference`` on the tasks' pass^k; for these tasks the interval rests on both
    agents' trial noise, and the test exchanges trials between the agents within each task.

    Args:
        counts_first: successes of the first agent, shape ``(M,)``.
        n_first: its trials, a number or shape ``(M,)``.
        counts_second: successes of the second, in the same order of tasks.
        n_second: its trials; may differ from the first's.
        k: how many trials must all pass, at least 1.
        rng: the source of randomness.
        population: what the comparison speaks of.
        families: a label per task; needed for new families.
        tasks: names, for messages and for ``higher`` and ``lower``.
        level: coverage wanted.
        power: chance wanted for ``detectable``.
        permutations: number of random flips or exchanges.

    Returns:
        The comparison. For these tasks with n = k the interval is NaN (``TooFewTrials``); the
        test still has its value.

    Raises:
        BadArgument: n < k (the task is named), other lengths, no task, k < 1.

    Source:
        Yao et al. 2024 (arXiv:2406.12045) for pass^k; otherwise as ``paired_difference``.
    """
    if k < 1:
        raise BadArgument(f"k={k}: a comparison needs k >= 1")
    c_a, n_a = per_task(counts_first, n_first, k=k, tasks=tasks)
    c_b, n_b = per_task(counts_second, n_second, k=k, tasks=tasks)
    if c_a.size != c_b.size:
        raise BadArgument(f"{c_a.size} tasks against {c_b.size}: the same tasks are needed")
    difference = np.asarray(pass_hat_k(n_a, c_a, k)) - np.asarray(pass_hat_k(n_b, c_b, k))
    options = _Options(population, level, power, permutations, rng)
    family = labels("families", families, c_a.size) if families is not None else None
    least = int(min(n_a.min(), n_b.min()))
    if population != THESE_TASKS:
        return _compare(difference, family, tasks, options, n=least, k=k)
    p_value = exchange_trials(c_a, n_a, c_b, n_b, k, rng=rng, permutations=permutations)
    spread = None
    if c_a.size < 2:
        warn(TooFewTasks, "one task: no interval for the difference")
    elif least == k:
        warn(TooFewTrials, f"pass^{k} of these tasks has no known noise from {least} trials")
    else:
        spread = _trial_spread(c_a, n_a, c_b, n_b, k)
    return _result(difference, spread, p_value, tasks, options, n=least, k=k)


@dataclass(frozen=True)
class _Options:
    """What every comparison needs besides the data."""

    population: Population
    level: float
    power: float
    permutations: int
    rng: np.random.Generator

    def __post_init__(self) -> None:
        check_population(self.population)
        check_level(self.level)
        if not 0.0 < self.power < 1.0:
            raise BadArgument(f"power={self.power!r}: must lie between 0 and 1, as in 0.8")
        if self.permutations < 1:
            raise BadArgument(f"permutations={self.permutations}: at least 1 is needed")


def _compare(
    difference: FloatArray,
    family: IntArray | None,
    tasks: Sequence[object] | None,
    options: _Options,
    *,
    n: int,
    k: int,
) -> Comparison:
    """Compare by differences per task, for fresh tasks or new families."""
    units = np.arange(difference.size)
    if options.population == NEW_FAMILIES:
        if family is None:
            raise BadArgument("new families: give a family label per task")
        units = family
    sums = np.asarray(np.bincount(units, weights=difference), dtype=np.float64)
    p_value = flip_signs(sums, options.rng, options.permutations)
    spread = None
    if sums.size < 2:
        _caution(TooFewTasks, "one unit shows no spread: no interval for the difference")
    elif options.population == NEW_FAMILIES:
        spread = between_families(difference, units)
    else:
        stratum = collapse(family) if family is not None else np.zeros_like(units)
        spread = within_strata(difference, stratum)
    return _result(difference, spread, p_value, tasks, options, n=n, k=k)


def _trial_spread(c_a: IntArray, n_a: IntArray, c_b: IntArray, n_b: IntArray, k: int) -> Spread:
    """Add the trial noise of both agents."""
    a, b = between_trials(c_a, n_a, k), between_trials(c_b, n_b, k)
    total = a.variance + b.variance
    blur = a.variance**2 / a.df + b.variance**2 / b.df
    df = np.divide(total**2, blur, out=np.asarray(a.df + b.df), where=blur > 0.0)
    return Spread(total, df, a.size, a.tasks)


def _result(
    difference: FloatArray,
    spread: Spread | None,
    p_value: float,
    tasks: Sequence[object] | None,
    options: _Options,
    *,
    n: int,
    k: int,
) -> Comparison:
    """Put a comparison together from the spread of the mean difference."""
    mean = float(difference.mean())
    se = math.sqrt(float(spread.variance)) if spread is not None else math.nan
    df = float(spread.df) if spread is not None else math.nan
    if se <= 1e-12:
        _caution(NoSpread, "the differences do not vary: no interval")
        se = math.nan
    quantile = float(stats.t.ppf(0.5 + options.level / 2.0, df))
    low, high = mean - quantile * se, mean + quantile * se
    names = tuple(tasks) if tasks is not None else tuple(range(difference.size))
    what = {FRESH_TASKS: "tasks", NEW_FAMILIES: "families"}
    test = f"sign flips of {what[options.population]}" if options.population in what else "trials"
    return Comparison(
        difference=mean,
        low=max(low, -1.0) if low == low else low,
        high=min(high, 1.0) if high == high else high,
        se=se,
        df=df,
        level=options.level,
        p_value=p_value,
        detectable=(quantile + float(stats.t.ppf(options.power, df))) * se,
        power=options.power,
        verdict=_verdict(low, high),
        higher=tuple(name for name, d in zip(names, difference, strict=True) if d > 1e-12),
        lower=tuple(name for name, d in zip(names, difference, strict=True) if d < -1e-12),
        method=f"paired t; permutation test by {test}",
        population=options.population,
        M=difference.size,
        n=n,
        k=k,
    )


def _verdict(low: float, high: float) -> Verdict:
    """Read the interval."""
    if math.isnan(low) or math.isnan(high):
        return "not enough data"
    if low > 0.0:
        return "first better"
    return "second better" if high < 0.0 else "within noise"


def _caution(category: type[Warning], message: str) -> None:
    """Warn on behalf of a public function two calls up."""
    warnings.warn(message, category, stacklevel=4)
