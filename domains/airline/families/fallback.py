"""If not this, then that: a first wish that is granted, or refused and followed by another."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from tau_env.domains.airline.families._cabins import cabin_job, find_cabin_move
from tau_env.domains.airline.families._jobs import Job, Plan, carried_out, wishes
from tau_env.domains.airline.families._makers import (
    Kind,
    canceller,
    mover,
    packer,
    plan_finder,
    recabiner,
)
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families._together import together
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[tuple[Kind, Kind], ...] = (
    (
        Kind(canceller("recent", "change of plan"), packer(), same=True),
        Kind(canceller("", "change of plan"), mover(), same=True),
    ),
    (Kind(mover(), packer(), same=True), Kind(mover("cabin"), packer(), same=True)),
    (Kind(recabiner(), packer(), same=True), Kind(recabiner("seats"), packer(), same=True)),
)
"""Wishes of which the first is granted, and wishes of which it is refused and the second is not."""


@family(rules=("R9.2",), seed=1, size=10)
def fallback(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: the second wish is never needed, or it is what becomes of the first."""
    del twists

    def pool(make: Callable[[str], Plan | None]) -> Pool[Plan]:
        return Pool(rng, reservation_ids(company), make)

    pairs = [
        (pool(plan_finder(company, rng, granted)), pool(plan_finder(company, rng, denied)))
        for granted, denied in KINDS
    ]
    pairs.append(
        (
            pool(lambda one: _one_method(company, rng, one)),
            pool(lambda one: _other_method(company, rng, one)),
        )
    )
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(_first(rng, _hinting(allowed.first)), _second(rng, forbidden))


def _hinting(job: Job) -> Job:
    """The first wish, raised with the hint that there is another one."""
    return replace(job, opening=f"or_else_{job.opening}")


def _one_method(company: Company, rng: random.Random, reservation_id: str) -> Plan | None:
    """A cabin that the gift card can pay."""
    found = find_cabin_move(company, rng, reservation_id, up=True)
    if found is None or found.method.source != "gift_card":
        return None
    job = cabin_job(found, "upgrade")
    return Plan(job, job)


def _other_method(company: Company, rng: random.Random, reservation_id: str) -> Plan | None:
    """A cabin that the gift card cannot pay, but another method can."""
    found = find_cabin_move(company, rng, reservation_id, up=True, problem="balance")
    if found is None:
        return None
    others = [
        one
        for one in found.customer.clear_methods
        if one != found.method and one.covers(found.difference)
    ]
    if not others:
        return None
    second = replace(found, method=rng.choice(others), problem="")
    return Plan(cabin_job(found, "upgrade"), cabin_job(second, "upgrade"))


def _first(rng: random.Random, job: Job) -> Task:
    return carried_out(
        rng,
        job,
        instruction=wishes(job) + " If it is not possible, say that you will leave it then.",
    )


def _second(rng: random.Random, plan: Plan) -> Task:
    return together(
        rng,
        Plan(_hinting(plan.first), plan.second),
        instruction=f"You want {plan.first.wish}. Only if that is refused, you want "
        f"{plan.second.wish}. You want nothing else changed.",
    )
