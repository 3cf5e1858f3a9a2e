"""State: the outcome is exactly one of the goals, outside free columns; nothing else changed."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from tau_env.errors import BadArgument
from tau_env.graders.compare import (
    GONE,
    Cell,
    Change,
    Difference,
    compare,
    compare_patches,
    same,
)
from tau_env.schema import DomainSpec, Evidence, Grade, Outcome, Patch, Task, Transcript


def state_difference(task: Task, outcome: Outcome, spec: DomainSpec) -> Difference:
    """How the outcome differs from the nearest goal."""
    free = (*spec.free, *task.free)
    found = [compare_patches(outcome.patch, goal, free=free, spec=spec) for goal in task.goals]
    return min(found, key=len)


def grade_world(task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec) -> Grade:
    """The state grader.

    Returns:
        A grade ``state`` whose evidence names every missing, extra and wrong cell against the
        nearest goal; scores ``missing_effect``, ``extra_effect`` and ``wrong_value`` count them.
    """
    del transcript  # the world alone decides
    found = state_difference(task, outcome, spec)
    return Grade(
        grader="state",
        passed=not len(found),
        evidence=tuple(Evidence(text=text) for text in describe(found)),
        scores={
            "missing_effect": len(found.missing),
            "extra_effect": len(found.extra),
            "wrong_value": len(found.wrong),
        },
    )


def describe(found: Difference) -> list[str]:
    """A difference in words, one line a cell."""
    return [
        *(f"missing: {_place(cell)} should be {cell.wanted!r}" for cell in found.missing),
        *(
            f"wrong: {_place(cell)} is {cell.actual!r}, should be {cell.wanted!r}"
            for cell in found.wrong
        ),
        *(f"extra: {_place(cell)} became {cell.actual!r}" for cell in found.extra),
    ]


def _place(cell: Cell) -> str:
    place = str(cell.row)
    if isinstance(cell.row, tuple):
        table, key = cell.row
        place = " ".join([table, *(f"{value}" for _, value in key)])
    return f"{place} {cell.column}" if cell.column else place


def write_gate(
    patch: Patch,
    allowed: Sequence[Patch],
    *,
    free: Sequence[str] = (),
    spec: DomainSpec | None = None,
) -> bool:
    """Whether a change may be committed: it equals one of the allowed patches.

    The same comparison that grades a trial can guard a production write.

    Args:
        patch: what would be committed.
        allowed: the alternatives.
        free: ``"table.column"`` that may hold anything.
        spec: for generated keys.
    """
    return any(not len(compare_patches(patch, one, free=free, spec=spec)) for one in allowed)


Records = Mapping[str, Mapping[str, Any]]


def grade_state(
    initial: Records,
    final: Records | None,
    goal: Mapping[str, Mapping[str, Any] | None],
    ignore: Iterable[str] = (),
    required_outputs: Iterable[Any] = (),
    messages: Iterable[str] = (),
) -> bool:
    """Whether `final` is `initial` overlaid with `goal`, nothing else, and all was said.

    The seed's plain function over dicts of records (record -> field -> value).

    Args:
        initial: the records at the start; not modified.
        final: the records at the end; None fails.
        goal: record -> fields to set; a record absent at the start is to be created, one with the
            goal None is to be deleted.
        ignore: field names exempt in every record.
        required_outputs: each must occur in the messages, as a word or number of its own (54.04
            does not occur in 154.04).
        messages: what the agent said.

    Raises:
        BadArgument: a goal field that is also ignored.
    """
    exempt = frozenset(ignore)
    for record, fields in goal.items():
        both = sorted(exempt & set(fields or ()))
        if both:
            raise BadArgument(f"goal field {record}.{both[0]} is also ignored; choose one")
    if final is None:
        return False
    target: dict[str, Mapping[str, Any] | None] = dict(initial)
    for record, fields in goal.items():
        target[record] = None if fields is None else {**initial.get(record, {}), **fields}
    told = "\n".join(messages)
    return not len(
        compare(_changes(initial, final, exempt), _changes(initial, target, exempt))
    ) and all(_occurs(str(output), told) for output in required_outputs)


def _changes(
    before: Records, after: Mapping[str, Mapping[str, Any] | None], exempt: frozenset[str]
) -> dict[Hashable, Change]:
    found: dict[Hashable, Change] = {}
    for record in {**before, **after}:
        old, new = before.get(record), after.get(record)
        if new is None:
            if old is not None:
                found[record] = Change("delete", {})
        elif old is None:
            found[record] = Change("insert", {k: v for k, v in new.items() if k not in exempt})
        else:
            fields = {
                name: new.get(name, GONE)
                for name in {**old, **new}
                if name not in exempt
                and not (name in old and name in new and same(old[name], new[name]))
            }
            if fields:
                found[record] = Change("update", fields)
    return found


def _occurs(output: str, told: str) -> bool:
    return re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(output)}(?!\w|[.,]\d)", told) is not None
