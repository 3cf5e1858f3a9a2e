"""Laws of what a task states: names, amounts, dates and its plain words agree with the records."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Protocol

from tau_env.graders._facts import amounts_in
from tau_env.language.literals import find_literals
from tau_env.schema import Task, Trial
from tau_env.world.company import Domain

UNKNOWN = "unknown identity"
"""Tag of tasks in which what the customer says of themselves stands in no record."""

_MOST = 9
"""A fee of the policy may be due so many times."""
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")


class Stated(Protocol):
    """A task under check with the trial of its reference."""

    @property
    def task(self) -> Task:
        """The task."""
        ...

    @property
    def domain(self) -> Domain:
        """Its domain."""
        ...

    @property
    def trial(self) -> Trial:
        """The reference's trial."""
        ...


def identity_is_true(subject: Stated) -> Iterator[str]:
    """What customers say of themselves stands in their record, unless the task's tag denies it."""
    task, domain = subject.task, subject.domain
    table, _, column = domain.customers.partition(".")
    world = domain.open()
    world.begin(task.setup)
    row = world.row(f'SELECT * FROM "{table}" WHERE "{column}" = ?', task.scenario.customer) or {}
    world.close()
    slots = domain.lexicon.slots
    wrong = [
        name
        for name, fact in task.scenario.facts.items()
        if name in slots
        and slots[name].role == "identity"
        and name in row
        and row[name] != fact.value
    ]
    if UNKNOWN in task.tags:
        if not wrong:
            yield f"it is tagged {UNKNOWN!r}, and all that the customer says is true"
    elif wrong:
        yield f"{wrong[0]} {task.scenario.facts[wrong[0]].value!r} is not in the record"


def plain_words_agree(subject: Stated) -> Iterator[str]:
    """Ids, e-mails, amounts and dates of the instruction are those of scenario and goal (F06)."""
    task = subject.task
    scenario = task.scenario.model_dump(mode="json", exclude={"instruction"})
    rest = f"{scenario} {[row.model_dump(mode='json') for goal in task.goals for row in goal]}"
    cents = {abs(int(one.value)) for one in task.outputs if one.kind == "money"}
    for one in find_literals(task.scenario.instruction, subject.domain.lexicon):
        if one.kind in ("id", "email", "date") and str(one.value) not in rest:
            yield f"the instruction says {one.text}"
        if one.kind == "money" and abs(int(one.value)) not in cents and one.text not in rest:
            yield f"the instruction says {one.text}"


def amounts_add_up(subject: Stated) -> Iterator[str]:
    """Every amount to be told stands in a result, adds up from two, or is the policy's (F14)."""
    amounts: set[Decimal] = set()
    fees = {
        Decimal(int(one.value)) * count / 100
        for one in find_literals(subject.domain.policy, subject.domain.lexicon)
        if one.kind == "money"
        for count in range(1, _MOST + 1)
    }
    for turn in subject.trial.transcript:
        if turn.call is not None:
            amounts |= amounts_in(turn.call.result)
    for output in subject.task.outputs:
        if output.kind != "money":
            continue
        wanted = Decimal(abs(int(output.value))) / 100
        pairs = itertools.combinations_with_replacement(sorted(amounts), 2)
        if wanted not in amounts | fees and all(
            wanted not in (one + two, abs(one - two)) for one, two in pairs
        ):
            yield f"${wanted} stands in no result, and the policy names no such fee"


def dates_lie_ahead(subject: Stated) -> Iterator[str]:
    """No call of the reference is about a day before the domain's clock (F02, F12)."""
    today = subject.domain.now[:10]
    births = {
        name
        for name, slot in subject.domain.lexicon.slots.items()
        if slot.kind == "date" and "date of birth" in slot.nouns
    }
    for step in subject.task.reference:
        for date in _dates_in(step.arguments, births):
            if date < today:
                yield f"{step.call} is about {date}, and it is {today}"


def _dates_in(value: object, births: set[str]) -> Iterator[str]:
    """Dates in the arguments of a call, without those on which somebody was born."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in births:
                yield from _dates_in(inner, births)
    elif isinstance(value, list):
        for inner in value:
            yield from _dates_in(inner, births)
    else:
        yield from _DATE.findall(str(value))


FACT_LAWS: tuple[Callable[[Stated], Iterator[str]], ...] = (
    identity_is_true,
    plain_words_agree,
    amounts_add_up,
    dates_lie_ahead,
)
