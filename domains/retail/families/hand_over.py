"""Troubles with an order: what only a human colleague can settle, and what the policy allows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tau_env.domains.retail.families._build import look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._jobs import Job, facts_of, goal_of, speaks_of_address
from tau_env.domains.retail.families._records import Customer, Order, order_ids, read_order
from tau_env.domains.retail.families._serve import (
    ACCEPT,
    Maker,
    make_address,
    make_exchange,
    make_return,
    wishes,
)
from tau_env.families.build import TRANSFER, Slots, must_call
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task, Want
from tau_env.world.company import Company

KINDS: tuple[tuple[str, str, Maker, str], ...] = (
    ("trouble_order", "parcel_missing", make_address, "pending"),
    ("trouble_item", "parcel_broken", make_return, "delivered"),
    ("trouble_item", "parcel_incomplete", make_exchange, "delivered"),
)
"""Opening, trouble, and what the other twin wants, with its order's status."""
TROUBLES = {
    "parcel_missing": "is shown as delivered but never came",
    "parcel_broken": "came with a broken {item}",
    "parcel_incomplete": "came without the {item}",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A delivered order with a trouble."""

    order: Order
    opening: str
    kind: str
    item: str

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.order.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.opening


@family(rules=("R7.4", "R7.5"), seed=1, size=12)
def hand_over(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a trouble that turns out to be an allowed request, and one for a human colleague."""
    del twists
    delivered = order_ids(company, "o.status = 'delivered'")

    def jobs(opening: str, make: Maker, status: str) -> Pool[Job | Trouble]:
        def one(order_id: str) -> Job | None:
            job = make(company, rng, order_id)
            return None if job is None else replace(job, opening=opening)

        return Pool(rng, order_ids(company, "o.status = ?", status), one)

    def troubles(opening: str, kind: str) -> Pool[Job | Trouble]:
        return Pool(rng, delivered, lambda one: _trouble(company, rng, one, opening, kind))

    pairs = [
        (jobs(opening, make, status), troubles(opening, kind))
        for opening, kind, make, status in KINDS
    ]
    for allowed, other in balanced_twins(pairs):
        if isinstance(allowed, Job) and isinstance(other, Trouble):
            yield Twins(_request(rng, allowed), _transfer(rng, other))


def _trouble(
    company: Company, rng: random.Random, order_id: str, opening: str, kind: str
) -> Trouble | None:
    order = read_order(company, order_id)
    if not order.plain_items:
        return None
    return Trouble(order, opening, kind, rng.choice(order.plain_items).variant.name)


def _ask(talk: Dialogue, order: Order, *, by_email: bool | None = None) -> None:
    """Identify the customer, look up the order and ask what the matter is."""
    talk.identify(by_email=by_email)
    talk.call("get_user_details", user_id=order.customer.id)
    talk.call("get_order_details", order_id=order.id)
    talk.say(
        f"Thank you, {talk.customer.first_name}. I have order {order.id} in front of me. What is "
        "the problem with it?",
        f"Thanks, {talk.customer.first_name}. What is wrong with order {order.id}?",
    )


def _request(rng: random.Random, job: Job) -> Task:
    talk = Dialogue(rng, job.customer)
    _ask(talk, job.order, by_email=True if speaks_of_address([job]) else None)
    if job.product:
        talk.call("get_product_details", product_id=job.product)
    job.play(talk)
    return make_task(
        "fulfil",
        talk,
        opening=job.opening,
        wants=[job.want],
        facts=facts_of(job),
        instruction="First say only that there is a problem with it. " + wishes(job) + ACCEPT,
        goal=goal_of(job),
        outputs=job.outputs,
        required=look_up(job.order.id),
        rules=("R7.4", *job.rules),
    )


def _transfer(rng: random.Random, found: Trouble) -> Task:
    talk, order = Dialogue(rng, found.customer), found.order
    what = TROUBLES[found.kind].format(item=found.item)
    slots: Slots = {"order_id": order.id}
    if found.opening == "trouble_item":
        slots["item"] = found.item
    _ask(talk, order)
    talk.say(
        f"I'm sorry to hear that, {talk.customer.first_name}. I will transfer you to a human "
        "colleague, who can look into it.",
        f"Thank you, {talk.customer.first_name}, and I apologize for the trouble. This is "
        "something for a human colleague; I will transfer you.",
    )
    talk.call(
        "transfer_to_human_agents", summary=f"Order {order.id} of {order.customer.id} {what}."
    )
    return make_task(
        "transfer",
        talk,
        opening=found.opening,
        wants=[Want(do="transfer", slots=slots, say=found.kind)],
        instruction=(
            f"First say only that there is a problem with your order {order.id}. It {what}. You "
            "want somebody to look into that, and you agree to talk to a human colleague. You do "
            "not want a return, an exchange or a refund now."
        ),
        required=[*look_up(order.id), must_call("hand over", TRANSFER.tool)],
    )
