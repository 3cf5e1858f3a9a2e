"""Who holds each rule of policies/retail.md, and one predicate per rule over a call.

A predicate is False if the call, in its circumstances, breaks the rule. Rules about what is said
are broken by no call. Tools never use this module: the two must agree without sharing code.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tau_env.world.rules import Deed, RuleBook

RULES = RuleBook()

CANCEL = "cancel_pending_order"
ADDRESS = "modify_pending_order_address"
ITEMS = "modify_pending_order_items"
PAYMENT = "modify_pending_order_payment"
PROFILE = "modify_user_address"
RETURN = "return_delivered_order_items"
EXCHANGE = "exchange_delivered_order_items"
TRANSFER = "transfer_to_human_agents"
WRITES = (CANCEL, ADDRESS, ITEMS, PAYMENT, PROFILE, RETURN, EXCHANGE)
SWAPS = (ITEMS, EXCHANGE)
IDENTITY = ("find_user_id_by_email", "find_user_id_by_name_zip")
REASONS = ("no longer needed", "ordered by mistake")


def _order(deed: Deed) -> dict[str, Any]:
    """The order that a call names; an empty one if there is none."""
    found = deed.world.row(
        "SELECT * FROM orders WHERE order_id = ?", deed.arguments.get("order_id", "")
    )
    return found or {"order_id": "", "user_id": "", "status": ""}


def _status(deed: Deed) -> str:
    return str(_order(deed)["status"])


def _method(deed: Deed) -> dict[str, Any] | None:
    """The customer's payment method that a call names."""
    return deed.world.row(
        "SELECT * FROM payment_methods WHERE payment_method_id = ? AND user_id = ?",
        deed.arguments.get("payment_method_id", ""),
        deed.customer,
    )


def _net_paid(deed: Deed) -> dict[str, int]:
    net: Counter[str] = Counter()
    for line in deed.world.rows(
        "SELECT * FROM payments WHERE order_id = ?", deed.arguments["order_id"]
    ):
        sign = 1 if line["transaction_type"] == "payment" else -1
        net[line["payment_method_id"]] += sign * line["amount_cents"]
    return {method: cents for method, cents in net.items() if cents > 0}


def _difference(deed: Deed) -> int:
    """What new items cost more than was paid for the old ones, in cents."""
    total = 0
    pairs = zip(deed.arguments["item_ids"], deed.arguments["new_item_ids"], strict=False)
    for old, new in pairs:
        paid = deed.world.row(
            "SELECT price_cents FROM order_items WHERE order_id = ? AND item_id = ?",
            deed.arguments["order_id"],
            old,
        )
        price = deed.world.row("SELECT price_cents FROM variants WHERE item_id = ?", new)
        total += (price or {"price_cents": 0})["price_cents"]
        total -= (paid or {"price_cents": 0})["price_cents"]
    return total


def _covered(deed: Deed, cents: int) -> bool:
    method = _method(deed)
    return method is not None and (
        method["source"] != "gift_card" or method["balance_cents"] >= cents
    )


def _items_held(deed: Deed) -> bool:
    held = {
        row["item_id"]: row["quantity"]
        for row in deed.world.rows(
            "SELECT item_id, quantity FROM order_items WHERE order_id = ?",
            deed.arguments["order_id"],
        )
    }
    wanted = Counter(deed.arguments["item_ids"])
    return bool(wanted) and all(held.get(item, 0) >= count for item, count in wanted.items())


def _swaps_allowed(deed: Deed) -> bool:
    """Whether each new item is an available variant of the old one's product."""
    old, new = deed.arguments["item_ids"], deed.arguments["new_item_ids"]
    if len(old) != len(new) or not _items_held(deed):
        return False
    return all(
        deed.world.row(
            "SELECT 1 FROM variants a JOIN variants b USING (product_id)"
            " WHERE a.item_id = ? AND b.item_id = ? AND b.available",
            one,
            other,
        )
        is not None
        for one, other in zip(old, new, strict=True)
    )


@RULES.rule("R1.1", by=("grader:conduct",))
@RULES.rule("R1.2", by=("grader:conduct",))
def _identity_first(deed: Deed) -> bool:
    return deed.identified or deed.tool not in WRITES


@RULES.rule("R1.3", by=("grader:conduct", "grader:state"))
def _own_records_only(deed: Deed) -> bool:
    if deed.tool not in WRITES:
        return True
    owner = deed.arguments.get("user_id") or _order(deed)["user_id"]
    return owner in ("", deed.customer)


@RULES.rule("R1.4", by=("grader:conduct",))
@RULES.rule("R2.2", by=("grader:outputs", "grader:path"))
@RULES.rule("R2.3", by=("grader:outputs",))
@RULES.rule("R3.8", by=("grader:conduct",))
@RULES.rule("R7.1", by=("grader:outputs",))
def _about_words_only(deed: Deed) -> bool:
    return True


@RULES.rule("R2.1", by=("grader:path",))
def _order_looked_up(deed: Deed) -> bool:
    about_an_order = deed.tool in WRITES and deed.tool != PROFILE
    return not about_an_order or "get_order_details" in deed.looked_up


