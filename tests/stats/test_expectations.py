"""What the estimators amount to when the success rates are known."""

from __future__ import annotations

import numpy as np
import pytest
from known_answers import answer
from scipy import optimize

from tau_env.errors import BadArgument
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.expectations import (
    pass_hat_k_variance,
    plug_in_bias,
    plug_in_mean,
    true_pass_at_k,
    true_pass_hat_k,
)


def test_known_est_variance_shrinks_with_n() -> None:
    entry = answer("est-variance-shrinks-with-n")
    k, rates, ns = entry["inputs"].values()
    for p in rates:
        got = [pass_hat_k_variance(n, p, k) for n in ns]
        want = entry["expected"]["variance"][str(p)]
        np.testing.assert_allclose(got, want, atol=entry["tolerance"])
        assert sorted(got, reverse=True) == got


def test_known_bias_plugin_closed_form() -> None:
    entry = answer("bias-plugin-closed-form")
    n, k, p = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    assert plug_in_mean(n, p, k) == pytest.approx(want["plug_in_mean"], abs=tol)
    assert plug_in_bias(n, p, k) == pytest.approx(want["bias"], abs=tol)
    assert true_pass_hat_k([p], k) == pytest.approx(want["true"], abs=tol)


def test_known_bias_plugin_maximum() -> None:
    entry = answer("bias-plugin-maximum")
    n, k = entry["inputs"].values()
    found = optimize.minimize_scalar(
        lambda p: -float(plug_in_bias(n, p, k)), bounds=(0.0, 1.0), method="bounded"
    )
    want, tol = entry["expected"], entry["tolerance"]
    assert -found.fun == pytest.approx(want["max_bias"], abs=tol)
    assert found.x == pytest.approx(want["argmax_p"], abs=tol)


def test_known_bias_plugin_generic_k() -> None:
    entry = answer("bias-plugin-generic-k")
    got = [plug_in_mean(n, p, k) for n, k, p in entry["inputs"]["cases"]]
    np.testing.assert_allclose(got, entry["expected"]["plug_in_mean"], atol=entry["tolerance"])


def test_known_bias_directions() -> None:
    entry = answer("bias-directions")
    n, ks, rates = entry["inputs"].values()
    assert entry["expected"] == {"hat_bias_sign": ">=0", "at_bias_sign": "<=0"}
    p, tol = np.array(rates), entry["tolerance"]
    inside = (p > 0) & (p < 1)
    for k in ks:
        hat = np.asarray(plug_in_bias(n, p, k))
        at = -np.asarray(plug_in_bias(n, 1 - p, k))
        assert (hat >= -tol).all()
        assert (at <= tol).all()
        if k > 1:
            assert (hat[inside] > tol).all()
            assert (at[inside] < -tol).all()
        else:
            np.testing.assert_allclose(hat, 0.0, atol=tol)


def test_known_bias_unbiased_mc() -> None:
    entry = answer("bias-unbiased-mc")
    n, k, size = (entry["inputs"][name] for name in ("n", "k", "tasks_per_p"))
    rng = np.random.default_rng(20261005)
    for p in np.arange(1, 20) / 20:
        got = float(pass_hat_k(n, rng.binomial(n, p, size), k).mean())
        assert got == pytest.approx(p**k, abs=entry["tolerance"])


def test_known_def_ninety_percent() -> None:
    entry = answer("def-ninety-percent")
    p, k = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    assert true_pass_hat_k([p], k) == pytest.approx(want["pass_hat"], abs=tol)
    assert true_pass_at_k([p], k) == pytest.approx(want["pass_at"], abs=tol)


def test_known_def_steps_095() -> None:
    entry = answer("def-steps-095")
    p, steps = entry["inputs"].values()
    assert true_pass_hat_k([p], steps) == pytest.approx(entry["expected"], abs=entry["tolerance"])


def test_known_def_homogeneous_taubench() -> None:
    entry = answer("def-homogeneous-taubench")
    p, k = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    got = true_pass_hat_k([p] * 115, k)
    assert got == pytest.approx(want["pass_hat"], abs=tol)
    assert 0.25 / got == pytest.approx(want["ratio_at_025"], rel=tol)
    assert answer("pub-taubench")["expected"]["pass1"] == p


def test_known_def_two_task_benchmarks() -> None:
    entry = answer("def-two-task-benchmarks")
    for name in "AB":
        p = entry["inputs"][name]
        hat = [true_pass_hat_k(p, k) for k in entry["inputs"]["k"]]
        at = [true_pass_at_k(p, k) for k in entry["inputs"]["k"]]
        np.testing.assert_allclose(hat, entry["expected"][f"{name}_hat"], atol=entry["tolerance"])
        np.testing.assert_allclose(at, entry["expected"][f"{name}_at"], atol=entry["tolerance"])


def test_known_def_jensen_bounds() -> None:
    entry = answer("def-jensen-bounds")
    p, ks = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    mean = float(np.mean(p))
    for i, k in enumerate(ks):
        hat, at = true_pass_hat_k(p, k), true_pass_at_k(p, k)
        assert hat == pytest.approx(want["pass_hat"][i], abs=tol)
        assert at == pytest.approx(want["pass_at"][i], abs=tol)
        assert true_pass_hat_k([mean], k) == pytest.approx(want["naive_hat"][i], abs=tol)
        assert true_pass_at_k([mean], k) == pytest.approx(want["naive_at"][i], abs=tol)
        assert mean**k - tol <= hat <= mean + tol
        assert mean - tol <= at <= 1 - (1 - mean) ** k + tol


def test_known_indep_identical_seeds() -> None:
    entry = answer("indep-identical-seeds")
    rates, ks = entry["inputs"].values()
    rng = np.random.default_rng(0)
    copies = np.where(rng.random((200_000, 3)) < rates, 8, 0)
    for i, k in enumerate(ks):
        same = float(pass_hat_k(8, copies, k).mean())
        assert same == pytest.approx(entry["expected"]["pass_hat"][i], abs=0.004)
        apart = true_pass_hat_k(rates, k)
        assert apart == pytest.approx(entry["expected"]["independent_hat"][i], abs=1e-12)


def test_plug_in_mean_stays_finite_for_many_trials() -> None:
    assert plug_in_mean(100_000, 0.9, 50) == pytest.approx(0.9**50, rel=2e-3)
    assert plug_in_mean(3, 0.0, 2) == 0.0
    assert plug_in_mean(3, 1.0, 2) == 1.0


def test_known_rates_keep_the_shape_asked_for() -> None:
    assert np.shape(plug_in_bias(5, [[0.1, 0.2]], 2)) == (1, 2)
    assert isinstance(pass_hat_k_variance(5, 0.5, 2), float)


@pytest.mark.parametrize("p", [[], [1.5], [float("nan")], [-0.1]])
def test_known_rates_refuse(p: list[float]) -> None:
    with pytest.raises(BadArgument):
        true_pass_hat_k(p, 2)
    with pytest.raises(BadArgument):
        true_pass_at_k(p, 2)
