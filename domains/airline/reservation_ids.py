"""How a number becomes a reservation id; seeded and new reservations never meet."""

from __future__ import annotations

import string

from tau_env.errors import BadArgument

LETTERS = string.ascii_uppercase
SYMBOLS = string.digits + string.ascii_uppercase
# A letter and a digit come first: no id is a word, a number or a flight number.
PLACES = (LETTERS, string.digits, SYMBOLS, SYMBOLS, SYMBOLS, SYMBOLS)
SPACE = 26 * 10 * 36**4
SEEDED = 200_000_000
"""Numbers below belong to the seeded company, numbers from here on to new reservations."""
# Prime to SPACE, so that multiplying permutes the numbers and neighbours look unlike.
STRIDE = 157_483_927


def reservation_id(number: int) -> str:
    """The id of the reservation with that number, another for every number below `SPACE`.

    Args:
        number: 0 up to `SPACE` - 1; a new reservation takes `SEEDED` plus its counter.

    Raises:
        BadArgument: a number out of these bounds.
    """
    if not 0 <= number < SPACE:
        raise BadArgument(f"reservation number {number} is out of bounds: choose 0 to {SPACE - 1}")
    rest = number * STRIDE % SPACE
    symbols = []
    for place in reversed(PLACES):
        rest, index = divmod(rest, len(place))
        symbols.append(place[index])
    return "".join(reversed(symbols))
