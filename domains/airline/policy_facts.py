"""What the rules of the airline ask of a call: its reservation, flights, fares, methods, reasons.

The rules themselves are in `policy`. Tools use neither: the two must agree without sharing code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tau_env.domains.airline.lexicon import build_lexicon
from tau_env.language.literals import find_literals
from tau_env.world.rules import Deed

NOW = "2025-06-12T15:00:00"
DAY_AGO = "2025-06-11T15:00:00"
LEFT = ("flying", "landed")
CABINS = ("basic_economy", "economy", "business")
BAG, INSURANCE = 5_000, 3_000
"""What a bag that is not free and insurance for a passenger cost, in cents."""

Row = dict[str, Any]


def reservation(deed: Deed) -> Row:
    """The reservation that a call names; an empty one if there is none."""
    found = deed.world.row(
        "SELECT * FROM reservations WHERE reservation_id = ?",
        deed.arguments.get("reservation_id", ""),
    )
    empty = {"reservation_id": "", "user_id": "", "status": "", "cabin": "", "insurance": "no"}
    return found or {**empty, "created_at": "", "total_baggages": 0, "nonfree_baggages": 0}


def flights_of(deed: Deed, reservation_id: str) -> list[Row]:
    """The flights of a reservation: number, date, fare paid, status."""
    return deed.world.rows(
        "SELECT r.flight_number, r.date, r.price_cents, d.status FROM reservation_flights r"
        " JOIN departures d USING (flight_number, date) WHERE r.reservation_id = ?",
        reservation_id,
    )


def passengers_of(deed: Deed, reservation_id: str) -> int:
    """How many passengers a reservation has."""
    return len(
        deed.world.rows(
            "SELECT dob FROM reservation_passengers WHERE reservation_id = ?", reservation_id
        )
    )


def membership(deed: Deed) -> str:
    """The membership of the customer."""
    found = deed.world.row("SELECT membership FROM customers WHERE user_id = ?", deed.customer)
    return str(found["membership"]) if found else ""


def changeable(deed: Deed) -> bool:
    """Whether the reservation is active and none of its flights has left."""
    held = reservation(deed)
    return held["status"] == "active" and not any(
        flight["status"] in LEFT for flight in flights_of(deed, held["reservation_id"])
    )


def free_bags(deed: Deed, cabin: str) -> int:
    """Free checked bags of one passenger."""
    by_member = {"regular": 0, "silver": 1, "gold": 2}
    return by_member[membership(deed)] + CABINS.index(cabin)


def method(deed: Deed, payment_id: str) -> Row | None:
    """A payment method of the customer."""
    return deed.world.row(
        "SELECT * FROM payment_methods WHERE payment_id = ? AND user_id = ?",
        payment_id,
        deed.customer,
    )


def covers(deed: Deed, cents: int) -> bool:
    """Whether the call's payment method is no certificate and has so much."""
    one = method(deed, deed.arguments["payment_id"])
    if one is None or one["source"] == "certificate":
        return False
    return bool(one["source"] == "credit_card" or one["balance_cents"] >= cents)


def legs(deed: Deed) -> list[Row]:
    """The flights that a call names, with route, times and status; none if one does not exist."""
    found = []
    for flight in deed.arguments["flights"]:
        row = deed.world.row(
            "SELECT f.*, d.date, d.status FROM flights f JOIN departures d USING (flight_number)"
            " WHERE f.flight_number = ? AND d.date = ?",
            flight["flight_number"],
            flight["date"],
        )
        if row is None:
            return []
        found.append(row)
    return sorted(found, key=lambda one: f"{one['date']}T{one['departure']}")


def seat(deed: Deed, flight: Row, cabin: str) -> Row:
    """Free seats and today's fare of a flight in a cabin."""
    found = deed.world.row(
        "SELECT available, price_cents FROM seats WHERE flight_number = ? AND date = ?"
        " AND cabin = ?",
        flight["flight_number"],
        flight["date"],
        cabin,
    )
    return found or {"available": 0, "price_cents": 0}


