"""From jobs to tasks: made from orders, carried out, refused, or followed by another one."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tau_env.domains.retail.families._build import look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._jobs import (
    Job,
    address_job,
    cancel_job,
    change_job,
    exchange_job,
    facts_of,
    goal_of,
    payment_job,
    refused_rules,
    return_job,
    speaks_of_address,
    status_of,
)
from tau_env.domains.retail.families._records import Customer, order_ids, read_order
from tau_env.domains.retail.families._swap import find_swap
from tau_env.domains.retail.families.cancel_pending import REASONS
from tau_env.domains.retail.families.payment_method import find_move
from tau_env.domains.retail.families.return_items import find_return
from tau_env.domains.retail.families.shipping_address import new_address
from tau_env.schema import CallPattern, Task
from tau_env.world.company import Company

Maker = Callable[[Company, random.Random, str], Job | None]
"""Makes a job from an order's id; None if it does not fit."""

ACCEPT = " If it is not possible, accept that."
INSIST = " If the agent refuses, ask once for an exception and then accept it."


@dataclass(frozen=True, slots=True)
class Plan:
    """Two jobs of one customer, on one order or on two."""

    first: Job
    second: Job

    @property
    def customer(self) -> Customer:
        """Whose orders they are."""
        return self.first.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.first.shape


def make_cancel(company: Company, rng: random.Random, order_id: str) -> Job:
    """To cancel the order for a drawn reason."""
    return cancel_job(read_order(company, order_id), rng.choice(REASONS))


def make_address(company: Company, rng: random.Random, order_id: str) -> Job:
    """To send the order to a drawn address."""
    address = new_address(company, rng, rng.random() < 0.5)
    return address_job(read_order(company, order_id), address)


def make_payment(company: Company, rng: random.Random, order_id: str) -> Job | None:
    """To pay with another method."""
    move = find_move(company, rng, order_id)
    return None if move is None else payment_job(move)


def make_return(company: Company, rng: random.Random, order_id: str) -> Job | None:
    """To return an item or two."""
    found = find_return(company, rng, order_id)
    return None if found is None else return_job(found)


def make_change(company: Company, rng: random.Random, order_id: str) -> Job | None:
    """To change an item to another variant."""
    swap = find_swap(company, rng, order_id)
    return None if swap is None else change_job(swap)


def make_exchange(company: Company, rng: random.Random, order_id: str) -> Job | None:
    """To exchange an item for another variant."""
    swap = find_swap(company, rng, order_id)
    return None if swap is None else exchange_job(swap)


def find_plan(
    company: Company, rng: random.Random, order_id: str, first: Maker, second: tuple[str, Maker]
) -> Plan | None:
    """A job on an order and one on another order of its customer; None if none fits.

    Args:
        company: the company.
        rng: draws the jobs.
        order_id: the first order.
        first: makes the first job.
        second: the other order's status and what makes the second job.
    """
    one = first(company, rng, order_id)
    if one is None:
        return None
    where = "o.user_id = ? AND o.order_id <> ? AND o.status = ?"
    for other in order_ids(company, where, one.customer.id, order_id, second[0]):
        two = second[1](company, rng, other)
        if two is not None:
            return Plan(one, two)
    return None


def start(rng: random.Random, *jobs: Job) -> Dialogue:
    """A dialogue in which the customer is identified and their profile looked up."""
    talk = Dialogue(rng, jobs[0].customer)
    talk.identify(by_email=True if speaks_of_address(jobs) else None)
    talk.call("get_user_details", user_id=talk.customer.id)
    return talk


def carried_out(rng: random.Random, job: Job, **more: Any) -> Task:
    """The task in which a job is carried out.

    Args:
        rng: draws the wording.
        job: the job.
        more: fields of the task that differ.
    """
    talk = start(rng, job)
    job.look_up(talk)
    job.play(talk)
    given: dict[str, Any] = {
        "opening": job.opening,
        "wants": [job.want],
        "facts": facts_of(job),
        "instruction": wishes(job) + ACCEPT,
        "goal": goal_of(job),
        "outputs": job.outputs,
        "required": look_up(job.order.id),
        "rules": job.rules,
    }
    return make_task("fulfil", talk, **(given | more))


def refused(rng: random.Random, job: Job, *, insists: bool = False, **more: Any) -> Task:
    """The task in which a job is refused because of the order's status.

    Args:
        rng: draws the wording.
        job: the job.
        insists: whether the customer asks once more.
        more: fields of the task that differ.
    """
    talk = start(rng, job)
    talk.call("get_order_details", order_id=job.order.id)
    job.refuse(talk)
    if insists:
        talk.close(
            f"I understand, and I'm sorry, but I cannot {job.doing}. There is no exception for an "
            f"order with the status '{job.order.status}'.",
            f"I'm sorry, I know that this matters to you, but I cannot {job.doing}. The status "
            f"'{job.order.status}' does not allow it.",
        )
    given: dict[str, Any] = {
        "opening": job.opening,
        "wants": [job.want],
        "facts": facts_of(job),
        "instruction": wishes(job) + (INSIST if insists else ACCEPT),
        "outputs": [status_of(job)],
        "required": look_up(job.order.id),
        "if_refused": "insist" if insists else "accept",
        "rules": refused_rules(job),
    }
    return make_task("refuse", talk, **(given | more))


def wishes(*jobs: Job) -> str:
    """An instruction that says what the customer wants, in order."""
    first, *later = (job.wish for job in jobs)
    also = "".join(f" When that is done or refused, you also want {wish}." for wish in later)
    return f"You want {first}.{also} You want nothing else changed."


def writes_on(job: Job) -> tuple[CallPattern, ...]:
    """Every call that would change the job's order, whatever its other arguments."""
    tools = (
        "cancel_pending_order",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "return_delivered_order_items",
        "exchange_delivered_order_items",
    )
    return tuple(CallPattern(tool=tool, arguments={"order_id": job.order.id}) for tool in tools)
