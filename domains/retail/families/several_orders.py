"""Requests about two orders of one customer, one after the other."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.retail.families._build import look_up, make_task
from tau_env.domains.retail.families._jobs import facts_of, goal_of, refused_rules, status_of
from tau_env.domains.retail.families._records import order_ids
from tau_env.domains.retail.families._serve import (
    ACCEPT,
    Maker,
    Plan,
    find_plan,
    make_address,
    make_cancel,
    make_change,
    make_exchange,
    make_payment,
    make_return,
    start,
    wishes,
)
from tau_env.families.draw import Pool, in_turn, maybe_twisted
from tau_env.family import family
from tau_env.schema import Task, Twist
from tau_env.world.company import Company

PAIRS: tuple[tuple[str, Maker, tuple[str, Maker]], ...] = (
    ("pending", make_cancel, ("delivered", make_return)),
    ("pending", make_address, ("pending", make_payment)),
    ("processed", make_cancel, ("pending", make_cancel)),
    ("delivered", make_exchange, ("pending", make_address)),
    ("delivered", make_return, ("pending", make_change)),
    ("delivered", make_address, ("delivered", make_exchange)),
)
"""Status and request of the first order, then of the second."""
REFUSED = (2, 5)
"""Pairs whose first request the order's status forbids."""


@family(rules=("R2.1", "R3.1", "R3.7"), seed=1, size=12)
def several_orders(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """Pairs of requests of each kind in turn; in some the first is refused."""

    def pool(status: str, first: Maker, second: tuple[str, Maker]) -> Pool[Plan]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find_plan(company, rng, one, first, second))

    pools = [pool(*pair) for pair in PAIRS]
    for number, (kind, plan) in enumerate(in_turn(pools)):
        if kind in REFUSED:
            yield _half(rng, plan)
        else:
            share = (number + number // len(PAIRS)) % 2
            yield maybe_twisted(rng, partial(_both, rng, plan), share=share, twists=twists)


def _both(rng: random.Random, plan: Plan, *, twisted: bool) -> Task:
    """Both requests; where one is added, it comes up only when the first is done."""
    jobs = (plan.first, plan.second)
    talk = start(rng, *jobs)
    for job in jobs:
        job.look_up(talk)
        job.play(talk)
    return make_task(
        "fulfil",
        talk,
        opening=plan.first.opening,
        wants=[plan.first.want, *([] if twisted else [plan.second.want])],
        twists=[Twist(kind="adds", added=plan.second.want)] if twisted else [],
        facts=facts_of(*jobs),
        instruction=wishes(*jobs) + ACCEPT,
        goal=goal_of(*jobs),
        outputs=[output for job in jobs for output in job.outputs],
        required=look_up(*(job.order.id for job in jobs)),
        rules=tuple(dict.fromkeys((*plan.first.rules, *plan.second.rules))),
    )


def _half(rng: random.Random, plan: Plan) -> Task:
    """The first request is refused, the second is carried out."""
    jobs = (plan.first, plan.second)
    talk = start(rng, *jobs)
    talk.call("get_order_details", order_id=plan.first.order.id)
    plan.first.refuse(talk)
    plan.second.look_up(talk)
    plan.second.play(talk)
    return make_task(
        "partial",
        talk,
        opening=plan.first.opening,
        wants=[job.want for job in jobs],
        facts=facts_of(*jobs),
        instruction=wishes(*jobs) + ACCEPT,
        goal=goal_of(plan.second),
        outputs=[status_of(plan.first), *plan.second.outputs],
        required=look_up(*(job.order.id for job in jobs)),
        rules=refused_rules(plan.first, "R7.2", *plan.second.rules),
    )
