"""Another flight for a reservation: while nothing has left, not in basic economy, if it is free."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.airline.families._jobs import Job, carried_out, refused
from tau_env.domains.airline.families._moves import Preference, Problem, find_move, move_job
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[tuple[str, Preference, bool, Problem], ...] = (
    ("change_flight_number", "", False, "cabin"),
    ("change_flight_number", "", False, "seats"),
    ("change_preference", "earliest", False, "flown"),
    ("change_flight_number", "", True, "balance"),
    ("change_preference", "cheapest", False, "cabin"),
    ("change_flight_number", "", True, "seats"),
    ("change_preference", "latest", False, "given up"),
)
"""Phrase, preference, whether it is the way back, and the problem of the other twin."""


@family(rules=("R5.1", "R5.2", "R5.4"), seed=1, size=14)
def change_flights(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a flight that can be changed, and one that cabin, seats, status or money forbid."""

    def pool(phrase: str, preference: Preference, back: bool, problem: Problem) -> Pool[Job]:
        def make(reservation_id: str) -> Job | None:
            found = find_move(
                company, rng, reservation_id, problem=problem, preference=preference, back=back
            )
            return None if found is None else move_job(found, phrase)

        return Pool(rng, reservation_ids(company), make)

    pairs = [
        (pool(phrase, preference, back, ""), pool(phrase, preference, back, problem))
        for phrase, preference, back, problem in KINDS
    ]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)
