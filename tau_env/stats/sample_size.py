"""Tasks and trials that would show a wanted difference in pass^k, by drawing from a fitted model.

Two agents run the same tasks. Agent A's rates are Beta(a, b), as fitted on a pilot; agent B's are
Beta with the same intraclass correlation and the mean that puts its pass^k the wanted difference
higher. ``alike`` says how far the two find the same tasks hard: 1 ranks all tasks alike, 0 not at
all. The study is judged as it would be in earnest: a paired t test of per-task unbiased pass^k.

Budgets for a wanted width of one agent's interval are in :mod:`tau_env.stats.design`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special, stats

from tau_env.errors import BadArgument, NotEnoughData
from tau_env.stats._arguments import Floats, probability, whole
from tau_env.stats.design import BetaPopulation
from tau_env.stats.estimators import pass_hat_k


class PowerNotReached(NotEnoughData):
    """No number of tasks up to the limit shows the difference often enough."""


@dataclass(frozen=True)
class SampleSize:
    """Tasks that a study needs at one number of trials a task.

    Attributes:
        n: trials of each task and agent.
        tasks: the fewest tasks with the wanted power; None if ``max_tasks`` do not reach it.
        power: share of drawn studies that showed the difference, at ``tasks`` (or at
            ``max_tasks`` when that was not enough).
        difference: the wanted difference in pass^k.
        k: repeats of the metric.
        replicates: studies drawn.
    """

    n: int
    tasks: int | None
    power: float
    difference: float
    k: int
    replicates: int


def better_population(population: BetaPopulation, *, k: int, difference: float) -> BetaPopulation:
    """The Beta with the same intraclass correlation whose pass^k differs by ``difference``.

    Args:
        population: agent A.
        k: repeats of the metric.
        difference: wanted change of pass^k, not 0; the result must lie strictly in (0, 1).

    Returns:
        Agent B.
    """
    repeats = whole("k", k, least=1)
    target = population.pass_hat(repeats) + float(difference)
    if difference == 0 or not 0 < target < 1:
        raise BadArgument(
            f"difference {difference:g} would move pass^{k} from "
            f"{population.pass_hat(repeats):.3f} to {target:.3f}; it must not be 0 and the result "
            "must lie strictly between 0 and 1."
        )
    size = population.a + population.b
    rho = 1 / (1 + size)

    def gap(mean: float) -> float:
        return BetaPopulation(mean * size, (1 - mean) * size).pass_hat(repeats) - target

    mean = float(optimize.brentq(gap, 1e-9, 1 - 1e-9, xtol=1e-12))
    return BetaPopulation.of(mean=mean, rho=rho)


def tasks_for_difference(
    population: BetaPopulation,
    *,
    k: int,
    difference: float,
    n: int,
    rng: np.random.Generator,
    power: float = 0.8,
    alpha: float = 0.05,
    alike: float = 1.0,
    max_tasks: int = 2_000,
    replicates: int = 1_000,
) -> SampleSize:
    """Fewest tasks at which a paired study shows a difference in pass^k with the wanted power.

    Whole studies of up to ``max_tasks`` tasks are drawn once and read at every length, so power
    is compared on common draws.

    Args:
        population: agent A, fitted on a pilot.
        k: repeats of the metric.
        difference: the difference in pass^k worth finding.
        n: trials of each task and agent, at least k.
        rng: draws tasks and trials.
        power: wanted share of studies that show it.
        alpha: two-sided level of the paired t test.
        alike: rank correlation of difficulty for the two agents (normal copula), 0 to 1.
        max_tasks: the largest study looked at.
        replicates: studies drawn; the power is known to about ``sqrt(.16 / replicates)``.

    Returns:
        The size.

    Warns:
        PowerNotReached: with ``tasks`` None.
    """
    repeats, trials = whole("k", k, least=1), whole("n", n, least=1)
    if trials < repeats:
        raise BadArgument(f"n = {n} trials cannot estimate pass^{k}; n must be at least k.")
    wanted = probability("power", power, below_one=True)
    level = probability("alpha", alpha, below_one=True)
    most, draws = whole("max_tasks", max_tasks, least=3), whole("replicates", replicates, least=10)
    other = better_population(population, k=repeats, difference=difference)
    bank = _difference_bank(
        (population, other), k=repeats, n=trials, alike=probability("alike", alike), rng=rng
    )
    sizes = np.arange(3, most + 1)
    critical = stats.t.ppf(1 - level / 2, sizes - 1)
    shown = np.zeros(sizes.size)
    for _ in range(draws):
        study = bank[rng.integers(0, bank.size, size=most)]
        shown += _t_prefixes(study)[2:] * np.sign(difference) > critical
    rate = shown / draws
    enough = np.flatnonzero(rate < wanted)
    first = int(enough[-1]) + 1 if enough.size else 0
    if first == sizes.size:
        warnings.warn(
            f"{most} tasks of {trials} trials show a difference of {difference:g} in pass^"
            f"{repeats} in only {rate[-1]:.0%} of studies, wanted {wanted:.0%}: allow more tasks "
            "or look for a larger difference.",
            PowerNotReached,
            stacklevel=2,
        )
        return SampleSize(trials, None, float(rate[-1]), difference, repeats, draws)
    return SampleSize(trials, int(sizes[first]), float(rate[first]), difference, repeats, draws)


def _difference_bank(
    populations: tuple[BetaPopulation, BetaPopulation],
    *,
    k: int,
    n: int,
    alike: float,
    rng: np.random.Generator,
    size: int = 200_000,
) -> Floats:
    """Per-task differences (B minus A) of unbiased pass^k for a large draw of tasks."""
    common = rng.standard_normal(size)
    estimates = []
    for population in populations:
        own = rng.standard_normal(size)
        rank = special.ndtr(np.sqrt(alike) * common + np.sqrt(1 - alike) * own)
        rates = special.betaincinv(population.a, population.b, rank)
        estimates.append(pass_hat_k(n, rng.binomial(n, rates), k))
    return np.asarray(estimates[1] - estimates[0], dtype=float)


def _t_prefixes(values: Floats) -> Floats:
    """The t statistic of the first m values for every m; 0 where they do not vary."""
    m = np.arange(1, values.size + 1)
    mean = np.cumsum(values) / m
    spread = np.maximum(np.cumsum(values**2) - m * mean**2, 0.0) / np.maximum(m - 1, 1)
    safe = np.where(spread > 1e-15, spread, 1.0)
    return np.where(spread > 1e-15, mean / np.sqrt(safe / m), 0.0)
