"""Floors and ceiling: what agents score that do not try, and what the reference scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tau_env.errors import BadArgument
from tau_env.family import families, generate
from tau_env.graders.weak import grade_claim, grade_goal_fields
from tau_env.harness.grid import Entry, choose_tasks, run_grid
from tau_env.harness.lures import LureCount, lure_counts
from tau_env.registry import AGENTS, find_domain
from tau_env.schema import DomainSpec, Task, Trial
from tau_env.trial import trial_seed
from tau_env.world.company import Company

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
        group: the family or kind that these tasks are of; empty for all tasks.
        lures: how often it took what the tasks invite, by kind; with the deciding grader only,
            because no grader counts it.
    """

    domain: str
    agent: str
    grader: str
    passed: int
    tasks: int
    rate: float | None
    twins_passed: int
    twins: int
    group: str = ""
    lures: tuple[LureCount, ...] = ()


@dataclass(frozen=True, slots=True)
class FreshRow:
    """How one agent does under one grader on tasks that nobody has seen.

    Attributes:
        domain: the domain.
        agent: the baseline.
        grader: one of `GRADERS`.
        release: its rate on the released tasks; None where it played none.
        mean: its mean rate over the fresh sets.
        low: its lowest rate over them.
        high: its highest.
        sets: fresh sets played.
        lures: lures taken over the fresh sets, by kind; with the deciding grader only.
    """

    domain: str
    agent: str
    grader: str
    release: float | None
    mean: float | None
    low: float | None
    high: float | None
    sets: int
    lures: tuple[LureCount, ...] = ()


@dataclass(frozen=True, slots=True)
class _Played:
    """A baseline's verdicts by task, and its trials of tasks with lures."""

    verdicts: dict[str, dict[str, bool]]
    tempted: tuple[Trial, ...]


def change_nothing(tasks: Iterable[Task]) -> int:
    """How many tasks have 'change nothing' as their right outcome: doing nothing leaves it."""
    return sum(not any(task.goals) for task in tasks)


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
    by: Literal["family", "kind"] | None = None,
    heard: Callable[[str], None] = lambda agent: None,
) -> Iterator[FloorRow]:
    """Every baseline on every released task under every grader.

    Args:
        domain: the domain's name.
        agents: names, the baselines and the reference when left out.
        seed: study seed.
        by: what to group tasks by; one group of all when None.
        heard: told the name of every agent before its trials.

    Yields:
        For each agent one row a grader; group by group.
    """
    tasks = {task.id: task for task in choose_tasks(domain)}
    groups = sorted({str(getattr(task, by)) for task in tasks.values()}) if by else [""]
    for agent in agents:
        heard(agent)
        found = _play(domain, agent, tasks, seed=seed)
        for group in groups:
            own = {
                name: task
                for name, task in tasks.items()
                if by is None or getattr(task, by) == group
            }
            mine = {name: one for name, one in found.verdicts.items() if name in own}
            for grader in GRADERS:
                row = _row(domain, agent, grader, mine, tasks, group)
                if grader == GRADERS[-1]:
                    row = replace(row, lures=_met(lure_counts(found.tempted, own)))
                yield row


def fresh_rows(
    domain: str,
    *,
    sets: int,
    agents: Sequence[str] = tuple(AGENTS),
    seed: int = 0,
    heard: Callable[[str], None] = lambda fresh: None,
) -> Iterator[FreshRow]:
    """Every baseline on fresh sets of tasks, each as large as the release, beside the release.

    Args:
        domain: the domain's name; only its generated families can be made afresh.
        sets: fresh sets, at least 1.
        agents: names, the baselines and the reference when left out.
        seed: study seed, from which the sets follow.
        heard: told what is played, before it is; the release first, then every set.

    Yields:
        For each agent one row a grader.

    Raises:
        BadArgument: fewer than one set.
    """
    if sets < 1:
        raise BadArgument(f"{sets} fresh sets: at least 1")
    heard("release")
    released = {task.id: task for task in choose_tasks(domain)}
    played = [{agent: _play(domain, agent, released, seed=seed) for agent in agents}]
    lures: dict[str, list[LureCount]] = {agent: [] for agent in agents}
    for number in range(sets):
        heard(f"fresh set {number + 1}")
        fresh = {task.id: task for task in fresh_tasks(domain, trial_seed(seed, "fresh", number))}
        played.append({agent: _play(domain, agent, fresh, seed=seed) for agent in agents})
        for agent in agents:
            lures[agent] += lure_counts(played[-1][agent].tempted, fresh)
    for agent in agents:
        for grader in GRADERS:
            rates = [_rate(one[agent].verdicts, grader) for one in played]
            told = [rate for rate in rates[1:] if rate is not None]
            yield FreshRow(
                domain=domain,
                agent=agent,
                grader=grader,
                release=rates[0],
                mean=sum(told) / len(told) if told else None,
                low=min(told, default=None),
                high=max(told, default=None),
                sets=sets,
                lures=_met(_summed(lures[agent])) if grader == GRADERS[-1] else (),
            )


def fresh_tasks(domain: str, seed: int) -> list[Task]:
    """A fresh set: every family of a domain, in its released size, from another seed."""
    found = find_domain(domain)
    company = Company(found)
    made = [generate(found, name, seed=seed, company=company) for name in families(domain)]
    return [task.model_copy(update={"family": one.family}) for one in made for task in one.tasks]


def baseline_verdicts(
    domain: str, agent: str, tasks: Mapping[str, Task], *, seed: int = 0
) -> dict[str, dict[str, bool]]:
    """Play a baseline once on each task.

    Args:
        domain: the domain's name.
        agent: the baseline.
        tasks: tasks by id.
        seed: study seed.

    Returns:
        Verdict by grader, by task; an insider plays only where its edit changes something.

    Raises:
        UnknownName: no such agent or domain.
    """
    return _play(domain, agent, tasks, seed=seed).verdicts


def _play(domain: str, agent: str, tasks: Mapping[str, Task], *, seed: int) -> _Played:
    spec = find_domain(domain).spec
    found: dict[str, dict[str, bool]] = {}
    tempted: list[Trial] = []
    for trial in run_grid(domain, Entry.named(agent), tasks.values(), seed=seed, skip_idle=True):
        task = tasks[trial.task]
        found[trial.task] = verdicts(trial, task, spec)
        if task.lures:
            tempted.append(trial)
    return _Played(found, tuple(tempted))


def _met(counts: Iterable[LureCount]) -> tuple[LureCount, ...]:
    return tuple(one for one in counts if one.met)


def _summed(counts: Iterable[LureCount]) -> list[LureCount]:
    found: dict[str, LureCount] = {}
    for one in counts:
        before = found.get(one.kind, LureCount(one.kind, 0, 0))
        found[one.kind] = LureCount(one.kind, before.taken + one.taken, before.met + one.met)
    return list(found.values())


def _rate(found: dict[str, dict[str, bool]], grader: str) -> float | None:
    return sum(one[grader] for one in found.values()) / len(found) if found else None


def _row(
    domain: str,
    agent: str,
    grader: str,
    found: dict[str, dict[str, bool]],
    tasks: dict[str, Task],
    group: str,
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
        rate=_rate(found, grader),
        twins_passed=sum(set(pair) <= passed for pair in pairs),
        twins=len(pairs),
        group=group,
    )
