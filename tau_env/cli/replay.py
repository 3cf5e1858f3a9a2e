"""`tau-env replay`: stored trials played again, byte by byte."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tau_env.cli._choose import choose_trials
from tau_env.cli.output import print_json, progress
from tau_env.cli.visible import visible
from tau_env.harness.material import read_material
from tau_env.harness.replay import Replayed, replay_trial
from tau_env.schema import Trial

SHOWN = 5
"""Differing trials that are spelled out."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("task", required=False)
@click.argument("trial", type=int, required=False)
@click.option("--agent", help="Only this agent's trials.")
@click.option("--foreign", is_flag=True, help="Although world, tools, spec or user have changed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def replay(
    file: Path, task: str | None, trial: int | None, agent: str | None, foreign: bool, as_json: bool
) -> None:
    """Play stored trials again and compare transcript and outcome with the record.

    The agent's recorded actions are played against a fresh world with the recorded seed; the
    scripted customer speaks anew. All trials of FILE, or those of TASK, or number TRIAL of it.
    Exits 1 if one differs.

    \b
    Example:
      tau-env replay mine.db retail-cancel-pending-003 0
    """
    chosen = choose_trials(file, task, trial, agent=agent)
    # An attempt that crashed before the first action holds nothing that could be played.
    begun = [one for one in chosen if one.status != "crashed" or one.steps]
    whole = [one for one in begun if one.status != "ungraded"]
    material = read_material(file)
    found: list[tuple[Trial, Replayed]] = []
    with progress("replay", total=len(whole)) as told:
        for one in whole:
            told(one.task)
            found.append((one, replay_trial(one, material, foreign=foreign)))
    rows = [
        {"task": one.task, "trial": one.trial, "agent": one.agent, **asdict(now)}
        for one, now in found
    ]
    differ = [row for row in rows if not row["identical"]]
    skipped, unbegun = len(begun) - len(whole), len(chosen) - len(begun)
    if as_json:
        print_json(rows, identical=len(rows) - len(differ), skipped=skipped + unbegun)
    else:
        for row in differ[:SHOWN]:
            where = "{task}, trial {trial}, agent {agent}, differs in turn {turn}".format(**row)
            click.echo(visible(where))
            click.echo(visible("  was {was}\n  now {now}".format(**row)))
        click.echo(f"{len(rows) - len(differ)} of {len(rows)} trials are identical")
        if skipped:
            click.echo(f"{skipped} ungraded trials are not played: a fault of ours ended them")
        if unbegun:
            click.echo(f"{unbegun} trials crashed before the first action: nothing to play")
    if differ:
        raise SystemExit(1)
