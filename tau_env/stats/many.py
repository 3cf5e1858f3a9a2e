"""Many agents at once: every pair compared, p-values corrected for their number.

Here: the corrections and the loop over pairs. Not here: one comparison (``comparison``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FloatArray
from tau_env.stats.comparison import Comparison, compare_agents
from tau_env.stats.intervals import FRESH_TASKS, Population


@dataclass(frozen=True)
class Pair:
    """Two agents out of many, with a p-value corrected for all pairs.

    Attributes:
        first: name of the first agent.
        second: name of the second.
        comparison: of the two alone.
        p_adjusted: Holm's, over all pairs compared.
    """

    first: str
    second: str
    comparison: Comparison
    p_adjusted: float


def compare_all(
    counts: Mapping[str, ArrayLike],
    n: ArrayLike,
    k: int,
    *,
    rng: np.random.Generator,
    population: Population = FRESH_TASKS,
    families: Sequence[object] | NDArray[np.generic] | None = None,
    level: float = 0.95,
    permutations: int = 10_000,
) -> list[Pair]:
    """Compare every two of several agents and correct the p-values for their number.

    Args:
        counts: agent name to successes per task, all in the same order of tasks.
        n: trials, a number or shape ``(M,)``, the same for all.
        k: how many trials must all pass.
        rng: the source of randomness.
        population: what the comparisons speak of.
        families: a label per task.
        level: coverage wanted of each interval by itself.
        permutations: number of random flips.

    Returns:
        All pairs, in the order of ``counts``.

    Raises:
        BadArgument: fewer than two agents, or as ``compare_agents``.

    Source:
        Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    if len(counts) < 2:
        raise BadArgument(f"{len(counts)} agent: at least two are needed")
    pairs = list(combinations(counts, 2))
    found = [
        compare_agents(
            counts[a],
            n,
            counts[b],
            n,
            k,
            rng=rng,
            population=population,
            families=families,
            level=level,
            permutations=permutations,
        )
        for a, b in pairs
    ]
    adjusted = adjust_p_values([c.p_value for c in found])
    return [
        Pair(a, b, comparison, float(p))
        for (a, b), comparison, p in zip(pairs, found, adjusted, strict=True)
    ]


def adjust_p_values(
    p_values: ArrayLike, *, method: Literal["holm", "benjamini-hochberg"] = "holm"
) -> FloatArray:
    """Correct p-values for their number.

    Args:
        p_values: in [0, 1], shape ``(m,)``.
        method: "holm" (chance of any false finding) or "benjamini-hochberg" (share of them).

    Returns:
        Adjusted p-values in the same order, at most 1.

    Raises:
        BadArgument: a value outside [0, 1], NaN, or an unknown method.

    Source:
        Holm 1979; Benjamini & Hochberg 1995 (doi:10.1111/j.2517-6161.1995.tb02031.x).
    """
    p = np.atleast_1d(np.asarray(p_values, dtype=np.float64))
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise BadArgument(f"p_values={p_values!r}: each must lie in [0, 1]")
    order = np.argsort(p, kind="stable")
    ranked, m = p[order], p.size
    if method == "holm":
        steps = np.maximum.accumulate(ranked * (m - np.arange(m)))
    elif method == "benjamini-hochberg":
        steps = np.minimum.accumulate((ranked * m / (np.arange(m) + 1))[::-1])[::-1]
    else:
        raise BadArgument(f"method={method!r}: one of 'holm', 'benjamini-hochberg'")
    out = np.empty_like(p)
    out[order] = np.minimum(steps, 1.0)
    return out
