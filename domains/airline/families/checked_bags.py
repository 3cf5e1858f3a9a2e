"""More checked bags: free or paid, while nothing has left; none can be taken off."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._build import BAG_FEE, number, reservation_row
from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._jobs import Job, Refusal, carried_out, refused
from tau_env.domains.airline.families._query import read_reservation, reservation_ids
from tau_env.domains.airline.families._records import Customer, Method, Reservation
from tau_env.domains.airline.families._refusals import by_balance, by_status
from tau_env.families.build import Slots, money
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task, Want
from tau_env.world.company import Company

Problem = Literal["", "flown", "given up", "balance", "fewer"]
KINDS: tuple[tuple[str, bool, Problem], ...] = (
    ("add_bags", True, "flown"),
    ("add_bags_total", True, "fewer"),
    ("add_bags", False, "given up"),
    ("add_bags_total", True, "balance"),
    ("add_bags_total", False, "fewer"),
)
"""Phrase, whether the allowed twin's bags cost something, and the problem of the other twin."""


@dataclass(frozen=True, slots=True)
class Bags:
    """So many checked bags for a reservation.

    Attributes:
        reservation: the reservation.
        total: how many it is to have.
        method: what pays; for free bags the method that the reservation was paid with.
        problem: the fact that forbids it, if any.
    """

    reservation: Reservation
    total: int
    method: Method
    problem: Problem = ""

    @property
    def customer(self) -> Customer:
        """Whose reservation it is."""
        return self.reservation.customer

    @property
    def extra(self) -> int:
        """How many are added."""
        return self.total - self.reservation.bags

    @property
    def paid_bags(self) -> int:
        """How many of all are not free."""
        return max(0, self.total - self.reservation.free_bags)

    @property
    def fee(self) -> int:
        """What the customer pays, in cents."""
        return BAG_FEE * (self.paid_bags - self.reservation.paid_bags)


