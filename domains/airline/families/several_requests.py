"""Two requests about one reservation: both possible, or one of them not."""

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
    renamer,
)
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families._together import all_possible, together
from tau_env.families.draw import Pool, in_turn
from tau_env.family import family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS = (
    Kind(packer(), renamer("correct_name"), same=True),
    Kind(renamer("replace_passenger"), canceller("", "change of plan"), same=True),
    Kind(mover(), packer(costs=False), same=True),
    Kind(packer(phrase="add_bags_total"), renamer("add_passenger"), same=True),
    Kind(mover("cabin"), renamer("correct_dob"), same=True),
)
"""Both possible, or one refused: a cancellation, a passenger too many, a basic economy flight."""


@family(rules=("R3.7", "R9.2"), seed=1, size=10)
def several_requests(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """Requests that are served one after the other, each with a yes of its own."""
    pools: list[Pool[Plan]] = [
        Pool(rng, reservation_ids(company), plan_finder(company, rng, kind)) for kind in KINDS
    ]
    for _, plan in in_turn(pools):
        adds = twists and all_possible(plan)
        yield together(rng, plan, insists=rng.random() < 0.5, adds=adds)
