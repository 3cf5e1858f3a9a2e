"""Records as tools see them: finding them, and showing them in dollars; no tool lives here."""

from __future__ import annotations

from typing import Any

from tau_env.domains.airline.tools._arguments import Person
from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World

Record = dict[str, Any]
ADDRESS = ("address1", "address2", "city", "country", "state", "zip")
LEFT = ("flying", "landed")
"""Statuses of a flight that has left."""

_FLIGHTS = """
SELECT y.flight_number, f.origin, f.destination, y.date, y.price_cents, d.status, f.departure,
  f.arrival, f.arrival_day
FROM reservation_flights y JOIN flights f USING (flight_number)
JOIN departures d USING (flight_number, date)
WHERE y.reservation_id = ? ORDER BY y.date, f.departure
"""
_PASSENGERS = """
SELECT first_name, last_name, dob FROM reservation_passengers WHERE reservation_id = ?
ORDER BY first_name, last_name, dob
"""
_PAYMENTS = """
SELECT payment_id, amount_cents FROM payments WHERE reservation_id = ? ORDER BY entry_id
"""


def find_customer(world: World, user_id: str) -> Record:
    """The row of a customer; notes that the call concerns them.

    Raises:
        Refused: there is no such customer.
    """
    customer = world.row("SELECT * FROM customers WHERE user_id = ?", user_id)
    if customer is None:
        raise Refused("", f"user {user_id[:80]!r} not found")
    world.about(user_id)
    return customer


def find_reservation(world: World, reservation_id: str) -> Record:
    """The row of a reservation; notes that the call concerns its customer.

    Raises:
        Refused: there is no such reservation.
    """
    reservation = world.row("SELECT * FROM reservations WHERE reservation_id = ?", reservation_id)
    if reservation is None:
        raise Refused(
            "",
            f"reservation {reservation_id[:40]!r} not found; reservation ids have six letters and "
            "digits and are in the customer's profile",
        )
    world.about(reservation["user_id"])
    return reservation


def flights_of(world: World, reservation_id: str) -> list[Record]:
    """The flights of a reservation in order, with route, times, status and the fare paid."""
    return world.rows(_FLIGHTS, reservation_id)


def passengers_of(world: World, reservation_id: str) -> list[Person]:
    """The passengers of a reservation, ordered by name."""
    rows = world.rows(_PASSENGERS, reservation_id)
    return [(row["first_name"], row["last_name"], row["dob"]) for row in rows]


def require_changeable(reservation: Record, flights: list[Record], *, rule: str, what: str) -> None:
    """Refuse to touch a reservation that is cancelled or of which a flight has left.

    Args:
        reservation: its row.
        flights: its flights.
        rule: the policy rule.
        what: what is asked for, such as ``"a cancellation"``.

    Raises:
        Refused: with the status that decides.
    """
    if reservation["status"] != "active":
        raise Refused(
            rule,
            f"{what} needs an active reservation; the status of {reservation['reservation_id']} is "
            f"'{reservation['status']}'",
        )
    for flight in flights:
        if flight["status"] in LEFT:
            raise Refused(
                rule,
                f"{what} needs a reservation of which no flight has left; the status of flight "
                f"{flight['flight_number']} on {flight['date']} is '{flight['status']}'",
            )


def show_customer(world: World, customer: Record) -> Record:
    """A customer's profile as the agent reads it; certificates that are used up are left out."""
    user_id = customer["user_id"]
    methods = world.rows(
        "SELECT * FROM payment_methods WHERE user_id = ?"
        " AND NOT (source = 'certificate' AND balance_cents = 0) ORDER BY payment_id",
        user_id,
    )
    saved = world.rows(
        "SELECT first_name, last_name, dob FROM saved_passengers WHERE user_id = ?"
        " ORDER BY first_name, last_name, dob",
        user_id,
    )
    reservations = world.rows(
        "SELECT reservation_id FROM reservations WHERE user_id = ? ORDER BY reservation_id", user_id
    )
    return {
        "name": {"first_name": customer["first_name"], "last_name": customer["last_name"]},
        "address": {part: customer[part] for part in ADDRESS},
        "email": customer["email"],
        "dob": customer["dob"],
        "payment_methods": {one["payment_id"]: _show_method(one) for one in methods},
        "saved_passengers": saved,
        "membership": customer["membership"],
        "reservations": [one["reservation_id"] for one in reservations],
    }


def _show_method(method: Record) -> Record:
    shown = {"source": method["source"], "id": method["payment_id"]}
    if method["source"] == "credit_card":
        return shown | {"brand": method["brand"], "last_four": method["last_four"]}
    return shown | {"amount": dollars(method["balance_cents"])}


def show_reservation(world: World, reservation_id: str) -> Record:
    """A reservation in its present state as the agent reads it, flights in order of departure."""
    reservation = find_reservation(world, reservation_id)
    head = ("reservation_id", "user_id", "origin", "destination", "flight_type", "cabin")
    tail = ("created_at", "total_baggages", "nonfree_baggages", "insurance", "status")
    return {
        **{name: reservation[name] for name in head},
        "flights": [_show_flight(flight) for flight in flights_of(world, reservation_id)],
        "passengers": world.rows(_PASSENGERS, reservation_id),
        "payment_history": [
            {"payment_id": one["payment_id"], "amount": dollars(one["amount_cents"])}
            for one in world.rows(_PAYMENTS, reservation_id)
        ],
        **{name: reservation[name] for name in tail},
    }


def _show_flight(flight: Record) -> Record:
    return {
        "flight_number": flight["flight_number"],
        "origin": flight["origin"],
        "destination": flight["destination"],
        "date": flight["date"],
        "price": dollars(flight["price_cents"]),
        "status": flight["status"],
        **show_times(flight),
    }


def show_times(flight: Record) -> dict[str, str]:
    """When a flight leaves and arrives, ``+1`` for an arrival on the day after."""
    return {
        "scheduled_departure_time_est": flight["departure"],
        "scheduled_arrival_time_est": flight["arrival"] + ("+1" if flight["arrival_day"] else ""),
    }
