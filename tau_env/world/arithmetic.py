"""Arithmetic for tools: a bounded calculator over decimals that evaluates no code.

The grammar: numbers, ``+ - * /``, a leading sign and parentheses. Everything is bounded: length,
digits, nesting, size of every intermediate result.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

MAX_LENGTH = 500
MAX_DEPTH = 30
LARGEST = Decimal(10) ** 15
_TOKEN = re.compile(r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))|(?P<sign>[-+*/()]))")
_CONTEXT = Context(prec=60)


class BadExpression(ValueError):
    """An expression that is not plain arithmetic within the bounds; the message says why."""


def evaluate(expression: str) -> Decimal:
    """The value of an arithmetic expression, exact but for division (60 digits).

    Args:
        expression: for example ``"2 * (19.99 + 5)"``; no thousands separators, no ``$``.

    Raises:
        BadExpression: anything else than bounded arithmetic, or a division by zero.
    """
    if len(expression) > MAX_LENGTH:
        raise BadExpression(f"it is longer than {MAX_LENGTH} characters")
    with localcontext(_CONTEXT):
        reader = _Reader(_tokens(expression))
        value = reader.sum(depth=0)
        if reader.next:
            raise BadExpression(f"{reader.next!r} does not belong there")
    return value


def two_decimals(value: Decimal) -> str:
    """A value rounded half up to two decimals, without trailing zeros: ``41.92``, ``12.5``, ``3``.

    Args:
        value: below `LARGEST` in size.
    """
    rounded = value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP, context=_CONTEXT)
    text = format(rounded, "f").rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _tokens(expression: str) -> list[str]:
    tokens, position, text = [], 0, expression.rstrip()
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            rest = text[position:].lstrip()[:10]
            raise BadExpression(f"only numbers, + - * / and parentheses are read, not {rest!r}")
        tokens.append(found.group().strip())
        position = found.end()
    return tokens


class _Reader:
    """Recursive descent over the tokens; depth counts parentheses and signs."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0

    @property
    def next(self) -> str:
        done = self._position >= len(self._tokens)
        return "" if done else self._tokens[self._position]

    def take(self) -> str:
        token = self.next
        self._position += 1
        return token

    def sum(self, *, depth: int) -> Decimal:
        value = self.product(depth=depth)
        while self.next and self.next in "+-":
            if self.take() == "+":
                value = _bounded(value + self.product(depth=depth))
            else:
                value = _bounded(value - self.product(depth=depth))
        return value

    def product(self, *, depth: int) -> Decimal:
        value = self.factor(depth=depth)
        while self.next and self.next in "*/":
            if self.take() == "*":
                value = _bounded(value * self.factor(depth=depth))
                continue
            divisor = self.factor(depth=depth)
            if not divisor:
                raise BadExpression("it divides by zero")
            value = _bounded(value / divisor)
        return value

    def factor(self, *, depth: int) -> Decimal:
        if depth > MAX_DEPTH:
            raise BadExpression(f"it is nested deeper than {MAX_DEPTH}")
        token = self.take()
        if token in ("+", "-"):
            value = self.factor(depth=depth + 1)
            return -value if token == "-" else value
        if token == "(":
            value = self.sum(depth=depth + 1)
            if self.take() != ")":
                raise BadExpression("a parenthesis is not closed")
            return value
        if not token or token in "*/)":
            where = f"before {token!r}" if token else "at the end"
            raise BadExpression(f"a number is missing {where}")
        return _bounded(Decimal(token))


def _bounded(value: Decimal) -> Decimal:
    if abs(value) > LARGEST:
        raise BadExpression("a number in it is too large")
    return value
