"""How far a study is, on a terminal; nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from tau_env.cli.output import console
from tau_env.harness.driver import Progress


@contextmanager
def live(what: str) -> Iterator[Callable[[Progress], None]]:
    """A bar with rate, time to go, and what passed, failed and crashed so far.

    Args:
        what: what is being done.

    Yields:
        A function to call with every progress.
    """
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20))
    with Bar(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def told(progress: Progress) -> None:
            text = f"{what}: {progress}"
            bar.update(task, description=text, total=progress.total, completed=progress.done)

        yield told
