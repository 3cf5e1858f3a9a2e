"""What the retail tools do to the cent, and that they and the policy agree without sharing code."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_env.domains.retail import DOMAIN
from tau_env.domains.retail.policy import RULES, WRITES
from tau_env.schema import Call
from tau_env.world.database import World
from tau_env.world.rules import Deed

Rows = list[dict[str, Any]]


@pytest.fixture
def world() -> Iterator[World]:
    made = DOMAIN.open()
    yield made
    made.close()


def call(world: World, name: str, **arguments: Any) -> Call:
    return DOMAIN.toolbox.call(world, name, arguments)


def done(world: World, name: str, **arguments: Any) -> dict[str, Any]:
    made = call(world, name, **arguments)
    assert made.error is None, made.result
    found: dict[str, Any] = json.loads(made.result)
    return found


def refused(world: World, name: str, **arguments: Any) -> str:
    before = world.outcome()
    made = call(world, name, **arguments)
    assert made.error == "refused"
    assert made.changes == ()
    assert world.outcome() == before
    return made.result


def balance(world: World, card: str) -> int:
    row = world.row("SELECT balance_cents FROM payment_methods WHERE payment_method_id = ?", card)
    assert row is not None
    return int(row["balance_cents"])


def first(world: World, sql: str, *values: Any) -> dict[str, Any]:
    row = world.row(sql, *values)
    assert row is not None, "the company has no such record"
    return row


GIFT_ORDER = """
SELECT o.*, p.payment_method_id AS card, p.amount_cents AS cents FROM orders o
JOIN payments p USING (order_id) WHERE o.status = 'pending' AND p.payment_method_id LIKE 'gift%'
AND (SELECT count(*) FROM payments q WHERE q.order_id = o.order_id) = 1
"""
SWAP = """
SELECT o.order_id, o.user_id, i.item_id AS old, v.item_id AS new, i.price_cents AS paid,
  v.price_cents AS price, m.payment_method_id AS method, m.balance_cents AS balance
