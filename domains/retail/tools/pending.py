"""Tools that change or cancel an order which has not been processed yet."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from tau_env.domains.retail.tools._records import (
    find_method,
    find_order,
    move_money,
    paid_with,
    require_balance,
    show_order,
)
from tau_env.domains.retail.tools._swaps import (
    Held,
    held_items,
    price_difference,
    require_held,
    require_pairs,
)
from tau_env.domains.retail.tools.profile import checked_address
from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World
from tau_env.world.tool import tool

Reason = Literal["no longer needed", "ordered by mistake"]


def _require_pending(order: dict[str, Any], *, rule: str, what: str) -> None:
    if order["status"] != "pending":
        raise Refused(
            rule,
            f"{what} needs an order with status 'pending'; the status of {order['order_id']} is "
            f"'{order['status']}'",
        )


@tool(
    kind="write",
    needs_yes=True,
    rules=("R4.1", "R4.2", "R4.3", "R5.5"),
    verbs=("cancel",),
    identifies=("order_id",),
)
def cancel_pending_order(world: World, order_id: str, reason: Reason) -> dict[str, Any]:
    """Cancel a pending order as a whole and refund what was paid to where it came from.

    Needs the customer's explicit yes to the stated details.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
        reason: Why the customer cancels.
    """
    order = find_order(world, order_id)
    _require_pending(order, rule="R4.1", what="a cancellation")
    world.write(
        "UPDATE orders SET status = 'cancelled', cancel_reason = ? WHERE order_id = ?",
        reason,
        order_id,
    )
    for payment_method_id, cents in paid_with(world, order_id).items():
        method = find_method(world, payment_method_id, user_id=order["user_id"])
        move_money(world, order_id, method, cents=-cents)
    return show_order(world, order_id)


@tool(
    kind="write",
    needs_yes=True,
    rules=("R5.1",),
    verbs=("modify_address",),
    identifies=("order_id",),
)
def modify_pending_order_address(
    world: World,
    order_id: str,
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,
) -> dict[str, Any]:
    """Change the shipping address of a pending order.

    Needs the customer's explicit yes to the stated details.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
        address1: House number and street, such as '12 Elm Street'.
        address2: Apartment or suite, such as 'Apt 4'; an empty text if there is none.
        city: The city, such as 'Chicago'.
        state: The state's two letters, such as 'IL'.
        country: The country, such as 'USA'.
        zip: The zip code, such as '60614'.
    """
    order = find_order(world, order_id)
    if not order["status"].startswith("pending"):
        raise Refused(
            "R5.1",
            f"the address of {order_id} can no longer be changed: its status is "
            f"'{order['status']}', not pending",
        )
    address = checked_address(address1, address2, city, state, country, zip)
    world.write(
        "UPDATE orders SET address1 = ?, address2 = ?, city = ?, state = ?, country = ?, zip = ?"
        " WHERE order_id = ?",
        *address,
        order_id,
    )
    return show_order(world, order_id)


@tool(
    kind="write",
    needs_yes=True,
    rules=("R5.2", "R5.3", "R5.4", "R5.5"),
    verbs=("modify_items",),
    identifies=("order_id",),
    amounts=("result.price_difference",),
)
def modify_pending_order_items(
    world: World,
    order_id: str,
    item_ids: list[str],
    new_item_ids: list[str],
    payment_method_id: str,
) -> dict[str, Any]:
    """Change items of a pending order to other variants of the same products, once per order.

    Needs the customer's explicit yes to the stated details. The result has the price difference
    in dollars: positive if the customer pays it, negative if it is refunded.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
        item_ids: The item ids to change, all in one call; an item held twice may stand twice.
        new_item_ids: The new item id for each of them, in the same order.
        payment_method_id: The customer's payment method that pays the price difference or gets
            it back.
    """
    order = find_order(world, order_id)
    _require_pending(order, rule="R5.2", what="a change of items")
    method = find_method(world, payment_method_id, user_id=order["user_id"])
    held = held_items(world, order_id)
    pairs = require_pairs(item_ids, new_item_ids)
    require_held(held, item_ids, rule="R5.3")
    difference = price_difference(world, held, pairs, rule="R5.3")
    require_balance(method, difference, rule="R5.4")
    _replace(world, order_id, held, pairs)
    world.write("UPDATE orders SET status = 'pending (item modified)' WHERE order_id = ?", order_id)
    move_money(world, order_id, method, cents=difference)
    return show_order(world, order_id) | {"price_difference": dollars(difference)}


def _replace(
    world: World, order_id: str, held: dict[str, Held], pairs: list[tuple[str, str]]
) -> None:
    """Write the lines of an order whose quantity changes; the order of the pairs is no matter."""
    before = Counter({item_id: line.quantity for item_id, line in held.items()})
    after = before - Counter(old for old, _ in pairs) + Counter(new for _, new in pairs)
    where = "WHERE order_id = ? AND item_id = ?"
    for item_id in before | after:
        quantity = after[item_id]
        if not quantity:
            world.write(f"DELETE FROM order_items {where}", order_id, item_id)
        elif item_id not in held:
            world.write(
                "INSERT INTO order_items (order_id, item_id, quantity, price_cents)"
                " SELECT ?, item_id, ?, price_cents FROM variants WHERE item_id = ?",
                order_id,
                quantity,
                item_id,
            )
        elif quantity != before[item_id]:
            sql = f"UPDATE order_items SET quantity = ? {where}"
            world.write(sql, quantity, order_id, item_id)


@tool(
    kind="write",
    needs_yes=True,
    rules=("R5.5", "R5.6"),
    verbs=("modify_payment",),
    identifies=("order_id",),
)
def modify_pending_order_payment(
    world: World, order_id: str, payment_method_id: str
) -> dict[str, Any]:
    """Move the payment of a pending order to another of the customer's payment methods.

    Needs the customer's explicit yes to the stated details.

    Args:
        order_id: The order id with its '#', such as '#W1234567'.
        payment_method_id: The method that pays from now on.
    """
    order = find_order(world, order_id)
    _require_pending(order, rule="R5.6", what="a change of payment")
    new = find_method(world, payment_method_id, user_id=order["user_id"])
    history = world.rows("SELECT payment_method_id FROM payments WHERE order_id = ?", order_id)
    if len(history) != 1:
        raise Refused(
            "R5.6",
            f"the payment of {order_id} has been changed before; it can be changed only once",
        )
    (old_id, cents) = next(iter(paid_with(world, order_id).items()))
    if old_id == payment_method_id:
        raise Refused("R5.6", f"{order_id} is paid with {payment_method_id} already")
    require_balance(new, cents, rule="R5.6")
    old = find_method(world, old_id, user_id=order["user_id"])
    move_money(world, order_id, new, cents=cents)
    move_money(world, order_id, old, cents=-cents)
    return show_order(world, order_id)
