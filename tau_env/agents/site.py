"""What edits of a reference stand on: the task, and a scratch world in which calls are tried.

The scratch world is the company as the task finds it. It is never an episode's: nothing that is
tried here happens in a trial.
"""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tau_env.agents.edits import without_guards
from tau_env.agents.mistakes import Ground, Steps
from tau_env.language.literals import find_literals
from tau_env.schema import Call, CallPattern, Patch, Step, Task
from tau_env.world.company import Domain
from tau_env.world.database import World

MOST_READS = 12
"""Records of one kind that are looked at to learn what a customer has."""


@dataclass(frozen=True)
class Edited:
    """What an edit makes of a task.

    Attributes:
        task: the task that is played; another customer or goal where the edit needs one.
        steps: what the agent does.
        must: positions of calls that have to go through: where one of them is refused, or the
            conversation ends before it, the edit did not happen and the trial says nothing.
        note: what was done, in a few words.
    """

    task: Task
    steps: Steps
    must: tuple[int, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Site(Ground):
    """A task with its domain, whose tools can be tried.

    Attributes:
        domain: the domain.
        world: a scratch world of the domain, for nobody else while an edit is made.
    """

    domain: Domain = field(kw_only=True)
    world: World = field(kw_only=True)

    @property
    def steps(self) -> Steps:
        """The reference."""
        return self.task.reference

    def tried(self, *steps: Step) -> list[Call]:
        """What the calls among some steps give, one after the other, in the task's own world."""
        self.world.begin(self.task.setup)
        return self._calls(steps)

    def left(self, *steps: Step) -> Patch | None:
        """What the calls among some steps leave; None if one of them is refused."""
        self.world.begin(self.task.setup)
        made = self._calls(steps)
        return None if any(call.error for call in made) else self.world.outcome()

    def _calls(self, steps: Sequence[Step]) -> list[Call]:
        return [
            self.domain.toolbox.call(self.world, step.call, step.arguments)
            for step in steps
            if step.call
        ]

    def is_read(self, step: Step) -> bool:
        """Whether a step looks something up that does not identify the customer."""
        tool = self.spec.tools.get(step.call)
        return tool is not None and tool.kind == "read" and tool.name not in self.spec.identity

    def identifies(self, step: Step) -> bool:
        """Whether a step is a call that finds the customer."""
        if step.call not in self.spec.identity:
            return False
        call = self.tried(step)[0]
        return self.task.scenario.customer in (call.result.strip(), *call.subjects)

    @cached_property
    def identity_at(self) -> int | None:
        """The position of the call that finds the customer; None if the reference has none."""
        found = (at for at, step in enumerate(self.steps) if self.identifies(step))
        return next(found, None)

    @cached_property
    def last_say(self) -> int | None:
        """The position of the last message."""
        return max((at for at, step in enumerate(self.steps) if step.say), default=None)

    def transfers(self, step: Step) -> bool:
        """Whether a step hands the customer over."""
        tool = self.spec.tools.get(step.call)
        return tool is not None and "transfer" in tool.verbs

    def meets(self, step: Step, pattern: CallPattern) -> bool:
        """Whether a call is what a pattern of the path speaks of."""
        return step.call == pattern.tool and all(
            step.arguments.get(name) == value for name, value in pattern.arguments.items()
        )

    def required_reads(self) -> list[tuple[str, set[int]]]:
        """Look-ups that the path requires: name, and positions of the steps that satisfy it."""
        found = []
        for requirement in self.task.path.required:
            places = {
                at
                for at, step in enumerate(self.steps)
                if self.is_read(step) and any(self.meets(step, one) for one in requirement.any)
            }
            if places:
                found.append((requirement.name, places))
        return found

    @cached_property
    def own_reads(self) -> tuple[tuple[Step, Call], ...]:
        """Look-ups of the customer's own records and of the catalogue, with what they give."""
        known = self._slots_in(self.task.scenario.customer)
        found: dict[str, tuple[Step, Call]] = {}
        for _ in range(3):
            before = len(found)
            for step in self._reads_of(known):
                key = f"{step.call} {json.dumps(step.arguments, sort_keys=True)}"
                if key in found:
                    continue
                call = self.tried(step)[0]
                if call.error or call.result.strip() == self.task.scenario.customer:
                    continue
                if set(call.subjects) <= {self.task.scenario.customer}:
                    found[key] = (step, call)
                    for slot, values in self._slots_in(call.result).items():
                        known[slot] = list(dict.fromkeys([*known.get(slot, []), *values]))
            if len(found) == before:
                break
        return tuple(found.values())

    def _reads_of(self, known: Mapping[str, Sequence[str]]) -> Iterator[Step]:
        for tool in self.spec.tools.values():
            if tool.kind != "read":
                continue
            names = tool.parameters["required"]
            if not names:
                yield Step(call=tool.name)
            elif len(names) == 1:
                for value in list(known.get(names[0], ()))[:MOST_READS]:
                    yield Step(call=tool.name, arguments={names[0]: value})

    def _slots_in(self, text: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one in find_literals(text, self.spec.lexicon):
            if one.kind == "id":
                found.setdefault(one.slot, []).append(str(one.value))
        # Ids of one shape may be any of the slots that have it.
        for name, slot in self.spec.lexicon.slots.items():
            for other, values in list(found.items()):
                if slot.pattern and slot.pattern == self.spec.lexicon.slots[other].pattern:
                    found.setdefault(name, values)
        return found

    def own_values(self, slot: str) -> list[str]:
        """Ids of a slot that stand in the customer's own records."""
        values = [
            value
            for _, call in self.own_reads
            if call.subjects
            for value in self._slots_in(call.result).get(slot, ())
        ]
        return list(dict.fromkeys(values))

    @cached_property
    def foreign_reads(self) -> tuple[tuple[Step, Call], ...]:
        """Look-ups of other customers' records, by their number, as other tasks make them."""
        found: dict[str, tuple[Step, Call]] = {}
        for other in self.others:
            if len(found) >= 3:
                break
            if other.scenario.customer == self.task.scenario.customer or other.setup:
                continue
            for step in other.reference:
                if not self.is_read(step) or not self._by_record(step):
                    continue
                call = self.tried(step)[0]
                if call.error is None and call.subjects == (other.scenario.customer,):
                    found.setdefault(other.scenario.customer, (step, call))
        return tuple(found.values())

    def _by_record(self, step: Step) -> bool:
        slots = self.spec.lexicon.slots
        return any(name in slots and slots[name].role == "record" for name in step.arguments)

    def wrong_values(self, step: Step, name: str) -> list[Any]:
        """Other values for an argument of a call: of the closed list, the customer's own, others'.

        Args:
            step: the call.
            name: the argument.
        """
        value = step.arguments[name]
        schema = self.spec.tools[step.call].parameters["properties"].get(name, {})
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            return list(self._wrong_objects(step, name))
        if isinstance(value, list):
            own = [one for one in self.own_values(name) if one not in value]
            foreign = [one.arguments[name] for one in self.same_calls(step)]
            found: list[Any] = [[one, *value[1:]] for one in own[:1]]
            found += [one for one in foreign[:1] if one != value]
            return found + ([value[:-1]] if len(value) > 1 else [])
        choices = [*schema.get("enum", ()), *self.own_values(name)]
        choices += [one.arguments.get(name) for one in self.same_calls(step)]
        found = list(dict.fromkeys(one for one in choices if one not in (value, None)))
        return (found or [another(value)])[:2]

    def _wrong_objects(self, step: Step, name: str) -> Iterator[list[Any]]:
        """Lists of objects with one value wrong, with one object less, with one twice."""
        value: list[dict[str, Any]] = step.arguments[name]
        for field_name, right in value[0].items():
            own = [one for one in self.own_values(field_name) if one != right]
            wrong = own[0] if own else another(right)
            yield [value[0] | {field_name: wrong}, *value[1:]]
        if len(value) > 1:
            yield value[:-1]
        yield [*value, value[-1]]

    def written_back(self, step: Step) -> Step | None:
        """The call that would put back what a write is about to change, if its tool can do that.

        It can where every value that the call sets stands, under the same name, in a look-up of
        the record.
        """
        tool = self.spec.tools[step.call]
        record = {name: step.arguments[name] for name in tool.identifies}
        values = [name for name in step.arguments if name not in record]
        if not record or not values:
            return None
        for other in self.spec.tools.values():
            if other.kind == "read" and set(other.parameters["required"]) == set(record):
                call = self.tried(Step(call=other.name, arguments=record))[0]
                for part in _objects(result_data(call.result)):
                    old = {name: _as_in(step.arguments[name], part.get(name)) for name in values}
                    if all(value is not None for value in old.values()):
                        back = step_with(step, {**record, **old})
                        return back if self.left(step, back) is not None else None
        return None

    def made(self, steps: Sequence[Step], *, must: Sequence[int] = (), note: str = "") -> Edited:
        """Steps that are played whatever the customer says."""
        return Edited(self.task, without_guards(steps), tuple(must), note)


Edit = Callable[[Site], Iterator[Edited]]
"""All that one kind of edit makes of a task; nothing where the kind does not apply."""


def step_with(step: Step, arguments: Mapping[str, Any]) -> Step:
    """A call with other arguments, and no guard."""
    return step.model_copy(update={"arguments": dict(arguments), "after": ""})


def without(steps: Sequence[Step], places: set[int]) -> Steps:
    """The steps without some of them."""
    return tuple(step for at, step in enumerate(steps) if at not in places)


def put(steps: Sequence[Step], at: int, *more: Step) -> Steps:
    """The steps with further ones before position `at`."""
    return (*steps[:at], *more, *steps[at:])


def replaced(steps: Sequence[Step], at: int, *instead: Step) -> Steps:
    """The steps with others in the place of one."""
    return (*steps[:at], *instead, *steps[at + 1 :])


def another(value: Any) -> Any:
    """Another value of the same kind: the next number, the next day, longer text."""
    if isinstance(value, int | float):
        return value + 1
    with contextlib.suppress(ValueError):
        return (datetime.date.fromisoformat(value) + datetime.timedelta(days=1)).isoformat()
    return f"{value} 2"


def _as_in(argument: Any, shown: Any) -> Any:
    """What a look-up shows of a value, in the shape of an argument; None if it does not fit."""
    if isinstance(argument, list) and isinstance(shown, list) and argument and shown:
        names = list(argument[0]) if isinstance(argument[0], dict) else []
        if names and all(isinstance(one, dict) and set(names) <= set(one) for one in shown):
            return [{name: one[name] for name in names} for one in shown]
        return None
    return shown if isinstance(shown, str | int) else None


def result_data(result: str) -> Any:
    """A result as JSON, or the text itself where it is none."""
    try:
        return json.loads(result)
    except ValueError:
        return result


def _objects(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        yield data
        for value in data.values():
            yield from _objects(value)
    elif isinstance(data, list):
        for value in data:
            yield from _objects(value)
