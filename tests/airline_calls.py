"""Calls of the airline's writing tools with arguments drawn from the records, most of them allowed.

Prices are worked out here, from the fares in the records and the fees of the policy.
"""

from __future__ import annotations

import random
from typing import Any

from tau_env.world.database import World

Row = dict[str, Any]
Arguments = dict[str, Any]
CABINS = ("basic_economy", "economy", "business")
FREE = {"regular": 0, "silver": 1, "gold": 2}
NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")


def all_of(world: World, sql: str, *values: str | int) -> list[Row]:
    """Rows in a fixed order."""
    return sorted(world.rows(sql, *values), key=lambda row: str(list(row.values())))


def draw_booking(rng: random.Random, world: World) -> Arguments:
    """A booking: one way or back, direct or with a stop, of a drawn customer."""
    customer = rng.choice(all_of(world, "SELECT user_id, membership FROM customers"))
    legs = _draw_trip(rng, world)
    cabin = rng.choice(CABINS)
    people = [_draw_person(rng, name) for name in NAMES[: rng.choice((1, 1, 2, 2, 3, 5, 6))]]
    kind = "round_trip" if legs[0]["origin"] == legs[-1]["destination"] else "one_way"
    turn = len(legs) // 2 if kind == "round_trip" else len(legs)
    bags = rng.randint(0, 5)
    insurance = rng.choice(("yes", "no"))
    free = len(people) * (FREE[customer["membership"]] + CABINS.index(cabin))
    nonfree = max(0, bags - free) + rng.choice((0,) * 12 + (1,))
    price = 5_000 * nonfree + len(people) * (
        sum(fare(world, leg, cabin) for leg in legs) + (3_000 if insurance == "yes" else 0)
    )
    return {
        "user_id": customer["user_id"],
        "origin": legs[0]["origin"],
        "destination": legs[turn - 1]["destination"],
        "flight_type": kind,
        "cabin": cabin,
        "flights": [_argument(leg) for leg in legs],
        "passengers": people,
        "payment_methods": _draw_payments(rng, world, customer["user_id"], price),
        "total_baggages": bags,
        "nonfree_baggages": nonfree,
        "insurance": insurance,
    }


def fare(world: World, leg: Row, cabin: str) -> int:
    """Today's fare in cents."""
    (row,) = world.rows(
        "SELECT price_cents FROM seats WHERE flight_number = ? AND date = ? AND cabin = ?",
        *(leg["flight_number"], leg["date"], cabin),
    )
    return int(row["price_cents"])


def _draw_person(rng: random.Random, first: str) -> Row:
    return {"first_name": first, "last_name": "Doe", "dob": f"19{rng.randint(50, 99)}-01-31"}


def _argument(leg: Row) -> Row:
    return {"flight_number": leg["flight_number"], "date": leg["date"]}


def _draw_trip(rng: random.Random, world: World) -> list[Row]:
    """One flight, two in a row, or there and back; not all of these can be flown."""
    first = _draw_leg(rng, world)
    if rng.random() < 0.5:
        return [first]
    after = first["destination"]
    ways = "SELECT * FROM flights WHERE origin = ?"
    if rng.random() < 0.5:
        back = all_of(world, f"{ways} AND destination = ?", after, first["origin"])
        onward = back or all_of(world, ways, after)
    else:
        onward = all_of(world, ways, after)
    if not onward:
        return [first]
    return [first, rng.choice(onward) | {"date": _draw_date(rng, world, from_=first["date"])}]


def _draw_leg(rng: random.Random, world: World) -> Row:
    flight = rng.choice(all_of(world, "SELECT * FROM flights"))
    early = "2025-06-11" if rng.random() < 0.05 else "2025-06-13"
    return flight | {"date": _draw_date(rng, world, from_=early)}


def _draw_date(rng: random.Random, world: World, *, from_: str) -> str:
    dates = all_of(world, "SELECT DISTINCT date FROM departures WHERE date >= ?", from_)
    return str(rng.choice(dates)["date"])


def _draw_payments(rng: random.Random, world: World, user_id: str, price: int) -> list[Row]:
    """Methods in a drawn order pay as much as they can, the last one what is left."""
    methods = all_of(world, "SELECT * FROM payment_methods WHERE user_id = ?", user_id)
    methods = [one for one in methods if one["balance_cents"] != 0]
    rng.shuffle(methods)
    found, left = [], price
    for method in methods:
        most = left if method["balance_cents"] is None else min(left, method["balance_cents"])
        cents = rng.choice((most, most, rng.randint(0, most)))
        if cents:
            found.append({"payment_id": method["payment_id"], "amount": cents / 100})
            left -= cents
    if found and rng.random() < 0.05:
        found[0]["amount"] = round(found[0]["amount"] + 0.01, 2)
    return found


