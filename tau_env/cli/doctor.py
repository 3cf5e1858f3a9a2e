"""`tau-env doctor`: what is installed, what is missing, what to do."""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, requires, version

import click

from tau_env import content
from tau_env.cli.output import print_json, print_table
from tau_env.errors import TauEnvError
from tau_env.registry import domain_names, find_domain
from tau_env.world.database import require_sqlite


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def doctor(as_json: bool) -> None:
    """Look at versions, data files, SQLite and optional parts; exit 1 if something is missing.

    \b
    Example:
      tau-env doctor
    """
    rows = [_python(), _sqlite(), *_packages(), *_data()]
    if as_json:
        print_json(rows)
    else:
        print_table(rows)
    if not all(row["ok"] for row in rows):
        sys.exit(1)


def _row(part: str, ok: bool, found: str, advice: str = "") -> dict[str, object]:
    return {"part": part, "ok": ok, "found": found, "advice": "" if ok else advice}


def _python() -> dict[str, object]:
    ok = sys.version_info >= (3, 11)
    return _row("python", ok, platform.python_version(), "use Python 3.11 or newer")


def _sqlite() -> dict[str, object]:
    try:
        require_sqlite()
    except TauEnvError as error:
        return _row("sqlite", False, sqlite3.sqlite_version, str(error))
    return _row("sqlite", True, sqlite3.sqlite_version)


def _packages() -> list[dict[str, object]]:
    rows = [_row("tau-env", True, version("tau-env"))]
    for line in requires("tau-env") or ():
        needed = re.match(r"[\w.-]+", line)
        if needed is None or "extra ==" in line:
            continue
        try:
            found = version(needed.group())
            rows.append(_row(needed.group(), _fits(found, line), found, f"pip install '{line}'"))
        except PackageNotFoundError:
            rows.append(_row(needed.group(), False, "missing", f"pip install '{line}'"))
    return rows


def _fits(found: str, line: str) -> bool:
    """Whether a version is within the bounds of a requirement such as ``rich>=13.7,<15``."""
    bounds = re.findall(r"(>=|<)\s*([\d.]+)", line.partition(";")[0])
    mine = _numbers(found)
    return all(
        mine >= _numbers(bound) if sign == ">=" else mine < _numbers(bound)
        for sign, bound in bounds
    )


def _numbers(written: str) -> tuple[int, ...]:
    """The numbers of a release, without trailing zeros: 2 and 2.0 are one."""
    numbers = [int(one) for one in re.findall(r"\d+", re.split(r"[^\d.]", written)[0])]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _data() -> list[dict[str, object]]:
    rows = []
    for name in domain_names():
        try:
            found = find_domain(name)
            files = content.task_files(name)
            count = sum(len(one.tasks) for one in files)
            told = f"policy {found.digests['policy']}, {len(files)} task files, {count} tasks"
            rows.append(_row(f"domain {name}", True, told))
        except TauEnvError as error:
            rows.append(_row(f"domain {name}", False, "broken", str(error)))
    return rows
