"""A call cut into single values, and the amounts at a path into its arguments or result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tau_env.graders._facts import parsed
from tau_env.schema import Call

Fields = dict[str, Any]
"""Single values by the name of their field."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a call: the name of its argument or field, and whether it stands in a list."""

    key: str
    value: Any
    top: bool
    many: bool

    @property
    def in_entry(self) -> bool:
        """Whether it is a field of an object in a list: of a flight, of a passenger."""
        return self.many and not self.top


def leaves(value: Any, key: str = "", *, top: bool = True, many: bool = False) -> Iterator[Leaf]:
    """The single values of a call's arguments."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, name, top=top and not key, many=many)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner, key, top=top and not isinstance(inner, dict), many=True)
    else:
        yield Leaf(key, value, top, many)


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """An object in a list argument: a flight, a passenger, a payment.

    Attributes:
        argument: the name of the list.
        fields: its values.
        old: the entry of the record that it keeps or takes the place of; empty if there is none.
    """

    argument: str
    fields: Fields
    old: Fields

    @property
    def is_kept(self) -> bool:
        """Whether the record has it already."""
        return self.fields.items() <= self.old.items()


def entries_of(arguments: Fields, record: Mapping[str, Any]) -> list[Entry]:
    """The objects in the list arguments of a call, each with what the record has in its place.

    Args:
        arguments: of the call.
        record: the record that the call changes, as it was shown last; empty if there is none.
    """
    found: list[Entry] = []
    for name, value in arguments.items():
        if isinstance(value, list):
            given = [_single_fields(one) for one in value if isinstance(one, dict)]
            shown = record.get(name)
            listed = shown if isinstance(shown, list) else []
            old = [_single_fields(one) for one in listed if isinstance(one, dict)]
            kept = [one for one in given if any(one.items() <= other.items() for other in old)]
            free = [one for one in old if not any(new.items() <= one.items() for new in kept)]
            found += [
                Entry(name, one, _most_alike(one, old if one in kept else free)) for one in given
            ]
    return found


def _single_fields(one: Fields) -> Fields:
    return {name: value for name, value in one.items() if isinstance(value, str | int | float)}


def _most_alike(one: Fields, others: list[Fields]) -> Fields:
    """The entry with most of these values; empty if none has any."""
    best = max(others, key=lambda other: len(one.items() & other.items()), default={})
    return best if one.items() & best.items() else {}


def amounts_at(path: str, call: Call) -> list[int]:
    """Amounts at a path into a call's arguments or result, in cents."""
    root, *steps = path.split(".")
    values = [call.arguments if root == "arguments" else parsed(call.result)]
    for step in steps:
        values = [inner for value in values for inner in _step(value, step)]
    return [
        round(value * 100)
        for value in values
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


def _step(value: Any, step: str) -> list[Any]:
    if step == "*":
        inner = value.values() if isinstance(value, dict) else value
        return list(inner) if isinstance(value, dict | list) else []
    return [value[step]] if isinstance(value, dict) and step in value else []
