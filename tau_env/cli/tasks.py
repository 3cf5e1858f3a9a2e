"""`tau-env tasks`: what the tasks are."""

from __future__ import annotations

from pathlib import Path

import click

from tau_env.cli.output import print_json, print_table
from tau_env.errors import UnknownName, UserMistake, nearest
from tau_env.family import dump_task_file, find_family, generate
from tau_env.family import families as all_families
from tau_env.harness.grid import choose_tasks
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task, canonical_json, digest
from tau_env.world.company import Company


@click.group()
def tasks() -> None:
    """List, show and generate tasks."""


@tasks.command("list")
@click.option("--domain", "domains", multiple=True, help="A domain; all of them when left out.")
@click.option("--split", type=click.Choice(["train", "test"]), help="Only tasks of this split.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def list_tasks(domains: tuple[str, ...], split: str | None, as_json: bool) -> None:
    """List the released tasks.

    \b
    Example:
      tau-env tasks list --domain retail --split test
    """
    rows = [
        {
            "domain": domain,
            "task": task.id,
            "family": task.family,
            "kind": task.kind,
            "twin": task.twin,
            "split": task.split,
            "rules": " ".join(task.rules),
            "digest": digest(task),
        }
        for domain in domains or domain_names()
        for task in choose_tasks(domain, split=split)
    ]
    if as_json:
        print_json(rows, tasks=len(rows))
    else:
        print_table(rows, title=f"{len(rows)} tasks")


def _find(name: str) -> Task:
    known: dict[str, Task] = {}
    for domain in domain_names():
        known |= {task.id: task for task in choose_tasks(domain)}
    if name not in known:
        raise UnknownName(f"no task {name!r}.{nearest(name, known)} `tau-env tasks list` shows all")
    return known[name]


@tasks.command("show")
@click.argument("task")
@click.option("--json", "as_json", is_flag=True, help="The task as JSON in a list 'rows'.")
def show_task(task: str, as_json: bool) -> None:
    """Show a task with its scenario, goal and reference solution: never to an agent.

    \b
    Example:
      tau-env tasks show retail-cancel-pending-003
    """
    found = _find(task)
    dumped = found.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if as_json:
        print_json([{**dumped, "digest": digest(found)}])
        return
    click.echo(f"{found.id}  {found.kind}  split {found.split}  digest {digest(found)}")
    click.echo(f"twin: {found.twin or 'none'}   rules: {' '.join(found.rules)}")
    click.echo(f"\n{found.scenario.instruction}\n")
    for number, goal in enumerate(found.goals, 1):
        click.echo(f"goal {number}: {'nothing changes' if not goal else ''}")
        for change in goal:
            click.echo(f"  {change.op} {change.table} {change.key} {change.fields}")
    for output in found.outputs:
        click.echo(f"to be told: {output.kind} {output.value}")
    for one in found.path.required:
        patterns = " or ".join(f"{p.tool} {canonical_json(p.arguments)}" for p in one.any)
        click.echo(f"required: {patterns}")
    click.echo("\nreference:")
    for step in found.reference:
        guard = f"(after {step.after}) " if step.after else ""
        call = f"{step.call} {canonical_json(step.arguments)}"
        click.echo(f"  {guard}{f'say: {step.say}' if step.say else f'call: {call}'}")


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, with its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UserMistake(
            f"--out: {path if path.exists() else path.parent} exists and is not overwritten; "
            "choose another folder"
        ) from None
    except OSError as error:
        raise UserMistake(f"--out: cannot write {path}: {error.strerror}") from None


@tasks.command("generate")
@click.option("--domain", required=True, help="The domain.")
@click.option("--family", "families", multiple=True, help="A family; all of them when left out.")
@click.option("--seed", type=int, required=True, help="A new seed gives a fresh, unseen set.")
@click.option("--n", "size", type=int, help="Tasks a family; the released number when left out.")
@click.option("--out", type=click.Path(), required=True, help="Folder for the task files.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def generate_tasks(
    domain: str, families: tuple[str, ...], seed: int, size: int | None, out: str, as_json: bool
) -> None:
    """Generate a fresh set of tasks; check them with `tau-env check FILES`.

    \b
    Example:
      tau-env tasks generate --domain retail --seed 77 --n 8 --out fresh/
    """
    found = find_domain(domain)
    chosen = [find_family(domain, name).name for name in families or all_families(domain)]
    company = Company(found)
    rows = []
    for name in chosen:
        made = generate(found, name, seed=seed, size=size, company=company)
        path = Path(out) / f"{name}.json"
        _write_new(path, dump_task_file(made))
        rows.append({"family": name, "tasks": len(made.tasks), "file": str(path)})
    if as_json:
        print_json(rows, seed=seed)
    else:
        print_table(rows)
