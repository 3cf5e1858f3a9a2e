"""The verb `gate`: may this agent be released? The exit code says it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click
import numpy as np

from tau_env.cli._records import (
    POPULATIONS,
    json_option,
    plain,
    population_option,
    read_records,
    record_options,
    titled_table,
)
from tau_env.cli.output import print_json
from tau_env.errors import BadArgument
from tau_env.report.conditions import check_compared
from tau_env.report.pairs import pair
from tau_env.report.reliability import collected
from tau_env.report.results import Results
from tau_env.stats.comparison import Comparison, compare_agents
from tau_env.stats.gate import (
    Gate,
    combine,
    gate_answers,
    gate_release,
    gate_retries,
    gate_writes,
)
from tau_env.stats.intervals import Interval
from tau_env.stats.pass_intervals import pass_at_k_interval, pass_hat_k_interval


@click.command()
@click.argument("file")
@click.option(
    "--surface",
    type=click.Choice(["answers", "writes", "retries"]),
    default="writes",
    show_default=True,
    help="What the agent may do.",
)
@click.option("--k", type=click.IntRange(min=1), help="Repeats that a customer meets, or tries.")
@click.option("--exposure", default="", help="Why this k; kept with the verdict.")
@click.option("--threshold", type=float, help="What pass^k or pass@k must reach.")
@click.option("--baseline", help="Records of the old agent, or a fixed pass@1 for answers.")
@click.option(
    "--margin",
    type=float,
    default=0.05,
    show_default=True,
    help="Loss against the old agent that is tolerated.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the test.")
@population_option
@record_options
@json_option
@click.pass_context
def gate(ctx: click.Context, /, file: str, as_json: bool, **options: Any) -> None:
    """May this agent be released? Exits 0 on pass, 1 on fail or when the data cannot say.

    The interval decides, not the point: `pass` when it lies wholly on the good side, `fail` when
    wholly on the bad side, else `not enough data`. Against the records of the old agent neither
    pass@1 nor pass^k may fall: pass@1 up 3 points with pass^4 down 10 is a regression.

    \b
      answers   read-only answers: pass@1 at or above --baseline
      writes    actions that change records: pass^k at or above --threshold
      retries   a checker lets it try k times: pass@k at or above --threshold; pass^2 is watched

    \b
    Examples:
      tau-env gate new.jsonl --k 4 --exposure "four changes a year" --threshold 0.9
      tau-env gate new.jsonl --k 4 --exposure "four changes a year" --baseline old.jsonl
      tau-env gate runs.jsonl@new --k 4 --exposure "…" --baseline runs.jsonl@old
      tau-env gate new.jsonl --surface answers --baseline 0.62
      tau-env gate new.jsonl --surface retries --k 3 --exposure "three tries" --threshold 0.95
    """
    run = _read(file, options)
    notes = [f"{file} has {len(run.problems)} faults; `tau-env passk` lists them."]
    notes = notes if run.problems else []
    with collected(notes):
        outcome = combine(_gates(run, options))
    _print(Path(file).name, outcome, [*outcome.notes, *notes], as_json)
    ctx.exit(0 if outcome.verdict == "pass" else 1)


def _gates(run: Results, options: dict[str, Any]) -> list[Gate]:
    """The gates that were asked for."""
    surface, baseline, threshold = options["surface"], options["baseline"], options["threshold"]
    fixed = _number(baseline)
    if surface == "answers":
        if baseline is None or threshold is not None:
            raise BadArgument("Answers are judged by --baseline, a number or a file of records.")
        if fixed is not None:
            return [gate_answers(_interval(run, 1, options), baseline=fixed)]
        change = _change(run, 1, options)
        return [gate_release(change, change, exposure="one answer", margin=options["margin"])]
    if fixed is not None or (surface == "retries" and baseline is not None):
        what = "a number, which judges answers" if fixed is not None else "for answers and writes"
        raise BadArgument(f"--baseline {baseline} is {what}; give --threshold.")
    if threshold is None and baseline is None:
        raise BadArgument("Nothing to judge by; give --threshold, --baseline FILE, or both.")
    k, exposure = options["k"], options["exposure"]
    if k is None:
        raise BadArgument("Give --k, the repeats that a customer meets, and its --exposure.")
    if surface == "retries":
        measured = _interval(run, k, options, any_of=True)
        twice = _interval(run, 2, options) if run.planned > 1 else None
        return [gate_retries(measured, threshold=threshold, exposure=exposure, pass_hat_2=twice)]
    gates: list[Gate] = []
    if baseline is not None:
        changes = [_change(run, each, options) for each in (1, k)]
        gates.append(gate_release(*changes, exposure=exposure, margin=options["margin"]))
    if threshold is not None:
        measured = _interval(run, k, options)
        gates.append(gate_writes(measured, threshold=threshold, exposure=exposure))
    return gates


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _read(path: str, options: dict[str, Any]) -> Results:
    return read_records(
        path,
        columns=options["columns"],
        agent=options["agent"],
        planned=options["planned"],
        foreign=options["foreign"],
    )


def _interval(run: Results, k: int, options: dict[str, Any], *, any_of: bool = False) -> Interval:
    counts = run.counts()
    interval = pass_at_k_interval if any_of else pass_hat_k_interval
    return interval(
        counts.passes,
        counts.trials,
        k,
        population=POPULATIONS[options["population"]],
        families=counts.family,
        tasks=counts.task,
    )


def _change(run: Results, k: int, options: dict[str, Any]) -> Comparison:
    """The change of pass^k from the old agent's records to this run."""
    old = _read(options["baseline"], {**options, "agent": None})
    if not options["foreign"]:
        check_compared(("the new run", run.conditions), (options["baseline"], old.conditions))
    both = pair(run, old)
    return compare_agents(
        both.passes_a,
        both.trials_a,
        both.passes_b,
        both.trials_b,
        k,
        rng=np.random.default_rng(options["seed"]),
        population=POPULATIONS[options["population"]],
        families=both.family,
        tasks=both.task,
    )


def _print(name: str, outcome: Gate, notes: list[str], as_json: bool) -> None:
    rows = [plain(dataclasses.asdict(check)) for check in outcome.checks]
    if as_json:
        print_json(
            rows, verdict=outcome.verdict, k=outcome.k, exposure=outcome.exposure, notes=notes
        )
        return
    columns = ("metric", "estimate", "low", "high", "bound", "verdict", "decides", "M", "n")
    titled_table([{c: row[c] for c in columns} for row in rows], title=f"Gate of {name}")
    click.echo(f"k = {outcome.k}: {outcome.exposure}. Population: {rows[0]['population']}.")
    for note in notes:
        click.echo(f"Note: {note}")
    click.echo(f"Verdict: {outcome.verdict}")
