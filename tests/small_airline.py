"""A very small airline, made by hand: four airports, nine flights, three customers.

The fare in dollars of a flight is its number plus the day of the month, 40 less in basic economy,
200 more in business: `fare` says so without looking at the records.
"""

from __future__ import annotations

import json
import sqlite3
from functools import cache
from typing import Any

from tau_env.content import domain_text
from tau_env.domains.airline.tools import FUNCTIONS
from tau_env.schema import Call
from tau_env.world.database import Snapshot, World
from tau_env.world.tool import Toolbox

NOW = "2025-06-12T15:00:00"
DAYS = range(10, 21)
CABINS = ("basic_economy", "economy", "business")
SEATS = {"basic_economy": 6, "economy": 8, "business": 4}
TOOLBOX = Toolbox(FUNCTIONS)

# Number, from, to, leaves, arrives, days later.
FLIGHTS = (
    ("TST100", "BOS", "SEA", "08:00:00", "11:00:00", 0),
    ("TST101", "BOS", "SEA", "16:00:00", "19:00:00", 0),
    ("TST102", "SEA", "BOS", "12:00:00", "20:00:00", 0),
    ("TST103", "SEA", "BOS", "22:00:00", "06:00:00", 1),
    ("TST200", "BOS", "ORD", "09:00:00", "10:30:00", 0),
    ("TST201", "ORD", "SEA", "10:30:00", "13:00:00", 0),
    ("TST202", "ORD", "SEA", "12:00:00", "14:30:00", 0),
    ("TST203", "BOS", "ORD", "22:30:00", "00:30:00", 1),
    ("TST204", "BOS", "MIA", "07:00:00", "10:00:00", 0),
)
TODAY = {
    **dict.fromkeys(("TST100", "TST200", "TST201", "TST202", "TST204"), "landed"),
    "TST102": "flying",
    "TST101": "delayed",
    "TST103": "on time",
    "TST203": "on time",
}
CANCELLED = ("TST101", "2025-06-15")

CUSTOMERS = (("mara_lopez_1", "regular"), ("noah_kim_2", "silver"), ("olga_wu_3", "gold"))
METHODS = (
    ("credit_card_11", "mara_lopez_1", None),
    ("credit_card_12", "mara_lopez_1", None),
    ("gift_card_11", "mara_lopez_1", 100_00),
    ("gift_card_12", "mara_lopez_1", 50_25),
    ("gift_card_13", "mara_lopez_1", 40_00),
    ("gift_card_14", "mara_lopez_1", 30_00),
    ("certificate_11", "mara_lopez_1", 250_00),
    ("certificate_12", "mara_lopez_1", 100_00),
    ("certificate_13", "mara_lopez_1", 0),
    ("credit_card_21", "noah_kim_2", None),
    ("gift_card_21", "noah_kim_2", 900_00),
    ("credit_card_31", "olga_wu_3", None),
    ("gift_card_31", "olga_wu_3", 2_000_00),
    ("certificate_31", "olga_wu_3", 500_00),
)
# Id, customer, trip, cabin, flights; one passenger, no bags, no insurance, paid with a card.
TRIPS = (
    ("A1FLEW", "mara_lopez_1", "one_way", "economy", (("TST100", 11),)),
    ("A2PART", "mara_lopez_1", "round_trip", "economy", (("TST100", 11), ("TST102", 14))),
    ("A3SOON", "mara_lopez_1", "one_way", "economy", (("TST101", 12),)),
    ("A4CALL", "noah_kim_2", "one_way", "economy", (("TST101", 15),)),
    ("A5BASE", "noah_kim_2", "one_way", "basic_economy", (("TST100", 16),)),
    ("A6BUSI", "olga_wu_3", "round_trip", "business", (("TST100", 16), ("TST102", 18))),
)


def date(day: int) -> str:
    """The date of a day of the month."""
    return f"2025-06-{day:02d}"


def fare(number: str, day: int, cabin: str) -> int:
    """Today's fare in cents."""
    return 100 * (int(number[3:]) + day + {"basic_economy": -40, "business": 200}.get(cabin, 0))


def status(number: str, day: int) -> str:
    """The status of a flight on a day."""
    if (number, date(day)) == CANCELLED:
        return "cancelled"
    return "landed" if day < 12 else TODAY[number] if day == 12 else "available"


