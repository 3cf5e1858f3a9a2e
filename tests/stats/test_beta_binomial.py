"""Beta models: curves, matches, fits."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from known_answers import answer
from scipy import optimize, special, stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import BoundaryFit, TooFewTrials
from tau_env.stats.beta_binomial import (
    beta_from_moments,
    beta_icc,
    fit_beta_binomial,
    fit_beta_moments,
    match_beta,
    pass_at_curve,
    pass_hat_curve,
    plug_in_under_beta,
)


def counts_of(histogram: list[int]) -> np.ndarray:
    return np.repeat(np.arange(len(histogram)), histogram)


def test_known_beta_moments_612() -> None:
    entry = answer("beta-moments-612")
    mean, k, sizes = entry["inputs"].values()
    hat = [pass_hat_curve(mean * s, (1 - mean) * s, k)[0] for s in sizes]
    at = [pass_at_curve(mean * s, (1 - mean) * s, k)[0] for s in sizes]
    np.testing.assert_allclose(hat, entry["expected"]["pass_hat"], atol=entry["tolerance"])
    np.testing.assert_allclose(at, entry["expected"]["pass_at"], atol=entry["tolerance"])


def test_known_beta_mean_09() -> None:
    entry = answer("beta-mean-09")
    mean, s, k = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    assert pass_hat_curve(mean * s, (1 - mean) * s, k)[0] == pytest.approx(want["spread"], abs=tol)
    alike = pass_hat_curve(mean * 1e12, (1 - mean) * 1e12, k)[0]
    assert alike == pytest.approx(want["alike"], abs=tol)


def test_known_beta_agents_a_b() -> None:
    entry = answer("beta-agents-A-B")
    want, tol = entry["expected"], entry["tolerance"]
    for name in "AB":
        a, b = entry["inputs"][name]
        np.testing.assert_allclose(
            pass_hat_curve(a, b, entry["inputs"]["k"]), want[f"{name}_hat"], atol=tol
        )
        assert pass_at_curve(a, b, 3)[0] == pytest.approx(want[f"{name}_at3"], abs=tol)
        assert beta_icc(a, b) == pytest.approx(want[f"rho_{name}"], abs=tol)


def test_known_beta_icc_identity() -> None:
    entry = answer("beta-icc-identity")
    for (a, b), rho in zip(entry["inputs"]["cases"], entry["expected"]["rho"], strict=True):
        m1, m2 = pass_hat_curve(a, b, [1, 2])
        assert beta_icc(a, b) == pytest.approx(rho, abs=entry["tolerance"])
        assert (m2 - m1**2) / (m1 * (1 - m1)) == pytest.approx(rho, abs=entry["tolerance"])


def test_known_beta_generic_product_vs_betaln() -> None:
    entry = answer("beta-generic-product-vs-betaln")
    a, b, ks = entry["inputs"].values()
    got = pass_hat_curve(a, b, ks)
    np.testing.assert_allclose(got, entry["expected"]["pass_hat"], atol=entry["tolerance"])
    by_betaln = np.exp(special.betaln(a + np.array(ks), b) - special.betaln(a, b))
    np.testing.assert_allclose(got, by_betaln, atol=entry["tolerance"])


def test_known_beta_pred_truth16() -> None:
    entry = answer("beta-pred-truth16")
    a, b, ks = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    got = pass_hat_curve(a, b, ks)
    np.testing.assert_allclose(got, want["pass_hat"], atol=tol)
    assert got[-1] / (a / (a + b)) ** 16 == pytest.approx(want["ratio"], rel=tol)


def test_known_bias_benchmark_heterogeneous() -> None:
    entry = answer("bias-benchmark-heterogeneous")
    a, b, n, k = (entry["inputs"][name] for name in ("alpha", "beta", "n", "k"))
    want, tol = entry["expected"], entry["tolerance"]
    assert pass_hat_curve(a, b, k)[0] == pytest.approx(want["true"], abs=tol)
    assert plug_in_under_beta(a, b, n, k) == pytest.approx(want["plug_in_mean"], abs=tol)
    fitted = match_beta(entry["inputs"]["mean"], want["true"], k)
    assert sum(fitted) == pytest.approx(entry["inputs"]["concentration_inferred"], abs=1e-9)


def test_known_fit_kimi_check() -> None:
    entry = answer("fit-kimi-check")
    mean, k = entry["inputs"]["mean"], entry["inputs"]["n"]
    want, tol = entry["expected"], entry["tolerance"]
    a, b = match_beta(mean, 68 / 507, k)
    assert a + b == pytest.approx(want["concentration"], abs=tol)
    assert beta_icc(a, b) == pytest.approx(want["rho"], abs=tol)
    assert plug_in_under_beta(a, b, k, k) == pytest.approx(want["expected_plug_in_20"], abs=tol)
    assert pass_at_curve(a, b, k)[0] == pytest.approx(want["pass_at_20"], abs=tol)


def test_known_fit_mom_formula() -> None:
    entry = answer("fit-mom-formula")
    a, b = beta_from_moments(entry["inputs"]["m1"], entry["inputs"]["m2"])
    want, tol = entry["expected"], entry["tolerance"]
    assert (a + b, a, b) == pytest.approx((want["s"], want["a"], want["b"]), abs=tol)


@pytest.mark.parametrize("ident", ["fit-apex-gpt", "fit-apex-grok", "fit-115x4"])
def test_known_fits(ident: str) -> None:
    entry = answer(ident)
    histogram, n, k = entry["inputs"].values()
    counts = counts_of(histogram)
    want = entry["expected"]["moments"]
    got = fit_beta_moments(counts, n)
    moments = (got.m1, got.m2, got.concentration, got.a, got.b)
    assert moments == pytest.approx([want[x] for x in ("m1", "m2", "s", "a", "b")], abs=1e-9)
    assert pass_hat_curve(got.a, got.b, k)[0] == pytest.approx(want[f"pass^{k}"], abs=1e-9)
    want = entry["expected"]["mle"]
    got = fit_beta_binomial(counts, n)
    likely = (got.a, got.b, got.rho, got.loglik)
    assert likely == pytest.approx(
        [want[x] for x in ("a", "b", "rho", "loglik")], abs=entry["tolerance"]
    )
    assert pass_hat_curve(got.a, got.b, k)[0] == pytest.approx(
        want[f"pass^{k}"], abs=entry["tolerance"]
    )


def test_known_fit_degenerate() -> None:
    entry = answer("fit-degenerate")
    n, tol = entry["inputs"]["n"], entry["tolerance"]
    for name, counts in entry["inputs"]["counts"].items():
        with pytest.warns(BoundaryFit):
            got = fit_beta_moments(counts, n)
        assert math.isnan(got.a)
        assert math.isnan(got.b)
        want = entry["expected"][name]
        if name in ("always", "never"):
            assert got.status == name
            assert math.isnan(got.concentration)
        else:
            assert (got.m1, got.m2, got.concentration) == pytest.approx(
                (want["m1"], want["m2"], want["s"]), abs=tol
            )


@pytest.mark.parametrize(
    ("counts", "n", "status"),
    [
        ([2, 2, 2, 2], 4, "alike"),
        ([0, 4, 0, 4], 4, "all or nothing"),
        ([4, 4, 4], 4, "always"),
        ([0, 0, 0], 4, "never"),
        ([0, 1, 1], 1, "one trial each"),
    ],
)
def test_fit_reports_the_boundary_and_gives_no_number(
    counts: list[int], n: int, status: str
) -> None:
    category = TooFewTrials if status == "one trial each" else BoundaryFit
    with pytest.warns(category, match="no Beta"):
        got = fit_beta_binomial(counts, n)
    assert got.status == status
    assert all(math.isnan(x) for x in (got.a, got.b, got.rho, got.concentration, got.loglik))
    assert got.m1 == pytest.approx(np.mean(np.array(counts) / n))


def moment_fit_at_16(tasks: int, rng: np.random.Generator) -> float:
    p = rng.beta(1.224, 0.776, tasks)
    fit = fit_beta_moments(rng.binomial(4, p), 4)
    return float(pass_hat_curve(fit.a, fit.b, 16)[0])


def test_known_fit_mom_single_run() -> None:
    entry = answer("fit-mom-single-run")
    rng = np.random.default_rng(1)
    want = entry["expected"]
    for i, tasks in enumerate(entry["inputs"]["tasks"]):
        draws = np.array([moment_fit_at_16(tasks, rng) for _ in range(1_000)])
        assert draws.mean() == pytest.approx(want["mean"][i], abs=entry["tolerance"])
        assert draws.std() == pytest.approx(want["sampling_sd"][i], rel=0.1)
        assert abs(draws[0] - want["truth"]) < 4 * want["sampling_sd"][i]


def test_known_fit_mle_single_run() -> None:
    entry = answer("fit-mle-single-run")
    a, b, n, k, sizes = entry["inputs"].values()
    rng = np.random.default_rng(2)
    want = entry["expected"]
    for i, tasks in enumerate(sizes):
        draws = []
        for _ in range(300):
            fit = fit_beta_binomial(rng.binomial(n, rng.beta(a, b, tasks)), n)
            draws.append(float(pass_hat_curve(fit.a, fit.b, k)[0]))
        assert np.mean(draws) == pytest.approx(want["mean"][i], abs=entry["tolerance"])
        assert np.std(draws) == pytest.approx(want["sampling_sd"][i], rel=0.2)


def test_fit_is_the_maximum_that_a_simplex_finds() -> None:
    rng = np.random.default_rng(3)
    n = rng.integers(1, 12, 300)
    c = rng.binomial(n, rng.beta(2.0, 0.7, 300))
    got = fit_beta_binomial(c, n)

    def loss(x: np.ndarray) -> float:
        return -float(np.sum(stats.betabinom.logpmf(c, n, math.exp(x[0]), math.exp(x[1]))))

    found = optimize.minimize(loss, np.zeros(2), method="Nelder-Mead", tol=1e-10)
    assert np.log([got.a, got.b]) == pytest.approx(found.x, abs=1e-5)
    assert got.loglik == pytest.approx(-found.fun, abs=1e-8)
    assert (got.M, got.n, got.n_max) == (300, int(n.min()), int(n.max()))


def test_fit_covariance_matches_the_spread_of_fits() -> None:
    rng = np.random.default_rng(4)
    fits = [fit_beta_binomial(rng.binomial(6, rng.beta(1.2, 0.8, 400)), 6) for _ in range(400)]
    points = np.array([[special.logit(f.mean), -math.log(f.concentration)] for f in fits])
    told = np.mean([f.covariance for f in fits], axis=0)
    np.testing.assert_allclose(np.diag(np.cov(points.T)), np.diag(told), rtol=0.25)


def test_fit_takes_a_hundred_thousand_trials() -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(1.2, 0.8, 50)
    got = fit_beta_binomial(rng.binomial(100_000, p), 100_000)
    a, b, _, _ = stats.beta.fit(p, floc=0, fscale=1)
    assert (got.a, got.b) == pytest.approx((a, b), rel=0.02)


def test_fit_near_the_boundary_returns_or_says_why() -> None:
    rng = np.random.default_rng(6)
    statuses = set()
    for _ in range(200):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BoundaryFit)
            got = fit_beta_binomial(rng.binomial(4, 0.7, 30), 4)
        statuses.add(got.status)
        assert math.isnan(got.a) == (got.status != "interior")
    assert {"interior", "alike"} <= statuses


def test_curves_neither_overflow_nor_lose_digits() -> None:
    assert pass_hat_curve(0.5, 0.5, 1_000_000)[0] == pytest.approx(
        math.exp(special.betaln(1_000_000.5, 0.5) - special.betaln(0.5, 0.5)), rel=1e-9
    )
    assert pass_hat_curve(9e9, 1e9, 10)[0] == pytest.approx(0.9**10, rel=1e-8)
    assert pass_hat_curve(2.0, 1.0, 0)[0] == 1.0
    assert pass_at_curve(2.0, 1.0, 0)[0] == 0.0


@pytest.mark.parametrize(("a", "b"), [(0.0, 1.0), (1.0, -1.0), (math.inf, 1.0), (math.nan, 1.0)])
def test_curves_refuse_parameters_of_no_beta(a: float, b: float) -> None:
    with pytest.raises(BadArgument, match="positive and finite"):
        pass_hat_curve(a, b, 2)
    with pytest.raises(BadArgument, match="positive and finite"):
        beta_icc(a, b)


def test_matches_refuse_what_no_beta_has() -> None:
    with pytest.raises(BadArgument, match="between mean"):
        match_beta(0.5, 0.6, 3)
    with pytest.raises(BadArgument, match="between mean"):
        match_beta(0.5, 0.1, 3)
    with pytest.raises(BadArgument, match="m1"):
        beta_from_moments(0.5, 0.2)
    with pytest.raises(BadArgument, match="at least one trial"):
        plug_in_under_beta(1.0, 1.0, 0, 1)
    with pytest.raises(BadArgument, match="empty"):
        fit_beta_binomial([], 4)
