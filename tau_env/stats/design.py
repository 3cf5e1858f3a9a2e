"""How to spend a budget of trials so that pass^k comes out with the narrowest interval.

Tasks are drawn from a Beta population; a task costs ``s`` trial-equivalents to make and 1 a trial,
so M tasks of n trials cost M (s + n). The variance of the unbiased pass^k from M tasks is
(V_B + V_n) / M with V_B = Var(p^k) between tasks and V_n within a task, both exact from the
beta-binomial. Sizes for a wanted difference between two agents are in
:mod:`tau_env.stats.sample_size`.

Half-widths use z = 1.96, as the published designs do. Users add a variance of their own
(:mod:`tau_env.stats.callers`), which is not in these numbers.

Source: seed 002, section "Worked design" (equation 8); two-stage optimum: Cochran 1977, Sampling
Techniques, section 10.6.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from tau_env.errors import BadArgument
from tau_env.stats._arguments import positive, probability, whole
from tau_env.stats.estimators import pass_hat_k

Z = 1.96


@dataclass(frozen=True)
class BetaPopulation:
    """Per-task success rates spread as Beta(a, b).

    Attributes:
        a: first parameter, above 0.
        b: second parameter, above 0.
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        positive("a", self.a)
        positive("b", self.b)

    @classmethod
    def of(cls, *, mean: float, rho: float) -> BetaPopulation:
        """The population with this mean and intraclass correlation ``1 / (1 + a + b)``.

        Args:
            mean: mean success rate, strictly between 0 and 1.
            rho: intraclass correlation, strictly between 0 and 1.
        """
        for name, value in (("mean", mean), ("rho", rho)):
            if not 0 < value < 1:
                raise BadArgument(f"{name} is {value!r}; it must lie strictly between 0 and 1.")
        concentration = (1 - rho) / rho
        return cls(a=mean * concentration, b=(1 - mean) * concentration)

    def pass_hat(self, k: int) -> float:
        """pass^k of the population, E[p^k]."""
        return float(np.exp(special.betaln(self.a + k, self.b) - special.betaln(self.a, self.b)))


@dataclass(frozen=True)
class TaskVariance:
    """Variance that one task brings into the estimate of pass^k.

    Attributes:
        k: repeats of the metric.
        n: trials of the task.
        pass_hat_k: the population's pass^k.
        between: V_B, variance of p^k over tasks.
        within: variance of the estimate given the task, averaged over tasks.
        per_trial: W = n times ``within``; falls slowly with n.
    """

    k: int
    n: int
    pass_hat_k: float
    between: float
    within: float
    per_trial: float

    @property
    def total(self) -> float:
        """Variance of one task's estimate, both parts."""
        return self.between + self.within


@dataclass(frozen=True)
class Design:
    """One way to spend the budget.

    Attributes:
        n: trials of each task.
        M: tasks; a whole number unless the design was asked for with fractions.
        spent: cost, M (s + n).
        half_width: half of the 95% interval of pass^k (z = 1.96), as a share.
    """

    n: int
    M: float
    spent: float
    half_width: float


@dataclass(frozen=True)
class Plan:
    """All designs under one budget, and the best.

    Attributes:
        k: repeats of the metric.
        budget: trial-equivalents.
        setup: s, cost of making one task in trial-equivalents.
        population: spread of tasks that was assumed.
        designs: one a value of n, rising.
        best: the narrowest design; of equals the one with fewer trials a task.
    """

    k: int
    budget: float
    setup: float
    population: BetaPopulation
    designs: tuple[Design, ...]
    best: Design


@dataclass(frozen=True)
class WorstCase:
    """Tasks for a half-width when nothing is known of the population (variance 1/4).

    Attributes:
        half_width: the wanted half-width, as a share.
        value: z^2 / 4 / half_width^2.
        tasks: the whole number that suffices.
    """

    half_width: float
    value: float
    tasks: int


