"""The verb `passk`: what trial records say about reliability."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click

from tau_env.cli._records import (
    POPULATIONS,
    json_option,
    k_list,
    plain,
    population_option,
    read_records,
    record_options,
    titled_table,
)
from tau_env.cli.output import print_json
from tau_env.report.reliability import Reliability, reliability
from tau_env.report.sentence import sentence


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--k", "ks", callback=k_list, help="Repeats to report, e.g. 1,2,4.")
@population_option
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@record_options
@json_option
def passk(
    files: tuple[str, ...],
    ks: tuple[int, ...] | None,
    population: str,
    level: float,
    as_json: bool,
    **reading: Any,
) -> None:
    """How reliable is the agent behind these trial records?

    pass^k is the share of tasks that pass ALL k times, pass@k the share that pass at least ONCE
    in k. A customer who is served k times meets the first. Each file is one run; files are not
    pooled. Read are our own rows and full trials, CSV or JSON with columns task, trial and
    passed, and the public tau-bench trial files.

    \b
    Examples:
      tau-env passk trials.jsonl
      tau-env passk trials.jsonl --k 1,4,8 --population new-families --json
      tau-env passk runs.csv --column task=scenario --column passed=ok
    """
    read = {path: read_records(path, **reading) for path in files}
    found = {
        path: reliability(results, ks=ks, population=POPULATIONS[population], level=level)
        for path, results in read.items()
    }
    if as_json:
        _print_json(found)
        return
    for path, one in found.items():
        _print_tables(path, one)


def _print_json(found: dict[str, Reliability]) -> None:
    rows = []
    for path, one in found.items():
        named = {"file": path} if len(found) > 1 else {}
        rows += [{**named, **plain(dataclasses.asdict(row))} for row in one.rows]
    print_json(rows, files=[_summary(path, one) for path, one in found.items()])


def _summary(path: str, one: Reliability) -> dict[str, Any]:
    summary = {
        "file": path,
        "agent": one.agent,
        "insider": one.insider,
        "M": one.M,
        "n": one.n,
        "planned": one.planned,
        "trials": one.trials,
        "level": one.level,
        "icc": one.spread.rho,
        "design_effect": one.spread.design_effect,
        "beta": {"a": one.fit.a, "b": one.fit.b, "status": one.fit.status},
        "model": [
            {
                "k": p.k,
                "pass_hat_k": p.pass_hat,
                "low": p.low,
                "high": p.high,
                "pass_at_k": p.pass_at,
                "beyond_n": p.beyond_n,
                "method": p.method,
            }
            for p in one.predictions
        ],
        "worst": [dataclasses.asdict(task) for task in one.worst],
        "bounds": [
            {"k": b.k, "missing_failed": b.low, "missing_passed": b.high, "missing": b.missing}
            for b in one.bounds
        ],
        "problems": [dataclasses.asdict(problem) for problem in one.problems],
        "notes": list(one.notes),
        "sentence": sentence(one, one.rows[-1].k),
    }
    whole: dict[str, Any] = plain(summary)
    return whole


def _print_tables(path: str, one: Reliability) -> None:
    name = Path(path).name + (f", agent {one.agent}" if one.agent else "")
    name += " (insider)" if one.insider else ""
    span = f"{one.n}" if one.n == one.planned else f"{one.n} to {one.planned}"
    titled_table(
        [
            {
                "k": row.k,
                "pass^k (all k)": plain(row.pass_hat_k),
                "low": plain(row.low),
                "high": plain(row.high),
                "pass@k (any of k)": plain(row.pass_at_k),
                "plug-in (biased)": plain(row.plug_in),
                "method": row.method,
            }
            for row in one.rows
        ],
        title=f"{name}: M = {one.M} tasks, n = {span} trials, {one.trials} graded",
    )
    click.echo(f"Intervals: {one.level:.0%}, population: {one.rows[0].population}.")
    if one.spread.rho == one.spread.rho:
        worth = one.trials / max(one.spread.design_effect, 1.0)
        click.echo(
            f"ICC {one.spread.rho:.3f}, design effect {one.spread.design_effect:.2f}: "
            f"{one.trials} trials say as much about pass^1 as {worth:.0f} independent ones."
        )
    if one.fit.status == "interior":
        titled_table(
            [
                {
                    "k": p.k,
                    "pass^k": p.pass_hat,
                    "low": p.low,
                    "high": p.high,
                    "pass@k": p.pass_at,
                    "": "beyond the trials" if p.beyond_n else "",
                }
                for p in one.predictions
            ],
            title=f"MODEL, not counts: Beta({one.fit.a:.3f}, {one.fit.b:.3f})",
        )
    if one.worst:
        titled_table(
            [{"task": t.task, "passed": f"{t.passes} of {t.trials}"} for t in one.worst],
            title="Worst tasks: read their transcripts first",
        )
    if one.bounds:
        titled_table(
            [{"k": b.k, "missing = failed": b.low, "missing = passed": b.high} for b in one.bounds],
            title=f"pass^k if the {one.bounds[0].missing} missing trials had all failed or passed",
        )
    for problem in one.problems[:20]:
        click.echo(f"Wrong with the file: {problem.kind}, task {problem.task}: {problem.detail}")
    if len(one.problems) > 20:
        click.echo(f"… and {len(one.problems) - 20} more (--json lists all).")
    if not one.problems:
        click.echo("Wrong with the file: nothing found.")
    for note in one.notes:
        click.echo(f"Note: {note}")
    click.echo(f"To say: {sentence(one, one.rows[-1].k)}")
