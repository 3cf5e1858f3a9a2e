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
from tau_env.domains.airline.families._records import Customer, Method
from tau_env.domains.airline.families._trips import PARTIES, draw_details, find_flights
from tau_env.families.build import Slots
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

TEN = 1_000
"""Customers divide in steps of ten dollars, in cents."""
Mix = Literal["certificate", "gift card", "both", "gift cards", "lost"]
Payments = tuple[tuple[Method, int], ...]
KINDS: tuple[tuple[str, Mix, BookingProblem], ...] = (
    ("book_one_way", "certificate", "certificates"),
    ("book_round_trip", "gift card", "balance"),
    ("book_one_way", "both", "balance"),
    ("book_one_way", "gift cards", "gift cards"),
    ("book_round_trip", "lost", "balance"),
)
"""Phrase, what pays beside the credit card, and the problem of the other twin.

``both`` is a certificate and a gift card; with ``lost`` a certificate pays alone, and what is left
of it is lost.
"""


@family(rules=("R4.3", "R4.4"), seed=5, size=10)
def payment_mix(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a mix as the customer wishes it, and one that number or balance forbids."""

    def pool(phrase: str, mix: Mix, problem: BookingProblem) -> Pool[Plan]:
        return Pool(rng, user_ids(company), partial(_plan, company, rng, phrase, mix, problem))

    pairs = [(pool(phrase, mix, ""), pool(phrase, mix, problem)) for phrase, mix, problem in KINDS]
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
    company: Company,
    rng: random.Random,
    phrase: str,
    mix: Mix,
    problem: BookingProblem,
    user_id: str,
) -> Plan | None:
    """A trip with a drawn mix, and the same trip with the amounts divided in another way."""
    customer, count = read_customer(company, user_id), rng.choice(PARTIES)
    methods = _methods(customer, mix, problem)
    if methods is None:
        return None
    round_trip = phrase == "book_round_trip"
    flights = find_flights(company, rng, count=count, round_trip=round_trip)
    if flights is None:
        return None
    said: Slots = {"stops": "direct"}
    booking = draw_details(company, rng, customer, flights, count=count, said=said)
    booking = replace(booking, round_trip=round_trip, problem=problem)
    first, other = (_paid(rng, booking, methods) for _ in range(2))
    if first is None:
        return None
    job = booking_job(first, phrase)
    return Plan(job, job if other is None else booking_job(other, phrase))


def _methods(customer: Customer, mix: Mix, problem: BookingProblem) -> tuple[Method, ...] | None:
    """The methods that are to pay, the last one the rest; None if the customer has no such ones."""
    cards = [one for one in customer.clear_methods if one.source == "credit_card"]
    gifts = [one for one in customer.methods if one.source == "gift_card" and one.cents >= TEN]
    certificates = customer.certificates
    if mix == "lost":
        return certificates if len(certificates) == 1 else None
    travel = (mix in ("certificate", "both")) + (problem == "certificates")
    given = {"gift card": 1, "both": 1, "gift cards": MOST_GIFT_CARDS}.get(mix, 0)
    given += problem == "gift cards"
    if not cards or len(certificates) < travel or len(gifts) < given:
        return None
    return (*certificates[:travel], *gifts[:given], *cards)


def _paid(rng: random.Random, booking: Booking, methods: tuple[Method, ...]) -> Booking | None:
    """The booking with what its methods are to pay; None if that does not fit its problem."""
    parts = []
    for place, method in enumerate(methods[:-1]):
        short = booking.problem == "balance" and place == 0
        parts.append((method, _share(rng, method, short=short)))
    rest = booking.price - sum(cents for _, cents in parts)
    payments = (*parts, (methods[-1], rest))
    short_of = [method for method, cents in payments if not method.covers(cents)]
    if rest <= 0 or len(short_of) != (booking.problem == "balance"):
        return None
    return replace(booking, payments=payments)


def _share(rng: random.Random, method: Method, *, short: bool) -> int:
    """What a method is to pay: a certificate all that it holds, a gift card a part; or too much."""
    held = method.cents // TEN
    if short:
        return TEN * (held + rng.randint(1, 9))
    return method.cents if method.source == "certificate" else TEN * rng.randint(1, min(held, 12))
