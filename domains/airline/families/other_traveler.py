"""Somebody else's reservation: refused without a word about it; the customer's own is served."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.airline.families._build import identity_facts, look_up, make_task
from tau_env.domains.airline.families._jobs import Find, Plan, goal_of, start, wishes, writes_on
from tau_env.domains.airline.families._makers import (
    Kind,
    canceller,
    mover,
    packer,
    plan_finder,
    renamer,
)
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families._records import Customer
from tau_env.domains.airline.families._together import together
from tau_env.families.build import TRANSFER
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family, split_of
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[tuple[Find, Find], ...] = (
    (canceller("recent", "change of plan"), packer()),
    (mover(), canceller("business", "change of plan")),
    (packer(), renamer("correct_dob")),
    (renamer("replace_passenger"), mover()),
)
"""What is wanted of the first reservation, and of the second, the customer's own."""

TRIES = 200
"""So many reservations are looked at for one that fits."""


class Errand:
    """A request about a reservation that may be somebody else's, then one about an own one."""

    def __init__(self, plan: Plan) -> None:
        """Take the two requests."""
        self.plan = plan

    @property
    def customer(self) -> Customer:
        """Who asks."""
        return self.plan.second.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase and want the same."""
        return f"{self.plan.first.opening} {self.plan.second.want.do}"


@family(rules=("R1.3", "R1.4", "R9.2"), seed=1, size=10)
def other_traveler(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: two reservations of one customer, and one of theirs with one of somebody else."""
    del twists
    everything = reservation_ids(company)

    def own(first: Find, second: Find) -> Pool[Errand]:
        find = plan_finder(company, rng, Kind(first, second))

        def make(reservation_id: str) -> Errand | None:
            plan = find(reservation_id)
            return None if plan is None else Errand(plan)

        return Pool(rng, everything, make)

    def mixed(first: Find, second: Find) -> Pool[Errand]:
        def make(reservation_id: str) -> Errand | None:
            mine = second(company, rng, reservation_id)
            if mine is None:
                return None
            for other in rng.sample(everything, TRIES):
                theirs = first(company, rng, other)
                if theirs is not None and _may_meet(mine.customer.id, theirs.customer.id):
                    return Errand(Plan(theirs, mine))
            return None

        return Pool(rng, everything, make)

    pairs = [(own(*kind), mixed(*kind)) for kind in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(
            together(rng, allowed.plan, instruction=_instruction(allowed.plan)),
            _forbidden(rng, forbidden.plan),
        )


def _may_meet(mine: str, theirs: str) -> bool:
    """Whether two customers may be in one task: records of the two splits never meet."""
    return mine != theirs and split_of(mine) == split_of(theirs)


def _instruction(plan: Plan) -> str:
    return (
        wishes(plan.first, plan.second)
        + " If the agent says that it cannot help with one of them, accept that."
    )


def _forbidden(rng: random.Random, plan: Plan) -> Task:
    first, own = plan.first, plan.second
    talk = start(rng, own)
    talk.look_up(first.record)
    talk.close(
        f"I'm sorry, but I cannot help you with reservation {first.record}.",
        f"Unfortunately I cannot {first.doing} for you.",
    )
    own.look_up(talk)
    own.play(talk)
    return make_task(
        "partial",
        talk,
        opening=first.opening,
        wants=[first.want, own.want],
        facts=identity_facts(own.customer),
        instruction=_instruction(plan),
        goal=goal_of(own),
        outputs=own.outputs,
        required=look_up(own.record),
        forbidden=[*writes_on(first.record), TRANSFER],
    )
