"""Requests that are dropped at the yes, and requests of which a value is corrected there."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tau_env.domains.airline.families._build import identity_facts, make_task
from tau_env.domains.airline.families._cabins import cabin_job, find_cabin_move
from tau_env.domains.airline.families._corrected import corrected
from tau_env.domains.airline.families._jobs import Plan, goal_of, required_by, start, wishes
from tau_env.domains.airline.families._makers import (
    Kind,
    canceller,
    mover,
    packer,
    plan_finder,
    recabiner,
    renamer,
)
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families.checked_bags import bags_job, find_bags
from tau_env.families.draw import Pool, in_turn, maybe_twisted
from tau_env.family import family
from tau_env.schema import Task, Twist
from tau_env.world.company import Company

DROPS = (
    Kind(canceller("business", "change of plan"), packer()),
    Kind(recabiner(), renamer("correct_dob")),
    Kind(mover(), canceller("recent", "change of plan")),
)
"""The request that is dropped, then the one that is not, about another reservation."""


@family(rules=("R3.3", "R3.4"), seed=1, size=12)
def mind_change(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """A first request dropped, or one value of it corrected, when it comes to the yes."""

    def pool(make: Callable[[str], Plan | None]) -> Pool[Plan]:
        return Pool(rng, reservation_ids(company), make)

    pools = [pool(plan_finder(company, rng, kind)) for kind in DROPS]
    pools += [
        pool(partial(make, company, rng)) for make in (_two_numbers, _two_methods, _two_totals)
    ]
    for kind, plan in in_turn(pools):
        build = _dropped if kind < len(DROPS) else corrected
        yield maybe_twisted(rng, partial(build, rng, plan), share=1.0, twists=twists)


def _two_numbers(
    company: Company, rng: random.Random, reservation_id: str, *, phrase: str = "add_bags"
) -> Plan | None:
    """So many bags first, then one more; the same method pays for both."""
    found = find_bags(company, rng, reservation_id, costs=True)
    if found is None:
        return None
    more = replace(found, total=found.total + 1)
    if not more.method.covers(more.fee):
        return None
    return Plan(bags_job(found, phrase), bags_job(more, phrase))


def _two_totals(company: Company, rng: random.Random, reservation_id: str) -> Plan | None:
    return _two_numbers(company, rng, reservation_id, phrase="add_bags_total")


def _two_methods(company: Company, rng: random.Random, reservation_id: str) -> Plan | None:
    """A cabin that is to be paid with one method, then with another; both can pay."""
    found = find_cabin_move(company, rng, reservation_id, up=True)
    if found is None:
        return None
    others = [
        method
        for method in found.customer.clear_methods
        if method != found.method and method.covers(found.difference)
    ]
    if not others:
        return None
    return Plan(cabin_job(found, "upgrade"), cabin_job(replace(found, method=others[0]), "upgrade"))


def _dropped(rng: random.Random, plan: Plan, *, twisted: bool) -> Task:
    """The first request is dropped at the yes, the second is carried out."""
    jobs = (plan.first, plan.second)
    done = (plan.second,) if twisted else jobs
    talk = start(rng, plan.first)
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
        facts=identity_facts(plan.customer),
        instruction=wishes(*jobs) + (change if twisted else ""),
        goal=goal_of(*done),
        outputs=[output for job in done for output in job.outputs],
        required=required_by(*done),
        rules=("R3.4", "R3.7", *plan.second.rules) if twisted else (),
    )
