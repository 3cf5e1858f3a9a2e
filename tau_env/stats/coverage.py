"""How often intervals for pass^k cover, and how wide they are: simulation, and its table.

Here: populations with a known truth, the candidate methods, the measurement. Not here: the
interval that the package uses (``pass_intervals``), which is one of the candidates.

``scripts/coverage_table.py`` writes docs/coverage.md from this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FloatArray, IntArray
from tau_env.stats._spread import Spread
from tau_env.stats.beta_binomial import pass_hat_curve
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import (
    FRESH_TASKS,
    NEW_FAMILIES,
    THESE_TASKS,
    Bounds,
    Population,
    exact,
)
from tau_env.stats.pass_intervals import choose, effective_wilson, one_more, spread_of

Draw = tuple[FloatArray, FloatArray]
"""Success rates, shape (R, M), and the truth of each replicate, shape (R, number of k)."""

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True)
class World:
    """A population of tasks with a known pass^k.

    Attributes:
        name: as the table prints it.
        population: what an interval is asked about.
        families: number of families of equal size; 0 for none.
        uneven: families whose sizes fall as 1, 1/2, 1/3, …
        draw: (M, ks, replicates, rng, family) to success rates and truths.
    """

    name: str
    population: Population
    families: int
    uneven: bool
    draw: Callable[[int, tuple[int, ...], int, np.random.Generator, IntArray], Draw]


@dataclass(frozen=True)
class Cell:
    """One row of the table.

    Attributes:
        world: name of the population of tasks.
        population: what the interval is about.
        families: number of families, 0 for none.
        M: number of tasks.
        n: trials per task.
        k: of pass^k.
        truth: mean true value over replicates.
        core: M truth and M (1 - truth) are both at least 10.
        coverage: method to share of replicates whose interval holds the truth.
        width: method to mean width.
        conservative: share of replicates in which the method in use took its bound.
        replicates: number of simulated runs.
    """

    world: str
    population: Population
    families: int
    M: int
    n: int
    k: int
    truth: float
    core: bool
    coverage: dict[str, float]
    width: dict[str, float]
    conservative: float
    replicates: int


def worlds() -> list[World]:
    """Return the populations of the table: Beta, two-point, logit-normal, with families."""
    betas = ((0.6, 0.5), (0.6, 2), (0.6, 20), (0.9, 2), (0.97, 2), (0.3, 1), (0.22, 20), (0.1, 5))
    points = (
        (0.0, 1.0, 0.5),
        (0.2, 0.95, 0.5),
        (0.5, 1.0, 0.3),
        (0.1, 0.9, 0.15),
        (0.02, 0.9, 0.1),
    )
    normals = ((0.0, 1.5), (1.2, 1.5), (2.5, 1.0))
    plain = [_beta(*law) for law in betas]
    plain += [_two_point(*law) for law in points]
    plain += [_logit_normal(*law) for law in normals]
    fixed = [_beta(0.6, 2), _beta(0.6, 20), _two_point(0.2, 0.95, 0.5), _logit_normal(1.2, 1.5)]
    grouped = ((5, False, 0.8), (10, False, 1.5), (20, False, 0.8), (25, False, 0.8))
    ragged = ((10, True, 0.8), (20, True, 0.8))
    return [
        *(World(name, FRESH_TASKS, 0, False, draw) for name, draw in plain),
        *(_family_world(FRESH_TASKS, *shape) for shape in grouped + ragged),
        *(World(name, THESE_TASKS, 0, False, _fixed(draw)) for name, draw in fixed),
        *(_family_world(NEW_FAMILIES, *shape) for shape in grouped + ragged),
    ]


def measure(
    world: World,
    *,
    tasks: int,
    n: int,
    ks: tuple[int, ...],
    replicates: int,
    rng: np.random.Generator,
    bootstrapped: int = 2_000,
    resamples: int = 999,
    level: float = 0.95,
) -> list[Cell]:
    """Simulate runs of one world and return coverage and width of every method.

    Args:
        world: the population.
        tasks: number of tasks M.
        n: trials per task.
        ks: the k of pass^k, each at most n.
        replicates: number of simulated runs.
        rng: the source of randomness.
        bootstrapped: of these runs, so many also get bootstrap intervals.
        resamples: bootstrap resamples per run (percentile and BCa).
        level: coverage wanted.

    Returns:
        One cell per k, in order; these tasks at n = k are left out, where nothing is estimable.

    Raises:
        BadArgument: a k above n.

    Source:
        Monte Carlo; the standard error of a coverage of 95% from 2,000 runs is 0.5 points.
    """
    if max(ks) > n:
        raise BadArgument(f"ks={ks} with n={n}: every k must be at most n")
    family = _family_of(world, tasks)
    rates, truths = world.draw(tasks, ks, replicates, rng, family)
    counts = rng.binomial(n, rates).astype(np.int64)
    trials = np.full(tasks, n, np.int64)
    label = family if world.families else None
    cells = []
    for k, truth in zip(ks, truths.T, strict=True):
        if world.population == THESE_TASKS and k == n:
            continue
        values = np.asarray(pass_hat_k(trials, counts, k))
        spread = spread_of(counts, trials, k, label, world.population)
        bounds, careful = _candidates(values, spread, level)
        if world.population == FRESH_TASKS and not world.families:
            bounds |= _bootstraps(values[:bootstrapped], rng, resamples, level)
        mean = float(truth.mean())
        cells.append(
            Cell(
                world=world.name,
                population=world.population,
                families=world.families,
                M=tasks,
                n=n,
                k=k,
                truth=mean,
                core=min(mean, 1.0 - mean) * tasks >= 10.0,
                coverage={method: _covered(b, truth) for method, b in bounds.items()},
                width={m: float(np.mean(b.high - b.low)) for m, b in bounds.items()},
                conservative=careful,
                replicates=replicates,
            )
        )
    return cells


def table(
    *,
    replicates: int,
    seed: int,
    sizes: tuple[int, ...] = (50, 200),
    trials: tuple[int, ...] = (4, 8),
) -> Iterator[Cell]:
    """Yield every cell of the table, each world from its own stream.

    Args:
        replicates: simulated runs per cell.
        seed: of the whole table.
        sizes: the numbers of tasks.
        trials: the numbers of trials.

    Yields:
        Cells for k = 1, 2, 4.
    """
    everything = [(w, m, n) for w in worlds() for m in sizes for n in trials]
    streams = np.random.SeedSequence(seed).spawn(len(everything))
    for (world, tasks, n), stream in zip(everything, streams, strict=True):
        rng = np.random.default_rng(stream)
        yield from measure(world, tasks=tasks, n=n, ks=(1, 2, 4), replicates=replicates, rng=rng)


def _covered(bounds: Bounds, truth: FloatArray) -> float:
    """Return the share of runs that cover; the bootstraps saw the first runs only."""
    seen = truth[: bounds.low.size]
    return float(np.mean((bounds.low <= seen) & (seen <= bounds.high)))


def _candidates(
    values: FloatArray, spread: Spread, level: float
) -> tuple[dict[str, Bounds], float]:
    """Return the closed-form methods, and how often the one in use was conservative."""
    estimate = values.mean(axis=-1)
    reach = stats.t.ppf(0.5 + level / 2.0, spread.df) * np.sqrt(spread.variance)
    low, high, careful = choose(estimate, spread, level)
    return {
        "in use": Bounds(low, high),
        "Wilson": effective_wilson(estimate, spread, level),
        "one more": one_more(estimate, spread, level),
        "t": Bounds(estimate - reach, estimate + reach),
        "exact": exact(estimate, spread.size, level=level),
    }, float(careful.mean())


def _bootstraps(
    values: FloatArray, rng: np.random.Generator, resamples: int, level: float
) -> dict[str, Bounds]:
    """Return percentile and BCa intervals of every run."""
    tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    ends = np.empty((2, values.shape[0], 2))
    for run, row in enumerate(values):
        levels, counts = np.unique(row, return_counts=True)
        means = rng.multinomial(row.size, counts / row.size, size=resamples) @ levels / row.size
        centre = row.mean()
        below = np.mean(means < centre - 1e-12) / 2.0 + np.mean(means <= centre + 1e-12) / 2.0
        shift = stats.norm.ppf(np.clip(below, 0.5 / resamples, 1.0 - 0.5 / resamples))
        deviation = levels - centre
        spread = float(counts @ deviation**2)
        skew = float(counts @ deviation**3) / (6.0 * spread**1.5) if spread > 0.0 else 0.0
        z = shift + stats.norm.ppf(tails)
        moved = stats.norm.cdf(shift + z / (1.0 - skew * z))
        ends[:, run] = np.quantile(means, tails), np.quantile(means, moved)
    return {
        "percentile": Bounds(ends[0, :, 0], ends[0, :, 1]),
        "BCa": Bounds(ends[1, :, 0], ends[1, :, 1]),
    }


def _family_of(world: World, tasks: int) -> IntArray:
    """Return a family number per task; sizes are equal, or fall as 1, 1/2, 1/3."""
    count = max(world.families, 1)
    if not world.uneven:
        return np.arange(tasks, dtype=np.int64) % count
    share = 1.0 / np.arange(1, count + 1)
    sizes = np.maximum(np.floor(share / share.sum() * tasks), 1).astype(np.int64)
    sizes[0] += tasks - sizes.sum()
    return np.repeat(np.arange(count, dtype=np.int64), sizes)


def _beta(mean: float, nu: float) -> tuple[str, Callable[..., Draw]]:
    """Return a Beta world."""
    a, b = mean * nu, (1.0 - mean) * nu

    def draw(
        tasks: int, ks: tuple[int, ...], runs: int, rng: np.random.Generator, _: IntArray
    ) -> Draw:
        return rng.beta(a, b, (runs, tasks)), np.tile(pass_hat_curve(a, b, ks), (runs, 1))

    return f"Beta, mean {mean:g}, a+b {nu:g}", draw


def _two_point(low: float, high: float, share: float) -> tuple[str, Callable[..., Draw]]:
    """Return a world with two kinds of tasks."""

    def draw(
        tasks: int, ks: tuple[int, ...], runs: int, rng: np.random.Generator, _: IntArray
    ) -> Draw:
        rates = np.where(rng.random((runs, tasks)) < share, high, low)
        power = np.asarray(ks)
        return rates, np.tile(share * high**power + (1.0 - share) * low**power, (runs, 1))

    return f"two-point, {share:.0%} at {high:g}, rest at {low:g}", draw


def _logit_normal(mu: float, sd: float) -> tuple[str, Callable[..., Draw]]:
    """Return a logit-normal world."""

    def draw(
        tasks: int, ks: tuple[int, ...], runs: int, rng: np.random.Generator, _: IntArray
    ) -> Draw:
        rates = special.expit(rng.normal(mu, sd, (runs, tasks)))
        return rates, np.tile(_quadrature(np.array(mu), sd, ks), (runs, 1))

    return f"logit-normal, {mu:g} ± {sd:g}", draw


def _family_world(population: Population, count: int, uneven: bool, sd: float) -> World:
    """Return a logit-normal world with family effects of spread ``sd`` and task effects of 1."""
    mu = 1.4

    def draw(
        tasks: int, ks: tuple[int, ...], runs: int, rng: np.random.Generator, family: IntArray
    ) -> Draw:
        centres = rng.normal(mu, sd, (runs, count))
        rates = special.expit(rng.normal(centres[:, family], 1.0))
        if population == NEW_FAMILIES:
            return rates, np.tile(
                _quadrature(np.array(mu), float(np.hypot(sd, 1.0)), ks), (runs, 1)
            )
        shares = np.bincount(family) / tasks
        return rates, np.einsum("f,rfk->rk", shares, _quadrature(centres, 1.0, ks))

    kind = "uneven families" if uneven else "families"
    return World(f"{count} {kind}, {mu:g} ± {sd:g} ± 1", population, count, uneven, draw)


def _fixed(draw: Callable[..., Draw]) -> Callable[..., Draw]:
    """Return the world whose truth is that of the very tasks drawn."""

    def drawn(
        tasks: int, ks: tuple[int, ...], runs: int, rng: np.random.Generator, family: IntArray
    ) -> Draw:
        rates, _ = draw(tasks, ks, runs, rng, family)
        return rates, np.stack([(rates**k).mean(axis=1) for k in ks], axis=1)

    return drawn


def _quadrature(mu: FloatArray, sd: float, ks: tuple[int, ...]) -> FloatArray:
    """Return E[expit(mu + sd Z)^k] per k on a new last axis."""
    rates = special.expit(mu[..., None] + sd * _NODES)
    return np.stack([rates**k @ _WEIGHTS for k in ks], axis=-1)
