"""How long a task an agent can finish: the time horizon and success by task length.

The time horizon is the length (minutes a skilled human needs) at which a logistic curve in the
logarithm of length crosses a success level: success = logistic(-slope (log2 t - log2 h50)). Each
task weighs the same, whatever its number of trials. Lengths are inputs; nothing measures them here.

Source: Kwa et al. 2025, "Measuring AI Ability to Complete Long Tasks", arXiv:2503.14499, section 4;
existence of the fit: Albert and Anderson 1984, Biometrika 71 (separation).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from tau_env.errors import BadArgument, NotEnoughData
from tau_env.stats._arguments import Floats, positive, whole
from tau_env.stats._arrays import check_level, labels, per_task

LEVELS = (0.5, 0.8)
FLAT = 1e-9  # a slope below this is rounding, not a fall


class NoHorizon(NotEnoughData):
    """Success does not fall with length, or falls in one clean step: no curve can be fitted."""


class EmptyLengthBin(NotEnoughData):
    """A span of lengths without a task: its rate is NaN."""


@dataclass(frozen=True)
class Horizon:
    """A fitted time horizon.

    Attributes:
        h50: minutes at which half the trials succeed; NaN when there is no fit.
        h80: minutes at which 80% succeed, the one to plan with.
        slope: fall of the log-odds for each doubling of length.
        longest: longest task in the data, minutes.
        beyond_50: h50 lies beyond the longest task: an extrapolation.
        beyond_80: h80 lies beyond the longest task.
        M: tasks.
    """

    h50: float
    h80: float
    slope: float
    longest: float
    beyond_50: bool
    beyond_80: bool
    M: int


@dataclass(frozen=True)
class HorizonInterval:
    """Percentile bootstrap intervals of the two horizons, minutes.

    Attributes:
        low_50: lower end for h50 (0 when an all-failing resample is among the lower tail).
        high_50: upper end for h50 (infinite when resamples that never fall are in the tail).
        low_80: lower end for h80.
        high_80: upper end for h80.
        level: confidence level.
        population: ``fresh tasks`` or, with clusters, ``new families``.
        replicates: resamples drawn.
    """

    low_50: float
    high_50: float
    low_80: float
    high_80: float
    level: float
    population: str
    replicates: int


@dataclass(frozen=True)
class LengthBin:
    """Success among the tasks of one span of lengths.

    Attributes:
        low: shortest length of the span, minutes, included.
        high: end of the span, not included (but in the last span it is).
        tasks: tasks in the span.
        rate: mean success rate of those tasks; NaN when there are none.
    """

    low: float
    high: float
    tasks: int
    rate: float


def horizon_at(level: float, *, h50: float, slope: float) -> float:
    """Length at which a fitted curve crosses ``level``: ``h50 2^(-logit(level) / slope)``.

    Args:
        level: success level, strictly between 0 and 1.
        h50: the 50% horizon, any unit of time.
        slope: fall of the log-odds for each doubling, above zero.

    Returns:
        The length in h50's unit.
    """
    if not 0 < level < 1:
        raise BadArgument(f"level is {level!r}; it must lie strictly between 0 and 1.")
    return float(positive("h50", h50) * 2 ** (-special.logit(level) / positive("slope", slope)))


def growth_factor(months: float, *, doubling: float) -> float:
    """Factor by which a horizon grows in ``months`` when it doubles every ``doubling`` months."""
    return float(2 ** (float(months) / positive("doubling", doubling)))


def fit_horizon(minutes: ArrayLike, passes: ArrayLike, trials: ArrayLike = 1) -> Horizon:
    """Fit the 50% and 80% time horizon by maximum likelihood.

    Args:
        minutes: length of each task, above zero, shape (M,).
        passes: passed trials of each task, shape (M,).
        trials: trials of each task, a number or shape (M,).

    Returns:
        The horizons; a horizon beyond the longest task is flagged, since no task was there.

    Warns:
        NoHorizon: with NaN, when success does not fall with length, or every task up to some
            length passed and every longer one failed (then any steep curve fits).
    """
    x, share = _lengths(minutes, passes, trials)
    longest = float(2 ** x.max())
    fitted = _fit(x, share, np.ones_like(x))
    if fitted is None or fitted[1] <= FLAT:
        why = "splits into two clean halves" if fitted is None else "does not fall with length"
        warnings.warn(
            f"Success over {x.size} tasks {why}: no horizon can be fitted; add tasks of lengths "
            "at which the agent sometimes fails.",
            NoHorizon,
            stacklevel=2,
        )
        return Horizon(math.nan, math.nan, math.nan, longest, False, False, x.size)
    h50, h80 = _crossings(*fitted)
    slope = fitted[1]
    return Horizon(h50, h80, slope, longest, h50 > longest, h80 > longest, x.size)


def horizon_interval(
    minutes: ArrayLike,
    passes: ArrayLike,
    trials: ArrayLike = 1,
    *,
    rng: np.random.Generator,
    families: Sequence[object] | None = None,
    level: float = 0.95,
    replicates: int = 1_000,
) -> HorizonInterval:
    """Percentile bootstrap interval of the horizons, resampling tasks or whole families.

    Resamples that pass everything, or do not fall, count as an infinite horizon (or 0 when they
    fail mostly), so the interval widens rather than leaving them out.

    Args:
        minutes: length of each task, shape (M,).
        passes: passed trials of each task.
        trials: trials of each task.
        rng: draws the resamples.
        families: a label a task; when given, families are resampled instead of tasks.
        level: confidence level.
        replicates: resamples.

    Returns:
        The intervals.
    """
    x, share = _lengths(minutes, passes, trials)
    check_level(level)
    draws = whole("replicates", replicates, least=100)
    group = np.arange(x.size) if families is None else labels("families", families, x.size)
    groups = int(group.max()) + 1
    if groups < 2:
        raise BadArgument(f"{groups} family: resampling needs at least 2.")
    horizons = np.empty((draws, len(LEVELS)))
    for i in range(draws):
        counts = np.bincount(rng.integers(0, groups, size=groups), minlength=groups)
        horizons[i] = _resampled(x, share, counts[group].astype(float))
    horizons.sort(axis=0)
    tail = (1 - level) / 2
    low, high = horizons[int(tail * draws)], horizons[min(int((1 - tail) * draws), draws - 1)]
    return HorizonInterval(
        low_50=float(low[0]),
        high_50=float(high[0]),
        low_80=float(low[1]),
        high_80=float(high[1]),
        level=level,
        population="fresh tasks" if families is None else "new families",
        replicates=draws,
    )


def success_by_length(
    minutes: ArrayLike, passes: ArrayLike, trials: ArrayLike = 1, *, edges: ArrayLike
) -> tuple[LengthBin, ...]:
    """Mean success rate of the tasks within spans of length.

    Args:
        minutes: length of each task, shape (M,).
        passes: passed trials of each task.
        trials: trials of each task.
        edges: rising ends of the spans, in minutes, at least two; every task must fall in one.

    Returns:
        One entry a span.

    Warns:
        EmptyLengthBin: for spans without tasks (rate NaN).
    """
    _, share = _lengths(minutes, passes, trials)
    length = np.asarray(minutes, dtype=float)
    ends = np.asarray(edges, dtype=float)
    if ends.ndim != 1 or ends.size < 2 or not np.all(np.diff(ends) > 0):
        raise BadArgument(f"edges are {ends.tolist()}; give at least two rising lengths.")
    if length.min() < ends[0] or length.max() > ends[-1]:
        raise BadArgument(
            f"edges run from {ends[0]:g} to {ends[-1]:g} minutes but tasks from "
            f"{length.min():g} to {length.max():g}; widen the edges so no task is left out."
        )
    place = np.minimum(np.searchsorted(ends, length, side="right") - 1, ends.size - 2)
    bins = []
    for i in range(ends.size - 1):
        inside = share[place == i]
        rate = float(inside.mean()) if inside.size else math.nan
        bins.append(LengthBin(float(ends[i]), float(ends[i + 1]), int(inside.size), rate))
    empty = [f"{b.low:g}-{b.high:g}" for b in bins if not b.tasks]
    if empty:
        warnings.warn(
            f"No task of {', '.join(empty)} minutes: the rate there is NaN.",
            EmptyLengthBin,
            stacklevel=2,
        )
    return tuple(bins)


def _lengths(minutes: ArrayLike, passes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    length = np.atleast_1d(np.asarray(minutes, dtype=float))
    c, n = per_task(passes, trials, k=1)
    if length.shape != c.shape or not np.all(np.isfinite(length) & (length > 0)):
        raise BadArgument(
            f"minutes has shape {length.shape} for {c.size} tasks and holds values from "
            f"{length.min():g}; give one finite length above zero for each task."
        )
    return np.log2(length), c / n


def _fit(x: Floats, share: Floats, weight: Floats) -> tuple[float, float] | None:
    """(log2 h50, slope) of the weighted logistic curve; None when the likelihood has no peak."""
    used = weight > 0
    x, share, weight = x[used], share[used], weight[used]
    passed, failed = x[share > 0], x[share < 1]
    if not passed.size or not failed.size or x.min() == x.max():
        return None
    if passed.max() <= failed.min() or failed.max() <= passed.min():
        return None
    centre, scale = float(x.mean()), float(x.std())
    design = np.stack([np.ones_like(x), (x - centre) / scale], axis=1)
    beta = np.zeros(2)
    for _ in range(100):
        rate = special.expit(design @ beta)
        gradient = design.T @ (weight * (share - rate))
        information = (design * (weight * rate * (1 - rate))[:, None]).T @ design
        step = np.linalg.solve(information, gradient)
        beta = beta + step / max(1.0, float(np.abs(step).max()) / 4)
        if np.abs(step).max() < 1e-10:
            break
    slope = -float(beta[1]) / scale
    return (centre + float(beta[0]) / slope if slope else math.nan), slope


def _crossings(log_h50: float, slope: float) -> tuple[float, float]:
    """Both horizons in minutes; a nearly flat curve crosses very far out, but finitely."""
    logs = [log_h50 - float(special.logit(level)) / slope for level in LEVELS]
    h50, h80 = (float(np.exp2(np.clip(value, -1000, 1000))) for value in logs)
    return h50, h80


def _resampled(x: Floats, share: Floats, weight: Floats) -> tuple[float, float]:
    """Both horizons of one resample, with limits where there is no fit."""
    fitted = _fit(x, share, weight)
    if fitted is not None and fitted[1] > FLAT:
        return _crossings(*fitted)
    used = weight > 0
    passed, failed = x[used & (share > 0)], x[used & (share < 1)]
    if passed.size and failed.size and passed.max() <= failed.min():
        step = float(2 ** ((passed.max() + failed.min()) / 2))
        return step, step
    mean = float(np.average(share, weights=weight))
    return (math.inf if mean >= LEVELS[0] else 0.0), (math.inf if mean >= LEVELS[1] else 0.0)
