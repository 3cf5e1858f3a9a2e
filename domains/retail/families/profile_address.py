"""A customer who has moved: the address of the profile, and that of orders which is another."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from tau_env.domains.retail.families._build import REFUSAL_RULES, identity_facts, look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._jobs import Job, address_job, goal_of, status_of
from tau_env.domains.retail.families._records import (
    ADDRESS,
    Customer,
    order_ids,
    read_order,
)
from tau_env.domains.retail.families.shipping_address import (
    Address,
    in_one_line,
    new_address,
    opening_for,
)
from tau_env.families.build import Slots
from tau_env.families.draw import Pool, in_turn, maybe_twisted
from tau_env.family import family
from tau_env.schema import RowChange, Task, Twist, Want
from tau_env.world.company import Company

PENDING = "pending"
KINDS = (("pending",), ("processed",), ("pending", "pending"), ("pending (item modified)",), ())
"""Statuses of the orders that the customer wants sent to the new address; () for the profile
alone."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A customer's new address, and orders that are to go there."""

    customer: Customer
    address: Address
    jobs: tuple[Job, ...]

    @property
    def shape(self) -> str:
        """All are alike."""
        return ""


@family(rules=("R5.1", "R5.7"), seed=1, size=12)
def profile_address(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """The profile alone, with orders that can still go elsewhere, or with one that cannot."""

    def pool(statuses: tuple[str, ...]) -> Pool[Removal]:
        ids = order_ids(company, "o.status = ?", statuses[0] if statuses else PENDING)
        return Pool(rng, ids, lambda one: _removal(company, rng, one, statuses))

    for number, (kind, found) in enumerate(in_turn([pool(one) for one in KINDS])):
        statuses = KINDS[kind]
        if statuses == ("processed",):
            yield _order_refused(rng, found)
        else:
            adds = len(statuses) == 1 and number // len(KINDS) % 2 == 1
            build = partial(_added if adds else _moved, rng, found)
            yield maybe_twisted(rng, build, share=float(adds), twists=twists)


def _removal(
    company: Company, rng: random.Random, order_id: str, statuses: tuple[str, ...]
) -> Removal | None:
    customer = read_order(company, order_id).customer
    ids = [order_id]
    if len(statuses) > 1:
        where = "o.user_id = ? AND o.status = ? AND o.order_id <> ?"
        ids += order_ids(company, where, customer.id, statuses[1], order_id)[:1]
    if len(ids) < len(statuses):
        return None
    address = new_address(company, rng, rng.random() < 0.5)
    orders = [read_order(company, one) for one in ids[: len(statuses)]]
    return Removal(customer, address, tuple(address_job(order, address) for order in orders))


def _profile_want(found: Removal) -> Want:
    told: Slots = {name: value for name, value in found.address.items() if value}
    unit = "_unit" if found.address["address2"] else ""
    return Want(do="modify_profile", slots=told, say=f"modify_profile{unit}")


def _profile_row(found: Removal) -> RowChange:
    customer, address = found.customer, found.address
    changed = {name: value for name, value in address.items() if customer.address[name] != value}
    return RowChange(
        op="update", table="customers", key={"user_id": customer.id}, fields=dict(changed)
    )


def _open(rng: random.Random, found: Removal) -> Dialogue:
    talk = Dialogue(rng, found.customer)
    talk.identify(by_email=True)
    return talk


def _change_profile(talk: Dialogue, found: Removal) -> None:
    customer, line = found.customer, in_one_line(found.address)
    talk.propose(
        f"I would update the default address in your profile to {line}, USA. No order is changed "
        "by that.",
        f"Thank you, {customer.first_name}. I would change the default address of your profile to "
        f"{line}, USA; your orders keep the address that they have.",
    )
    address = {name: found.address.get(name, customer.address[name]) for name in ADDRESS}
    talk.write("modify_user_address", user_id=customer.id, **address)
    talk.close(
        f"Done: the default address in your profile has been updated to {line}.",
        f"I have updated the default address in your profile to {line}.",
    )


def _instruction(found: Removal) -> str:
    orders = "".join(f" When that is settled, you also want {job.wish}." for job in found.jobs)
    return (
        f"You have moved and want the address in your profile changed to "
        f"{in_one_line(found.address)}, USA.{orders} You want nothing else changed."
    )


def _added(rng: random.Random, found: Removal, *, twisted: bool) -> Task:
    """The profile alone, and with the twist an order that comes up when that is done."""
    return _moved(rng, found if twisted else replace(found, jobs=()), twisted=twisted)


def _moved(rng: random.Random, found: Removal, *, twisted: bool = False) -> Task:
    """The profile, then the orders; `twisted` if they come up only after the profile."""
    talk = _open(rng, found)
    _change_profile(talk, found)
    jobs = found.jobs
    for job in jobs:
        job.look_up(talk)
        job.play(talk)
    twists = [Twist(kind="adds", added=job.want) for job in jobs] if twisted else []
    return make_task(
        "fulfil",
        talk,
        opening=f"moved_{opening_for(found.address)}",
        wants=[_profile_want(found), *([] if twisted else [job.want for job in jobs])],
        twists=twists,
        facts=identity_facts(found.customer, with_zip=False),
        instruction=_instruction(found),
        goal=[_profile_row(found), *goal_of(*jobs)],
        required=look_up(*(job.order.id for job in jobs)),
        rules=_rules(found, twisted=twisted),
    )


def _rules(found: Removal, *, twisted: bool) -> tuple[str, ...]:
    if not found.jobs:
        return ("R5.7", "R3.7")
    status = found.jobs[0].order.status
    rules = ("R5.7", "R5.1") if status == PENDING else ("R5.7", "R5.1", "R5.5")
    return (*rules, "R3.4") if twisted else rules


def _order_refused(rng: random.Random, found: Removal) -> Task:
    """First an order that has left, which is refused, then the profile."""
    talk, job = _open(rng, found), found.jobs[0]
    job.look_up(talk)
    job.refuse(talk)
    _change_profile(talk, found)
    return make_task(
        "partial",
        talk,
        opening=job.opening,
        wants=[job.want, _profile_want(found)],
        facts=identity_facts(found.customer, with_zip=False),
        instruction=(
            f"You want {job.wish}. When that is done or refused, you also want the address in "
            "your profile changed to the same address. You want nothing else changed."
        ),
        goal=[_profile_row(found)],
        outputs=[status_of(job)],
        required=look_up(job.order.id),
        rules=("R5.1", "R5.7", "R7.2", *REFUSAL_RULES),
    )
