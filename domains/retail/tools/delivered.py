"""Tools that take back or exchange items of an order which has been delivered."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from collections import Counter
from typing import Any

from tau_env.domains.retail.tools._records import (
    find_method,
    find_order,
    paid_with,
    require_balance,
    show_order,
)
from tau_env.domains.retail.tools._swaps import (
    held_items,
    price_difference,
    require_held,
    require_pairs,
)
from tau_env.errors import Refused
from tau_env.world.database import World
from tau_env.world.tool import tool


def _require_delivered(order: dict[str, Any], *, rule: str, what: str) -> None:
    if order["status"] != "delivered":
        raise Refused(
            rule,
            f"{what} needs an order with status 'delivered'; the status of {order['order_id']} "
            f"is '{order['status']}'",
        )


def _request(world: World, order_id: str, role: str, items: Counter[str]) -> None:
    for item_id, quantity in items.items():
        world.write(
            "INSERT INTO requested_items (order_id, role, item_id, quantity) VALUES (?, ?, ?, ?)",
            order_id,
            role,
            item_id,
            quantity,
        )


@tool(
    kind="write",
    needs_yes=True,
    rules=("R6.1", "R6.2", "R6.5"),
    verbs=("return",),
    identifies=("order_id",),
)
def return_delivered_order_items(
    world: World, order_id: str, item_ids: list[str], payment_method_id: str
) -> dict[str, Any]:
    """Request the return of items of a delivered order, once per order.

    Needs the customer's explicit yes to the stated details.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
        item_ids: The item ids to return, all in one call; an item held twice may stand twice.
        payment_method_id: Where the refund goes: the original payment method of the order, or a
            gift card of the customer.
    """
    order = find_order(world, order_id)
    _require_delivered(order, rule="R6.1", what="a return")
    method = find_method(world, payment_method_id, user_id=order["user_id"])
    original = paid_with(world, order_id)
    if method["source"] != "gift_card" and payment_method_id not in original:
        raise Refused(
            "R6.2",
            f"{order_id} was paid with {' and '.join(original)}: the refund goes there or to a "
            f"gift card of the customer, not to {payment_method_id}",
        )
    items = require_held(held_items(world, order_id), item_ids, rule="R6.1")
    _request(world, order_id, "return", items)
    world.write(
        "UPDATE orders SET status = 'return requested', return_payment_method_id = ?"
        " WHERE order_id = ?",
        payment_method_id,
        order_id,
    )
    return show_order(world, order_id)


@tool(
    kind="write",
    needs_yes=True,
    rules=("R6.3", "R6.4", "R6.5"),
    verbs=("exchange",),
    identifies=("order_id",),
    amounts=("result.exchange_price_difference",),
)
def exchange_delivered_order_items(
    world: World,
    order_id: str,
    item_ids: list[str],
    new_item_ids: list[str],
    payment_method_id: str,
) -> dict[str, Any]:
    """Request the exchange of items of a delivered order for other variants, once per order.

    Needs the customer's explicit yes to the stated details. The result has the price difference
    in dollars: positive if the customer pays it, negative if it is refunded.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
        item_ids: The item ids to exchange, all in one call; an item held twice may stand twice.
        new_item_ids: The new item id for each of them, in the same order.
        payment_method_id: The customer's payment method that pays the price difference or gets
            it back.
    """
    order = find_order(world, order_id)
    _require_delivered(order, rule="R6.3", what="an exchange")
    method = find_method(world, payment_method_id, user_id=order["user_id"])
    held = held_items(world, order_id)
    pairs = require_pairs(item_ids, new_item_ids)
    items = require_held(held, item_ids, rule="R6.3")
    difference = price_difference(world, held, pairs, rule="R6.3", same=True)
    require_balance(method, difference, rule="R6.4")
    _request(world, order_id, "exchange", items)
    _request(world, order_id, "replacement", Counter(new_item_ids))
    world.write(
        "UPDATE orders SET status = 'exchange requested', exchange_payment_method_id = ?,"
        " exchange_price_difference_cents = ? WHERE order_id = ?",
        payment_method_id,
        difference,
        order_id,
    )
    return show_order(world, order_id)
