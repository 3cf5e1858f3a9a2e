"""What the verbs over stored trials share: which trials are meant."""

from __future__ import annotations

from pathlib import Path

import click

from tau_env.errors import UnknownName, nearest
from tau_env.harness.records import Records, read_trials, trials_of
from tau_env.schema import Trial


def choose_trials(
    file: Path, task: str | None, number: int | None, *, agent: str | None
) -> list[Trial]:
    """The trials of a file that are asked for; problems of the file are told as warnings.

    Args:
        file: a store or a file of lines.
        task: id of a task; all when None.
        number: number of the trial; all when None.
        agent: the agent; all when None.

    Raises:
        BadContent: the file cannot be read.
        UnknownName: there is none such; what there is is named.
    """
    records = read_trials(file)
    for problem in records.problems:
        click.echo(f"warning: {problem}", err=True)
    agents = list(dict.fromkeys(one.agent for one in records.trials))
    if agent is not None and agent not in agents:
        hint = nearest(agent, agents)
        raise UnknownName(f"no agent {agent!r} in {file}.{hint} It has {', '.join(agents)}")
    if task is None:
        return [one for one in records.trials if agent in (None, one.agent)]
    found = list(trials_of(records, task, number, agent=agent))
    if not found:
        raise UnknownName(_none(records, file, task, number))
    return found


def _none(records: Records, file: Path, task: str, number: int | None) -> str:
    numbers = sorted({one.trial for one in records.trials if one.task == task})
    if numbers:
        return f"no trial {number} of {task} in {file}; it has {', '.join(map(str, numbers))}"
    known = sorted({one.task for one in records.trials})
    return f"no trial of {task!r} in {file}.{nearest(task, known)} It has {len(known)} tasks"
