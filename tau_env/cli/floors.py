"""`tau-env floors`: every baseline on every task under every grader."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from tau_env.cli.output import print_json, print_table, progress
from tau_env.harness.baselines import GRADERS, floor_rows
from tau_env.registry import AGENTS, domain_names


@click.command()
@click.option("--domain", "domains", multiple=True, help="A domain; all of them when left out.")
@click.option("--agent", "agents", multiple=True, help="A baseline; all of them when left out.")
@click.option("--seed", default=0, show_default=True, help="Study seed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def floors(domains: tuple[str, ...], agents: tuple[str, ...], seed: int, as_json: bool) -> None:
    """What agents score that do not try, and what the reference scores.

    Each cell is passed / tasks. Columns go from the weakest grader, which believes what the agent
    claims, to the full one, which decides. An agent that passes under a weak grader and not under
    the full one shows what the weak one lets through. The last column counts twin pairs (one task
    allowed, one not) of which both were passed: nothing blind to the policy can pass both.

    \b
    Example:
      tau-env floors --domain retail
    """
    names = list(agents or AGENTS)
    chosen = list(domains or domain_names())
    rows = []
    with progress("floors", total=len(names) * len(chosen)) as told:
        for domain in chosen:
            rows += [asdict(row) for row in floor_rows(domain, agents=names, seed=seed, heard=told)]
    if as_json:
        print_json(rows)
    else:
        print_table(_wide(rows), title="Floors and ceiling: passed / tasks")


def _wide(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row an agent, one column a grader."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        cells = found.setdefault(
            (row["domain"], row["agent"]), {"domain": row["domain"], "agent": row["agent"]}
        )
        cells[row["grader"]] = f"{row['passed']} / {row['tasks']}"
        if row["grader"] == GRADERS[-1]:
            cells["both twins"] = f"{row['twins_passed']} / {row['twins']}"
    return list(found.values())
