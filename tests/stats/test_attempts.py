"""Retries, warming, escalation and routers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from known_answers import answer
from scipy.special import betaincinv

from tau_env.errors import BadArgument
from tau_env.stats.attempts import (
    attempt_cost,
    expected_tries,
    retry,
    route,
    stop_at_first_success,
    transcript_tokens,
    warming_schedule,
)
from tau_env.stats.beta_binomial import pass_at_curve
from tau_env.stats.cost import upper_hull


def test_known_cost_retry() -> None:
    entry = answer("cost-retry")
    p, k, price = entry["inputs"].values()
    got = retry([p], k, cost_per_try=price)
    want, tol = entry["expected"], entry["tolerance"]
    assert got.success == pytest.approx(want["success"], abs=tol)
    assert got.tries == pytest.approx(want["mean_tries"], abs=tol)
    assert got.cost == pytest.approx(want["mean_cost"], abs=tol)


def test_known_cost_retry_general() -> None:
    entry = answer("cost-retry-general")
    p, k = entry["inputs"].values()
    got = retry(p, k)
    assert got.success == pytest.approx(entry["expected"]["success"], abs=entry["tolerance"])
    assert got.tries == pytest.approx(entry["expected"]["mean_tries"], abs=entry["tolerance"])
    assert expected_tries([0.0, 1.0], k).tolist() == [k, 1]


def test_known_cost_small_agent_42_82_91() -> None:
    entry = answer("cost-small-agent-42-82-91")
    mean, size = entry["inputs"]["mean"], entry["inputs"]["concentration_inferred"]
    ks = entry["inputs"]["k"]
    success = pass_at_curve(mean * size, (1 - mean) * size, ks)
    np.testing.assert_allclose(success, entry["expected"]["success"], atol=entry["tolerance"])
    nodes = (np.arange(200_000) + 0.5) / 200_000
    p = betaincinv(mean * size, (1 - mean) * size, nodes)
    for k, tries, share in zip(
        ks, entry["expected"]["mean_tries"], entry["expected"]["success"], strict=True
    ):
        got = retry(p, k, cost_per_try=entry["inputs"]["cost_per_try_assumed"])
        assert got.tries == pytest.approx(tries, rel=1e-4)
        assert got.success == pytest.approx(share, rel=1e-4)
    assert retry(p, 10, cost_per_try=0.01).cost < 0.04


def test_known_cost_quadratic_tokens() -> None:
    entry = answer("cost-quadratic-tokens")
    b, d, steps = entry["inputs"].values()
    assert [transcript_tokens(b, d, steps=t) for t in steps] == entry["expected"]["tokens"]


def test_transcript_tokens_add_up_step_by_step() -> None:
    assert transcript_tokens(7, 3, steps=9) == sum(7 + 3 * i for i in range(9))


def test_attempt_cost_adds_a_ledger() -> None:
    cost = attempt_cost(
        input_tokens=42_500,
        output_tokens=5_000,
        input_price=3e-6,
        output_price=15e-6,
        tools=0.02,
        sandbox=0.01,
    )
    assert cost == pytest.approx(0.1275 + 0.075 + 0.03)


def test_small_rates_keep_their_digits() -> None:
    assert expected_tries(1e-12, 1000)[0] == pytest.approx(1000, rel=1e-8)


def test_retry_is_escalation_with_one_agent() -> None:
    p = np.array([0.0, 0.3, 0.9, 1.0])
    same = stop_at_first_success(np.repeat(p[:, None], 5, axis=1), [2.0] * 5)
    got = retry(p, 5, cost_per_try=2.0)
    assert same.success == pytest.approx(got.success)
    assert same.tries == pytest.approx(got.tries)
    assert same.cost == pytest.approx(got.cost)


def test_escalation_of_two_agents_by_hand() -> None:
    got = stop_at_first_success([[0.55, 0.66]], [0.03, 1.5])
    assert got.success == pytest.approx(1 - 0.45 * 0.34)
    assert got.cost == pytest.approx(0.03 + 0.45 * 1.5)


def test_escalation_beats_every_mixture() -> None:
    got = stop_at_first_success([[0.55, 0.66]], [0.03, 1.5])
    assert got.success > upper_hull([0.55, 0.66], [0.03, 1.5]).accuracy_at(got.cost)[0]


def test_stopping_against_drawn_attempts() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(0.7, 0.9, size=(200_000, 4))
    hits = rng.random(p.shape) < p
    first = np.where(hits.any(axis=1), hits.argmax(axis=1) + 1, 4)
    got = stop_at_first_success(p, [1.0, 2.0, 3.0, 4.0])
    assert hits.any(axis=1).mean() == pytest.approx(got.success, abs=0.004)
    assert first.mean() == pytest.approx(got.tries, abs=0.01)
    assert np.cumsum([1.0, 2.0, 3.0, 4.0])[first - 1].mean() == pytest.approx(got.cost, abs=0.03)


def test_without_a_verifier_retries_do_not_count() -> None:
    got = retry([0.5, 0.1], 10, cost_per_try=0.2, verifier=False)
    assert got.success == pytest.approx(0.3)
    assert (got.tries, got.cost) == (1.0, 0.2)


def test_warming_schedule_raises_the_temperature_evenly() -> None:
    np.testing.assert_allclose(warming_schedule(), [0, 0.125, 0.25, 0.375, 0.5])
    assert warming_schedule(1).tolist() == [0.0]


def test_task_router_beats_the_hull_where_it_knows_the_hard_tasks() -> None:
    p = np.array([[1.0, 1.0]] * 5 + [[0.0, 1.0]] * 5)
    routed = route(p, [0.1, 1.0], choice=[0] * 5 + [1] * 5)
    hull = upper_hull(p.mean(axis=0), [0.1, 1.0])
    assert routed.accuracy == 1.0
    assert routed.cost == pytest.approx(0.55)
    assert routed.accuracy > hull.accuracy_at(routed.cost)[0] + 0.2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: retry([0.5], 0), "at least 1"),
        (lambda: stop_at_first_success([0.5, 0.5], [1.0]), "tasks, attempts"),
        (lambda: stop_at_first_success([[0.5, 0.5]], [1.0]), "cost has shape"),
        (lambda: stop_at_first_success([[0.5]], [-1.0]), "zero or more"),
        (lambda: route([[0.5, 0.5]], [1.0, 2.0], choice=[2]), "from 0 to 1"),
        (lambda: transcript_tokens(10, 5, steps=-1), "whole number"),
        (
            lambda: attempt_cost(input_tokens=-1, output_tokens=0, input_price=0, output_price=0),
            "input_tokens",
        ),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
