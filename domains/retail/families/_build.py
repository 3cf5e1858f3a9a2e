"""Building tasks of the toy store: who the customer is, goals in money and orders, look-ups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import Customer, Method, Order
from tau_env.families.build import frame, looked_up
from tau_env.schema import Fact, Requirement, RowChange, Task, Want
from tau_env.schema.task import Kind

REFUSAL_RULES = ("R7.1", "R7.3")
"""At stake in every refusal: tell the fact that decides, and do not hand over."""


def identity_facts(customer: Customer, *, with_zip: bool = True) -> dict[str, Fact]:
    """What the customer tells when asked who they are.

    Args:
        customer: the customer.
        with_zip: False where the conversation is about another zip code, so that the two are
            never mixed up.
    """
    known = {
        "email": customer.email,
        "first_name": customer.first_name,
        "last_name": customer.last_name,
    }
    if with_zip:
        known["zip"] = customer.address["zip"]
    return {name: Fact(value=value) for name, value in known.items()}


def who(customer: Customer, facts: dict[str, Fact]) -> str:
    """The first sentences of an instruction: who the customer is, or says to be."""
    email = facts["email"].value
    zip_code = facts["zip"].value if "zip" in facts else customer.address["zip"]
    return (
        f"You are {customer.first_name} {customer.last_name}. Your e-mail address is "
        f"{email} and your zip code is {zip_code}; give them only when "
        "you are asked. Answer questions truthfully, make up nothing, and say yes or no when the "
        "agent asks whether to go ahead. "
    )


def money_rows(*flows: tuple[Order, Method, int]) -> Iterator[RowChange]:
    """The rows that charges and refunds leave.

    Args:
        flows: order, method and cents, positive for a charge, negative for a refund; zero leaves
            nothing.
    """
    cards: dict[str, int] = {}
    for number, (order, method, cents) in enumerate(flow for flow in flows if flow[2]):
        yield RowChange(
            op="insert",
            table="payments",
            key={"payment_id": f"${'abcdef'[number]}"},
            fields={
                "order_id": order.id,
                "transaction_type": "payment" if cents > 0 else "refund",
                "amount_cents": abs(cents),
                "payment_method_id": method.id,
            },
        )
        if method.source == "gift_card":
            cards[method.id] = cards.get(method.id, method.cents) - cents
    for card, balance in cards.items():
        yield RowChange(
            op="update",
            table="payment_methods",
            key={"payment_method_id": card},
            fields={"balance_cents": balance},
        )


def order_row(order: Order, **fields: str | int) -> RowChange:
    """The change of an order's own row."""
    return RowChange(op="update", table="orders", key={"order_id": order.id}, fields=dict(fields))


def look_up(*orders: str) -> tuple[Requirement, ...]:
    """The look-ups of orders on which the policy decides."""
    return looked_up("get_order_details", "order_id", orders)


def make_task(
    kind: Kind,
    dialogue: Dialogue,
    *,
    opening: str,
    wants: Sequence[Want],
    instruction: str,
    facts: dict[str, Fact] | None = None,
    **more: Any,
) -> Task:
    """A task of this domain.

    Args:
        kind: fulfil, partial, refuse, transfer or inform.
        dialogue: the reference solution.
        opening: phrase of the first line.
        wants: what the customer wishes, in order.
        instruction: the same in plain words; who the customer is is put before it.
        facts: what the customer knows; the identity facts when None.
        more: what else `tau_env.families.build.frame` takes.
    """
    facts = identity_facts(dialogue.customer) if facts is None else facts
    return frame(
        kind,
        dialogue,
        opening=opening,
        wants=wants,
        facts=facts,
        instruction=who(dialogue.customer, facts) + instruction,
        **more,
    )
