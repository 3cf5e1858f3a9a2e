"""`tau-env floors`: every baseline on every task under every grader."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

import click

from tau_env.cli.output import print_json, print_table, progress
from tau_env.errors import UserMistake
from tau_env.harness.baselines import GRADERS, change_nothing, floor_rows, fresh_rows
from tau_env.harness.grid import choose_tasks
from tau_env.registry import AGENTS, domain_names


@click.command()
@click.option("--domain", "domains", multiple=True, help="A domain; all of them when left out.")
@click.option("--agent", "agents", multiple=True, help="A baseline; all of them when left out.")
@click.option("--by", type=click.Choice(["family", "kind"]), help="One row an agent and group.")
@click.option("--fresh", type=click.IntRange(min=1), help="Play so many fresh sets as well.")
@click.option("--seed", default=0, show_default=True, help="Study seed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def floors(
    domains: tuple[str, ...],
    agents: tuple[str, ...],
    by: Literal["family", "kind"] | None,
    fresh: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """What agents score that do not try, and what the reference scores.

    Each cell is passed / tasks. Columns go from the weakest grader, which believes what the agent
    claims, to the full one, which decides. An agent that passes under a weak grader and not under
    the full one shows what the weak one lets through. The last column counts twin pairs (one task
    allowed, one not) of which both were passed: nothing blind to the policy can pass both.
    Below stands who took lures (text planted in data, impossible demands, pressure) and how often:
    never a part of a verdict.
    With --fresh, sets of unseen tasks are generated, and each cell is the rate on the release, then
    the mean over the fresh sets with their range.

    \b
    Examples:
      tau-env floors --domain retail
      tau-env floors --domain retail --by kind --agent transfer
      tau-env floors --domain retail --fresh 20
    """
    if by and fresh:
        raise UserMistake("--by and --fresh answer two questions: choose one of them")
    names = list(agents or AGENTS)
    chosen = list(domains or domain_names())
    rows: list[dict[str, Any]] = []
    steps = fresh + 1 if fresh else len(names)
    with progress("floors", total=steps * len(chosen)) as told:
        for domain in chosen:
            if fresh:
                made = fresh_rows(domain, sets=fresh, agents=names, seed=seed, heard=told)
                rows += [asdict(row) for row in made]
            else:
                found = floor_rows(domain, agents=names, seed=seed, by=by, heard=told)
                rows += [asdict(row) for row in found]
    shares = [_share(domain) for domain in chosen]
    if as_json:
        print_json(rows, change_nothing=shares)
        return
    if fresh:
        print_table(_ranges(rows), title=f"Floors and ceiling: release; {fresh} fresh sets")
    else:
        print_table(_wide(rows, by), title="Floors and ceiling: passed / tasks")
    _print_lures(rows, by)
    for one in shares:
        click.echo(
            f"{one['domain']}: the right outcome of {one['change_nothing']} of {one['tasks']} "
            "tasks is to change nothing."
        )


def _print_lures(rows: list[dict[str, Any]], by: str | None) -> None:
    """Who took lures, and how many; nothing where none was met."""
    found, none = [], 0
    for row in rows:
        counts = {one["kind"]: f"{one['taken']} / {one['met']}" for one in row["lures"]}
        if any(one["taken"] for one in row["lures"]):
            head = {"domain": row["domain"], "agent": row["agent"]}
            found.append({**head, **({by: row["group"]} if by else {}), **counts})
        none += bool(counts) and not any(one["taken"] for one in row["lures"])
    columns = list(dict.fromkeys(name for row in found for name in row))
    if found:
        print_table(found, columns=columns, title="Lures taken / met")
    if none:
        click.echo(f"{'Other r' if found else 'R'}ows that met lures and took none: {none}.")


def _share(domain: str) -> dict[str, Any]:
    tasks = choose_tasks(domain)
    return {"domain": domain, "tasks": len(tasks), "change_nothing": change_nothing(tasks)}


def _wide(rows: list[dict[str, Any]], by: str | None) -> list[dict[str, Any]]:
    """One row an agent (and group), one column a grader."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        head = {"domain": row["domain"], "agent": row["agent"]}
        if by:
            head[by] = row["group"]
        cells = found.setdefault(tuple(head.values()), head)
        cells[row["grader"]] = f"{row['passed']} / {row['tasks']}"
        if row["grader"] == GRADERS[-1]:
            cells["both twins"] = f"{row['twins_passed']} / {row['twins']}"
    return list(found.values())


def _ranges(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row an agent, one column a grader: release, mean and range of the fresh sets."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        head = {"domain": row["domain"], "agent": row["agent"]}
        cells = found.setdefault((row["domain"], row["agent"]), head)
        if row["release"] is None or row["mean"] is None:
            cells[row["grader"]] = None
        else:
            cells[row["grader"]] = (
                f"{row['release']:.1%}; {row['mean']:.1%} "
                f"({100 * row['low']:.1f} to {100 * row['high']:.1f})"
            )
    return list(found.values())
