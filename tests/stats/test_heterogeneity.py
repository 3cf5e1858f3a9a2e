"""How unlike the tasks are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known_answers import answer
from scipy import signal, stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread, TooFewTrials
from tau_env.stats.beta_binomial import beta_icc, match_beta
from tau_env.stats.heterogeneity import (
    design_effect,
    heterogeneity,
    implied_correlation,
    naive_coverage,
    reconstruct_histogram,
)
from tau_env.stats.intervals import proportion_se, wald


@pytest.mark.parametrize("ident", ["hist-gpt", "hist-grok"])
def test_known_histograms(ident: str) -> None:
    entry = answer(ident)
    given, want, tol = entry["inputs"], entry["expected"], entry["tolerance"]
    found = reconstruct_histogram(
        given["workflows"],
        pass_at_1=given["pass_at_1_percent"] / 100,
        pass_at_3=given["pass_at_3_percent"] / 100,
        reliable_at_3=given["reliable_at_3_percent"] / 100,
    )
    assert found.unique == want["unique"]
    assert list(found.histograms[0]) == want["histogram"]
    counts = np.repeat(range(4), found.histograms[0])
    got = heterogeneity(counts, given["runs"])
    assert counts.sum() == want["successes"]
    assert got.rho == pytest.approx(want["icc"], abs=tol)
    assert got.var_p == pytest.approx(want["var_p"], abs=tol)
    assert got.mean**3 == pytest.approx(want["mean_cubed"], abs=tol)
    assert got.design_effect == pytest.approx(1 + 2 * want["icc"], abs=3 * tol)


def test_known_hist_ratio_vs_independence() -> None:
    entry = answer("hist-ratio-vs-independence")
    for i, ident in enumerate(("hist-gpt", "hist-grok")):
        histogram = answer(ident)["expected"]["histogram"]
        mean = heterogeneity(np.repeat(range(4), histogram), 3).mean
        ratio = histogram[3] / sum(histogram) / mean**3
        assert ratio == pytest.approx(entry["expected"]["ratio"][i], abs=entry["tolerance"])


def test_known_deff_examples() -> None:
    entry = answer("deff-examples")
    want, tol = entry["expected"], entry["tolerance"]
    n, rho = np.array(entry["inputs"]["cases"]).T
    effect = design_effect(n, rho)
    np.testing.assert_allclose(effect, want["deff"], atol=tol)
    np.testing.assert_allclose(np.sqrt(effect), want["width_factor"], atol=tol)
    covered = [naive_coverage(float(x), z=1.96) for x in effect]
    np.testing.assert_allclose(covered, want["naive_coverage"], atol=tol)


def test_known_deff_thinkingbox_table2() -> None:
    entry = answer("deff-thinkingbox-table2")
    tasks, n = entry["inputs"]["tasks"], entry["inputs"]["runs"]
    ratios = []
    for model, given in entry["inputs"]["models"].items():
        want = entry["expected"][model]
        got = implied_correlation(
            given["pass1"], given["halfwidth"] / 100, tasks=tasks, n=n, z=1.96
        )
        tol = entry["tolerance"]
        assert 100 * got.naive_half_width == pytest.approx(want["naive_halfwidth"], abs=tol)
        assert got.width_ratio == pytest.approx(want["width_ratio"], abs=tol)
        assert got.design_effect == pytest.approx(want["deff"], abs=tol)
        assert got.rho == pytest.approx(want["rho_from_ci"], abs=tol)
        ratios.append(got.width_ratio)
        share = given["all20"]
        if share is not None:
            share = share if isinstance(share, float) else int(share.split("/")[0]) / tasks
            a, b = match_beta(given["pass1"], share, n)
            assert a + b == pytest.approx(want["beta_concentration"], abs=tol)
            assert beta_icc(a, b) == pytest.approx(want["rho_from_beta"], abs=tol)
    spread = answer("deff-width-range")
    assert min(ratios) == pytest.approx(spread["expected"]["min"], abs=spread["tolerance"])
    assert max(ratios) == pytest.approx(spread["expected"]["max"], abs=spread["tolerance"])


def exact_wald_coverage(tasks: int, n: int, mean: float, rho: float) -> float:
    """Coverage of the pooled Wald interval, by convolving the counts' laws."""
    nu = 1 / rho - 1
    one = stats.betabinom.pmf(np.arange(n + 1), n, mean * nu, (1 - mean) * nu)
    law = np.ones(1)
    for _ in range(tasks):
        law = signal.convolve(law, one, method="direct")
    total = tasks * n
    low, high = wald(np.arange(total + 1) / total, total, quantile=1.96)
    return float(law[(low <= mean) & (mean <= high)].sum())


