"""The public τ-bench data in the schemas of our toy store and our airline."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

from tau_env.content import domain_text
from tau_env.world.coerce import to_cents
from tau_env.world.database import Snapshot

Rows = dict[str, list[dict[str, Any]]]


def tau_bench_snapshot(folder: Path) -> Snapshot:
    """A company with the records of `folder`/retail/*.json."""
    rows: Rows = {}
    _products(json.loads((folder / "retail/products.json").read_text()), rows)
    _users(json.loads((folder / "retail/users.json").read_text()), rows)
    _orders(json.loads((folder / "retail/orders.json").read_text()), rows)
    return _snapshot(domain_text("retail", "schema.sql"), rows)


def tau_bench_airline(folder: Path) -> Snapshot:
    """A company with the records of `folder`/airline/*.json.

    Two laxities: one of those trips ends where it began, which our schema refuses, and flights that
    cannot be booked have no seats in that data, which our schema does not mind.
    """
    rows: Rows = {"airports": []}
    _flights(json.loads((folder / "airline/flights.json").read_text()), rows)
    _travellers(json.loads((folder / "airline/users.json").read_text()), rows)
    _reservations(json.loads((folder / "airline/reservations.json").read_text()), rows)
    schema = domain_text("airline", "schema.sql")
    lax = schema.replace(",\n  CHECK (origin <> destination)\n", "\n")
    assert lax != schema
    return _snapshot(lax, rows)


def _snapshot(schema: str, rows: Rows) -> Snapshot:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        for table, found in rows.items():
            for row in found:
                marks = ", ".join("?" * len(row))
                sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"
                connection.execute(sql, tuple(row.values()))
        connection.commit()
        return Snapshot.take(connection)
    finally:
        connection.close()


def _add(rows: Rows, table: str, **row: Any) -> None:
    rows.setdefault(table, []).append(row)


def _products(products: dict[str, Any], rows: Rows) -> None:
    for product_id, product in products.items():
        _add(rows, "products", product_id=product_id, name=product["name"])
        for item_id, variant in product["variants"].items():
            _add(
                rows,
                "variants",
                item_id=item_id,
                product_id=product_id,
                price_cents=to_cents(variant["price"]),
                available=int(variant["available"]),
            )
            for name, value in variant["options"].items():
                _add(rows, "variant_options", item_id=item_id, name=name, value=value)


def _users(users: dict[str, Any], rows: Rows) -> None:
    for user_id, user in users.items():
        _add(rows, "customers", user_id=user_id, **user["name"], **user["address"])
        rows["customers"][-1]["email"] = user["email"]
        for method_id, method in user["payment_methods"].items():
            balance = method.get("balance")
            _add(
                rows,
                "payment_methods",
                payment_method_id=method_id,
                user_id=user_id,
                source=method["source"],
                brand=method.get("brand"),
                last_four=method.get("last_four"),
                balance_cents=None if balance is None else to_cents(balance),
            )


def _orders(orders: dict[str, Any], rows: Rows) -> None:
    for order_id, order in orders.items():
        cancelled = order["status"] == "cancelled"
        _add(
            rows,
            "orders",
            order_id=order_id,
            user_id=order["user_id"],
            status=order["status"],
            cancel_reason="no longer needed" if cancelled else None,
            **order["address"],
        )
        shipped: dict[str, str] = {}
        for parcel in order["fulfillments"]:
            tracking_id = parcel["tracking_id"][0]
            _add(rows, "shipments", tracking_id=tracking_id, order_id=order_id)
            shipped |= dict.fromkeys(parcel["item_ids"], tracking_id)
        prices = {item["item_id"]: to_cents(item["price"]) for item in order["items"]}
        for item_id, quantity in Counter(item["item_id"] for item in order["items"]).items():
            _add(
                rows,
                "order_items",
                order_id=order_id,
                item_id=item_id,
                quantity=quantity,
                price_cents=prices[item_id],
                tracking_id=shipped.get(item_id),
            )
        for number, payment in enumerate(order["payment_history"]):
            _add(
                rows,
                "payments",
                payment_id=f"pay_{order_id}_{number}",
                order_id=order_id,
                transaction_type=payment["transaction_type"],
                amount_cents=to_cents(round(payment["amount"], 2)),
                payment_method_id=payment["payment_method_id"],
            )


def _flights(flights: dict[str, Any], rows: Rows) -> None:
    codes = {flight[end] for flight in flights.values() for end in ("origin", "destination")}
    rows["airports"] += [{"code": code, "city": code} for code in sorted(codes)]
    for number, flight in flights.items():
        arrival, _, later = flight["scheduled_arrival_time_est"].partition("+")
        _add(
            rows,
            "flights",
            flight_number=number,
            origin=flight["origin"],
            destination=flight["destination"],
            departure=flight["scheduled_departure_time_est"],
            arrival=arrival,
            arrival_day=int(later or 0),
        )
        for date, found in flight["dates"].items():
            place = {"flight_number": number, "date": date}
            _add(rows, "departures", **place, status=found["status"])
            for cabin, available in found.get("available_seats", {}).items():
                cents = to_cents(found["prices"][cabin])
                _add(rows, "seats", **place, cabin=cabin, available=available, price_cents=cents)


def _travellers(users: dict[str, Any], rows: Rows) -> None:
    for user_id, user in users.items():
        _add(
            rows,
            "customers",
            user_id=user_id,
            **user["name"],
            **user["address"],
            dob=user["dob"],
            email=user["email"],
            membership=user["membership"],
        )
        for payment_id, method in user["payment_methods"].items():
            amount = method.get("amount")
            _add(
                rows,
                "payment_methods",
                payment_id=payment_id,
                user_id=user_id,
                source=method["source"],
                brand=method.get("brand"),
                last_four=method.get("last_four"),
                balance_cents=None if amount is None else to_cents(amount),
            )
        for passenger in user["saved_passengers"]:
            _add(rows, "saved_passengers", user_id=user_id, **passenger)


def _reservations(reservations: dict[str, Any], rows: Rows) -> None:
    parts = ("flights", "passengers", "payment_history")
    for number, (reservation_id, reservation) in enumerate(reservations.items()):
        plain = {name: value for name, value in reservation.items() if name not in parts}
        _add(rows, "reservations", status="active", **plain)
        for flight in reservation["flights"]:
            _add(
                rows,
                "reservation_flights",
                reservation_id=reservation_id,
                flight_number=flight["flight_number"],
                date=flight["date"],
                price_cents=to_cents(flight["price"]),
            )
        for passenger in reservation["passengers"]:
            _add(rows, "reservation_passengers", reservation_id=reservation_id, **passenger)
        for place, payment in enumerate(reservation["payment_history"]):
            _add(
                rows,
                "payments",
                entry_id=f"pay_{number:06d}_{place}",
                reservation_id=reservation_id,
                payment_id=payment["payment_id"],
                amount_cents=to_cents(payment["amount"]),
            )
