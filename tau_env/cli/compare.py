"""The verb `compare`: agents that ran the same tasks, task by task."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import click
import numpy as np

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
from tau_env.errors import BadArgument
from tau_env.report.conditions import check_compared, differences
from tau_env.report.pairs import Paired, pair
from tau_env.report.reliability import collected
from tau_env.report.results import Results
from tau_env.stats.comparison import Comparison, compare_agents
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.many import adjust_p_values

SHOWN = 10


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FIRST SECOND…")
@click.option(
    "--k", "ks", callback=k_list, help="Repeats to compare, e.g. 1,4; default 1, 2, 4, … n."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the permutation test."
)
@population_option
@record_options
@json_option
def compare(
    files: tuple[str, ...],
    ks: tuple[int, ...] | None,
    seed: int,
    population: str,
    as_json: bool,
    **reading: Any,
) -> None:
    """Is the first agent better than the second?

    Both ran the same tasks, so they are compared task by task: what makes a task hard is hard for
    both and drops out. A gap whose interval holds 0 is within noise; `detectable` says how large
    a gap would have to be for a run of this size to show it. With more than two files every pair
    is compared, and p-values are corrected for their number (Holm).

    \b
    Examples:
      tau-env compare new.jsonl old.jsonl
      tau-env compare new.jsonl old.jsonl --k 1,4 --population new-families --json
      tau-env compare a.csv b.csv c.csv --k 4
    """
    if len(files) < 2:
        raise BadArgument(f"One file, {files[0]}; give at least two runs of the same tasks.")
    runs = {path: read_records(path, **reading) for path in files}
    if len(runs) < len(files):
        raise BadArgument("The same file is given twice; a run equals itself.")
    notes = _faults(runs)
    rows: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    with collected(notes):
        for first, second in combinations(files, 2):
            notes += _conditions(first, second, runs, foreign=reading["foreign"])
            both = pair(runs[first], runs[second])
            notes += _left_out(first, second, both)
            for k in ks or _powers(both.n):
                found = compare_agents(
                    both.passes_a,
                    both.trials_a,
                    both.passes_b,
                    both.trials_b,
                    k,
                    rng=np.random.default_rng(seed),
                    population=POPULATIONS[population],
                    families=both.family,
                    tasks=both.task,
                )
                names = {"first": first, "second": second, "k": k}
                rows.append({**names, **_row(both, found)})
                changed.append({**names, "higher": found.higher, "lower": found.lower})
        if len(files) > 2:
            _correct(rows)
    if as_json:
        print_json(plain(rows), changed=plain(changed), notes=notes)
        return
    _print(rows, changed, notes)


def _row(both: Paired, found: Comparison) -> dict[str, Any]:
    return {
        "pass_first": float(np.mean(pass_hat_k(both.trials_a, both.passes_a, found.k))),
        "pass_second": float(np.mean(pass_hat_k(both.trials_b, both.passes_b, found.k))),
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p_value": found.p_value,
        "verdict": found.verdict,
        "detectable": found.detectable,
        "higher": len(found.higher),
        "lower": len(found.lower),
        "M": found.M,
        "n": found.n,
        "method": found.method,
        "population": found.population,
    }


def _powers(n: int) -> tuple[int, ...]:
    return tuple(sorted({2**i for i in range(n.bit_length()) if 2**i <= n} | {n}))


def _correct(rows: list[dict[str, Any]]) -> None:
    """Add p-values corrected for the number of pairs, for each k by itself."""
    for k in dict.fromkeys(row["k"] for row in rows):
        same = [row for row in rows if row["k"] == k]
        for row in same:
            row["p_adjusted"] = None
        known = [row for row in same if row["p_value"] == row["p_value"]]
        if known:
            adjusted = adjust_p_values([row["p_value"] for row in known])
            for row, value in zip(known, adjusted, strict=True):
                row["p_adjusted"] = float(value)


def _faults(runs: dict[str, Results]) -> list[str]:
    return [
        f"{path} has {len(run.problems)} faults; `tau-env passk` lists them."
        for path, run in runs.items()
        if run.problems
    ]


def _conditions(first: str, second: str, runs: dict[str, Results], *, foreign: bool) -> list[str]:
    """What differs beside the agents, which only whoever says so gets to compare."""
    one, other = runs[first].conditions, runs[second].conditions
    if not foreign:
        check_compared((first, one), (second, other))
    return [f"{first}, {second}: not the same {told}" for told in differences(one, other)]


def _left_out(first: str, second: str, both: Paired) -> list[str]:
    return [
        f"{len(names)} tasks of {path} have no graded trial in {other} and are left out."
        for path, other, names in ((first, second, both.only_a), (second, first, both.only_b))
        if names
    ]


def _print(rows: list[dict[str, Any]], changed: list[dict[str, Any]], notes: list[str]) -> None:
    for row, tasks in zip(rows, changed, strict=True):
        names = f"{Path(row['first']).name} against {Path(row['second']).name}"
        if row["k"] == rows[0]["k"]:
            same = [r for r in rows if (r["first"], r["second"]) == (row["first"], row["second"])]
            titled_table([_shown(r) for r in same], title=f"{names}: {row['M']} common tasks")
        for word in ("higher", "lower"):
            if tasks[word]:
                listed = ", ".join(map(str, tasks[word][:SHOWN]))
                more = f" and {len(tasks[word]) - SHOWN} more" if len(tasks[word]) > SHOWN else ""
                click.echo(f"pass^{row['k']} {word} on {len(tasks[word])} tasks: {listed}{more}")
    one = rows[0]
    click.echo(f"Differences are first minus second; 95%, population: {one['population']}.")
    click.echo(f"Method: {one['method']}.")
    for note in notes:
        click.echo(f"Note: {note}")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    left_out = ("first", "second", "higher", "lower", "M", "n", "method", "population")
    shown = {key: plain(value) for key, value in row.items() if key not in left_out}
    for name in ("p_value", "p_adjusted"):
        if shown.get(name) is not None:
            shown[name] = "<0.001" if shown[name] < 0.001 else f"{shown[name]:.3f}"
    return shown
