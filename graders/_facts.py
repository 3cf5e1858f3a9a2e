"""What graders know of a spec or a result text, worked out once: caches by identity and by text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache, wraps
from typing import Any, TypeVar

from tau_env.schema import DomainSpec

T = TypeVar("T")

_DIGITS = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")


class _Same:
    """A spec as a dictionary key by identity; it holds the spec, so its id stays its own."""

    __slots__ = ("spec",)

    def __init__(self, spec: DomainSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.spec is self.spec


def per_spec(build: Callable[[DomainSpec], T]) -> Callable[[DomainSpec], T]:
    """Cache what is compiled from a spec (the last 16 specs, by identity)."""
    cached = lru_cache(maxsize=16)(lambda same: build(same.spec))

    @wraps(build)
    def compiled(spec: DomainSpec) -> T:
        return cached(_Same(spec))

    return compiled


@lru_cache(maxsize=8192)
def parsed(result: str) -> Any:
    """A result text as JSON, or the text itself where it is none; never change what it returns."""
    try:
        return json.loads(result)
    except ValueError:
        return result


def plain(number: Decimal) -> str:
    """A number as decimal text without sign and trailing zeros, as `Literal.value` has it."""
    text = format(abs(number), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


@lru_cache(maxsize=8192)
def numbers_in(text: str) -> frozenset[str]:
    """Every run of digits in a text as a plain number, wherever it stands; generous on purpose."""
    return frozenset(plain(Decimal(run.replace(",", ""))) for run in _DIGITS.findall(text))


@lru_cache(maxsize=8192)
def amounts_in(result: str) -> frozenset[Decimal]:
    """Numbers and sizes of a JSON result: what an agent may add, subtract and count."""
    found: set[Decimal] = set()
    stack = [parsed(result)]
    while stack:
        value = stack.pop()
        if isinstance(value, dict | list):
            found.add(Decimal(len(value)))
            stack += value.values() if isinstance(value, dict) else value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found.add(abs(Decimal(str(value))))
    return frozenset(found)
