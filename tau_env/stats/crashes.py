"""What crashes and reruns do to a success rate, and bounds when trials are missing.

A crash is a trial that died of infrastructure, not of the agent. Three ways to treat it are
common: score it as a failure, rerun the crash, or rerun every failure "in case it was a flake".
The first loses points, the second loses almost none, the third measures pass@2 and calls it
pass@1. Running trials and deciding what is a crash is not here.

Source: the rerun argument of seed 000, section "Flaky infrastructure and the rerun trap"; the
bounds are Manski's worst-case bounds for missing outcomes (Manski 1989, J. Human Resources 24).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tau_env.errors import BadArgument, NotEnoughData
from tau_env.stats._arguments import probabilities, probability, whole
from tau_env.stats.estimators import pass_hat_k


class NoTrialLeft(NotEnoughData):
    """A task has fewer valid trials than k: the observed value is NaN, the bounds still hold."""


@dataclass(frozen=True)
class CrashEffects:
    """Expected scores under one crash rate; averages over tasks.

    Attributes:
        true: mean success rate of trials that run.
        crash_as_failure: crashes scored as failures.
        rerun_crashes: crashes rerun up to ``reruns`` times; a trial that crashes every time is
            scored as a failure.
        rerun_failures: every failure rerun up to ``reruns`` times (the trap).
        trap: points that the trap adds, ``rerun_failures - true``.
        crash_rate: chance that one attempt crashes.
        reruns: reruns allowed.
    """

    true: float
    crash_as_failure: float
    rerun_crashes: float
    rerun_failures: float
    trap: float
    crash_rate: float
    reruns: int


@dataclass(frozen=True)
class MissingBounds:
    """pass^k with the missing trials left out, all failed, and all passed.

    Attributes:
        k: repeats.
        observed: the mean of the unbiased estimates from the valid trials; NaN when a task has
            fewer than k of them.
        low: missing = failed.
        high: missing = passed.
        tasks: M.
        planned: planned trials, all tasks together.
        missing: planned trials without a grade.
        empty_tasks: positions of the tasks without any valid trial.
    """

    k: int
    observed: float
    low: float
    high: float
    tasks: int
    planned: int
    missing: int
    empty_tasks: tuple[int, ...]


def crash_effects(p: ArrayLike, *, crash_rate: float, reruns: int = 1) -> CrashEffects:
    """Expected scores under the three treatments of crashes.

    Crashes are taken to be independent of the task and of each other.

    Args:
        p: success rate of a trial that runs, one a task, shape (M,).
        crash_rate: f, the chance that an attempt crashes.
        reruns: r, the reruns allowed: of crashes ``(1 - f^(r+1)) mean p``; of failures
            ``mean of 1 - (1 - (1-f) p)^(r+1)``.

    Returns:
        The expected scores.
    """
    rates = probabilities("p", p)
    f = probability("crash_rate", crash_rate)
    attempts = whole("reruns", reruns) + 1
    true = float(rates.mean())
    trap = float(np.mean(1 - (1 - (1 - f) * rates) ** attempts))
    return CrashEffects(
        true=true,
        crash_as_failure=(1 - f) * true,
        rerun_crashes=(1 - f**attempts) * true,
        rerun_failures=trap,
        trap=trap - true,
        crash_rate=f,
        reruns=attempts - 1,
    )


def missing_bounds(
    passes: ArrayLike, trials: ArrayLike, planned: ArrayLike, k: int
) -> MissingBounds:
    """Bounds on pass^k when some planned trials have no grade.

    Leaving missing trials out is right only if they are missing at random; the bounds hold
    whatever made them missing.

    Args:
        passes: passed trials of each task, shape (M,).
        trials: valid trials of each task, shape (M,).
        planned: planned trials of each task, shape (M,) or one number for all; at least k.
        k: repeats.

    Returns:
        The bounds and the value from the valid trials alone.

    Raises:
        BadArgument: when a task has more passes than trials, more trials than planned, or fewer
            planned trials than k.

    Warns:
        NoTrialLeft: when the observed value cannot be had.
    """
    c = np.atleast_1d(np.asarray(passes, dtype=np.int64))
    n = np.atleast_1d(np.asarray(trials, dtype=np.int64))
    slots = np.broadcast_to(np.asarray(planned, dtype=np.int64), n.shape)
    repeats = whole("k", k, least=1)
    if c.shape != n.shape or c.ndim != 1 or c.size == 0:
        raise BadArgument(
            f"passes has shape {c.shape} and trials {n.shape}; give two lists, one entry a task."
        )
    wrong = np.flatnonzero((c < 0) | (c > n) | (n > slots) | (slots < repeats))
    if wrong.size:
        task = int(wrong[0])
        raise BadArgument(
            f"Task {task} has {c[task]} passes in {n[task]} trials of {slots[task]} planned with "
            f"k = {repeats}; the rule is 0 <= passes <= trials <= planned and planned >= k."
        )
    missing = slots - n
    observed = math.nan
    short = np.flatnonzero(n < repeats)
    if short.size:
        warnings.warn(
            f"{short.size} of {n.size} tasks have fewer than k = {repeats} valid trials (first: "
            f"task {short[0]} with {n[short[0]]} of {slots[short[0]]}): pass^{repeats} cannot be "
            "estimated from the valid trials; see the bounds.",
            NoTrialLeft,
            stacklevel=2,
        )
    else:
        observed = float(np.mean(pass_hat_k(n, c, repeats)))
    return MissingBounds(
        k=repeats,
        observed=observed,
        low=float(np.mean(pass_hat_k(slots, c, repeats))),
        high=float(np.mean(pass_hat_k(slots, c + missing, repeats))),
        tasks=int(n.size),
        planned=int(slots.sum()),
        missing=int(missing.sum()),
        empty_tasks=tuple(int(i) for i in np.flatnonzero(n == 0)),
    )
