"""Proportions, clusters, and how many clusters tasks are worth."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from known_answers import answer
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FewClusters, NoSpread
from tau_env.stats.intervals import (
    NEW_FAMILIES,
    clustered_interval,
    clustered_se,
    exact,
    j_eff,
    proportion_interval,
    proportion_se,
    wald,
    wilson,
)


def test_known_ci_wilson_62_82() -> None:
    entry = answer("ci-wilson-62-82")
    x, n, other = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    got = proportion_interval(x, n)
    assert (got.estimate, got.low, got.high) == pytest.approx(
        (want["estimate"], want["lo"], want["hi"]), abs=tol
    )
    assert (got.low <= other / n <= got.high) == want["other_inside"]


def test_known_se_500() -> None:
    entry = answer("se-500")
    p, n = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    se = proportion_se(p, n)
    assert se == pytest.approx(want["se"], abs=tol)
    low, high = wald(p, n, quantile=1.96)
    assert (high - low) / 2 == pytest.approx(want["half"], abs=tol)
    assert se * math.sqrt(2) == pytest.approx(want["se_difference_unpaired"], abs=tol)


def test_known_jeff_four_tasks() -> None:
    entry = answer("jeff-four-tasks")
    assert j_eff(entry["inputs"]["sizes"]) == pytest.approx(entry["expected"], abs=1e-12)


def test_known_jeff_swe_bench_verified() -> None:
    entry = answer("jeff-swe-bench-verified")
    sizes = np.array(entry["inputs"]["sizes"])
    want = entry["expected"]
    assert (sizes.sum(), (sizes**2).sum()) == (want["total"], want["sum_squares"])
    assert j_eff(sizes) == pytest.approx(want["j_eff"], abs=entry["tolerance"])


def test_known_cse_formula() -> None:
    entry = answer("cse-formula")
    x, cluster = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    with pytest.warns(FewClusters, match=r"4 clusters are worth 3\.2"):
        got = clustered_se(x, cluster)
    assert got == pytest.approx(want["se"], abs=tol)
    assert got * math.sqrt(3 / 4) == pytest.approx(want["without_factor"], abs=tol)
    with pytest.warns(FewClusters):
        apart = clustered_se(x, range(8))
    assert apart == pytest.approx(want["iid_se"], abs=tol)


def test_known_cse_singletons() -> None:
    entry = answer("cse-singletons")
    x = entry["inputs"]["x"]
    with pytest.warns(FewClusters):
        got = clustered_se(x, range(len(x)))
    assert got == pytest.approx(entry["expected"]["se"], abs=entry["tolerance"])
    with pytest.raises(BadArgument, match="at least two"):
        clustered_se(x, ["A"] * len(x))


def test_known_cse_simulation() -> None:
    entry = answer("cse-simulation")
    given, want, tol = entry["inputs"], entry["expected"], entry["tolerance"]
    sizes = np.array(given["sizes"])
    repo = np.repeat(np.arange(sizes.size), sizes)
    rng = np.random.default_rng(11)
    means, iid, clustered = [], [], []
    for _ in range(given["draws"]):
        shift = given["sd_repo"] * rng.normal(size=sizes.size)[repo]
        logit = given["base"] + shift + given["sd_task"] * rng.normal(size=repo.size)
        x = (rng.random(repo.size) < 1 / (1 + np.exp(-logit))).astype(float)
        means.append(x.mean())
        iid.append(proportion_se(float(x.mean()), x.size - 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewClusters)
            clustered.append(clustered_se(x, repo))
    assert np.mean(means) == pytest.approx(want["mean"], abs=tol["mean"])
    assert 100 * np.mean(iid) == pytest.approx(want["iid_se_points"], abs=tol["iid_se_points"])
    assert 100 * np.mean(clustered) == pytest.approx(
        want["clustered_se_points"], abs=tol["clustered_se_points"]
    )
    assert 100 * np.std(means) == pytest.approx(want["true_sd_points"], abs=tol["true_sd_points"])


@pytest.mark.parametrize("x", [0, 1, 7, 29, 30])
def test_proportions_agree_with_statsmodels(x: int) -> None:
    for ours, theirs in (("wilson", "wilson"), ("exact", "beta")):
        got = proportion_interval(x, 30, method=ours)  # type: ignore[arg-type]
        want = proportion_confint(x, 30, alpha=0.05, method=theirs)
        assert (got.low, got.high) == pytest.approx(want, abs=1e-12)


def test_proportions_agree_with_scipy() -> None:
    for x in (0, 3, 20):
        for level in (0.8, 0.99):
            for method in ("wilson", "exact"):
                got = proportion_interval(x, 20, method=method, level=level)
                want = stats.binomtest(x, 20).proportion_ci(level, method=method)
                assert (got.low, got.high) == pytest.approx((want.low, want.high), abs=1e-9)


def test_clustered_se_agrees_with_statsmodels() -> None:
    rng = np.random.default_rng(12)
    cluster = rng.integers(0, 40, 300)
    x = rng.normal(size=300) + rng.normal(size=40)[cluster]
    fit = sm.OLS(x, np.ones(300)).fit(cov_type="cluster", cov_kwds={"groups": cluster}, use_t=True)
    # statsmodels multiplies by (M-1)/(M-k) as well, which is 1 for a constant alone.
    assert clustered_se(x, cluster) == pytest.approx(fit.bse[0], rel=1e-12)
    got = clustered_interval(x, cluster)
    assert (got.low, got.high) == pytest.approx(fit.conf_int()[0], rel=1e-9)
    assert got.population == NEW_FAMILIES
    assert got.df == 39


def test_exact_is_monotone_between_whole_counts_and_inside_the_unit() -> None:
    p = np.linspace(0, 1, 401)
    for bounds in (exact(p, 17.5), wilson(p, 17.5, quantile=2.1), wald(p, 17.5, quantile=2.1)):
        assert (bounds.low >= 0).all()
        assert (bounds.high <= 1).all()
        assert (bounds.low <= p + 1e-12).all()
        assert (p - 1e-12 <= bounds.high).all()
    assert (np.diff(exact(p, 17.5).low) >= 0).all()


def test_exact_covers_at_every_true_share() -> None:
    n = 30
    x = np.arange(n + 1)
    low, high = exact(x / n, n)
    for p in np.linspace(0.01, 0.99, 99):
        assert stats.binom.pmf(x, n, p)[(low <= p) & (p <= high)].sum() >= 0.95


def test_clusters_that_do_not_differ_give_no_error_bar() -> None:
    with pytest.warns(NoSpread), pytest.warns(FewClusters):
        assert math.isnan(clustered_se([1, 1, 1, 1], "AABB"))


def test_many_even_clusters_give_no_warning() -> None:
    rng = np.random.default_rng(13)
    assert clustered_se(rng.random(60), np.arange(60) % 30) > 0


def test_a_share_of_nought_has_no_standard_error() -> None:
    got = proportion_interval(0, 10, method="exact")
    assert math.isnan(got.se)
    assert got.low == 0.0
    assert got.high == pytest.approx(1 - 0.025 ** (1 / 10))
    assert got.conservative


@pytest.mark.parametrize("sizes", [[], [0, 0], [-1, 3]])
def test_j_eff_refuses(sizes: list[int]) -> None:
    with pytest.raises(BadArgument, match="at least one cluster"):
        j_eff(sizes)


def test_intervals_refuse() -> None:
    with pytest.raises(BadArgument, match="successes=5"):
        proportion_interval(5, 4)
    with pytest.raises(BadArgument, match="one of"):
        proportion_interval(1, 4, method="jeffreys")  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="level=95"):
        proportion_interval(1, 4, level=95)
    with pytest.raises(BadArgument, match="share"):
        wilson(1.2, 10, quantile=1.96)
    with pytest.raises(BadArgument, match="positive number"):
        proportion_se(0.5, 0)
    with pytest.raises(BadArgument, match="one label per task"):
        clustered_se([1, 0], ["A"])
