r"""What a lenient grader does to pass^k, and how to undo it.

A grader here makes one kind of error: it passes a failed trial with probability ``f`` and never
fails a good one. Curves are arrays ``[pass^1, ..., pass^K]``: the population moments E[p^k] of
the per-task success rate, or unbiased estimates of them. Estimating the curve itself lives in
:mod:`tau_env.stats.estimators`.

Independent false passes turn p into p' = f + (1 - f) p, so a curve transforms linearly,
E[p'^k] = sum_j C(k, j) f^(k-j) (1-f)^j E[p^j], and the inverse is the same sum with p
written in p'. Being linear, the correction keeps unbiased estimates unbiased.

Source: the false-positive analysis of pass^k under transcript graders (equation 5 of the post
"pass^k" listed as seed 002); the audit is the usual false discovery rate argument.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from tau_env.errors import BadArgument, NotEnoughData
from tau_env.stats._arguments import Floats, positive, probabilities, probability, whole


class ImpossibleFalsePassRate(NotEnoughData):
    """The audit and the success rate contradict each other: they would need f above 1."""


class CorrectionOutsideRange(NotEnoughData):
    """A corrected curve left [0, 1] or rose with k: the false pass rate does not fit the data."""


@dataclass(frozen=True)
class HorizonStretch:
    """How far a lenient grader stretches the number of repeats that an agent seems to survive.

    Attributes:
        k: the repeats that were measured.
        equivalent_k: the k' at which the true pass^k' equals the measured pass^k.
        rule_k: the small-failure rule ``k (1 - f)``.
        stretch: ``1 / (1 - f)``, the rule's factor; infinite at f = 1.
    """

    k: int
    equivalent_k: float
    rule_k: float
    stretch: float


@dataclass(frozen=True)
class GraderAudit:
    """What a sample of passed trials, judged again by a grader that is trusted, says.

    Attributes:
        bad: audited passes that were failures.
        audited: passes that were audited.
        measured_rate: share of all trials that the grader passed.
        false_discovery_rate: ``bad / audited``, the share of passes that are failures.
        true_rate: the success rate without the false passes.
        f: share of failures that pass; NaN (with a warning) when nothing failed.
        f_low: lower end of the interval of f.
        f_high: upper end of the interval of f.
        level: confidence level of the interval.
        method: how the interval was made.
    """

    bad: int
    audited: int
    measured_rate: float
    false_discovery_rate: float
    true_rate: float
    f: float
    f_low: float
    f_high: float
    level: float
    method: str = "exact binomial interval of the false discovery rate, measured rate held fixed"


def graded_rate(p: ArrayLike, f: float) -> Floats:
    """Success rate that a lenient grader reports: ``p + f (1 - p)``.

    Args:
        p: true success rates, any shape.
        f: false pass rate in [0, 1].

    Returns:
        Array of p's shape (at least one-dimensional).
    """
    rates = probabilities("p", p)
    return rates + probability("f", f) * (1 - rates)


def measured_curve(true_curve: ArrayLike, f: float, *, correlated: bool = False) -> Floats:
    """The pass^k curve that a lenient grader reports for a true one.

    Args:
        true_curve: ``[pass^1, ..., pass^K]``, shape (K,).
        f: false pass rate in [0, 1].
        correlated: False: each failed trial is passed on its own coin flip. True: with
            probability f the grader passes every failure of a task, which is the worst case;
            then measured = true + f (1 - true).

    Returns:
        Measured ``[pass^1, ..., pass^K]``, shape (K,).
    """
    curve = _curve("true_curve", true_curve)
    rate = probability("f", f)
    if correlated:
        return curve + rate * (1 - curve)
    return _mix(curve, rate, 1 - rate)


def corrected_curve(measured: ArrayLike, f: float, *, correlated: bool = False) -> Floats:
    """The true pass^k curve behind a measured one: the inverse of :func:`measured_curve`.

    The value at k needs the whole measured curve up to k, because the correction of independent
    false passes is an alternating sum. Noise is amplified by about ((1 + f) / (1 - f))^k: with a
    large f the answer is soft.

    Args:
        measured: measured ``[pass^1, ..., pass^K]``, shape (K,); unbiased estimates stay
            unbiased.
        f: false pass rate in [0, 1).
        correlated: as in :func:`measured_curve`.

    Returns:
        Corrected ``[pass^1, ..., pass^K]``, shape (K,), not clipped.

    Warns:
        CorrectionOutsideRange: when the answer leaves [0, 1] or rises with k, which no success
            rates can do; the values are returned as computed.
    """
    curve = _curve("measured", measured)
    rate = probability("f", f, below_one=True)
    if correlated:
        corrected = (curve - rate) / (1 - rate)
    else:
        corrected = _mix(curve, -rate / (1 - rate), 1 / (1 - rate))
    slack = 1e-9
    falls = np.all(np.diff(corrected) <= slack)
    if corrected.min() < -slack or corrected.max() > 1 + slack or not falls:
        warnings.warn(
            f"Corrected by f = {rate:g} the curve is {np.round(corrected, 4).tolist()}, which no "
            "success rates have: f is too large for these data, or the data are few.",
            CorrectionOutsideRange,
            stacklevel=2,
        )
    return corrected


def horizon_stretch(k: int, *, failure_rate: float, f: float) -> HorizonStretch:
    """Repeats that the true agent survives as often as the measured one survives k.

    Args:
        k: measured repeats, at least 1.
        failure_rate: true failure rate q of one task, in (0, 1).
        f: false pass rate, in [0, 1].

    Returns:
        The exact equivalent ``k log(1 - (1-f) q) / log(1 - q)`` beside the rule ``k (1 - f)``.
    """
    repeats = whole("k", k, least=1)
    q = positive("failure_rate", probability("failure_rate", failure_rate, below_one=True))
    rate = probability("f", f)
    return HorizonStretch(
        k=repeats,
        equivalent_k=repeats * math.log1p(-(1 - rate) * q) / math.log1p(-q),
        rule_k=repeats * (1 - rate),
        stretch=math.inf if rate == 1 else 1 / (1 - rate),
    )


def false_discovery_rate(p: float, f: float) -> float:
    """Share of passes that are failures, ``f q / (p + f q)`` with q = 1 - p.

    Args:
        p: true success rate.
        f: share of failures that the grader passes.

    Returns:
        The rate; NaN with :class:`~tau_env.errors.NotEnoughData` when nothing can pass.
    """
    good = probability("p", p)
    bad = probability("f", f) * (1 - good)
    if good + bad == 0:
        warnings.warn(
            "p = 0 and f = 0: nothing passes, so a share of the passes is not defined.",
            NotEnoughData,
            stacklevel=2,
        )
        return math.nan
    return bad / (good + bad)


def false_pass_rate(fdr: float, p: float) -> float:
    """The false pass rate f behind a false discovery rate: ``FDR p / ((1 - FDR) (1 - p))``.

    The two are different shares: FDR is the share of passes that are failures, f the share of
    failures that pass.

    Args:
        fdr: false discovery rate, in [0, 1).
        p: **true** success rate, in [0, 1). When only the measured rate is known use
            :func:`audit_false_passes`.

    Returns:
        f, as computed.

    Warns:
        ImpossibleFalsePassRate: when f comes out above 1: the true success rate must be lower.
    """
    discovery = probability("fdr", fdr, below_one=True)
    good = probability("p", p, below_one=True)
    f = discovery * good / ((1 - discovery) * (1 - good))
    if f > 1:
        warnings.warn(
            f"FDR {discovery:g} with true success rate {good:g} needs f = {f:.3g} above 1: the "
            f"true success rate must be below {1 - discovery:.4g}.",
            ImpossibleFalsePassRate,
            stacklevel=2,
        )
    return f


def audit_false_passes(
    bad: int, audited: int, *, measured_rate: float, level: float = 0.95
) -> GraderAudit:
    """False pass rate from an audit of passed trials, when only the measured rate is known.

    With no false rejections the true rate is m (1 - FDR), hence f = FDR m / (1 - m (1 - FDR)),
    which rises with FDR, so the ends of FDR's exact (Clopper-Pearson) interval map to the ends
    of f's. The audited trials are taken to be a random sample of the passes and independent; the
    measured rate counts as known, which is fair when it rests on many more trials than the audit.

    Args:
        bad: audited passes that were failures.
        audited: passes that were audited, at least 1.
        measured_rate: share of all trials that the grader passed, in (0, 1].
        level: confidence level.

    Returns:
        The audit; f is NaN with :class:`~tau_env.errors.NotEnoughData` when no trial failed at
        all (measured rate 1 and nothing bad found): then no failure shows how often one passes.
    """
    sample = whole("audited", audited, least=1)
    found = whole("bad", bad)
    if found > sample:
        raise BadArgument(f"bad is {bad} of audited {audited}; it cannot be more than audited.")
    rate = positive("measured_rate", probability("measured_rate", measured_rate))
    tail = (1 - probability("level", level, below_one=True)) / 2
    low = float(stats.beta.ppf(tail, found, sample - found + 1)) if found else 0.0
    high = float(stats.beta.ppf(1 - tail, found + 1, sample - found)) if found < sample else 1.0
    fdr = found / sample
    if rate == 1 and found == 0:
        warnings.warn(
            f"Every trial passed and none of {sample} audited passes was bad: there is no "
            "failure from which f could be learnt.",
            NotEnoughData,
            stacklevel=2,
        )
    return GraderAudit(
        bad=found,
        audited=sample,
        measured_rate=rate,
        false_discovery_rate=fdr,
        true_rate=rate * (1 - fdr),
        f=_f_from_audit(fdr, rate),
        f_low=_f_from_audit(low, rate),
        f_high=_f_from_audit(high, rate),
        level=level,
    )


def _f_from_audit(fdr: float, measured: float) -> float:
    failures = 1 - measured * (1 - fdr)
    return fdr * measured / failures if failures > 0 else math.nan


def _curve(name: str, values: ArrayLike) -> Floats:
    curve = probabilities(name, values)
    if curve.ndim != 1:
        raise BadArgument(f"{name} has shape {curve.shape}; give [pass^1, ..., pass^K].")
    return curve


def _mix(curve: Floats, shift: float, scale: float) -> Floats:
    """Moments of ``shift + scale * p`` from the moments [E p, ..., E p^K]."""
    moments = np.concatenate([[1.0], curve])
    k = np.arange(1, curve.size + 1)[:, None]
    j = np.arange(curve.size + 1)[None, :]
    powers = np.where(j <= k, float(shift) ** np.maximum(k - j, 0) * float(scale) ** j, 0.0)
    return np.asarray((special.comb(k, j) * powers) @ moments, dtype=float)
