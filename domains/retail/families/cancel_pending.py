"""Cancelling an order: allowed while it is pending, refused for any other status."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.retail.families._build import (
    REFUSAL_RULES,
    look_up,
    make_task,
    money_rows,
    order_row,
)
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import Method, Order, order_ids, read_order
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, maybe_twisted, twin_pairs
from tau_env.family import Twins, family
from tau_env.schema import RowChange, Task, Twist, Want
from tau_env.world.company import Company

REASONS = ("no longer needed", "ordered by mistake")
DECLINES = " The first time you are asked whether to go ahead, say not yet; agree the second time."
FORBIDDEN = ("delivered", "processed", "pending (item modified)", "return requested")


@family(rules=("R4.1", "R4.2", "R4.3"), seed=1, size=16)
def cancel_pending(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a pending order, and one of another status."""

    def pool(status: str) -> Pool[Order]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda order_id: read_order(company, order_id))

    pending = pool("pending")
    for allowed, forbidden in twin_pairs([(pending, pool(status)) for status in FORBIDDEN]):
        reason = rng.choice(REASONS)
        opening = rng.choice(("cancel_order", "cancel_order_reason"))
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, reason, opening, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, _forbidden(rng, forbidden, reason, opening, if_refused))


def _want(order: Order, reason: str) -> Want:
    return Want(do="cancel", slots={"order_id": order.id, "reason": reason})


def _ask_reason(talk: Dialogue, order: Order) -> None:
    name = talk.customer.first_name
    talk.say(
        f"Thank you, {name}. I have found order {order.id}. What is the reason: is it no longer "
        "needed, or was it ordered by mistake?",
        f"Thanks, {name}. Before I go on with order {order.id}: do you no longer need it, or was "
        "it ordered by mistake?",
    )


def cancelled_row(order: Order, reason: str) -> RowChange:
    """What a cancellation leaves of the order itself."""
    return order_row(order, status="cancelled", cancel_reason=reason)


def refunds(order: Order) -> list[tuple[Order, Method, int]]:
    """What flows back when an order is cancelled."""
    return [(order, order.customer.method(one), -cents) for one, cents in order.net.items()]


def refund_text(method: Method) -> str:
    """Where a refund goes and when it is there."""
    when = "at once" if method.source == "gift_card" else "within 5 to 7 business days"
    return f"to your {method.text} {when}"


def _allowed(
    rng: random.Random,
    order: Order,
    reason: str,
    opening: str,
    if_refused: str,
    *,
    twisted: bool,
) -> Task:
    talk = Dialogue(rng, order.customer)
    amount, where = dollars(order.total), refund_text(order.payer)
    talk.identify()
    talk.call("get_order_details", order_id=order.id)
    if opening == "cancel_order":
        _ask_reason(talk, order)
    talk.propose(
        f"Order {order.id} is still pending, so it can be cancelled. I would cancel the whole "
        f"order with the reason '{reason}' and refund {amount} {where}.",
        f"I can cancel order {order.id} for you, as a whole, with the reason '{reason}'. The "
        f"{amount} would go back {where}.",
    )
    if twisted:
        talk.propose(
            f"All right, nothing has been changed. If you do want it, I would cancel order "
            f"{order.id} with the reason '{reason}' and refund {amount} {where}."
        )
    talk.write("cancel_pending_order", order_id=order.id, reason=reason)
    talk.close(
        f"Order {order.id} has been cancelled, and {amount} will be refunded {where}.",
        f"Done: I have cancelled order {order.id}. You get {amount} back {where}.",
    )
    return make_task(
        "fulfil",
        talk,
        opening=opening,
        wants=[_want(order, reason)],
        instruction=_instruction(order, reason, if_refused) + (DECLINES if twisted else ""),
        goal=[cancelled_row(order, reason), *money_rows(*refunds(order))],
        outputs=[money(order.total)],
        required=look_up(order.id),
        if_refused=if_refused,
        twists=[Twist(kind="declines")] if twisted else [],
        rules=_rules_of(opening, declines=twisted),
    )


def _rules_of(opening: str, *, declines: bool) -> tuple[str, ...]:
    """The rules at stake: what the reason is has to be asked unless it has been said."""
    asked = () if opening == "cancel_order_reason" else ("R4.2",)
    return (*(("R3.4",) if declines else ()), "R4.1", *asked, "R4.3")


def _forbidden(
    rng: random.Random, order: Order, reason: str, opening: str, if_refused: str
) -> Task:
    talk = Dialogue(rng, order.customer)
    talk.identify()
    talk.call("get_order_details", order_id=order.id)
    talk.close(
        f"I'm sorry, {order.customer.first_name}, but I cannot cancel order {order.id}: its "
        f"status is '{order.status}', and only orders with the status 'pending' can be cancelled.",
        f"Unfortunately order {order.id} cannot be cancelled any more. Its status is "
        f"'{order.status}'; a cancellation is only possible while it is 'pending'.",
    )
    if if_refused == "insist":
        talk.close(
            f"I understand, and I'm sorry, but I cannot cancel order {order.id}. There is no "
            f"exception for an order with the status '{order.status}'."
        )
    return make_task(
        "refuse",
        talk,
        opening=opening,
        wants=[_want(order, reason)],
        instruction=_instruction(order, reason, if_refused),
        outputs=[word("status", order.status)],
        required=look_up(order.id),
        if_refused=if_refused,
        rules=("R5.5" if order.status == "pending (item modified)" else "R4.1", *REFUSAL_RULES),
    )


def _instruction(order: Order, reason: str, if_refused: str) -> str:
    refused = (
        "ask once for an exception and then accept it" if if_refused == "insist" else "accept it"
    )
    return (
        f"You want to cancel your order {order.id}. If you are asked for the reason: {reason}. "
        f"If the agent says that it cannot be cancelled, {refused}."
    )
