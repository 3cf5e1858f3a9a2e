"""Drawing trips to book: routes and days with seats or without, who flies, bags, what pays."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tau_env.domains.airline.families._booking_records import (
    MOST,
    Booking,
    BookingProblem,
)
from tau_env.domains.airline.families._query import (
    days_ahead,
    flights_between,
    read_customer,
    read_flight,
    user_ids,
)
from tau_env.domains.airline.families._records import (
    CABINS,
    Customer,
    Flight,
    Method,
    Passenger,
)
from tau_env.families.build import Slots
from tau_env.world.company import Company

TRIES = 60
"""So many routes and days are tried for a customer."""
PARTIES = (1, 1, 2, 2, 3)
"""How many fly together, as often as each stands here."""
GROUPS = (2, 3, 4, 5)
"""How many fly together where it matters that they are several."""


def find_booking(
    company: Company,
    rng: random.Random,
    user_id: str,
    *,
    round_trip: bool = False,
    numbered: bool = False,
    group: bool = False,
    by_card: bool = True,
    problem: BookingProblem = "",
) -> Booking | None:
    """A drawn trip of a customer that one method pays; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        user_id: the customer.
        round_trip: whether it leads back.
        numbered: whether the customer names the flight, which is one of several of its day; else
            it is the only direct flight of its route.
        group: whether more than one flies.
        by_card: whether a credit card may pay.
        problem: what stands in the way, and nothing else does.
    """
    customer = read_customer(company, user_id)
    count = MOST + 1 if problem == "number" else rng.choice(GROUPS if group else PARTIES)
    flights = find_flights(
        company, rng, count=count, round_trip=round_trip, numbered=numbered, problem=problem
    )
    if flights is None:
        return None
    said: Slots = {"flight_number": flights[0].number} if numbered else {"stops": "direct"}
    booking = draw_details(company, rng, customer, flights, count=count, said=said)
    return draw_payment(
        rng, replace(booking, round_trip=round_trip, problem=problem), by_card=by_card
    )


def draw_details(
    company: Company,
    rng: random.Random,
    customer: Customer,
    flights: tuple[Flight, ...],
    *,
    count: int,
    said: Slots,
) -> Booking:
    """A one way trip on these flights, with nobody who pays yet.

    Args:
        company: the company.
        rng: draws who flies, bags and insurance.
        customer: who books.
        flights: the flights.
        count: how many fly.
        said: how the customer says which flights they are.
    """
    return Booking(
        customer=customer,
        flights=flights,
        round_trip=False,
        passengers=draw_people(company, rng, customer, count),
        bags=rng.choice((0, 0, 1, 2, count + 1)),
        insured=rng.random() < 0.4,
        payments=(),
        now=company.now,
        said=said,
    )


def draw_payment(rng: random.Random, booking: Booking, *, by_card: bool = True) -> Booking | None:
    """The booking with one method that pays it, or does not if that is its problem.

    Args:
        rng: draws the method.
        booking: the rest of it.
        by_card: whether a credit card may pay.
    """
    methods = [
        one
        for one in single_methods(booking.customer)
        if _pays(one, booking) and (by_card or one.source != "credit_card")
    ]
    if not methods:
        return None
    return replace(booking, payments=((rng.choice(methods), booking.price),))


def _pays(method: Method, booking: Booking) -> bool:
    covered = method.covers(booking.price)
    return not covered and method.cents > 0 if booking.problem == "balance" else covered


def single_methods(customer: Customer) -> tuple[Method, ...]:
    """The methods that their kind alone identifies, a certificate included."""
    certificates = customer.certificates
    return (*customer.clear_methods, *(certificates if len(certificates) == 1 else ()))


def find_flights(
    company: Company,
    rng: random.Random,
    *,
    count: int,
    round_trip: bool = False,
    numbered: bool = False,
    problem: BookingProblem = "",
) -> tuple[Flight, ...] | None:
    """The direct flights of a drawn trip; None if none is found.

    Args:
        company: the company.
        rng: draws route, day and cabin.
        count: how many fly.
        round_trip: whether there is a flight back; of seats the flight back has none.
        numbered: whether the flight is one of several of its day.
        problem: `seats` where the flight is sold out, or the one back.
    """
    routes = _routes(company, numbered=numbered, round_trip=round_trip)
    days = days_ahead(company)
    for _ in range(TRIES):
        origin, destination = rng.choice(routes)
        place = rng.randrange(len(days) - 8)
        cabin = rng.choice(CABINS)
        there = flights_between(company, origin, destination, days[place], cabin)
        back = days[place + rng.randrange(2, 8)]
        home = flights_between(company, destination, origin, back, cabin) if round_trip else []
        trip = (rng.choice(there), *home)
        if not all(one.has_room(count) for one in (trip[:-1] if problem == "seats" else trip)):
            continue
        if problem != "seats" or trip[-1].seats == 0:
            return trip
    return None


def _routes(company: Company, *, numbered: bool, round_trip: bool) -> list[tuple[str, str]]:
    """Routes with several direct flights a day, or with one."""
    flown = "> 1" if numbered else "= 1"
    rows = company.rows(
        "SELECT origin, destination FROM flights GROUP BY 1, 2"
        f" HAVING count(*) {flown} ORDER BY 1, 2"
    )
    routes = [(row["origin"], row["destination"]) for row in rows]
    if not round_trip:
        return routes
    return [(one, two) for one, two in routes if (two, one) in routes]


def draw_people(
    company: Company, rng: random.Random, customer: Customer, count: int
) -> tuple[Passenger, ...]:
    """So many passengers: the customer, saved ones, and others of the customer's family."""
    people = [customer.oneself, *customer.saved][:count]
    for other in _strangers(company, rng):
        if len(people) == count:
            break
        if other.first_name not in (one.first_name for one in people):
            people.append(Passenger(other.first_name, customer.last_name, other.dob))
    return tuple(people)


def _strangers(company: Company, rng: random.Random) -> Iterator[Passenger]:
    """People with first names and dates of birth as they occur."""
    ids = user_ids(company)
    while True:
        yield read_customer(company, rng.choice(ids)).oneself


def in_other_cabin(company: Company, rng: random.Random, booking: Booking) -> Booking | None:
    """The same trip in another cabin with seats, paid with the same method; None if none fits."""
    found = []
    for cabin in CABINS:
        flights = [read_flight(company, *one.key, cabin) for one in booking.flights]
        known = tuple(one for one in flights if one and one.has_room(len(booking.passengers)))
        if cabin != booking.cabin and len(known) == len(flights):
            found.append(replace(booking, flights=known))
    return paid_alike(rng, booking, found)


def paid_alike(rng: random.Random, booking: Booking, others: Iterable[Booking]) -> Booking | None:
    """One of some other bookings, paid with the one method of a booking if it covers it."""
    method = booking.payments[0][0]
    paid = [
        replace(one, payments=((method, one.price),)) for one in others if method.covers(one.price)
    ]
    return rng.choice(paid) if paid else None


def with_other_method(rng: random.Random, booking: Booking) -> Booking | None:
    """The same trip, paid with a method of another kind; None if there is none that covers it."""
    others = [
        one
        for one in single_methods(booking.customer)
        if one != booking.payments[0][0] and one.covers(booking.price)
    ]
    if not others:
        return None
    return replace(booking, payments=((rng.choice(others), booking.price),))
