"""Who holds a rule, as the published list has it: every rule is broken by a direct tool call.

Candidates are the writes of all references and what comes of them when one thing is another: the
circumstances, one argument, a tool more on the same record. The domain's predicates say which rules
a candidate breaks; the tool must refuse exactly what the list says that it enforces.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tau_env import content
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task
from tau_env.world.company import Domain
from tau_env.world.rules import Deed

NAMES = domain_names()
Called = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Candidate:
    """A call after others, with the circumstances that differ from the best.

    One that is odd holds a value that no schema allows.
    """

    task: Task
    before: tuple[Called, ...]
    tool: str
    arguments: dict[str, Any]
    circumstances: dict[str, Any] = field(default_factory=dict)
    odd: bool = False


def calls_of(task: Task, domain: Domain) -> list[Called]:
    """The writes and hand-overs of a reference."""
    kinds = {name: spec.kind for name, spec in domain.spec.tools.items()}
    moves = {name for name, spec in domain.spec.tools.items() if "transfer" in spec.verbs}
    return [
        (step.call, dict(step.arguments))
        for step in task.reference
        if step.call and (kinds[step.call] == "write" or step.call in moves)
    ]


def pool_of(domain: Domain, tasks: Sequence[Task]) -> dict[str, list[Any]]:
    """Argument name -> values that references use for it."""
    found: dict[str, list[Any]] = defaultdict(list)
    for task in tasks:
        for _, arguments in calls_of(task, domain):
            for name, value in arguments.items():
                found[name].append(value)
    return found


def candidates(domain: Domain, rng: random.Random) -> Iterator[Candidate]:
    """Many calls, most of which break something."""
    tasks = list(content.tasks(domain.name).values())
    pool = pool_of(domain, tasks)
    tools = {name: spec.parameters["properties"] for name, spec in domain.spec.tools.items()}
    writes = [name for name, spec in domain.spec.tools.items() if spec.kind == "write"]
    moves = [name for name, spec in domain.spec.tools.items() if "transfer" in spec.verbs]
    stranger = tasks[-1].scenario.customer
    for task in tasks:
        done = calls_of(task, domain)
        for at, (tool, arguments) in enumerate(done):
            one = Candidate(task, tuple(done[:at]), tool, arguments)
            yield one
            unlike: tuple[dict[str, Any], ...] = (
                {"identified": False},
                {"agreed": False},
                {"looked_up": ()},
                {"customer": stranger},
                {"earlier": ((moves[0], {}),)},
            )
            for circumstances in unlike:
                yield replace(one, circumstances=circumstances)
            for name in arguments:
                for value in rng.sample(pool[name], min(2, len(pool[name]))):
                    yield replace(one, arguments={**arguments, name: value})
                unlikely: list[Any] = ["x"] if "enum" in tools[tool][name] else []
                if isinstance(arguments[name], list):
                    unlikely = [[], arguments[name] * 6]
                for value in unlikely:
                    yield replace(one, arguments={**arguments, name: value}, odd=True)
            extra = rng.choice(sorted(set(pool) - set(tools[tool])))
            yield replace(one, arguments={**arguments, extra: pool[extra][0]})
            for other in writes:
                if set(tools[other]) <= set(pool):
                    given = {name: rng.choice(pool[name]) for name in tools[other]}
                    given |= {name: arguments[name] for name in tools[other] if name in arguments}
                    yield replace(one, tool=other, arguments=given)
                    yield Candidate(task, tuple(done[: at + 1]), other, given)


def broken_rules(one: Candidate, deed: Deed, domain: Domain) -> tuple[str, ...]:
    """The rules that a candidate breaks; a predicate need not judge what no schema allows."""
    try:
        return domain.rulebook.broken(deed)
    except (KeyError, ValueError):
        if one.odd:
            return ()
        raise


@pytest.mark.parametrize("name", NAMES)
def test_f127_tools_enforce_what_the_published_list_says(name: str) -> None:
    """A rule is in the list as enforced by a tool or left to the agent, and so it is."""
    domain = find_domain(name)
    reads = tuple(one for one, spec in domain.spec.tools.items() if spec.kind == "read")
    refused: dict[str, int] = defaultdict(int)
    declined: dict[str, int] = defaultdict(int)  # with arguments in good form
    carried_out: dict[str, int] = defaultdict(int)
    world = domain.open()
    for one in candidates(domain, random.Random(7)):
        world.begin(one.task.setup)
        earlier = [call for call in one.before if not domain.toolbox.call(world, *call).error]
        best = Deed(
            world=world,
            customer=one.task.scenario.customer,
            tool=one.tool,
            arguments=one.arguments,
            looked_up=reads,
            earlier=tuple(earlier),
            wants=one.task.scenario.wants,
        )
        circumstances = one.circumstances
        broken = broken_rules(one, replace(best, **circumstances), domain)
        made = domain.toolbox.call(world, one.tool, one.arguments)
        for rule in broken:
            (refused if made.error else carried_out)[rule] += 1
            declined[rule] += made.error == "refused"
            # Tools know whose record it is, and not who is in the chat or what was said there.
            held = domain.rulebook.by[rule]
            alone = all(holder.startswith("tool:") for holder in held)
            if alone and f"tool:{one.tool}" in held and "customer" not in circumstances:
                assert made.error, f"{rule}: {one.tool} {one.arguments} was carried out"
    world.close()
    for rule, held in domain.rulebook.by.items():
        if any(holder.startswith("tool:") for holder in held):
            assert refused[rule], f"no call tries to break {rule}"
        elif declined[rule]:
            assert carried_out[rule], f"{rule} is left to the agent, and a tool refuses it"
