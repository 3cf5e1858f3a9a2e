"""`tau-env known-truth`: what is reported beside what is true, where the truth is planted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tau_env.cli._records import plain, titled_table
from tau_env.cli.output import console, print_json
from tau_env.harness.known_truth import Played
from tau_env.harness.truth_plan import KnownTruth, Plan, check_new, write_truth
from tau_env.harness.truth_plan import known_truth as found_truth
from tau_env.harness.truth_rows import TruthRow
from tau_env.registry import domain_names

QUICK = {"studies": 2, "repeats": 400, "stride": 4}


@click.command("known-truth")
@click.option("--domain", help="Where the agents serve; the first domain when left out.")
@click.option("--seed", default=0, show_default=True, help="Study seed.")
@click.option("--studies", type=click.IntRange(min=1), help="Studies of each agent.  [default: 6]")
@click.option("--repeats", type=click.IntRange(min=1), help="Coverage repeats.  [default: 2000]")
@click.option(
    "--workers", type=click.IntRange(min=1), default=2, show_default=True, help="Processes."
)
@click.option("--quick", is_flag=True, help="Every 4th task, 2 studies, 400 repeats.")
@click.option("--truth", type=click.Path(path_type=Path), help="New file for the planted chances.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def known_truth(
    domain: str | None,
    seed: int,
    studies: int | None,
    repeats: int | None,
    workers: int,
    quick: bool,
    truth: Path | None,
    as_json: bool,
) -> None:
    """Put what is reported beside what is true, for agents whose skill is planted.

    In every trial such an agent plays the reference solution with a chance that was drawn for the
    task, else makes a real mistake: drops a write, writes a wrong value or to a wrong record,
    writes too much, asks nothing, tells a wrong fact, stops early, or only claims. Its trials are
    real episodes, and graders know nothing of the chance. Exits 1 if an estimate is not what
    theory expects, within 4 standard errors.

    \b
    Example:
      tau-env known-truth --quick
    """
    if truth is not None:
        check_new(truth)
    chosen: dict[str, Any] = dict(QUICK) if quick else {}
    chosen |= {k: v for k, v in {"studies": studies, "repeats": repeats}.items() if v is not None}
    plan = Plan(domain=domain or domain_names()[0], seed=seed, workers=workers, **chosen)
    with _episodes() as told:
        found = found_truth(plan, told=told)
    if truth is not None:
        parts: dict[str, Sequence[Played]] = dict(found.played)
        write_truth(truth, parts)
    if as_json:
        rows = [plain(asdict(row)) for row in found.rows]
        print_json(rows, episodes=found.episodes, tasks=found.tasks, failed=len(found.failed))
    else:
        _show(found)
    if found.failed:
        sys.exit(1)


def _show(found: KnownTruth) -> None:
    click.echo(
        f"{found.episodes} real episodes on {found.tasks} tasks. Rows marked 'drawn again' rest on "
        "outcomes drawn from the planted chances, which is the same as long as every grade is the "
        "planted draw: see the first row."
    )
    for part in dict.fromkeys(row.part for row in found.rows):
        click.echo()
        titled_table([_cells(row) for row in found.rows if row.part == part], title=part)
    click.echo()
    for row in found.failed:
        click.echo(f"NOT AS EXPECTED: {row.part}, {row.agent}, {row.quantity}")
    judged = sum(row.holds is not None for row in found.rows)
    click.echo(f"{judged - len(found.failed)} of {judged} judged rows are as theory expects.")


def _cells(row: TruthRow) -> dict[str, Any]:
    verdict = {True: "yes", False: "NO", None: "shown"}[row.holds]
    return {
        "agent": row.agent,
        "quantity": row.quantity,
        "truth": row.truth,
        "expected": row.expected,
        "estimate": row.estimate,
        "s.e.": row.noise,
        "runs": row.runs,
        "from": row.source,
        "as expected": verdict,
        "note": row.note,
    }


@contextmanager
def _episodes() -> Iterator[Callable[[int, int], None]]:
    """A bar of episodes on a terminal, silence in a pipe."""
    if not sys.stderr.isatty():
        yield lambda episodes, planned: None
        return
    columns = (
        TextColumn("real episodes"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("episodes", total=None, rate="")

        def told(episodes: int, planned: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:.0f}/s" if speed else ""
            bar.update(task, completed=episodes, total=max(planned, episodes), rate=rate)

        yield told
