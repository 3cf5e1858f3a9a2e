"""The store of a study: one SQLite file, one writer, one transaction a trial.

Readers use :func:`tau_env.harness.records.read_trials`. A slot (study, agent, task, trial) has at
most one row; crashed attempts stand beside, each with its own transcript.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tau_env.errors import UserMistake
from tau_env.harness.database import faults_named, open_to_write, shell
from tau_env.harness.lock import Lock
from tau_env.harness.study import Slot, Study, differences
from tau_env.schema import Attempt, DomainSpec, Frozen, Task, Trial, Usage, digest

SHOWN = 8
"""Differences of a refused study that are spelled out."""


@dataclass(frozen=True)
class Kept:
    """What a store has of its study.

    Attributes:
        status: of every slot with a readable trial: graded, crashed or ungraded.
        passed: verdict by slot; None where there is none.
        attempts: crashed attempts by slot, in order.
        problems: one sentence for each row that cannot be read; its slot counts as missing.
    """

    status: dict[Slot, str]
    passed: dict[Slot, bool | None]
    attempts: dict[Slot, tuple[Attempt, ...]]
    problems: tuple[str, ...]


class Store:
    """The one writer of a study's file; use it as a context manager."""

    def __init__(self, path: str | Path) -> None:
        """Open or create the file, alone.

        Raises:
            Locked: another process writes it; the message says which.
            UserMistake: it cannot be opened or written, or is of a newer version.
            BadContent: it is damaged or of something else.
        """
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise UserMistake(f"cannot create {path}: no folder {self.path.parent}; make it first")
        if self.path.is_dir():
            raise UserMistake(f"{path} is a folder; name a file, such as {self.path / 'mine.db'}")
        self._lock = Lock(self.path)
        try:
            self._db = open_to_write(self.path)
        except BaseException:
            self._lock.release()
            raise
        self.study = self._stored_study()
        self._name = ""

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave one plain file, which can be read anywhere, and give the lock back."""
        # With a reader at work, or on a full disk, the write-ahead file stays: nothing is lost.
        with suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA journal_mode = DELETE")
        self._db.close()
        self._lock.release()

    def _stored_study(self) -> Study | None:
        with faults_named(self.path):
            found = self._db.execute("SELECT json FROM studies").fetchone()
        if found is None:
            return None
        try:
            return Study.model_validate_json(found[0])
        except ValidationError as error:
            raise UserMistake(
                f"{self.path}: its study cannot be read ({error.errors()[0]['msg']}); save its "
                f"trials with: tau-env export {shell(self.path)} --out rescued.jsonl"
            ) from None

    def begin(self, study: Study, tasks: Iterable[Task], spec: DomainSpec) -> None:
        """Write down what is planned; an equal plan that stands there already is gone on with.

        Args:
            study: the plan.
            tasks: its tasks in full, so that trials can be judged from this file alone.
            spec: the domain's spec, for the same reason.

        Raises:
            UserMistake: the file holds another study; every difference is named.
        """
        if self.study is not None:
            refuse_other(self.path, self.study, study)
            return
        with faults_named(self.path), self._db.atomic():
            self._put("specs", digest=digest(spec), domain=spec.name, json=_json(spec))
            for task in tasks:
                self._put_task(task)
            self._put("studies", digest=study.digest, name=study.name, json=study.model_dump_json())
        self.study = study

    def tasks(self) -> list[Task]:
        """The tasks of the study, in its order."""
        with faults_named(self.path):
            rows = self._db.execute("SELECT digest, json FROM tasks").fetchall()
        found = {name: Task.model_validate_json(body) for name, body in rows}
        return [found[one.digest] for one in self._planned().tasks]

    def keep(self, slot: Slot, trial: Trial, *, played: Task | None = None) -> None:
        """Store what became of a slot, in one transaction; a crash is kept as an attempt too.

        Args:
            slot: the place; a trial that stands there already is replaced.
            trial: the trial, complete.
            played: the task as an insider played it, where it differs from the planned one.
        """
        study = self._study_name()
        with faults_named(self.path), self._db.atomic():
            if played is not None:
                self._put_task(played)
            if trial.status == "crashed":
                self._put_attempt(study, slot, trial)
            self._put("trials", study=study, **trial_row(slot, trial))

    def keep_attempt(self, slot: Slot, trial: Trial) -> None:
        """Store a crashed attempt of a slot that will be tried again."""
        with faults_named(self.path), self._db.atomic():
            self._put_attempt(self._study_name(), slot, trial)

    def kept(self) -> Kept:
        """What is there, every row read in full: a torn one is named and counts as missing."""
        with faults_named(self.path):
            rows = self._db.execute(
                "SELECT agent, task, trial, CAST(json AS BLOB) FROM trials"
            ).fetchall()
            tries = self._db.execute(
                "SELECT agent, task, trial, CAST(json AS BLOB) FROM attempts ORDER BY attempt"
            ).fetchall()
        status: dict[Slot, str] = {}
        passed: dict[Slot, bool | None] = {}
        problems: list[str] = []
        attempts: dict[Slot, tuple[Attempt, ...]] = {}
        for agent, task, number, body in rows:
            slot = Slot(agent, task, number)
            try:
                trial = Trial.model_validate_json(body)
            except ValidationError:
                problems.append(
                    f"{self.path}: trial {number} of {task} by {agent} is torn and is run again"
                )
                continue
            status[slot], passed[slot] = trial.status, trial.passed
        for agent, task, number, body in tries:
            slot = Slot(agent, task, number)
            try:
                crashed = attempt_of(Trial.model_validate_json(body))
            except ValidationError:
                crashed = Attempt(error="unknown: its record is torn")
            attempts[slot] = (*attempts.get(slot, ()), crashed)
        return Kept(status, passed, attempts, tuple(problems))

    def trials(self) -> list[Trial]:
        """All readable trials, in the order of the study."""
        with faults_named(self.path):
            rows = self._db.execute(
                "SELECT agent, task, trial, CAST(json AS BLOB) FROM trials"
            ).fetchall()
        bodies = {Slot(agent, task, number): body for agent, task, number, body in rows}
        found = []
        for slot in self._planned().slots():
            with suppress(ValidationError):  # torn ones are named by `kept`
                if slot in bodies:
                    found.append(Trial.model_validate_json(bodies[slot]))
        return found

    def _planned(self) -> Study:
        if self.study is None:
            raise UserMistake(f"{self.path} holds no study yet: begin one first")
        return self.study

    def _study_name(self) -> str:
        """The digest of the study, which is long, and the same for every trial."""
        self._name = self._name or self._planned().digest
        return self._name

    def _put(self, table: str, **row: Any) -> None:
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        self._db.execute(f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", row)

    def _put_task(self, task: Task) -> None:
        self._put("tasks", digest=digest(task), id=task.id, json=_json(task))

    def _put_attempt(self, study: str, slot: Slot, trial: Trial) -> None:
        (number,) = self._db.execute(
            "SELECT count(*) FROM attempts WHERE (study, agent, task, trial) = (?, ?, ?, ?)",
            (study, *slot),
        ).fetchone()
        self._put(
            "attempts",
            study=study,
            **slot._asdict(),
            attempt=number + 1,
            error=trial.error,
            json=trial.model_dump_json(),
        )


def _json(model: Frozen) -> str:
    return model.model_dump_json(by_alias=True)


def refuse_other(path: str | Path, ours: Study, theirs: Study) -> None:
    """Let only the same study pass.

    Raises:
        UserMistake: another study, with what differs.
    """
    found = differences(ours, theirs)
    if not found:
        return
    told = "\n  ".join(str(one) for one in found[:SHOWN])
    more = f"\n  and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    way = "Leave the changed settings out to go on with it, or choose another file"
    if all(one.is_of_code for one in found):
        way = (
            "What is installed has changed since: go on with what began it, or choose another file"
        )
    raise UserMistake(
        f"{path} holds another study, and trials of two are never pooled. What differs:\n"
        f"  {told}{more}\n{way}"
    )


def attempt_of(trial: Trial) -> Attempt:
    """A crashed trial as an attempt of a later one."""
    return Attempt(error=trial.error, steps=trial.steps, usage=trial.usage, seconds=trial.seconds)


def trial_row(slot: Slot, trial: Trial) -> dict[str, Any]:
    """The row of a trial: what can be asked without reading it, and all of it as JSON."""
    usages = {role: trial.usage.get(role) or Usage() for role in ("agent", "user", "judge")}
    costs = [one.cost for one in usages.values() if one.cost is not None]
    return {
        **slot._asdict(),
        "family": trial.family,
        "kind": trial.kind,
        "twin": trial.twin,
        "split": trial.split,
        "insider": int(trial.insider),
        "seed": trial.seed,
        "status": trial.status,
        "passed": None if trial.passed is None else int(trial.passed),
        "end_reason": trial.end_reason,
        "steps": trial.steps,
        "attempts": len(trial.attempts) + 1,
        **{f"{role}_tokens": one.tokens for role, one in usages.items()},
        "cost": sum(costs) if costs else None,
        "seconds": trial.seconds,
        "json": trial.model_dump_json(),
    }
