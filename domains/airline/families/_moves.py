"""Situations in which one flight of a reservation becomes another, and what an agent says in them.

The one flight is a whole way of the trip: there, or back.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._build import flight_rows
from tau_env.domains.airline.families._dialogue import Dialogue, settled
from tau_env.domains.airline.families._jobs import Job, Refusal
from tau_env.domains.airline.families._query import days_ahead, flights_between, read_reservation
from tau_env.domains.airline.families._records import Customer, Flight, Method, Reservation
from tau_env.domains.airline.families._refusals import by_balance, by_status
from tau_env.families.build import Slots, money, word
from tau_env.families.dialogue import dollars
from tau_env.schema import Want
from tau_env.world.company import Company

Problem = Literal["", "cabin", "seats", "flown", "given up", "balance"]
Preference = Literal["", "earliest", "latest", "cheapest"]


@dataclass(frozen=True, slots=True)
class Move:
    """One flight of a reservation, the flight that is to replace it, and who settles the rest.

    Attributes:
        reservation: the reservation.
        old: the flight that goes.
        new: the flight that comes.
        method: the payment method that the customer names.
        problem: the fact that forbids it, if any.
        preference: what the customer says of the new flight instead of its number.
    """

    reservation: Reservation
    old: Flight
    new: Flight
    method: Method
    problem: Problem = ""
    preference: Preference = ""

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.reservation.customer

    @property
    def flights(self) -> tuple[Flight, ...]:
        """All flights of the reservation as it will be, in order."""
        after = [self.new if one == self.old else one for one in self.reservation.flights]
        return tuple(sorted(after, key=lambda one: one.leaves))

    @property
    def difference(self) -> int:
        """What the customer pays in cents; negative if they get it back."""
        return len(self.reservation.passengers) * (self.new.fare - self.old.paid)

    @property
    def costs(self) -> str:
        """The price difference in words."""
        return f"{dollars(self.difference)} {'more' if self.difference > 0 else 'less'} in all"


def find_move(
    company: Company,
    rng: random.Random,
    reservation_id: str,
    *,
    problem: Problem = "",
    preference: Preference = "",
    back: bool = False,
) -> Move | None:
    """A move of a flight to another one of its route, drawn from all that fit; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        reservation_id: the reservation.
        problem: what stands in the way, and nothing else does.
        preference: the new flight is the one of its day that the customer would prefer.
        back: whether it is the way back of a round trip, else the flight of a one way trip.
    """
    return draw_move(
        company,
        rng,
        read_reservation(company, reservation_id),
        problem=problem,
        preference=preference,
        back=back,
    )


def draw_move(
    company: Company,
    rng: random.Random,
    reservation: Reservation,
    *,
    problem: Problem = "",
    preference: Preference = "",
    back: bool = False,
) -> Move | None:
    """As `find_move`, for a reservation as it is or will be."""
    old = _only_flight(reservation, back=back)
    if old is None or _standing(reservation) != (problem if problem in _OF_RECORD else ""):
        return None
    news = [
        new
        for date in days_ahead(company)
        if date != old.date
        for new in _offered(company, reservation, old, date, problem, preference)
        if _in_order(reservation, old, new)
    ]
    found = [
        move
        for new in news
        for method in reservation.customer.clear_methods
        if _fits(move := Move(reservation, old, new, method, problem, preference))
    ]
    return rng.choice(found) if found else None


_OF_RECORD = ("cabin", "flown", "given up")
"""Problems that the reservation itself has."""


def _only_flight(reservation: Reservation, *, back: bool) -> Flight | None:
    """The flight of a one way trip, or of the way back; None if there are more flights."""
    if (reservation.flight_type == "round_trip") != back:
        return None
    ways = [one for one in reservation.flights if (one.origin == reservation.destination) == back]
    ends = reservation.origin if back else reservation.destination
    return ways[0] if len(ways) == 1 and ways[0].destination == ends else None


def _standing(reservation: Reservation) -> str:
    """What of the reservation forbids to change its flights; empty if nothing does."""
    basic = reservation.cabin == "basic_economy"
    return reservation.standing or ("cabin" if basic else "")


def _offered(
    company: Company,
    reservation: Reservation,
    old: Flight,
    date: str,
    problem: Problem,
    preference: Preference,
) -> list[Flight]:
    """The flights of a day that the customer may have in mind."""
    count = len(reservation.passengers)
    flights = flights_between(company, old.origin, old.destination, date, reservation.cabin)
    if problem == "seats":
        return [one for one in flights if not one.has_room(count)]
    able = [one for one in flights if one.has_room(count)]
    if not preference:
        return able
    if len(able) < 2:
        return []
    if preference == "cheapest":
        able.sort(key=lambda one: one.fare)
        return able[:1] if able[0].fare < able[1].fare else []
    return able[:1] if preference == "earliest" else able[-1:]


def _in_order(reservation: Reservation, old: Flight, new: Flight) -> bool:
    """Whether each flight leaves after the one before has arrived."""
    rest = [one for one in reservation.flights if one != old]
    return all(one.arrives < new.leaves for one in rest if one.leaves < old.leaves) and all(
        new.arrives < one.leaves for one in rest if one.leaves > old.leaves
    )


def _fits(move: Move) -> bool:
    covered = move.method.covers(move.difference)
    if move.problem == "balance":
        return not covered and move.method.cents > 0
    return covered and move.difference != 0


def move_job(move: Move, phrase: str) -> Job:
    """To change a flight of a reservation.

    Args:
        move: the situation.
        phrase: raises the want.
    """
    reservation, new, count = move.reservation, move.new, len(move.reservation.passengers)
    slots: Slots = {"reservation_id": reservation.id}
    if move.preference:
        slots["preference"] = move.preference
    else:
        slots["flight_number"] = new.number
    slots |= {"date": new.date, "payment_method": move.method.word}
    wanted = f"the {move.preference} direct flight" if move.preference else f"flight {new.number}"
    return Job(
        customer=move.customer,
        record=reservation.id,
        want=Want(do="change_flights", slots=slots, say=phrase),
        opening=f"{phrase}_first",
        wish=(
            f"reservation {reservation.id} to be changed to {wanted} on {new.date}, everything "
            "else the same; a price difference is paid or refunded with your "
            f"{move.method.word}, if you are asked"
        ),
        doing=f"change the flights of reservation {reservation.id}",
        rows=tuple(flight_rows(reservation.id, [move.old], [paid_today(new)])),
        flows=((reservation.id, move.method, move.difference),),
        seats=((move.old, -count), (new, count)),
        outputs=(money(move.difference),),
        rules=("R5.1", "R5.2", "R5.4"),
        reads=partial(_search, move),
        ask=partial(_ask_method, move),
        perform=partial(_change, move),
        refusal=_refusal(move),
    )


def paid_today(flight: Flight) -> Flight:
    """A flight as it is charged at today's fare."""
    return replace(flight, paid=flight.fare)


