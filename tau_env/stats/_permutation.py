"""Permutation tests of a paired difference; what is exchanged follows the population.

Here: p-values. Not here: estimates and intervals (``comparison``).
"""

from __future__ import annotations

import numpy as np

from tau_env.stats._arrays import FloatArray, IntArray
from tau_env.stats.estimators import pass_hat_k

EXACT_UNITS = 16
"""So many units or fewer are flipped in all ways instead of at random."""

_TIE = 1e-9
_BATCH = 1_000


def flip_signs(sums: FloatArray, rng: np.random.Generator, permutations: int) -> float:
    """Return the two-sided p-value of a sum of differences under sign flips.

    Args:
        sums: one difference per unit (task or family), shape ``(U,)``.
        rng: the source of randomness.
        permutations: number of random flips, if there are too many units for all of them.

    Returns:
        The share of flips at least as far from 0, counting the data as one flip; exact, without
        randomness, for at most 16 units that differ.

    Source:
        Phipson & Smyth 2010 (doi:10.2202/1544-6115.1585) for counting the data.
    """
    moving = sums[np.abs(sums) > _TIE]
    if moving.size == 0:
        return 1.0
    observed = abs(float(moving.sum())) - _TIE
    if moving.size <= EXACT_UNITS:
        patterns = np.arange(2**moving.size)[:, None] >> np.arange(moving.size) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ moving) >= observed))
    beyond = 0
    for size in _batches(permutations):
        signs = 1 - 2 * rng.integers(0, 2, size=(size, moving.size), dtype=np.int8)
        beyond += int(np.sum(np.abs(signs @ moving) >= observed))
    return (1 + beyond) / (1 + permutations)


def exchange_trials(
    c_a: IntArray,
    n_a: IntArray,
    c_b: IntArray,
    n_b: IntArray,
    k: int,
    *,
    rng: np.random.Generator,
    permutations: int,
) -> float:
    """Return the two-sided p-value of a difference of pass^k when trials swap agents within tasks.

    Under the null both agents have the same success rate on every task, so given a task's
    successes, one agent's share of them is hypergeometric.

    Args:
        c_a: successes of the first agent, shape ``(M,)``.
        n_a: its trials.
        c_b: successes of the second.
        n_b: its trials.
        k: how many trials must all pass.
        rng: the source of randomness.
        permutations: number of random exchanges.

    Returns:
        The share of exchanges at least as far from 0, counting the data as one.

    Source:
        As ``flip_signs``.
    """
    worth_a, worth_b = _values(n_a, k), _values(n_b, k)
    rows = np.arange(c_a.size)
    both = c_a + c_b
    observed = abs(float(np.sum(worth_a[rows, c_a] - worth_b[rows, c_b]))) - _TIE
    beyond = 0
    for size in _batches(permutations):
        drawn = rng.hypergeometric(both, n_a + n_b - both, n_a, size=(size, both.size))
        moved = worth_a[rows, drawn] - worth_b[rows, both - drawn]
        beyond += int(np.sum(np.abs(moved.sum(axis=1)) >= observed))
    return (1 + beyond) / (1 + permutations)


def _values(n: IntArray, k: int) -> FloatArray:
    """Return pass^k of every task (row) for every count of successes (column)."""
    counts = np.arange(int(n.max()) + 1)
    return np.asarray(pass_hat_k(n[:, None], np.minimum(counts, n[:, None]), k))


def _batches(total: int) -> list[int]:
    """Split a number of permutations into batches that fit in memory."""
    whole, rest = divmod(total, _BATCH)
    return [_BATCH] * whole + ([rest] if rest else [])
