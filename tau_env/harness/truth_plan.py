"""The world of known truth: what is played, and all the rows that come of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tau_env.agents.noisy import Skill
from tau_env.errors import BadArgument, UserMistake
from tau_env.harness.grid import choose_tasks
from tau_env.harness.known_truth import Played, Setting, play
from tau_env.harness.truth_repeats import coverage_rows, fit_rows
from tau_env.harness.truth_rows import (
    KS,
    TruthRow,
    crash_rows,
    customer_rows,
    draws_rows,
    pass_rows,
    weak_rows,
)
from tau_env.schema import Task

SPLIT = Skill(name="split", mean=0.6, concentration=0.5)
"""Its tasks are nearly always passed or nearly always failed."""

COIN = Skill(name="coin", mean=0.6, concentration=20.0)
"""Every task is about the same coin; the same mean as `SPLIT`, another pass^k."""

STEADY = Skill(name="steady", mean=0.9, concentration=4.0)
"""A good agent with a few weak spots."""

PLAIN = Skill(name="plain", mean=0.7, concentration=2.0)
"""Plays where crashes, reruns and customers are at stake."""

AGENTS = (SPLIT, COIN, STEADY)
CRASH_RATE = 0.2
MANNER = 1.5


@dataclass(frozen=True)
class Plan:
    """How much is played and drawn.

    Attributes:
        domain: the domain.
        seed: study seed of all studies.
        studies: studies of each of `AGENTS`.
        side_studies: studies of each of the other settings.
        trials: trials a task; at least 8, so that pass^8 can be asked.
        repeats: studies drawn again for coverage.
        workers: processes.
        stride: every how manieth task is played; 1 plays all.
    """

    domain: str
    seed: int = 0
    studies: int = 6
    side_studies: int = 1
    trials: int = 8
    repeats: int = 2_000
    workers: int = 1
    stride: int = 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        least = {"studies": 1, "side_studies": 1, "trials": max(KS), "repeats": 1, "stride": 1}
        for name, bound in least.items():
            if getattr(self, name) < bound:
                raise BadArgument(f"{name} {getattr(self, name)}: at least {bound}")

    def tasks(self) -> list[Task]:
        """The tasks that are played."""
        return choose_tasks(self.domain)[:: self.stride]

    def settings(self) -> dict[str, list[Setting]]:
        """What is played, by the part that it serves; agents' parts have the agents' names."""
        made = {skill.name: list(self._of(skill, self.studies)) for skill in AGENTS}
        plain = list(self._of(PLAIN, self.side_studies))
        made["crashes"] = [replace(s, crash_rate=CRASH_RATE, reruns=1) for s in plain]
        made["trap"] = [replace(s, rerun="failures", reruns=1) for s in plain]
        made["fresh"] = [replace(s, manner=MANNER) for s in plain]
        made["same"] = [replace(s, manner=MANNER, users="same") for s in plain]
        made["copies"] = [replace(s, users="copies") for s in plain]
        return made

    def _of(self, skill: Skill, studies: int) -> Iterator[Setting]:
        for number in range(studies):
            seed = self.seed * 1_000_003 + number
            yield Setting(replace(skill, seed=seed), seed=seed, trials=self.trials)


@dataclass(frozen=True)
class KnownTruth:
    """All rows, and what they stand on.

    Attributes:
        rows: truth beside estimate.
        episodes: real episodes played.
        tasks: tasks of every study.
        played: outcomes by part, with what was planted.
    """

    rows: tuple[TruthRow, ...]
    episodes: int
    tasks: int
    played: dict[str, list[Played]]

    @property
    def failed(self) -> tuple[TruthRow, ...]:
        """Rows whose estimate is not what theory expects."""
        return tuple(row for row in self.rows if row.holds is False)


def known_truth(
    plan: Plan, *, told: Callable[[int, int], None] = lambda episodes, planned: None
) -> KnownTruth:
    """Play agents of known skill and put what is estimated beside what is true.

    Args:
        plan: how much.
        told: told episodes played and trials planned.

    Returns:
        The rows, which depend on the plan but not on its workers.

    Raises:
        UnknownName: no such domain.
    """
    tasks = plan.tasks()
    parts = plan.settings()
    flat = [setting for settings in parts.values() for setting in settings]
    outcomes = iter(play(plan.domain, flat, tasks, workers=plan.workers, told=told))
    played = {part: [next(outcomes) for _ in settings] for part, settings in parts.items()}
    rows = draws_rows([one for ones in played.values() for one in ones])
    for skill in AGENTS:
        rows += pass_rows(played[skill.name])
    for number, skill in enumerate(AGENTS):
        rng = np.random.default_rng([plan.seed, number])
        studies = played[skill.name]
        rows += fit_rows(skill, studies, repeats=plan.repeats, rng=rng)
        rows += coverage_rows(
            skill,
            families=studies[0].families,
            chances=studies[0].chances,
            trials=plan.trials,
            ks=KS,
            repeats=plan.repeats,
            rng=rng,
        )
    rows += crash_rows(played["crashes"], played["trap"])
    rows += weak_rows(played[SPLIT.name]) + weak_rows(played[COIN.name])
    rows += customer_rows(played["fresh"], played["same"], played["copies"])
    return KnownTruth(
        rows=tuple(rows),
        episodes=sum(one.episodes for ones in played.values() for one in ones),
        tasks=len(tasks),
        played=played,
    )


def check_new(path: Path) -> None:
    """Refuse a file that is there, or a folder that is not, before anything is played.

    Raises:
        UserMistake: `write_truth` could not create the file.
    """
    if path.exists():
        raise UserMistake(f"{path} exists and is not overwritten: choose another name")
    if not path.parent.is_dir():
        raise UserMistake(f"cannot create {path}: no folder {path.parent}; make it first")


def write_truth(path: str | Path, parts: dict[str, Sequence[Played]]) -> None:
    """Write the planted chances, by part, study and task, to a new JSON file.

    It stands apart from all trials: no grader and no report reads it.

    Raises:
        UserMistake: the file exists or cannot be written.
    """
    planted = {
        part: [
            {
                "agent": one.setting.skill.name,
                "seed": one.setting.seed,
                "p": dict(zip(one.tasks, one.chances.tolist(), strict=True)),
            }
            for one in played
        ]
        for part, played in parts.items()
    }
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            json.dump(planted, file, indent=1)
    except OSError as error:
        raise UserMistake(f"cannot create {path}: {error.strerror}; choose another") from None
