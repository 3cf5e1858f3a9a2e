"""pass^k and pass@k for more trials than were made: predicted from a fitted Beta, marked as such.

Here: predictions with intervals. Not here: the fit (``beta_binomial``), estimates by counting
(``estimators``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import check_level, whole
from tau_env.stats.beta_binomial import BetaFit


@dataclass(frozen=True)
class Prediction:
    """pass^k and pass@k by a fitted model, not by counting.

    Attributes:
        k: number of trials predicted.
        pass_hat: model pass^k; NaN if the fit is on a boundary.
        low: lower end of its interval.
        high: upper end.
        pass_at: model pass@k.
        pass_at_low: lower end of its interval.
        pass_at_high: upper end.
        level: nominal coverage, if the model is right.
        beyond_n: k exceeds the trials per task, so no count in the data speaks of it.
        method: how point and interval were made; always names the model.
        population: what the interval speaks of.
        M: number of tasks.
        n: smallest number of trials of any task.
    """

    k: int
    pass_hat: float
    low: float
    high: float
    pass_at: float
    pass_at_low: float
    pass_at_high: float
    level: float
    beyond_n: bool
    method: str
    population: str
    M: int
    n: int


def predict(fit: BetaFit, ks: Sequence[int], *, level: float = 0.95) -> list[Prediction]:
    """Predict pass^k and pass@k from a maximum likelihood fit, also beyond the trials made.

    The interval is a delta-method interval on the logit scale, from the observed information: it
    covers sampling of tasks and trials *if the Beta law holds*, and says nothing about a wrong
    law, whose effect grows with k.

    Args:
        fit: from ``fit_beta_binomial``.
        ks: the k wanted, each at least 1.
        level: coverage wanted.

    Returns:
        One prediction per k; NaN throughout if the fit is on a boundary.

    Raises:
        BadArgument: k < 1, a level outside (0, 1), or a fit without covariance.

    Source:
        Yao et al. 2024 for pass^k; delta method: van der Vaart 1998, chapter 3.
    """
    check_level(level)
    wanted = whole("ks", np.asarray(ks))
    if wanted.size == 0 or int(wanted.min()) < 1:
        raise BadArgument(f"ks={ks!r}: at least one k, each 1 or more")
    if fit.method != "maximum likelihood":
        raise BadArgument(f"a fit by {fit.method} has no covariance: use fit_beta_binomial")
    return [_predict_one(fit, int(k), level) for k in wanted]


def _predict_one(fit: BetaFit, k: int, level: float) -> Prediction:
    """Point and delta interval for one k."""
    hat = _delta(fit.mean, fit, k, level)
    none, one, some = _delta(1.0 - fit.mean, fit, k, level, mirrored=True)
    return Prediction(
        k=k,
        pass_hat=hat[0],
        low=hat[1],
        high=hat[2],
        pass_at=1.0 - none,
        pass_at_low=1.0 - some,
        pass_at_high=1.0 - one,
        level=level,
        beyond_n=k > fit.n,
        method="beta-binomial model by maximum likelihood, delta interval on the logit scale",
        population="fresh tasks of these families",
        M=fit.M,
        n=fit.n,
    )


def _delta(
    mean: float, fit: BetaFit, k: int, level: float, *, mirrored: bool = False
) -> tuple[float, float, float]:
    """Return E[p^k] with its interval, for p of this mean and the fit's concentration."""
    if fit.status != "interior":
        return math.nan, math.nan, math.nan
    t = 1.0 / fit.concentration
    j = np.arange(k)
    value = float(np.exp(np.sum(np.log(mean + j * t) - np.log1p(j * t))))
    by_logit_mean = mean * (1.0 - mean) * float(np.sum(1.0 / (mean + j * t)))
    by_log_t = t * float(np.sum(j / (mean + j * t) - j / (1.0 + j * t)))
    gradient = np.array([-by_logit_mean if mirrored else by_logit_mean, by_log_t])
    if value in (0.0, 1.0):
        return value, value, value
    spread = math.sqrt(float(gradient @ np.array(fit.covariance) @ gradient)) / (1.0 - value)
    reach = float(stats.norm.ppf(0.5 + level / 2.0)) * spread
    centre = float(special.logit(value))
    return value, float(special.expit(centre - reach)), float(special.expit(centre + reach))
