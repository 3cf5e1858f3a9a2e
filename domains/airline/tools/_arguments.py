"""Objects among the tools' arguments, closed words, and how a person or a date must be written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from datetime import date
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator

from tau_env.errors import Refused
from tau_env.schema.base import Frozen
from tau_env.world.coerce import Money, Text

# A record of the call holds what the records hold, so that graders compare like with like.
Trimmed = Annotated[Text, AfterValidator(str.strip)]
AirportCode = Annotated[Trimmed, AfterValidator(str.upper)]
Cabin = Literal["basic_economy", "economy", "business"]
TripType = Literal["one_way", "round_trip"]
YesNo = Literal["yes", "no"]
Person = tuple[str, str, str]
"""First name, last name, date of birth: passengers that agree in all three are one."""

Item = TypeVar("Item", bound=Hashable)

_DATE = re.compile(r"(19|2[0-9])[0-9]{2}-[0-9]{2}-[0-9]{2}")


class FlightDate(Frozen):
    """A flight on a date.

    Attributes:
        flight_number: The flight number, such as 'ABC123'.
        date: The date on which it leaves, such as '2025-06-20'.
    """

    flight_number: str
    date: str


class Passenger(Frozen):
    """A passenger.

    Attributes:
        first_name: The first name, such as 'Mara'.
        last_name: The last name, such as 'Lopez'.
        dob: The date of birth, such as '1990-04-05'.
    """

    first_name: Trimmed
    last_name: Trimmed
    dob: Trimmed


class Payment(Frozen):
    """What one payment method pays.

    Attributes:
        payment_id: The payment method's id from the customer's profile.
        amount: What it pays, in dollars, such as 250.00.
    """

    payment_id: str
    amount: Money


def checked_date(written: str, *, name: str) -> date:
    """A calendar date written like 2025-06-20, from 1900 on.

    Args:
        written: the text.
        name: of the argument, for the error.

    Raises:
        Refused: it is no such date.
    """
    try:
        if _DATE.fullmatch(written):
            return date.fromisoformat(written)
    except ValueError:
        pass
    raise Refused("", f"{name} must be a date like 2025-06-20, not {written[:40]!r}")


def checked_passengers(passengers: Sequence[Passenger], *, today: str) -> list[Person]:
    """The passengers as the records hold them.

    Args:
        passengers: as the agent wrote them.
        today: the date, ISO 8601; nobody is born later.

    Raises:
        Refused: a name is empty, a date of birth is none, or somebody stands twice.
    """
    people = [_checked_person(one, today=today) for one in passengers]
    twice = repeated(people)
    if twice:
        raise Refused("", f"passenger {' '.join(twice)} stands twice; name everybody once")
    return people


def _checked_person(passenger: Passenger, *, today: str) -> Person:
    first, last = passenger.first_name, passenger.last_name
    if not first or not last:
        raise Refused("", "a passenger needs a first name and a last name, and one is empty")
    born = checked_date(passenger.dob, name="dob")
    if born.isoformat() > today:
        raise Refused("", f"nobody who flies today is born on {born}; check the dob of {first}")
    return first, last, born.isoformat()


def repeated(values: Iterable[Item]) -> Item | None:
    """A value that occurs more than once; None if there is none."""
    return next((value for value, count in Counter(values).items() if count > 1), None)
