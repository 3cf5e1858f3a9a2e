"""Orders that the customer can only describe: the agent looks through those of the profile."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tau_env.domains.retail.families._build import look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._jobs import Job, goal_of, refused_rules, status_of
from tau_env.domains.retail.families._records import Customer, order_ids, read_order
from tau_env.domains.retail.families._serve import (
    ACCEPT,
    Maker,
    make_cancel,
    make_payment,
    make_return,
    start,
)
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task, Want
from tau_env.world.company import Company

KINDS: tuple[tuple[Maker, str, str], ...] = (
    (make_cancel, "pending", "processed"),
    (make_return, "delivered", "exchange requested"),
    (make_payment, "pending", "pending (item modified)"),
    (make_cancel, "pending", "delivered"),
    (make_return, "delivered", "processed"),
)
"""Request, status that allows it, status that does not."""


@dataclass(frozen=True, slots=True)
class Described:
    """A job on an order that only one of its items tells from the customer's other orders.

    Attributes:
        job: the job; its want names no order.
        item: what the customer says of the order.
        orders: the ids in the order in which an agent looks through them, the right one last.
    """

    job: Job
    item: str
    orders: tuple[str, ...]

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.job.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.job.opening


@family(rules=("R2.1",), seed=1, size=12)
def by_description(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: an order whose status allows the request, and one whose status does not."""
    del twists

    def pool(make: Maker, status: str) -> Pool[Described]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: _describe(company, rng, make(company, rng, one)))

    pairs = [(pool(make, able), pool(make, unable)) for make, able, unable in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(_task(rng, allowed, allowed=True), _task(rng, forbidden, allowed=False))


def _describe(company: Company, rng: random.Random, job: Job | None) -> Described | None:
    """A job whose order is described; None if its items do not tell it from the others."""
    if job is None:
        return None
    ids = order_ids(company, "o.user_id = ?", job.customer.id)
    others = [one for one in ids if one != job.order.id]
    elsewhere = {item.variant.name for one in others for item in read_order(company, one).items}
    held = {item.variant.name for item in job.order.plain_items}
    if "item" in job.want.slots:
        held &= set(str(job.want.slots["item"]).split(" and the "))
    names = sorted(held - elsewhere)
    if not others or not names:
        return None
    item = str(job.want.slots.get("item") or rng.choice(names))
    slots: dict[str, Any] = {"item": item}
    slots |= {name: value for name, value in job.want.slots.items() if name != "order_id"}
    want = Want(do=job.want.do, slots=slots, say=f"described_{job.want.do}")
    looked_at = [one for one in others if one < job.order.id]
    found = replace(job, want=want, opening=f"described_{job.opening}")
    return Described(found, item, (*looked_at, job.order.id))


def _task(rng: random.Random, found: Described, *, allowed: bool) -> Task:
    job = found.job
    talk = start(rng, job)
    for order_id in found.orders:
        talk.call("get_order_details", order_id=order_id)
    scratch = Dialogue(rng, talk.customer)
    if allowed:
        job.play(scratch)
    else:
        job.refuse(scratch)
    first, *later = scratch.steps
    told = f"I have found it: the {found.item} came with order {job.order.id}. {first.say}"
    talk.steps += [first.model_copy(update={"say": told}), *later]
    wish = job.wish.replace(f"order {job.order.id}", f"the order with the {found.item}")
    return make_task(
        "fulfil" if allowed else "refuse",
        talk,
        opening=job.opening,
        wants=[job.want],
        instruction=f"You want {wish}. You do not know the number of the order. You want nothing "
        f"else changed.{ACCEPT}",
        goal=goal_of(job) if allowed else (),
        outputs=job.outputs if allowed else [status_of(job)],
        required=look_up(job.order.id),
        rules=("R2.1", *job.rules) if allowed else refused_rules(job, "R2.1"),
    )
