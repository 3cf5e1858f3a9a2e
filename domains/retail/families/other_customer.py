"""Two orders to cancel: both the customer's own, or the first somebody else's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tau_env.domains.retail.families._build import (
    TRANSFER,
    Slots,
    look_up,
    make_task,
    money,
    money_rows,
)
from tau_env.domains.retail.families._dialogue import Dialogue, dollars
from tau_env.domains.retail.families._records import Order, order_ids, read_order
from tau_env.domains.retail.families.cancel_pending import (
    REASONS,
    cancelled_row,
    refund_text,
    refunds,
)
from tau_env.family import Twins, draw, family, split_of
from tau_env.schema import CallPattern, Requirement, Task, Want
from tau_env.world.company import Company

CANCEL = "cancel_pending_order"


@dataclass(frozen=True, slots=True)
class Errand:
    """Two pending orders that a customer wants cancelled for one reason, `second` asked first."""

    own: Order
    second: Order
    reason: str


@family(rules=("R1.3", "R1.4", "R7.2"), seed=1, size=12)
def other_customer(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: two orders of one customer, and one of theirs with one of somebody else."""
    del twists
    pending = draw(rng, order_ids(company, "o.status = 'pending'"))
    orders = [read_order(company, order_id) for order_id in pending]
    by_customer: dict[str, list[Order]] = {}
    for order in orders:
        by_customer.setdefault(order.customer.id, []).append(order)
    pairs = [found[:2] for found in by_customer.values() if len(found) > 1]
    singles = {
        split: [found[0] for who, found in by_customer.items() if split_of(who) == split]
        for split in ("train", "test")
    }
    taken = {pair[0].customer.id for pair in pairs}
    for split in singles:
        singles[split] = [one for one in singles[split] if one.customer.id not in taken]
    for own, second in pairs:
        strangers = singles[split_of(own.customer.id)]
        if len(strangers) < 2:
            return
        reason = rng.choice(REASONS)
        yield Twins(
            _allowed(rng, Errand(own, second, reason)),
            _forbidden(rng, Errand(strangers.pop(), strangers.pop(), reason)),
        )


def _wants(errand: Errand) -> list[Want]:
    first: Slots = {"order_id": errand.second.id, "reason": errand.reason}
    return [
        Want(do="cancel", slots=first),
        Want(do="cancel", slots=first | {"order_id": errand.own.id}, say="also_cancel"),
    ]


def _cancel(talk: Dialogue, order: Order, reason: str) -> None:
    """Propose a cancellation, carry it out and report."""
    amount, where = dollars(order.total), refund_text(order.payer)
    talk.propose(
        f"I can cancel order {order.id} with the reason '{reason}'. The {amount} would be "
        f"refunded {where}.",
        f"Order {order.id} is pending, so I would cancel it with the reason '{reason}' and refund "
        f"{amount} {where}.",
    )
    talk.write(CANCEL, order_id=order.id, reason=reason)
    talk.close(
        f"Order {order.id} has been cancelled, and {amount} will be refunded {where}.",
        f"Done: order {order.id} is cancelled, and you get {amount} back {where}.",
    )


def _open(rng: random.Random, errand: Errand) -> Dialogue:
    """The conversation up to the look at the first order asked for."""
    talk = Dialogue(rng, errand.own.customer)
    talk.identify()
    talk.call("get_user_details", user_id=errand.own.customer.id)
    talk.call("get_order_details", order_id=errand.second.id)
    return talk


def _instruction(errand: Errand) -> str:
    return (
        f"You want to cancel order {errand.second.id} because: {errand.reason}. When that is done "
        f"or refused, ask to have order {errand.own.id} cancelled as well, for the same reason. "
        "If the agent says that it cannot help with one of them, accept that."
    )


def _allowed(rng: random.Random, errand: Errand) -> Task:
    talk = _open(rng, errand)
    _cancel(talk, errand.second, errand.reason)
    talk.call("get_order_details", order_id=errand.own.id)
    _cancel(talk, errand.own, errand.reason)
    both = (errand.own, errand.second)
    return make_task(
        "fulfil",
        talk,
        opening="cancel_order_reason",
        wants=_wants(errand),
        instruction=_instruction(errand),
        goal=[
            *(cancelled_row(order, errand.reason) for order in both),
            *money_rows(*(flow for order in both for flow in refunds(order))),
        ],
        outputs=[money(order.total) for order in both],
        required=look_up(errand.own.id, errand.second.id),
    )


def _forbidden(rng: random.Random, errand: Errand) -> Task:
    talk = _open(rng, errand)
    talk.close(
        f"I'm sorry, but I cannot help you with order {errand.second.id}.",
        f"Unfortunately I cannot cancel order {errand.second.id} for you.",
    )
    talk.call("get_order_details", order_id=errand.own.id)
    _cancel(talk, errand.own, errand.reason)
    whose = {
        "as": "see whose it is",
        "any": [
            {"tool": "get_order_details", "arguments": {"order_id": errand.second.id}},
            {"tool": "get_user_details", "arguments": {"user_id": errand.own.customer.id}},
        ],
    }
    return make_task(
        "partial",
        talk,
        opening="cancel_order_reason",
        wants=_wants(errand),
        instruction=_instruction(errand),
        goal=[cancelled_row(errand.own, errand.reason), *money_rows(*refunds(errand.own))],
        outputs=[money(errand.own.total)],
        required=[*look_up(errand.own.id), Requirement.model_validate(whose)],
        forbidden=[
            CallPattern(tool=CANCEL, arguments={"order_id": errand.second.id}),
            TRANSFER,
        ],
    )
