"""Signs in a transcript that an agent knows more than it was told.

Three are looked for: names of this benchmark and its forerunners, the canary of a task file, and
values of the goal that the agent writes before anybody has told it. A hit is a reason to look, and
is reported as contamination; it changes no grade.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tau_env.registry import find_domain
from tau_env.schema import Task, Trial, Turn, canonical_json

NAMES = re.compile(r"(?:\btau|τ)[\s_-]?(?:[²³23][\s_-]?)?bench|\btau[_-]env\b", re.I)
CANARY = re.compile(r"tau-env-canary-[0-9a-f]+", re.I)
SHORTEST = 5
"""Letters and digits that a value must have to be telling."""
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")


@dataclass(frozen=True)
class Hit:
    """One sign.

    Attributes:
        agent: the agent.
        task: the task.
        trial: number of the trial.
        turn: 1-based position in the transcript.
        kind: ``name``, ``canary`` or ``goal``.
        text: what was found.
    """

    agent: str
    task: str
    trial: int
    turn: int
    kind: Literal["name", "canary", "goal"]
    text: str


def scan_trial(trial: Trial, task: Task) -> tuple[Hit, ...]:
    """Look through a transcript.

    Args:
        trial: the trial; an insider is scanned for canaries only, as it knows the goal by design.
        task: its task.

    Returns:
        Hits in the order of the turns. Names and canaries are looked for in all that the agent
        wrote, the canary also in what it was told, where it would be a leak of ours.
    """
    told = _squash(_briefed(trial.domain))
    values = {} if trial.insider else goal_values(task)
    hits: list[Hit] = []
    for number, turn in enumerate(trial.transcript, 1):
        wrote, heard = _sides(turn)
        found = [("canary", one) for one in CANARY.findall(f"{wrote}\n{heard}")]
        if not trial.insider:
            found += [("name", one) for one in NAMES.findall(CANARY.sub("", wrote))]
        squashed = _squash(wrote)
        for value, plain in list(values.items()):
            if value in squashed and value not in told:
                found.append(("goal", plain))
                del values[value]
        told += f" {_squash(heard)}"
        hits += [_hit(trial, number, kind, text) for kind, text in found]
    return tuple(hits)


def scan(trials: Iterable[Trial], tasks: dict[str, Task]) -> tuple[Hit, ...]:
    """Look through many trials.

    Args:
        trials: the trials; those whose task is not given are left out.
        tasks: tasks by id.
    """
    return tuple(
        hit
        for trial in trials
        if trial.task in tasks
        for hit in scan_trial(trial, tasks[trial.task])
    )


def goal_values(task: Task) -> dict[str, str]:
    """Values of the goal that nobody guesses: ids, codes and the like, not words or dates.

    Returns:
        Letters and digits of the value in lower case -> the value as it stands in the goal.
    """
    cells = [
        value
        for goal in task.goals
        for change in goal
        for value in (*change.key.values(), *change.fields.values())
    ]
    cells += [output.value for output in task.outputs if output.kind == "id"]
    found: dict[str, str] = {}
    for value in cells:
        if isinstance(value, str) and not value.startswith("$") and not DATE.fullmatch(value):
            squashed = _squash(value)
            if len(squashed) >= SHORTEST and any(map(str.isdigit, squashed)):
                found[squashed] = value
    return found


def _hit(trial: Trial, turn: int, kind: str, text: str) -> Hit:
    name: Literal["name", "canary", "goal"] = (
        "name" if kind == "name" else "canary" if kind == "canary" else "goal"
    )
    return Hit(trial.agent, trial.task, trial.trial, turn, name, text)


def _sides(turn: Turn) -> tuple[str, str]:
    """What the agent wrote in a turn, and what it was told by it."""
    if turn.call is not None:
        return f"{turn.call.name} {turn.call.raw} {turn.call.aside}", turn.call.result
    return (turn.text, "") if turn.who == "agent" else ("", turn.text)


def _briefed(domain: str) -> str:
    found = find_domain(domain)
    schemas = [spec.chat_schema() for spec in found.spec.tools.values()]
    return f"{found.policy} {canonical_json(schemas)}"


def _squash(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