def draw_reservation(rng: random.Random, world: World) -> Row:
    """A reservation, most of the time one that is open."""
    open_ones = all_of(
        world,
        "SELECT * FROM reservations r WHERE status = 'active' AND NOT EXISTS ("
        " SELECT 1 FROM reservation_flights JOIN departures d USING (flight_number, date)"
        " WHERE reservation_id = r.reservation_id AND d.status IN ('landed', 'flying'))",
    )
    if open_ones and rng.random() < 0.9:
        return rng.choice(open_ones)
    return rng.choice(all_of(world, "SELECT * FROM reservations"))


def draw_method(rng: random.Random, world: World, user_id: str) -> str:
    """One of the customer's payment methods."""
    methods = all_of(world, "SELECT * FROM payment_methods WHERE user_id = ?", user_id)
    cards = [one for one in methods if one["source"] != "certificate"]
    return str(rng.choice(cards if rng.random() < 0.9 else methods)["payment_id"])


def draw_change(rng: random.Random, world: World) -> Arguments:
    """Another cabin, or another day for one of the flights, or both."""
    trip = draw_reservation(rng, world)
    flights = all_of(
        world,
        "SELECT y.date, f.* FROM reservation_flights y JOIN flights f USING (flight_number)"
        " WHERE reservation_id = ?",
        trip["reservation_id"],
    )
    fixed = trip["cabin"] == "basic_economy"
    if rng.random() < (0.1 if fixed else 0.6):
        place = rng.randrange(len(flights))
        old = flights[place]
        ways = "SELECT * FROM flights WHERE origin = ? AND destination = ?"
        new = rng.choice(all_of(world, ways, old["origin"], old["destination"]))
        earliest = old["date"] if rng.random() < 0.5 else "2025-06-13"
        flights[place] = new | {"date": _draw_date(rng, world, from_=earliest)}
    return {
        "reservation_id": trip["reservation_id"],
        "cabin": rng.choice((trip["cabin"], *CABINS)),
        "flights": [_argument(one) for one in flights],
        "payment_id": draw_method(rng, world, trip["user_id"]),
    }


def draw_bags(rng: random.Random, world: World) -> Arguments:
    """More bags, most of the time with the right number of those to be paid."""
    trip = draw_reservation(rng, world)
    (people,) = world.rows(
        "SELECT count(*) AS n FROM reservation_passengers WHERE reservation_id = ?",
        trip["reservation_id"],
    )
    (customer,) = world.rows("SELECT membership FROM customers WHERE user_id = ?", trip["user_id"])
    free = people["n"] * (FREE[customer["membership"]] + CABINS.index(trip["cabin"]))
    total = trip["total_baggages"] + rng.choice((0, 1, 1, 2, 4))
    return {
        "reservation_id": trip["reservation_id"],
        "total_baggages": total,
        "nonfree_baggages": max(0, total - free) + rng.choice((0,) * 9 + (1,)),
        "payment_id": draw_method(rng, world, trip["user_id"]),
    }


def draw_passengers(rng: random.Random, world: World) -> Arguments:
    """One passenger replaced, or one too many, or nothing new."""
    trip = draw_reservation(rng, world)
    people = all_of(
        world,
        "SELECT first_name, last_name, dob FROM reservation_passengers WHERE reservation_id = ?",
        trip["reservation_id"],
    )
    people[rng.randrange(len(people))] = _draw_person(rng, rng.choice(NAMES))
    more = [_draw_person(rng, "Gus")] if rng.random() < 0.1 else []
    return {"reservation_id": trip["reservation_id"], "passengers": people + more}


def draw_cancellation(rng: random.Random, world: World) -> Arguments:
    """A reservation to be cancelled."""
    return {"reservation_id": draw_reservation(rng, world)["reservation_id"]}


def draw_certificate(rng: random.Random, world: World) -> Arguments:
    """A certificate for a customer."""
    customer = rng.choice(all_of(world, "SELECT user_id FROM customers"))
    return {"user_id": customer["user_id"], "amount": rng.choice((50, 100, 250, 2_000))}


DRAW = {
    "book_reservation": draw_booking,
    "update_reservation_flights": draw_change,
    "update_reservation_baggages": draw_bags,
    "update_reservation_passengers": draw_passengers,
    "cancel_reservation": draw_cancellation,
    "send_certificate": draw_certificate,
}
"""Tool -> what draws its arguments."""
