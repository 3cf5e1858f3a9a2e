"""A call cut into single values, and the amounts at a path into its arguments or result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tau_env.graders._facts import parsed
from tau_env.schema import Call


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a call: the name of its argument or field, and whether it stands in a list."""

    key: str
    value: Any
    top: bool
    many: bool


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
