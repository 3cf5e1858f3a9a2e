"""How commands print: one JSON object with a list `rows`, or a table for a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from tau_env.cli.visible import visible

Row = Mapping[str, Any]


def console(*, stderr: bool = False) -> Console:
    """A rich console on standard output (or error) that keeps long cells in a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 160
    return Console(file=stream, width=width, highlight=False, soft_wrap=False)


def print_json(rows: Iterable[Row], **more: Any) -> None:
    """Print one JSON object: ``{"rows": [...], **more}``, keys as given, one line a row."""
    body = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    extra = "".join(
        f', "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in more.items()
    )
    print('{"rows": [' + (f"\n  {body}\n" if body else "") + f"]{extra}}}")


def print_table(
    rows: Sequence[Row], *, columns: Sequence[str] | None = None, title: str | None = None
) -> None:
    """Print rows as a table; numbers to the right, None as a dash, nothing parsed as markup."""
    names = list(columns) if columns is not None else list(rows[0]) if rows else []
    table = Table(title=title, title_justify="left", header_style="bold")
    for name in names:
        numeric = all(isinstance(row.get(name), int | float | None) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(name))) for name in names))
    console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return visible(str(value))


@contextmanager
def progress(what: str, *, total: int) -> Iterator[Callable[[str], None]]:
    """A progress bar on a terminal, silence in a pipe.

    Args:
        what: what is being done.
        total: how many steps.

    Yields:
        A function to call at the start of every step, with what it is.
    """
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(what, total=total)
        started = 0

        def step(name: str) -> None:
            nonlocal started
            bar.update(task, completed=started, description=f"{what}: {name}")
            started += 1

        yield step
