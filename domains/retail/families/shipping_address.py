"""Another shipping address: allowed while the order is pending, refused once it has left."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.retail.families._build import (
    REFUSAL_RULES,
    identity_facts,
    look_up,
    make_task,
    order_row,
)
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import Order, order_ids, read_order
from tau_env.families.build import Slots, word
from tau_env.families.draw import Pool, maybe_twisted, twin_pairs
from tau_env.family import Twins, family
from tau_env.schema import Fact, Task, Twist, Want
from tau_env.world.company import Company

STATUSES = (("pending", "processed"), ("pending (item modified)", "delivered"))
Address = dict[str, str]


@family(rules=("R5.1", "R5.7"), seed=1, size=12)
def shipping_address(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: an order that has not left, and one that has."""

    def pool(status: str) -> Pool[Order]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda order_id: read_order(company, order_id))

    pairs = twin_pairs([(pool(one), pool(two)) for one, two in STATUSES])
    for number, (allowed, forbidden) in enumerate(pairs):
        second_line = rng.random() < 0.5
        build = partial(_allowed, company, rng, allowed, second_line)
        # At least every third, so that no set is without.
        share = 1.0 if number % 3 == 2 else 0.4
        granted = maybe_twisted(rng, build, share=share, twists=twists)
        yield Twins(granted, _forbidden(rng, forbidden, new_address(company, rng, second_line)))


def new_address(company: Company, rng: random.Random, second_line: bool) -> Address:
    """An address at which nobody lives, in a street of the company."""
    place = rng.choice(
        company.rows("SELECT address1, city, state, zip FROM customers ORDER BY user_id")
    )
    street = place["address1"].split(" ", 1)[1]
    return {
        "address1": f"{rng.randint(1000, 1999)} {street}",
        "address2": f"Apt {rng.randint(100, 199)}" if second_line else "",
        "city": place["city"],
        "state": place["state"],
        "zip": place["zip"],
    }


def in_one_line(address: Address) -> str:
    """An address as one writes it in a sentence."""
    lines = [address["address1"], address["address2"], address["city"]]
    return ", ".join(line for line in lines if line) + f", {address['state']} {address['zip']}"


def opening_for(address: Address) -> str:
    """The phrase that tells an address with or without a second line."""
    return "change_address_unit" if address["address2"] else "change_address"


def address_want(order_id: str, address: Address) -> Want:
    """The want for an address; an empty second line is no slot."""
    told: Slots = {name: value for name, value in address.items() if value}
    say = "modify_address_unit" if address["address2"] else "modify_address"
    return Want(do="modify_address", slots={"order_id": order_id, **told}, say=say)


def changed_fields(order: Order, address: Address) -> Address:
    """The columns of the order that a new address changes."""
    return {name: value for name, value in address.items() if order.address[name] != value}


def address_arguments(order: Order, address: Address) -> dict[str, str]:
    """The arguments of the tool."""
    return {"order_id": order.id, **address, "country": order.address["country"]}


def _facts(order: Order) -> dict[str, Fact]:
    facts = identity_facts(order.customer, with_zip=False)
    return facts | {"country": Fact(value=order.address["country"])}


def _allowed(
    company: Company, rng: random.Random, order: Order, second_line: bool, *, twisted: bool
) -> Task:
    address = new_address(company, rng, second_line)
    talk = Dialogue(rng, order.customer)
    right = address
    if twisted:
        number, street = address["address1"].split(" ", 1)
        right = address | {"address1": f"{int(number) + rng.randint(1, 9)} {street}"}
    talk.identify(by_email=True)
    talk.call("get_order_details", order_id=order.id)
    talk.propose(
        f"Thank you, {order.customer.first_name}. Order {order.id} has not left yet, so I can "
        f"change its shipping address to {in_one_line(address)}, USA.",
        f"Thanks. I would change the shipping address of order {order.id} to "
        f"{in_one_line(address)}, USA; nothing else in the order changes.",
    )
    if twisted:
        talk.propose(
            f"Thank you for the correction. I would then change the shipping address of order "
            f"{order.id} to {in_one_line(right)}, USA."
        )
    talk.write("modify_pending_order_address", **address_arguments(order, right))
    talk.close(
        f"Done: I have changed the address, and order {order.id} will be sent to "
        f"{in_one_line(right)}.",
        f"The shipping address of order {order.id} has been changed to {in_one_line(right)}.",
    )
    correction = f" When the agent repeats the address, correct it: {right['address1']}."
    return make_task(
        "fulfil",
        talk,
        opening=opening_for(address),
        wants=[address_want(order.id, address)],
        facts=_facts(order),
        instruction=_instruction(order, address) + (correction if twisted else ""),
        goal=[order_row(order, **changed_fields(order, right))],
        required=look_up(order.id),
        twists=([Twist(kind="corrects", slots={"address1": right["address1"]})] if twisted else []),
        rules=_rules_of(order, corrects=twisted),
    )


def _rules_of(order: Order, *, corrects: bool) -> tuple[str, ...]:
    # That the items of the order have been changed does not hold its address.
    modified = ("R5.5",) if order.status == "pending (item modified)" else ()
    return (*(("R3.3",) if corrects else ()), "R5.1", *modified, "R5.7")


def _forbidden(rng: random.Random, order: Order, address: Address) -> Task:
    talk = Dialogue(rng, order.customer)
    talk.identify(by_email=True)
    talk.call("get_order_details", order_id=order.id)
    talk.close(
        f"I'm sorry, {order.customer.first_name}, but I cannot change the shipping address of "
        f"order {order.id}: its status is '{order.status}', so it is no longer pending.",
        f"Unfortunately the address of order {order.id} can no longer be changed, because its "
        f"status is '{order.status}'.",
    )
    return make_task(
        "refuse",
        talk,
        opening=opening_for(address),
        wants=[address_want(order.id, address)],
        facts=_facts(order),
        instruction=_instruction(order, address),
        outputs=[word("status", order.status)],
        required=look_up(order.id),
        rules=("R5.1", *REFUSAL_RULES),
    )


def _instruction(order: Order, address: Address) -> str:
    return (
        f"You want your order {order.id} to be sent to another address: {in_one_line(address)}, "
        "USA. You do not want the address in your profile to be changed. If the agent says that "
        "it is too late, accept it."
    )
