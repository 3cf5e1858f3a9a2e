"""Questions only: totals, differences, free bags, what a record says; nothing is changed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.airline.families import _questions as ask
from tau_env.domains.airline.families._build import make_task
from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._query import read_reservation, reservation_ids
from tau_env.domains.airline.families._questions import Ask, Question
from tau_env.domains.airline.families._records import Customer
from tau_env.families.build import must_call
from tau_env.families.draw import Pool, in_turn
from tau_env.family import family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[tuple[Ask, ...], ...] = (
    (ask.total,),
    (ask.free_bags,),
    (ask.difference,),
    (ask.refund,),
    (ask.cheapest,),
    (ask.status, ask.free_bags),
    (ask.cabin_difference,),
    (ask.certificates,),
    (ask.number_of_reservation, ask.total),
)
"""The questions of a task, in order."""


class Questions:
    """What one customer asks."""

    shape = ""

    def __init__(self, customer: Customer, questions: list[Question]) -> None:
        """Take the questions in order."""
        self.customer = customer
        self.questions = questions


@family(rules=("R2.2", "R2.3"), seed=1, size=12)
def trip_information(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """One question or two, of all kinds in turn."""
    del twists

    def pool(kinds: tuple[Ask, ...]) -> Pool[Questions]:
        def make(reservation_id: str) -> Questions | None:
            reservation = read_reservation(company, reservation_id)
            found = [
                question for kind in kinds if (question := kind(company, reservation)) is not None
            ]
            return Questions(reservation.customer, found) if len(found) == len(kinds) else None

        return Pool(rng, reservation_ids(company), make)

    for _, found in in_turn([pool(kinds) for kinds in KINDS]):
        yield _task(rng, found)


def _task(rng: random.Random, found: Questions) -> Task:
    talk = Dialogue(rng, found.customer)
    talk.identify()
    reads: list[ask.Read] = []
    for question in found.questions:
        for read in question.reads:
            if read not in reads:
                talk.call(read[0], **read[1])
                reads.append(read)
        if question.sum:
            talk.call("calculate", expression=question.sum)
        talk.close(*question.answers)
    first, *later = found.questions
    also = "".join(f" Then you also want to know {one.about}." for one in later)
    return make_task(
        "inform",
        talk,
        opening=f"{first.say}_first",
        wants=[question.want for question in found.questions],
        instruction=f"You want to know {first.about}.{also} You want nothing changed.",
        outputs=[question.output for question in found.questions],
        required=[
            must_call(f"look up {' '.join(map(str, read[1].values()))}", *read) for read in reads
        ],
        rules=tuple(dict.fromkeys(rule for one in found.questions for rule in one.rules)),
    )
