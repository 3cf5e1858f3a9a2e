"""One way trips booked from what the customer says, and trips that have no seat or are not paid."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.airline.families._booking_records import BookingProblem
from tau_env.domains.airline.families._bookings import booking_job
from tau_env.domains.airline.families._jobs import Job, carried_out, refused
from tau_env.domains.airline.families._query import user_ids
from tau_env.domains.airline.families._trips import find_booking
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[tuple[str, BookingProblem], ...] = (
    ("book_flight_number", "seats"),
    ("book_one_way", "balance"),
    ("book_direct", "seats"),
    ("book_flight_number", "balance"),
    ("book_one_way_together", "number"),
)
"""Phrase, and the problem of the other twin."""


@family(rules=("R4.1", "R4.2", "R4.3"), seed=3, size=10)
def one_way_booking(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a trip that can be booked, and what seats, money or the number of people forbid."""

    def pool(phrase: str, problem: BookingProblem, *, by_card: bool = True) -> Pool[Job]:
        def make(user_id: str) -> Job | None:
            numbered = phrase == "book_flight_number"
            found = find_booking(
                company,
                rng,
                user_id,
                numbered=numbered,
                group=phrase == "book_one_way_together",
                by_card=by_card,
                problem=problem,
            )
            return None if found is None else booking_job(found, phrase)

        return Pool(rng, user_ids(company), make)

    pairs = [
        (pool(phrase, "", by_card=problem != "balance"), pool(phrase, problem))
        for phrase, problem in KINDS
    ]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.3, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)
