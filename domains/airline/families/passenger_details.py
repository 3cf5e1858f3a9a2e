"""Passengers corrected or replaced while nothing has left; their number stays."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._build import number, passenger_rows
from tau_env.domains.airline.families._dialogue import Dialogue, listed
from tau_env.domains.airline.families._jobs import Job, Plan, Refusal, carried_out, refused
from tau_env.domains.airline.families._query import (
    read_customer,
    read_reservation,
    reservation_ids,
    user_ids,
)
from tau_env.domains.airline.families._records import Customer, Passenger, Reservation
from tau_env.domains.airline.families._refusals import by_status
from tau_env.domains.airline.families._together import together
from tau_env.families.build import Slots
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task, Want
from tau_env.world.company import Company

Phrase = Literal["correct_dob", "correct_name", "replace_passenger", "add_passenger"]
Problem = Literal["", "flown", "given up"]
KINDS: tuple[tuple[Phrase, Problem], ...] = (
    ("correct_name", "flown"),
    ("replace_passenger", "given up"),
    ("correct_dob", "flown"),
    ("replace_passenger", "flown"),
)
"""Phrase, and the problem of the other twin."""
MOST = 5
"""So many passengers a reservation may have."""


@dataclass(frozen=True, slots=True)
class Names:
    """A passenger of a reservation who becomes another one, or one who is to come on top.

    Attributes:
        reservation: the reservation.
        old: who is on it; None for somebody who is to be added.
        new: who is to be on it.
        problem: the fact that forbids it, if any.
    """

    reservation: Reservation
    old: Passenger | None
    new: Passenger
    problem: Problem = ""

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.reservation.customer

    @property
    def passengers(self) -> tuple[Passenger, ...]:
        """Everybody who flies when it is done."""
        return tuple(self.new if one == self.old else one for one in self.reservation.passengers)

    @property
    def wish(self) -> str:
        """The change as the customer thinks of it."""
        if self.old is None:
            return f"add {self.new.text}"
        if self.old.name == self.new.name:
            return f"correct the date of birth of {self.old.name} to {self.new.dob}"
        if self.old.dob == self.new.dob:
            return f"correct the name of {self.old.name} to {self.new.name}"
        return f"replace {self.old.name} by {self.new.text}"

    @property
    def change(self) -> str:
        """The change as an agent says it."""
        if self.old is None:
            return f"add {self.new.text}"
        if self.old.name == self.new.name:
            return (
                f"change the date of birth of {self.old.name} from {self.old.dob} to {self.new.dob}"
            )
        if self.old.dob == self.new.dob:
            return f"change the name of {self.old.text} to {self.new.name}"
        return f"change the passenger {self.old.name} to {self.new.text}"


@family(rules=("R6.3",), seed=2, size=10)
def passenger_details(
    company: Company, rng: random.Random, *, twists: bool
) -> Iterator[Twins | Task]:
    """Twins: a passenger changed, or too late; and a correction beside a passenger too many."""

    def pool(phrase: Phrase, problem: Problem) -> Pool[Job]:
        def make(reservation_id: str) -> Job | None:
            found = find_names(company, rng, reservation_id, phrase=phrase, problem=problem)
            return None if found is None else names_job(found, phrase)

        return Pool(rng, reservation_ids(company), make)

    def plan(reservation_id: str) -> Plan | None:
        one = find_names(company, rng, reservation_id, phrase="correct_name")
        two = find_names(company, rng, reservation_id, phrase="add_passenger")
        if one is None or two is None:
            return None
        return Plan(names_job(one, "correct_name"), names_job(two, "add_passenger"))

    mixed, taken = Pool(rng, reservation_ids(company), plan), set[str]()
    pairs = [(pool(phrase, ""), pool(phrase, problem)) for phrase, problem in KINDS]
    for place, (allowed, forbidden) in enumerate(balanced_twins(pairs, taken=taken)):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))
        if place % 2:
            found = mixed.take(taken)
            if found is None:
                return
            yield together(rng, found)


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)


def find_names(
    company: Company,
    rng: random.Random,
    reservation_id: str,
    *,
    phrase: Phrase,
    problem: Problem = "",
) -> Names | None:
    """A drawn passenger of a reservation and what becomes of them; None if it does not fit.

    Args:
        company: the company.
        rng: draws it.
        reservation_id: the reservation.
        phrase: what is to become of them.
        problem: what stands in the way, and nothing else does.
    """
    reservation = read_reservation(company, reservation_id)
    if reservation.standing != problem:
        return None
    people = reservation.passengers
    firsts = [one.first_name for one in people]
    other = read_customer(company, rng.choice(user_ids(company))).oneself
    if other.first_name in firsts or other.last_name in (one.last_name for one in people):
        return None
    if phrase == "add_passenger":
        return Names(reservation, None, other, problem) if len(people) < MOST else None
    old = rng.choice(people)
    new = {
        "correct_dob": Passenger(old.first_name, old.last_name, _other_day(rng, old.dob)),
        "correct_name": Passenger(old.first_name, _misspelt(old.last_name), old.dob),
        "replace_passenger": other,
    }[phrase]
    return Names(reservation, old, new, problem)


def _other_day(rng: random.Random, dob: str) -> str:
    """Another day of the same month."""
    day = rng.choice([one for one in range(10, 29) if one != int(dob[8:])])
    return f"{dob[:8]}{day}"


def _misspelt(name: str) -> str:
    """A name that somebody may have meant to write: its last letter but one stands twice."""
    return f"{name[:-1]}{name[-2]}{name[-1]}"


def names_job(names: Names, phrase: Phrase) -> Job:
    """To correct, replace or add a passenger.

    Args:
        names: the situation.
        phrase: raises the want.
    """
    reservation, old, new = names.reservation, names.old, names.new
    slots: Slots = {"reservation_id": reservation.id}
    if old is not None:
        slots["passenger"] = old.name
    if phrase != "correct_dob":
        slots["new_passenger"] = new.name
    if phrase != "correct_name":
        slots["dob"] = new.dob
    return Job(
        customer=names.customer,
        record=reservation.id,
        want=Want(do="change_passengers", slots=slots, say=phrase),
        opening=f"{phrase}_first",
        wish=f"to {names.wish} in reservation {reservation.id}",
        doing=f"{names.change} in reservation {reservation.id}",
        rows=tuple(passenger_rows(reservation.id, reservation.passengers, names.passengers)),
        flows=(),
        seats=(),
        outputs=(),
        rules=("R5.1", "R6.3"),
        perform=partial(_change, names),
        refusal=_refusal(names),
    )


def _change(names: Names, talk: Dialogue) -> None:
    reservation = names.reservation
    others = [one.name for one in reservation.passengers if one != names.old]
    rest = f" The other passengers stay: {listed(others)}." if others else ""
    talk.propose(
        f"In reservation {reservation.id} I would {names.change}, free of charge.{rest}",
        f"I can {names.change} in reservation {reservation.id}. That costs nothing.{rest}",
    )
    talk.write(
        "update_reservation_passengers",
        reservation_id=reservation.id,
        passengers=[one.argument for one in names.passengers],
    )
    talk.close(
        f"Done: reservation {reservation.id} now has the passenger {names.new.text}.",
        f"Reservation {reservation.id} has been changed; the passenger is now {names.new.text}.",
    )


def _refusal(names: Names) -> Refusal | None:
    if names.old is None:
        count = len(names.reservation.passengers)
        people = "passenger" if count == 1 else "passengers"
        return Refusal(
            because=(
                f"it has {count} {people}, and the number of passengers cannot be changed",
                f"the number of passengers, {count}, stays as it was booked",
            ),
            outputs=(number(count),),
            rules=("R6.3",),
        )
    return by_status(names.problem, "R5.1", "R6.3")
