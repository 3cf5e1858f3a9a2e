"""Reading the company's records, and the ids of those that a condition picks.

With statements of their own, so that goals and outputs do not rest on the tools' code.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tau_env.domains.airline.families._records import (
    Customer,
    Flight,
    Method,
    Passenger,
    Reservation,
)
from tau_env.schema import Value
from tau_env.world.company import Company


def read_customer(company: Company, user_id: str) -> Customer:
    """A customer by id, who must exist."""
    row = company.rows("SELECT * FROM customers WHERE user_id = ?", user_id)[0]
    methods = company.rows(
        "SELECT * FROM payment_methods WHERE user_id = ? ORDER BY payment_id", user_id
    )
    saved = company.rows(
        "SELECT * FROM saved_passengers WHERE user_id = ? ORDER BY last_name, first_name, dob",
        user_id,
    )
    return Customer(
        id=user_id,
        first_name=row["first_name"],
        last_name=row["last_name"],
        dob=row["dob"],
        email=row["email"],
        membership=row["membership"],
        methods=tuple(
            Method(
                id=method["payment_id"],
                source=method["source"],
                brand=method["brand"] or "",
                last_four=method["last_four"] or "",
                cents=method["balance_cents"] or 0,
            )
            for method in methods
        ),
        saved=tuple(_passenger(one) for one in saved),
    )


def _passenger(row: dict[str, Any]) -> Passenger:
    return Passenger(row["first_name"], row["last_name"], row["dob"])


_FLIGHT = """
SELECT f.*, d.date, d.status, s.cabin, s.available, s.price_cents AS fare,
    a.city AS origin_city, b.city AS destination_city
FROM flights f
JOIN departures d USING (flight_number)
JOIN seats s USING (flight_number, date)
JOIN airports a ON a.code = f.origin
JOIN airports b ON b.code = f.destination
"""


def _flight(row: dict[str, Any], *, paid: int = 0) -> Flight:
    leaves = f"{row['date']}T{row['departure']}"
    day = datetime.fromisoformat(row["date"]) + timedelta(days=row["arrival_day"])
    return Flight(
        number=row["flight_number"],
        date=row["date"],
        origin=row["origin"],
        destination=row["destination"],
        origin_city=row["origin_city"],
        destination_city=row["destination_city"],
        leaves=leaves,
        arrives=f"{day.date().isoformat()}T{row['arrival']}",
        status=row["status"],
        cabin=row["cabin"],
        seats=row["available"],
        fare=row["fare"],
        paid=paid,
    )


def read_flight(company: Company, number: str, date: str, cabin: str) -> Flight | None:
    """A flight on a date with the seats of a cabin; None if it is not flown then."""
    row = company.row(
        f"{_FLIGHT} WHERE f.flight_number = ? AND d.date = ? AND s.cabin = ?", number, date, cabin
    )
    return None if row is None else _flight(row)


def flights_between(
    company: Company, origin: str, destination: str, date: str, cabin: str
) -> list[Flight]:
    """The direct flights of a day whatever their status, in the order in which they leave."""
    rows = company.rows(
        f"{_FLIGHT} WHERE f.origin = ? AND f.destination = ? AND d.date = ? AND s.cabin = ?"
        " ORDER BY f.departure, f.flight_number",
        origin,
        destination,
        date,
        cabin,
    )
    return [_flight(row) for row in rows]


def connections(
    company: Company, origin: str, destination: str, date: str, cabin: str
) -> list[tuple[Flight, Flight]]:
    """The ways with one stop of a day whatever their status.

    The second flight leaves on the day on which the first arrives, and after it.
    """
    rows = company.rows(
        f"{_FLIGHT} WHERE f.origin = ? AND f.destination <> ? AND d.date = ? AND s.cabin = ?"
        " ORDER BY f.departure, f.flight_number",
        origin,
        destination,
        date,
        cabin,
    )
    return [
        (one, two)
        for one in map(_flight, rows)
        for two in flights_between(company, one.destination, destination, one.arrives[:10], cabin)
        if two.leaves > one.arrives
    ]


def days_ahead(company: Company) -> list[str]:
    """The days after today on which flights are flown."""
    rows = company.rows(
        "SELECT DISTINCT date FROM departures WHERE date > ? ORDER BY 1", company.now[:10]
    )
    return [row["date"] for row in rows]


def read_reservation(company: Company, reservation_id: str) -> Reservation:
    """A reservation by id, which must exist."""
    row = company.rows(
        "SELECT r.*, a.city AS origin_city, b.city AS destination_city FROM reservations r"
        " JOIN airports a ON a.code = r.origin JOIN airports b ON b.code = r.destination"
        " WHERE reservation_id = ?",
        reservation_id,
    )[0]
    paid = {
        (one["flight_number"], one["date"]): one["price_cents"]
        for one in company.rows(
            "SELECT * FROM reservation_flights WHERE reservation_id = ?", reservation_id
        )
    }
    flights = [
        _flight(one, paid=paid[one["flight_number"], one["date"]])
        for one in company.rows(
            f"{_FLIGHT} JOIN reservation_flights r USING (flight_number, date)"
            " WHERE r.reservation_id = ? AND s.cabin = ?",
            reservation_id,
            row["cabin"],
        )
    ]
    people = company.rows(
        "SELECT * FROM reservation_passengers WHERE reservation_id = ?"
        " ORDER BY first_name, last_name, dob",
        reservation_id,
    )
    return Reservation(
        id=reservation_id,
        customer=read_customer(company, row["user_id"]),
        flights=tuple(sorted(flights, key=lambda one: (one.leaves, one.number))),
        passengers=tuple(_passenger(one) for one in people),
        bags=row["total_baggages"],
        paid_bags=row["nonfree_baggages"],
        net=_net(company, reservation_id),
        now=company.now,
        **{name: row[name] for name in _SAME},
    )


_SAME = (
    "origin",
    "destination",
    "origin_city",
    "destination_city",
    "flight_type",
    "cabin",
    "status",
    "created_at",
    "insurance",
)


def _net(company: Company, reservation_id: str) -> dict[str, int]:
    """What each method has paid and not got back, in the order of the first payments."""
    net: dict[str, int] = {}
    for row in company.rows(
        "SELECT * FROM payments WHERE reservation_id = ? ORDER BY entry_id", reservation_id
    ):
        net[row["payment_id"]] = net.get(row["payment_id"], 0) + row["amount_cents"]
    return {method: cents for method, cents in net.items() if cents > 0}


def reservation_ids(company: Company, where: str = "1", *values: Value) -> list[str]:
    """Ids of the reservations that a condition on ``reservations`` (as ``r``) picks, in order."""
    rows = company.rows(
        f"SELECT r.reservation_id FROM reservations r WHERE {where} ORDER BY 1", *values
    )
    return [row["reservation_id"] for row in rows]


def user_ids(company: Company, where: str = "1", *values: Value) -> list[str]:
    """Ids of the customers that a condition on ``customers`` (as ``c``) picks, in order."""
    rows = company.rows(f"SELECT c.user_id FROM customers c WHERE {where} ORDER BY 1", *values)
    return [row["user_id"] for row in rows]
