"""Requests about two orders: both the customer's own, or the first somebody else's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tau_env.domains.retail.families._build import identity_facts, look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._jobs import Job, goal_of, speaks_of_address
from tau_env.domains.retail.families._records import Customer, order_ids
from tau_env.domains.retail.families._serve import (
    Maker,
    find_plan,
    make_address,
    make_cancel,
    make_return,
    wishes,
    writes_on,
)
from tau_env.families.build import TRANSFER
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family, split_of
from tau_env.schema import Fact, Requirement, Task
from tau_env.world.company import Company

KINDS: tuple[tuple[Maker, str, Maker, str], ...] = (
    (make_cancel, "pending", make_cancel, "pending"),
    (make_address, "pending", make_return, "delivered"),
    (make_return, "delivered", make_cancel, "pending"),
)
"""What is wanted of the first order, its status, and the same of the second, the customer's own."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A request about an order that may be somebody else's, then one about the customer's own."""

    first: Job
    own: Job

    @property
    def customer(self) -> Customer:
        """Who asks."""
        return self.own.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase and want the same."""
        return f"{self.first.opening} {self.own.want.do}"


@family(rules=("R1.3", "R1.4", "R7.2"), seed=1, size=12)
def other_customer(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: two orders of one customer, and one of theirs with one of somebody else."""
    del twists

    def both(first: Maker, status: str, second: Maker, other: str) -> Pool[Errand]:
        def make(order_id: str) -> Errand | None:
            plan = find_plan(company, rng, order_id, first, (other, second))
            return None if plan is None else Errand(plan.first, plan.second)

        return Pool(rng, order_ids(company, "o.status = ?", status), make)

    def mixed(first: Maker, status: str, second: Maker, other: str) -> Pool[Errand]:
        foreign = order_ids(company, "o.status = ?", status)

        def make(order_id: str) -> Errand | None:
            mine = second(company, rng, order_id)
            theirs = first(company, rng, rng.choice(foreign))
            if mine is None or theirs is None or mine.customer.id == theirs.customer.id:
                return None
            # Records of the two splits never meet in a task.
            alike = split_of(mine.customer.id) == split_of(theirs.customer.id)
            return Errand(theirs, mine) if alike else None

        return Pool(rng, order_ids(company, "o.status = ?", other), make)

    pairs = [(both(*kind), mixed(*kind)) for kind in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(_allowed(rng, allowed), _forbidden(rng, forbidden))


def _open(rng: random.Random, errand: Errand) -> Dialogue:
    """The conversation up to the look at the first order asked for."""
    talk = Dialogue(rng, errand.customer)
    address = speaks_of_address((errand.first, errand.own))
    talk.identify(by_email=True if address else None)
    talk.call("get_user_details", user_id=errand.customer.id)
    talk.call("get_order_details", order_id=errand.first.order.id)
    return talk


def _facts(errand: Errand) -> dict[str, Fact]:
    address = speaks_of_address((errand.first, errand.own))
    return identity_facts(errand.customer, with_zip=not address)


def _instruction(errand: Errand) -> str:
    return (
        wishes(errand.first, errand.own)
        + " If the agent says that it cannot help with one of them, accept that."
    )


def _allowed(rng: random.Random, errand: Errand) -> Task:
    talk, jobs = _open(rng, errand), (errand.first, errand.own)
    errand.first.play(talk)
    errand.own.look_up(talk)
    errand.own.play(talk)
    return make_task(
        "fulfil",
        talk,
        opening=errand.first.opening,
        wants=[job.want for job in jobs],
        facts=_facts(errand),
        instruction=_instruction(errand),
        goal=goal_of(*jobs),
        outputs=[output for job in jobs for output in job.outputs],
        required=look_up(*(job.order.id for job in jobs)),
    )


def _forbidden(rng: random.Random, errand: Errand) -> Task:
    talk, first, own = _open(rng, errand), errand.first, errand.own
    talk.close(
        f"I'm sorry, but I cannot help you with order {first.order.id}.",
        f"Unfortunately I cannot {first.doing} for you.",
    )
    own.look_up(talk)
    own.play(talk)
    whose = {
        "as": "see whose it is",
        "any": [
            {"tool": "get_order_details", "arguments": {"order_id": first.order.id}},
            {"tool": "get_user_details", "arguments": {"user_id": own.customer.id}},
        ],
    }
    return make_task(
        "partial",
        talk,
        opening=first.opening,
        wants=[first.want, own.want],
        facts=_facts(errand),
        instruction=_instruction(errand),
        goal=goal_of(own),
        outputs=own.outputs,
        required=[*look_up(own.order.id), Requirement.model_validate(whose)],
        forbidden=[*writes_on(first), TRANSFER],
    )