@family(rules=("R6.1", "R6.2"), seed=3, size=10)
def checked_bags(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: bags that can be added, and what status, balance or the number of bags forbids."""

    def pool(phrase: str, costs: bool, problem: Problem) -> Pool[Job]:
        def make(reservation_id: str) -> Job | None:
            found = find_bags(company, rng, reservation_id, costs=costs, problem=problem)
            return None if found is None else bags_job(found, phrase)

        return Pool(rng, reservation_ids(company), make)

    pairs = [
        (pool(phrase, costs, ""), pool(phrase, True, problem)) for phrase, costs, problem in KINDS
    ]
    for allowed, forbidden in balanced_twins(pairs):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_allowed, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.25, twists=twists)
        yield Twins(granted, refused(rng, forbidden, insists=if_refused == "insist"))


def _allowed(rng: random.Random, job: Job, if_refused: str, *, twisted: bool) -> Task:
    return carried_out(rng, job, declines=twisted, if_refused=if_refused)


def find_bags(
    company: Company,
    rng: random.Random,
    reservation_id: str,
    *,
    costs: bool,
    problem: Problem = "",
) -> Bags | None:
    """A drawn number of bags for a reservation, and what pays for them; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        reservation_id: the reservation.
        costs: whether some of the bags are not free.
        problem: what stands in the way, and nothing else does.
    """
    reservation = read_reservation(company, reservation_id)
    if reservation.standing != (problem if problem in ("flown", "given up") else ""):
        return None
    if problem == "fewer":
        if reservation.bags < 2 or not reservation.customer.clear_methods:
            return None
        total = rng.randrange(1, reservation.bags)
        return Bags(reservation, total, reservation.customer.clear_methods[0], problem)
    methods = reservation.customer.clear_methods if costs else _paid_with(reservation)
    found = [
        bags
        for extra in (1, 2, 3)
        for method in methods
        if _fits(bags := Bags(reservation, reservation.bags + extra, method, problem), costs)
    ]
    return rng.choice(found) if found else None


def _paid_with(reservation: Reservation) -> tuple[Method, ...]:
    """The card that has paid for a reservation alone."""
    methods = [reservation.customer.method(one) for one in reservation.net]
    return tuple(methods) if len(methods) == 1 and methods[0].source != "certificate" else ()


def _fits(bags: Bags, costs: bool) -> bool:
    if (bags.fee > 0) != costs:
        return False
    if bags.problem == "balance":
        return bags.method.source == "gift_card" and 0 < bags.method.cents < bags.fee
    return bags.method.covers(bags.fee)


def bags_job(bags: Bags, phrase: str) -> Job:
    """To have more checked bags, or fewer.

    Args:
        bags: the situation.
        phrase: raises the want: by the number of all bags, or of those that are added.
    """
    reservation = bags.reservation
    slots: Slots = {"reservation_id": reservation.id}
    if phrase == "add_bags_total":
        slots["total_baggages"] = str(bags.total)
        wanted = f"reservation {reservation.id} to have {bags.total} checked bags in all"
    else:
        slots["extra_baggages"] = str(bags.extra)
        wanted = f"{bags.extra} more checked bags on reservation {reservation.id}"
    paying = ""
    if bags.fee > 0:
        slots["payment_method"] = bags.method.word
        paying = f"; you pay with your {bags.method.word}, if you are asked"
    return Job(
        customer=bags.customer,
        record=reservation.id,
        want=Want(do="add_bags", slots=slots, say=phrase),
        opening=f"{phrase}_first",
        wish=wanted + paying,
        doing=f"change the checked bags of reservation {reservation.id} to {bags.total}",
        rows=(
            reservation_row(
                reservation.id, total_baggages=bags.total, nonfree_baggages=bags.paid_bags
            ),
        )
        if bags.paid_bags != reservation.paid_bags
        else (reservation_row(reservation.id, total_baggages=bags.total),),
        flows=((reservation.id, bags.method, bags.fee),),
        seats=(),
        outputs=(money(bags.fee),) if bags.fee else (),
        rules=("R5.1", "R6.1", "R6.2"),
        ask=partial(_ask_method, bags) if bags.fee > 0 else lambda talk: None,
        perform=partial(_add, bags),
        refusal=_refusal(bags),
    )


def _fee_text(bags: Bags) -> str:
    if not bags.fee:
        return "free of charge"
    count = bags.paid_bags - bags.reservation.paid_bags
    each = "" if count == 1 else f", {dollars(BAG_FEE)} for each of {count} bags that are not free"
    return f"for {dollars(bags.fee)}{each}"


def _ask_method(bags: Bags, talk: Dialogue) -> None:
    name = talk.customer.first_name
    talk.say(
        f"Thank you, {name}. {bags.total} checked bags in all are possible, {_fee_text(bags)}. "
        "Which payment method would you like to use?",
        f"Thanks, {name}. That can be done {_fee_text(bags)}. With which payment method do you "
        "want to pay?",
    )


def _add(bags: Bags, talk: Dialogue) -> None:
    reservation = bags.reservation
    paid = f", {'charged to' if bags.fee else 'with'} your {bags.method.text}"
    paid += "" if bags.fee else " on file"
    more = f"{bags.extra} more checked {'bag' if bags.extra == 1 else 'bags'}"
    talk.propose(
        f"I would add {more} to reservation {reservation.id}, so that it has {bags.total} in all, "
        f"{_fee_text(bags)}{paid}.",
        f"Reservation {reservation.id} would then have {bags.total} checked bags in all: I would "
        f"add {bags.extra}, {_fee_text(bags)}{paid}.",
    )
    talk.write(
        "update_reservation_baggages",
        reservation_id=reservation.id,
        total_baggages=bags.total,
        nonfree_baggages=bags.paid_bags,
        payment_id=bags.method.id,
    )
    cost = f", and {dollars(bags.fee)} has been charged to your {bags.method.text}"
    talk.close(
        f"Done: reservation {reservation.id} now has {bags.total} checked bags"
        f"{cost if bags.fee else ''}.",
        f"I have added the checked bags to reservation {reservation.id}; there are {bags.total} "
        f"now{cost if bags.fee else ''}.",
    )


def _refusal(bags: Bags) -> Refusal | None:
    if bags.problem == "fewer":
        held = bags.reservation.bags
        return Refusal(
            because=(
                f"it has {held} checked bags, and bags cannot be taken off a reservation",
                f"there are {held} checked bags on it, and none of them can be taken off",
            ),
            outputs=(number(held),),
            rules=("R6.2",),
        )
    if bags.problem == "balance":
        return by_balance(bags.method, bags.fee, "R6.2")
    return by_status(bags.problem, "R5.1")
