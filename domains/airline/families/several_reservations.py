"""Requests about two reservations of one customer: both possible, or one of them not."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.airline.families._jobs import Plan
from tau_env.domains.airline.families._makers import (
    Kind,
    canceller,
    mover,
    packer,
    plan_finder,
    recabiner,
)
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families._together import all_possible, together
from tau_env.families.draw import Pool, in_turn
from tau_env.family import family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS = (
    Kind(canceller("insured", "health"), canceller("", "health")),
    Kind(mover(), recabiner()),
    Kind(canceller("", "change of plan"), canceller("business", "change of plan")),
    Kind(packer(), canceller("recent", "change of plan")),
    Kind(mover("cabin"), packer(costs=False)),
)
"""Cancellations of which one is possible, changes that both are, a change that is not."""


@family(rules=("R3.5", "R3.7", "R9.2"), seed=1, size=10)
def several_reservations(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """Each request is about a reservation of its own and is decided on its own facts."""
    pools: list[Pool[Plan]] = [
        Pool(rng, reservation_ids(company), plan_finder(company, rng, kind)) for kind in KINDS
    ]
    for _, plan in in_turn(pools):
        adds = twists and all_possible(plan)
        yield together(rng, plan, insists=rng.random() < 0.5, adds=adds)
