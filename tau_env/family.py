"""Families: generators of tasks, found by folder scan, each with a stream of its own."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tau_env.errors import BadArgument, BadTask, UnknownName, nearest
from tau_env.schema import Task, TaskFile, canonical_json
from tau_env.world.company import Company, Domain

LONGEST_REFERENCE = 15
"""Steps of a released task's reference at most."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Two tasks with the same opening: the policy allows the first and not the second."""

    allowed: Task
    forbidden: Task


Generator = Callable[..., Iterator[Task | Twins]]


@dataclass(frozen=True)
class Family:
    """A declared family.

    Attributes:
        name: stem of its module and of its task file.
        rules: the policy rules at stake, for tasks that name none.
        seed: seed of the released tasks.
        size: how many tasks are released; twins count twice.
        generate: the generator, ``(company, rng, *, twists) -> Iterator[Task | Twins]``.
    """

    name: str
    rules: tuple[str, ...]
    seed: int
    size: int
    generate: Generator


def family(*, rules: tuple[str, ...], seed: int, size: int) -> Callable[[Generator], Family]:
    """Declare a generator of tasks as a family; the function's name is the family's.

    The generator yields tasks (their ids, split and family are given by the machine) or `Twins`
    for as long as it is asked. It states goal and outputs by its own arithmetic, draws from `rng`
    only, and must not depend on the order of other families. What has a reference of more than
    `LONGEST_REFERENCE` steps is left out, twins together.
    """

    def declare(generate: Generator) -> Family:
        name = getattr(generate, "__name__", "")
        return Family(name=name, rules=rules, seed=seed, size=size, generate=generate)

    return declare


@lru_cache(maxsize=16)
def families(domain: str) -> dict[str, Family]:
    """The families of a domain by name, from the modules of its ``families`` folder.

    Raises:
        BadTask: a module without the family of its own name.
    """
    package = importlib.import_module(f"tau_env.domains.{domain}.families")
    found = {}
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda one: one.name):
        if module.name.startswith("_"):
            continue
        declared = getattr(
            importlib.import_module(f"{package.__name__}.{module.name}"), module.name, None
        )
        if not isinstance(declared, Family):
            raise BadTask(f"{package.__name__}.{module.name} declares no family {module.name!r}")
        found[module.name] = declared
    return found


def find_family(domain: str, name: str) -> Family:
    """A family by name.

    Raises:
        UnknownName: there is none; the nearest is offered.
    """
    found = families(domain)
    if name not in found:
        known = ", ".join(found) or "none"
        raise UnknownName(f"no family {name!r} in {domain}.{nearest(name, found)} It has {known}")
    return found[name]


def canary(domain: str, name: str) -> str:
    """The marker of a task file: it must never turn up in a transcript or a training set."""
    mark = hashlib.sha256(f"tau_env canary {domain}/{name}".encode()).hexdigest()[:32]
    return f"tau-env-canary-{mark}: do not train on this file"


def generate(
    domain: Domain,
    name: str,
    *,
    seed: int | None = None,
    size: int | None = None,
    twists: bool = True,
    company: Company | None = None,
) -> TaskFile:
    """Make a family's task file.

    Args:
        domain: the domain.
        name: the family.
        seed: another seed gives a fresh, unseen set; the released one when None.
        size: how many tasks; the released number when None.
        twists: False leaves twists out of the same situations.
        company: an open company, to save building one.

    Raises:
        UnknownName: no such family.
        BadTask: the generator ran dry or made a task that breaks the schema.
        BadArgument: size below 1.
    """
    declared = find_family(domain.name, name)
    seed = declared.seed if seed is None else seed
    size = declared.size if size is None else size
    if size < 1:
        raise BadArgument(f"size {size}: ask for at least one task")
    rng = random.Random(f"{domain.name}/{name}/{seed}")
    company = company or Company(domain)
    made: list[Task] = []
    for one in declared.generate(company, rng, twists=twists):
        if len(made) >= size:
            break
        group = [one.allowed, one.forbidden] if isinstance(one, Twins) else [one]
        if any(len(task.reference) > LONGEST_REFERENCE for task in group):
            continue
        made += _named(domain.name, declared, group, first=len(made) + 1)
    if len(made) < size:
        raise BadTask(f"family {name!r} ran dry after {len(made)} of {size} tasks")
    return TaskFile(
        family=name, origin={"seed": seed}, canary=canary(domain.name, name), tasks=tuple(made)
    )


def _named(domain: str, declared: Family, group: list[Task], *, first: int) -> list[Task]:
    """Give ids, twins, split, family and rules to the tasks of one yield."""
    slug = declared.name.replace("_", "-")
    ids = [f"{domain}-{slug}-{first + offset:03d}" for offset in range(len(group))]
    named = []
    for offset, task in enumerate(group):
        named.append(
            task.model_copy(
                update={
                    "id": ids[offset],
                    "twin": ids[1 - offset] if len(group) == 2 else None,
                    "split": split_of(task.scenario.customer),
                    "family": declared.name,
                    "rules": task.rules or declared.rules,
                }
            )
        )
    return named


def split_of(customer: str) -> Any:
    """``train`` or ``test`` by the customer's number, so the splits share no customer."""
    digits = re.search(r"(\d+)$", customer)
    return "test" if digits and int(digits.group(1)) % 2 else "train"


def dump_task_file(found: TaskFile) -> str:
    """A task file's canonical text: one task a line, keys sorted, defaults left out."""
    tasks = [
        canonical_json(
            task.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"family"})
        )
        for task in found.tasks
    ]
    head = canonical_json({"canary": found.canary, "family": found.family, "origin": found.origin})
    return head[:-1] + ',"tasks":[\n' + ",\n".join(tasks) + "\n]}\n"


def draw(rng: random.Random, items: Iterable[Any]) -> list[Any]:
    """The items in a drawn order; `items` must have one order of its own (a sorted query)."""
    pool = list(items)
    rng.shuffle(pool)
    return pool
