"""Lenient graders: the formulas against known answers, simulation and their own inverse."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from known_answers import answer
from numpy.typing import NDArray
from scipy import special, stats

from tau_env.errors import BadArgument, NotEnoughData
from tau_env.stats.beta_binomial import pass_hat_curve
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.grader_error import (
    CorrectionOutsideRange,
    ImpossibleFalsePassRate,
    audit_false_passes,
    corrected_curve,
    false_discovery_rate,
    false_pass_rate,
    graded_rate,
    horizon_stretch,
    measured_curve,
)


def kimi_curve(entry: dict[str, Any], k_max: int) -> NDArray[np.float64]:
    mean, size = entry["inputs"]["mean"], entry["inputs"]["concentration"]
    return pass_hat_curve(mean * size, (1 - mean) * size, np.arange(1, k_max + 1))


def test_known_grader_f_from_fdr() -> None:
    entry = answer("grader-f-from-fdr")
    p, f = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    fdr = false_discovery_rate(p, f)
    assert fdr == pytest.approx(want["fdr"], abs=tol)
    assert false_pass_rate(fdr, p) == pytest.approx(want["f_back"], abs=tol)
    audit = answer("pub-vamos-fdr")["expected"]["fdr"]
    with pytest.warns(ImpossibleFalsePassRate, match=r"below 0\.4585"):
        impossible = false_pass_rate(audit, 0.5)
    assert impossible == pytest.approx(want["f_at_fdr_5415_p_half"], abs=tol)


def test_known_pub_vamos_fdr() -> None:
    entry = answer("pub-vamos-fdr")
    audit = audit_false_passes(
        entry["inputs"]["failed"], entry["inputs"]["declared"], measured_rate=0.5
    )
    assert audit.false_discovery_rate == pytest.approx(
        entry["expected"]["fdr"], abs=entry["tolerance"]
    )


def test_known_grader_homogeneous() -> None:
    entry = answer("grader-homogeneous")
    p, f, ks = entry["inputs"].values()
    true = p ** np.arange(1, max(ks) + 1)
    measured = measured_curve(true, f)
    places = np.array(ks) - 1
    tol = entry["tolerance"]
    np.testing.assert_allclose(measured[places], entry["expected"]["measured"], atol=tol)
    np.testing.assert_allclose(true[places], entry["expected"]["true"], atol=tol)
    np.testing.assert_allclose(
        measured[places] / true[places], entry["expected"]["ratio"], atol=tol
    )


def test_known_grader_horizon() -> None:
    entry = answer("grader-horizon")
    f, q, k = entry["inputs"].values()
    stretch = horizon_stretch(k, failure_rate=q, f=f)
    want, tol = entry["expected"], entry["tolerance"]
    assert stretch.equivalent_k == pytest.approx(want["equivalent_k"], abs=tol)
    assert stretch.rule_k == pytest.approx(want["rule"], abs=tol)
    assert stretch.stretch == pytest.approx(want["stretch"], abs=tol)


def test_known_grader_kimi_independent() -> None:
    entry = answer("grader-kimi-independent")
    ks = np.array(entry["inputs"]["k"])
    true = kimi_curve(entry, ks.max())
    want, tol = entry["expected"], entry["tolerance"]
    for f, name in zip(entry["inputs"]["f"], ["true", "f03", "f06724"], strict=True):
        np.testing.assert_allclose(measured_curve(true, f)[ks - 1], want[name], atol=tol)
    inflation = measured_curve(true, 0.6724)[ks - 1] / true[ks - 1]
    np.testing.assert_allclose(inflation, want["inflation06724"], atol=tol)


def test_known_grader_kimi_correlated() -> None:
    entry = answer("grader-kimi-correlated")
    f, k = entry["inputs"]["f"], entry["inputs"]["k"]
    true = kimi_curve(entry, k)
    want, tol = entry["expected"], entry["tolerance"]
    assert true[k - 1] == pytest.approx(want["true"], abs=tol)
    assert measured_curve(true, f)[k - 1] == pytest.approx(want["independent"], abs=tol)
    together = measured_curve(true, f, correlated=True)[k - 1]
    assert together == pytest.approx(want["correlated"], abs=tol)


def test_known_grader_mc() -> None:
    entry = answer("grader-mc")
    mean, size, f, k, tasks = entry["inputs"].values()
    rng = np.random.default_rng(20261005)
    p = rng.beta(mean * size, (1 - mean) * size, size=tasks)
    passed_all = rng.random(tasks) < graded_rate(p, f) ** k
    assert passed_all.mean() == pytest.approx(entry["expected"], abs=entry["tolerance"])


def test_measured_curve_against_quadrature() -> None:
    a, b, f = 0.7, 1.3, 0.4
    x, w = special.roots_sh_jacobi(60, a + b - 1, a)
    direct = [np.sum(w * (x + f * (1 - x)) ** k) / np.sum(w) for k in range(1, 9)]
    measured = measured_curve(pass_hat_curve(a, b, np.arange(1, 9)), f)
    np.testing.assert_allclose(measured, direct, rtol=1e-10)


@pytest.mark.parametrize("correlated", [False, True])
def test_correction_undoes_the_grader(correlated: bool) -> None:
    true = pass_hat_curve(1.2, 0.8, np.arange(1, 9))
    measured = measured_curve(true, 0.35, correlated=correlated)
    back = corrected_curve(measured, 0.35, correlated=correlated)
    np.testing.assert_allclose(back, true, atol=1e-9)


def test_correction_keeps_unbiased_estimates_unbiased() -> None:
    p, f, n, ks = 0.6, 0.3, 6, np.arange(1, 4)
    c = np.arange(n + 1)
    chance = stats.binom.pmf(c, n, graded_rate(p, f)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorrectionOutsideRange)
        corrected = np.array(
            [corrected_curve([pass_hat_k(n, int(i), int(k)) for k in ks], f) for i in c]
        )
    np.testing.assert_allclose(chance @ corrected, p**ks, atol=1e-12)


def test_correction_says_when_f_does_not_fit() -> None:
    with pytest.warns(CorrectionOutsideRange, match="f is too large"):
        corrected = corrected_curve([0.3, 0.1], 0.5)
    assert corrected[0] == pytest.approx(-0.4)


def test_audit_interval_holds_the_planted_rate() -> None:
    p, f = 0.4, 0.3
    measured = float(graded_rate(p, f)[0])
    rng = np.random.default_rng(7)
    found = rng.binomial(150, false_discovery_rate(p, f), size=400)
    audits = [audit_false_passes(int(bad), 150, measured_rate=measured) for bad in found]
    held = np.mean([a.f_low <= f <= a.f_high for a in audits])
    assert held >= 0.93
    assert np.mean([a.f for a in audits]) == pytest.approx(f, abs=0.02)


def test_audit_agrees_with_the_formula_of_the_true_rate() -> None:
    audit = audit_false_passes(30, 100, measured_rate=0.6)
    assert audit.true_rate == pytest.approx(0.42)
    assert audit.f == pytest.approx(false_pass_rate(0.3, audit.true_rate))


def test_audit_interval_against_scipy() -> None:
    audit = audit_false_passes(7, 60, measured_rate=0.7)
    exact = stats.binomtest(7, 60).proportion_ci(method="exact")
    assert audit.f_low == pytest.approx(exact.low * 0.7 / (1 - 0.7 * (1 - exact.low)))
    assert audit.f_high == pytest.approx(exact.high * 0.7 / (1 - 0.7 * (1 - exact.high)))


def test_audit_without_any_failure_is_nan_with_a_warning() -> None:
    with pytest.warns(NotEnoughData, match="no failure"):
        audit = audit_false_passes(0, 20, measured_rate=1.0)
    assert math.isnan(audit.f)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: graded_rate(0.5, 1.2), "f is 1.2"),
        (lambda: measured_curve([0.5, 1.5], 0.2), "1.5"),
        (lambda: measured_curve([[0.5]], 0.2), "shape"),
        (lambda: corrected_curve([0.5], 1.0), r"\[0, 1\)"),
        (lambda: horizon_stretch(0, failure_rate=0.1, f=0.2), "at least 1"),
        (lambda: audit_false_passes(5, 4, measured_rate=0.5), "more than audited"),
        (lambda: audit_false_passes(1, 4, measured_rate=0.0), "more than zero"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
