"""Floors and ceiling: what agents score that do not try, and what the reference scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tau_env.graders.weak import grade_claim, grade_goal_fields
from tau_env.harness.grid import Entry, choose_tasks, run_grid
from tau_env.registry import AGENTS, find_domain
from tau_env.schema import DomainSpec, Task, Trial

GRADERS = ("claim", "goal_fields", "state", "full")
"""From the weakest to the one that decides."""


@dataclass(frozen=True, slots=True)
class FloorRow:
    """How one agent does under one grader.

    Attributes:
        domain: the domain.
        agent: the baseline.
        grader: one of `GRADERS`.
        passed: tasks passed.
        tasks: tasks played; an insider's edit counts only where it changes something.
        rate: passed / tasks, None where no task was played.
        twins_passed: twin pairs of which both tasks were passed.
        twins: twin pairs of which both were played.
    """

    domain: str
    agent: str
    grader: str
    passed: int
    tasks: int
    rate: float | None
    twins_passed: int
    twins: int


def verdicts(trial: Trial, task: Task, spec: DomainSpec) -> dict[str, bool]:
    """What each grader of the table says of a finished trial."""
    grade = trial.grade
    if grade is None:
        return dict.fromkeys(GRADERS, False)
    arguments = (task, trial.transcript, trial.outcome, spec)
    return {
        "claim": grade_claim(*arguments).passed,
        "goal_fields": grade_goal_fields(*arguments).passed,
        "state": grade.parts["state"].passed,
        "full": grade.passed,
    }


def floor_rows(
    domain: str,
    *,
    agents: Iterable[str] = tuple(AGENTS),
    seed: int = 0,
    heard: Callable[[str], None] = lambda agent: None,
) -> Iterator[FloorRow]:
    """Every baseline on every task under every grader.

    Args:
        domain: the domain's name.
        agents: names, the baselines and the reference when left out.
        seed: study seed.
        heard: told the name of every agent before its trials.

    Yields:
        For each agent one row a grader.
    """
    spec = find_domain(domain).spec
    tasks = {task.id: task for task in choose_tasks(domain)}
    for agent in agents:
        heard(agent)
        found: dict[str, dict[str, bool]] = {}
        for trial in run_grid(
            domain, Entry.named(agent), tasks.values(), seed=seed, skip_idle=True
        ):
            found[trial.task] = verdicts(trial, tasks[trial.task], spec)
        for grader in GRADERS:
            yield _row(domain, agent, grader, found, tasks)


def _row(
    domain: str,
    agent: str,
    grader: str,
    found: dict[str, dict[str, bool]],
    tasks: dict[str, Task],
) -> FloorRow:
    passed = {name for name, verdict in found.items() if verdict[grader]}
    pairs = {
        tuple(sorted((name, tasks[name].twin or ""))) for name in found if tasks[name].twin in found
    }
    return FloorRow(
        domain=domain,
        agent=agent,
        grader=grader,
        passed=len(passed),
        tasks=len(found),
        rate=len(passed) / len(found) if found else None,
        twins_passed=sum(set(pair) <= passed for pair in pairs),
        twins=len(pairs),
    )
