"""Bookings paid with several methods as the customer divides it, or divided as none can be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._booking_records import (
    MOST_GIFT_CARDS,
    Booking,
    BookingProblem,
)
from tau_env.domains.airline.families._bookings import booking_job
from tau_env.domains.airline.families._corrected import corrected
from tau_env.domains.airline.families._jobs import Plan, carried_out, refused
from tau_env.domains.airline.families._query import read_customer, user_ids
from tau_env.domains.airline.families._records import Method
from tau_env.domains.airline.families._trips import PARTIES, draw_details, find_flights
from tau_env.families.build import Slots
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

PHRASE = "book_one_way"
TEN = 1_000
"""Customers divide in steps of ten dollars, in cents."""
Mix = Literal["certificate", "gift card", "both", "gift cards", "lost"]
Payments = tuple[tuple[Method, int], ...]
KINDS: tuple[tuple[Mix, BookingProblem], ...] = (
    ("certificate", "certificates"),
    ("gift card", "balance"),
    ("both", "balance"),
    ("gift cards", "gift cards"),
    ("lost", "balance"),
)
"""What pays beside the credit card, and the problem of the other twin.

``both`` is a certificate and a gift card; with ``lost`` a certificate pays alone, and what is left
of it is lost.
"""


@family(rules=("R4.3", "R4.4"), seed=1, size=10)
def payment_mix(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a mix as the customer wishes it, and one that number or balance forbids."""

    def pool(mix: Mix, problem: BookingProblem) -> Pool[Plan]:
        return Pool(rng, user_ids(company), partial(_plan, company, rng, mix, problem))

    pairs = [(pool(mix, ""), pool(mix, problem)) for mix, problem in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.4, twists=twists)
        yield Twins(granted, refused(rng, forbidden.first, insists=if_refused == "insist"))


def _allowed(rng: random.Random, plan: Plan, if_refused: str, *, twisted: bool) -> Task:
    if plan.first.want == plan.second.want:
        return carried_out(rng, plan.first, declines=twisted, if_refused=if_refused)
    rules = ("R3.3", *plan.second.rules) if twisted else plan.first.rules
    return corrected(rng, plan, twisted=twisted, rules=rules, if_refused=if_refused)


def _plan(
    company: Company, rng: random.Random, mix: Mix, problem: BookingProblem, user_id: str
) -> Plan | None:
    """A trip with a drawn mix, and the same trip with the amounts divided in another way."""
    customer, count = read_customer(company, user_id), rng.choice(PARTIES)
    flights = find_flights(company, rng, count=count)
    if flights is None:
        return None
    said: Slots = {"stops": "direct"}
    booking = replace(
        draw_details(company, rng, customer, flights, count=count, said=said), problem=problem
    )
    first = _paid(rng, booking, mix)
    if first is None:
        return None
    job = booking_job(first, PHRASE)
    other = None if problem or mix == "lost" else _paid(rng, booking, mix)
    return Plan(job, job if other is None else booking_job(other, PHRASE))


def _paid(rng: random.Random, booking: Booking, mix: Mix) -> Booking | None:
    """The booking with what its methods are to pay; None if the customer has no such methods."""
    payments = _divided(rng, booking, mix)
    if payments is None or any(cents <= 0 for _, cents in payments):
        return None
    short = [method for method, cents in payments if not method.covers(cents)]
    if len(short) != (booking.problem == "balance"):
        return None
    return replace(booking, payments=payments)


def _divided(rng: random.Random, booking: Booking, mix: Mix) -> Payments | None:
    """What each method is to pay, as the customer wishes."""
    customer, price, short = booking.customer, booking.price, booking.problem == "balance"
    cards = [one for one in customer.clear_methods if one.source == "credit_card"]
    gifts = [one for one in customer.methods if one.source == "gift_card" and one.cents >= TEN]
    certificates = customer.certificates
    if mix == "lost":
        return ((certificates[0], price),) if len(certificates) == 1 else None
    if not cards:
        return None
    if booking.problem == "certificates":
        parts = [(one, one.cents) for one in certificates[:2]]
        return _with_rest(parts, cards[0], price) if len(certificates) > 1 else None
    parts = []
    if mix in ("certificate", "both"):
        if len(certificates) != 1:
            return None
        cents = certificates[0].cents
        parts.append((certificates[0], cents + TEN * rng.randint(1, 9) if short else cents))
        short = False
    if mix in ("gift card", "both"):
        if len(gifts) != 1 or gifts[0] not in customer.clear_methods:
            return None
        parts.append((gifts[0], _share(rng, gifts[0], short=short)))
    if mix == "gift cards":
        count = MOST_GIFT_CARDS + (booking.problem == "gift cards")
        if len(gifts) < count:
            return None
        parts += [(one, _share(rng, one, short=False)) for one in gifts[:count]]
    return _with_rest(parts, cards[0], price)


def _share(rng: random.Random, gift: Method, *, short: bool) -> int:
    """What a gift card is to pay: less than it holds, or more."""
    held = gift.cents // TEN
    return TEN * (held + rng.randint(1, 9) if short else rng.randint(1, min(held, 12)))


def _with_rest(parts: list[tuple[Method, int]], card: Method, price: int) -> Payments:
    return (*parts, (card, price - sum(cents for _, cents in parts)))
