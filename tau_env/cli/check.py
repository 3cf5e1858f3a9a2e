"""`tau-env check`: the laws of domains, tasks and environments."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path

import click

from tau_env import content
from tau_env.checks.parts import Part, check_parts, parts_of
from tau_env.checks.set_laws import variety
from tau_env.cli.output import print_json, print_table, progress
from tau_env.errors import UserMistake
from tau_env.registry import domain_names, find_domain


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--domain", "domains", multiple=True, help="A domain; all of them when left out.")
@click.option("--all", "everything", is_flag=True, help="Print the laws that hold, too.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=lambda: os.cpu_count() or 1,
    help="Processes; one a core when left out.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def check(
    files: tuple[Path, ...],
    domains: tuple[str, ...],
    everything: bool,
    workers: int,
    as_json: bool,
) -> None:
    """Prove the laws of domain, tasks and environment; exit 1 if one fails.

    With FILES only the tasks of these files are checked, against the domain that is named.

    \b
    Examples:
      tau-env check
      tau-env check --domain retail my_family.json
    """
    if files and len(domains) != 1:
        raise UserMistake("name the domain of these files: tau-env check --domain D FILES")
    parts = [Part(domains[0], "file", str(path)) for path in files]
    parts = parts or parts_of(domains or domain_names())
    with progress("check", total=len(parts)) as told:
        verdicts = check_parts(parts, workers=workers, heard=told)
        rows = [asdict(verdict) for verdict in verdicts]
    broken = [row for row in rows if not row["ok"]]
    if as_json:
        print_json(rows)
    else:
        if broken or everything:
            print_table(rows if everything else broken)
        subjects = len({row["subject"] for row in rows})
        for name in () if files else domains or domain_names():
            found = variety(find_domain(name), list(content.tasks(name).values()))
            click.echo(
                f"{name}: {found.signatures} signatures (kind, rules, tools) in {found.families} "
                f"families, at least {found.fewest} in each"
            )
        click.echo(f"{len(rows) - len(broken)} of {len(rows)} laws hold, on {subjects} subjects")
    if broken:
        sys.exit(1)
