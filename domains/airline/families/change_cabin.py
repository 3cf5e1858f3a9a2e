"""Another cabin for a reservation: up or down, while nothing has left, if there are seats."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.airline.families._cabins import CabinProblem, cabin_job, find_cabin_move
from tau_env.domains.airline.families._jobs import Job, carried_out, refused
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[tuple[str, bool, CabinProblem], ...] = (
    ("upgrade", True, "seats"),
    ("downgrade", False, "flown"),
    ("change_cabin", True, "balance"),
    ("downgrade", False, "given up"),
    ("upgrade", True, "flown"),
)
"""Phrase, whether the cabin is a higher one, and the problem of the other twin."""


@family(rules=("R5.1", "R5.3", "R5.4"), seed=1, size=10)
def change_cabin(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a cabin that can be changed, and one that seats, status or money forbid."""

    def pool(phrase: str, up: bool, problem: CabinProblem) -> Pool[Job]:
        def make(reservation_id: str) -> Job | None:
            found = find_cabin_move(company, rng, reservation_id, up=up, problem=problem)
            return None if found is None else cabin_job(found, phrase)

        return Pool(rng, reservation_ids(company), make)

    pairs = [(pool(phrase, up, ""), pool(phrase, up, problem)) for phrase, up, problem in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)
