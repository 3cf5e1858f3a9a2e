"""Flights on dates: finding them, whether they form a trip, taking and giving back their seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from tau_env.domains.airline.tools._arguments import FlightDate, repeated
from tau_env.errors import Refused
from tau_env.world.database import World

Key = tuple[str, str]
"""Flight number and date."""

_DEPARTURE = """
SELECT d.flight_number, d.date, d.status, f.origin, f.destination, f.departure, f.arrival,
  f.arrival_day
FROM departures d JOIN flights f USING (flight_number) WHERE d.flight_number = ? AND d.date = ?
"""
_SEATS = """
SELECT available, price_cents FROM seats WHERE flight_number = ? AND date = ? AND cabin = ?
"""
_MOVE_SEATS = """
UPDATE seats SET available = available - ? WHERE flight_number = ? AND date = ? AND cabin = ?
"""


@dataclass(frozen=True, slots=True)
class Leg:
    """A flight on a date; times are ISO 8601."""

    flight_number: str
    date: str
    origin: str
    destination: str
    status: str
    leaves: str
    arrives: str

    @property
    def key(self) -> Key:
        """Flight number and date."""
        return self.flight_number, self.date


def day_after(day: str, *, days: int = 1) -> str:
    """The date so many days later, ISO 8601."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def find_legs(world: World, flights: Sequence[FlightDate], *, rule: str) -> list[Leg]:
    """The flights asked for, in the order in which they leave.

    Args:
        world: the world.
        flights: as the agent wrote them.
        rule: the policy rule on what can be booked.

    Raises:
        Refused: there is none, one stands twice, or one does not exist.
    """
    if not flights:
        raise Refused(rule, "name at least one flight")
    twice = repeated((one.flight_number, one.date) for one in flights)
    if twice:
        raise Refused(rule, f"flight {twice[0][:40]} on {twice[1][:40]} stands twice")
    return sorted((_find_leg(world, one) for one in flights), key=lambda leg: leg.leaves)


def _find_leg(world: World, flight: FlightDate) -> Leg:
    row = world.row(_DEPARTURE, flight.flight_number, flight.date)
    if row is None:
        raise Refused(
            "",
            f"there is no flight {flight.flight_number[:40]!r} on {flight.date[:40]!r}; search for "
            "flights first, and write dates like 2025-06-20",
        )
    return Leg(
        flight_number=row["flight_number"],
        date=row["date"],
        origin=row["origin"],
        destination=row["destination"],
        status=row["status"],
        leaves=f"{row['date']}T{row['departure']}",
        arrives=f"{day_after(row['date'], days=row['arrival_day'])}T{row['arrival']}",
    )


def require_trip(
    legs: Sequence[Leg], *, origin: str, destination: str, flight_type: str, rule: str
) -> None:
    """Refuse flights that do not lead from the origin to the destination, and back if wanted.

    Each leaves where the one before arrives, and after it; the destination is reached once, and the
    origin is not seen in between.

    Args:
        legs: in the order in which they leave.
        origin: where the trip begins.
        destination: where it goes.
        flight_type: ``one_way`` or ``round_trip``.
        rule: the policy rule on what the trip must be.

    Raises:
        Refused: with the place where it breaks.
    """
    for before, after in pairwise(legs):
        if after.origin != before.destination or after.leaves <= before.arrives:
            raise Refused(
                rule,
                f"flight {after.flight_number} leaves {after.origin} at {after.leaves}, but flight "
                f"{before.flight_number} arrives in {before.destination} at {before.arrives}: "
                "every flight leaves where the one before has arrived, and later",
            )
    places = [legs[0].origin, *(leg.destination for leg in legs)]
    end = origin if flight_type == "round_trip" else destination
    fits = places[0] == origin and places[-1] == end and places.count(destination) == 1
    if not fits or origin in places[1:-1]:
        raise Refused(
            rule,
            f"the flights lead {'-'.join(places)}, but the trip is a {flight_type} from {origin} "
            f"to {destination}",
        )


def require_seats(world: World, leg: Leg, cabin: str, *, passengers: int, rule: str) -> int:
    """Refuse a flight that cannot be booked any more, or has too few seats.

    Args:
        world: the world.
        leg: the flight.
        cabin: the cabin.
        passengers: how many seats are needed.
        rule: the policy rule.

    Returns:
        Today's fare for one passenger, in cents.

    Raises:
        Refused: with the status, or the number of seats.
    """
    if leg.status != "available":
        raise Refused(
            rule,
            f"flight {leg.flight_number} on {leg.date} cannot be booked: its status is "
            f"'{leg.status}', not 'available'",
        )
    seats = world.row(_SEATS, *leg.key, cabin)
    free = seats["available"] if seats else 0
    if seats is None or free < passengers:
        raise Refused(
            rule,
            f"flight {leg.flight_number} on {leg.date} has {free} seats in {cabin} and "
            f"{passengers} are needed",
        )
    return int(seats["price_cents"])


def take_seats(world: World, keys: Iterable[Key], cabin: str, *, passengers: int) -> None:
    """Take seats on flights; a negative number gives them back."""
    for flight_number, day in keys:
        world.write(_MOVE_SEATS, passengers, flight_number, day, cabin)
