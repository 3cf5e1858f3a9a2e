"""A grid of trials: agents x tasks x attempts, each with its own seed, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tau_env import content
from tau_env.agents.base import Agent, is_insider
from tau_env.env import MAX_STEPS, TauEnv
from tau_env.errors import BadArgument, UnknownName, nearest
from tau_env.registry import find_agent, find_domain
from tau_env.schema import Task, Trial
from tau_env.trial import make_agent, run_trial, trial_seed


@dataclass(frozen=True)
class Entry:
    """An agent of a grid: the name in the records and the class behind it."""

    name: str
    found: type[Any]

    @classmethod
    def named(cls, name: str) -> Entry:
        """An agent by name, entry point or ``module:Class``.

        Raises:
            UnknownName: nothing of that name can be imported.
        """
        return cls(name=name, found=find_agent(name))


def choose_tasks(
    domain: str, patterns: Sequence[str] = (), *, split: str | None = None
) -> list[Task]:
    """Released tasks by id, family, or id with a final ``*``; all when nothing is named.

    Raises:
        UnknownName: no such domain, or a pattern that no task matches; the nearest is offered.
        BadArgument: the split leaves none.
    """
    find_domain(domain)
    tasks = content.tasks(domain)
    chosen: dict[str, Task] = {} if patterns else dict(tasks)
    for pattern in patterns:
        found = {
            name: task
            for name, task in tasks.items()
            if pattern in (name, task.family)
            or (pattern.endswith("*") and name.startswith(pattern[:-1]))
        }
        if not found:
            known = [*tasks, *{task.family for task in tasks.values()}]
            raise UnknownName(
                f"no task or family {pattern!r} in {domain}.{nearest(pattern, known)} "
                "`tau-env tasks list` shows all"
            )
        chosen |= found
    kept = [task for task in chosen.values() if split in (None, task.split)]
    if not kept:
        raise BadArgument(f"no task of split {split!r} is left; splits are train and test")
    return kept


def run_grid(
    domain: str,
    entry: Entry,
    tasks: Iterable[Task],
    *,
    trials: int = 1,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    skip_idle: bool = False,
) -> Iterator[Trial]:
    """Run an agent on tasks, several times each.

    Args:
        domain: the domain's name.
        entry: the agent; a fresh one for every trial.
        tasks: the tasks.
        trials: attempts a task, at least 1.
        seed: study seed, from which every trial's own seed follows.
        max_steps: step budget.
        skip_idle: leave out tasks in which an insider's edit changes nothing.

    Yields:
        Trials, task by task, attempt by attempt.

    Raises:
        BadArgument: trials below 1.
    """
    if trials < 1:
        raise BadArgument(f"trials {trials}: at least 1")
    others = tuple(content.tasks(domain).values())
    env = TauEnv(domain, tasks=list(others), max_steps=max_steps)
    try:
        for task in tasks:
            for number in range(trials):
                agent: Agent = make_agent(entry.found, task, others=others)
                if skip_idle and is_insider(agent) and not getattr(agent, "applies", True):
                    continue
                own = trial_seed(seed, task.id, number)
                yield run_trial(env, agent, task, seed=own, trial=number, name=entry.name)
    finally:
        env.close()
