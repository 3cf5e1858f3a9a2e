"""Questions about a reservation, its flights or the profile, with their answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tau_env.domains.airline.families._build import number
from tau_env.domains.airline.families._query import (
    days_ahead,
    flights_between,
    read_flight,
)
from tau_env.domains.airline.families._records import CABINS, Flight, Reservation, cabin_word
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.schema import Output, Want
from tau_env.world.company import Company

Read = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its answer.

    Attributes:
        say: the phrase that asks it.
        slots: what the phrase needs.
        expects: what kind of answer the customer waits for.
        output: the answer.
        answers: wordings of the answer.
        about: the question in plain words, after "you want to know".
        reads: the look-ups that it needs beside the profile.
        rules: the rules that it rests on.
        sum: what an agent calculates, as an expression; empty if the answer stands in a result.
    """

    say: str
    slots: dict[str, str]
    expects: str
    output: Output
    answers: tuple[str, ...]
    about: str
    reads: tuple[Read, ...]
    rules: tuple[str, ...] = ("R2.2",)
    sum: str = ""

    @property
    def want(self) -> Want:
        """The customer's want."""
        return Want(do="ask", slots=dict(self.slots), expects=self.expects, say=self.say)


Ask = Callable[[Company, Reservation], Question | None]
"""Makes a question about a reservation; None if it has no plain answer there."""


def _record(reservation: Reservation) -> Read:
    return "get_reservation_details", {"reservation_id": reservation.id}


def _search(flight: Flight) -> Read:
    route = {"origin": flight.origin, "destination": flight.destination, "date": flight.date}
    return "search_direct_flight", route


def _sum(count: int, fare: int, paid: int) -> str:
    """A price difference for several passengers, as `calculate` takes it."""
    if count == 1:
        return ""
    return f"{count} * ({fare / 100:.2f} - {paid / 100:.2f})"


def total(company: Company, reservation: Reservation) -> Question | None:
    """What a reservation has cost."""
    del company
    if reservation.status != "active" or len(reservation.net) > 2:
        return None
    cents = sum(reservation.net.values())
    return Question(
        say="ask_total",
        slots={"reservation_id": reservation.id},
        expects="money",
        output=money(cents),
        answers=(
            f"You paid {dollars(cents)} in all for reservation {reservation.id}.",
            f"Reservation {reservation.id} came to {dollars(cents)} in total.",
        ),
        about=f"how much you have paid for reservation {reservation.id} in all",
        reads=(_record(reservation),),
    )


def refund(company: Company, reservation: Reservation) -> Question | None:
    """What came back for a cancelled reservation."""
    rows = company.rows(
        "SELECT amount_cents FROM payments WHERE reservation_id = ? AND amount_cents < 0",
        reservation.id,
    )
    if reservation.status != "cancelled" or not 0 < len(rows) < 3:
        return None
    cents = -sum(row["amount_cents"] for row in rows)
    return Question(
        say="ask_refund",
        slots={"reservation_id": reservation.id},
        expects="money",
        output=money(cents),
        answers=(
            f"{dollars(cents)} was refunded for reservation {reservation.id}.",
            f"The refund for reservation {reservation.id} was {dollars(cents)}.",
        ),
        about=f"how much was refunded for your cancelled reservation {reservation.id}",
        reads=(_record(reservation),),
    )


def free_bags(company: Company, reservation: Reservation) -> Question | None:
    """How many checked bags are free, by membership, cabin and passengers (R6.1)."""
    del company
    if not reservation.is_open or reservation.free_bags < 2:
        return None
    count = reservation.free_bags
    return Question(
        say="ask_free_bags",
        slots={"reservation_id": reservation.id},
        expects="number",
        output=number(count),
        answers=(
            f"On reservation {reservation.id} {count} checked bags are free.",
            f"You have {count} free checked bags in all on reservation {reservation.id}.",
        ),
        about=f"how many checked bags are free on reservation {reservation.id}",
        reads=(_record(reservation),),
        rules=("R2.2", "R6.1"),
    )


def status(company: Company, reservation: Reservation) -> Question | None:
    """The status of the only flight of a reservation."""
    del company
    if len(reservation.flights) != 1 or reservation.status != "active":
        return None
    flight = reservation.flights[0]
    return Question(
        say="ask_status",
        slots={"reservation_id": reservation.id},
        expects="status",
        output=word("status", flight.status),
        answers=(
            f"The status of flight {flight.number} is '{flight.status}'.",
            f"Flight {flight.number} has the status '{flight.status}'.",
        ),
        about=f"the status of the flight in reservation {reservation.id}",
        reads=(_record(reservation),),
    )


def certificates(company: Company, reservation: Reservation) -> Question | None:
    """What two certificates are worth together."""
    del company
    held = reservation.customer.certificates
    if len(held) != 2:
        return None
    cents = sum(one.cents for one in held)
    return Question(
        say="ask_certificates",
        slots={},
        expects="money",
        output=money(cents),
        answers=(
            f"Your certificates are worth {dollars(cents)} together.",
            f"In all your travel certificates come to {dollars(cents)}.",
        ),
        about="how much your travel certificates are worth in total",
        reads=(),
    )


