"""pass^k and pass@k from success counts: unbiased, and the biased plug-in for contrast.

Here: estimates per task and over tasks. Not here: what they amount to when the success rates are
known (``expectations``), intervals (``pass_intervals``), models of the spread between tasks
(``beta_binomial``).

One convention throughout: pass^k = C(c, k) / C(n, k), mean over tasks, each task weighing the
same whatever its number of trials; n < k is refused, never answered with 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from tau_env.errors import BadArgument
from tau_env.stats._arrays import (
    FloatArray,
    IntArray,
    check_counts,
    check_enough,
    per_task,
    plain,
    whole,
)

Outcomes = Sequence[int | bool]


@dataclass(frozen=True)
class Curve:
    """Benchmark values for several k, from the same trials.

    Attributes:
        ks: the k asked for, ascending as given.
        pass_hat: unbiased pass^k per k.
        pass_at: unbiased pass@k per k.
        plug_in: mean of (c/n)^k per k; biased upward, for contrast only.
        M: number of tasks.
        n: smallest number of trials of any task.
        method: the estimator's name.
    """

    ks: tuple[int, ...]
    pass_hat: tuple[float, ...]
    pass_at: tuple[float, ...]
    plug_in: tuple[float, ...]
    M: int
    n: int
    method: str = "unbiased"


@overload
def pass_hat_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_hat_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray: ...
def pass_hat_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray | float:
    """Return the unbiased estimate of the chance that k further trials all pass.

    C(c, k) / C(n, k), the share of k-subsets of the n trials that passed throughout: the only
    unbiased function of c, for trials of one task that are independent and alike. A product of
    min(k, n - c) ratios, so exact to rounding at any n. k = 0 gives 1, c < k gives 0, n = k the
    all-passed indicator.

    Args:
        n: trials, scalar or array; the three broadcast.
        c: successes among them.
        k: how many trials must all pass.

    Returns:
        A float if all three are scalars, else an array of the broadcast shape.

    Raises:
        BadArgument: n < k, c > n, or a number that is negative or not whole.

    Source:
        Yao et al. 2024, τ-bench, section 3 (arXiv:2406.12045).
    """
    trials, wins, take = _counts(n, c, k)
    # C(c,k)/C(n,k) = C(n-k,n-c)/C(n,n-c): the form with fewer factors.
    direct = take <= trials - wins
    top = np.where(direct, wins, trials - take)
    factors = np.where(direct, take, trials - wins)
    out = np.ones(trials.shape)
    for i in range(int(factors.max(initial=0))):
        ratio = np.maximum(top - i, 0) / np.maximum(trials - i, 1)
        out = np.where(i < factors, out * ratio, out)
        if not out.any():
            break
    return plain(out)


@overload
def pass_at_k(n: int, c: int, k: int) -> float: ...
@overload
def pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray: ...
def pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray | float:
    """Return the unbiased estimate of the chance that at least one of k further trials passes.

    1 - C(n - c, k) / C(n, k), summed so that small values keep their digits. k = 0 gives 0,
    n - c < k gives 1.

    Args:
        n: trials, scalar or array; the three broadcast.
        c: successes among them.
        k: how many trials are allowed.

    Returns:
        A float if all three are scalars, else an array of the broadcast shape.

    Raises:
        BadArgument: n < k, c > n, or a number that is negative or not whole.

    Source:
        Chen et al. 2021, section 2.1 (arXiv:2107.03374).
    """
    trials, wins, take = _counts(n, c, k)
    factors = np.minimum(take, wins)
    step = np.maximum(take, wins)
    out = np.zeros(trials.shape)
    for i in range(int(factors.max(initial=0))):
        share = np.minimum(step / np.maximum(trials - i, 1), 1.0)
        out = np.where(i < factors, out + (1.0 - out) * share, out)
        if (out == 1.0).all():
            break
    return plain(np.where((trials - wins < take) & (take > 0), 1.0, out))


@overload
def plug_in_pass_hat_k(n: int, c: int, k: int) -> float: ...
@overload
def plug_in_pass_hat_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray: ...
def plug_in_pass_hat_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray | float:
    """Return (c/n)^k, **biased upward** for k >= 2; for contrast with published figures only.

    Args:
        n: trials, at least 1; the three broadcast.
        c: successes among them.
        k: how many trials must all pass; here k > n has a value too.

    Returns:
        A float if all three are scalars, else an array of the broadcast shape.

    Raises:
        BadArgument: n < 1, c > n, or a number that is negative or not whole.

    Source:
        The bias follows from Jensen's inequality; its size is ``expectations.plug_in_bias``.
    """
    trials, wins, take = np.broadcast_arrays(whole("n", n), whole("c", c), whole("k", k))
    check_counts(trials, wins)
    check_enough(trials, np.ones_like(trials))
    return plain((wins / trials) ** take)


@overload
def plug_in_pass_at_k(n: int, c: int, k: int) -> float: ...
@overload
def plug_in_pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray: ...
def plug_in_pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> FloatArray | float:
    """Return 1 - (1 - c/n)^k, **biased downward** for k >= 2; for contrast only.

    Args:
        n: trials, at least 1; the three broadcast.
        c: successes among them.
        k: how many trials are allowed.

    Returns:
        A float if all three are scalars, else an array of the broadcast shape.

    Raises:
        BadArgument: n < 1, c > n, or a number that is negative or not whole.

    Source:
        Chen et al. 2021, section 2.1 (arXiv:2107.03374), which warns of this estimator.
    """
    trials, wins = np.broadcast_arrays(whole("n", n), whole("c", c))
    check_counts(trials, wins)
    return plain(np.asarray(1.0 - plug_in_pass_hat_k(trials, trials - wins, k)))


def benchmark_pass_hat_k(trials: Sequence[Outcomes] | Mapping[str, Outcomes], k: int) -> float:
    """Return the benchmark's pass^k: the mean over tasks of the unbiased estimate.

    Args:
        trials: per task its 0/1 outcomes, as a sequence or by task name; n may differ by task.
        k: how many trials must all pass.

    Returns:
        The unweighted mean over tasks.

    Raises:
        BadArgument: no task, a task with n < k (named), an outcome other than 0 and 1.

    Source:
        Yao et al. 2024, τ-bench, section 3 (arXiv:2406.12045).
    """
    n, c = _tally(trials, k)
    return float(np.mean(pass_hat_k(n, c, k)))


def benchmark_pass_at_k(trials: Sequence[Outcomes] | Mapping[str, Outcomes], k: int) -> float:
    """Return the benchmark's pass@k: the mean over tasks of the unbiased estimate.

    Args:
        trials: per task its 0/1 outcomes, as a sequence or by task name; n may differ by task.
        k: how many trials are allowed.

    Returns:
        The unweighted mean over tasks.

    Raises:
        BadArgument: no task, a task with n < k (named), an outcome other than 0 and 1.

    Source:
        Chen et al. 2021, section 2.1 (arXiv:2107.03374).
    """
    n, c = _tally(trials, k)
    return float(np.mean(pass_at_k(n, c, k)))


def summarize(results: Mapping[str, Outcomes], k: int) -> dict[str, float]:
    """Return both benchmark values of one run under the keys ``pass@{k}`` and ``pass^{k}``.

    Args:
        results: task id to its outcomes.
        k: number of trials, the same for both.

    Returns:
        A dict with the two keys.

    Raises:
        BadArgument: no task, a task with n < k (named), an outcome other than 0 and 1.

    Source:
        Chen et al. 2021 (arXiv:2107.03374) and Yao et al. 2024 (arXiv:2406.12045).
    """
    return {
        f"pass@{k}": benchmark_pass_at_k(results, k),
        f"pass^{k}": benchmark_pass_hat_k(results, k),
    }


def curve(counts: ArrayLike, n: ArrayLike, ks: Sequence[int]) -> Curve:
    """Return pass^k, pass@k and the plug-in over tasks for every k of ``ks``.

    Args:
        counts: successes per task, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``.
        ks: the k wanted, none above the smallest n.

    Returns:
        The benchmark values, one per k.

    Raises:
        BadArgument: no task, no k, n < k, c > n.

    Source:
        As ``pass_hat_k`` and ``pass_at_k``.
    """
    if len(ks) == 0:
        raise BadArgument("ks is empty: name at least one k, as in (1, 2, 4)")
    c, trials = per_task(counts, n, k=max(ks))
    grid = np.asarray(ks)[:, None]
    return Curve(
        ks=tuple(int(k) for k in ks),
        pass_hat=tuple(pass_hat_k(trials, c, grid).mean(axis=1).tolist()),
        pass_at=tuple(pass_at_k(trials, c, grid).mean(axis=1).tolist()),
        plug_in=tuple(plug_in_pass_hat_k(trials, c, grid).mean(axis=1).tolist()),
        M=c.size,
        n=int(trials.min()),
    )


def _counts(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> tuple[IntArray, IntArray, IntArray]:
    """Broadcast and check the three arguments of the estimators."""
    trials, wins, take = np.broadcast_arrays(whole("n", n), whole("c", c), whole("k", k))
    check_counts(trials, wins)
    check_enough(trials, take)
    return trials, wins, take


def _tally(
    trials: Sequence[Outcomes] | Mapping[str, Outcomes], k: int
) -> tuple[IntArray, IntArray]:
    """Count trials and successes per task."""
    by_name: dict[object, Outcomes] = dict(
        trials.items() if isinstance(trials, Mapping) else enumerate(trials)
    )
    for name, row in by_name.items():
        strange = [value for value in row if value not in (0, 1)]
        if strange:
            raise BadArgument(
                f"outcome {strange[0]!r} of task {name!r}: outcomes are 0 or 1; decide first what "
                "counts as passed"
            )
    wins = [sum(map(int, row)) for row in by_name.values()]
    sizes = [len(row) for row in by_name.values()]
    c, n = per_task(wins, sizes, k=k, tasks=list(by_name))
    return n, c
