"""What the estimators of pass^k amount to when the success rates are known.

Here: pass^k and pass@k of known rates, the exact expectation of the plug-in, the exact variance of
the unbiased estimate. Not here: estimates from counts (``estimators``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FloatArray, IntArray, plain, shares, whole
from tau_env.stats.estimators import pass_hat_k, plug_in_pass_hat_k


@overload
def plug_in_mean(n: int, p: float, k: int) -> float: ...
@overload
def plug_in_mean(n: int, p: ArrayLike, k: int) -> FloatArray: ...
def plug_in_mean(n: int, p: ArrayLike, k: int) -> FloatArray | float:
    """Return the exact expectation of (c/n)^k for a task with success rate p.

    Summed over the binomial law of c, so no Stirling number can overflow; the plug-in of pass@k
    has expectation ``1 - plug_in_mean(n, 1 - p, k)``.

    Args:
        n: trials, at least 1.
        p: success rate or rates, any shape.
        k: the power.

    Returns:
        A float for a scalar p, else the shape of p.

    Raises:
        BadArgument: n < 1, p outside [0, 1], k negative.

    Source:
        Factorial moments of the binomial; Johnson, Kemp & Kotz 2005, section 3.2.
    """
    return _binomial_mean(n, p, lambda c: np.asarray(plug_in_pass_hat_k(n, c, k)))


@overload
def plug_in_bias(n: int, p: float, k: int) -> float: ...
@overload
def plug_in_bias(n: int, p: ArrayLike, k: int) -> FloatArray: ...
def plug_in_bias(n: int, p: ArrayLike, k: int) -> FloatArray | float:
    """Return E[(c/n)^k] - p^k: how much the plug-in flatters a task with success rate p.

    Never negative; 0 at k <= 1 and at p = 0 and 1. Arguments, shapes and errors as for
    ``plug_in_mean``.

    Args:
        n: trials, at least 1.
        p: success rate or rates, any shape.
        k: the power.

    Returns:
        A float for a scalar p, else the shape of p.

    Source:
        As ``plug_in_mean``.
    """
    return plain(np.asarray(plug_in_mean(n, p, k) - shares("p", p) ** k))


@overload
def pass_hat_k_variance(n: int, p: float, k: int) -> float: ...
@overload
def pass_hat_k_variance(n: int, p: ArrayLike, k: int) -> FloatArray: ...
def pass_hat_k_variance(n: int, p: ArrayLike, k: int) -> FloatArray | float:
    """Return the exact variance of the unbiased pass^k of one task over repetitions of its trials.

    Falls with n; at n = k it is p^k (1 - p^k).

    Args:
        n: trials, at least k.
        p: success rate or rates, any shape.
        k: how many trials must all pass.

    Returns:
        A float for a scalar p, else the shape of p.

    Raises:
        BadArgument: n < k or p outside [0, 1].

    Source:
        Lehmann & Casella 1998, Theory of Point Estimation, section 2.3 (unbiased p^k).
    """
    truth = shares("p", p) ** k
    second = _binomial_mean(n, p, lambda c: np.asarray(pass_hat_k(n, c, k)) ** 2)
    return plain(np.maximum(np.asarray(second - truth**2), 0.0))


def true_pass_hat_k(p: ArrayLike, k: int) -> float:
    """Return the mean of p_j^k over tasks whose success rates are known.

    Lies between mean(p)^k and mean(p).

    Args:
        p: success rates, shape ``(M,)``.
        k: how many trials must all pass.

    Returns:
        pass^k of those tasks, exactly.

    Raises:
        BadArgument: no task, or p outside [0, 1].

    Source:
        Yao et al. 2024, τ-bench, section 3 (arXiv:2406.12045).
    """
    return float(np.mean(_rates(p) ** int(whole("k", k))))


def true_pass_at_k(p: ArrayLike, k: int) -> float:
    """Return the mean of 1 - (1 - p_j)^k over tasks whose success rates are known.

    Lies between mean(p) and 1 - (1 - mean(p))^k for k >= 1.

    Args:
        p: success rates, shape ``(M,)``.
        k: how many trials are allowed.

    Returns:
        pass@k of those tasks, exactly.

    Raises:
        BadArgument: no task, or p outside [0, 1].

    Source:
        Chen et al. 2021, section 2.1 (arXiv:2107.03374).
    """
    return float(np.mean(1.0 - (1.0 - _rates(p)) ** int(whole("k", k))))


def _binomial_mean(
    n: int, p: ArrayLike, value: Callable[[IntArray], FloatArray]
) -> FloatArray | float:
    """Average ``value(c)`` over c ~ Binomial(n, p), for every p."""
    c = np.arange(int(whole("n", n)) + 1)
    law = stats.binom.pmf(c, n, shares("p", p)[..., None])
    return plain(np.asarray(law @ value(c)))


def _rates(p: ArrayLike) -> FloatArray:
    """Check known success rates, one per task."""
    rates = np.atleast_1d(shares("p", p))
    if rates.size == 0:
        raise BadArgument("p is empty: at least one task is needed")
    return rates
