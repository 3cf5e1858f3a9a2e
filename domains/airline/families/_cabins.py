"""Situations in which a reservation moves to another cabin, and what an agent says in them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._build import flight_rows, reservation_row
from tau_env.domains.airline.families._dialogue import Dialogue, flights_text, listed, settled
from tau_env.domains.airline.families._jobs import Job, Refusal
from tau_env.domains.airline.families._moves import paid_today
from tau_env.domains.airline.families._query import read_flight, read_reservation
from tau_env.domains.airline.families._records import (
    CABINS,
    Customer,
    Flight,
    Method,
    Reservation,
    cabin_word,
)
from tau_env.domains.airline.families._refusals import by_balance, by_status
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.schema import Want
from tau_env.world.company import Company

CabinProblem = Literal["", "seats", "flown", "given up", "balance"]


@dataclass(frozen=True, slots=True)
class CabinMove:
    """A reservation that is to be in another cabin, and who settles the rest.

    Attributes:
        reservation: the reservation.
        flights: its flights with the seats and fares of the new cabin.
        method: the payment method that the customer names.
        problem: the fact that forbids it, if any.
    """

    reservation: Reservation
    flights: tuple[Flight, ...]
    method: Method
    problem: CabinProblem = ""

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.reservation.customer

    @property
    def cabin(self) -> str:
        """The new cabin."""
        return self.flights[0].cabin

    @property
    def difference(self) -> int:
        """What the customer pays in cents; negative if they get it back."""
        paid = sum(one.paid for one in self.reservation.flights)
        count = len(self.reservation.passengers)
        return count * (sum(one.fare for one in self.flights) - paid)

    @property
    def after(self) -> Reservation:
        """The reservation as it is then."""
        flights = tuple(paid_today(one) for one in self.flights)
        return replace(self.reservation, cabin=self.cabin, flights=flights)


def find_cabin_move(
    company: Company,
    rng: random.Random,
    reservation_id: str,
    *,
    up: bool,
    problem: CabinProblem = "",
    origin: str = "",
) -> CabinMove | None:
    """A drawn move to a higher or lower cabin; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        reservation_id: the reservation.
        up: whether the new cabin is the higher one.
        problem: what stands in the way, and nothing else does.
        origin: only reservations in this cabin; any when empty.
    """
    reservation = read_reservation(company, reservation_id)
    of_record = problem if problem in ("flown", "given up") else ""
    if reservation.standing != of_record or origin not in ("", reservation.cabin):
        return None
    at = CABINS.index(reservation.cabin)
    found = []
    for cabin in CABINS[at + 1 :] if up else CABINS[:at]:
        flights = [read_flight(company, *one.key, cabin) for one in reservation.flights]
        known = tuple(one for one in flights if one is not None)
        found += [
            move
            for method in reservation.customer.clear_methods
            if _fits(move := CabinMove(reservation, known, method, problem), up)
        ]
    return rng.choice(found) if found else None


def _fits(move: CabinMove, up: bool) -> bool:
    if (move.difference > 0) != up or move.difference == 0:
        return False
    if move.problem in ("flown", "given up"):
        return True
    count = len(move.reservation.passengers)
    room = all(one.has_room(count) for one in move.flights)
    if move.problem == "seats":
        # Only cabins that are sold out, so that the fact is the same whoever travels.
        return any(one.seats == 0 for one in move.flights) and move.method.covers(move.difference)
    covered = move.method.covers(move.difference)
    if move.problem == "balance":
        return room and not covered and move.method.cents > 0
    return room and covered


def cabin_job(move: CabinMove, phrase: str) -> Job:
    """To move a reservation to another cabin.

    Args:
        move: the situation.
        phrase: raises the want.
    """
    reservation, count = move.reservation, len(move.reservation.passengers)
    cabin = cabin_word(move.cabin)
    new = tuple(paid_today(one) for one in move.flights)
    return Job(
        customer=move.customer,
        record=reservation.id,
        want=Want(
            do="change_cabin",
            slots={
                "reservation_id": reservation.id,
                "cabin": cabin,
                "payment_method": move.method.word,
            },
            say=phrase,
        ),
        opening=f"{phrase}_first",
        wish=(
            f"reservation {reservation.id} to be moved to {cabin}, with the same flights; the "
            f"price difference is paid or refunded with your {move.method.word}, if you are asked"
        ),
        doing=f"move reservation {reservation.id} to {cabin}",
        rows=(
            reservation_row(reservation.id, cabin=move.cabin),
            *flight_rows(reservation.id, reservation.flights, new),
        ),
        flows=((reservation.id, move.method, move.difference),),
        seats=(
            *((one, -count) for one in reservation.flights),
            *((one, count) for one in move.flights),
        ),
        outputs=(money(move.difference),),
        rules=("R5.1", "R5.3", "R5.4"),
        reads=partial(_search, move),
        ask=partial(_ask_method, move),
        perform=partial(_change, move),
        refusal=_refusal(move),
    )


def _search(move: CabinMove, talk: Dialogue) -> None:
    if move.problem in ("flown", "given up"):
        return
    for one in move.flights:
        talk.search(one)


def _ask_method(move: CabinMove, talk: Dialogue) -> None:
    name, cabin = talk.customer.first_name, cabin_word(move.cabin)
    more = "more" if move.difference > 0 else "less"
    use = "pay that" if move.difference > 0 else "get that back"
    talk.say(
        f"Thank you, {name}. In {cabin} the flights cost {dollars(move.difference)} {more} in all. "
        f"Which payment method would you like to use to {use}?",
        f"Thanks, {name}. There are seats in {cabin}; that is {dollars(move.difference)} {more} in "
        f"all. With which payment method do you want to {use}?",
    )


def _change(move: CabinMove, talk: Dialogue) -> None:
    reservation = move.reservation
    old, new = reservation.cabin_word, cabin_word(move.cabin)
    talk.propose(
        f"I would change the cabin of reservation {reservation.id} from {old} to {new}, with the "
        f"same flights ({flights_text(reservation.flights)}); "
        f"{settled(move.difference, move.method, 'would be')}.",
        f"Reservation {reservation.id} keeps its flights, and I would change the cabin from {old} "
        f"to {new}; {settled(move.difference, move.method, 'would be')}.",
    )
    talk.write(
        "update_reservation_flights",
        reservation_id=reservation.id,
        cabin=move.cabin,
        flights=[one.argument for one in reservation.flights],
        payment_id=move.method.id,
    )
    talk.close(
        f"Done: reservation {reservation.id} is in {new} now, and "
        f"{settled(move.difference, move.method, 'has been')}.",
        f"I have moved reservation {reservation.id} to {new}; "
        f"{settled(move.difference, move.method, 'has been')}.",
    )


def _refusal(move: CabinMove) -> Refusal | None:
    if move.problem == "seats":
        full = listed(one.number for one in move.flights if one.seats == 0)
        cabin = cabin_word(move.cabin)
        return Refusal(
            because=(
                f"{cabin} is sold out on {full}",
                f"there is no seat available in {cabin} on {full}",
            ),
            outputs=(word("availability", "unavailable"),),
            rules=("R5.3",),
        )
    if move.problem == "balance":
        return by_balance(move.method, move.difference, "R5.4")
    return by_status(move.problem, "R5.1")
