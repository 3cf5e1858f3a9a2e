"""A flight that the airline has cancelled or that is delayed: another one, or money, or comfort."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from tau_env.domains.airline.families._jobs import Job, Plan, carried_out, refused
from tau_env.domains.airline.families._moves import Move, move_job
from tau_env.domains.airline.families._query import (
    days_ahead,
    flights_between,
    read_reservation,
    reservation_ids,
)
from tau_env.domains.airline.families._records import Reservation
from tau_env.domains.airline.families._together import together
from tau_env.domains.airline.families.cancel_trip import cancel_job, situation_of
from tau_env.domains.airline.families.compensation import Claim, Trouble, compensation_job
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

REASON = "airline cancelled flight"


@family(rules=("R5.2", "R7.1", "R8.2"), seed=1, size=10)
def disruption(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: what can be done for a disrupted trip, and what only half or not at all."""
    del twists

    def pool(make: Callable[[str], Plan | None]) -> Pool[Plan]:
        return Pool(rng, reservation_ids(company), make)

    def rebooking(trouble: Trouble, *, barred: bool) -> Pool[Plan]:
        def make(reservation_id: str) -> Plan | None:
            job = _rebooking(company, rng, reservation_id, trouble, barred=barred)
            return None if job is None else Plan(job, job)

        return pool(make)

    def refunding(*, due: bool) -> Pool[Plan]:
        return pool(lambda one: _refunding(read_reservation(company, one), due=due))

    def both(*, due: bool) -> Pool[Plan]:
        def make(reservation_id: str) -> Plan | None:
            job = _rebooking(company, rng, reservation_id, "delayed", barred=False)
            comfort = _comfort(read_reservation(company, reservation_id), "delayed", due=due)
            return None if job is None or comfort is None else Plan(comfort, job)

        return pool(make)

    pairs = [
        (rebooking("cancelled", barred=False), rebooking("cancelled", barred=True)),
        (refunding(due=True), refunding(due=False)),
        (both(due=True), both(due=False)),
        (rebooking("delayed", barred=False), rebooking("delayed", barred=True)),
    ]
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(_task(rng, allowed), _task(rng, forbidden))


def _task(rng: random.Random, plan: Plan) -> Task:
    if plan.first is not plan.second:
        return together(rng, plan)
    return carried_out(rng, plan.first) if plan.first.refusal is None else refused(rng, plan.first)


def _rebooking(
    company: Company, rng: random.Random, reservation_id: str, trouble: Trouble, *, barred: bool
) -> Job | None:
    """The one flight of a trip is to become one of another day; basic economy bars it."""
    found = read_reservation(company, reservation_id)
    basic = found.cabin == "basic_economy"
    if not found.is_open or found.statuses != {trouble} or basic != barred:
        return None
    if len(found.flights) != 1:
        return None
    old, count = found.flights[0], len(found.passengers)
    moves = [
        Move(found, old, new, method, "cabin" if barred else "")
        for day in days_ahead(company)
        if day > old.date
        for new in flights_between(company, old.origin, old.destination, day, found.cabin)
        if new.has_room(count) and new.fare != old.paid
        for method in found.customer.clear_methods
        if method.covers(count * (new.fare - old.paid))
    ]
    return move_job(rng.choice(moves), "change_flight_number") if moves else None


def _refunding(reservation: Reservation, *, due: bool) -> Plan | None:
    """The money back, and a certificate, which is not due to everybody."""
    if situation_of(reservation) != "airline" or len(reservation.refundable) != 1:
        return None
    comfort = _comfort(reservation, "cancelled", due=due)
    if comfort is None:
        return None
    return Plan(comfort, cancel_job(reservation, REASON, "cancel_reason"))


def _comfort(reservation: Reservation, trouble: Trouble, *, due: bool) -> Job | None:
    """Compensation, due or not; None where something else decides."""
    if reservation.status != "active" or reservation.statuses != {trouble}:
        return None
    if len(reservation.flights) > 2:
        return None
    job = compensation_job(Claim(reservation, trouble))
    return job if (job.refusal is None) == due else None
