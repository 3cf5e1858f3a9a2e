"""Beta models of success rates that differ between tasks: curves, fits, prediction beyond n.

Here: pass^k and pass@k under Beta(a, b), maximum likelihood and moment fits from counts,
the Beta that matches published figures. Not here: estimates without a model (``estimators``),
predictions beyond the trials made (``prediction``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import (
    BoundaryFit,
    FloatArray,
    IntArray,
    TooFewTrials,
    per_task,
    warn,
    whole,
)
from tau_env.stats._beta_likelihood import Tails, maximise
from tau_env.stats.estimators import pass_hat_k

FitStatus = Literal["interior", "alike", "all or nothing", "always", "never", "one trial each"]

_WHY: dict[FitStatus, str] = {
    "alike": "the counts vary no more than equal tasks would: the fit runs to a + b = infinity",
    "all or nothing": "every task passed all or none of its trials: the fit runs to a + b = 0",
    "always": "every trial passed: nothing tells how the tasks differ",
    "never": "no trial passed: nothing tells how the tasks differ",
    "one trial each": "one trial per task cannot tell tasks apart: run at least two",
}


class Beta(NamedTuple):
    """The two parameters of a Beta law."""

    a: float
    b: float


@dataclass(frozen=True)
class BetaFit:
    """A Beta law of success rates over tasks, or the reason why there is none.

    Attributes:
        a: first parameter; NaN unless ``status`` is "interior".
        b: second parameter; NaN likewise.
        mean: pass^1 by the fit.
        rho: 1/(1+a+b), the correlation of two trials of one task; NaN likewise.
        m1: the data's unbiased pass^1.
        m2: the data's unbiased pass^2; NaN if a task has one trial.
        concentration: a + b; for a moment fit the raw solution, negative or 0 at a boundary.
        loglik: maximum of the log likelihood with binomial coefficients; NaN for a moment fit.
        covariance: of (logit mean, log 1/(a+b)), from the observed information; NaN likewise.
        status: "interior", or which boundary the data lie on.
        method: "maximum likelihood" or "moments".
        M: number of tasks.
        n: smallest number of trials of any task.
        n_max: largest.
    """

    a: float
    b: float
    mean: float
    rho: float
    m1: float
    m2: float
    concentration: float
    loglik: float
    covariance: tuple[tuple[float, float], tuple[float, float]]
    status: FitStatus
    method: str
    M: int
    n: int
    n_max: int


def pass_hat_curve(a: float, b: float, ks: ArrayLike) -> FloatArray:
    """Return E[p^k] for p ~ Beta(a, b): the product of (a+j)/(a+b+j) over j < k.

    Equal to B(a+k, b)/B(a, b), summed in logs term by term, which keeps its digits where the
    difference of two large ``betaln`` loses them. k = 0 gives 1.

    Args:
        a: first parameter, above 0.
        b: second parameter, above 0.
        ks: whole numbers, any shape.

    Returns:
        An array of the shape of ``ks`` (at least one-dimensional).

    Raises:
        BadArgument: a or b not positive and finite, k negative or not whole.

    Source:
        Johnson, Kotz & Balakrishnan 1995, Continuous Univariate Distributions 2, section 25.2.
    """
    _check_beta(a, b)
    wanted = np.atleast_1d(whole("ks", ks))
    j = np.arange(int(wanted.max(initial=0)))
    logs = np.concatenate([[0.0], np.cumsum(np.log1p(-b / (a + b + j)))])
    return np.asarray(np.exp(logs[wanted]))


def pass_at_curve(a: float, b: float, ks: ArrayLike) -> FloatArray:
    """Return E[1 - (1-p)^k] for p ~ Beta(a, b); k = 0 gives 0.

    Args:
        a: first parameter, above 0.
        b: second parameter, above 0.
        ks: whole numbers, any shape.

    Returns:
        An array of the shape of ``ks`` (at least one-dimensional).

    Raises:
        BadArgument: as ``pass_hat_curve``.

    Source:
        As ``pass_hat_curve``, with the failures' Beta(b, a).
    """
    return np.asarray(1.0 - pass_hat_curve(b, a, ks))


def beta_icc(a: float, b: float) -> float:
    """Return Var(p) / (m(1-m)) of Beta(a, b), which is 1/(1+a+b).

    Args:
        a: first parameter, above 0.
        b: second parameter, above 0.

    Returns:
        The correlation of two trials of one task.

    Raises:
        BadArgument: a or b not positive and finite.

    Source:
        Johnson, Kotz & Balakrishnan 1995, section 25.2.
    """
    _check_beta(a, b)
    return 1.0 / (1.0 + a + b)


def plug_in_under_beta(a: float, b: float, n: int, k: int) -> float:
    """Return E[(c/n)^k] when p ~ Beta(a, b) and c ~ Binomial(n, p): what the plug-in shows.

    Args:
        a: first parameter, above 0.
        b: second parameter, above 0.
        n: trials per task, at least 1.
        k: the power.

    Returns:
        The expectation, by summing over the beta-binomial law of c.

    Raises:
        BadArgument: a or b not positive and finite, n < 1.

    Source:
        Johnson, Kemp & Kotz 2005, Univariate Discrete Distributions, section 6.2.2.
    """
    _check_beta(a, b)
    if n < 1:
        raise BadArgument(f"n={n}: at least one trial per task is needed")
    c = np.arange(n + 1)
    return float(stats.betabinom.pmf(c, n, a, b) @ (c / n) ** int(whole("k", k)))


def match_beta(mean: float, pass_hat: float, k: int) -> Beta:
    """Return (a, b) of the Beta with this mean and this pass^k.

    For published figures that give pass^1 and one further pass^k.

    Args:
        mean: pass^1, strictly inside (0, 1).
        pass_hat: pass^k, strictly between mean^k and mean.
        k: at least 2.

    Returns:
        a and b.

    Raises:
        BadArgument: no Beta has these values.

    Source:
        E[p^k] falls strictly in a + b at a fixed mean, from mean to mean^k; root by Brent.
    """
    if not (k >= 2 and 0.0 < mean < 1.0 and mean**k < pass_hat < mean):
        raise BadArgument(
            f"mean={mean!r}, pass^{k}={pass_hat!r}: a Beta needs k >= 2, 0 < mean < 1 and pass^k "
            f"between mean^k and the mean"
        )

    def excess(log_nu: float) -> float:
        nu = math.exp(log_nu)
        return float(pass_hat_curve(mean * nu, (1.0 - mean) * nu, k)[0]) - pass_hat

    nu = math.exp(optimize.brentq(excess, -30.0, 30.0, xtol=1e-14, rtol=1e-14))
    return Beta(mean * nu, (1.0 - mean) * nu)


def beta_from_moments(m1: float, m2: float) -> Beta:
    """Return the Beta with these first two moments: s = (m1-m2)/(m2-m1^2), a = m1 s, b = (1-m1) s.

    Args:
        m1: pass^1.
        m2: pass^2, strictly between m1^2 and m1.

    Returns:
        a and b.

    Raises:
        BadArgument: no Beta has these moments.

    Source:
        Skellam 1948, JRSS B 10, 257-261.
    """
    if not m1 * m1 < m2 < m1 < 1.0:
        raise BadArgument(f"m1={m1!r}, m2={m2!r}: a Beta needs m1^2 < m2 < m1 < 1")
    s = _concentration(m1, m2)
    return Beta(m1 * s, (1.0 - m1) * s)


def fit_beta_binomial(c: ArrayLike, n: ArrayLike) -> BetaFit:
    """Fit Beta(a, b) to success counts by maximum likelihood.

    Assumes that trials of a task are independent and alike and that the tasks are drawn from one
    Beta law. n may differ by task.

    Args:
        c: successes per task, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``.

    Returns:
        The fit. Where the likelihood grows towards a boundary, a, b and rho are NaN, ``status``
        says which boundary, and ``BoundaryFit`` (or ``TooFewTrials``) is warned.

    Raises:
        BadArgument: no task, a task without trials, c > n.

    Source:
        Griffiths 1973, Biometrics 29, 637-648 (doi:10.2307/2529131).
    """
    wins, trials = per_task(c, n, k=1)
    tails = Tails.of(wins, trials)
    m1 = float(wins.sum() / trials.sum())
    status = _boundary(wins, trials)
    if status is None and tails.slope_at_zero(m1) <= 0.0:
        status = "alike"
    if status is not None:
        return _no_fit(wins, trials, status, "maximum likelihood", math.nan)
    x = maximise(tails, m1, _start(wins, trials))
    hessian = tails.derivatives(x)[2]
    mean, t = float(special.expit(x[0])), math.exp(x[1])
    a, b = mean / t, (1.0 - mean) / t
    cov = np.linalg.inv(-hessian)
    return BetaFit(
        a=a,
        b=b,
        mean=mean,
        rho=1.0 / (1.0 + a + b),
        m1=float(np.mean(wins / trials)),
        m2=_second_moment(wins, trials),
        concentration=a + b,
        loglik=float(np.sum(stats.betabinom.logpmf(wins, trials, a, b))),
        covariance=((float(cov[0, 0]), float(cov[0, 1])), (float(cov[1, 0]), float(cov[1, 1]))),
        status="interior",
        method="maximum likelihood",
        M=wins.size,
        n=int(trials.min()),
        n_max=int(trials.max()),
    )


def fit_beta_moments(c: ArrayLike, n: ArrayLike) -> BetaFit:
    """Fit Beta(a, b) to the unbiased pass^1 and pass^2: s = (m1-m2)/(m2-m1^2), a = m1 s.

    Args:
        c: successes per task, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``; at least two per task.

    Returns:
        The fit, without likelihood and covariance. ``concentration`` is s as solved: not positive
        where the data fit no Beta, and then a, b and rho are NaN and ``BoundaryFit`` is warned.

    Raises:
        BadArgument: no task, a task without trials, c > n.

    Source:
        Skellam 1948, JRSS B 10, 257-261, with the factorial moments as pass^1 and pass^2.
    """
    wins, trials = per_task(c, n, k=1)
    if int(trials.min()) < 2:
        return _no_fit(wins, trials, "one trial each", "moments", math.nan)
    m1, m2 = float(np.mean(wins / trials)), _second_moment(wins, trials)
    status = _boundary(wins, trials)
    if status in ("always", "never"):
        return _no_fit(wins, trials, status, "moments", math.nan)
    s = _concentration(m1, m2)
    if status == "all or nothing" or not 0.0 < s < math.inf:
        return _no_fit(wins, trials, status or "alike", "moments", s)
    nothing = (math.nan, math.nan)
    return BetaFit(
        a=m1 * s,
        b=(1.0 - m1) * s,
        mean=m1,
        rho=1.0 / (1.0 + s),
        m1=m1,
        m2=m2,
        concentration=s,
        loglik=math.nan,
        covariance=(nothing, nothing),
        status="interior",
        method="moments",
        M=wins.size,
        n=int(trials.min()),
        n_max=int(trials.max()),
    )


def _start(c: IntArray, n: IntArray) -> float:
    """Return a starting value of 1/(a+b) from the tasks with two trials or more."""
    several = n >= 2
    m1 = float(np.mean(c[several] / n[several]))
    m2 = float(np.mean(pass_hat_k(n[several], c[several], 2)))
    if m1 - m2 <= 0.0 or m2 - m1 * m1 <= 0.0:
        return 0.1
    return float(np.clip((m2 - m1 * m1) / (m1 - m2), 1e-3, 1e3))


def _boundary(c: IntArray, n: IntArray) -> FitStatus | None:
    """Name the boundary that shows in the counts alone."""
    if (c == n).all():
        return "always"
    if (c == 0).all():
        return "never"
    if (n < 2).all():
        return "one trial each"
    if ((c == 0) | (c == n)).all():
        return "all or nothing"
    return None


def _second_moment(c: IntArray, n: IntArray) -> float:
    """Return the unbiased pass^2 over tasks, NaN if a task has one trial."""
    return float(np.mean(pass_hat_k(n, c, 2))) if int(n.min()) >= 2 else math.nan


def _no_fit(c: IntArray, n: IntArray, status: FitStatus, method: str, s: float) -> BetaFit:
    """Report a boundary: warn and leave the parameters NaN."""
    warn(TooFewTrials if status == "one trial each" else BoundaryFit, f"no Beta: {_WHY[status]}")
    nothing = (math.nan, math.nan)
    m1 = float(np.mean(c / n))
    return BetaFit(
        a=math.nan,
        b=math.nan,
        mean=m1,
        rho=math.nan,
        m1=m1,
        m2=_second_moment(c, n),
        concentration=s,
        loglik=math.nan,
        covariance=(nothing, nothing),
        status=status,
        method=method,
        M=c.size,
        n=int(n.min()),
        n_max=int(n.max()),
    )


def _concentration(m1: float, m2: float) -> float:
    """Solve for a + b; not positive, or infinite, where no Beta has these moments."""
    gap = m2 - m1 * m1
    return (m1 - m2) / gap if gap != 0.0 else math.inf


def _check_beta(a: float, b: float) -> None:
    """Refuse parameters that are no Beta."""
    if not (0.0 < a < math.inf and 0.0 < b < math.inf):
        raise BadArgument(f"a={a!r}, b={b!r}: both parameters of a Beta are positive and finite")
