"""The trials of one agent as counts: what was planned, graded, crashed, left ungraded, missing.

Here full trials become rows that :mod:`tau_env.report.reliability` and the statistics can be asked
about. What went wrong in failed trials is in :mod:`tau_env.report.failures`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tau_env.report.results import Problem, Results
from tau_env.schema import Trial


@dataclass(frozen=True)
class Tally:
    """How many trials ended how.

    Attributes:
        planned: places of the plan; the most trials of a task times the tasks, where there is none.
        graded: trials with a verdict.
        passed: of these, passed.
        crashed: trials of which every attempt crashed.
        ungraded: trials that a grader, the customer or the environment failed.
        missing: places without any trial.
        attempts: attempts made, earlier ones among them.
        crashed_attempts: attempts that crashed.
    """

    planned: int
    graded: int
    passed: int
    crashed: int
    ungraded: int
    missing: int
    attempts: int
    crashed_attempts: int

    @property
    def crash_rate(self) -> float:
        """Share of attempts that crashed."""
        return self.crashed_attempts / self.attempts if self.attempts else 0.0


def tally(trials: Sequence[Trial], *, tasks: int, planned: int) -> Tally:
    """Count how one agent's trials ended.

    Args:
        trials: of one agent, each place once.
        tasks: tasks planned.
        planned: trials a task.
    """
    states = [trial.status for trial in trials]
    earlier = sum(len(trial.attempts) for trial in trials)
    return Tally(
        planned=tasks * planned,
        graded=states.count("graded"),
        passed=sum(bool(trial.passed) for trial in trials),
        crashed=states.count("crashed"),
        ungraded=states.count("ungraded"),
        missing=tasks * planned - len(trials),
        attempts=len(trials) + earlier,
        crashed_attempts=sum(_crashed_attempts(trial) for trial in trials),
    )


def _crashed_attempts(trial: Trial) -> int:
    return len(trial.attempts) + (trial.status == "crashed")


def results_of(trials: Sequence[Trial], *, tasks: Mapping[str, str], planned: int) -> Results:
    """One agent's trials as results.

    Args:
        trials: of one agent, each place once.
        tasks: family by id of every task that was planned, in order; also those without a trial.
        planned: trials that every task should have.
    """
    graded = [trial for trial in trials if trial.passed is not None]
    had: dict[str, int] = dict.fromkeys(tasks, 0)
    for trial in graded:
        had[trial.task] += 1
    short = [
        Problem("missing", task, f"{count} of {planned} trials have a grade")
        for task, count in had.items()
        if count < planned
    ]
    families = tuple(tasks.values())
    return Results(
        task=tuple(trial.task for trial in graded),
        trial=tuple(trial.trial for trial in graded),
        passed=np.array([bool(trial.passed) for trial in graded], dtype=np.bool_),
        problems=tuple(short),
        tasks=tuple(tasks),
        families=families if all(families) else None,
        planned=planned,
        agent=trials[0].agent,
        insider=any(trial.insider for trial in trials),
    )
