"""Tools that search airports and flights; their results concern no customer."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

import json
from typing import Any

from tau_env.domains.airline.tools._arguments import AirportCode, Trimmed, checked_date
from tau_env.domains.airline.tools._records import show_times
from tau_env.domains.airline.tools._seats import day_after
from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World
from tau_env.world.tool import tool

CABINS = ("basic_economy", "economy", "business")

_OFFER = """
SELECT f.*, d.status, (
  SELECT json_group_object(s.cabin, json_array(s.available, s.price_cents)) FROM seats s
  WHERE s.flight_number = d.flight_number AND s.date = d.date) AS cabins
FROM flights f JOIN departures d ON d.flight_number = f.flight_number AND d.date = ?
"""
_DIRECT = f"""
{_OFFER} WHERE f.origin = ? AND f.destination = ? AND d.status = 'available'
ORDER BY f.departure, f.flight_number
"""
_ONE = f"{_OFFER} WHERE f.flight_number = ?"
_PAIRS = """
SELECT f.flight_number AS first, d.date AS first_date, g.flight_number AS second,
  e.date AS second_date
FROM flights f JOIN departures d ON d.flight_number = f.flight_number AND d.date = ?
JOIN flights g ON g.origin = f.destination AND g.departure > f.arrival
JOIN departures e ON e.flight_number = g.flight_number
  AND e.date = CASE f.arrival_day WHEN 0 THEN d.date ELSE ? END
WHERE f.origin = ? AND g.destination = ? AND d.status = 'available' AND e.status = 'available'
ORDER BY f.departure, f.flight_number, g.departure, g.flight_number
"""


@tool(kind="read", public=True)
def list_all_airports(world: World) -> dict[str, str]:
    """List the codes of all airports with their cities."""
    airports = world.rows("SELECT code, city FROM airports ORDER BY code")
    return {airport["code"]: airport["city"] for airport in airports}


@tool(kind="read", public=True)
def search_direct_flight(
    world: World, origin: AirportCode, destination: AirportCode, date: Trimmed
) -> list[dict[str, Any]]:
    """Search direct flights that can be booked: times, free seats and today's fares by cabin.

    They are ordered by departure. A time that ends in +1 is on the day after the departure.

    Args:
        origin: The code of the airport of departure, such as 'JFK'.
        destination: The code of the airport of arrival, such as 'SEA'.
        date: The date of departure, such as '2025-06-20'.
    """
    start, end, day = _checked(world, origin, destination, date)
    return [_show(row) for row in world.rows(_DIRECT, day, start, end)]


@tool(kind="read", public=True)
def search_onestop_flight(
    world: World, origin: AirportCode, destination: AirportCode, date: Trimmed
) -> list[list[dict[str, Any]]]:
    """Search connections with one stop that can be booked: pairs of flights with their dates.

    The second flight leaves after the first has arrived, on the same day: the day on which the
    first arrives. All such pairs are listed, ordered by the departures of both.

    Args:
        origin: The code of the airport of departure, such as 'JFK'.
        destination: The code of the airport of arrival, such as 'SEA'.
        date: The date on which the first flight leaves, such as '2025-06-20'.
    """
    start, end, day = _checked(world, origin, destination, date)
    pairs = world.rows(_PAIRS, day, day_after(day), start, end)
    ways = [
        [(pair["first"], pair["first_date"]), (pair["second"], pair["second_date"])]
        for pair in pairs
    ]
    shown = {key: _show_dated(world, *key) for key in {key for way in ways for key in way}}
    return [[shown[key] for key in way] for way in ways]


def _show_dated(world: World, flight_number: str, day: str) -> dict[str, Any]:
    (row,) = world.rows(_ONE, day, flight_number)
    return _show(row) | {"date": day}


def _checked(world: World, origin: str, destination: str, date: str) -> tuple[str, str, str]:
    """Codes and date, if there are such.

    Raises:
        Refused: an airport or a date that does not exist, or a way from an airport to itself.
    """
    for code in (origin, destination):
        if world.row("SELECT code FROM airports WHERE code = ?", code) is None:
            raise Refused("", f"airport {code[:40]!r} not found; list_all_airports gives all codes")
    if origin == destination:
        raise Refused("", f"origin and destination are both {origin}")
    return origin, destination, checked_date(date, name="date").isoformat()


def _show(row: dict[str, Any]) -> dict[str, Any]:
    cabins = json.loads(row["cabins"])
    return {
        "flight_number": row["flight_number"],
        "origin": row["origin"],
        "destination": row["destination"],
        **show_times(row),
        "status": row["status"],
        "available_seats": {cabin: cabins[cabin][0] for cabin in CABINS},
        "prices": {cabin: dollars(cabins[cabin][1]) for cabin in CABINS},
    }
