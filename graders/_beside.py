"""Which dates and amounts stand beside a name or an id: what belongs together in a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tau_env.language.literals import find_literals
from tau_env.schema import Lexicon

_PIECES = re.compile(r",(?!\d)|;|\n|\b(?:and|plus|then)\b")


def dates_beside(
    lines: Iterable[str], anchor: str, others: Iterable[str], lexicon: Lexicon
) -> frozenset[str]:
    """The dates that belong to a name or id.

    In each line these are the dates behind it, up to the next of the others; where there are none,
    those before all of them ("on 3 May: A1 and A2").

    Args:
        lines: sentences and list items.
        anchor: the name or id.
        others: names or ids of the same kind.
        lexicon: the domain's words.

    Returns:
        ISO dates, ``--07-04`` where no year was given.
    """
    found: set[str] = set()
    for line in lines:
        own = _places(line, (anchor,))
        if not own:
            continue
        marks = sorted({*own, *_places(line, tuple(others))})
        dates = [
            (one.start, str(one.value))
            for one in find_literals(line, lexicon)
            if one.kind == "date"
        ]
        before = {value for start, value in dates if start < marks[0]}
        for place in own:
            end = min((mark for mark in marks if mark > place), default=len(line))
            found |= {value for start, value in dates if place < start < end} or before
    return frozenset(found)


def _places(line: str, names: Sequence[str]) -> list[int]:
    """Where any of these names begins in a line, whatever the case."""
    return [
        match.start()
        for name in names
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", line, re.IGNORECASE)
    ]


def pieces(lines: Iterable[str]) -> list[str]:
    """Sentences cut at commas and at "and"."""
    return [piece for line in lines for piece in _PIECES.split(line) if piece.strip()]


def same_day(one: str, other: str) -> bool:
    """Whether two dates are one; without a year it is that day of any year."""
    if one.startswith("--") or other.startswith("--"):
        return one[-5:] == other[-5:]
    return one == other
