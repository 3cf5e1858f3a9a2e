"""`tau-env run`: plugs an agent in."""

from __future__ import annotations

from pathlib import Path

import click

from tau_env.cli.output import print_json, print_table, progress
from tau_env.env import MAX_STEPS
from tau_env.errors import UserMistake
from tau_env.harness.grid import Entry, choose_tasks, run_grid
from tau_env.harness.records import TrialWriter, result_row
from tau_env.registry import find_domain
from tau_env.schema import Trial


@click.command()
@click.option("--domain", required=True, help="The company to serve, such as retail.")
@click.option("--agent", required=True, help="A name, an entry point, or module:Class.")
@click.option("--tasks", "patterns", multiple=True, help="Ids, families, or ids ending in '*'.")
@click.option("--split", type=click.Choice(["train", "test"]), help="Only tasks of this split.")
@click.option("--trials", default=1, show_default=True, help="Attempts a task.")
@click.option(
    "--seed", default=0, show_default=True, help="Study seed; trial seeds follow from it."
)
@click.option("--max-steps", default=MAX_STEPS, show_default=True, help="Steps a trial.")
@click.option("--out", type=click.Path(path_type=Path), help="New file, one full trial a line.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def run(
    domain: str,
    agent: str,
    patterns: tuple[str, ...],
    split: str | None,
    trials: int,
    seed: int,
    max_steps: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run an agent on tasks and grade every trial.

    Your agent is a class with reset(briefing, seed) and act(observation) -> action; name it as
    module:Class from the folder that holds the module. Without --tasks it plays all released ones.

    \b
    Examples:
      tau-env run --domain retail --agent reference --tasks cancel_pending
      tau-env run --domain retail --agent my_module:MyAgent --trials 4 --out mine.jsonl
      tau-env show mine.jsonl retail-cancel-pending-003
    """
    find_domain(domain)
    entry = Entry.named(agent)
    tasks = choose_tasks(domain, patterns, split=split)
    if trials < 1 or max_steps < 1:
        raise UserMistake("--trials and --max-steps are at least 1")
    writer = None if out is None else TrialWriter(out)
    done: list[Trial] = []
    try:
        with progress(agent, total=len(tasks) * trials) as told:
            told("0 passed")
            grid = run_grid(domain, entry, tasks, trials=trials, seed=seed, max_steps=max_steps)
            for trial in grid:
                if writer is not None:
                    writer.write(trial)
                done.append(trial)
                told(f"{sum(bool(one.passed) for one in done)} passed")
    except KeyboardInterrupt:
        click.echo(f"interrupted after {len(done)} trials", err=True)
        if not done:
            raise
    finally:
        if writer is not None:
            writer.close()
    _print(done, as_json=as_json, out=out)


def _print(done: list[Trial], *, as_json: bool, out: Path | None) -> None:
    rows = [result_row(trial) for trial in done]
    graded = [trial for trial in done if trial.grade is not None]
    passed = sum(bool(trial.passed) for trial in graded)
    if as_json:
        print_json(rows, passed=passed, graded=len(graded), trials=len(done))
        return
    table = [
        {**row, "grades": " ".join(name for name, ok in row["grades"].items() if not ok) or "–"}
        for row in rows
    ]
    columns = ["task", "trial", "passed", "end_reason", "steps", "grades"]
    print_table(
        [{**row, "failed": row["grades"]} for row in table], columns=[*columns[:-1], "failed"]
    )
    click.echo(f"{passed} of {len(graded)} graded trials passed")
    errors = [trial for trial in done if trial.error]
    if errors:
        click.echo(
            f"{len(errors)} trials ended in an error of the agent, such as:\n{errors[0].error}"
        )
    if out is not None:
        click.echo(f"full trials: {out}; look at one with: tau-env show {out} {done[0].task}")
