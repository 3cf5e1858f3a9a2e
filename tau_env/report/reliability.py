"""What the trials of one agent say about its reliability: every number with what it stands on.

Here records become arrays, statistics are asked, and the answers are kept with their warnings.
Nothing is computed that :mod:`tau_env.stats` does not compute, and nothing is printed.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tau_env.errors import BadArgument
from tau_env.report.results import Problem, Results, TaskCounts
from tau_env.stats.beta_binomial import BetaFit, fit_beta_binomial
from tau_env.stats.crashes import MissingBounds, missing_bounds
from tau_env.stats.estimators import curve
from tau_env.stats.heterogeneity import Heterogeneity, heterogeneity
from tau_env.stats.intervals import FRESH_TASKS, Population
from tau_env.stats.pass_intervals import pass_hat_k_interval
from tau_env.stats.prediction import Prediction, predict

PREDICTED = (1, 2, 4, 8, 16, 32)
WORST = 5


@dataclass(frozen=True)
class KRow:
    """One k; NaN where the trials cannot answer, with the reason in ``method``.

    Attributes:
        k: repeats.
        pass_hat_k: share of tasks that pass all k times, unbiased.
        low: lower end of its interval.
        high: upper end.
        method: how the interval was made.
        population: what it speaks of.
        pass_at_k: share of tasks that pass at least once in k, unbiased.
        plug_in: mean of (c/n)^k, biased upward, for contrast only.
    """

    k: int
    pass_hat_k: float
    low: float
    high: float
    method: str
    population: str
    pass_at_k: float
    plug_in: float


@dataclass(frozen=True)
class WorstTask:
    """A task to read the transcripts of.

    Attributes:
        task: its name.
        passes: passed trials.
        trials: graded trials.
    """

    task: str
    passes: int
    trials: int


@dataclass(frozen=True)
class Reliability:
    """The reliability of one agent from its trial records.

    Attributes:
        agent: the agent, ``""`` when unknown.
        insider: the agent had the task in hand; its numbers are a check, not a score.
        rows: one a k.
        M: tasks in the file.
        n: fewest graded trials of a task.
        planned: trials every task should have.
        trials: graded trials, all tasks together.
        level: confidence level of the intervals.
        spread: ICC and design effect, of the tasks with a graded trial.
        fit: Beta fit of those tasks.
        predictions: pass^k by that model, marked where k is beyond the trials.
        worst: tasks with the lowest rate, the worst first.
        bounds: pass^k with missing trials failed and passed; empty when none is missing.
        problems: what is wrong with the file.
        notes: warnings of the statistics, each once.
    """

    agent: str
    insider: bool
    rows: tuple[KRow, ...]
    M: int
    n: int
    planned: int
    trials: int
    level: float
    spread: Heterogeneity
    fit: BetaFit
    predictions: tuple[Prediction, ...]
    worst: tuple[WorstTask, ...]
    bounds: tuple[MissingBounds, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def reliability(
    results: Results,
    *,
    ks: Sequence[int] | None = None,
    population: Population = FRESH_TASKS,
    level: float = 0.95,
) -> Reliability:
    """Ask everything of one agent's trials that this package can answer.

    Args:
        results: records, from :func:`~tau_env.report.results.read_results`.
        ks: repeats to report; by default every k up to 8 and powers of two beyond, up to the
            planned trials.
        population: what the intervals speak of; new families need families in the records.
        level: confidence level.

    Returns:
        The numbers with what is wrong and what must be noted.

    Raises:
        BadArgument: no graded trial at all, a k beyond the planned trials, or a population that
            the records cannot speak of.
    """
    counts = results.counts()
    ran = counts.trials > 0
    if not ran.any():
        raise BadArgument("No trial of the file has a grade; nothing can be said of this agent.")
    wanted = tuple(ks) if ks is not None else default_ks(results.planned)
    beyond = [k for k in wanted if k > results.planned]
    if beyond:
        raise BadArgument(
            f"k = {beyond[0]} is beyond the {results.planned} trials of a task; run more trials, "
            "or read the model's prediction, which is marked as such."
        )
    notes: list[str] = []
    with collected(notes):
        rows = tuple(_row(counts, k, population, level) for k in wanted)
        spread = heterogeneity(counts.passes[ran], counts.trials[ran])
        fit = fit_beta_binomial(counts.passes[ran], counts.trials[ran])
        predictions = tuple(predict(fit, PREDICTED, level=level))
    if not ran.all():
        notes.append(f"{int(np.sum(~ran))} tasks without a graded trial: not in ICC and Beta fit.")
    return Reliability(
        agent=results.agent,
        insider=results.insider,
        rows=rows,
        M=len(counts.task),
        n=int(counts.trials.min()),
        planned=results.planned,
        trials=int(counts.trials.sum()),
        level=level,
        spread=spread,
        fit=fit,
        predictions=predictions,
        worst=_worst(counts),
        bounds=_bounds(counts, wanted),
        problems=results.problems,
        notes=tuple(notes),
    )


def default_ks(n: int) -> tuple[int, ...]:
    """The k to report for n trials: every k up to 8, then powers of two, and n itself."""
    powers = {2**i for i in range(3, n.bit_length()) if 2**i <= n}
    return tuple(sorted({*range(1, min(n, 8) + 1), *powers, n}))


@contextmanager
def collected(notes: list[str]) -> Iterator[None]:
    """Turn warnings inside the block into notes for the reader, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        text = str(warning.message)
        if text not in notes:
            notes.append(text)


def _row(counts: TaskCounts, k: int, population: Population, level: float) -> KRow:
    short = np.flatnonzero(counts.trials < k)
    if short.size:
        i = int(short[0])
        others = f", {short.size} tasks in all" if short.size > 1 else ""
        why = (
            f"not estimable: task {counts.task[i]} has n = {counts.trials[i]} of "
            f"{counts.planned[i]}{others}"
        )
        return KRow(k, math.nan, math.nan, math.nan, why, population, math.nan, math.nan)
    values = curve(counts.passes, counts.trials, [k])
    interval = pass_hat_k_interval(
        counts.passes,
        counts.trials,
        k,
        population=population,
        families=counts.family,
        tasks=counts.task,
        level=level,
    )
    known = not math.isnan(interval.low)
    return KRow(
        k=k,
        pass_hat_k=values.pass_hat[0],
        low=interval.low,
        high=interval.high,
        method=interval.method if known else f"no interval: {interval.note}",
        population=population,
        pass_at_k=values.pass_at[0],
        plug_in=values.plug_in[0],
    )


def _worst(counts: TaskCounts) -> tuple[WorstTask, ...]:
    """Tasks that failed at least once, by rate, then by the number of failures."""
    failed = [i for i in range(len(counts.task)) if counts.passes[i] < counts.trials[i]]
    failed.sort(key=lambda i: (counts.passes[i] / counts.trials[i], -counts.trials[i]))
    return tuple(
        WorstTask(counts.task[i], int(counts.passes[i]), int(counts.trials[i]))
        for i in failed[:WORST]
    )


def _bounds(counts: TaskCounts, ks: Sequence[int]) -> tuple[MissingBounds, ...]:
    if np.array_equal(counts.trials, counts.planned):
        return ()
    with collected([]):
        return tuple(missing_bounds(counts.passes, counts.trials, counts.planned, k) for k in ks)
