"""Swapping items of an order for other variants: what item changes and exchanges share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tau_env.errors import Refused
from tau_env.world.database import World

_HELD = """
SELECT i.item_id, i.quantity, i.price_cents, v.product_id
FROM order_items i JOIN variants v USING (item_id) WHERE i.order_id = ?
"""


@dataclass(frozen=True, slots=True)
class Held:
    """A line of an order: pieces of one item, what was paid for each, and the item's product."""

    quantity: int
    price_cents: int
    product_id: str


def held_items(world: World, order_id: str) -> dict[str, Held]:
    """What an order holds, by item id."""
    return {
        row["item_id"]: Held(row["quantity"], row["price_cents"], row["product_id"])
        for row in world.rows(_HELD, order_id)
    }


def require_held(held: dict[str, Held], item_ids: list[str], *, rule: str) -> Counter[str]:
    """Count the item ids asked for; the order must hold each as often.

    Raises:
        Refused: no item, or one that the order does not hold so often.
    """
    if not item_ids:
        raise Refused(rule, "name at least one item of the order")
    counted = Counter(item_ids)
    for item_id, count in counted.items():
        have = held[item_id].quantity if item_id in held else 0
        if count > have:
            raise Refused(
                rule, f"the order holds item {item_id[:40]!r} {have} times, not {count} times"
            )
    return counted


def price_difference(
    world: World,
    held: dict[str, Held],
    pairs: list[tuple[str, str]],
    *,
    rule: str,
    same: bool = False,
) -> int:
    """What the new items cost more than was paid for the old ones, in cents.

    Args:
        world: the world.
        held: what the order holds; every old item is in it.
        pairs: (old item, new item).
        rule: the policy rule for what may replace what.
        same: whether an item may be replaced by a fresh piece of itself.

    Raises:
        Refused: a new item that does not exist, is the old one, belongs to another product or
            is not available.
    """
    total = 0
    for old, new in pairs:
        variant = world.row(
            "SELECT product_id, price_cents, available FROM variants WHERE item_id = ?", new
        )
        if variant is None:
            raise Refused("", f"new item {new[:40]!r} not found")
        if new == old and not same:
            raise Refused(rule, f"item {old} would be replaced by itself")
        if variant["product_id"] != held[old].product_id:
            raise Refused(rule, f"item {new} is not a variant of the same product as item {old}")
        if not variant["available"]:
            raise Refused(rule, f"item {new} is not available")
        total += variant["price_cents"] - held[old].price_cents
    return total


def require_pairs(item_ids: list[str], new_item_ids: list[str]) -> list[tuple[str, str]]:
    """Pair old items with new ones by position.

    Raises:
        Refused: the lists differ in length.
    """
    if len(item_ids) != len(new_item_ids):
        raise Refused(
            "",
            f"item_ids has {len(item_ids)} entries and new_item_ids {len(new_item_ids)}: each "
            "item needs its new item at the same place",
        )
    return list(zip(item_ids, new_item_ids, strict=True))