def is_chain(flights: Sequence[Row], origin: str, destination: str, flight_type: str) -> bool:
    """Whether flights lead from origin to destination, and back on a round trip."""
    if not flights:
        return False
    place, arrived, places = origin, "", [origin]
    for flight in flights:
        leaves = f"{flight['date']}T{flight['departure']}"
        if flight["origin"] != place or leaves <= arrived:
            return False
        day = int(flight["date"][8:]) + flight["arrival_day"]
        place, arrived = flight["destination"], f"{flight['date'][:8]}{day:02d}T{flight['arrival']}"
        places.append(place)
    ends = destination if flight_type == "one_way" else origin
    return place == ends and places.count(destination) == 1 and origin not in places[1:-1]


def pays_in_full(deed: Deed) -> bool:
    """Whether what the methods pay is the price of the booking."""
    asked, people = deed.arguments, len(deed.arguments["passengers"])
    price = sum(seat(deed, flight, asked["cabin"])["price_cents"] for flight in legs(deed))
    price += INSURANCE if asked["insurance"] == "yes" else 0
    price = price * people + BAG * asked["nonfree_baggages"]
    return bool(price == sum(cents(one["amount"]) for one in asked["payment_methods"]))


def cents(dollars: float) -> int:
    """An amount of a call in cents."""
    return round(dollars * 100)


def difference(deed: Deed) -> int:
    """What the flights of a change cost more than was paid for the old ones, in cents."""
    held = reservation(deed)
    paid = {
        (flight["flight_number"], flight["date"]): flight["price_cents"]
        for flight in flights_of(deed, held["reservation_id"])
    }
    kept = deed.arguments["cabin"] == held["cabin"]
    total: int = -sum(paid.values())
    for flight in legs(deed):
        at = (flight["flight_number"], flight["date"])
        fare = seat(deed, flight, deed.arguments["cabin"])["price_cents"]
        total += paid[at] if kept and at in paid else fare
    return total * passengers_of(deed, held["reservation_id"])


def reasons(deed: Deed) -> frozenset[str]:
    """Why the customer cancels this reservation, as the customer says it."""
    found: set[str] = set()
    for want in deed.wants:
        about = _values(want.slots.get("reservation_id", ()))
        if want.do == "cancel" and (not about or deed.arguments["reservation_id"] in about):
            for text in _values(want.slots.get("reason", ())):
                found |= {
                    str(one.value)
                    for one in find_literals(text, build_lexicon())
                    if one.slot == "reason"
                }
    return frozenset(found)


def _values(found: str | tuple[str, ...]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else found


def moved_to_business(deed: Deed) -> bool:
    """Whether the reservation got into business in this conversation."""
    return any(
        arguments.get("reservation_id") == deed.arguments["reservation_id"]
        and arguments.get("cabin") == "business"
        for _, arguments in deed.earlier
    )


def compensations(deed: Deed) -> list[tuple[Row, int]]:
    """The customer's reservations with a flight cancelled or delayed, and the cents for each."""
    found = []
    for held in deed.world.rows("SELECT * FROM reservations WHERE user_id = ?", deed.customer):
        statuses = {one["status"] for one in flights_of(deed, held["reservation_id"])}
        rate = 10_000 if "cancelled" in statuses else 5_000 if "delayed" in statuses else 0
        if rate:
            found.append((held, rate * passengers_of(deed, held["reservation_id"])))
    return found


def is_compensated(deed: Deed, held: Row) -> bool:
    """Whether compensation for a reservation is due to the customer at all."""
    known = membership(deed) in ("silver", "gold")
    return known or held["insurance"] == "yes" or held["cabin"] == "business"


def is_for_a_colleague(deed: Deed) -> bool:
    """Whether the customer has a reservation that is partly flown, or one flown with bags."""
    for held in deed.world.rows("SELECT * FROM reservations WHERE user_id = ?", deed.customer):
        left = [one["status"] in LEFT for one in flights_of(deed, held["reservation_id"])]
        if any(left) and (not all(left) or held["total_baggages"] > 0):
            return True
    return False
