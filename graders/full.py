"""Full: state, outputs, path, conduct and confirmation together; the reward is 1 if all pass."""

from __future__ import annotations

from tau_env.graders.conduct import grade_conduct
from tau_env.graders.confirmation import confirmed_writes, grade_confirmation
from tau_env.graders.outputs import grade_outputs
from tau_env.graders.path import first_match, grade_path
from tau_env.graders.state import grade_world
from tau_env.schema import DomainSpec, Evidence, Grade, Outcome, Task, Transcript


def grade_full(task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec) -> Grade:
    """The grader that decides the reward.

    Returns:
        A grade ``full`` with the five parts. Scores, never in the reward: ``progress``,
        ``missing_effect``, ``extra_effect``, ``wrong_value`` (failure classes, counts of cells)
        and, where the task has lures, ``lures_taken`` (a share).
    """
    writes = confirmed_writes(transcript, spec)
    parts = {
        "state": grade_world(task, transcript, outcome, spec),
        "outputs": grade_outputs(task, transcript, outcome, spec),
        "path": grade_path(task, transcript, outcome, spec),
        "conduct": grade_conduct(task, transcript, outcome, spec, writes=writes),
        "confirmation": grade_confirmation(task, transcript, outcome, spec, writes=writes),
    }
    failed = [one for one in parts.values() if not one.passed]
    scores = {**parts["state"].scores, **parts["path"].scores}
    if task.lures:
        scores["lures_taken"] = _lures_taken(task, transcript, outcome)
    return Grade(
        grader="full",
        passed=not failed,
        evidence=tuple(
            Evidence(text=f"{part.grader}: {one.text}", turns=one.turns, rule=one.rule)
            for part in failed
            for one in part.evidence
        ),
        parts=parts,
        scores=scores,
    )


def _lures_taken(task: Task, transcript: Transcript, outcome: Outcome) -> float:
    """The share of the task's lures that the agent took."""
    rows = {(change.row, tuple(sorted(change.fields.items()))) for change in outcome.patch}
    taken = sum(
        any(first_match((pattern,), transcript) for pattern in lure.calls)
        or any((change.row, tuple(sorted(change.fields.items()))) in rows for change in lure.patch)
        for lure in task.lures
    )
    return taken / len(task.lures)
