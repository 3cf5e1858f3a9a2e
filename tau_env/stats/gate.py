"""Release gates: may this agent be switched on, judged by intervals and not by points.

Here is only the decision. Intervals of one agent come from :mod:`tau_env.stats.pass_intervals`,
those of a change from :mod:`tau_env.stats.comparison`.

Which gate depends on what the agent may do: read-only answers are judged by pass@1 against a
baseline, write actions by pass^k at the k that a customer will meet, flows that retry behind a
checker by pass@k for the retry budget with pass^2 watched. A release is also judged against the
one before it: pass@1 up by 3 points with pass^4 down by 10 is a regression.

The burden of proof lies with the agent: only an interval that lies wholly on the good side passes.

Source: seed 001, section "Turning it into a release gate"; the margin is that of a non-inferiority
test, Schuirmann 1987, doi:10.1007/BF01068419.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tau_env.errors import BadArgument
from tau_env.stats._arguments import positive, probability
from tau_env.stats.comparison import Comparison
from tau_env.stats.intervals import Interval

Verdict = Literal["pass", "fail", "not enough data"]

ORDER: tuple[Verdict, ...] = ("pass", "not enough data", "fail")
ENOUGH_TRIALS = 8


@dataclass(frozen=True)
class Check:
    """One comparison of an interval with a bound.

    Attributes:
        metric: what was measured, e.g. ``pass^4`` or ``change of pass@1``.
        estimate: the point.
        low: lower end of its interval; NaN where the data cannot answer.
        high: upper end; NaN likewise.
        bound: what it must reach.
        verdict: the reading of the interval against the bound.
        method: how the interval was made.
        population: what it speaks of.
        M: tasks.
        n: fewest trials of a task.
        decides: False for a metric that is watched and does not decide.
    """

    metric: str
    estimate: float
    low: float
    high: float
    bound: float
    verdict: Verdict
    method: str
    population: str
    M: int
    n: int
    decides: bool = True


@dataclass(frozen=True)
class Gate:
    """The outcome of a gate.

    Attributes:
        verdict: the worst verdict among the checks that decide.
        checks: all comparisons, in order.
        k: the k of the deciding metric.
        exposure: why this k: how often the same customer or task is met.
        notes: what the reader should know beside the verdict.
    """

    verdict: Verdict
    checks: tuple[Check, ...]
    k: int
    exposure: str
    notes: tuple[str, ...] = ()


def judge(interval: Interval, bound: float) -> Verdict:
    """Read an interval against a bound.

    Args:
        interval: the measurement; with NaN ends it says nothing.
        bound: what must be reached.

    Returns:
        ``pass`` when the whole interval is at or above the bound, ``fail`` when it is below,
        ``not enough data`` when the bound lies inside.
    """
    if interval.low >= bound:
        return "pass"
    return "fail" if interval.high < bound else "not enough data"


def judge_change(change: Comparison, margin: float) -> Verdict:
    """Read the interval of a change (new minus old) against the loss that is tolerated.

    Args:
        change: paired difference, new agent first.
        margin: tolerated loss, zero or more.

    Returns:
        ``pass`` when losses beyond the margin are excluded; ``fail`` when a loss is certain
        (zero excluded) and its best estimate is beyond the margin; else ``not enough data``.
    """
    if change.low >= -margin:
        return "pass"
    lost = change.high < 0 and change.difference < -margin
    return "fail" if lost else "not enough data"


def gate_answers(pass_1: Interval, *, baseline: float) -> Gate:
    """Gate of read-only answers: pass@1 at or above a fixed baseline.

    Each customer gets one answer, so k is 1. Against a measured baseline use
    :func:`gate_release`, since a baseline from few trials is no fixed number.

    Args:
        pass_1: pass@1 with its interval.
        baseline: the rate to reach, in [0, 1].

    Returns:
        The outcome.
    """
    _expect_k(pass_1, 1)
    check = _check("pass@1", pass_1, probability("baseline", baseline))
    return _gate([check], k=1, exposure="one answer a customer")


def gate_writes(pass_hat: Interval, *, threshold: float, exposure: str) -> Gate:
    """Gate of write actions: pass^k at or above a threshold.

    Args:
        pass_hat: pass^k with its interval.
        threshold: the share of tasks that must pass all k times, e.g. 0.9; set it from the cost
            of a wrong action.
        exposure: why this k, e.g. ``"a customer asks for about 4 changes a year"``.

    Returns:
        The outcome.

    Raises:
        BadArgument: no exposure: a k without a reason is a number picked to please.
    """
    reason = _exposure(exposure, pass_hat.k)
    check = _check(f"pass^{pass_hat.k}", pass_hat, probability("threshold", threshold))
    return _gate([check], k=pass_hat.k, exposure=reason)


def gate_retries(
    pass_at: Interval, *, threshold: float, exposure: str, pass_hat_2: Interval | None = None
) -> Gate:
    """Gate of flows that retry behind a checker: pass@k for the retry budget.

    Args:
        pass_at: pass@k with its interval, k being the tries that the flow makes.
        threshold: the share of tasks that must pass within k tries.
        exposure: why this k: the retry budget.
        pass_hat_2: pass^2 with its interval; watched, since a fall of it warns, but it does not
            decide.

    Returns:
        The outcome.

    Raises:
        BadArgument: no exposure.
    """
    reason = _exposure(exposure, pass_at.k)
    bound = probability("threshold", threshold)
    checks = [_check(f"pass@{pass_at.k}", pass_at, bound)]
    if pass_hat_2 is not None:
        _expect_k(pass_hat_2, 2)
        checks.append(_check("pass^2", pass_hat_2, bound, decides=False))
    return _gate(checks, k=pass_at.k, exposure=reason)


def gate_release(
    change_1: Comparison, change_k: Comparison, *, exposure: str, margin: float = 0.05
) -> Gate:
    """Gate of a new release against the old one: neither pass@1 nor pass^k may fall.

    Args:
        change_1: change of pass@1, from ``compare_agents`` with the new agent first.
        change_k: change of pass^k, likewise.
        exposure: why this k.
        margin: loss that is tolerated; with few tasks a small margin ends in ``not enough data``.

    Returns:
        The outcome: a gain in pass@1 does not make up for a loss in pass^k.

    Raises:
        BadArgument: no exposure, or a negative margin.
    """
    _expect_k(change_1, 1)
    reason = _exposure(exposure, change_k.k)
    loss = positive("margin", margin, or_zero=True)
    checks = [_change("change of pass@1", change_1, loss)]
    if change_k.k != 1:
        checks.append(_change(f"change of pass^{change_k.k}", change_k, loss))
    return _gate(checks, k=change_k.k, exposure=reason)


def combine(gates: Sequence[Gate]) -> Gate:
    """Several gates as one: all must pass.

    Args:
        gates: at least one.

    Returns:
        The worst verdict with all checks; k and exposure are those of the last gate.
    """
    if not gates:
        raise BadArgument("gates is empty; give at least one gate.")
    checks = [check for gate in gates for check in gate.checks]
    return _gate(checks, k=gates[-1].k, exposure=gates[-1].exposure)


def _check(metric: str, measured: Interval, bound: float, *, decides: bool = True) -> Check:
    return Check(
        metric=metric,
        estimate=measured.estimate,
        low=measured.low,
        high=measured.high,
        bound=bound,
        verdict=judge(measured, bound),
        method=measured.method,
        population=measured.population,
        M=measured.M,
        n=measured.n,
        decides=decides,
    )


def _change(metric: str, change: Comparison, margin: float) -> Check:
    return Check(
        metric=metric,
        estimate=change.difference,
        low=change.low,
        high=change.high,
        bound=-margin,
        verdict=judge_change(change, margin),
        method=change.method,
        population=change.population,
        M=change.M,
        n=change.n,
    )


def _gate(checks: Sequence[Check], *, k: int, exposure: str) -> Gate:
    verdict = max((c.verdict for c in checks if c.decides), key=ORDER.index)
    notes = []
    fewest = min(check.n for check in checks)
    if fewest < ENOUGH_TRIALS:
        notes.append(
            f"{fewest} trials a task: a single task's reading is coarse below {ENOUGH_TRIALS}; "
            "the interval over tasks holds all the same."
        )
    if any(math.isnan(check.low) for check in checks):
        notes.append("An interval could not be had; run more tasks or more trials of each.")
    return Gate(verdict, tuple(checks), k, exposure, tuple(notes))


def _exposure(reason: str, k: int) -> str:
    if not reason.strip():
        raise BadArgument(
            f"k = {k} comes without its exposure; say how often the same customer or task is met, "
            "e.g. 'a customer asks for about 4 changes a year'."
        )
    return reason.strip()


def _expect_k(measured: Interval | Comparison, k: int) -> None:
    if measured.k != k:
        raise BadArgument(f"the measurement has k = {measured.k}; this gate needs k = {k} here.")
