"""Files of records as rows: one dictionary a record, whatever the file's form.

JSON Lines, one JSON object with a list ``rows``, one JSON list, CSV with a header, or the store of
a study. What the columns mean is decided in :mod:`tau_env.report.results`.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from tau_env.errors import BadContent
from tau_env.harness.database import is_database
from tau_env.harness.records import read_trials, result_row
from tau_env.report.conditions import told_by

Row = dict[str, Any]


def load_rows(path: Path) -> list[Row]:
    """Every record of a file.

    Args:
        path: the file; its content, not its suffix, decides how it is read.

    Returns:
        Records in the order of the file.

    Raises:
        BadContent: no such file, no record, or a record that cannot be read, with its line.
    """
    if path.is_file() and is_database(path):
        trials = read_trials(path).trials
        return [
            {**result_row(trial), "insider": trial.insider, **told_by(trial)} for trial in trials
        ]
    if path.is_dir():
        raise BadContent(f"{path} is a folder; name a file of trial records in it.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise BadContent(f"{path}: no such file of trial records.") from error
    except UnicodeDecodeError as error:
        raise BadContent(f"{path}: is not UTF-8 text; export it as JSON Lines or CSV.") from error
    start = text.lstrip()[:1]
    if start == "[":
        rows = _objects(path, _json(path, text), "the list")
    elif start == "{":
        rows = _object_or_lines(path, text)
    else:
        rows = _csv(path, text)
    if not rows:
        raise BadContent(f"{path}: holds no record; a record needs task, trial and passed.")
    return rows


def _object_or_lines(path: Path, text: str) -> list[Row]:
    """A single object with ``rows``, or JSON Lines; the first line tells them apart."""
    first, _, rest = text.strip().partition("\n")
    try:
        lone = json.loads(first) if rest.strip() else None
    except json.JSONDecodeError:
        lone = None
    if lone is None:
        whole = _json(path, text)
        if "rows" in whole:
            return _objects(path, whole["rows"], "rows")
        return [whole]
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            rows.append(_json(path, line, number))
    return _objects(path, rows, "the file")


def _json(path: Path, text: str, line: int | None = None) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = line if line is not None else error.lineno
        raise BadContent(
            f"{path}, line {where}: is not valid JSON ({error.msg}); a torn last line comes from "
            "an interrupted run and can be deleted."
        ) from error


def _objects(path: Path, rows: Any, what: str) -> list[Row]:
    if not isinstance(rows, list):
        raise BadContent(f"{path}: {what} is a {type(rows).__name__}; a list of records is needed.")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise BadContent(
                f"{path}, record {number}: is a {type(row).__name__}; a record is an object with "
                "task, trial and passed."
            )
    return rows


def _csv(path: Path, text: str) -> list[Row]:
    reader = csv.DictReader(io.StringIO(text), strict=True)
    rows = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise BadContent(
                    f"{path}, line {reader.line_num}: has another number of cells than the header "
                    f"{reader.fieldnames}."
                )
            rows.append(dict(row))
    except csv.Error as error:
        raise BadContent(f"{path}, line {reader.line_num}: is not CSV ({error}).") from error
    return rows
