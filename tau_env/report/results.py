"""Trial records of any origin as one shape: task, trial, passed, and what is wrong with the file.

Read are our own rows and full trials (JSON Lines, or an object with ``rows``), CSV or JSON with
columns for task, trial and passed under any name, and the public tau-bench trial files. A fault is
listed, never repaired in silence: a pair (task, trial) counts once, a reward between 0 and 1 is no
pass, a trial without a grade is missing. No statistic is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tau_env.errors import BadContent, UnknownName, nearest
from tau_env.report._rows import Row, load_rows
from tau_env.report.conditions import Conditions, check_pooled, conditions

Slots = dict[int | str, float | None]
Kind = Literal["duplicate", "missing", "no grade", "fractional reward"]

ALIASES: Mapping[str, tuple[str, ...]] = {
    "task": ("task", "task_id"),
    "trial": ("trial", "trial_id"),
    "passed": ("passed", "reward", "success"),
    "family": ("family",),
    "agent": ("agent",),
}
WORDS = {"true": 1.0, "pass": 1.0, "passed": 1.0, "yes": 1.0}
WORDS |= {"false": 0.0, "fail": 0.0, "failed": 0.0, "no": 0.0}


@dataclass(frozen=True)
class Problem:
    """One fault of a file.

    Attributes:
        kind: what sort of fault.
        task: the task concerned.
        detail: the fault in words, with what was done about it.
    """

    kind: Kind
    task: str
    detail: str


@dataclass(frozen=True)
class TaskCounts:
    """Counts by task, in the order in which tasks first occur; arrays of shape (M,).

    Attributes:
        task: names.
        family: a family a task; None when the file has none.
        passes: passed trials.
        trials: graded trials, 0 where every trial of a task lacks a grade.
        planned: trials that should be there.
    """

    task: tuple[str, ...]
    family: tuple[str, ...] | None
    passes: NDArray[np.int64]
    trials: NDArray[np.int64]
    planned: NDArray[np.int64]


@dataclass(frozen=True)
class Results:
    """Graded trials of one agent, each (task, trial) once, and the faults of their file.

    Attributes:
        task: task of each graded trial.
        trial: its number or label.
        passed: its grade, shape (trials,).
        problems: what is wrong with the file.
        tasks: every task of the file, also those without a graded trial.
        families: family of each task in ``tasks``; None when the file has none.
        planned: trials that every task should have.
        agent: the agent, ``""`` when the file does not say.
        insider: the agent had the task in hand (its reference solution), so says the file.
        conditions: under which the trials were made, as far as the file tells.
    """

    task: tuple[str, ...]
    trial: tuple[int | str, ...]
    passed: NDArray[np.bool_]
    problems: tuple[Problem, ...]
    tasks: tuple[str, ...]
    families: tuple[str, ...] | None
    planned: int
    agent: str = ""
    insider: bool = False
    conditions: Conditions = field(default_factory=dict)

    def counts(self) -> TaskCounts:
        """Passes, trials and planned trials of every task."""
        place = {name: i for i, name in enumerate(self.tasks)}
        index = np.array([place[name] for name in self.task], dtype=np.int64)
        size = len(self.tasks)
        return TaskCounts(
            task=self.tasks,
            family=self.families,
            passes=np.bincount(index[self.passed], minlength=size).astype(np.int64),
            trials=np.bincount(index, minlength=size).astype(np.int64),
            planned=np.full(size, self.planned, dtype=np.int64),
        )


def read_results(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    agent: str | None = None,
    planned: int | None = None,
    foreign: bool = False,
) -> Results:
    """Read the trial records of one agent.

    Args:
        path: the file.
        columns: names of the columns where they are not the usual ones, e.g.
            ``{"task": "scenario", "trial": "run", "passed": "ok"}``.
        agent: the agent to read when the file holds several.
        planned: trials that every task should have; by default the most that any task has.
        foreign: pool trials although they were made under different conditions.

    Returns:
        The trials with the faults of the file.

    Raises:
        BadContent: no such file, no such column, a value that is no grade, or several agents
            and none chosen: records of two agents are never pooled; or trials of different
            customers, graders and the like.
        UnknownName: the agent is not in the file.
    """
    file = Path(path)
    rows = load_rows(file)
    names = _columns(file, rows, columns or {})
    rows, chosen = _of_agent(file, rows, names.get("agent"), agent)
    made_under = conditions(rows)
    if not foreign:
        check_pooled(file, made_under)
    grades: dict[str, Slots] = {}
    families: dict[str, str] = {}
    problems: list[Problem] = []
    for number, row in enumerate(rows, start=1):
        task = str(_cell(file, number, row, names["task"]))
        slot = _label(_cell(file, number, row, names["trial"]))
        reward = _reward(file, number, row, names.get("passed"))
        families.setdefault(task, str(row.get(names.get("family", "family")) or ""))
        own = grades.setdefault(task, {})
        problems += _faults(task, slot, reward, own)
        own.setdefault(slot, reward)
    most = max(planned or 0, max(map(len, grades.values())))
    problems += _missing(grades, most)
    graded = [(t, s, r) for t, own in grades.items() for s, r in own.items() if r is not None]
    return Results(
        task=tuple(task for task, _, _ in graded),
        trial=tuple(slot for _, slot, _ in graded),
        passed=np.array([reward == 1 for _, _, reward in graded], dtype=np.bool_),
        problems=tuple(problems),
        tasks=tuple(families),
        families=tuple(families.values()) if all(families.values()) else None,
        planned=most,
        agent=chosen,
        insider=any(row.get("insider") is True for row in rows),
        conditions=made_under,
    )


def _columns(path: Path, rows: list[Row], given: Mapping[str, str]) -> dict[str, str]:
    """The file's name for each of our columns; those it has not are left out."""
    unknown = set(given) - set(ALIASES)
    if unknown:
        raise BadContent(
            f"No column of ours is called {sorted(unknown)[0]!r}; map {', '.join(ALIASES)}."
        )
    present: dict[str, None] = {}
    for row in rows:
        present.update(dict.fromkeys(row))
    names = {}
    for ours, aliases in ALIASES.items():
        wanted = (given[ours],) if ours in given else aliases
        found = next((name for name in wanted if name in present), None)
        if found is not None:
            names[ours] = found
        elif ours in given or ours in ("task", "trial") or not _has_grades(ours, present):
            raise BadContent(
                f"{path}: no column {' or '.join(map(repr, wanted))} for {ours}; it has "
                f"{', '.join(present)}. Name it with columns ({ours}=NAME)."
            )
    return names


