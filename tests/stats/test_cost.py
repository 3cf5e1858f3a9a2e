"""The front, the hull and the budget-matched baseline."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_answers import answer
from scipy.spatial import ConvexHull

from tau_env.errors import BadArgument
from tau_env.stats.cost import (
    budget_matched_accuracy,
    mixture,
    pareto_front,
    upper_hull,
    whole_tries,
)


@pytest.mark.parametrize("ident", ["cost-pareto-two", "cost-pareto-ties"])
def test_known_pareto(ident: str) -> None:
    entry = answer(ident)
    front = pareto_front(entry["inputs"]["acc"], entry["inputs"]["cost"])
    assert front.tolist() == entry["expected"]["front"]
    if "dominated" in entry["expected"]:
        others = set(range(len(entry["inputs"]["acc"]))) - set(front.tolist())
        assert sorted(others) == entry["expected"]["dominated"]


def test_known_cost_mixing() -> None:
    entry = answer("cost-mixing")
    w = entry["inputs"]["weight"]
    mixed = mixture(entry["inputs"]["acc"], entry["inputs"]["cost"], weights=[w, 1 - w])
    assert mixed.cost == pytest.approx(entry["expected"]["cost"], abs=entry["tolerance"])
    assert mixed.accuracy == pytest.approx(entry["expected"]["acc"], abs=entry["tolerance"])


def test_known_cost_hull_origin() -> None:
    entry = answer("cost-hull-origin")
    acc, cost = entry["inputs"]["acc"], entry["inputs"]["cost"]
    assert pareto_front(acc, cost).tolist() == entry["expected"]["front"]
    hull = upper_hull(acc, cost)
    assert [list(v) for v in zip(hull.cost, hull.accuracy, strict=True)] == entry["expected"][
        "hull_vertices"
    ]
    at = entry["expected"]["acc_on_hull_at_cost"]
    np.testing.assert_allclose(
        hull.accuracy_at([float(c) for c in at]), list(at.values()), atol=entry["tolerance"]
    )


def test_known_cost_budget_matched() -> None:
    entry = answer("cost-budget-matched")
    p, price, budgets = entry["inputs"].values()
    assert [whole_tries(price, b) for b in budgets] == entry["expected"]["k"]
    np.testing.assert_allclose(
        [budget_matched_accuracy(p, price, b) for b in budgets],
        entry["expected"]["accuracy"],
        atol=entry["tolerance"],
    )
    naive = [1 - (1 - np.mean(p)) ** k for k in entry["expected"]["k"]]
    np.testing.assert_allclose(naive, entry["expected"]["wrong_homogeneous"], atol=1e-10)


@pytest.mark.parametrize(
    ("price", "budget", "tries"),
    [(0.1, 0.3, 3), (0.1, 0.3 - 1e-6, 2), (0.1, 1 - 0.7, 3), (0.01, 0.29, 29), (3.0, 2.9, 0)],
)
def test_whole_tries_survive_binary_rounding(price: float, budget: float, tries: int) -> None:
    assert whole_tries(price, budget) == tries


@given(st.integers(1, 5000), st.integers(1, 500))
def test_whole_tries_of_cents_are_exact(budget: float, price: float) -> None:
    assert whole_tries(price / 100, budget / 100) == budget // price


def test_no_verifier_leaves_one_try() -> None:
    assert budget_matched_accuracy([0.5], 0.1, 1.0, verifier=False) == 0.5
    assert budget_matched_accuracy([0.5], 0.1, 0.05, verifier=False) == 0.0


def test_hopeless_and_certain_tasks_stay_so() -> None:
    assert budget_matched_accuracy([0.0, 1.0], 0.1, 5.0) == 0.5


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=9))
def test_front_against_the_definition(points: list[tuple[int, int]]) -> None:
    acc, cost = [a / 6 for a, _ in points], [float(c) for _, c in points]
    beaten = {
        i
        for i in range(len(points))
        for j in range(len(points))
        if acc[j] >= acc[i] and cost[j] <= cost[i] and (acc[j], cost[j]) != (acc[i], cost[i])
    }
    assert set(pareto_front(acc, cost).tolist()) == set(range(len(points))) - beaten


def test_hull_against_scipy() -> None:
    rng = np.random.default_rng(3)
    cost, acc = rng.uniform(0.1, 5, 40), rng.uniform(0, 1, 40)
    ours = upper_hull(acc, cost)
    best = float(cost[acc.argmax()])
    points = np.vstack([[0, 0], np.c_[cost, acc], [6, -1.0], [0, -1.0], [6, acc.max()]])
    corners = {tuple(points[i]) for i in ConvexHull(points).vertices}
    expected = sorted(c for c in corners if c[0] <= best and c[1] >= 0)
    np.testing.assert_allclose(np.c_[ours.cost, ours.accuracy], expected)
    assert ours.agents[-1] == int(acc.argmax())


def test_hull_starts_at_a_free_agent() -> None:
    hull = upper_hull([0.2, 0.5], [0.0, 1.0])
    assert (hull.cost, hull.accuracy, hull.agents) == ((0.0, 1.0), (0.2, 0.5), (0, 1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: whole_tries(0.0, 1.0), "cost_per_try"),
        (lambda: whole_tries(-0.1, 1.0), "cost_per_try"),
        (lambda: budget_matched_accuracy([0.5], 0.1, -1.0), "budget"),
        (lambda: pareto_front([0.5], [1.0, 2.0]), "shape"),
        (lambda: pareto_front([0.5], [float("nan")]), "finite"),
        (lambda: mixture([0.5, 0.6], [1, 2], weights=[0.5, 0.6]), "add to 1"),
        (lambda: upper_hull([0.5], [1.0]).accuracy_at(-1.0), "zero or more"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
