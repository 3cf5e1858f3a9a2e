"""Mistakes that agents really make, as edits of the reference solution, by name.

Each takes a task and a stream and gives the steps of one way to go wrong, or None where the task
offers no such mistake. Which of them an agent makes, and how often, is decided in `noisy`.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tau_env.agents.edits import asks_for_yes, extra_write, with_extra_write, without_questions
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal
from tau_env.schema import DomainSpec, Output, Step, Task

Steps = tuple[Step, ...]

CLAIM = (
    "I have done everything that you asked for, it is complete. "
    "Is there anything else that I can help you with?"
)


@dataclass(frozen=True)
class Ground:
    """What mistakes are made from.

    Attributes:
        task: the task that goes wrong.
        spec: its domain.
        others: tasks of the same domain, whose values and records are mistaken for this one's.
    """

    task: Task
    spec: DomainSpec
    others: Sequence[Task] = ()

    def writes(self) -> list[int]:
        """Positions of the reference's writing calls."""
        return [at for at, step in enumerate(self.task.reference) if self.is_write(step)]

    def is_write(self, step: Step) -> bool:
        """Whether a step calls a tool that changes the world."""
        tool = self.spec.tools.get(step.call)
        return tool is not None and tool.kind == "write"

    def same_calls(self, step: Step) -> list[Step]:
        """Writes of other customers' tasks with the same tool, on records as they stand."""
        customer = self.task.scenario.customer
        return [
            found
            for other in self.others
            if other.scenario.customer != customer and not other.setup
            for found in other.reference
            if found.call == step.call and found.arguments != step.arguments
        ]

    def said_outputs(self, step: Step) -> list[tuple[Literal, Output]]:
        """Facts that a message tells and that the task wants told."""
        if not step.say or not self.task.outputs:
            return []
        literals = find_literals(step.say, self.spec.lexicon)
        return [(one, out) for one in literals for out in self.task.outputs if _is(one, out)]

    def undecided(self) -> int:
        """How many steps can be played before the first without which the task cannot pass."""
        steps = self.task.reference
        writes = self.writes()
        if writes:
            return writes[0]
        told = [at for at, step in enumerate(steps) if self.said_outputs(step)]
        return told[0] if told else len(steps) - 1


Mistake = Callable[[Ground, random.Random], Steps | None]


def drops_write(ground: Ground, rng: random.Random) -> Steps | None:
    """Leaves out one write and goes on as if it had been done."""
    writes = ground.writes()
    if not writes:
        return None
    at = rng.choice(writes)
    return (*ground.task.reference[:at], *ground.task.reference[at + 1 :])


def wrong_value(ground: Ground, rng: random.Random) -> Steps | None:
    """Writes to the right record with one wrong value."""
    found: list[tuple[int, dict[str, Any]]] = []
    for at in ground.writes():
        step = ground.task.reference[at]
        tool = ground.spec.tools[step.call]
        for name, value in step.arguments.items():
            if name not in tool.identifies:
                schema = tool.parameters["properties"].get(name, {})
                others = [one.arguments.get(name) for one in ground.same_calls(step)]
                wrong = [one for one in schema.get("enum", others) if one not in (value, None, "")]
                if wrong:
                    found.append((at, {**step.arguments, name: rng.choice(wrong)}))
    if not found:
        return None
    at, arguments = rng.choice(found)
    return _with_arguments(ground.task.reference, at, arguments)


def wrong_record(ground: Ground, rng: random.Random) -> Steps | None:
    """Does the write on the record of another customer."""
    steps = ground.task.reference
    found = [(at, other) for at in ground.writes() for other in ground.same_calls(steps[at])]
    if not found:
        return None
    at, other = rng.choice(found)
    return _with_arguments(steps, at, dict(other.arguments))


def makes_extra_write(ground: Ground, rng: random.Random) -> Steps | None:
    """Does all that is right, and one more write on another record."""
    others = list(ground.others)
    rng.shuffle(others)
    extra = extra_write(ground.task, others)
    return None if extra is None else with_extra_write(ground.task.reference, extra)


def asks_nothing(ground: Ground, rng: random.Random) -> Steps | None:
    """Does the right writes without asking for a yes."""
    del rng
    return without_questions(ground.task.reference) if asks_for_yes(ground.task) else None


def tells_wrong_fact(ground: Ground, rng: random.Random) -> Steps | None:
    """Does all that is right, and tells one fact wrongly wherever it is told."""
    steps = ground.task.reference
    told = [out for step in steps for _, out in ground.said_outputs(step)]
    if not told:
        return None
    chosen = rng.choice(told)
    return tuple(_misstated(ground, step, chosen) for step in steps)


def stops_early(ground: Ground, rng: random.Random) -> Steps | None:
    """Ends the conversation before anything is decided."""
    last = ground.undecided()
    return ground.task.reference[: rng.randint(1, last)] if last >= 1 else None


def claims_only(ground: Ground, rng: random.Random) -> Steps | None:
    """Looks things up, then says that all is done, and has done nothing."""
    del rng
    return (*ground.task.reference[: ground.undecided()], Step(say=CLAIM))


MISTAKES: dict[str, Mistake] = {
    "drops-write": drops_write,
    "wrong-value": wrong_value,
    "wrong-record": wrong_record,
    "extra-write": makes_extra_write,
    "no-question": asks_nothing,
    "wrong-fact": tells_wrong_fact,
    "stops-early": stops_early,
    "claims-only": claims_only,
}
"""Every mistake by name; what it does stands in its docstring."""


def possible(ground: Ground) -> tuple[str, ...]:
    """Names of the mistakes that a task offers, in the order of `MISTAKES`."""
    offered = {name: make(ground, random.Random(0)) for name, make in MISTAKES.items()}
    return tuple(name for name, steps in offered.items() if steps is not None)


def _with_arguments(steps: Sequence[Step], at: int, arguments: dict[str, Any]) -> Steps:
    changed = steps[at].model_copy(update={"arguments": arguments})
    return (*steps[:at], changed, *steps[at + 1 :])


def _is(literal: Literal, output: Output) -> bool:
    """Whether a value in a text is the wanted fact, in the spelling of `find_literals`."""
    if output.kind == "word":
        same_kind = literal.slot == output.slot
    elif output.kind == "id":
        same_kind = literal.kind in ("id", "number", "zip")
    else:
        same_kind = literal.kind in (output.kind, "number")
    return same_kind and str(literal.value) == str(output.value)


def _misstated(ground: Ground, step: Step, chosen: Output) -> Step:
    """The message with the chosen fact replaced by a wrong one, from the back to the front."""
    text = step.say
    for literal, output in reversed(ground.said_outputs(step)):
        if output == chosen:
            wrong = _wrong(ground.spec, output)
            text = text[: literal.start] + wrong + text[literal.end :]
    return step.model_copy(update={"say": text})


def _wrong(spec: DomainSpec, output: Output) -> str:
    """A wrong value of the same kind, as it would be written."""
    value = output.value
    if output.kind == "money":
        return f"${(int(value) + 1000) / 100:,.2f}"
    if output.kind == "number":
        return str(Decimal(str(value)) + 1)
    if output.kind == "date":
        return (datetime.date.fromisoformat(str(value)) + datetime.timedelta(days=9)).isoformat()
    if output.kind == "id":
        return str(value)[:-1] + ("7" if str(value)[-1] != "7" else "3")
    others = (word for word in spec.lexicon.slots[output.slot].words if word != value)
    return next(others, "something else")
