"""Floors and ceiling on the tasks of a study, played now, if its versions are installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tau_env import content
from tau_env.agents.base import is_insider
from tau_env.errors import TauEnvError
from tau_env.harness.baselines import baseline_verdicts
from tau_env.harness.material import foreign_parts, read_material
from tau_env.harness.records import Records
from tau_env.registry import AGENTS, find_agent
from tau_env.schema import Task, digest

CEILING = "reference"
DECISIVE = ("world", "policy", "tools", "spec", "graders", "user")


@dataclass(frozen=True)
class Beside:
    """What stands beside every score.

    Attributes:
        floors: full-grader pass rate of every baseline that does not try, the highest first.
        ceiling: that of the reference solutions; None where it was not played.
        unsolved: tasks that the reference does not pass: suspects of being broken.
        reason: why there are no floors; empty where there are.
        released: tasks that the domain has; 0 where it is not installed.
        foreign: what of the study's versions is not what is installed here.
    """

    floors: tuple[tuple[str, float], ...] = ()
    ceiling: float | None = None
    unsolved: tuple[str, ...] = ()
    reason: str = ""
    released: int = 0
    foreign: tuple[str, ...] = ()


def known_tasks(path: str, records: Records) -> dict[str, Task]:
    """The tasks of a study by id: of its store, else the installed ones that were played.

    Args:
        path: its file.
        records: its trials.
    """
    if records.study is None:
        played = {one.task for one in records.trials}
        return {name: task for name, task in _installed(records).items() if name in played}
    stored = {digest(task): task for task in read_material(path).tasks.values()}
    return {one.id: stored[one.digest] for one in records.study.tasks if one.digest in stored}


def _installed(records: Records) -> dict[str, Task]:
    try:
        return content.tasks(records.trials[0].domain)
    except TauEnvError:
        return {}


def names_beside() -> list[str]:
    """The baselines that are played: those that do not try, and the reference."""
    return [name for name in AGENTS if name == CEILING or not is_insider(find_agent(name))]


def play_beside(
    records: Records,
    tasks: Mapping[str, Task],
    *,
    play: bool = True,
    heard: Callable[[str], None] = lambda agent: None,
) -> Beside:
    """Play every baseline and the reference once on each task of a study.

    Args:
        records: its trials.
        tasks: its tasks.
        play: False plays nothing, and says so.
        heard: told the name of every baseline before its trials.

    Returns:
        Floors and ceiling; a reason instead of them where the study was made with other versions.
    """
    installed = _installed(records)
    if not installed:
        return Beside(reason="the domain of these trials is not installed here")
    if not tasks:
        return Beside(reason="none of its tasks is installed here")
    foreign = foreign_parts(records.trials[0], DECISIVE)
    changed = [name for name, task in tasks.items() if installed.get(name) != task]
    if changed:
        foreign.append(f"{len(changed)} tasks, such as {changed[0]}")
    if foreign:
        why = f"the study was made with other versions than those installed: {'; '.join(foreign)}"
        return Beside(reason=why, released=len(installed), foreign=tuple(foreign))
    if not play:
        return Beside(reason="left out as asked", released=len(installed))
    domain = records.trials[0].domain
    rates: dict[str, float] = {}
    unsolved: tuple[str, ...] = ()
    for name in names_beside():
        heard(name)
        found = baseline_verdicts(domain, name, tasks, seed=0)
        rates[name] = sum(one["full"] for one in found.values()) / len(found)
        if name == CEILING:
            unsolved = tuple(task for task, one in found.items() if not one["full"])
    ceiling = rates.pop(CEILING)
    floors = sorted(rates.items(), key=lambda item: -item[1])
    return Beside(tuple(floors), ceiling, unsolved, released=len(installed))
