"""The audit: every edit of every reference, judged by every grader.

An edit is spoiling or harmless by the policy, not by a grader: a grader is wrong where it passes
what is spoiled or fails what is harmless. The kinds are in `agents.spoiling` and
`agents.harmless`; here they are played, in the normal environment with the scripted customer.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from tau_env import content
from tau_env.agents.harmless import HARMLESS
from tau_env.agents.script import Script
from tau_env.agents.site import Edit, Edited, Site
from tau_env.agents.spoiling import SPOILING
from tau_env.env import TauEnv
from tau_env.errors import UnknownName, nearest
from tau_env.graders import weak
from tau_env.registry import find_domain
from tau_env.schema import DomainSpec, Task, Trial
from tau_env.trial import run_trial, trial_seed

PARTS = ("state", "outputs", "path", "conduct", "confirmation")
WEAK = {
    "claim": weak.grade_claim,
    "goal_fields": weak.grade_goal_fields,
    "completion": weak.grade_completion,
    "caller_report": weak.grade_caller_report,
    "tool_results": weak.grade_tool_results,
}
GRADERS = ("full", *PARTS, *WEAK)
"""The one that decides, its parts, and the weak ones beside it."""

KINDS: dict[str, Edit] = {**SPOILING, **HARMLESS}


@dataclass(frozen=True, slots=True)
class AuditRow:
    """How often one grader is wrong on one kind of edit.

    Attributes:
        domain: the domain.
        grader: one of `GRADERS`.
        kind: one of `KINDS`.
        spoiling: whether no trial of the kind should pass; else none should fail.
        tried: trials in which the edit happened.
        wrong: spoiled ones that passed, or harmless ones that failed.
    """

    domain: str
    grader: str
    kind: str
    spoiling: bool
    tried: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Tried:
    """One edited conversation and what the graders say.

    Attributes:
        task: the task.
        kind: the kind of the edit.
        note: what was done.
        passed: verdict by grader.
        why: why the full grader failed it; empty if it passed.
    """

    task: str
    kind: str
    note: str
    passed: Mapping[str, bool]
    why: str

    @property
    def spoiled(self) -> bool:
        """Whether it should fail."""
        return self.kind in SPOILING

    def is_wrong(self, grader: str) -> bool:
        """Whether a grader's verdict is wrong."""
        return self.passed[grader] == self.spoiled


@dataclass(frozen=True)
class _Work:
    """What a worker process needs for one task."""

    domain: str
    kinds: tuple[str, ...]
    seed: int


def choose_kinds(names: Sequence[str] = ()) -> tuple[str, ...]:
    """Kinds by name; all when nothing is named.

    Raises:
        UnknownName: there is no such kind; the nearest is offered.
    """
    for name in names:
        if name not in KINDS:
            raise UnknownName(f"no kind {name!r}.{nearest(name, KINDS)}")
    return tuple(names or KINDS)


def audit(
    domain: str,
    tasks: Sequence[Task],
    *,
    kinds: Sequence[str] = (),
    seed: int = 0,
    workers: int = 1,
    heard: Callable[[str], None] = lambda task: None,
) -> Iterator[Tried]:
    """Play every edit of every task's reference.

    Args:
        domain: the domain's name.
        tasks: the tasks.
        kinds: names of kinds; all when empty.
        seed: study seed.
        workers: processes; 1 plays everything in this one.
        heard: told the id of every task before its trials are given.

    Yields:
        Every trial in which the edit happened, task by task, in one order for any number of
        workers.

    Raises:
        UnknownName: no such domain or kind.
    """
    find_domain(domain)
    work = _Work(domain, choose_kinds(kinds), seed)
    if workers <= 1:
        for task in tasks:
            heard(task.id)
            yield from audit_task(task, work)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for task, found in zip(
            tasks, pool.map(partial(audit_task, work=work), tasks, chunksize=4), strict=True
        ):
            heard(task.id)
            yield from found


def audit_task(task: Task, work: _Work) -> list[Tried]:
    """Every edit of one task, in this process."""
    domain = find_domain(work.domain)
    others = tuple(content.tasks(work.domain).values())
    env = TauEnv(work.domain, tasks=[task])
    world = domain.open()
    try:
        site = Site(task, domain.spec, others, domain=domain, world=world)
        seed = trial_seed(work.seed, task.id, 0)
        return [
            tried
            for kind in work.kinds
            for edited in KINDS[kind](site)
            if (tried := _try(env, kind, edited, domain.spec, seed)) is not None
        ]
    finally:
        world.close()
        env.close()


def play_edited(env: TauEnv, edited: Edited, *, seed: int) -> Trial | None:
    """The trial of an edit; None where a call that it rests on did not go through."""
    script = Script(edited.task, edited.steps)
    trial = run_trial(env, script, edited.task, seed=seed, name="edited")
    calls = iter([turn.call for turn in trial.transcript if turn.call is not None])
    made = [next(calls, None) if step.call else None for step in edited.steps]
    if any((call := made[at]) is None or call.error is not None for at in edited.must):
        return None
    return trial


def _try(env: TauEnv, kind: str, edited: Edited, spec: DomainSpec, seed: int) -> Tried | None:
    trial = play_edited(env, edited, seed=seed)
    if trial is None or trial.grade is None:
        return None
    grade = trial.grade
    evidence = (edited.task, trial.transcript, trial.outcome, spec)
    passed = {"full": grade.passed, **{name: grade.parts[name].passed for name in PARTS}}
    passed |= {name: judge(*evidence).passed for name, judge in WEAK.items()}
    why = "" if grade.passed else "; ".join(one.text for one in grade.evidence[:2])
    return Tried(task=edited.task.id, kind=kind, note=edited.note, passed=passed, why=why)


def audit_rows(domain: str, tried: Iterable[Tried], kinds: Sequence[str] = ()) -> list[AuditRow]:
    """The table: one row for every grader and kind.

    Args:
        domain: the domain's name.
        tried: from `audit`.
        kinds: the kinds that were tried; all when empty.
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for one in tried:
        for grader in GRADERS:
            count = counts.setdefault((grader, one.kind), [0, 0])
            count[0] += 1
            count[1] += one.is_wrong(grader)
    return [
        AuditRow(domain, grader, kind, kind in SPOILING, *counts.get((grader, kind), (0, 0)))
        for kind in choose_kinds(kinds)
        for grader in GRADERS
    ]
