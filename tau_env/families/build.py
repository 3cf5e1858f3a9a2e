"""Building tasks: required calls, outputs, goals put together, the frame that all tasks share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tau_env.families.dialogue import C, Dialogue
from tau_env.schema import (
    CallPattern,
    Fact,
    Output,
    Path,
    Requirement,
    RowChange,
    Scenario,
    Task,
    Want,
    sort_patch,
)
from tau_env.schema.task import Kind

Slots = dict[str, str | tuple[str, ...]]
"""What a want holds, by slot name."""

TRANSFER = CallPattern(tool="transfer_to_human_agents")
"""To hand over; the tool has this name in every domain."""


def looked_up(tool: str, argument: str, values: Iterable[str]) -> tuple[Requirement, ...]:
    """The look-ups of records on which the policy decides.

    Args:
        tool: the tool that looks one up.
        argument: its argument.
        values: the records.
    """
    return tuple(must_call(f"look up {one}", tool, {argument: one}) for one in values)


def must_call(
    name: str, tool: str, arguments: Mapping[str, Any] | None = None, *, refused: bool = False
) -> Requirement:
    """A call that has to be made.

    Args:
        name: the requirement's name.
        tool: the tool.
        arguments: those that count.
        refused: whether the tool has to refuse it, such as a search that finds nobody.
    """
    pattern = CallPattern(tool=tool, arguments=dict(arguments or {}), refused=refused)
    return Requirement.model_validate({"as": name, "any": [pattern]})


def money(cents: int) -> Output:
    """An amount that must be told."""
    return Output(kind="money", value=abs(cents))


def word(slot: str, value: str) -> Output:
    """A word of the record that must be told."""
    return Output(kind="word", slot=slot, value=value)


def merged(rows: Iterable[RowChange]) -> Iterator[RowChange]:
    """Rows that several requests leave together: one update a row, the later value of a field."""
    updates: dict[str, RowChange] = {}
    for row in rows:
        if row.op != "update":
            yield row
            continue
        key = f"{row.table} {row.key}"
        fields = updates[key].fields | row.fields if key in updates else row.fields
        updates[key] = row.model_copy(update={"fields": fields})
    yield from updates.values()


def frame(
    kind: Kind,
    dialogue: Dialogue[C],
    *,
    opening: str,
    wants: Sequence[Want],
    instruction: str,
    facts: dict[str, Fact],
    goal: Iterable[RowChange] = (),
    outputs: Sequence[Output] = (),
    required: Sequence[Requirement] = (),
    forbidden: Sequence[CallPattern] | None = None,
    **more: Any,
) -> Task:
    """A task; `tau_env.family` gives it its id.

    Args:
        kind: fulfil, partial, refuse, transfer or inform.
        dialogue: the reference solution.
        opening: phrase of the first line.
        wants: what the customer wishes, in order.
        instruction: who the customer is and what they wish, in plain words.
        facts: what the customer knows.
        goal: the rows that a correct trial changes.
        outputs: what must be told.
        required: look-ups on which the policy decides.
        forbidden: calls that must not happen; handing over, where something is refused, when None.
        more: further fields of the task or, by the names of its fields, of the scenario.
    """
    scenario = {name: more.pop(name) for name in ("twists", "if_refused") if name in more}
    if forbidden is None:
        forbidden = (TRANSFER,) if kind in ("refuse", "partial") else ()
    return Task(
        id="unnamed",
        kind=kind,
        scenario=Scenario(
            customer=dialogue.customer.id,
            opening=opening,
            wants=tuple(wants),
            facts=facts,
            instruction=instruction,
            **scenario,
        ),
        goals=(sort_patch(goal),),
        outputs=tuple(outputs),
        path=Path(required=tuple(required), forbidden=tuple(forbidden)),
        reference=tuple(dialogue.steps),
        **more,
    )
