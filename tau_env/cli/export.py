"""`tau-env export`: trials out of a file, as lines or as a table."""

from __future__ import annotations

from pathlib import Path

import click

from tau_env.harness.export import export_trials
from tau_env.harness.records import read_trials, slot_of


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="New file: F.jsonl or F.csv."
)
@click.option("--no-clock", is_flag=True, help="Without wall times and workers.")
def export(file: Path, out: Path, no_clock: bool) -> None:
    """Write the trials of a study, or of a file of lines, to a new file.

    FILE is what `tau-env run` wrote. JSONL holds every trial in full, CSV one flat row each. What
    cannot be read is named; the rest is written, so this also rescues a damaged file. With
    --no-clock two runs of one plan give the same bytes.

    \b
    Example:
      tau-env export mine.db --out mine.csv
    """
    records = read_trials(file)
    for problem in records.problems:
        click.echo(f"warning: {problem}", err=True)
    trials = list(records.trials)
    if records.study is not None:
        place = {slot: number for number, slot in enumerate(records.study.slots())}
        trials.sort(key=lambda trial: place.get(slot_of(trial), len(place)))
    export_trials(trials, out, clock=not no_clock)
    click.echo(f"{len(trials)} trials: {out}")
