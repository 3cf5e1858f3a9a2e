"""`tau-env audit`: edits of every reference, spoiled and harmless ones, judged by every grader."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import Any

import click

from tau_env.checks.audit import GRADERS, Tried, audit, audit_rows, choose_kinds
from tau_env.cli.output import print_json, print_table, progress
from tau_env.harness.grid import choose_tasks
from tau_env.registry import domain_names

SHOWN = 20
"""Faults of the full grader that are printed one by one."""


SHORT = {
    "confirmation": "confirm",
    "goal_fields": "goal",
    "completion": "complete",
    "caller_report": "caller",
    "tool_results": "results",
}
"""Headings of graders with long names."""


@click.command("audit")
@click.option("--domain", "domains", multiple=True, help="A domain; all of them when left out.")
@click.option("--task", "patterns", multiple=True, help="A task, a family, or an id with a *.")
@click.option("--kind", "kinds", multiple=True, help="A kind of edit; all when left out.")
@click.option("--seed", default=0, show_default=True, help="Study seed.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=lambda: os.cpu_count() or 1,
    help="Processes; one a core when left out.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def audit_command(
    domains: tuple[str, ...],
    patterns: tuple[str, ...],
    kinds: tuple[str, ...],
    seed: int,
    workers: int,
    as_json: bool,
) -> None:
    """Audit the graders with edited references; exit 1 if the full grader is wrong anywhere.

    Every edit of every task's reference is played with the scripted customer. A spoiled one that
    passes, or a harmless one that fails, is wrong. The table counts the wrong ones: those of the
    full grader must be 0, those of the others show what each of them alone lets through.

    \b
    Examples:
      tau-env audit
      tau-env audit --domain retail --task cancel_pending --kind "wrong value"
    """
    chosen = choose_kinds(kinds)
    subjects = [(name, choose_tasks(name, patterns)) for name in domains or domain_names()]
    rows: list[dict[str, Any]] = []
    faults: list[dict[str, Any]] = []
    with progress("audit", total=sum(len(tasks) for _, tasks in subjects)) as told:
        for name, tasks in subjects:
            played = audit(name, tasks, kinds=chosen, seed=seed, workers=workers, heard=told)
            found: list[Tried] = list(played)
            rows += [asdict(row) for row in audit_rows(name, found, chosen)]
            faults += [_fault(one) for one in found if one.is_wrong("full")]
    if as_json:
        print_json(rows, faults=faults)
    else:
        for name, _ in subjects:
            own = [row for row in rows if row["domain"] == name]
            _print(own, spoiling=True, title=f"{name}: spoiled conversations that pass")
            _print(own, spoiling=False, title=f"{name}: harmless conversations that fail")
        click.echo(_summary(rows))
        if faults:
            print_table(faults[:SHOWN], title=f"{len(faults)} faults of the full grader")
    if faults:
        sys.exit(1)


def _fault(one: Tried) -> dict[str, Any]:
    return {
        "task": one.task,
        "kind": one.kind,
        "edit": one.note,
        "fault": f"failed: {one.why}" if one.why else "passed",
    }


def _print(rows: list[dict[str, Any]], *, spoiling: bool, title: str) -> None:
    """One line a kind: what was tried, and the wrong ones of every grader."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["spoiling"] == spoiling:
            cells = found.setdefault(row["kind"], {"kind": row["kind"], "tried": row["tried"]})
            cells[SHORT.get(row["grader"], row["grader"])] = row["wrong"] if row["tried"] else None
    if found:
        print_table(list(found.values()), title=title)


def _summary(rows: list[dict[str, Any]]) -> str:
    full = [row for row in rows if row["grader"] == GRADERS[0]]
    tried = sum(row["tried"] for row in full)
    return f"the full grader is wrong on {sum(row['wrong'] for row in full)} of {tried}"
