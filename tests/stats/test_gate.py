"""Gates: verdicts at the edges, the regression that a single number hides, k with its reason."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import pytest

from tau_env.errors import BadArgument
from tau_env.stats.comparison import Comparison, compare_agents, paired_difference
from tau_env.stats.gate import (
    combine,
    gate_answers,
    gate_release,
    gate_retries,
    gate_writes,
    judge,
    judge_change,
)
from tau_env.stats.intervals import FRESH_TASKS, Interval

WHY = "a customer asks for about four changes a year"


def interval(estimate: float, low: float, high: float, *, k: int = 1, n: int = 8) -> Interval:
    return Interval(estimate, low, high, 0.95, "made up", FRESH_TASKS, M=100, n=n, k=k)


def change(difference: float, low: float, high: float, *, k: int = 1) -> Comparison:
    """A comparison with these numbers; everything else from a real one."""
    real = paired_difference([0.2, 0.9, 0.4], [0.1, 0.5, 0.6], rng=np.random.default_rng(0))
    return dataclasses.replace(real, difference=difference, low=low, high=high, k=k)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.90, 0.97, "pass"),
        (0.91, 0.97, "pass"),
        (0.8999, 0.97, "not enough data"),
        (0.80, 0.90, "not enough data"),
        (0.80, 0.8999, "fail"),
        (math.nan, math.nan, "not enough data"),
    ],
)
def test_a_threshold_at_its_edges(low: float, high: float, verdict: str) -> None:
    measured = interval((low + high) / 2, low, high, k=4)
    assert judge(measured, 0.9) == verdict
    assert gate_writes(measured, threshold=0.9, exposure=WHY).verdict == verdict


def test_a_point_above_the_threshold_does_not_pass_by_itself() -> None:
    gate = gate_writes(interval(0.93, 0.86, 0.97, k=4), threshold=0.9, exposure=WHY)
    assert gate.verdict == "not enough data"
    assert gate.checks[0].estimate == 0.93


@pytest.mark.parametrize(
    ("estimate", "low", "high", "verdict"),
    [
        (0.0, -0.05, 0.05, "pass"),
        (0.0, -0.0501, 0.05, "not enough data"),
        (-0.10, -0.16, -0.04, "fail"),
        (-0.10, -0.21, 0.01, "not enough data"),
        (-0.03, -0.06, -0.001, "not enough data"),
        (-0.03, -0.045, -0.01, "pass"),
        (math.nan, math.nan, math.nan, "not enough data"),
    ],
)
def test_a_change_at_its_edges(estimate: float, low: float, high: float, verdict: str) -> None:
    assert judge_change(change(estimate, low, high), 0.05) == verdict


def test_pass_at_1_up_3_with_pass_hat_4_down_10_is_a_regression() -> None:
    gate = gate_release(change(0.03, 0.01, 0.05), change(-0.10, -0.15, -0.05, k=4), exposure=WHY)
    assert gate.verdict == "fail"
    assert [c.verdict for c in gate.checks] == ["pass", "fail"]
    assert gate.k == 4


def test_a_release_that_trades_consistency_for_the_mean_fails_on_real_counts() -> None:
    rng = np.random.default_rng(3)
    easy = rng.beta(0.6, 0.4, size=400)
    old, new = rng.binomial(8, easy), rng.binomial(8, 0.33 + 0.52 * easy)
    changes = [compare_agents(new, 8, old, 8, k, rng=rng) for k in (1, 4)]
    assert changes[0].difference > 0.0
    assert changes[1].difference < -0.08
    gate = gate_release(*changes, exposure=WHY)
    assert gate.verdict == "fail"
    assert gate.checks[0].verdict == "pass"


def test_the_same_agent_twice_is_no_regression() -> None:
    rng = np.random.default_rng(4)
    rate = rng.beta(0.6, 0.4, size=400)
    first, second = rng.binomial(8, rate), rng.binomial(8, rate)
    changes = [compare_agents(first, 8, second, 8, k, rng=rng) for k in (1, 4)]
    assert gate_release(*changes, exposure=WHY).verdict == "pass"


def test_read_only_answers_are_held_to_the_baseline() -> None:
    assert gate_answers(interval(0.8, 0.75, 0.85), baseline=0.75).verdict == "pass"
    assert gate_answers(interval(0.8, 0.75, 0.85), baseline=0.86).verdict == "fail"


def test_retries_are_judged_by_pass_at_k_and_pass_hat_2_is_only_watched() -> None:
    gate = gate_retries(
        interval(0.97, 0.95, 0.99, k=3),
        threshold=0.95,
        exposure="the flow tries three times",
        pass_hat_2=interval(0.6, 0.5, 0.7, k=2),
    )
    assert gate.verdict == "pass"
    assert [(c.metric, c.verdict, c.decides) for c in gate.checks] == [
        ("pass@3", "pass", True),
        ("pass^2", "fail", False),
    ]


def test_several_gates_give_the_worst_verdict() -> None:
    good = gate_answers(interval(0.9, 0.85, 0.95), baseline=0.8)
    unsure = gate_writes(interval(0.9, 0.85, 0.95, k=4), threshold=0.9, exposure=WHY)
    both = combine([good, unsure])
    assert both.verdict == "not enough data"
    assert (both.k, both.exposure, len(both.checks)) == (4, WHY, 2)


def test_few_trials_and_lost_intervals_are_noted() -> None:
    gate = gate_writes(
        interval(math.nan, math.nan, math.nan, k=3, n=3), threshold=0.9, exposure=WHY
    )
    assert any("3 trials a task" in note for note in gate.notes)
    assert any("could not be had" in note for note in gate.notes)
    assert gate_answers(interval(0.9, 0.8, 1.0), baseline=0.5).notes == ()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gate_writes(interval(0.9, 0.8, 1, k=4), threshold=0.9, exposure=" "), "exposure"),
        (lambda: gate_writes(interval(0.9, 0.8, 1, k=4), threshold=90, exposure=WHY), "threshold"),
        (lambda: gate_answers(interval(0.9, 0.8, 1, k=4), baseline=0.9), "needs k = 1"),
        (lambda: combine([]), "empty"),
        (
            lambda: gate_release(change(0, 0, 0), change(0, 0, 0, k=4), exposure=WHY, margin=-0.1),
            "margin",
        ),
        (
            lambda: gate_retries(
                interval(0.9, 0.8, 1, k=3),
                threshold=0.9,
                exposure=WHY,
                pass_hat_2=interval(0.9, 0.8, 1, k=3),
            ),
            "needs k = 2",
        ),
    ],
)
def test_wrong_calls_say_what_is_wrong(call: Callable[[], object], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        call()
