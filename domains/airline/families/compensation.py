"""A certificate for a flight that is cancelled or delayed: to whom it is due, and to whom not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._jobs import Job, Refusal, carried_out, refused
from tau_env.domains.airline.families._query import read_reservation, reservation_ids
from tau_env.domains.airline.families._records import Customer, Reservation
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import RowChange, Task, Want
from tau_env.world.company import Company

Trouble = Literal["cancelled", "delayed"]
AMOUNTS: dict[Trouble, int] = {"cancelled": 10_000, "delayed": 5_000}
"""What is due for each passenger, in cents (R8.3)."""
KINDS: tuple[tuple[Trouble, str, str], ...] = (
    ("cancelled", "member", "not entitled"),
    ("delayed", "insured", "not entitled"),
    ("delayed", "member", "no trouble"),
    ("cancelled", "business", "no trouble"),
    ("cancelled", "insured", "not entitled"),
)
"""What has happened, why compensation is due, and why it is not due to the other twin."""


@family(rules=("R8.1", "R8.2", "R8.3"), seed=2, size=10)
def compensation(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: compensation that is due, and some that membership or status forbid."""

    def pool(trouble: Trouble, situation: str) -> Pool[Job]:
        def make(reservation_id: str) -> Job | None:
            found = read_reservation(company, reservation_id)
            fits = _situation(found, trouble) == situation
            return compensation_job(Claim(found, trouble)) if fits else None

        return Pool(rng, reservation_ids(company), make)

    pairs = [(pool(trouble, due), pool(trouble, not_due)) for trouble, due, not_due in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)


@dataclass(frozen=True, slots=True)
class Claim:
    """A reservation of which the customer says that a flight is cancelled or delayed."""

    reservation: Reservation
    trouble: Trouble

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.reservation.customer

    @property
    def cents(self) -> int:
        """What would be due."""
        return AMOUNTS[self.trouble] * len(self.reservation.passengers)


def _situation(reservation: Reservation, trouble: Trouble) -> str:
    """What decides on compensation; empty where several things do, or others.

    Returns:
        ``member``, ``insured`` or ``business`` if that alone makes it due; ``not entitled`` if the
        trouble is as the customer says and nothing makes it due; ``no trouble`` if it is not.
    """
    grounds = [
        name
        for name, holds in (
            ("member", reservation.customer.membership != "regular"),
            ("insured", reservation.insurance == "yes"),
            ("business", reservation.cabin == "business"),
        )
        if holds
    ]
    if reservation.status != "active" or len(reservation.flights) > 2:
        return ""
    if not {"cancelled", "delayed"} & reservation.statuses:
        calm = len(reservation.statuses) == 1 and reservation.is_open
        return "no trouble" if calm and grounds else ""
    if {"cancelled", "delayed"} & reservation.statuses != {trouble}:
        return ""
    if len(grounds) > 1:
        return ""
    return grounds[0] if grounds else "not entitled"


def compensation_job(claim: Claim, phrase: str = "") -> Job:
    """To be compensated for what has happened to a reservation.

    Args:
        claim: the situation; `_situation` of it is not empty.
        phrase: raises the want; the one that names the trouble when empty.
    """
    reservation, phrase = claim.reservation, phrase or f"compensation_{claim.trouble}"
    return Job(
        customer=claim.customer,
        record=reservation.id,
        want=Want(do="send_certificate", slots={"reservation_id": reservation.id}, say=phrase),
        opening=f"{phrase}_first",
        wish=(
            f"compensation because, as you say, a flight of reservation {reservation.id} is "
            f"{claim.trouble}"
        ),
        doing=f"compensate you for reservation {reservation.id}",
        rows=(_certificate(claim),),
        flows=(),
        seats=(),
        outputs=(money(claim.cents),),
        rules=("R8.1", "R8.2", "R8.3"),
        perform=partial(_send, claim),
        refusal=_refusal(claim),
    )


def _certificate(claim: Claim) -> RowChange:
    return RowChange(
        op="insert",
        table="payment_methods",
        key={"payment_id": "$certificate"},
        fields={
            "user_id": claim.customer.id,
            "source": "certificate",
            "brand": None,
            "last_four": None,
            "balance_cents": claim.cents,
        },
    )


def _send(claim: Claim, talk: Dialogue) -> None:
    reservation, amount = claim.reservation, dollars(claim.cents)
    count = len(reservation.passengers)
    each = (
        f"{dollars(AMOUNTS[claim.trouble])} for each of {count} passengers, " if count > 1 else ""
    )
    talk.propose(
        f"I'm sorry that a flight of reservation {reservation.id} is {claim.trouble}. I would send "
        f"you a travel certificate of {amount}, {each}to your profile.",
        f"I'm sorry about that, {talk.customer.first_name}. For reservation {reservation.id}, of "
        f"which a flight is {claim.trouble}, I can send a certificate of {amount} to your profile.",
    )
    talk.write("send_certificate", user_id=claim.customer.id, amount=claim.cents // 100)
    talk.close(
        f"I have sent you a certificate of {amount}; it is in your profile now.",
        f"Done: a travel certificate of {amount} has been sent to your profile.",
    )


def _refusal(claim: Claim) -> Refusal | None:
    reservation = claim.reservation
    situation = _situation(reservation, claim.trouble)
    if situation == "no trouble":
        status = next(iter(reservation.statuses))
        return Refusal(
            because=(
                f"in the record the status of its flights is '{status}', not '{claim.trouble}'",
                f"none of its flights is {claim.trouble}, their status is '{status}'",
            ),
            outputs=(word("status", status),),
            rules=("R8.1",),
        )
    if situation != "not entitled":
        return None
    membership, cabin = claim.customer.membership, reservation.cabin_word
    record = f"the reservation is in {cabin} and without travel insurance"
    return Refusal(
        because=(
            f"it is not due to {membership} members without insurance, and {record}",
            f"you are a {membership} member, and {record}",
        ),
        outputs=(word("membership", membership), word("cabin", cabin), word("insurance", "no")),
        rules=("R8.2",),
    )