def test_known_deff_coverage_naive() -> None:
    entry = answer("deff-coverage-naive")
    tasks, n, mean, rhos = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    exact = [exact_wald_coverage(tasks, n, mean, rho) for rho in rhos]
    np.testing.assert_allclose(exact, want["exact"], atol=tol)
    large = [naive_coverage(design_effect(n, rho), z=1.96) for rho in rhos]
    np.testing.assert_allclose(large, want["large_sample"], atol=tol)


def test_known_var_decomposition() -> None:
    entry = answer("var-decomposition")
    a, b, n, tasks = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    effect = design_effect(n, beta_icc(a, b))
    assert effect == pytest.approx(want["deff"], abs=tol)
    mean = a / (a + b)
    assert proportion_se(mean, tasks * n) ** 2 * effect == pytest.approx(want["var"], abs=tol)


def test_correlation_is_that_of_the_law_behind_the_counts() -> None:
    rng = np.random.default_rng(0)
    n = rng.integers(2, 9, 200_000)
    got = heterogeneity(rng.binomial(n, rng.beta(1.2, 0.8, n.size)), n)
    assert got.rho == pytest.approx(1 / 3, abs=0.01)
    assert (got.M, got.n, got.n_max) == (200_000, 2, 8)


def test_correlation_is_not_cut_off_at_zero() -> None:
    assert heterogeneity([2, 2, 2, 2], 4).rho == pytest.approx(-1 / 3)


def test_one_trial_per_task_says_nothing_of_correlation() -> None:
    with pytest.warns(TooFewTrials, match="two trials"):
        got = heterogeneity([0, 1, 1], 1)
    assert got.mean == pytest.approx(2 / 3)
    assert math.isnan(got.rho)
    assert math.isnan(got.var_p)
    assert math.isnan(got.design_effect)


@pytest.mark.parametrize("count", [0, 4])
def test_no_failure_or_no_success_says_nothing_of_correlation(count: int) -> None:
    with pytest.warns(NoSpread, match="all trials"):
        got = heterogeneity([count] * 5, 4)
    assert math.isnan(got.rho)
    assert got.var_p == 0.0


def test_reconstruction_says_when_it_is_not_unique() -> None:
    got = reconstruct_histogram(120, pass_at_1=0.24, pass_at_3=0.37, reliable_at_3=0.11, decimals=2)
    assert not got.unique
    assert (76, 16, 15, 13) in got.histograms
    assert all(sum(h) == 120 for h in got.histograms)


def test_reconstruction_finds_every_histogram_by_enumeration() -> None:
    tasks = 7
    figures = {"pass_at_1": 0.5, "pass_at_3": 0.7, "reliable_at_3": 0.3}
    brute = []
    for h0 in range(tasks + 1):
        for h1 in range(tasks + 1 - h0):
            for h2 in range(tasks + 1 - h0 - h1):
                h3 = tasks - h0 - h1 - h2
                shares = ((h1 + 2 * h2 + 3 * h3) / 21, 1 - h0 / tasks, h3 / tasks)
                near = zip(shares, figures.values(), strict=True)
                if all(abs(share - figure) <= 0.05 for share, figure in near):
                    brute.append((h0, h1, h2, h3))
    got = reconstruct_histogram(tasks, decimals=1, **figures)
    assert list(got.histograms) == brute
    assert len(brute) > 1


def test_reconstruction_refuses_impossible_figures() -> None:
    with pytest.raises(BadArgument, match="no histogram"):
        reconstruct_histogram(120, pass_at_1=0.9, pass_at_3=0.3, reliable_at_3=0.1)
    with pytest.raises(BadArgument, match=r"23\.6% is 0\.236"):
        reconstruct_histogram(120, pass_at_1=23.6, pass_at_3=0.3, reliable_at_3=0.1)


def test_design_effects_refuse() -> None:
    with pytest.raises(BadArgument, match="rho"):
        design_effect(3, 1.5)
    with pytest.raises(BadArgument, match="above 0"):
        naive_coverage(0.0)
    with pytest.raises(BadArgument, match="inside"):
        implied_correlation(1.0, 0.03, tasks=100, n=3)
    with pytest.raises(BadArgument, match="two trials"):
        implied_correlation(0.5, 0.03, tasks=100, n=1)
