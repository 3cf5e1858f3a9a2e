"""Laws of a domain's tasks together: variety, splits, twins, and no two that decide unlike."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tau_env.checks.law import Verdict, first_line, judge
from tau_env.schema import Task, Value, Want
from tau_env.world.company import Domain

IN_A_FAMILY = 4
IN_A_DOMAIN = 3
"""So many different signatures a domain has for each of its families."""
SMALLEST_SPLIT = 1 / 8
"""The least share of a family's tasks in either split."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")

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
    """Every family has at least 4 signatures (kind, rules, tools), the domain 3 for each family."""
    for name, tasks in subject.families.items():
        count = len({signature(task, subject.domain) for task in tasks})
        if count < IN_A_FAMILY:
            yield f"{name} has {count}"
    count = variety(subject.domain, subject.tasks).signatures
    if count < IN_A_DOMAIN * len(subject.families):
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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a task decides about one want, and on what.

    Attributes:
        task: the task's id.
        do: the want's action.
        granted: whether the reference does it.
        facts: columns of the record with closed words and dates: all of them where it is granted,
            those that the task wants told where it is refused.
        said: closed words of the want itself, such as a reason.
    """

    task: str
    do: str
    granted: bool
    facts: frozenset[tuple[str, str]]
    said: dict[str, str]

    def is_denied_by(self, refused: Decision) -> bool:
        """Whether all that a refusal rests on is true here, and nothing else was said."""
        return (
            self.do == refused.do
            and refused.facts <= self.facts
            and all(refused.said.get(name, word) == word for name, word in self.said.items())
        )


def facts_decide_alike(subject: TaskSet) -> Iterator[str]:
    """The facts that one task refuses for never allow the same in another (F04)."""
    found = [one for task in subject.tasks for one in decisions(task, subject.domain)]
    granted = [one for one in found if one.granted]
    for refused in (one for one in found if not one.granted):
        for allowed in (one for one in granted if one.is_denied_by(refused)):
            told = ", ".join(part for fact in sorted(refused.facts) for part in fact)
            yield f"{refused.do}, {told}: allowed in {allowed.task}, refused in {refused.task}"
            break


def decisions(task: Task, domain: Domain) -> Iterator[Decision]:
    """What a task decides about each of its wants; dropped ones and questions decide nothing."""
    slots = domain.lexicon.slots
    told = {(one.slot, str(one.value)) for one in task.outputs if one.kind == "word"}
    dates = {str(one.value) for one in task.outputs if one.kind == "date"}
    dropped = {one.want for one in task.scenario.twists if one.kind == "changes_mind"}
    for number, want in enumerate(task.scenario.wants):
        if number in dropped:
            continue
        step = _granting(task, number, domain)
        facts = {
            fact
            for row in _rows_of(task, want, domain, before=step)
            for fact in _facts_in(row, domain)
        }
        if step is None:
            facts = {one for one in facts if one in told or one[1] in dates}
        said = {
            name: value
            for name, value in want.slots.items()
            if isinstance(value, str) and name in slots and slots[name].kind == "word"
        }
        if facts:
            yield Decision(task.id, want.do, step is not None, frozenset(facts), said)


def _facts_in(row: Mapping[str, Value], domain: Domain) -> Iterator[tuple[str, str]]:
    """The columns of a row that hold closed words, as the lexicon has them, or times."""
    slots = domain.lexicon.slots
    for name, value in row.items():
        if name in slots and slots[name].kind == "word":
            word = str(value)
            yield name, word if word in slots[name].words else word.replace("_", " ")
        elif isinstance(value, str) and _DAY.match(value):
            yield name, value[:10]


def _granting(task: Task, number: int, domain: Domain) -> int | None:
    """The place of the call by which the reference does what a want asks; None if it does not.

    Of several calls that may do it, the first wants of this kind take the first.
    """
    places = [_able_calls(task, one, domain) for one in task.scenario.wants[: number + 1]]
    able = places.pop()
    return able[min(places.count(able), len(able) - 1)] if able else None


def _able_calls(task: Task, want: Want, domain: Domain) -> list[int]:
    """The places of the calls that may do what a want asks, on the record that it names."""
    found = []
    records = {value for value in want.slots.values() if isinstance(value, str)}
    for place, step in enumerate(task.reference):
        tool = domain.spec.tools.get(step.call)
        if tool is not None and tool.kind == "write" and want.do in tool.verbs:
            named = {str(step.arguments[name]) for name in tool.identifies}
            if named & records or task.scenario.customer in named:
                found.append(place)
    return found


def _rows_of(
    task: Task, want: Want, domain: Domain, *, before: int | None
) -> list[dict[str, Value]]:
    """The rows of the records that a want names and of the customer, before a reference's step.

    As the task finds them when `before` is None.
    """
    names = [name for name, slot in domain.lexicon.slots.items() if slot.role == "record"]
    world = domain.open()
    world.begin(task.setup)
    for step in task.reference[: before or 0]:
        if step.call and domain.spec.tools[step.call].kind == "write":
            domain.toolbox.call(world, step.call, step.arguments)
    table, _, column = domain.customers.partition(".")
    customer = f'SELECT * FROM "{table}" WHERE "{column}" = ?'
    found = world.rows(customer, task.scenario.customer)
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
