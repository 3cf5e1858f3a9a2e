"""Resampling of tasks and of families."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known_answers import answer
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread
from tau_env.stats.bootstrap import Kind, bootstrap_mean
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.heterogeneity import design_effect
from tau_env.stats.intervals import NEW_FAMILIES, THESE_TASKS, clustered_interval, proportion_se


@pytest.mark.parametrize("ident", ["ci-bootstrap-10.8", "ci-bootstrap-grok"])
def test_known_bootstraps(ident: str) -> None:
    entry = answer(ident)
    given, want = entry["inputs"], entry["expected"]
    values = pass_hat_k(given["n"], np.repeat(range(4), given["histogram"]), given["k"])
    got = bootstrap_mean(
        values,
        rng=np.random.default_rng(given.get("seed", 0)),
        replicates=given.get("B", 10_000),
    )
    assert got.estimate == pytest.approx(want["estimate"], abs=1e-12)
    assert (got.low, got.high) == pytest.approx((want["lo"], want["hi"]), abs=entry["tolerance"])


@pytest.mark.heavy
def test_known_deff_coverage_bootstrap() -> None:
    entry = answer("deff-coverage-bootstrap")
    tasks, n, mean, rhos, replicates = entry["inputs"].values()
    rng = np.random.default_rng(21)
    for i, rho in enumerate(rhos):
        nu = 1 / rho - 1
        held, ratio = 0, 0.0
        for _ in range(replicates):
            c = rng.binomial(n, rng.beta(mean * nu, (1 - mean) * nu, tasks))
            got = bootstrap_mean(c / n, rng=rng, replicates=1_000)
            held += got.low <= mean <= got.high
            ratio += (got.high - got.low) / (3.92 * proportion_se(c.mean() / n, tasks * n))
        want, tol = entry["expected"], entry["tolerance"]
        assert held / replicates == pytest.approx(want["coverage"][i], abs=tol)
        assert ratio / replicates == pytest.approx(want["width_ratio"][i], abs=tol)
        assert ratio / replicates == pytest.approx(math.sqrt(design_effect(n, rho)), abs=0.03)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_bootstrap_agrees_with_scipy(kind: Kind) -> None:
    rng = np.random.default_rng(22)
    values = rng.beta(0.4, 1.5, 80)
    got = bootstrap_mean(values, rng=rng, kind=kind, replicates=40_000)
    want = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method=kind, rng=np.random.default_rng(23)
    )
    ends = (want.confidence_interval.low, want.confidence_interval.high)
    assert (got.low, got.high) == pytest.approx(ends, abs=0.002)
    assert got.se == pytest.approx(want.standard_error, rel=0.03)


def test_bootstrap_within_families_ignores_what_separates_them() -> None:
    rng = np.random.default_rng(24)
    family = np.repeat(range(5), 40)
    values = 0.1 * rng.random(200) + 0.2 * family
    inside = bootstrap_mean(values, rng=rng, families=family)
    within = math.sqrt(np.mean([values[family == f].var() for f in range(5)]) / 200)
    assert inside.se == pytest.approx(within, rel=0.03)
    assert "within families" in inside.method
    assert bootstrap_mean(values, rng=rng).se > 5 * inside.se


def test_bootstrap_of_families_is_as_wide_as_the_clustered_interval() -> None:
    rng = np.random.default_rng(25)
    family = np.arange(400) % 40
    values = np.clip(0.5 + 0.2 * rng.normal(size=40)[family] + 0.1 * rng.normal(size=400), 0, 1)
    got = bootstrap_mean(values, rng=rng, families=family, population=NEW_FAMILIES)
    formula = clustered_interval(values, family)
    assert got.se == pytest.approx(formula.se, rel=0.05)
    assert (got.low, got.high) == pytest.approx((formula.low, formula.high), abs=0.01)


def test_bootstrap_is_the_same_for_the_same_seed() -> None:
    values = [0.0, 0.5, 1.0, 1.0]
    one = bootstrap_mean(values, rng=np.random.default_rng(1))
    assert one == bootstrap_mean(values, rng=np.random.default_rng(1))


def test_bootstrap_of_equal_values_is_nan_not_a_point() -> None:
    with pytest.warns(NoSpread):
        got = bootstrap_mean([0.0] * 20, rng=np.random.default_rng(1))
    assert math.isnan(got.low)
    assert math.isnan(got.high)
    assert math.isnan(got.se)
    assert got.estimate == 0.0


def test_bootstrap_refuses() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(BadArgument, match="one finite value per task"):
        bootstrap_mean([], rng=rng)
    with pytest.raises(BadArgument, match="one finite value per task"):
        bootstrap_mean([0.1, math.nan], rng=rng)
    with pytest.raises(BadArgument, match="says nothing of these tasks"):
        bootstrap_mean([0.1, 0.2], rng=rng, population=THESE_TASKS)
    with pytest.raises(BadArgument, match="at least two families"):
        bootstrap_mean([0.1, 0.2], rng=rng, population=NEW_FAMILIES)
    with pytest.raises(BadArgument, match="kind='normal'"):
        bootstrap_mean([0.1, 0.2], rng=rng, kind="normal")  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="population='all'"):
        bootstrap_mean([0.1, 0.2], rng=rng, population="all")  # type: ignore[arg-type]