@RULES.rule("R2.4", by=("grader:state", "grader:path"))
@RULES.rule("R3.1", by=("grader:confirmation",))
@RULES.rule("R3.2", by=("grader:confirmation",))
@RULES.rule("R3.3", by=("grader:confirmation",))
@RULES.rule("R3.4", by=("grader:confirmation",))
@RULES.rule("R3.5", by=("grader:confirmation",))
@RULES.rule("R3.6", by=("grader:confirmation",))
@RULES.rule("R3.7", by=("grader:state", "grader:conduct"))
@RULES.rule("R7.2", by=("grader:state",))
def _agreed(deed: Deed) -> bool:
    return deed.agreed or deed.tool not in WRITES


@RULES.rule("R4.1", by=(f"tool:{CANCEL}",))
def _cancel_pending_only(deed: Deed) -> bool:
    return deed.tool != CANCEL or _status(deed) == "pending"


@RULES.rule("R4.2", by=(f"tool:{CANCEL}", "grader:state"))
def _cancel_for_a_reason(deed: Deed) -> bool:
    return deed.tool != CANCEL or deed.arguments["reason"] in REASONS


@RULES.rule("R4.3", by=(f"tool:{CANCEL}",))
def _refund_where_it_came_from(deed: Deed) -> bool:
    # The tool takes no destination, so there is none to get wrong.
    return deed.tool != CANCEL or "payment_method_id" not in deed.arguments


@RULES.rule("R5.1", by=(f"tool:{ADDRESS}",))
def _address_while_pending(deed: Deed) -> bool:
    return deed.tool != ADDRESS or _status(deed) in ("pending", "pending (item modified)")


@RULES.rule("R5.2", by=(f"tool:{ITEMS}", "grader:state"))
def _items_once_while_pending(deed: Deed) -> bool:
    return deed.tool != ITEMS or _status(deed) == "pending"


@RULES.rule("R5.3", by=(f"tool:{ITEMS}",))
def _items_to_available_variants(deed: Deed) -> bool:
    if deed.tool != ITEMS:
        return True
    pairs = zip(deed.arguments["item_ids"], deed.arguments["new_item_ids"], strict=False)
    return _swaps_allowed(deed) and all(old != new for old, new in pairs)


@RULES.rule("R5.4", by=(f"tool:{ITEMS}", "grader:state"))
def _item_difference_covered(deed: Deed) -> bool:
    return deed.tool != ITEMS or _covered(deed, _difference(deed))


@RULES.rule("R5.5", by=(f"tool:{CANCEL}", f"tool:{ITEMS}", f"tool:{PAYMENT}"))
def _final_after_item_change(deed: Deed) -> bool:
    return deed.tool not in (CANCEL, ITEMS, PAYMENT) or _status(deed) != "pending (item modified)"


@RULES.rule("R5.6", by=(f"tool:{PAYMENT}",))
def _payment_moved_once(deed: Deed) -> bool:
    if deed.tool != PAYMENT:
        return True
    lines = deed.world.rows(
        "SELECT payment_method_id FROM payments WHERE order_id = ?", deed.arguments["order_id"]
    )
    return (
        _status(deed) == "pending"
        and len(lines) == 1
        and lines[0]["payment_method_id"] != deed.arguments["payment_method_id"]
        and _covered(deed, sum(_net_paid(deed).values()))
    )


@RULES.rule("R5.7", by=("grader:state",))
def _profile_on_request(deed: Deed) -> bool:
    return deed.tool != PROFILE or deed.agreed


@RULES.rule("R6.1", by=(f"tool:{RETURN}",))
def _return_delivered_only(deed: Deed) -> bool:
    return deed.tool != RETURN or (_status(deed) == "delivered" and _items_held(deed))


@RULES.rule("R6.2", by=(f"tool:{RETURN}", "grader:state"))
def _return_refund_destination(deed: Deed) -> bool:
    if deed.tool != RETURN:
        return True
    method = _method(deed)
    return method is not None and (
        method["source"] == "gift_card" or method["payment_method_id"] in _net_paid(deed)
    )


@RULES.rule("R6.3", by=(f"tool:{EXCHANGE}",))
def _exchange_delivered_only(deed: Deed) -> bool:
    return deed.tool != EXCHANGE or (_status(deed) == "delivered" and _swaps_allowed(deed))


@RULES.rule("R6.4", by=(f"tool:{EXCHANGE}", "grader:state"))
def _exchange_difference_covered(deed: Deed) -> bool:
    return deed.tool != EXCHANGE or _covered(deed, _difference(deed))


@RULES.rule("R6.5", by=(f"tool:{RETURN}", f"tool:{EXCHANGE}"))
def _one_request_per_order(deed: Deed) -> bool:
    done = ("return requested", "exchange requested")
    return deed.tool not in (RETURN, EXCHANGE) or _status(deed) not in done


@RULES.rule("R7.3", by=("grader:path",))
@RULES.rule("R7.4", by=("grader:path",))
def _hand_over_after_looking(deed: Deed) -> bool:
    return deed.tool != TRANSFER or (deed.identified and "get_order_details" in deed.looked_up)


@RULES.rule("R7.5", by=("grader:state",))
def _nothing_after_hand_over(deed: Deed) -> bool:
    return all(tool != TRANSFER for tool, _ in deed.earlier)
