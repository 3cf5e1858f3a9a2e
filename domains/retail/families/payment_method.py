"""Another payment method for an order: once, and only while the order is pending."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from tau_env.domains.retail.families._build import REFUSAL_RULES, look_up, make_task, money_rows
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import (
    Customer,
    Method,
    Order,
    order_ids,
    read_order,
)
from tau_env.families.build import word
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task, Twist, Want
from tau_env.world.company import Company

FORBIDDEN = ("processed", "pending (item modified)", "delivered")


@dataclass(frozen=True, slots=True)
class Move:
    """An order whose payment goes to another method of its customer."""

    order: Order
    method: Method

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.order.customer

    @property
    def shape(self) -> str:
        """Twins name the same kind of method."""
        return self.method.word


@family(rules=("R5.6", "R3.5"), seed=1, size=12)
def payment_method(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: an order whose payment can be moved, and one whose status forbids it."""

    def pool(status: str) -> Pool[Move]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find_move(company, rng, one))

    able = pool("pending")
    pairs = balanced_twins([(able, pool(status)) for status in FORBIDDEN])
    for number, (allowed, forbidden) in enumerate(pairs):
        build = partial(_allowed, rng, allowed)
        granted = maybe_twisted(rng, build, share=number % 2, twists=twists)
        yield Twins(granted, _forbidden(rng, forbidden))


def find_move(
    company: Company, rng: random.Random, order_id: str, *, source: str = ""
) -> Move | None:
    """A move of an order's payment to a method that can pay it, drawn; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        order_id: the order.
        source: only to methods of this source.
    """
    order = read_order(company, order_id)
    methods = [
        method
        for method in order.customer.clear_methods
        if method.id not in order.net
        and method.covers(order.total)
        and source in ("", method.source)
    ]
    single = order.payments == 1 or order.status != "pending"
    return Move(order, rng.choice(methods)) if methods and single else None


def move_payment(talk: Dialogue, move: Move) -> None:
    """Propose to move the payment, do it and report."""
    order, amount = move.order, dollars(move.order.total)
    old, new = order.payer.text, move.method.text
    propose_move(talk, move)
    talk.write("modify_pending_order_payment", order_id=order.id, payment_method_id=move.method.id)
    talk.close(
        f"Done: I have changed the payment of order {order.id}; {amount} was charged to your "
        f"{new} and refunded to your {old}.",
        f"The payment of order {order.id} has been changed to your {new}.",
    )


def propose_move(talk: Dialogue, move: Move) -> None:
    """Propose to move the payment."""
    order, amount = move.order, dollars(move.order.total)
    old, new = order.payer.text, move.method.text
    talk.propose(
        f"I would change the payment of order {order.id}: {amount} is charged to your {new}, and "
        f"{amount} goes back to your {old}.",
        f"For order {order.id} I would change the payment from your {old} to your {new}. The "
        f"amount is {amount}.",
    )


def payment_want(move: Move) -> Want:
    """What the customer wishes."""
    return Want(
        do="modify_payment",
        slots={"order_id": move.order.id, "payment_method": move.method.word},
    )


def _allowed(rng: random.Random, move: Move, *, twisted: bool) -> Task:
    talk, order = Dialogue(rng, move.customer), move.order
    talk.identify()
    talk.call("get_user_details", user_id=move.customer.id)
    talk.call("get_order_details", order_id=order.id)
    if twisted:
        propose_move(talk, move)
    move_payment(talk, move)
    later = " The first time you are asked whether to go ahead, say not yet; agree the second time."
    return make_task(
        "fulfil",
        talk,
        opening="change_payment",
        wants=[payment_want(move)],
        instruction=_instruction(move) + (later if twisted else ""),
        goal=money_rows((order, move.method, order.total), (order, order.payer, -order.total)),
        required=look_up(order.id),
        twists=[Twist(kind="declines")] if twisted else [],
        rules=("R3.4", "R5.6") if twisted else (),
    )


def _forbidden(rng: random.Random, move: Move) -> Task:
    talk, order = Dialogue(rng, move.customer), move.order
    talk.identify()
    talk.call("get_order_details", order_id=order.id)
    talk.close(
        f"I'm sorry, {move.customer.first_name}, but I cannot change the payment of order "
        f"{order.id}: its status is '{order.status}'.",
        f"Unfortunately the payment of order {order.id} cannot be changed any more, because its "
        f"status is '{order.status}'.",
    )
    return make_task(
        "refuse",
        talk,
        opening="change_payment",
        wants=[payment_want(move)],
        instruction=_instruction(move),
        outputs=[word("status", order.status)],
        required=look_up(order.id),
        rules=(
            "R5.5" if order.status == "pending (item modified)" else "R5.6",
            *REFUSAL_RULES,
        ),
    )


def _instruction(move: Move) -> str:
    return (
        f"You want your order {move.order.id} to be paid with your {move.method.word} instead of "
        f"your {move.order.payer.word}, and nothing else changed. If it is not possible, accept "
        "that."
    )
