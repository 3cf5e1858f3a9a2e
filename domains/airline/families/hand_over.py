"""Troubles that a human colleague must see, and troubles that are allowed requests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tau_env.domains.airline.families._build import identity_facts, look_up, make_task
from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._jobs import ACCEPT, Find, Job, goal_of, wishes
from tau_env.domains.airline.families._makers import canceller, mover, packer, renamer
from tau_env.domains.airline.families._query import read_reservation, reservation_ids
from tau_env.domains.airline.families._records import Customer, Reservation
from tau_env.families.build import TRANSFER, must_call
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task, Want
from tau_env.world.company import Company

OPENING = "trouble_first"
KINDS: tuple[tuple[str, Find], ...] = (
    ("cancel_rest", canceller("business", "change of plan")),
    ("bags_lost", packer()),
    ("change_rest", mover()),
    ("bags_damaged", renamer("correct_name")),
)
"""Trouble, and what the other twin wants."""
TROUBLES = {
    "cancel_rest": "has been flown in part, and the customer wants to cancel the rest",
    "change_rest": "has been flown in part, and the customer wants to fly back on another day",
    "bags_lost": "has been flown, and the checked bags never arrived",
    "bags_damaged": "has been flown, and a checked bag arrived damaged",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A reservation with a trouble."""

    reservation: Reservation
    kind: str
    return_date: str = ""

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.reservation.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return OPENING


@family(rules=("R9.4", "R9.5"), seed=1, size=10)
def hand_over(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a trouble that turns out to be an allowed request, and one for a human colleague."""
    del twists
    everything = reservation_ids(company)

    def jobs(find: Find) -> Pool[Job | Trouble]:
        def one(reservation_id: str) -> Job | None:
            job = find(company, rng, reservation_id)
            return None if job is None else replace(job, opening=OPENING)

        return Pool(rng, everything, one)

    def troubles(kind: str) -> Pool[Job | Trouble]:
        return Pool(rng, everything, lambda one: _trouble(company, rng, one, kind))

    pairs = [(jobs(find), troubles(kind)) for kind, find in KINDS]
    for allowed, other in balanced_twins(pairs):
        if isinstance(allowed, Job) and isinstance(other, Trouble):
            yield Twins(_request(rng, allowed), _transfer(rng, other))


def _trouble(
    company: Company, rng: random.Random, reservation_id: str, kind: str
) -> Trouble | None:
    found = read_reservation(company, reservation_id)
    if kind in ("bags_lost", "bags_damaged"):
        landed = found.is_flown and found.statuses == {"landed"} and found.bags > 1
        return Trouble(found, kind) if landed else None
    if not (found.is_partly_flown and found.statuses <= {"landed", "available"}):
        return None
    if found.flight_type != "round_trip" or found.flights[-1].status != "available":
        return None
    if kind == "cancel_rest":
        return Trouble(found, kind)
    last = found.flights[-1].date
    days = [f"{last[:8]}{day:02d}" for day in range(int(last[8:]) + 1, 31)]
    return Trouble(found, kind, rng.choice(days)) if days else None


def _ask(talk: Dialogue, reservation_id: str) -> None:
    """Identify the customer, look up the reservation and ask what the matter is."""
    talk.identify()
    talk.look_up(reservation_id)
    talk.say(
        f"Thank you, {talk.customer.first_name}. I have reservation {reservation_id} in front of "
        "me. What is the problem with it?",
        f"Thanks, {talk.customer.first_name}. What is wrong with reservation {reservation_id}?",
    )


def _request(rng: random.Random, job: Job) -> Task:
    talk = Dialogue(rng, job.customer)
    _ask(talk, job.record)
    job.reads(talk)
    job.play(talk)
    return make_task(
        "fulfil",
        talk,
        opening=job.opening,
        wants=[job.want],
        facts=identity_facts(job.customer),
        instruction="First say only that there is a problem with it. " + wishes(job) + ACCEPT,
        goal=goal_of(job),
        outputs=job.outputs,
        required=job.required,
        rules=("R9.4", *job.rules),
    )


def _transfer(rng: random.Random, found: Trouble) -> Task:
    talk, reservation = Dialogue(rng, found.customer), found.reservation
    what = TROUBLES[found.kind]
    slots: dict[str, str | tuple[str, ...]] = {"reservation_id": reservation.id}
    if found.return_date:
        slots["return_date"] = found.return_date
    _ask(talk, reservation.id)
    talk.say(
        f"I'm sorry to hear that, {talk.customer.first_name}. I will transfer you to a human "
        "colleague, who can look into it.",
        f"Thank you, {talk.customer.first_name}. This is something for a human colleague; I will "
        "transfer you.",
    )
    talk.call(
        "transfer_to_human_agents",
        summary=f"Reservation {reservation.id} of {reservation.customer.id} {what}.",
    )
    day = f" The day on which you want to fly back is {found.return_date}."
    return make_task(
        "transfer",
        talk,
        opening=OPENING,
        wants=[Want(do="transfer", slots=slots, say=found.kind)],
        instruction=(
            f"First say only that there is a problem with your reservation {reservation.id}. It "
            f"{what}; the customer is you.{day if found.return_date else ''} You agree to talk to "
            "a human colleague about it."
        ),
        required=[*look_up(reservation.id), must_call("hand over", TRANSFER.tool)],
        rules=("R9.4", "R9.5", *(("R5.1",) if found.kind.endswith("_rest") else ())),
    )
