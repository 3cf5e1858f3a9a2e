"""`tau-env regrade`: stored trials judged again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tau_env.cli._choose import choose_trials
from tau_env.cli._judging import judge_chosen, judge_options, take_judge_options
from tau_env.cli.output import print_json, print_table, progress
from tau_env.harness.export import check_target, export_trials
from tau_env.harness.material import read_material
from tau_env.harness.regrade import Regraded, regrade_trial


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("task", required=False)
@click.argument("trial", type=int, required=False)
@click.option("--agent", help="Only this agent's trials.")
@click.option("--foreign", is_flag=True, help="Although graders, spec or task have changed.")
@click.option("--out", type=click.Path(path_type=Path), help="New file with the new grades.")
@click.option(
    "--judge",
    "rubric",
    type=click.Path(path_type=Path),
    metavar="RUBRIC",
    help="Let a model judge by this file instead; grades stay as they are.",
)
@click.option(
    "--verdicts", type=click.Path(path_type=Path), help="Where verdicts go; beside FILE if not."
)
@click.option("--again", is_flag=True, help="Ask again where a verdict is missing.")
@judge_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def regrade(
    file: Path,
    task: str | None,
    trial: int | None,
    agent: str | None,
    foreign: bool,
    out: Path | None,
    rubric: Path | None,
    verdicts: Path | None,
    again: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Judge stored trials again, from the record alone.

    All trials of FILE, or those of TASK, or number TRIAL of it. With the graders of the record
    every grade must come out the same; with others it is refused unless --foreign says that a
    changed grade is wanted. Exits 1 if a grade differs or cannot be given. FILE is not changed.

    With --judge a model judges the transcripts by a rubric. Its verdicts go to a file of lines
    beside FILE, which is gone on with; they are never part of a grade. Exits 1 if one is missing.

    \b
    Examples:
      tau-env regrade mine.db
      tau-env regrade mine.db --judge tone.toml --judge-model M --judge-base-url URL
    """
    judge = take_judge_options(options)
    if out is not None:
        check_target(out)
    chosen = choose_trials(file, task, trial, agent=agent)
    if rubric is not None:
        beside = verdicts or file.with_suffix(f".{rubric.stem}.verdicts.jsonl")
        judge_chosen(chosen, rubric, judge, verdicts=beside, out=out, again=again, as_json=as_json)
        return
    judged = [one for one in chosen if one.status != "crashed"]
    material = read_material(file)
    found: list[Regraded] = []
    with progress("regrade", total=len(judged)) as told:
        for one in judged:
            told(one.task)
            found.append(regrade_trial(one, material, foreign=foreign))
    if out is not None:
        crashed = [one for one in chosen if one.status == "crashed"]
        export_trials([*(one.trial for one in found), *crashed], out)
    rows = [_row(one) for one in found]
    changed = [row for row in rows if not row["same"]]
    if as_json:
        print_json(rows, same=len(rows) - len(changed), crashed=len(chosen) - len(judged))
    else:
        if changed:
            print_table(changed)
        click.echo(f"{len(rows) - len(changed)} of {len(rows)} grades are the same")
    if any(row["stored"] is not None or row["now"] is None for row in changed):
        raise SystemExit(1)


def _row(one: Regraded) -> dict[str, Any]:
    parts = [
        name
        for name, part in (one.grade.parts if one.grade else {}).items()
        if one.stored is not None and one.stored.parts.get(name) != part
    ]
    return {
        "task": one.trial.task,
        "trial": one.trial.trial,
        "agent": one.trial.agent,
        "stored": None if one.stored is None else one.stored.passed,
        "now": None if one.grade is None else one.grade.passed,
        "same": one.same,
        "differs": " ".join(parts),
        "error": one.error,
    }
