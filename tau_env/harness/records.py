"""Trials on disk: one full trial a line, written as they end, read with every fault named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from tau_env.errors import BadContent, UserMistake
from tau_env.schema import Trial


class TrialWriter:
    """Appends trials to a new JSONL file, each safe on disk before the next begins."""

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
            self._file.write(trial.model_dump_json() + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UserMistake(
                f"cannot write to {self.path}: {error.strerror}; it holds {self.written} trials"
            ) from None
        self.written += 1

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
        trials: those that could be read.
        problems: one sentence for each line that could not.
    """

    trials: tuple[Trial, ...]
    problems: tuple[str, ...]


def read_records(path: str | Path) -> Records:
    """Read a file of trials; a torn or broken line is named and the rest is kept.

    Raises:
        BadContent: the file cannot be opened, or no line of it is a trial.
    """
    trials: list[Trial] = []
    problems: list[str] = []
    try:
        with Path(path).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    trials.append(Trial.model_validate_json(line))
                except ValidationError as error:
                    problems.append(f"{path}, line {number}: {_reason(error)}")
    except OSError as error:
        raise BadContent(f"cannot read {path}: {error.strerror}") from None
    if not trials:
        reason = problems[0] if problems else f"{path} is empty"
        raise BadContent(f"{reason}; no trial in it. `tau-env run --out F` writes such files")
    return Records(tuple(trials), tuple(problems))


def _reason(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else f"{first['msg']}"


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
    }


def trials_of(records: Records, task: str, number: int | None) -> Iterator[Trial]:
    """The trials of a task, or the one with that number."""
    for trial in records.trials:
        if trial.task == task and number in (None, trial.trial):
            yield trial