def cheapest(company: Company, reservation: Reservation) -> Question | None:
    """The lowest fare of a direct flight on a route and a day."""
    if len(reservation.flights) != 1:
        return None
    flight = reservation.flights[0]
    for day in days_ahead(company):
        flights = flights_between(
            company, flight.origin, flight.destination, day, reservation.cabin
        )
        fares = sorted(one.fare for one in flights if one.has_room(1))
        if len(fares) > 1 and all(one.has_room(1) for one in flights):
            return _cheapest(reservation, flights[0], fares[0])
    return None


def _cheapest(reservation: Reservation, flight: Flight, cents: int) -> Question:
    cabin = reservation.cabin_word
    route = f"from {flight.origin_city} to {flight.destination_city} on {flight.date}"
    return Question(
        say="ask_cheapest",
        slots={
            "origin": flight.origin_city,
            "destination": flight.destination_city,
            "date": flight.date,
            "cabin": cabin,
        },
        expects="money",
        output=money(cents),
        answers=(
            f"The cheapest direct flight {route} costs {dollars(cents)} in {cabin}.",
            f"In {cabin} direct flights {route} start at {dollars(cents)}.",
        ),
        about=f"what the cheapest direct flight {route} costs in {cabin}",
        reads=(_search(flight),),
    )


def difference(company: Company, reservation: Reservation) -> Question | None:
    """What it would cost to take another flight (R5.4)."""
    if not reservation.is_as_planned or len(reservation.flights) != 1:
        return None
    if reservation.cabin == "basic_economy":
        return None  # Its flights cannot be changed at any price.
    old, count = reservation.flights[0], len(reservation.passengers)
    for day in days_ahead(company):
        if day == old.date:
            continue
        for new in flights_between(company, old.origin, old.destination, day, reservation.cabin):
            if new.has_room(count) and new.fare > old.paid:
                return _difference(reservation, new, count * (new.fare - old.paid))
    return None


def _difference(reservation: Reservation, new: Flight, cents: int) -> Question:
    count = len(reservation.passengers)
    people = "" if count == 1 else f" for all {count} passengers together"
    return Question(
        say="ask_difference",
        slots={
            "reservation_id": reservation.id,
            "flight_number": new.number,
            "date": new.date,
        },
        expects="money",
        output=money(cents),
        answers=(
            f"Flight {new.number} on {new.date} would be {dollars(cents)} more{people}.",
            f"To fly with {new.number} on {new.date} costs {dollars(cents)} more{people}.",
        ),
        about=(
            f"what it would cost to move reservation {reservation.id} to flight {new.number} on "
            f"{new.date}; you do not want it done now"
        ),
        reads=(_record(reservation), _search(new)),
        rules=("R2.2", "R5.4"),
        sum=_sum(count, new.fare, reservation.flights[0].paid),
    )


def cabin_difference(company: Company, reservation: Reservation) -> Question | None:
    """What it would cost to fly in business (R5.4)."""
    if not reservation.is_as_planned or reservation.cabin == "business":
        return None
    new = [read_flight(company, *one.key, CABINS[-1]) for one in reservation.flights]
    if len(new) != 1 or new[0] is None or not new[0].has_room(len(reservation.passengers)):
        return None
    flight, count = new[0], len(reservation.passengers)
    cents = count * (flight.fare - reservation.flights[0].paid)
    cabin = cabin_word(flight.cabin)
    people = "" if count == 1 else f" for all {count} passengers together"
    return Question(
        say="ask_cabin_difference",
        slots={"reservation_id": reservation.id, "cabin": cabin},
        expects="money",
        output=money(cents),
        answers=(
            f"In {cabin} reservation {reservation.id} would be {dollars(cents)} more{people}.",
            f"The price difference to {cabin} is {dollars(cents)}{people}.",
        ),
        about=(
            f"what it would cost to move reservation {reservation.id} to {cabin}; you do not want "
            "it done now"
        ),
        reads=(_record(reservation), _search(flight)),
        rules=("R2.2", "R5.4"),
        sum=_sum(count, flight.fare, reservation.flights[0].paid),
    )


def number_of_reservation(company: Company, reservation: Reservation) -> Question | None:
    """The id of the customer's only reservation between two cities."""
    ids = company.rows(
        "SELECT reservation_id FROM reservations WHERE user_id = ? AND origin = ?"
        " AND destination = ?",
        *(reservation.customer.id, reservation.origin, reservation.destination),
    )
    if len(ids) != 1:
        return None
    return Question(
        say="ask_reservation",
        slots={
            "origin": reservation.origin_city,
            "destination": reservation.destination_city,
        },
        expects="id",
        output=Output(kind="id", value=reservation.id),
        answers=(
            f"Your trip from {reservation.route} has the reservation number {reservation.id}.",
            f"It is reservation {reservation.id}.",
        ),
        about=f"the number of your reservation from {reservation.route}",
        reads=(_record(reservation),),
    )