def _search(move: Move, talk: Dialogue) -> None:
    if move.problem not in _OF_RECORD:
        talk.search(move.new)


def _ask_method(move: Move, talk: Dialogue) -> None:
    name, new = talk.customer.first_name, move.new
    use = "pay that" if move.difference > 0 else "get that back"
    talk.say(
        f"Thank you, {name}. Flight {new.number} on {new.date} costs {move.costs}. Which payment "
        f"method would you like to use to {use}?",
        f"Thanks, {name}. I have found flight {new.number} on {new.date}, which is {move.costs}. "
        f"With which payment method do you want to {use}?",
    )


def _change(move: Move, talk: Dialogue) -> None:
    reservation, old, new = move.reservation, move.old, move.new
    talk.propose(
        f"In reservation {reservation.id} I would change flight {old.number} on {old.date} to "
        f"flight {new.text}, in {reservation.cabin_word} as before; "
        f"{settled(move.difference, move.method, 'would be')}.",
        f"Then I would change reservation {reservation.id} from flight {old.number} on {old.date} "
        f"to {new.text}, still in {reservation.cabin_word}, and "
        f"{settled(move.difference, move.method, 'would be')}.",
    )
    talk.write(
        "update_reservation_flights",
        reservation_id=reservation.id,
        cabin=reservation.cabin,
        flights=[one.argument for one in move.flights],
        payment_id=move.method.id,
    )
    talk.close(
        f"Done: reservation {reservation.id} now has flight {new.number} on {new.date}, and "
        f"{settled(move.difference, move.method, 'has been')}.",
        f"I have changed reservation {reservation.id} to flight {new.number} on {new.date}; "
        f"{settled(move.difference, move.method, 'has been')}.",
    )


def _refusal(move: Move) -> Refusal | None:
    cabin, new = move.reservation.cabin_word, move.new
    if move.problem == "cabin":
        return Refusal(
            because=(f"it is in {cabin}", f"the flights of a {cabin} reservation stay as they are"),
            outputs=(word("cabin", cabin),),
            rules=("R5.2",),
        )
    if move.problem == "seats":
        return Refusal(
            because=(
                f"flight {new.number} on {new.date} is not available",
                f"flight {new.number} is not available on {new.date}",
            ),
            outputs=(word("availability", "unavailable"),),
            rules=("R5.2",),
        )
    if move.problem == "balance":
        return by_balance(move.method, move.difference, "R5.4")
    return by_status(move.problem, "R5.1")
