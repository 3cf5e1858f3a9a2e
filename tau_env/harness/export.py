"""Trials out of a file: full lines, or a flat table for a spreadsheet."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tau_env.errors import UserMistake
from tau_env.harness.records import result_row
from tau_env.schema import Trial, Usage

SUFFIXES = (".jsonl", ".csv")


def export_trials(trials: Sequence[Trial], path: Path, *, clock: bool = True) -> None:
    """Write trials to a new file; it appears whole or not at all.

    Args:
        trials: what to write.
        path: ends in ``.jsonl`` (full trials) or ``.csv`` (one flat row each).
        clock: with wall time and worker, which differ between two runs of one plan.

    Raises:
        UserMistake: another suffix, the file exists, or it cannot be written.
    """
    check_target(path)
    kept = trials if clock else [_timeless(trial) for trial in trials]
    text = _lines(kept) if path.suffix == ".jsonl" else _table(kept)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UserMistake(f"cannot write {path}: {error.strerror}") from None


def check_target(path: Path) -> None:
    """Refuse a name that cannot be written to, before any work is done for it.

    Args:
        path: as for `export_trials`.

    Raises:
        UserMistake: another suffix, no such folder, or the file exists.
    """
    if path.suffix not in SUFFIXES:
        raise UserMistake(f"{path}: the name ends in {' or '.join(SUFFIXES)}, which says the form")
    if path.exists():
        raise UserMistake(f"{path} exists and is not overwritten: choose another name")
    if not path.parent.is_dir():
        raise UserMistake(f"cannot create {path}: no folder {path.parent}; make it first")


def _timeless(trial: Trial) -> Trial:
    attempts = tuple(one.model_copy(update={"seconds": None}) for one in trial.attempts)
    return trial.model_copy(update={"seconds": None, "worker": "", "attempts": attempts})


def _lines(trials: Sequence[Trial]) -> str:
    return "".join(trial.model_dump_json() + "\n" for trial in trials)


def _table(trials: Sequence[Trial]) -> str:
    rows = [flat_row(trial) for trial in trials]
    names = dict.fromkeys(name for row in rows for name in row)
    out = io.StringIO()
    table = csv.DictWriter(out, list(names), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()


def flat_row(trial: Trial) -> dict[str, Any]:
    """A trial as one flat row; what is unknown is None, an empty cell in CSV.

    Returns:
        The columns of `result_row`, each part of the grade as ``grade_<name>``, then kind, twin,
        split, scaffold, user, tokens and cost by role, seconds, and every digest.
    """
    row = result_row(trial)
    grades = row.pop("grades")
    row |= {f"grade_{name}": passed for name, passed in grades.items()}
    row |= {
        "domain": trial.domain,
        "kind": trial.kind,
        "twin": trial.twin,
        "split": trial.split,
        "insider": trial.insider,
        "scaffold": trial.scaffold,
        "user": trial.user,
        "style": trial.style,
        "seconds": trial.seconds,
    }
    for role in ("agent", "user", "judge"):
        usage = trial.usage.get(role) or Usage()
        row |= {f"{role}_tokens": usage.tokens, f"{role}_cost": usage.cost}
    return row | {f"digest_{name}": value for name, value in trial.digests.items()}
