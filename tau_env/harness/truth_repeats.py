"""What takes thousands of repeats: coverage of intervals, the Beta fit, prediction beyond n.

Outcomes are drawn again from planted chances. That is the same as playing the episodes as long as
every grade is the planted draw, which `truth_rows.draws_rows` proves on real ones; each row says
``drawn again``.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tau_env.agents.noisy import Skill
from tau_env.errors import NotEnoughData
from tau_env.harness.known_truth import Floats, Played
from tau_env.harness.truth_rows import Rows, TruthRow
from tau_env.stats.beta_binomial import fit_beta_binomial, pass_hat_curve
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.expectations import true_pass_hat_k
from tau_env.stats.intervals import FRESH_TASKS, NEW_FAMILIES, THESE_TASKS, Population
from tau_env.stats.pass_intervals import choose, spread_of
from tau_env.stats.prediction import predict

LEVEL = 0.95
SLACK = 0.02
"""Points below the level that a coverage may lie, beside its simulation noise."""

FAMILY_CONCENTRATION = 8.0
"""Concentration of the family means round the agent's mean, where new families are asked about."""

FEW = 4
"""Trials of a task from which pass^16 is predicted."""

FAR = 16
FITS = 400
"""Repeats that are fitted, at most: a fit takes a thousand times as long as a draw."""


def coverage_rows(
    skill: Skill,
    *,
    families: Sequence[str],
    chances: Floats,
    trials: int,
    ks: Sequence[int],
    repeats: int,
    rng: np.random.Generator,
) -> list[TruthRow]:
    """How often the intervals for pass^k hold the truth.

    Args:
        skill: the agent.
        families: family of each task, shape (M,).
        chances: the planted chances of one study, which "these tasks" keeps.
        trials: trials a task.
        ks: each at most ``trials``.
        repeats: studies drawn.
        rng: the source of randomness.
    """
    _, family = np.unique(np.array(families), return_inverse=True)
    rows: list[TruthRow] = []
    for population in (THESE_TASKS, FRESH_TASKS, NEW_FAMILIES):
        p = _chances(skill, population, chances, family, repeats, rng)
        counts = rng.binomial(trials, p)
        for k in ks:
            if population == THESE_TASKS and k == trials:
                continue
            truth = _truth(skill, population, chances, k)
            values = np.asarray(pass_hat_k(trials, counts, k))
            spread = spread_of(counts, np.full(family.size, trials), k, family, population)
            low, high, _ = choose(values.mean(axis=-1), spread, LEVEL)
            inside = float(np.mean((low <= truth) & (truth <= high)))
            made = Rows("coverage", skill.name, repeats, "drawn again")
            made.add(
                f"95% intervals that hold pass^{k}, {population}",
                truth=LEVEL,
                estimate=inside,
                noise=math.sqrt(inside * (1 - inside) / repeats),
                note=f"pass^{k} is {truth:.3f}; mean width {float(np.mean(high - low)):.3f}",
            )
            noise = math.sqrt(LEVEL * (1 - LEVEL) / repeats)
            rows.append(replace(made.made[0], holds=inside >= LEVEL - SLACK - 4 * noise))
    return rows


def _chances(
    skill: Skill,
    population: Population,
    chances: Floats,
    family: NDArray[np.intp],
    repeats: int,
    rng: np.random.Generator,
) -> Floats:
    """Success rates of every repeat, shape (repeats, M)."""
    shape = (repeats, family.size)
    if population == THESE_TASKS:
        return np.broadcast_to(chances, shape)
    mean = np.full(shape, skill.mean)
    if population == NEW_FAMILIES:
        a = skill.mean * FAMILY_CONCENTRATION
        drawn = rng.beta(a, FAMILY_CONCENTRATION - a, size=(repeats, int(family.max()) + 1))
        mean = np.clip(drawn, 1e-9, 1 - 1e-9)[:, family]
    return rng.beta(mean * skill.concentration, (1 - mean) * skill.concentration)


