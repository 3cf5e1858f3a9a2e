"""The door of the formulas: each function checks one number and returns it in standard form.

Nothing is computed here. Every refusal names the argument, the value and the rule. Arrays of counts
and labels are checked in :mod:`tau_env.stats._arrays`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from tau_env.errors import BadArgument
from tau_env.stats._arrays import FloatArray as Floats
from tau_env.stats._arrays import shares

__all__ = ["Floats", "positive", "probabilities", "probability", "whole"]


def probability(name: str, value: float, *, below_one: bool = False) -> float:
    """A single number in [0, 1], or in [0, 1) with ``below_one``."""
    number = float(value)
    if not 0 <= number <= 1 or (below_one and number == 1):
        span = "[0, 1)" if below_one else "[0, 1]"
        raise BadArgument(f"{name} is {value!r}; it is a probability and must lie in {span}.")
    return number


def probabilities(name: str, values: ArrayLike) -> Floats:
    """A non-empty array of numbers in [0, 1], any shape (a scalar becomes one element)."""
    array = np.atleast_1d(shares(name, values))
    if array.size == 0:
        raise BadArgument(f"{name} is empty; give at least one probability.")
    return array


def whole(name: str, value: float, *, least: int = 0) -> int:
    """A whole number of at least ``least``; True and 2.5 are refused."""
    if isinstance(value, bool) or value != value or value in (math.inf, -math.inf):
        raise BadArgument(f"{name} is {value!r}; it must be a whole number of at least {least}.")
    number = int(value)
    if number != value or number < least:
        raise BadArgument(f"{name} is {value!r}; it must be a whole number of at least {least}.")
    return number


def positive(name: str, value: float, *, or_zero: bool = False) -> float:
    """A finite number above zero (or zero too, with ``or_zero``)."""
    number = float(value)
    if not math.isfinite(number) or number < 0 or (number == 0 and not or_zero):
        rule = "zero or more" if or_zero else "more than zero"
        raise BadArgument(f"{name} is {value!r}; it must be finite and {rule}.")
    return number