@cache
def small_snapshot() -> Snapshot:
    """The company."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(domain_text("airline", "schema.sql"))
        _insert_flights(connection)
        _insert_customers(connection)
        for trip in TRIPS:
            _insert_trip(connection, *trip)
        connection.commit()
        return Snapshot.take(connection)
    finally:
        connection.close()


def _insert(connection: sqlite3.Connection, table: str, *values: Any) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)


def _insert_flights(connection: sqlite3.Connection) -> None:
    cities = {"BOS": "Boston", "MIA": "Miami", "ORD": "Chicago", "SEA": "Seattle"}
    for code, city in cities.items():
        _insert(connection, "airports", code, city)
    for number, *rest in FLIGHTS:
        _insert(connection, "flights", number, *rest)
        for day in DAYS:
            _insert(connection, "departures", number, date(day), status(number, day))
            for cabin, count in SEATS.items():
                price = fare(number, day, cabin)
                _insert(connection, "seats", number, date(day), cabin, count, price)


def _insert_customers(connection: sqlite3.Connection) -> None:
    for user_id, membership in CUSTOMERS:
        first, last, _ = user_id.split("_")
        names = (first.title(), last.title(), "1990-04-05")
        address = ("1 Elm Street", "", "Boston", "MA", "USA", "02101")
        email = f"{first}@example.org"
        _insert(connection, "customers", user_id, *names, email, *address, membership)
        _insert(connection, "saved_passengers", user_id, "Zoe", names[1], "2001-02-03")
    for payment_id, user_id, cents in METHODS:
        source = payment_id.rpartition("_")[0]
        card = ("visa", "1234") if source == "credit_card" else (None, None)
        _insert(connection, "payment_methods", payment_id, user_id, source, *card, cents)


def _insert_trip(
    connection: sqlite3.Connection,
    trip_id: str,
    user_id: str,
    kind: str,
    cabin: str,
    flights: tuple[tuple[str, int], ...],
) -> None:
    booked = ("active", "2025-05-02T09:00:00", 0, 0, "no")
    _insert(connection, "reservations", trip_id, user_id, "BOS", "SEA", kind, cabin, *booked)
    for number, day in flights:
        paid = fare(number, day, cabin) - 1000
        _insert(connection, "reservation_flights", trip_id, number, date(day), paid)
        connection.execute(
            "UPDATE seats SET available = available - 1 WHERE flight_number = ? AND date = ?"
            " AND cabin = ?",
            (number, date(day), cabin),
        )
    first, last, number = user_id.split("_")
    passenger = (first.title(), last.title(), "1990-04-05")
    _insert(connection, "reservation_passengers", trip_id, *passenger)
    cents = sum(fare(flight, day, cabin) - 1000 for flight, day in flights)
    _insert(connection, "payments", f"pay_{trip_id}", trip_id, f"credit_card_{number}1", cents)


def open_small() -> World:
    """A world on the company."""
    return World(small_snapshot(), now=NOW)


def call(world: World, name: str, **arguments: Any) -> Call:
    """Call a tool."""
    return TOOLBOX.call(world, name, arguments)


def done(world: World, name: str, **arguments: Any) -> Any:
    """The result of a call that is carried out."""
    made = call(world, name, **arguments)
    assert made.error is None, made.result
    return json.loads(made.result)


def refused(world: World, name: str, **arguments: Any) -> str:
    """Why a call is refused, after which nothing has changed."""
    before = world.outcome()
    made = call(world, name, **arguments)
    assert made.error == "refused", made.result
    assert made.changes == ()
    assert world.outcome() == before
    return made.result


def balance(world: World, payment_id: str) -> int | None:
    """What a payment method holds, in cents."""
    sql = "SELECT balance_cents FROM payment_methods WHERE payment_id = ?"
    row = world.row(sql, payment_id)
    assert row is not None
    cents: int | None = row["balance_cents"]
    return cents


def seats(world: World, number: str, day: int, cabin: str) -> int:
    """How many seats can be sold."""
    row = world.row(
        "SELECT available FROM seats WHERE flight_number = ? AND date = ? AND cabin = ?",
        *(number, date(day), cabin),
    )
    assert row is not None
    return int(row["available"])


def person(name: str, dob: str = "1990-04-05") -> dict[str, str]:
    """A passenger as an argument."""
    first, _, last = name.partition(" ")
    return {"first_name": first, "last_name": last, "dob": dob}


def flight(number: str, day: int) -> dict[str, str]:
    """A flight on a date as an argument."""
    return {"flight_number": number, "date": date(day)}


def booking(**changed: Any) -> dict[str, Any]:
    """Arguments of a booking of Mara: BOS to SEA on the 16th, economy, paid with a card."""
    return {
        "user_id": "mara_lopez_1",
        "origin": "BOS",
        "destination": "SEA",
        "flight_type": "one_way",
        "cabin": "economy",
        "flights": [flight("TST100", 16)],
        "passengers": [person("Mara Lopez")],
        "payment_methods": [{"payment_id": "credit_card_11", "amount": 116}],
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
        **changed,
    }
