"""Tools of every registered domain: one rule of coercion, nothing evaluated, nothing let out."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tau_env import content
from tau_env.checks.task_laws import check_task
from tau_env.env import TauEnv
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Call, canonical_json
from tau_env.world.company import Domain

NAMES = domain_names()
every_domain = pytest.mark.parametrize("domain", list(map(find_domain, NAMES)), ids=NAMES)

Place = tuple[str | int, ...]


def called(domain: Domain) -> dict[str, dict[str, Any]]:
    """Arguments with which a reference calls each tool."""
    return {
        step.call: step.arguments
        for task in content.tasks(domain.name).values()
        for step in task.reference
        if step.call
    }


def places(schema: dict[str, Any], at: Place = ()) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Every place of an argument's schema, the insides of lists and objects too."""
    if at:
        yield at, schema
    for name, inner in schema.get("properties", {}).items():
        yield from places(inner, (*at, name))
    if schema.get("type") == "array":
        yield from places(schema["items"], (*at, 0))


def put(arguments: dict[str, Any], at: Place, value: object) -> dict[str, Any]:
    """The arguments with another value in one place."""
    made: Any = copy.deepcopy(arguments)
    inside = made
    for step in at[:-1]:
        inside = inside[step]
    inside[at[-1]] = value
    return made  # type: ignore[no-any-return]


def found(arguments: Any, at: Place) -> Any:
    """The value in one place; None if it is not there."""
    for step in at:
        try:
            arguments = arguments[step]
        except (KeyError, IndexError, TypeError):
            return None
    return arguments


def call(domain: Domain, name: str, arguments: dict[str, Any]) -> Call:
    """A call in a fresh world."""
    world = domain.open()
    world.begin()
    made = domain.toolbox.call(world, name, arguments)
    world.close()
    return made


REFUSED: dict[str, dict[str, object]] = {
    "string": {"a text, not the number 3": 3, "a text, not true": True, "a text, not null": None},
    "integer": {"must be an integer, not true": True, "not 'three'": "three", "not 1.5": 1.5},
    "number": {"an amount in dollars, not true": True, "two decimals": 12.505, "not null": None},
    "array": {"a list, not the text": "one", "a list, not the number 3": 3},
}
SAME: dict[str, Any] = {
    "integer": lambda value: (str(value), float(value), f"{value}.0"),
    "number": lambda value: (f"{value:.2f}", float(value)),
}


@every_domain
def test_f41_every_tool_takes_and_refuses_the_same_forms(domain: Domain) -> None:
    """The forms that are taken leave the same, and the others are refused in the same words."""
    known = called(domain)
    tried = 0
    for name, spec in domain.spec.tools.items():
        needed = spec.parameters["properties"]
        assert name in known or spec.kind != "write", f"no reference shows what {name} takes"
        base = {**dict.fromkeys(needed, "x"), **known.get(name, {})}
        for at, schema in places(spec.parameters):
            if found(base, at) is None:
                continue
            for words, value in REFUSED.get(schema.get("type", ""), {}).items():
                made = call(domain, name, put(base, at, value))
                assert made.error == "bad_arguments", (name, at, value)
                assert (words if "enum" not in schema else "must be '") in made.result, (name, at)
                tried += 1
            for value in SAME.get(schema.get("type", ""), lambda value: ())(found(base, at)):
                plain, other = call(domain, name, base), call(domain, name, put(base, at, value))
                assert (other.arguments, other.result) == (plain.arguments, plain.result)
                assert (other.error, other.changes) == (plain.error, plain.changes)
    assert tried > 50


EVIL = [
    "__import__('os').getcwd()",
    "9**9**9",
    "(1).__class__",
    "[].append(1)",
    "1 if 1 else 2",
    "10" * 400,
    "(" * 5_000,
]


@every_domain
@pytest.mark.parametrize("text", EVIL, ids=range(len(EVIL)))
def test_f138_calculator_evaluates_no_code(domain: Domain, text: str) -> None:
    started = time.perf_counter()
    made = call(domain, "calculate", {"expression": text})
    assert made.error == "refused"
    assert made.result.startswith("Error: ")
    assert time.perf_counter() - started < 1


PROBES = ["%", "_%", "*", "", "' OR '1'='1", "'; DROP TABLE customers; --", "sqlite_master", "goal"]


@every_domain
def test_f141_no_lookup_gives_anything_of_tasks_or_goals(domain: Domain) -> None:
    """Task ids, wildcards and SQL find nothing, and the world holds no task, goal or canary."""
    tasks = content.tasks(domain.name)
    for name, spec in domain.spec.tools.items():
        needed = spec.parameters["required"]
        if spec.kind != "read" or not needed:
            continue
        for probe in [*PROBES, *list(tasks)[:3]]:
            made = call(domain, name, dict.fromkeys(needed, probe))
            assert made.subjects == (), (name, probe)
            assert len(made.result) < 300, (name, probe)
    world = domain.open()
    rows = [row for table in world.scan().values() for row in table.values()]
    cells = canonical_json([list(row.values()) for row in rows])
    world.close()
    marks = [one.canary for one in content.task_files(domain.name)] + list(tasks)
    assert not [mark for mark in marks if mark in cells]
    assert not re.search(r'"(goals?|reference|outputs?|canary)"', cells)


@every_domain
def test_f35_reference_whose_tool_only_reports_an_error_is_no_reference(
    domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that returns its failure instead of raising it: the goal is not reached, and seen."""
    tasks = content.tasks(domain.name)
    task = next(task for task in tasks.values() if task.kind == "fulfil" and any(task.goals))
    write = next(
        step.call
        for step in task.reference
        if step.call and domain.spec.tools[step.call].kind == "write"
    )
    env = TauEnv(domain.name)
    assert all(one.ok for one in check_task(task, domain, env, tasks))
    monkeypatch.setattr(
        domain.toolbox.tools[write], "function", lambda world, **given: {"error": "not found"}
    )
    broken = {one.law for one in check_task(task, domain, env, tasks) if not one.ok}
    assert any("reference passes every grader" in law for law in broken)
