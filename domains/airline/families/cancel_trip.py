"""Cancelling a reservation: allowed for one of four causes, refused where none of them holds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tau_env.domains.airline.families._build import date, reservation_row
from tau_env.domains.airline.families._dialogue import Dialogue, refund_text
from tau_env.domains.airline.families._jobs import Job, Refusal, carried_out, refused
from tau_env.domains.airline.families._query import read_reservation, reservation_ids
from tau_env.domains.airline.families._records import Reservation
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task, Want
from tau_env.world.company import Company

INSURED = ("health", "weather")
"""Reasons for which insurance allows it."""
SAID = frozenset({"cancel_reason"})
"""Phrases that tell the reason."""
KINDS: tuple[tuple[str, str, str, str, str], ...] = (
    ("claims_cancel_recent", "recent", "change of plan", "", "change of plan"),
    ("cancel", "insured", "health", "insured", "change of plan"),
    ("cancel_reason", "business", "better offer", "", "better offer"),
    ("claims_cancel", "insured", "weather", "", "weather"),
    ("cancel_reason", "airline", "airline cancelled flight", "", "airline cancelled flight"),
    ("cancel_reason", "insured", "health", "flown", "health"),
    ("cancel", "business", "change of plan", "given up", "change of plan"),
)
"""Opening, cause that holds and reason; what holds of the other twin, and its reason."""


@family(rules=("R7.1",), seed=1, size=14)
def cancel_trip(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a reservation for which one cause holds, and one for which none does."""

    def pool(phrase: str, situation: str, reason: str) -> Pool[Job]:
        def make(reservation_id: str) -> Job | None:
            found = read_reservation(company, reservation_id)
            if situation_of(found) != situation or len(found.refundable) > 1:
                return None
            if found.status == "active" and not found.refundable:
                return None
            return replace(cancel_job(found, reason, phrase), opening=f"{phrase}_first")

        return Pool(rng, reservation_ids(company), make)

    pairs = [
        (pool(phrase, cause, reason), pool(phrase, other, its_reason))
        for phrase, cause, reason, other, its_reason in KINDS
    ]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)


def situation_of(reservation: Reservation) -> str:
    """The only thing that lets a reservation be cancelled, or what stands in the way.

    Returns:
        ``recent``, ``airline``, ``business`` or ``insured``; empty if its flights lie ahead and
        nothing lets it be cancelled; ``flown`` or ``given up``; ``mixed`` for everything else.
    """
    if reservation.status == "cancelled":
        return "given up"
    if reservation.is_flown and reservation.statuses == {"landed"}:
        return "flown"
    if not reservation.is_open:
        return "mixed"
    causes = [
        cause
        for cause, holds in (
            ("recent", reservation.is_recent),
            ("airline", reservation.has_cancelled_flight),
            ("business", reservation.cabin == "business"),
            ("insured", reservation.insurance == "yes"),
        )
        if holds
    ]
    if len(causes) > 1 or not (reservation.is_as_planned or causes == ["airline"]):
        return "mixed"
    return causes[0] if causes else ""


def cancel_job(reservation: Reservation, reason: str, phrase: str = "cancel_reason") -> Job:
    """To cancel a reservation, with what stands in the way if something does.

    Args:
        reservation: the reservation; `situation_of` it is not ``mixed``.
        reason: why the customer wants it.
        phrase: raises the want.
    """
    total = sum(reservation.refundable.values())
    situation = situation_of(reservation)
    decided_by_reason = situation == "insured" and phrase not in SAID
    method = reservation.customer.method
    return Job(
        customer=reservation.customer,
        record=reservation.id,
        want=Want(
            do="cancel",
            slots={"reservation_id": reservation.id, "reason": reason},
            say=phrase,
        ),
        opening=f"{phrase}_first",
        wish=f"to cancel reservation {reservation.id}; the reason is: {reason}",
        doing=f"cancel reservation {reservation.id}",
        rows=(reservation_row(reservation.id, status="cancelled"),),
        flows=tuple(
            (reservation.id, method(one), -cents) for one, cents in reservation.refundable.items()
        ),
        seats=tuple((one, -len(reservation.passengers)) for one in reservation.flights),
        outputs=(money(total),),
        rules=("R7.1", *(("R7.2",) if decided_by_reason else ()), "R7.4"),
        ask=partial(_ask_reason, reservation) if decided_by_reason else lambda talk: None,
        perform=partial(_cancel, reservation),
        refusal=_refusal(reservation, situation, reason, asks=decided_by_reason),
    )


def _refusal(
    reservation: Reservation, situation: str, reason: str, *, asks: bool
) -> Refusal | None:
    """Why a reservation cannot be cancelled; None if it can."""
    if situation == "given up":
        return Refusal(
            because=(
                "its status is 'cancelled' already",
                "it has the status 'cancelled' already",
            ),
            outputs=(word("status", "cancelled"),),
            rules=("R7.1",),
        )
    if situation == "flown":
        return Refusal(
            because=(
                "the status of its flights is 'landed'",
                "its flights have left, their status is 'landed'",
            ),
            outputs=(word("status", "landed"),),
            rules=("R7.1",),
        )
    insured = situation == "insured"
    if situation and not (insured and reason not in INSURED):
        return None
    insurance = "with travel insurance" if insured else "without travel insurance"
    rest = f", which does not cover this reason, {reason}" if insured else ""
    cabin, day = reservation.cabin_word, reservation.booked_on
    return Refusal(
        because=(
            f"it is in {cabin}, {insurance}{rest}, and it was booked on {day}, over a day ago",
            f"it was booked on {day}, more than 24 hours ago, in {cabin} and {insurance}{rest}",
        ),
        outputs=(
            word("cabin", cabin),
            date(day),
            word("insurance", reservation.insurance),
        ),
        rules=("R7.1", *(("R7.2",) if asks else ())),
        asks=asks,
    )


def _ask_reason(reservation: Reservation, talk: Dialogue) -> None:
    name = talk.customer.first_name
    talk.say(
        f"Thank you, {name}. I have found reservation {reservation.id}. What is the reason?",
        f"Thanks, {name}. Before I go on with reservation {reservation.id}: why do you want to "
        "cancel it?",
    )


def _cancel(reservation: Reservation, talk: Dialogue) -> None:
    back = refund_text(reservation)
    lost = " What was paid with a certificate is not given back." if _has_lost(reservation) else ""
    amount = dollars(sum(reservation.refundable.values()))
    talk.propose(
        f"Reservation {reservation.id} can be cancelled, as a whole. I would cancel it and refund "
        f"{back}.{lost}",
        f"I can cancel reservation {reservation.id}, {reservation.route}, as a whole. You would "
        f"get {back}.{lost}",
    )
    talk.write("cancel_reservation", reservation_id=reservation.id)
    talk.close(
        f"Reservation {reservation.id} has been cancelled. You get back {back}.",
        f"Done: reservation {reservation.id} is cancelled, and {amount} will be refunded.",
    )


def _has_lost(reservation: Reservation) -> bool:
    return len(reservation.refundable) < len(reservation.net)
