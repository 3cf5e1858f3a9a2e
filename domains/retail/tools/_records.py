"""Records as tools see them: finding, showing in dollars, moving money; no tool lives here."""

from __future__ import annotations

import json
from typing import Any

from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World

Record = dict[str, Any]
ADDRESS = ("address1", "address2", "city", "country", "state", "zip")

_ITEMS = """
SELECT p.name, p.product_id, i.item_id, i.quantity, i.price_cents, i.tracking_id,
  (SELECT json_group_object(o.name, o.value) FROM variant_options o
   WHERE o.item_id = i.item_id) AS options
FROM order_items i JOIN variants v USING (item_id) JOIN products p USING (product_id)
WHERE i.order_id = ? ORDER BY p.name, i.item_id
"""
_PAYMENTS = """
SELECT transaction_type, amount_cents, payment_method_id FROM payments
WHERE order_id = ? ORDER BY payment_id
"""
_REQUESTED = "SELECT role, item_id, quantity FROM requested_items WHERE order_id = ? ORDER BY 1, 2"
_NET = """
SELECT payment_method_id,
  sum(CASE transaction_type WHEN 'payment' THEN amount_cents ELSE -amount_cents END) AS net_cents
FROM payments WHERE order_id = ? GROUP BY payment_method_id HAVING net_cents > 0
ORDER BY min(payment_id)
"""


def find_order(world: World, order_id: str) -> Record:
    """The row of an order; notes that the call concerns its customer.

    Raises:
        Refused: there is no such order.
    """
    order = world.row("SELECT * FROM orders WHERE order_id = ?", order_id)
    if order is None:
        raise Refused("", f"order {order_id[:40]!r} not found; order ids look like '#W1234567'")
    world.about(order["user_id"])
    return order


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


def find_method(world: World, payment_method_id: str, *, user_id: str) -> Record:
    """The row of one of a customer's payment methods.

    Raises:
        Refused: the customer has no such method.
    """
    method = world.row(
        "SELECT * FROM payment_methods WHERE payment_method_id = ? AND user_id = ?",
        payment_method_id,
        user_id,
    )
    if method is None:
        raise Refused(
            "",
            f"payment method {payment_method_id[:80]!r} is not among the methods of the customer "
            "who placed this order; get_user_details lists them",
        )
    return method


def show_customer(world: World, customer: Record) -> Record:
    """A customer's profile as the agent reads it."""
    user_id = customer["user_id"]
    methods = world.rows(
        "SELECT * FROM payment_methods WHERE user_id = ? ORDER BY payment_method_id", user_id
    )
    orders = world.rows("SELECT order_id FROM orders WHERE user_id = ? ORDER BY order_id", user_id)
    return {
        "name": {"first_name": customer["first_name"], "last_name": customer["last_name"]},
        "address": {part: customer[part] for part in ADDRESS},
        "email": customer["email"],
        "payment_methods": {one["payment_method_id"]: _show_method(one) for one in methods},
        "orders": [order["order_id"] for order in orders],
    }


def _show_method(method: Record) -> Record:
    shown = {"source": method["source"], "id": method["payment_method_id"]}
    if method["source"] == "credit_card":
        shown |= {"brand": method["brand"], "last_four": method["last_four"]}
    if method["source"] == "gift_card":
        shown |= {"balance": dollars(method["balance_cents"])}
    return shown


def show_order(world: World, order_id: str) -> Record:
    """An order in its present state as the agent reads it; equal items are listed one by one."""
    order = find_order(world, order_id)
    rows = world.rows(_ITEMS, order_id)
    shown = {
        "order_id": order_id,
        "user_id": order["user_id"],
        "address": {part: order[part] for part in ADDRESS},
        "items": [_show_item(row) for row in rows for _ in range(row["quantity"])],
        "fulfillments": _show_shipments(rows),
        "status": order["status"],
        "payment_history": [
            {
                "transaction_type": payment["transaction_type"],
                "amount": dollars(payment["amount_cents"]),
                "payment_method_id": payment["payment_method_id"],
            }
            for payment in world.rows(_PAYMENTS, order_id)
        ],
    }
    if order["cancel_reason"] is not None:
        shown["cancel_reason"] = order["cancel_reason"]
    if order["return_payment_method_id"] is not None:
        shown["return_items"] = _requested(world, order_id, "return")
        shown["return_payment_method_id"] = order["return_payment_method_id"]
    if order["exchange_payment_method_id"] is not None:
        shown["exchange_items"] = _requested(world, order_id, "exchange")
        shown["exchange_new_items"] = _requested(world, order_id, "replacement")
        shown["exchange_payment_method_id"] = order["exchange_payment_method_id"]
        shown["exchange_price_difference"] = dollars(order["exchange_price_difference_cents"])
    return shown


def _show_item(row: Record) -> Record:
    return {
        "name": row["name"],
        "product_id": row["product_id"],
        "item_id": row["item_id"],
        "price": dollars(row["price_cents"]),
        "options": json.loads(row["options"]),
    }


def _show_shipments(rows: list[Record]) -> list[Record]:
    parcels: dict[str, list[str]] = {}
    for row in rows:
        if row["tracking_id"] is not None:
            parcels.setdefault(row["tracking_id"], []).extend([row["item_id"]] * row["quantity"])
    return [
        {"tracking_id": [tracking_id], "item_ids": items}
        for tracking_id, items in sorted(parcels.items())
    ]


def _requested(world: World, order_id: str, role: str) -> list[str]:
    rows = world.rows(_REQUESTED, order_id)
    return [row["item_id"] for row in rows if row["role"] == role for _ in range(row["quantity"])]


def paid_with(world: World, order_id: str) -> dict[str, int]:
    """What each payment method has paid for an order and not got back, in cents; none is zero."""
    return {row["payment_method_id"]: row["net_cents"] for row in world.rows(_NET, order_id)}


def require_balance(method: Record, cents: int, *, rule: str) -> None:
    """Refuse a gift card that does not hold an amount.

    Raises:
        Refused: under `rule`, with both amounts.
    """
    if method["source"] == "gift_card" and method["balance_cents"] < cents:
        raise Refused(
            rule,
            f"gift card {method['payment_method_id']} holds {dollars(method['balance_cents']):.2f} "
            f"dollars and cannot pay {dollars(cents):.2f}",
        )


def move_money(world: World, order_id: str, method: Record, *, cents: int) -> None:
    """Charge a method (positive cents) or refund it (negative), with a line in the history.

    A gift card's balance follows at once; nothing happens for zero cents.
    """
    if cents == 0:
        return
    world.write(
        "INSERT INTO payments (payment_id, order_id, transaction_type, amount_cents,"
        " payment_method_id) VALUES (?, ?, ?, ?, ?)",
        f"pay_new_{world.next_id('payments'):06d}",
        order_id,
        "payment" if cents > 0 else "refund",
        abs(cents),
        method["payment_method_id"],
    )
    if method["source"] == "gift_card":
        world.write(
            "UPDATE payment_methods SET balance_cents = balance_cents - ?"
            " WHERE payment_method_id = ?",
            cents,
            method["payment_method_id"],
        )