def _has_grades(ours: str, present: Mapping[str, None]) -> bool:
    return ours in ("family", "agent") or "grade" in present


def _of_agent(
    path: Path, rows: list[Row], column: str | None, agent: str | None
) -> tuple[list[Row], str]:
    """The rows of one agent and its name."""
    agents = list(dict.fromkeys(str(row.get(column) or "") for row in rows)) if column else [""]
    if agent is None:
        if len(agents) > 1:
            raise BadContent(
                f"{path}: holds trials of {len(agents)} agents ({', '.join(agents)}), which are "
                "never pooled; choose one with agent."
            )
        return rows, agents[0]
    if agent not in agents:
        there = ", ".join(filter(None, agents)) or "no agent named"
        raise UnknownName(
            f"{path}: has no agent {agent!r}; it has {there}.{nearest(agent, agents)}"
        )
    return [row for row in rows if column is None or str(row.get(column) or "") == agent], agent


def _cell(path: Path, number: int, row: Row, column: str) -> Any:
    value = row.get(column)
    if value is None or value == "":
        raise BadContent(f"{path}, record {number}: has no {column}; every record needs one.")
    return value


def _label(value: Any) -> int | str:
    """A trial's number as a number, any other label as text."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    text = str(value).strip()
    return int(text) if text.lstrip("-").isdecimal() else text


def _reward(path: Path, number: int, row: Row, column: str | None) -> float | None:
    """A reward from 0 to 1, or None for a trial that was not graded."""
    value = row.get(column) if column else None
    if value is None and isinstance(row.get("grade"), dict):
        value = row["grade"].get("passed")
    if row.get("status") in ("crashed", "ungraded"):
        value = None
    if isinstance(value, str):
        text = value.strip().lower()
        value = WORDS.get(text, text) if text else None
    if value is None:
        return None
    try:
        reward = float(value)
    except (TypeError, ValueError):
        reward = np.inf
    if np.isnan(reward):
        return None
    if not 0 <= reward <= 1:
        raise BadContent(
            f"{path}, record {number}: {column or 'grade'} is {value!r}; a grade is true or "
            "false, or a reward from 0 to 1 of which only 1 passes."
        )
    return reward


def _faults(task: str, slot: int | str, reward: float | None, own: Slots) -> list[Problem]:
    """What is wrong with one record, given the earlier ones of its task."""
    if slot in own:
        same = "with the same grade" if own[slot] == reward else f"with {reward} after {own[slot]}"
        return [Problem("duplicate", task, f"trial {slot} is there again {same}: the first counts")]
    if reward is None:
        return [Problem("no grade", task, f"trial {slot} has no grade: missing")]
    if 0 < reward < 1:
        detail = f"trial {slot} has reward {reward:g}: counted as failed"
        return [Problem("fractional reward", task, detail)]
    return []


def _missing(grades: Mapping[str, Slots], planned: int) -> list[Problem]:
    """Tasks with fewer records than planned; slots are named where all tasks share their labels."""
    labels = {slot for own in grades.values() for slot in own}
    problems = []
    for task, own in grades.items():
        if len(own) < planned:
            named = sorted(map(str, labels - set(own))) if len(labels) <= planned else []
            which = f" (not there: {', '.join(named)})" if named else ""
            detail = f"{len(own)} of {planned} trials{which}"
            problems.append(Problem("missing", task, detail))
    return problems
