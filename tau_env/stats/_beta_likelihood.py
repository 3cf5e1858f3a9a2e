"""The beta-binomial likelihood, its derivatives and its maximum.

Written in the mean m = a/(a+b) and t = 1/(a+b), where it stays regular at t = 0 (all tasks alike).
It needs only the tail counts #{c_j > i}, #{n_j - c_j > i}, #{n_j > i}, so its cost does not grow
with the number of tasks. Not here: boundaries and results (``beta_binomial``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from tau_env.stats._arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Tails:
    """The sufficient statistics: how many tasks have more than i wins, losses, trials."""

    wins: FloatArray
    losses: FloatArray
    trials: FloatArray

    @staticmethod
    def of(c: IntArray, n: IntArray) -> Tails:
        """Count the tails from counts per task."""
        top = int(n.max())

        def beyond(x: IntArray) -> FloatArray:
            return (x.size - np.cumsum(np.bincount(x, minlength=top + 1)))[:top].astype(float)

        return Tails(beyond(c), beyond(n - c), beyond(n))

    def slope_at_zero(self, m: float) -> float:
        """Return d loglik / dt at t = 0 and the pooled mean."""
        i = np.arange(self.trials.size)
        up = i @ self.wins / m + i @ self.losses / (1.0 - m)
        return float(up - i @ self.trials)

    def derivatives(self, x: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return log likelihood, gradient and Hessian in (logit m, log t)."""
        m, t = float(special.expit(x[0])), math.exp(x[1])
        i = np.arange(self.trials.size)
        up, down, all_ = m + i * t, 1.0 - m + i * t, 1.0 + i * t
        w, v, n = self.wins / up, self.losses / down, self.trials / all_
        value = self.wins @ np.log(up) + self.losses @ np.log(down) - self.trials @ np.log(all_)
        by_m, by_t = w.sum() - v.sum(), i @ w + i @ v - i @ n
        w, v, n = w / up, v / down, n / all_
        mm, mt, tt = -w.sum() - v.sum(), i @ v - i @ w, i**2 @ n - i**2 @ w - i**2 @ v
        slope = m * (1.0 - m)
        gradient = np.array([slope * by_m, t * by_t])
        hessian = np.array(
            [
                [slope**2 * mm + slope * (1.0 - 2.0 * m) * by_m, slope * t * mt],
                [slope * t * mt, t * t * tt + t * by_t],
            ]
        )
        return float(value), gradient, hessian


def maximise(tails: Tails, m: float, t: float) -> FloatArray:
    """Climb the log likelihood by a trust region with exact derivatives."""

    def fall(x: FloatArray) -> float:
        return -tails.derivatives(x)[0]

    def slope(x: FloatArray) -> FloatArray:
        return -tails.derivatives(x)[1]

    def bend(x: FloatArray) -> FloatArray:
        return -tails.derivatives(x)[2]

    start = np.array([float(special.logit(m)), math.log(t)])
    gtol = 1e-9 * float(tails.trials[0])
    found = optimize.minimize(fall, start, jac=slope, hess=bend, method="trust-exact", tol=gtol)
    return np.asarray(found.x, dtype=np.float64)