def _truth(skill: Skill, population: Population, chances: Floats, k: int) -> float:
    if population == THESE_TASKS:
        return true_pass_hat_k(chances, k)
    nu = skill.concentration
    if population == FRESH_TASKS:
        return float(pass_hat_curve(skill.mean * nu, (1 - skill.mean) * nu, [k])[0])
    # The mean, over family means, of a polynomial of degree k: from the moments of their Beta law.
    a = skill.mean * FAMILY_CONCENTRATION
    polynomial = np.polynomial.Polynomial([1.0])
    for j in range(k):
        polynomial = polynomial * np.polynomial.Polynomial([j / (nu + j), nu / (nu + j)])
    moments = pass_hat_curve(a, FAMILY_CONCENTRATION - a, np.arange(k + 1))
    return float(np.asarray(polynomial.coef, dtype=np.float64) @ moments)


def fit_rows(
    skill: Skill,
    played: Sequence[Played],
    *,
    repeats: int,
    rng: np.random.Generator,
) -> list[TruthRow]:
    """The Beta fit, and pass^16 predicted from four trials, on real and on drawn outcomes.

    Args:
        skill: the agent.
        played: its studies; their first trials are used.
        repeats: studies drawn, of which `FITS` at most are fitted.
        rng: the source of randomness.
    """
    a, b = skill.mean * skill.concentration, (1 - skill.mean) * skill.concentration
    tasks = len(played[0].tasks)
    real = _fitted([one.passed[:, :FEW].sum(axis=1) for one in played])
    drawn = _fitted(list(rng.binomial(FEW, rng.beta(a, b, size=(min(repeats, FITS), tasks)))))
    rows = Rows("prediction", skill.name, len(played))
    if real.predicted.size:
        rows.add(
            f"pass^{FAR} predicted from {FEW} trials, mean",
            truth=float(np.mean([true_pass_hat_k(one.chances, FAR) for one in played])),
            estimate=float(np.mean(real.predicted)),
            note="the truth is that of these studies' tasks",
        )
    again = Rows("prediction", skill.name, drawn.means.size, "drawn again")
    beta = Rows("Beta fit", skill.name, drawn.means.size, "drawn again")
    lost = drawn.means.size - drawn.predicted.size
    note = f"without {lost} fits that lie on a boundary and predict nothing" if lost else ""
    far = float(pass_hat_curve(a, b, [FAR])[0])
    inside = float(np.mean((drawn.low <= far) & (far <= drawn.high)))
    again.add(
        f"pass^{FAR} predicted from {FEW} trials, mean",
        truth=far,
        estimate=float(np.mean(drawn.predicted)),
        noise=_error_of_mean(drawn.predicted),
        note=note,
    )
    again.add(
        f"95% intervals that hold pass^{FAR}",
        truth=LEVEL,
        estimate=inside,
        noise=math.sqrt(inside * (1 - inside) / drawn.predicted.size),
        note="if the Beta law holds, as it does here",
    )
    beta.add(
        "mean of tasks",
        truth=skill.mean,
        expected=skill.mean,
        estimate=float(np.mean(drawn.means)),
        noise=_error_of_mean(drawn.means),
    )
    beta.add(
        "concentration a + b (no share), median",
        truth=skill.concentration,
        estimate=float(np.median(drawn.concentration)),
        note=note,
    )
    return rows.made + again.made + beta.made


@dataclass(frozen=True)
class _Fits:
    """Beta fits of several studies; predictions and concentrations of those inside the range."""

    means: Floats
    predicted: Floats
    low: Floats
    high: Floats
    concentration: Floats


def _fitted(counts: Sequence[NDArray[np.int64]]) -> _Fits:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotEnoughData)
        fits = [fit_beta_binomial(one, FEW) for one in counts]
    inner = [fit for fit in fits if fit.status == "interior"]
    told = [predict(fit, [FAR], level=LEVEL)[0] for fit in inner]
    return _Fits(
        means=np.array([fit.m1 for fit in fits]),
        predicted=np.array([one.pass_hat for one in told]),
        low=np.array([one.low for one in told]),
        high=np.array([one.high for one in told]),
        concentration=np.array([fit.concentration for fit in inner]),
    )


def _error_of_mean(values: Floats) -> float:
    return float(np.std(values) / math.sqrt(values.size))
