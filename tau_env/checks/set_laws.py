"""Laws of a domain's tasks together: variety, splits, twins, and no two that decide unlike."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tau_env.checks.law import Verdict, first_line, judge
from tau_env.schema import Task, Value, Want
from tau_env.world.company import Domain

IN_A_FAMILY = 4
IN_A_DOMAIN = 60
SMALLEST_SPLIT = 1 / 8
"""The least share of a family's tasks in either split."""

Signature = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Kind, rules and the tools that the reference calls, however the customer is identified."""


@dataclass
class TaskSet:
    """The released tasks of a domain, with what several laws need of them."""

    domain: Domain
    tasks: Sequence[Task]

    @cached_property
    def families(self) -> dict[str, list[Task]]:
        """Tasks by family."""
        found: dict[str, list[Task]] = defaultdict(list)
        for task in self.tasks:
            found[task.family].append(task)
        return dict(found)


@dataclass(frozen=True, slots=True)
class Variety:
    """How unlike the tasks of a domain are.

    Attributes:
        signatures: different ones in the domain.
        families: how many families there are.
        fewest: different signatures in the family that has the fewest.
    """

    signatures: int
    families: int
    fewest: int


def signature(task: Task, domain: Domain) -> Signature:
    """What kind of problem a task is."""
    calls = [step.call for step in task.reference if step.call]
    tools = tuple("identify" if one in domain.identity else one for one in calls)
    return task.kind, task.rules, tools


def variety(domain: Domain, tasks: Sequence[Task]) -> Variety:
    """How unlike the tasks of a domain are."""
    found = TaskSet(domain, tasks)
    counts = [len({signature(task, domain) for task in some}) for some in found.families.values()]
    every = {signature(task, domain) for task in tasks}
    return Variety(signatures=len(every), families=len(counts), fewest=min(counts, default=0))


def families_vary(subject: TaskSet) -> Iterator[str]:
    """Every family has at least 4 signatures (kind, rules, tools), and the domain at least 60."""
    for name, tasks in subject.families.items():
        count = len({signature(task, subject.domain) for task in tasks})
        if count < IN_A_FAMILY:
            yield f"{name} has {count}"
    count = variety(subject.domain, subject.tasks).signatures
    if count < IN_A_DOMAIN:
        yield f"the domain has {count}"


def splits_are_stratified(subject: TaskSet) -> Iterator[str]:
    """Every family has at least an eighth of its tasks in either split."""
    for name, tasks in subject.families.items():
        counts = Counter(task.split for task in tasks)
        fewest = min(counts["train"], counts["test"])
        if fewest < SMALLEST_SPLIT * len(tasks):
            yield f"{name}: {counts['train']} train, {counts['test']} test"


def splits_are_disjoint(subject: TaskSet) -> Iterator[str]:
    """No customer and no record stands in tasks of both splits."""
    seen: dict[str, Task] = {}
    for task in subject.tasks:
        for name in sorted(_names(task, subject.domain)):
            other = seen.setdefault(name, task)
            if other.split != task.split:
                yield f"{name} is in {other.id} and in {task.id}"


def _names(task: Task, domain: Domain) -> set[str]:
    """Customers and records that a task speaks of."""
    text = task.model_dump_json(exclude={"id", "twin"})
    slots = [slot for slot in domain.lexicon.slots.values() if slot.role == "record"]
    found = {
        match.group() for slot in slots for match in re.finditer(rf"(?<!\w){slot.pattern}", text)
    }
    return found | {task.scenario.customer}


def facts_decide_alike(subject: TaskSet) -> Iterator[str]:
    """The same deciding facts never allow in one task what they forbid in another (F04)."""
    decided: dict[tuple[str, ...], dict[bool, str]] = defaultdict(dict)
    for task in subject.tasks:
        for fact, allowed in _facts_of(task, subject.domain):
            decided[fact].setdefault(allowed, task.id)
    for fact, answers in decided.items():
        if len(answers) == 2:
            told = ", ".join(fact)
            yield f"{told}: allowed in {answers[True]}, refused in {answers[False]}"


def _facts_of(task: Task, domain: Domain) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Pairs of (action, column, value) and whether the task allows it.

    A fact is a column of the record with a closed vocabulary. A refusal counts for those that the
    task wants told, a permission for all of them.
    """
    columns = {name for name, slot in domain.lexicon.slots.items() if slot.kind == "word"}
    told = {(one.slot, one.value) for one in task.outputs if one.kind == "word"}
    dropped = {one.want for one in task.scenario.twists if one.kind == "changes_mind"}
    for number, want in enumerate(task.scenario.wants):
        if number in dropped:
            continue
        granted = _is_granted(task, want, domain)
        for row in _rows_of(task, want, domain):
            for name in sorted(columns & row.keys()):
                if granted:
                    yield (want.do, name, str(row[name])), True
                elif (name, row[name]) in told:
                    yield (want.do, name, str(row[name])), False


def _is_granted(task: Task, want: Want, domain: Domain) -> bool:
    """Whether the reference does what a want asks, on the record that it names."""
    records = {value for value in want.slots.values() if isinstance(value, str)}
    for step in task.reference:
        tool = domain.spec.tools.get(step.call)
        if tool is not None and tool.kind == "write" and want.do in tool.verbs:
            named = {str(step.arguments[name]) for name in tool.identifies}
            if named & records or task.scenario.customer in named:
                return True
    return False


def _rows_of(task: Task, want: Want, domain: Domain) -> list[dict[str, Value]]:
    """The rows of the records that a want names, as the task finds them."""
    names = [name for name, slot in domain.lexicon.slots.items() if slot.role == "record"]
    world = domain.open()
    world.begin(task.setup)
    found: list[dict[str, Value]] = []
    for name in names:
        value = want.slots.get(name)
        for table, shape in domain.snapshot().tables.items():
            if tuple(shape.key) == (name,) and isinstance(value, str):
                row = world.row(f'SELECT * FROM "{table}" WHERE "{name}" = ?', value)
                found += [] if row is None else [row]
    world.close()
    return found


LAWS: tuple[Callable[[TaskSet], Iterator[str]], ...] = (
    families_vary,
    splits_are_stratified,
    splits_are_disjoint,
    facts_decide_alike,
)


def check_task_set(domain: Domain, tasks: Sequence[Task]) -> Iterator[Verdict]:
    """Every law of a domain's released tasks together."""
    subject = TaskSet(domain, tasks)
    for law in LAWS:
        yield judge(f"tasks of {domain.name}", first_line(law), law(subject))
