"""Weak graders, kept to show what they let through: never in the reward."""

from __future__ import annotations

import json

from tau_env.graders.compare import compare_patches
from tau_env.language.acts import read_agent
from tau_env.schema import DomainSpec, Evidence, Grade, Outcome, Task, Transcript


def grade_claim(task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec) -> Grade:
    """Believes the agent: passes if it said that it did something."""
    del task, outcome
    turns = tuple(
        number
        for number, turn in enumerate(transcript, 1)
        if turn.who == "agent" and read_agent(turn.text, spec.lexicon).has("reports_done")
    )
    text = "the agent says so" if turns else "the agent claims nothing"
    return Grade(
        grader="claim", passed=bool(turns), evidence=(Evidence(text=text, turns=turns[-1:]),)
    )


def grade_goal_fields(
    task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec
) -> Grade:
    """Looks at the goal's own fields only: whatever else happened is not seen."""
    del transcript
    free = (*spec.free, *task.free)
    found = [compare_patches(outcome.patch, goal, free=free, spec=spec) for goal in task.goals]
    return Grade(
        grader="goal_fields",
        passed=any(not one.missing and not one.wrong for one in found),
        checked=any(task.goals),
    )


def grade_completion(
    task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec
) -> Grade:
    """Completion proxies, nested: a clean end, plus a write, plus no error at the last call.

    Returns:
        Passed is the strictest of the three; the scores ``clean_end``, ``with_write`` and
        ``no_final_error`` are 0 or 1 and never rise along the chain.
    """
    del task
    made = [turn.call for turn in transcript if turn.call is not None]
    clean = outcome.end_reason in ("customer_ended", "agent_ended", "transferred")
    wrote = clean and any(
        call.error is None and spec.tools[call.name].kind == "write" for call in made
    )
    fine = wrote and made[-1].error is None
    return Grade(
        grader="completion",
        passed=fine,
        scores={
            "clean_end": float(clean),
            "with_write": float(wrote),
            "no_final_error": float(fine),
        },
    )


def grade_caller_report(
    task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec
) -> Grade:
    """Believes the caller: passes if the customer ended the conversation after a claim."""
    claim = grade_claim(task, transcript, outcome, spec)
    ended = outcome.end_reason == "customer_ended"
    return Grade(grader="caller_report", passed=claim.passed and ended, evidence=claim.evidence)


def grade_tool_results(
    task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec
) -> Grade:
    """Infers the changes from what the writing tools reported, not from the database.

    Every goal row's key and new values must stand in the result of a write. A tool that lies
    about its effect deceives it, and it sees no side effects.
    """
    del outcome
    results = [
        turn.call.result
        for turn in transcript
        if turn.call is not None
        and turn.call.error is None
        and spec.tools[turn.call.name].kind == "write"
    ]

    def reported(value: object) -> bool:
        text = json.dumps(value, ensure_ascii=False)
        cents = f"{value / 100:g}" if isinstance(value, int) else text
        return any(text in result or cents in result for result in results)

    passed = any(
        all(
            reported(value)
            for change in goal
            for value in (*change.key.values(), *change.fields.values())
            if value is not None and not str(value).startswith("$")
        )
        for goal in task.goals
    )
    return Grade(grader="tool_results", passed=passed, checked=any(task.goals))
