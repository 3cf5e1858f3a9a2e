"""Round trips: there and back with seats for everybody, or not; a detail corrected at the yes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._booking_records import Booking, BookingProblem
from tau_env.domains.airline.families._bookings import booking_job
from tau_env.domains.airline.families._corrected import corrected
from tau_env.domains.airline.families._jobs import Plan, carried_out, refused
from tau_env.domains.airline.families._query import user_ids
from tau_env.domains.airline.families._trips import (
    find_booking,
    in_other_cabin,
    with_other_method,
)
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

Detail = Literal["", "cabin", "method"]
KINDS: tuple[tuple[str, Detail, BookingProblem], ...] = (
    ("book_round_trip_together", "cabin", "number"),
    ("book_round_trip", "method", "seats"),
    ("book_round_trip", "", "balance"),
)
"""Phrase, the detail that may be corrected, and the problem of the other twin."""


@family(rules=("R4.1", "R4.2", "R4.3"), seed=4, size=10)
def round_trip(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: there and back, and what seats, money or the number of people forbid."""

    def bookable(phrase: str, detail: Detail, problem: BookingProblem) -> Pool[Plan]:
        def make(user_id: str) -> Plan | None:
            found = find_booking(
                company,
                rng,
                user_id,
                round_trip=True,
                group=problem == "number",
                by_card=problem != "balance",
            )
            if found is None:
                return None
            other: Booking | None = found
            if detail == "cabin":
                other = in_other_cabin(company, rng, found)
            elif detail == "method":
                other = with_other_method(rng, found)
            if other is None:
                return None
            return Plan(booking_job(found, phrase), booking_job(other, phrase))

        return Pool(rng, user_ids(company), make)

    def barred(phrase: str, problem: BookingProblem) -> Pool[Plan]:
        def make(user_id: str) -> Plan | None:
            found = find_booking(company, rng, user_id, round_trip=True, problem=problem)
            if found is None:
                return None
            job = booking_job(found, phrase)
            return Plan(job, job)

        return Pool(rng, user_ids(company), make)

    pairs = [
        (bookable(phrase, detail, problem), barred(phrase, problem))
        for phrase, detail, problem in KINDS
    ]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.5, twists=twists)
        yield Twins(granted, refused(rng, forbidden.first, insists=if_refused == "insist"))


def _allowed(rng: random.Random, plan: Plan, if_refused: str, *, twisted: bool) -> Task:
    if plan.first.want == plan.second.want:
        return carried_out(rng, plan.first, declines=twisted, if_refused=if_refused)
    return corrected(rng, plan, twisted=twisted, if_refused=if_refused)
