"""Trials on disk: the one reader of stores and of lines, and the writer of lines.

A file of lines holds one full trial a line. Faults are named and the rest is kept.
"""

from __future__ import annotations

import codecs
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from tau_env.errors import BadContent, UserMistake
from tau_env.harness.database import is_database, open_to_read, shell
from tau_env.harness.study import Slot, Study
from tau_env.schema import Task, Trial, lasting

SMALLEST = 1_000
"""Bytes that a stored trial has at least."""


class TrialWriter:
    """Appends trials to a new JSONL file, each safe on disk before the next begins.

    What the clock and the workers decide is left out, so one plan gives one file.
    """

    def __init__(self, path: str | Path) -> None:
        """Create the file.

        Raises:
            UserMistake: it exists, or cannot be created.
        """
        self.path = Path(path)
        self.written = 0
        try:
            self._file: TextIO = self.path.open("x", encoding="utf-8")
        except FileExistsError:
            raise UserMistake(
                f"{path} exists and is not overwritten: choose another --out, or remove it"
            ) from None
        except OSError as error:
            raise UserMistake(f"cannot create {path}: {error.strerror}") from None

    def write(self, trial: Trial) -> None:
        """Append one trial.

        Raises:
            UserMistake: the disk refused it; the trials before are in the file.
        """
        try:
            self._file.write(lasting(trial) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UserMistake(
                f"cannot write to {self.path}: {error.strerror}; it holds {self.written} trials"
            ) from None
        self.written += 1

    def keep(self, slot: Slot, trial: Trial, *, played: Task | None = None) -> None:
        """Append what became of a slot."""
        del slot, played
        self.write(trial)

    def keep_attempt(self, slot: Slot, trial: Trial) -> None:
        """Nothing: the trial that follows lists its crashed attempts."""

    def close(self) -> None:
        """Close the file."""
        try:
            self._file.close()
        except OSError as error:
            raise UserMistake(
                f"cannot write to {self.path}: {error.strerror}; it holds {self.written} trials"
            ) from None


@dataclass(frozen=True)
class Records:
    """Trials of a file.

    Attributes:
        trials: those that could be read; of two for one slot the first.
        problems: one sentence for each that could not, or that is there again.
        study: the plan, where the file has one.
    """

    trials: tuple[Trial, ...]
    problems: tuple[str, ...]
    study: Study | None = None


def read_trials(path: str | Path) -> Records:
    """Read a study's store or a file of lines, whichever it is.

    Args:
        path: the file; its content, not its suffix, decides how it is read.

    Raises:
        BadContent: the file cannot be opened, or holds no trial that can be read.
    """
    if not is_database(path):
        return _checked(path, _read_lines(path), None)
    with open_to_read(path) as connection:
        study = _read_study(connection)
        records = _checked(path, _read_rows(path, connection), study)
    if study is None:
        told = f"{path}: the study cannot be read, so nothing says which trials are missing"
        return replace(records, problems=(told, *records.problems))
    return records


Read = Iterable[tuple[str, Trial | str]]
"""Where each record stands, and the trial or what is wrong with it."""


def _checked(path: str | Path, found: Read, study: Study | None) -> Records:
    trials: dict[Slot, Trial] = {}
    problems: list[str] = []
    for where, trial in found:
        if isinstance(trial, str):
            problems.append(f"{path}, {where}: {trial}")
            continue
        slot = slot_of(trial)
        if slot in trials:
            again = f"trial {trial.trial} of {trial.task} by {trial.agent} is there again"
            problems.append(f"{path}, {where}: {again}; the first counts")
        trials.setdefault(slot, trial)
    if not trials:
        if study is not None and not problems:
            raise BadContent(
                f"{path} holds a study without a trial yet; run it: tau-env run --study "
                f"{shell(path)}"
            )
        reason = problems[0] if problems else f"{path} is empty"
        raise BadContent(f"{reason}; no trial in it. `tau-env run --out F` writes such files")
    return Records(tuple(trials.values()), tuple(problems), study)


def _read_lines(path: str | Path) -> Read:
    try:
        with Path(path).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                text = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if text.strip():
                    yield f"line {number}", _trial(text)
    except OSError as error:
        raise BadContent(f"cannot read {path}: {error.strerror}") from None


def _read_rows(path: str | Path, connection: sqlite3.Connection) -> Read:
    """Row by row, so that a damaged page takes only its own rows along."""
    damage: list[tuple[int, sqlite3.Error]] = []
    try:
        last = connection.execute("SELECT max(rowid) FROM trials").fetchone()[0] or 0
    except sqlite3.DatabaseError as error:
        # The end of the table is lost; no trial is smaller than this.
        last = Path(path).stat().st_size // SMALLEST
        damage.append((0, error))
    for number in range(1, last + 1):
        try:
            row = connection.execute(
                "SELECT CAST(json AS BLOB) FROM trials WHERE rowid = ?", (number,)
            ).fetchone()
        except sqlite3.DatabaseError as error:
            damage.append((number, error))
            continue
        if row is not None:
            yield f"row {number}", _trial(row[0])
    if damage:
        number, reason = next((one for one in damage if one[0]), damage[0])
        yield f"row {number}", f"this one, and maybe others, are damaged ({reason})"


def _read_study(connection: sqlite3.Connection) -> Study | None:
    try:
        row = connection.execute("SELECT json FROM studies").fetchone()
        return None if row is None else Study.model_validate_json(row[0])
    except (sqlite3.DatabaseError, ValidationError):
        return None


def _trial(text: str | bytes) -> Trial | str:
    try:
        return Trial.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else f"{first['msg']}"


def slot_of(trial: Trial) -> Slot:
    """The slot that a trial stands in."""
    return Slot(trial.agent, trial.task, trial.trial)


def result_row(trial: Trial) -> dict[str, Any]:
    """A trial as a row of results: what `run` prints."""
    grade = trial.grade
    return {
        "task": trial.task,
        "trial": trial.trial,
        "seed": trial.seed,
        "agent": trial.agent,
        "passed": trial.passed,
        "end_reason": trial.end_reason,
        "steps": trial.steps,
        "grades": {} if grade is None else {name: one.passed for name, one in grade.parts.items()},
        "family": trial.family,
        "status": trial.status,
        "attempts": len(trial.attempts) + 1,
        "lures_taken": None if grade is None else grade.scores.get("lures_taken"),
    }


def trials_of(
    records: Records, task: str, number: int | None, *, agent: str | None = None
) -> Iterator[Trial]:
    """The trials of a task, or those with that number, of all agents or of one."""
    for trial in records.trials:
        if trial.task == task and number in (None, trial.trial) and agent in (None, trial.agent):
            yield trial
