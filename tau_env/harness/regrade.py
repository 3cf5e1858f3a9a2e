"""Judging stored trials again, from the record alone: no world, no agent, no customer."""

from __future__ import annotations

import traceback
from dataclasses import dataclass

from tau_env.graders.full import grade_full
from tau_env.harness.material import Foreign, Material, foreign_parts
from tau_env.schema import Grade, Trial


@dataclass(frozen=True)
class Regraded:
    """A trial judged again.

    Attributes:
        trial: the trial with its new grade; as it was where it cannot be graded.
        stored: the grade that stood in the record, None for an ungraded trial.
        grade: the grade now, None if a grader failed again.
        same: both are equal, evidence and all.
        error: what the grader raised.
    """

    trial: Trial
    stored: Grade | None
    grade: Grade | None
    same: bool
    error: str = ""


def regrade_trial(trial: Trial, material: Material, *, foreign: bool = False) -> Regraded:
    """Judge a trial from its transcript and outcome.

    Args:
        trial: a graded or ungraded trial; a crashed one has nothing to judge.
        material: tasks and specs of its file.
        foreign: judge although graders, spec or task are not those of the record.

    Raises:
        Foreign: they are not, and nobody said that this is wanted.
    """
    task = material.task(trial, foreign=foreign)
    parts = foreign_parts(trial, _compared(trial, material))
    if parts and not foreign:
        raise Foreign(
            f"trial {trial.trial} of {trial.task} was judged with other parts ({'; '.join(parts)}),"
            " so a new grade would not be comparable; say --foreign to judge it all the same"
        )
    try:
        grade = grade_full(task, trial.transcript, trial.outcome, material.spec(trial))
    except Exception:
        # As in a run: one trial's fault must not take the others with it.
        return Regraded(trial, trial.grade, None, False, traceback.format_exc(limit=-3))
    now = trial.model_copy(update={"grade": grade, "status": "graded"})
    return Regraded(now, trial.grade, grade, grade == trial.grade)


def _compared(trial: Trial, material: Material) -> tuple[str, ...]:
    held = trial.digests.get("spec") in material.specs
    return ("graders",) if held else ("graders", "spec")
