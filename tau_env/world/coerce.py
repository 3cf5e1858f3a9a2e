"""Arguments of tools: one rule of coercion for every tool, and the JSON that they arrive in.

The rule: a text must be a text; an integer may come as ``3``, ``3.0`` or ``"3"``; money in dollars
as ``12.5``, ``12`` or ``"12.50"`` with at most two decimals, and becomes integer cents; true and
false are no numbers; a closed word must be spelt as in the schema. NaN, infinities, integers beyond
64 bits, lone surrogates, duplicate keys, deep or long input are refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, PlainSerializer, Strict, WithJsonSchema

MAX_LENGTH = 100_000
MAX_DEPTH = 32
MAX_TEXT = 10_000
_INTEGER = re.compile(r"[+-]?\d{1,19}(\.0+)?")
_MONEY = re.compile(r"[+-]?\d{1,15}(\.\d{1,2}0*)?")


class Malformed(ValueError):
    """Arguments that are not one bounded JSON object; the message says why."""


def _text(value: str) -> str:
    if len(value) > MAX_TEXT:
        raise ValueError(f"is longer than {MAX_TEXT} characters")
    if "\x00" in value:
        raise ValueError("contains a NUL character")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"must be an integer, not {json_name(value)}")
    if isinstance(value, float):
        if not value.is_integer():
            raise ValueError(f"must be an integer, not {value!r}")
        value = int(value)
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value.strip()):
            raise ValueError(f"must be an integer, not {value!r}")
        value = int(value.strip().split(".")[0])
    if not -(2**63) <= value < 2**63:
        raise ValueError("does not fit into 64 bits")
    return int(value)


def to_cents(value: Any) -> int:
    """Dollars as an agent writes them, to integer cents, by decimal arithmetic.

    Args:
        value: an int, a float or a text such as ``"12.50"``; a leading ``$`` is no number.

    Raises:
        ValueError: not a number, more than two decimals, or out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"must be an amount in dollars, not {json_name(value)}")
    written = value.strip() if isinstance(value, str) else repr(value)
    try:
        amount = Decimal(written)
    except InvalidOperation:
        raise ValueError(f"must be an amount in dollars, not {value!r}") from None
    if isinstance(value, str) and not _MONEY.fullmatch(written):
        raise ValueError(f"must be an amount in dollars like 12.50, not {value!r}")
    if not amount.is_finite() or abs(amount) >= Decimal(10) ** 15:
        raise ValueError(f"is out of bounds: {value!r}")
    cents = amount * 100
    if cents != cents.to_integral_value():
        raise ValueError(f"has more than two decimals: {value!r}")
    return int(cents)


def dollars(cents: int) -> float:
    """Integer cents as the dollars that an agent reads; the JSON has at most two decimals."""
    return cents / 100


Text = Annotated[str, Strict(), AfterValidator(_text)]
Integer = Annotated[int, BeforeValidator(_integer), WithJsonSchema({"type": "integer"})]
Money = Annotated[
    int,
    BeforeValidator(to_cents),
    # A record of the call holds dollars again, so that it can be called again.
    PlainSerializer(dollars),
    WithJsonSchema({"type": "number"}),
]
Flag = Annotated[bool, Strict()]

PLAIN: dict[Any, Any] = {str: Text, int: Integer, bool: Flag}
"""What the plain annotations of tool parameters stand for; money is annotated `Money`."""


def json_name(value: Any) -> str:
    """What a person would call a JSON value: ``the number 3``, ``a list``, ``null``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value[:80]!r}"
    return "a list" if isinstance(value, list | tuple) else "an object"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Malformed(f"the key {twice!r} occurs twice")
    return found


def _no_constant(name: str) -> Any:
    raise Malformed(f"{name} is no JSON number")


def _finite(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise Malformed(f"{written[:20]} is beyond any JSON number")
    return value


# Made once: `json.dumps` and `json.loads` make a new one at every call with options.
to_json = json.JSONEncoder(ensure_ascii=False).encode
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)


def _depth(text: str) -> int:
    depth = deepest = 0
    inside = escaped = False
    for character in text:
        if inside:
            inside = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            inside = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def read_arguments(arguments: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Read a call's arguments, JSON text or an object, with all bounds checked.

    Returns:
        The JSON text as received and the object.

    Raises:
        Malformed: not one JSON object within the bounds.
    """
    if isinstance(arguments, str):
        text = arguments
    else:
        try:
            text = to_json(arguments)
        except (TypeError, ValueError, RecursionError) as error:
            raise Malformed(f"they are no JSON object ({error})") from None
    if len(text) > MAX_LENGTH:
        raise Malformed(f"they are longer than {MAX_LENGTH:,} characters")
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise Malformed(f"they are nested deeper than {MAX_DEPTH}")
    try:
        found = _DECODER.decode(text)
    except Malformed:
        raise
    except ValueError as error:
        raise Malformed(f"they are no valid JSON ({error})") from None
    if not isinstance(found, dict):
        raise Malformed(f"they must be a JSON object, not {json_name(found)}")
    if "\\u" in text or not text.isascii():
        _check_characters(found)
    return text, found


def _check_characters(found: dict[str, Any]) -> None:
    """Refuse half a surrogate pair, which no file can hold, wherever it stands."""
    try:
        to_json(found).encode("utf-8")
    except UnicodeEncodeError:
        raise Malformed("they contain a lone surrogate, which is no character") from None
