"""What a stored trial is judged and replayed with: its task and spec, by digest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tau_env import content
from tau_env.errors import BadArgument, TauEnvError, UnknownName, UserMistake
from tau_env.harness.database import is_database, open_to_read
from tau_env.harness.provenance import domain_digests
from tau_env.registry import find_agent, find_domain
from tau_env.schema import DomainSpec, Task, Trial, digest
from tau_env.trial import make_agent


class Foreign(UserMistake):
    """A trial was made or judged with something else than what is here."""


@dataclass(frozen=True)
class Material:
    """Tasks and specs of a file, by digest; the installed ones where a file holds none."""

    tasks: dict[str, Task]
    specs: dict[str, DomainSpec]

    def task(self, trial: Trial, *, foreign: bool = False) -> Task:
        """The task that was played.

        Args:
            trial: the trial.
            foreign: take the installed task of that id where the one that was played is not found.

        Raises:
            Foreign: it is neither in the file nor installed.
        """
        wanted = trial.digests.get("task", "")
        if wanted in self.tasks:
            return self.tasks[wanted]
        installed = content.tasks(trial.domain).get(trial.task)
        if installed is None:
            raise Foreign(f"task {trial.task} of the trial is neither in the file nor installed")
        for task in (installed, _played(trial, installed)):
            if digest(task) == wanted:
                return task
        if foreign:
            return installed
        raise Foreign(
            f"task {trial.task} has changed: {wanted} was played, {digest(installed)} is installed"
        )

    def spec(self, trial: Trial) -> DomainSpec:
        """The spec of the trial's domain, as it was then if the file holds it, else as it is."""
        return self.specs.get(trial.digests.get("spec", ""), find_domain(trial.domain).spec)


def _played(trial: Trial, task: Task) -> Task:
    """The task as an insider changes it; the task itself where the agent is not found."""
    try:
        found = find_agent(trial.agent)
    except UnknownName:
        return task
    if not trial.insider:
        return task
    others = tuple(content.tasks(trial.domain).values())
    agent = make_agent(found, task, others=others, settings=trial.settings)
    own: Task = getattr(agent, "task", task)
    return own


def read_material(path: str | Path) -> Material:
    """What a file holds for judging its trials.

    Raises:
        BadContent: the file cannot be read.
    """
    if not is_database(path):
        return Material({}, {})
    with open_to_read(path) as connection:
        tasks = connection.execute("SELECT digest, json FROM tasks").fetchall()
        specs = connection.execute("SELECT digest, json FROM specs").fetchall()
    return Material(
        {name: Task.model_validate_json(body) for name, body in tasks},
        {name: DomainSpec.model_validate_json(body) for name, body in specs},
    )


def foreign_parts(trial: Trial, names: Iterable[str]) -> list[str]:
    """What of a trial's digests is not what is installed here.

    Args:
        trial: the trial.
        names: which digests to compare: world, policy, tools, spec, version, graders, user.

    Raises:
        BadArgument: the trial does not say its domain (a record of an early version).
    """
    if not trial.domain:
        raise BadArgument(f"trial {trial.trial} of {trial.task} does not say its domain")
    try:
        here = domain_digests(trial.domain, user=trial.user)
    except TauEnvError as error:
        return [str(error)]
    return [
        f"{name} {trial.digests.get(name, 'unknown')}, here {here[name]}"
        for name in names
        if trial.digests.get(name) != here[name]
    ]
