"""A customer who thinks better of it when asked for the yes: drops a request or changes a value."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tau_env.domains.retail.families._build import look_up, make_task
from tau_env.domains.retail.families._jobs import (
    cancel_job,
    facts_of,
    goal_of,
    payment_job,
    return_job,
)
from tau_env.domains.retail.families._records import order_ids, read_order
from tau_env.domains.retail.families._serve import (
    Maker,
    Plan,
    find_plan,
    make_address,
    make_cancel,
    make_payment,
    make_return,
    start,
    wishes,
)
from tau_env.domains.retail.families.cancel_pending import REASONS
from tau_env.domains.retail.families.payment_method import Move, find_move
from tau_env.domains.retail.families.return_items import find_return
from tau_env.families.draw import Pool, in_turn, maybe_twisted
from tau_env.family import family
from tau_env.schema import Task, Twist
from tau_env.world.company import Company

DROPS: tuple[tuple[str, Maker, tuple[str, Maker]], ...] = (
    ("pending", make_cancel, ("delivered", make_return)),
    ("delivered", make_return, ("pending", make_cancel)),
    ("pending", make_payment, ("pending", make_address)),
)
"""Status and request that is dropped, then those of the request that is not."""
CORRECTED = ("pending", "delivered", "pending")
"""Statuses of the orders about which a value is corrected: reason, refund method, payment."""


@family(rules=("R3.3", "R3.4"), seed=1, size=12)
def mind_change(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """Requests that are dropped at the yes, and requests of which a value is corrected there."""

    def plans(status: str, first: Maker, second: tuple[str, Maker]) -> Pool[Plan]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find_plan(company, rng, one, first, second))

    def corrections(status: str, make: Callable[[str], Plan | None]) -> Pool[Plan]:
        return Pool(rng, order_ids(company, "o.status = ?", status), make)

    makers = (_two_reasons, _two_destinations, _two_payments)
    pools = [plans(*one) for one in DROPS]
    pools += [
        corrections(status, partial(make, company, rng))
        for status, make in zip(CORRECTED, makers, strict=True)
    ]
    for kind, plan in in_turn(pools):
        build = _dropped if kind < len(DROPS) else _corrected
        yield maybe_twisted(rng, partial(build, rng, plan), share=1.0, twists=twists)


def _two_reasons(company: Company, rng: random.Random, order_id: str) -> Plan:
    order = read_order(company, order_id)
    one, two = rng.sample(REASONS, 2)
    return Plan(cancel_job(order, one), cancel_job(order, two))


def _two_destinations(company: Company, rng: random.Random, order_id: str) -> Plan | None:
    """The refund of a return first here, then there; both are allowed."""
    found = find_return(company, rng, order_id)
    if found is None:
        return None
    others = [
        method
        for method in found.customer.clear_methods
        if method != found.method and (method.source == "gift_card" or method.id in found.order.net)
    ]
    if not others:
        return None
    return Plan(return_job(found), return_job(replace(found, method=rng.choice(others))))


def _two_payments(company: Company, rng: random.Random, order_id: str) -> Plan | None:
    """An order that is to be paid with one other method, then with another; both can pay."""
    move = find_move(company, rng, order_id)
    if move is None:
        return None
    others = [
        method
        for method in move.customer.clear_methods
        if method not in (move.method, move.order.payer) and method.covers(move.order.total)
    ]
    return Plan(payment_job(move), payment_job(Move(move.order, others[0]))) if others else None


def _dropped(rng: random.Random, plan: Plan, *, twisted: bool) -> Task:
    """The first request is dropped at the yes, the second is carried out."""
    jobs = (plan.first, plan.second)
    done = (plan.second,) if twisted else jobs
    talk = start(rng, *jobs)
    plan.first.look_up(talk)
    if twisted:
        talk.until_yes(plan.first.play)
    else:
        plan.first.play(talk)
    plan.second.look_up(talk)
    plan.second.play(talk)
    change = " When you are asked whether to go ahead with the first, say that you have changed "
    change += "your mind and want it left as it is."
    return make_task(
        "fulfil",
        talk,
        opening=plan.first.opening,
        wants=[job.want for job in jobs],
        twists=[Twist(kind="changes_mind")] if twisted else [],
        facts=facts_of(*jobs),
        instruction=wishes(*jobs) + (change if twisted else ""),
        goal=goal_of(*done),
        outputs=[output for job in done for output in job.outputs],
        required=look_up(*(job.order.id for job in done)),
        rules=("R3.4", "R3.7", *plan.second.rules) if twisted else (),
    )


def _corrected(rng: random.Random, plan: Plan, *, twisted: bool) -> Task:
    """A value is corrected at the yes."""
    asked, meant = plan.first, plan.second if twisted else plan.first
    talk = start(rng, asked)
    asked.look_up(talk)
    if twisted:
        talk.until_yes(asked.play)
        talk.from_proposal(meant.play)
    else:
        asked.play(talk)
    slots = {
        name: str(value)
        for name, value in meant.want.slots.items()
        if value != asked.want.slots[name]
    }
    change = (
        f" When you are asked whether to go ahead, correct yourself: {', '.join(slots.values())}."
    )
    return make_task(
        "fulfil",
        talk,
        opening=asked.opening,
        wants=[asked.want],
        twists=[Twist(kind="corrects", slots=slots)] if twisted else [],
        instruction=wishes(asked) + (change if twisted else ""),
        goal=goal_of(meant),
        outputs=meant.outputs,
        required=look_up(asked.order.id),
        rules=("R3.3", *meant.rules) if twisted else (),
    )