def task_variance(population: BetaPopulation, *, k: int, n: int) -> TaskVariance:
    """Exact variance of one task's unbiased pass^k, split between and within tasks.

    Args:
        population: spread of tasks.
        k: repeats of the metric, at least 1.
        n: trials of the task, at least k.

    Returns:
        The parts; ``between + within`` at n = k is pass^k (1 - pass^k).
    """
    repeats, trials = whole("k", k, least=1), whole("n", n, least=1)
    if trials < repeats:
        raise BadArgument(f"n = {n} trials cannot estimate pass^{k}; n must be at least k.")
    c = np.arange(trials + 1)
    estimate = pass_hat_k(trials, c, repeats)
    share = stats.betabinom.pmf(c, trials, population.a, population.b)
    mean = population.pass_hat(repeats)
    total = float(share @ (estimate - mean) ** 2)
    between = population.pass_hat(2 * repeats) - mean**2
    within = max(total - between, 0.0)
    return TaskVariance(
        k=repeats,
        n=trials,
        pass_hat_k=mean,
        between=between,
        within=within,
        per_trial=trials * within,
    )


def within_limit(population: BetaPopulation, k: int) -> float:
    """Limit of W (``per_trial``) for many trials: ``k^2 E[p^(2k-1) (1 - p)]``."""
    repeats = whole("k", k, least=1)
    return repeats**2 * (population.pass_hat(2 * repeats - 1) - population.pass_hat(2 * repeats))


def plan_budget(
    budget: float,
    *,
    population: BetaPopulation,
    k: int,
    setup: float = 0.0,
    n_max: int = 32,
    max_tasks: int | None = None,
    fractional: bool = False,
) -> Plan:
    """Half-width of pass^k for every n that a budget allows, and the best n.

    Args:
        budget: trial-equivalents, M (s + n) may not exceed it.
        population: spread of tasks, from a pilot or a guess.
        k: repeats of the metric.
        setup: s, cost of making one task in trial-equivalents.
        n_max: largest n looked at.
        max_tasks: tasks that exist, when no more can be made.
        fractional: leave M = budget / (s + n) unrounded, to compare with published curves;
            otherwise only whole tasks count.

    Returns:
        Designs with at least 2 tasks.

    Raises:
        BadArgument: when the budget does not pay for 2 tasks of k trials.
    """
    money = positive("budget", budget)
    fixed = positive("setup", setup, or_zero=True)
    repeats = whole("k", k, least=1)
    designs = []
    for n in range(repeats, whole("n_max", n_max, least=repeats) + 1):
        tasks = money / (fixed + n)
        if not fractional:
            tasks = math.floor(tasks + 1e-9)
        if max_tasks is not None:
            tasks = min(tasks, whole("max_tasks", max_tasks, least=2))
        if tasks < 2:
            break
        variance = task_variance(population, k=repeats, n=n).total
        designs.append(Design(n, tasks, tasks * (fixed + n), Z * math.sqrt(variance / tasks)))
    if not designs:
        raise BadArgument(
            f"budget {budget:g} does not pay for 2 tasks of k = {k} trials at setup {setup:g}; it "
            f"must be at least {2 * (fixed + repeats):g}."
        )
    best = min(designs, key=lambda design: (design.half_width, design.n))
    return Plan(repeats, money, fixed, population, tuple(designs), best)


def best_repeats(*, setup: float, between: float, per_trial: float, k: int) -> float:
    """The rule n* = sqrt(s W / V_B), not below k.

    W falls slowly with n, so the rule is a guide; :func:`plan_budget` is exact.

    Args:
        setup: s, cost of making a task in trial-equivalents.
        between: V_B, variance of p^k over tasks, above zero.
        per_trial: W, within-task variance for one trial.
        k: repeats of the metric.

    Returns:
        n*, a real number.
    """
    cost = positive("setup", setup, or_zero=True)
    noise = positive("per_trial", per_trial, or_zero=True)
    return max(
        float(whole("k", k, least=1)), math.sqrt(cost * noise / positive("between", between))
    )


def worst_case_tasks(half_width: float) -> WorstCase:
    """Tasks that give a half-width whatever the population, at n = k (variance at most 1/4).

    Args:
        half_width: wanted half of the 95% interval, as a share in (0, 1).

    Returns:
        384.16 for five points, so 385 tasks.
    """
    half = positive("half_width", probability("half_width", half_width))
    value = Z**2 * 0.25 / half**2
    return WorstCase(half_width=half, value=value, tasks=math.ceil(value - 1e-9))
