"""What real episodes say beside the planted truth: rows of truth, estimate and what theory expects.

Every statistic is asked of :mod:`tau_env.stats`, as a reader of a real study would ask. What needs
thousands of repeats is in :mod:`tau_env.harness.truth_repeats`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tau_env.harness.known_truth import WEAK, Flags, Floats, Played, shifted
from tau_env.stats.crashes import crash_effects
from tau_env.stats.estimators import pass_hat_k, plug_in_pass_hat_k
from tau_env.stats.expectations import pass_hat_k_variance, plug_in_mean, true_pass_hat_k
from tau_env.stats.grader_error import CorrectionOutsideRange, corrected_curve, measured_curve

KS = (1, 2, 4, 8)
ERRORS = 4.0
"""Standard errors by which an estimate may miss what theory expects of it."""

MOST_NOISE = 30.0
"""Corrections that amplify noise more than this say nothing and are left out."""

Source = Literal["real episodes", "drawn again"]


@dataclass(frozen=True)
class TruthRow:
    """One number beside the truth; shares, unless the quantity says otherwise.

    Attributes:
        part: the question.
        agent: the agent of known skill.
        quantity: what is estimated, and how.
        truth: what it should tell: the planted value.
        expected: what theory says that this way of estimating gives; the truth where it is right,
            None where theory says nothing.
        estimate: what it gave.
        noise: standard error of the estimate; None where none is known.
        runs: studies or repeats behind the estimate.
        source: ``real episodes``, or ``drawn again`` from the planted chances.
        holds: whether the estimate is as expected; None for what is only shown.
        note: what else a reader must know.
    """

    part: str
    agent: str
    quantity: str
    truth: float
    expected: float | None
    estimate: float
    noise: float | None
    runs: int
    source: Source = "real episodes"
    holds: bool | None = None
    note: str = ""

    def judged(self) -> TruthRow:
        """The row with its verdict: within `ERRORS` standard errors of what is expected."""
        if self.expected is None or self.noise is None:
            return self
        miss = abs(self.estimate - self.expected)
        return replace(self, holds=bool(miss <= ERRORS * self.noise + 1e-12))


@dataclass
class Rows:
    """Rows of one part and agent, each judged as it is added."""

    part: str
    agent: str
    runs: int
    source: Source = "real episodes"
    made: list[TruthRow] = field(default_factory=list)

    def add(
        self,
        quantity: str,
        *,
        truth: float,
        estimate: float,
        expected: float | None = None,
        noise: float | None = None,
        note: str = "",
    ) -> None:
        """Add a row; see `TruthRow`."""
        row = TruthRow(
            part=self.part,
            agent=self.agent,
            quantity=quantity,
            truth=truth,
            expected=expected,
            estimate=estimate,
            noise=noise,
            runs=self.runs,
            source=self.source,
            note=note,
        )
        self.made.append(row.judged())


def draws_rows(played: Sequence[Played]) -> list[TruthRow]:
    """Whether the grade of every valid trial is the planted draw.

    Args:
        played: all that was played; of a trial that was rerun, the last attempt counts.
    """
    valid = sum(int(np.sum(~one.crashed)) for one in played)
    wrong = sum(one.disagreements for one in played)
    rows = Rows("draws", "all", valid)
    rows.add(
        "valid trials whose grade is the planted draw",
        truth=1.0,
        expected=1.0,
        estimate=(valid - wrong) / valid,
        noise=0.0,
        note=f"{wrong} of {valid} differ",
    )
    return rows.made


def pass_rows(played: Sequence[Played], ks: Sequence[int] = KS) -> list[TruthRow]:
    """pass^k of one agent over its studies, unbiased and by plug-in.

    Args:
        played: the studies of one agent.
        ks: each at most the trials of a task.
    """
    n = played[0].setting.trials
    chances = [one.chances for one in played]
    rows = Rows("pass^k", played[0].setting.skill.name, len(played))
    for k in ks:
        truth = _mean([true_pass_hat_k(p, k) for p in chances])
        rows.add(
            f"pass^{k}",
            truth=truth,
            expected=truth,
            estimate=_mean([_pass(one.passed, k) for one in played]),
            noise=_noise([pass_hat_k_variance(n, p, k) for p in chances]),
        )
    for k in ks:
        if k == 1:
            continue
        first = [plug_in_mean(n, p, k) for p in chances]
        second = [plug_in_mean(n, p, 2 * k) for p in chances]
        counts = [one.passed.sum(axis=1) for one in played]
        rows.add(
            f"plug-in pass^{k}",
            truth=_mean([true_pass_hat_k(p, k) for p in chances]),
            expected=_mean([np.mean(one) for one in first]),
            estimate=_mean([np.mean(plug_in_pass_hat_k(n, c, k)) for c in counts]),
            noise=_noise([b - a**2 for a, b in zip(first, second, strict=True)]),
            note="biased upward, by as much as theory says",
        )
    return rows.made


def crash_rows(crashing: Sequence[Played], trapped: Sequence[Played]) -> list[TruthRow]:
    """What crashes do to pass@1 under their treatments, and what rerunning failures does.

    Args:
        crashing: studies with planted crashes, which are rerun.
        trapped: studies without crashes in which failures are rerun.
    """
    setting = crashing[0].setting
    p = np.concatenate([one.chances for one in crashing])
    passed, crashed = _all(crashing, "passed"), _all(crashing, "crashed")
    theory = crash_effects(p, crash_rate=setting.crash_rate, reruns=setting.reruns)
    rows = Rows("crashes", setting.skill.name, len(crashing))
    attempts = sum(one.episodes for one in crashing)
    rows.add(
        "share of attempts that crash",
        truth=setting.crash_rate,
        expected=setting.crash_rate,
        estimate=sum(int(one.crashes.sum()) for one in crashing) / attempts,
        noise=_share_noise(setting.crash_rate, attempts),
    )
    valid = np.sum(~crashed, axis=1)
    ran = valid > 0
    rows.add(
        "pass@1, crashes kept apart",
        truth=theory.true,
        expected=float(p[ran].mean()),
        estimate=float(np.mean(passed.sum(axis=1)[ran] / valid[ran])),
        noise=_noise([p[ran] * (1 - p[ran]) / valid[ran]]),
    )
    at_once = np.concatenate([one.crashes for one in crashing]) == 0
    for what, expected, right in (
        ("a crash is a failure, no rerun", theory.crash_as_failure, passed & at_once),
        (f"crashes rerun {setting.reruns}x, missing = failed", theory.rerun_crashes, passed),
    ):
        rows.add(
            f"pass@1, {what}",
            truth=theory.true,
            expected=expected,
            estimate=float(right.mean()),
            noise=_share_noise(expected, right.size),
        )
    reruns = trapped[0].setting.reruns
    chances = np.concatenate([one.chances for one in trapped])
    trap = crash_effects(chances, crash_rate=0.0, reruns=reruns)
    scored = _all(trapped, "passed")
    rows.add(
        f"pass@1, failures rerun {reruns}x",
        truth=trap.true,
        expected=trap.rerun_failures,
        estimate=float(scored.mean()),
        noise=_share_noise(trap.rerun_failures, scored.size),
        note=f"the rerun trap: this is pass@{reruns + 1}",
    )
    return rows.made


def weak_rows(played: Sequence[Played], ks: Sequence[int] = KS) -> list[TruthRow]:
    """pass^k under weak graders, and the truth won back from it with the false-pass rate.

    Only tasks whose right outcome changes something count: there every agent can make the same
    mistakes, so that one f holds for all tasks, and nobody succeeds without a claim.

    Args:
        played: the studies of one agent.
        ks: each at most the trials of a task.
    """
    n = played[0].setting.trials
    chances = [one.chances[one.writes] for one in played]
    truth = [true_pass_hat_k(np.concatenate(chances), k) for k in range(1, n + 1)]
    right = np.concatenate([one.passed[one.writes] for one in played])
    rows = Rows("weak graders", played[0].setting.skill.name, len(played))
    for grader in WEAK:
        passed = np.concatenate([one.weak[grader][one.writes] for one in played])
        failures = int(np.sum(~right))
        f = float(np.mean(passed[~right])) if failures else math.nan
        rows.add(
            f"f of {grader}: share of failures that pass",
            truth=0.0,
            estimate=f,
            note=f"{failures} failures; {np.mean(~passed[right]):.1%} of right trials refused",
        )
        if math.isnan(f) or f == 1.0:
            continue
        measured = [_pass(passed, k) for k in range(1, n + 1)]
        formula = measured_curve(truth, f)
        for k in ks:
            noise = [pass_hat_k_variance(n, p + f * (1 - p), k) for p in chances]
            rows.add(
                f"pass^{k} by {grader}",
                truth=truth[k - 1],
                expected=float(formula[k - 1]),
                estimate=measured[k - 1],
                noise=_noise(noise),
                note="expected: p + f (1 - p) for every task",
            )
        for k in ks:
            loss = ((1 + f) / (1 - f)) ** k
            if loss < MOST_NOISE:
                rows.add(
                    f"pass^{k} by {grader}, corrected by f",
                    truth=truth[k - 1],
                    estimate=_corrected(measured, f)[k - 1],
                    note=f"noise grows about {loss:.0f}-fold" if k > 1 else "",
                )
    return rows.made


def customer_rows(
    fresh: Sequence[Played],
    same: Sequence[Played],
    copies: Sequence[Played],
    ks: Sequence[int] = KS,
) -> list[TruthRow]:
    """pass^k with a new customer for every trial, with one for all trials, and with one seed.

    Args:
        fresh: studies with a customer of drawn manner for every trial.
        same: the same agent with one customer a task.
        copies: an agent in a study that gives every trial of a task the same seed.
        ks: each at most the trials of a task.
    """
    setting = fresh[0].setting
    n = setting.trials
    grids = [np.array([shifted(p, setting.manner) for p in one.chances]) for one in fresh]
    deployed = [grid.mean(axis=1) for grid in grids]
    rows = Rows("customers", setting.skill.name, len(fresh))
    for k in ks:
        truth = _mean([true_pass_hat_k(p, k) for p in deployed])
        rows.add(
            f"pass^{k}, a fresh customer each trial",
            truth=truth,
            expected=truth,
            estimate=_mean([_pass(one.passed, k) for one in fresh]),
            noise=_noise([pass_hat_k_variance(n, p, k) for p in deployed]),
        )
        within = [pass_hat_k_variance(n, grid, k).mean(axis=1) for grid in grids]
        between = [np.var(grid**k, axis=1) for grid in grids]
        rows.add(
            f"pass^{k}, one customer for all trials",
            truth=truth,
            expected=_mean([np.mean(grid**k) for grid in grids]),
            estimate=_mean([_pass(one.passed, k) for one in same]),
            noise=_noise([a + b for a, b in zip(within, between, strict=True)]),
            note="consistency with one person, a weaker property",
        )
    for k in ks:
        rows.add(
            f"pass^{k}, every trial of a task with one seed",
            truth=_mean([true_pass_hat_k(one.chances, k) for one in copies]),
            expected=_mean([one.chances.mean() for one in copies]),
            estimate=_mean([_pass(one.passed, k) for one in copies]),
            noise=_noise([one.chances * (1 - one.chances) for one in copies]),
            note="copies of one another: pass^k sticks to pass^1",
        )
    return rows.made


def _all(played: Sequence[Played], name: Literal["passed", "crashed"]) -> Flags:
    return np.concatenate([getattr(one, name) for one in played])


def _pass(passed: Flags, k: int) -> float:
    """Unbiased pass^k of verdicts, shape (M, n)."""
    return float(np.mean(pass_hat_k(passed.shape[1], passed.sum(axis=1), k)))


def _corrected(measured: Sequence[float], f: float) -> Floats:
    """The curve behind a measured one; out of range where the data are few, which is shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorrectionOutsideRange)
        return np.asarray(corrected_curve(measured, f), dtype=np.float64)


def _mean(values: Sequence[float | np.floating]) -> float:
    return float(np.mean(np.asarray(values, dtype=np.float64)))


def _noise(variances: Sequence[ArrayLike]) -> float:
    """Standard error of a mean over studies of means over tasks, from each task's variance."""
    parts: list[NDArray[np.float64]] = [np.asarray(one, dtype=np.float64) for one in variances]
    return math.sqrt(sum(float(one.sum()) / one.size**2 for one in parts)) / len(parts)


def _share_noise(share: float, size: int) -> float:
    return math.sqrt(share * (1.0 - share) / size)
