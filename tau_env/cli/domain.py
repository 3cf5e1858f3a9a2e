"""`tau-env domain`: what a domain is."""

from __future__ import annotations

import json

import click

from tau_env.cli.output import print_json, print_table
from tau_env.errors import UserMistake
from tau_env.registry import find_domain
from tau_env.schema import digest


@click.command()
@click.argument("name")
@click.option("--policy", is_flag=True, help="The policy, as agents read it.")
@click.option("--tools", is_flag=True, help="The tools with their schemas.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def domain(name: str, policy: bool, tools: bool, as_json: bool) -> None:
    """Show a domain: its policy, its tools, its rules and the digests of each.

    \b
    Examples:
      tau-env domain retail
      tau-env domain retail --policy
      tau-env domain retail --tools
    """
    found = find_domain(name)
    spec = found.spec
    if policy and tools:
        raise UserMistake("--policy and --tools are two pages: ask for one after the other")
    if policy:
        if as_json:
            rows = [rule.model_dump() for rule in spec.rules]
            print_json(rows, policy=found.policy, digest=found.digests["policy"])
        else:
            click.echo(found.policy.rstrip())
            click.echo(f"\npolicy digest: {found.digests['policy']}", err=True)
        return
    listed = [
        {"tool": one.name, "kind": one.kind, "needs_yes": one.needs_yes, "digest": digest(one)}
        for one in spec.tools.values()
    ]
    if tools:
        if as_json:
            schemas = (one.chat_schema() for one in spec.tools.values())
            rows = [{**row, **schema} for row, schema in zip(listed, schemas, strict=True)]
            print_json(rows, digest=found.digests["tools"])
        else:
            for one in spec.tools.values():
                click.echo(json.dumps(one.chat_schema(), indent=2))
        return
    world = found.snapshot()
    if as_json:
        print_json(
            listed,
            name=name,
            version=found.version,
            now=found.now,
            digests={**found.digests, "world": world.digest},
        )
        return
    click.echo(f"{name}, version {found.version}: environment tau_env/{name}-v{found.version}")
    click.echo(f"clock: {found.now}, rules: {len(spec.rules)}, tables: {', '.join(world.tables)}")
    for label, value in {**found.digests, "world": world.digest}.items():
        click.echo(f"{label} digest: {value}")
    print_table(listed, title="tools")
