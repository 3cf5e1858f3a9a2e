"""What the verbs over trial records share: options, reading, plain JSON values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from tau_env.cli.output import Row, print_table
from tau_env.errors import BadArgument
from tau_env.report.results import Results, read_results
from tau_env.stats.intervals import FRESH_TASKS, NEW_FAMILIES, THESE_TASKS, Population

POPULATIONS: Mapping[str, Population] = {
    "these-tasks": THESE_TASKS,
    "fresh-tasks": FRESH_TASKS,
    "new-families": NEW_FAMILIES,
}
Command = TypeVar("Command", bound=Callable[..., Any])


def k_list(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Callback of an option that holds whole numbers such as ``1,2,4``."""
    if value is None:
        return None
    parts = [part.strip() for part in value.split(",")]
    wrong = [part for part in parts if not part.isdecimal() or int(part) < 1]
    if wrong:
        raise click.BadParameter(
            f"{wrong[0]!r} is no whole number of at least 1; write e.g. 1,2,4.", ctx, param
        )
    return tuple(dict.fromkeys(int(part) for part in parts))


def record_options(command: Command) -> Command:
    """Options that say how a file of trial records is to be read."""
    for option in (
        click.option(
            "--planned", type=click.IntRange(min=1), help="Trials every task should have."
        ),
        click.option(
            "--agent", help="The agent to read, when a file holds several; or write FILE@AGENT."
        ),
        click.option(
            "--column",
            "columns",
            multiple=True,
            metavar="OURS=THEIRS",
            help="Name of a column in the file: task=…, trial=…, passed=…, family=…, agent=….",
        ),
        click.option(
            "--foreign", is_flag=True, help="Although customer, graders, budgets… are not the same."
        ),
    ):
        command = option(command)
    return command


def population_option(command: Command) -> Command:
    """The option that says what intervals speak of; its values are keys of ``POPULATIONS``."""
    return click.option(
        "--population",
        type=click.Choice(list(POPULATIONS)),
        default="fresh-tasks",
        show_default=True,
        help="What the intervals speak of.",
    )(command)


def json_option(command: Command) -> Command:
    """The option that prints one JSON object instead of a table."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def read_records(
    path: str,
    *,
    columns: tuple[str, ...],
    agent: str | None,
    planned: int | None,
    foreign: bool = False,
) -> Results:
    """Read a file, or one agent of it written ``FILE@AGENT``.

    Args:
        path: the file, or file and agent.
        columns: values of ``--column``, ``OURS=THEIRS``.
        agent: value of ``--agent``.
        planned: value of ``--planned``.
        foreign: value of ``--foreign``.

    Raises:
        BadArgument: a ``--column`` that is not ``ours=theirs``.
        BadContent: whatever is wrong with the file.
    """
    names = {}
    for pair in columns:
        ours, sign, theirs = pair.partition("=")
        if not sign or not theirs:
            raise BadArgument(f"--column {pair!r} is not OURS=THEIRS, e.g. task=scenario.")
        names[ours] = theirs
    if "@" in path and not Path(path).exists():
        path, _, agent = path.rpartition("@")
    return read_results(path, columns=names, agent=agent, planned=planned, foreign=foreign)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: NaN and infinity become null, tuples lists."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def titled_table(rows: Sequence[Row], *, title: str) -> None:
    """A table under a title on a line of its own, which a narrow table does not wrap."""
    click.echo(title)
    print_table(rows)
