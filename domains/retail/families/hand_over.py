"""What only a human colleague can settle: parcels that never came, came broken or incomplete."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.retail.families._build import TRANSFER, Pool, Slots, look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import Order, order_ids, read_order
from tau_env.family import family
from tau_env.schema import Requirement, Task, Want
from tau_env.world.company import Company

TROUBLES = {
    "parcel_missing": "is shown as delivered but never came",
    "parcel_broken": "came with a broken {item}",
    "parcel_incomplete": "came without the {item}",
}


@family(rules=("R7.4", "R7.5"), seed=1, size=9)
def hand_over(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """Delivered orders with a trouble of each kind in turn."""
    del twists
    ids = order_ids(company, "o.status = 'delivered'")
    pool = Pool(rng, ids, lambda one: _with_plain_item(read_order(company, one)))
    taken: set[str] = set()
    while True:
        for opening, trouble in TROUBLES.items():
            order = pool.take(taken)
            if order is None:
                return
            yield _task(rng, order, opening, trouble)


def _with_plain_item(order: Order) -> Order | None:
    return order if order.plain_items else None


def _task(rng: random.Random, order: Order, opening: str, trouble: str) -> Task:
    talk = Dialogue(rng, order.customer)
    item = rng.choice(order.plain_items).variant.name
    what = trouble.format(item=item)
    slots: Slots = {"order_id": order.id}
    if "{item}" in trouble:
        slots["item"] = item
    talk.identify()
    talk.call("get_order_details", order_id=order.id)
    talk.say(
        f"I'm sorry to hear that, {talk.customer.first_name}. I will transfer you to a human "
        "colleague, who can look into it.",
        f"Thank you, {talk.customer.first_name}, and I apologize for the trouble. This is "
        "something for a human colleague; I will transfer you.",
    )
    talk.call(
        "transfer_to_human_agents", summary=f"Order {order.id} of {order.customer.id} {what}."
    )
    transfer = Requirement.model_validate({"as": "hand over", "any": [TRANSFER.model_dump()]})
    return make_task(
        "transfer",
        talk,
        opening=opening,
        wants=[Want(do="transfer", slots=slots, say=f"{opening}_again")],
        instruction=(
            f"Your order {order.id} {what}. You want somebody to look into that, and you agree to "
            "talk to a human colleague. You do not want a return, an exchange or a refund now."
        ),
        required=[*look_up(order.id), transfer],
    )
