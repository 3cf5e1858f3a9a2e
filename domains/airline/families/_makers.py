"""From a reservation's id to a job on it, and to plans of two jobs of one customer."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tau_env.domains.airline.families._cabins import CabinProblem, cabin_job, find_cabin_move
from tau_env.domains.airline.families._jobs import Find, Job, Plan
from tau_env.domains.airline.families._moves import Problem, find_move, move_job
from tau_env.domains.airline.families._query import read_reservation, reservation_ids
from tau_env.domains.airline.families.cancel_trip import cancel_job, situation_of
from tau_env.domains.airline.families.checked_bags import Problem as Bagged
from tau_env.domains.airline.families.checked_bags import bags_job, find_bags
from tau_env.domains.airline.families.passenger_details import Phrase, find_names, names_job
from tau_env.world.company import Company


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of plan.

    Attributes:
        first: makes the first job.
        second: makes the second one.
        same: whether both are about one reservation.
    """

    first: Find
    second: Find
    same: bool = False


def canceller(situation: str, reason: str, phrase: str = "cancel_reason") -> Find:
    """To cancel a reservation of a situation, as `cancel_trip.situation_of` names it."""

    def make(company: Company, rng: random.Random, reservation_id: str) -> Job | None:
        del rng
        found = read_reservation(company, reservation_id)
        if situation_of(found) != situation or len(found.refundable) > 1:
            return None
        if found.status == "active" and not found.refundable:
            return None
        return cancel_job(found, reason, phrase)

    return make


def mover(problem: Problem = "", *, back: bool = False) -> Find:
    """To change a flight."""

    def make(company: Company, rng: random.Random, reservation_id: str) -> Job | None:
        found = find_move(company, rng, reservation_id, problem=problem, back=back)
        return None if found is None else move_job(found, "change_flight_number")

    return make


def recabiner(problem: CabinProblem = "", *, up: bool = True) -> Find:
    """To change the cabin."""

    def make(company: Company, rng: random.Random, reservation_id: str) -> Job | None:
        found = find_cabin_move(company, rng, reservation_id, up=up, problem=problem)
        return None if found is None else cabin_job(found, "upgrade" if up else "downgrade")

    return make


def packer(problem: Bagged = "", *, costs: bool = True, phrase: str = "add_bags") -> Find:
    """To add checked bags."""

    def make(company: Company, rng: random.Random, reservation_id: str) -> Job | None:
        found = find_bags(company, rng, reservation_id, costs=costs, problem=problem)
        return None if found is None else bags_job(found, phrase)

    return make


def renamer(phrase: Phrase = "correct_name") -> Find:
    """To correct, replace or add a passenger."""

    def make(company: Company, rng: random.Random, reservation_id: str) -> Job | None:
        found = find_names(company, rng, reservation_id, phrase=phrase)
        return None if found is None else names_job(found, phrase)

    return make


def find_plan(company: Company, rng: random.Random, kind: Kind, reservation_id: str) -> Plan | None:
    """Two jobs of one customer; None if they do not fit together.

    Where both charge the same gift card, it must hold enough for both.
    """
    one = kind.first(company, rng, reservation_id)
    if one is None:
        return None
    where = "r.user_id = ? AND r.reservation_id <> ?"
    others = reservation_ids(company, where, one.customer.id, reservation_id)
    for other in [reservation_id] if kind.same else others:
        two = kind.second(company, rng, other)
        if two is not None and _both_paid(one, two):
            return Plan(one, two)
    return None


def _both_paid(one: Job, two: Job) -> bool:
    flows = [flow for job in (one, two) if job.refusal is None for flow in job.flows]
    needed: dict[str, int] = {}
    for _, method, cents in flows:
        needed[method.id] = needed.get(method.id, 0) + max(0, cents)
    return all(method.covers(needed[method.id]) for _, method, _ in flows)


def plan_finder(company: Company, rng: random.Random, kind: Kind) -> Callable[[str], Plan | None]:
    """A finder of plans of a kind, for a pool."""
    return partial(find_plan, company, rng, kind)