FROM orders o JOIN order_items i USING (order_id) JOIN variants w ON w.item_id = i.item_id
JOIN variants v ON v.product_id = w.product_id JOIN payment_methods m USING (user_id)
WHERE v.available AND v.item_id <> i.item_id AND v.price_cents <> i.price_cents
"""


def test_cancel_refunds_the_gift_card_at_once(world: World) -> None:
    order = first(world, GIFT_ORDER)
    before = balance(world, order["card"])
    result = done(
        world, "cancel_pending_order", order_id=order["order_id"], reason="ordered by mistake"
    )
    assert result["status"] == "cancelled"
    assert result["cancel_reason"] == "ordered by mistake"
    assert result["payment_history"][-1] == {
        "transaction_type": "refund",
        "amount": order["cents"] / 100,
        "payment_method_id": order["card"],
    }
    assert balance(world, order["card"]) == before + order["cents"]


def test_cancel_refunds_only_who_has_paid(world: World) -> None:
    order = first(
        world,
        "SELECT order_id FROM orders o WHERE status = 'pending' AND"
        " (SELECT count(*) FROM payments p WHERE p.order_id = o.order_id) = 3",
    )["order_id"]
    lines = done(world, "cancel_pending_order", order_id=order, reason="no longer needed")
    net: dict[str, float] = {}
    for line in lines["payment_history"]:
        sign = 1 if line["transaction_type"] == "payment" else -1
        method = line["payment_method_id"]
        net[method] = round(net.get(method, 0) + sign * line["amount"], 2)
    assert len(lines["payment_history"]) == 4
    assert set(net.values()) == {0}


@pytest.mark.parametrize("status", ["processed", "delivered", "pending (item modified)"])
def test_cancel_names_the_status_that_forbids_it(world: World, status: str) -> None:
    order = first(world, "SELECT order_id FROM orders WHERE status = ?", status)["order_id"]
    text = refused(world, "cancel_pending_order", order_id=order, reason="no longer needed")
    assert f"'{status}'" in text


def test_item_change_moves_the_difference_and_is_done_once(world: World) -> None:
    row = first(world, SWAP + " AND o.status = 'pending' AND m.source = 'credit_card'")
    arguments = {
        "order_id": row["order_id"],
        "item_ids": [row["old"]],
        "new_item_ids": [row["new"]],
        "payment_method_id": row["method"],
    }
    result = done(world, "modify_pending_order_items", **arguments)
    difference = row["price"] - row["paid"]
    assert result["status"] == "pending (item modified)"
    assert result["price_difference"] == difference / 100
    assert result["payment_history"][-1] == {
        "transaction_type": "payment" if difference > 0 else "refund",
        "amount": abs(difference) / 100,
        "payment_method_id": row["method"],
    }
    assert row["new"] in [item["item_id"] for item in result["items"]]
    back = arguments | {"item_ids": [row["new"]], "new_item_ids": [row["old"]]}
    refused(world, "modify_pending_order_items", **back)
    refused(world, "cancel_pending_order", order_id=row["order_id"], reason="no longer needed")
    for law in DOMAIN.laws:
        assert world.rows(law.sql) == [], law.name


def test_gift_card_that_is_too_small_pays_no_difference(world: World) -> None:
    row = first(
        world,
        SWAP + " AND o.status = 'pending' AND m.balance_cents < v.price_cents - i.price_cents",
    )
    text = refused(
        world,
        "modify_pending_order_items",
        order_id=row["order_id"],
        item_ids=[row["old"]],
        new_item_ids=[row["new"]],
        payment_method_id=row["method"],
    )
    assert f"{row['balance'] / 100:.2f}" in text


def two_swaps(world: World) -> tuple[str, list[str], list[str], str]:
    """An order with two items of different products, and a new variant for each."""
    rows = world.rows(SWAP + " AND o.status = 'pending' AND m.source = 'paypal'")
    for one in rows:
        for other in rows:
            same = one["order_id"] == other["order_id"]
            if same and one["old"] < other["old"] and not {one["new"]} & {other["new"]}:
                swaps = [one, other]
                products = {
                    first(
                        world, "SELECT product_id AS p FROM variants WHERE item_id = ?", s["old"]
                    )["p"]
                    for s in swaps
                }
                if len(products) == 2:
                    olds, news = [s["old"] for s in swaps], [s["new"] for s in swaps]
                    return one["order_id"], olds, news, one["method"]
    raise AssertionError("the company has no such order")


def test_pairs_in_any_order_leave_the_same_world(world: World) -> None:
    order, olds, news, method = two_swaps(world)
    outcomes = []
    for step in (1, -1):
        world.begin()
        done(
            world,
            "modify_pending_order_items",
            order_id=order,
            item_ids=olds[::step],
            new_item_ids=news[::step],
            payment_method_id=method,
        )
        outcomes.append(world.outcome())
    assert outcomes[0] == outcomes[1]


def test_crossed_pairs_are_refused(world: World) -> None:
    order, olds, news, method = two_swaps(world)
    text = refused(
        world,
        "modify_pending_order_items",
        order_id=order,
        item_ids=olds,
        new_item_ids=news[::-1],
        payment_method_id=method,
    )
    assert "same product" in text


def test_item_held_twice_can_be_changed_once_or_twice(world: World) -> None:
    row = first(
        world, SWAP + " AND o.status = 'pending' AND i.quantity = 2 AND m.balance_cents IS NULL"
    )
    held = "SELECT item_id, quantity FROM order_items WHERE order_id = ? AND item_id IN (?, ?)"
    for count in (1, 2):
        world.begin()
        done(
            world,
            "modify_pending_order_items",
            order_id=row["order_id"],
            item_ids=[row["old"]] * count,
            new_item_ids=[row["new"]] * count,
            payment_method_id=row["method"],
        )
        lines = world.rows(held, row["order_id"], row["old"], row["new"])
        quantities = {line["item_id"]: line["quantity"] for line in lines}
        kept = {row["old"]: 2 - count} if count < 2 else {}
        assert quantities == kept | {row["new"]: count}
    world.begin()
    refused(
        world,
        "modify_pending_order_items",
        order_id=row["order_id"],
        item_ids=[row["old"]] * 3,
        new_item_ids=[row["new"]] * 3,
        payment_method_id=row["method"],
    )


def test_payment_moves_once_and_refunds_the_old_method(world: World) -> None:
    order = first(
        world,
        GIFT_ORDER + " AND EXISTS (SELECT 1 FROM payment_methods m WHERE m.user_id = o.user_id"
        " AND m.source <> 'gift_card')",
    )
    new = first(
        world,
        "SELECT * FROM payment_methods WHERE user_id = ? AND source <> 'gift_card'",
        order["user_id"],
    )["payment_method_id"]
    before = balance(world, order["card"])
    arguments = {"order_id": order["order_id"], "payment_method_id": new}
    result = done(world, "modify_pending_order_payment", **arguments)
    kinds = [line["transaction_type"] for line in result["payment_history"]]
    assert kinds == ["payment", "payment", "refund"]
    assert balance(world, order["card"]) == before + order["cents"]
    refused(world, "modify_pending_order_payment", **arguments)
    arguments["payment_method_id"] = order["card"]
    refused(world, "modify_pending_order_payment", **arguments)


def test_return_goes_to_the_payer_or_a_gift_card_only(world: World) -> None:
    orders = world.rows(
        "SELECT o.order_id, o.user_id, p.payment_method_id AS payer, min(i.item_id) AS item"
        " FROM orders o JOIN payments p USING (order_id) JOIN order_items i USING (order_id)"
        " WHERE o.status = 'delivered' GROUP BY o.order_id ORDER BY o.order_id LIMIT 60"
    )
    seen = set()
    for order in orders:
        for method in world.rows(
            "SELECT * FROM payment_methods WHERE user_id = ?", order["user_id"]
        ):
            world.begin()
            allowed = (
                method["source"] == "gift_card" or method["payment_method_id"] == order["payer"]
            )
            made = call(
                world,
                "return_delivered_order_items",
                order_id=order["order_id"],
                item_ids=[order["item"]],
                payment_method_id=method["payment_method_id"],
            )
            assert (made.error is None) == allowed
            seen.add(allowed)
            if allowed:
                result = json.loads(made.result)
                assert result["status"] == "return requested"
                assert result["return_items"] == [order["item"]]
                assert {change.table for change in made.changes} == {"orders", "requested_items"}
    assert seen == {True, False}


def test_exchange_counts_with_the_price_paid(world: World) -> None:
    row = first(
        world,
        SWAP + " AND o.status = 'delivered' AND m.source = 'paypal' AND i.price_cents <>"
        " w.price_cents AND i.quantity = 1",
    )
    result = done(
        world,
        "exchange_delivered_order_items",
        order_id=row["order_id"],
        item_ids=[row["old"]],
        new_item_ids=[row["new"]],
        payment_method_id=row["method"],
    )
    assert result["exchange_price_difference"] == (row["price"] - row["paid"]) / 100
    assert result["exchange_items"] == [row["old"]]
    assert result["exchange_new_items"] == [row["new"]]
    assert result["status"] == "exchange requested"


def test_foreign_payment_method_is_unknown_and_tells_nothing(world: World) -> None:
    row = first(world, SWAP + " AND o.status = 'delivered'")
    stranger = first(
        world,
        "SELECT payment_method_id AS m FROM payment_methods WHERE user_id <> ?",
        row["user_id"],
    )["m"]
    made = call(
        world,
        "return_delivered_order_items",
        order_id=row["order_id"],
        item_ids=[row["old"]],
        payment_method_id=stranger,
    )
    assert made.error == "refused"
    assert made.subjects == (row["user_id"],)


def test_address_keeps_what_the_agent_wrote_without_blanks(world: World) -> None:
    order = first(world, "SELECT * FROM orders WHERE status = 'pending (item modified)'")
    address = {
        "address1": " 1 New Street ",
        "address2": "",
        "city": "Reno",
        "state": "NV",
        "country": "USA",
        "zip": "89501",
    }
    arguments = {"order_id": order["order_id"], **address}
    result = done(world, "modify_pending_order_address", **arguments)
    assert result["address"] == address | {"address1": "1 New Street"}
    refused(world, "modify_pending_order_address", **(arguments | {"city": "  "}))
    profile = done(world, "modify_user_address", user_id=order["user_id"], **address)
    assert profile["address"]["address1"] == "1 New Street"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_order_details", {"order_id": "W1000001"}),
        ("get_order_details", {"order_id": "%"}),
        ("get_order_details", {"order_id": "#W1000001' OR '1'='1"}),
        ("get_user_details", {"user_id": "%"}),
        ("get_product_details", {"product_id": "retail-cancel-pending-003"}),
        ("find_user_id_by_email", {"email": "%@example.com"}),
        ("find_user_id_by_name_zip", {"first_name": "%", "last_name": "%", "zip": "%"}),
        ("calculate", {"expression": "9**9**9"}),
    ],
)
def test_lookup_takes_no_wildcards(world: World, tool: str, arguments: dict[str, str]) -> None:
    assert refused(world, tool, **arguments).startswith("Error: ")


def test_identity_is_found_in_any_case(world: World) -> None:
    customer = first(world, "SELECT * FROM customers")
    by_email = call(world, "find_user_id_by_email", email=f" {customer['email'].upper()} ")
    by_name = call(
        world,
        "find_user_id_by_name_zip",
        first_name=customer["first_name"].lower(),
        last_name=customer["last_name"].upper(),
        zip=customer["zip"],
    )
    assert by_email.result == by_name.result == customer["user_id"]
    assert by_email.subjects == (customer["user_id"],)


def test_catalogue_concerns_nobody(world: World) -> None:
    listed = call(world, "list_all_product_types")
    products = json.loads(listed.result)
    assert len(products) == 50
    shown = call(world, "get_product_details", product_id=next(iter(products.values())))
    assert listed.subjects == shown.subjects == ()
    for variant_id, variant in json.loads(shown.result)["variants"].items():
        assert variant["item_id"] == variant_id
        assert set(variant) == {"item_id", "options", "available", "price"}


def draw_call(rng: random.Random, world: World) -> tuple[str, str, dict[str, Any]]:
    """A call with plausible arguments: the customer, the tool, the arguments."""
    tool = rng.choice([name for name in WRITES if name != "modify_user_address"])
    order = rng.choice(world.rows("SELECT * FROM orders ORDER BY order_id"))
    customer = order["user_id"]
    methods = world.rows(
        "SELECT payment_method_id AS m FROM payment_methods WHERE user_id = ? ORDER BY 1", customer
    )
    items = world.rows(
        "SELECT i.item_id, v.product_id FROM order_items i JOIN variants v USING (item_id)"
        " WHERE order_id = ? ORDER BY 1",
        order["order_id"],
    )
    chosen = rng.choices(items, k=rng.choice([1, 1, 2]))
    news = [
        rng.choice(
            world.rows(
                "SELECT item_id FROM variants WHERE product_id = ? ORDER BY 1", one["product_id"]
            )
        )["item_id"]
        for one in chosen
    ]
    everything: dict[str, Any] = {
        "order_id": order["order_id"],
        "reason": "no longer needed",
        "payment_method_id": rng.choice(methods)["m"],
        "item_ids": [one["item_id"] for one in chosen],
        "new_item_ids": news,
        **dict.fromkeys(("address1", "address2", "city", "state"), "Somewhere 1"),
        "country": "USA",
        "zip": "10001",
    }
    wanted = DOMAIN.spec.tools[tool].parameters["properties"]
    return customer, tool, {name: everything[name] for name in wanted}


@pytest.fixture(scope="module")
def shared() -> Iterator[World]:
    made = DOMAIN.open()
    yield made
    made.close()


@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_tool_refuses_exactly_what_the_policy_forbids(shared: World, seed: int) -> None:
    """F40, F127: policy and tools are read apart and allow the same."""
    world = shared
    world.begin()
    customer, tool, arguments = draw_call(random.Random(seed), world)
    deed = Deed(
        world=world,
        customer=customer,
        tool=tool,
        arguments=arguments,
        looked_up=("get_order_details",),
    )
    broken = RULES.broken(deed)
    made = DOMAIN.toolbox.call(world, tool, arguments)
    assert (made.error is None) == (not broken), (broken, made.result)
    assert all(f"tool:{tool}" in RULES.by[rule] for rule in broken)
