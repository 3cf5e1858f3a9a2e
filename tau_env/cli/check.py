"""`tau-env check`: the laws of domains, tasks and environments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from tau_env import content
from tau_env.checks.domain_laws import check_domain
from tau_env.checks.env_laws import check_environment
from tau_env.checks.law import Verdict
from tau_env.checks.set_laws import check_task_set, variety
from tau_env.checks.task_laws import check_tasks
from tau_env.cli.output import print_json, print_table, progress
from tau_env.errors import BadTask, UserMistake
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--domain", "domains", multiple=True, help="A domain; all of them when left out.")
@click.option("--all", "everything", is_flag=True, help="Print the laws that hold, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def check(
    files: tuple[Path, ...], domains: tuple[str, ...], everything: bool, as_json: bool
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
    rows = []
    with progress("check", total=sum(1 for _ in _subjects(files, domains))) as told:
        for name, verdicts in _subjects(files, domains):
            told(name)
            rows += [asdict(verdict) for verdict in verdicts]
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


def _subjects(
    files: tuple[Path, ...], domains: tuple[str, ...]
) -> Iterator[tuple[str, Iterator[Verdict]]]:
    """What is to be checked, with verdicts that are not yet computed."""
    for name in domains or domain_names():
        domain = find_domain(name)
        if files:
            for path in files:
                yield str(path), _file_verdicts(path, name)
            continue
        yield f"domain {name}", check_domain(domain)
        for one in content.task_files(name):
            yield one.family, check_tasks(one.tasks, domain)
        yield f"tasks of {name}", check_task_set(domain, list(content.tasks(name).values()))
        yield f"environment {name}", check_environment(domain)


def _file_verdicts(path: Path, domain: str) -> Iterator[Verdict]:
    try:
        tasks: tuple[Task, ...] = content.read_task_file(path).tasks
    except BadTask as error:
        yield Verdict(subject=str(path), law="The file holds tasks", ok=False, reason=str(error))
        return
    yield Verdict(subject=str(path), law="The file holds tasks", ok=True)
    yield from check_tasks(tasks, find_domain(domain))
