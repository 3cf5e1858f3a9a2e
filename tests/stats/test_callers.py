"""Users as a second random effect: quadrature, spread with few users, variance parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
from known_answers import answer
from scipy import integrate, special, stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from tau_env.errors import BadArgument, NotEnoughData
from tau_env.stats.callers import (
    CallerModel,
    caller_pass_hat_k,
    caller_spread,
    grid_pass_hat_k,
    sd_from_parts,
    variance_parts,
)


def model_of(entry: dict[str, Any]) -> CallerModel:
    names = ("mu", "sigma_task", "sigma_caller")
    return CallerModel(*(entry["inputs"][name] for name in names))


def test_known_caller_deployment_vs_same() -> None:
    entry = answer("caller-deployment-vs-same")
    got = caller_pass_hat_k(entry["inputs"]["k"], model=model_of(entry))
    want, tol = entry["expected"], entry["tolerance"]
    assert got.pass_1 == pytest.approx(want["pass1"], abs=tol)
    assert got.deployment == pytest.approx(want["deployment"], abs=tol)
    assert got.same_caller == pytest.approx(want["same_caller"], abs=tol)


@pytest.mark.parametrize("place", [0, 1, 2], ids=["8", "30", "200"])
@pytest.mark.parametrize("distinct", [False, True])
def test_known_caller_two_way_sd(place: int, distinct: bool) -> None:
    entry = answer("caller-two-way-sd")
    users = entry["inputs"]["callers"][place]
    got = caller_spread(
        entry["inputs"]["k"],
        model=model_of(entry),
        M=entry["inputs"]["tasks"],
        J=users,
        rng=np.random.default_rng(20261005),
        pools=6_000,
        distinct=distinct,
        nodes=30,
    )
    name = "sd_points_distinct_within_task" if distinct else "sd_points_with_replacement"
    tol = entry["tolerance"]["semi_analytic"]
    # 6,000 pools leave a Monte-Carlo error of 0.04 points at 8 users; allow three of them more.
    assert 100 * got.sd == pytest.approx(
        entry["expected"][name][place], abs=tol + 0.12 * (place == 0)
    )
    assert 100 * got.task_only == pytest.approx(
        entry["expected"]["task_bootstrap_points"][place], abs=tol
    )


@pytest.mark.heavy
def test_known_caller_two_way_sd_tightly() -> None:
    entry = answer("caller-two-way-sd")
    for users, want in zip(
        entry["inputs"]["callers"], entry["expected"]["sd_points_with_replacement"], strict=True
    ):
        got = caller_spread(
            3, model=model_of(entry), M=200, J=users, rng=np.random.default_rng(3), pools=100_000
        )
        assert 100 * got.sd == pytest.approx(want, abs=entry["tolerance"]["semi_analytic"])


def test_known_caller_eq7_approximation() -> None:
    entry = answer("caller-eq7-approximation")
    users, base, caller = entry["inputs"].values()
    got = [
        sd_from_parts(task=base**2, user=caller**2, residual=0.0, M=1, J=j, trials=1) for j in users
    ]
    np.testing.assert_allclose(got, entry["expected"]["sd_points"], atol=entry["tolerance"])


def test_quadrature_against_scipy_integration() -> None:
    model = CallerModel(0.4, 1.1, 0.8)

    def rate(u: float, v: float) -> float:
        return special.expit(model.mu + model.sigma_task * u + model.sigma_user * v)

    def same(v: float, u: float) -> float:
        return rate(u, v) ** 2 * stats.norm.pdf(u) * stats.norm.pdf(v)

    def by_task(u: float) -> float:
        inner, _ = integrate.quad(lambda v: rate(u, v) * stats.norm.pdf(v), -9, 9)
        return inner**2 * stats.norm.pdf(u)

    got = caller_pass_hat_k(2, model=model)
    assert got.same_caller == pytest.approx(integrate.dblquad(same, -9, 9, -9, 9)[0], abs=1e-7)
    assert got.deployment == pytest.approx(integrate.quad(by_task, -9, 9)[0], abs=1e-7)


def test_readings_meet_without_a_user_effect() -> None:
    got = caller_pass_hat_k(4, model=CallerModel(0.5, 1.0, 0.0))
    assert got.deployment == pytest.approx(got.same_caller, abs=1e-12)


def test_spread_against_drawn_studies() -> None:
    model, tasks, users, k = CallerModel(0.8, 1.0, 0.9), 40, 5, 2
    rng = np.random.default_rng(9)
    scores = []
    for _ in range(3_000):
        u, v = model.sigma_task * rng.standard_normal(tasks), 0.9 * rng.standard_normal(users)
        who = rng.integers(0, users, size=(tasks, k))
        p = special.expit(model.mu + u[:, None] + v[who])
        scores.append((rng.random(p.shape) < p).all(axis=1).mean())
    got = caller_spread(k, model=model, M=tasks, J=users, rng=rng, pools=8_000)
    assert got.sd == pytest.approx(np.std(scores), rel=0.05)


def test_grid_estimates_are_unbiased_for_both_readings() -> None:
    model, rng = CallerModel(0.8, 1.0, 0.9), np.random.default_rng(21)
    found = []
    for _ in range(4_000):
        effects = rng.normal(0, 1.0, (10, 1, 1)) + rng.normal(0, 0.9, (1, 4, 1))
        p = special.expit(model.mu + np.broadcast_to(effects, (10, 4, 2)))
        got = grid_pass_hat_k((rng.random(p.shape) < p).astype(int), 2)
        found.append((got.pass_1, got.deployment, got.same_caller))
    true = caller_pass_hat_k(2, model=model)
    error = 4 * np.std(found, axis=0) / np.sqrt(len(found))
    off = np.abs(np.mean(found, axis=0) - [true.pass_1, true.deployment, true.same_caller])
    assert np.all(off < error)


def test_grid_by_hand() -> None:
    got = grid_pass_hat_k([[[1, 1], [1, 0]], [[0, 0], [1, 1]]], 2)
    assert got.pass_1 == pytest.approx(5 / 8)
    assert got.deployment == pytest.approx((1 * 0.5 + 0 * 1) / 2)
    assert got.same_caller == pytest.approx((1 + 0 + 0 + 1) / 4)


def test_grid_with_one_trial_a_cell_has_no_same_caller_reading() -> None:
    with pytest.warns(NotEnoughData, match=r"same-caller pass\^2 is NaN"):
        got = grid_pass_hat_k([[1, 1, 0], [1, 1, 1]], 2)
    assert np.isnan(got.same_caller)
    assert got.deployment == pytest.approx((1 / 3 + 1) / 2)


def test_variance_parts_against_statsmodels_mean_squares() -> None:
    rng = np.random.default_rng(4)
    grid = rng.normal(size=(6, 4, 3)) + 2 * rng.normal(size=(6, 1, 1)) + rng.normal(size=(1, 4, 1))
    i, j, _ = np.indices(grid.shape)
    frame = pd.DataFrame({"y": grid.ravel(), "task": i.ravel(), "user": j.ravel()})
    table = anova_lm(ols("y ~ C(task) * C(user)", frame).fit())
    ms = (table["sum_sq"] / table["df"]).to_dict()
    parts = variance_parts(grid)
    cross = ms["C(task):C(user)"]
    assert parts.task == pytest.approx((ms["C(task)"] - cross) / 12)
    assert parts.user == pytest.approx((ms["C(user)"] - cross) / 18)
    assert parts.interaction == pytest.approx((cross - ms["Residual"]) / 3)
    assert parts.residual == pytest.approx(ms["Residual"])


def test_variance_parts_are_unbiased() -> None:
    rng = np.random.default_rng(8)
    found = []
    for _ in range(3_000):
        grid = (
            rng.normal(0, 1.0, (10, 1)) + rng.normal(0, 0.5, (1, 6)) + rng.normal(0, 2.0, (10, 6))
        )
        parts = variance_parts(grid)
        found.append((parts.task, parts.user, parts.residual))
    np.testing.assert_allclose(np.mean(found, axis=0), [1.0, 0.25, 4.0], atol=0.06)


def test_standard_error_is_that_of_the_grand_mean() -> None:
    rng = np.random.default_rng(12)
    means, errors = [], []
    for _ in range(2_000):
        grid = (
            rng.normal(0, 1, (30, 1, 1))
            + rng.normal(0, 0.7, (1, 12, 1))
            + rng.normal(0, 0.5, (30, 12, 1))
            + rng.normal(0, 1, (30, 12, 2))
        )
        means.append(grid.mean())
        errors.append(variance_parts(grid).standard_error ** 2)
    assert np.mean(errors) == pytest.approx(np.var(means), rel=0.1)


def test_one_trial_a_cell_cannot_tell_the_interaction() -> None:
    assert variance_parts([[1, 0], [0, 0]]).interaction is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: variance_parts([[1, 0]]), "at least 2 tasks"),
        (lambda: variance_parts(np.array([[1, 0], [np.nan, 1]])), "holes"),
        (lambda: grid_pass_hat_k([[1, 0], [0, 1]], 3), "J >= k"),
        (lambda: grid_pass_hat_k([[1.0, 0.5], [0.0, 1.0]], 2), "other than 0 and 1"),
        (lambda: CallerModel(0.0, -1.0, 0.5), "sigma_task"),
        (lambda: CallerModel(float("inf"), 1.0, 0.5), "mu"),
        (
            lambda: caller_spread(
                3, model=CallerModel(0, 1, 1), M=5, J=2, distinct=True, rng=np.random.default_rng(0)
            ),
            "J >= k",
        ),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
