"""Budgets: exact widths, whole tasks, the rule for n*."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from known_answers import answer

from tau_env.errors import BadArgument
from tau_env.stats.design import (
    BetaPopulation,
    best_repeats,
    plan_budget,
    task_variance,
    within_limit,
    worst_case_tasks,
)
from tau_env.stats.estimators import pass_hat_k

SEED_POPULATION = BetaPopulation.of(mean=0.7, rho=0.4)


def test_known_design_variance_parts() -> None:
    entry = answer("design-variance-parts")
    mean, rho, k, ns = entry["inputs"].values()
    population = BetaPopulation.of(mean=mean, rho=rho)
    want, tol = entry["expected"], entry["tolerance"]
    parts = [task_variance(population, k=k, n=n) for n in ns]
    assert parts[0].pass_hat_k == pytest.approx(want["true"], abs=tol)
    assert parts[0].between == pytest.approx(want["V_B"], abs=tol)
    np.testing.assert_allclose([p.within for p in parts], want["within"], atol=tol)
    # The entry lists W at n = 3, 6, 8 and 12.
    per_trial = [task_variance(population, k=k, n=n).per_trial for n in (3, 6, 8, 12)]
    np.testing.assert_allclose(per_trial, want["W"], atol=tol)
    assert within_limit(population, k) == pytest.approx(want["W_large_n"], abs=tol)


def test_known_design_halfwidths() -> None:
    entry = answer("design-halfwidths")
    low, high = entry["inputs"]["n_range"]
    for s in entry["inputs"]["s"]:
        plan = plan_budget(
            entry["inputs"]["budget"],
            population=SEED_POPULATION,
            k=low,
            setup=s,
            n_max=high,
            fractional=True,
        )
        want = entry["expected"][str(s)]
        assert plan.best.n == want["best_n"]
        points = {d.n: 100 * d.half_width for d in plan.designs}
        for n, value in want["halfwidth_points"].items():
            assert points[int(n)] == pytest.approx(value, abs=entry["tolerance"])


def test_known_design_integer_scenarios() -> None:
    entry = answer("design-integer-scenarios")
    for s in entry["inputs"]["s"]:
        budget = entry["inputs"]["budget"]
        plan = plan_budget(budget, population=SEED_POPULATION, k=3, setup=s)
        want = entry["expected"][str(s)]
        assert (plan.best.n, plan.best.M) == (want["best_n"], want["M"])
        tol = entry["tolerance"]
        assert 100 * plan.best.half_width == pytest.approx(want["halfwidth_points"], abs=tol)
        by_n = {d.n: d for d in plan.designs}
        for n, row in want["at_seed_n"].items():
            assert row["M"] == by_n[int(n)].M
            assert 100 * by_n[int(n)].half_width == pytest.approx(row["halfwidth_points"], abs=tol)
        assert all(d.spent <= budget for d in plan.designs)


def test_known_design_n_star() -> None:
    entry = answer("design-n-star")
    per_trial, between, setups, k = entry["inputs"].values()
    got = [best_repeats(setup=s, between=between, per_trial=per_trial, k=k) for s in setups]
    np.testing.assert_allclose(got, entry["expected"]["n_star"], atol=entry["tolerance"])
    free = best_repeats(setup=0, between=between, per_trial=per_trial, k=k)
    assert free == entry["expected"]["n_star_s0"]


def test_known_design_384() -> None:
    entry = answer("design-384")
    got = worst_case_tasks(entry["inputs"]["half_width"])
    assert got.value == pytest.approx(entry["expected"]["value"], abs=entry["tolerance"])
    assert got.tasks == entry["expected"]["scenarios_needed"]


def test_worst_case_takes_a_whole_number_as_it_is() -> None:
    assert worst_case_tasks(0.049).tasks == 400


def test_task_variance_against_drawn_tasks() -> None:
    rng = np.random.default_rng(6)
    population = BetaPopulation(1.3, 0.9)
    p = rng.beta(population.a, population.b, size=400_000)
    estimate = pass_hat_k(6, rng.binomial(6, p), 2)
    parts = task_variance(population, k=2, n=6)
    assert estimate.var() == pytest.approx(parts.total, rel=0.01)
    assert np.var(p**2) == pytest.approx(parts.between, rel=0.01)


def test_task_variance_at_n_equal_k_is_bernoulli() -> None:
    parts = task_variance(SEED_POPULATION, k=4, n=4)
    assert parts.total == pytest.approx(parts.pass_hat_k * (1 - parts.pass_hat_k))


def test_a_fixed_set_of_tasks_gains_from_repeats() -> None:
    plan = plan_budget(1200, population=SEED_POPULATION, k=3, max_tasks=50, n_max=24)
    assert (plan.best.n, plan.best.M) == (24, 50)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: plan_budget(5, population=SEED_POPULATION, k=3), "at least 6"),
        (lambda: task_variance(SEED_POPULATION, k=3, n=2), "at least k"),
        (lambda: BetaPopulation.of(mean=1.0, rho=0.4), "mean is 1.0"),
        (lambda: BetaPopulation.of(mean=0.5, rho=0.0), "rho"),
        (lambda: BetaPopulation(0.0, 1.0), "a is"),
        (lambda: worst_case_tasks(0.0), "half_width"),
        (lambda: best_repeats(setup=1, between=0, per_trial=1, k=1), "between"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
