"""What basic economy does not allow, and what becomes of it by a change of the cabin."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from tau_env.domains.airline.families._build import (
    date,
    flight_rows,
    money_rows,
    reservation_row,
    seat_rows,
)
from tau_env.domains.airline.families._cabins import CabinMove, cabin_job, find_cabin_move
from tau_env.domains.airline.families._jobs import Job, Plan, Refusal, refused
from tau_env.domains.airline.families._moves import Move, draw_move, find_move, move_job
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families._records import Customer
from tau_env.domains.airline.families._together import together
from tau_env.domains.airline.families.cancel_trip import cancel_job, situation_of
from tau_env.domains.airline.families.checked_bags import bags_job, find_bags
from tau_env.families.build import word
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

BASIC = "r.cabin = 'basic_economy'"
REASON = "change of plan"


class Upgrade:
    """A basic economy reservation that is to be in a higher cabin, and what is to follow."""

    shape = ""

    def __init__(self, cabin: CabinMove, flight: Move | None = None) -> None:
        """Take the change of the cabin, and of the flight after it."""
        self.cabin = cabin
        self.flight = flight

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.cabin.customer


@family(rules=("R5.2", "R5.3"), seed=1, size=10)
def basic_economy(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins | Task]:
    """Twins: a flight changed after the cabin, or no seat there; and two kinds of half a yes."""
    del twists
    ids = reservation_ids(company, BASIC)

    def upgrade(reservation_id: str, *, full: bool = False) -> Upgrade | None:
        found = find_cabin_move(
            company, rng, reservation_id, up=True, problem="seats" if full else ""
        )
        if found is None or len(found.flights) > 1:
            return None
        if full:
            return Upgrade(found)
        flight = draw_move(company, rng, found.after)
        if flight is None or flight.method != found.method:
            return None
        total = max(0, found.difference) + max(0, flight.difference)
        return Upgrade(found, flight) if found.method.covers(total) else None

    def cancelling(reservation_id: str) -> Plan | None:
        found = find_cabin_move(company, rng, reservation_id, up=True)
        if found is None or found.cabin != "business" or situation_of(found.reservation):
            return None
        return Plan(cabin_job(found, "upgrade"), _barred_cancel(found))

    def bags(reservation_id: str) -> Plan | None:
        move = find_move(company, rng, reservation_id, problem="cabin")
        more = find_bags(company, rng, reservation_id, costs=True)
        if move is None or more is None:
            return None
        return Plan(move_job(move, "change_flight_number"), bags_job(more, "add_bags"))

    pairs = [(Pool(rng, ids, upgrade), Pool(rng, ids, lambda one: upgrade(one, full=True)))]
    others = [Pool(rng, ids, cancelling), Pool(rng, ids, bags)]
    taken: set[str] = set()
    for place, (allowed, forbidden) in enumerate(balanced_twins(pairs, taken=taken)):
        if_refused = rng.choice(("accept", "insist"))
        yield Twins(
            _both(rng, allowed, if_refused),
            refused(rng, cabin_job(forbidden.cabin, "upgrade"), insists=if_refused == "insist"),
        )
        plan = others[place % 2].take(taken)
        if plan is None:
            return
        yield together(rng, plan, insists=if_refused == "insist")


def _both(rng: random.Random, upgrade: Upgrade, if_refused: str) -> Task:
    """The cabin is changed, and the flight after it."""
    cabin, flight = upgrade.cabin, upgrade.flight
    if flight is None:
        raise ValueError(f"no flight to change to: {cabin.reservation.id}")
    first, second = cabin_job(cabin, "upgrade"), move_job(flight, "change_flight_number")
    reservation = cabin.reservation
    last = replace(flight.new, paid=flight.new.fare)
    goal = (
        reservation_row(reservation.id, cabin=cabin.cabin),
        *flight_rows(reservation.id, reservation.flights, [last]),
        *seat_rows((*first.seats, *second.seats)),
        *money_rows(*first.flows, *second.flows),
    )
    rules = ("R5.2", "R5.3", "R5.4")
    insists = if_refused == "insist"
    return together(rng, Plan(first, second), insists=insists, goal=goal, rules=rules)


def _barred_cancel(move: CabinMove) -> Job:
    """To cancel what has been moved to business in the same conversation (R7.3)."""
    reservation = move.reservation
    cabin, day = reservation.cabin_word, reservation.booked_on
    booked = f"it was booked on {day} in {cabin} and without travel insurance"
    why = Refusal(
        because=(
            f"{booked}, and the change to business that was made just now does not count",
            f"the change to business of today does not count, and {booked}",
        ),
        outputs=(word("cabin", cabin), date(day), word("insurance", "no")),
        rules=("R7.1", "R7.3"),
    )
    return replace(cancel_job(reservation, REASON, "cancel_reason"), refusal=why)
