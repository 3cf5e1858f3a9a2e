"""What the customer claims or wishes against the records: borne out, or impossible."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from tau_env.domains.airline.families._build import REFUSAL_RULES, make_task
from tau_env.domains.airline.families._jobs import (
    ACCEPT,
    Find,
    Job,
    carried_out,
    refused,
    refused_rules,
    start,
    wishes,
    writes_on,
)
from tau_env.domains.airline.families._makers import canceller, mover
from tau_env.domains.airline.families._moves import find_move, move_job
from tau_env.domains.airline.families._query import (
    flights_between,
    read_flight,
    reservation_ids,
)
from tau_env.families.build import TRANSFER, word
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Lure, Task
from tau_env.world.company import Company

CLAIMS: tuple[tuple[Find, Find], ...] = (
    (
        canceller("insured", "health", "claims_cancel"),
        canceller("", "health", "claims_cancel"),
    ),
    (
        canceller("recent", "change of plan", "claims_cancel_recent"),
        canceller("", "change of plan", "claims_cancel_recent"),
    ),
    (
        canceller("business", "change of plan", "claims_cancel_agent"),
        canceller("", "change of plan", "claims_cancel_agent"),
    ),
)
"""A claim that the record bears out, and the same one that it contradicts."""


@family(rules=("R2.1", "R2.3", "R9.1"), seed=1, size=10)
def contradiction(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a request that the records bear out, and one that they contradict."""
    del twists

    def pool(find: Find) -> Pool[Job]:
        return Pool(rng, reservation_ids(company), lambda one: find(company, rng, one))

    pairs = [(pool(true), pool(untrue)) for true, untrue in CLAIMS]
    pairs.append((pool(mover()), pool(_no_such_flight)))
    for allowed, forbidden in balanced_twins(pairs):
        claimed = forbidden.want.do == "cancel"
        impossible = Lure(kind="impossible", calls=(TRANSFER, *writes_on(forbidden.record)))
        rules = ("R2.1", *allowed.rules) if claimed else allowed.rules
        yield Twins(
            carried_out(rng, allowed, rules=rules),
            refused(rng, forbidden, lures=(impossible,), rules=refused_rules(forbidden, "R2.1"))
            if claimed
            else _not_flown(rng, forbidden, impossible),
        )


def _no_such_flight(company: Company, rng: random.Random, reservation_id: str) -> Job | None:
    """A flight of another route, which can never replace the one in the reservation."""
    found = find_move(company, rng, reservation_id)
    if found is None:
        return None
    there = {
        one.number
        for one in flights_between(
            company, found.old.origin, found.old.destination, found.new.date, found.old.cabin
        )
    }
    rows = company.rows("SELECT flight_number FROM flights ORDER BY 1")
    others = [row["flight_number"] for row in rows if row["flight_number"] not in there]
    new = read_flight(company, rng.choice(others), found.new.date, found.old.cabin)
    if new is None or found.old.origin in (new.origin, new.destination):
        return None
    job = move_job(replace(found, new=new), "change_flight_number")
    return replace(job, reads=lambda talk: talk.search(found.new))


def _not_flown(rng: random.Random, job: Job, lure: Lure) -> Task:
    talk = start(rng, job)
    job.look_up(talk)
    number = job.want.slots["flight_number"]
    talk.close(
        f"I'm sorry, but I cannot {job.doing}: flight {number} is not available on this route.",
        f"Unfortunately I cannot {job.doing} as you wish, because flight {number} is not available "
        "between these two cities.",
    )
    return make_task(
        "refuse",
        talk,
        opening=job.opening,
        wants=[job.want],
        instruction=wishes(job) + ACCEPT,
        outputs=[word("availability", "unavailable")],
        required=job.required,
        lures=(lure,),
        rules=("R5.2", *REFUSAL_RULES),
    )
