"""Which of several options that the agent lists is the one the customer has in mind.

It knows its own values, and what to make of "cheapest", "earliest" and "latest". Where that leaves
more than one option, it chooses none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tau_env.language.acts import read_agent
from tau_env.language.literals import find_literals
from tau_env.language.options import split_options
from tau_env.schema import Lexicon, Want
from tau_env.schema.domain import YES_OR_NO
from tau_env.users.agenda import values_of
from tau_env.users.values import names

_TIME = re.compile(
    r"(?<![\w:$])(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?::[0-9]{2})?"
    r"(?:\s?(?P<half>[AaPp])\.?[Mm]\b)?"
)
_SUM = re.compile(r"(?i)\b(?:total|altogether|in all|sum)\b")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the customer chooses.

    Attributes:
        number: the option's number, from 1; 0 where the options have none.
        slot: the slot of the id that only this option has; empty where it has a number only.
        value: that id.
    """

    number: int
    slot: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class _Option:
    """An option: its text, the values in it by slot, its number."""

    text: str
    ids: tuple[tuple[str, str], ...]
    number: int


def choose(text: str, lexicon: Lexicon, want: Want) -> Choice | None:
    """The option of a message that a want means; None if none does, or several do.

    Args:
        text: the agent's message.
        lexicon: the domain's words.
        want: what the customer wishes.
    """
    options = _options(text, lexicon)
    if len(options) < 2:
        return None
    fitting = _best(options, lambda one: -_named(one.text, lexicon, want))
    if len(fitting) > 1:
        rank = next((_RANKS[value] for value in _words(want) if value in _RANKS), None)
        fitting = _ranked(fitting, rank, lexicon, want) if rank else []
    if len(fitting) != 1:
        return None
    (found,) = fitting
    own = [
        one for one in found.ids if all(one not in other.ids for other in options if other != found)
    ]
    if len(own) == 1 and len(found.ids) == 1:
        return Choice(found.number, *own[0])
    return Choice(found.number) if found.number else None


def _options(text: str, lexicon: Lexicon) -> list[_Option]:
    """Numbered options, or the parts of a list that each begin with an id of one kind."""
    parts = split_options(text).each
    if len(parts) > 1:
        return [
            _Option(part, _ids(part, lexicon), number) for number, part in enumerate(parts, start=1)
        ]
    starts: dict[str, int] = {}
    for one in find_literals(text, lexicon):
        if one.kind == "id" and lexicon.slots[one.slot].role == "detail":
            starts.setdefault(str(one.value), one.start)
    bounds = [*sorted(starts.values()), len(text)]
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    return [_Option(piece, _ids(piece, lexicon), 0) for piece in pieces]


def _ids(text: str, lexicon: Lexicon) -> tuple[tuple[str, str], ...]:
    found = (
        (one.slot, str(one.value))
        for one in find_literals(text, lexicon)
        if one.kind == "id" and lexicon.slots[one.slot].role == "detail"
    )
    return tuple(dict.fromkeys(found))


def _named(text: str, lexicon: Lexicon, want: Want) -> int:
    """How many of the customer's values an option names."""
    reading = read_agent(text, lexicon)
    slots = [name for name in want.slots if name in lexicon.slots]
    return sum(
        any(names(lexicon, reading, name, value) for value in values_of(want, name))
        for name in slots
        if lexicon.slots[name].kind in ("id", "date", "word")
        and YES_OR_NO.isdisjoint(lexicon.slots[name].words)
    )


def _words(want: Want) -> list[str]:
    return [value for name in want.slots for value in values_of(want, name)]


def _best(options: Sequence[_Option], key: Callable[[_Option], float]) -> list[_Option]:
    """The options with the lowest key."""
    lowest = min(key(one) for one in options)
    return [one for one in options if key(one) == lowest]


Rank = Callable[[str, Lexicon, Want], float | None]


def _ranked(options: list[_Option], rank: Rank, lexicon: Lexicon, want: Want) -> list[_Option]:
    """The options that come first; none where one of them cannot be ranked."""
    ranks = {one: rank(one.text, lexicon, want) for one in options}
    if any(value is None for value in ranks.values()):
        return []
    return _best(options, lambda one: ranks[one] or 0.0)


def _price(text: str, lexicon: Lexicon, want: Want) -> float | None:
    """What an option costs, in cents: its sum, the price of the wanted kind, or all prices."""
    found = find_literals(text, lexicon)
    prices = [(one.start, int(one.value)) for one in found if one.kind == "money"]
    total = _SUM.search(text)
    behind = [cents for start, cents in prices if total and start > total.start()]
    if behind:
        return behind[0]
    wished = [
        one.end
        for one in found
        if one.kind == "word"
        and any(_means(lexicon, one.slot, one.text, value) for value in values_of(want, one.slot))
    ]
    near = [next((cents for start, cents in prices if start >= end), None) for end in wished]
    if len(prices) > 1 and near and None not in near:
        return sum(cents for cents in near if cents is not None)
    return sum(cents for _, cents in prices) if prices else None


def _means(lexicon: Lexicon, name: str, text: str, value: str) -> bool:
    """Whether a word of a message is the customer's value."""
    return names(lexicon, read_agent(text, lexicon), name, value)


def _departure(text: str, lexicon: Lexicon, want: Want) -> float | None:
    """The first time of day in an option, in minutes."""
    for match in _TIME.finditer(text):
        if match["minute"] or match["half"]:
            hour = int(match["hour"]) % (12 if match["half"] else 24)
            hour += 12 if (match["half"] or "").lower() == "p" else 0
            return hour * 60 + int(match["minute"] or 0)
    return None


def _departure_back(text: str, lexicon: Lexicon, want: Want) -> float | None:
    found = _departure(text, lexicon, want)
    return None if found is None else -found


_RANKS: dict[str, Rank] = {
    "cheapest": _price,
    "earliest": _departure,
    "latest": _departure_back,
}
"""What the customer may prefer, and what puts an option before others then."""
