"""Requests of a customer, each with its goal and how an agent carries it out or refuses it.

Families put them together; how one is found in a record is in the family that is about it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tau_env.domains.airline.families._build import (
    REFUSAL_RULES,
    Flow,
    Seats,
    identity_facts,
    look_up,
    make_task,
    money_rows,
    seat_rows,
)
from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._records import Customer
from tau_env.families.build import merged
from tau_env.schema import CallPattern, Output, Requirement, RowChange, Task, Twist, Want
from tau_env.world.company import Company

ACCEPT = " If it is not possible, accept that."
DECLINES = " The first time you are asked whether to go ahead, say not yet; agree the second time."
INSIST = " If the agent refuses, ask once for an exception and then accept it."
WRITES = (
    "cancel_reservation",
    "update_reservation_flights",
    "update_reservation_baggages",
    "update_reservation_passengers",
)
"""The tools that change a reservation."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not allowed.

    Attributes:
        because: what an agent says after "I cannot do it:", in several wordings, with every fact
            that decides.
        outputs: these facts.
        rules: the rules that forbid it; those of every refusal come on top.
        asks: whether the agent has to know what the customer only says when asked, and so asks
            before it refuses.
    """

    because: tuple[str, ...]
    outputs: tuple[Output, ...]
    rules: tuple[str, ...]
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A request about a reservation that is there or is to be made.

    Attributes:
        customer: whose it is.
        record: the reservation's id; empty for a booking.
        want: the customer's want.
        opening: the phrase that raises it as the first line.
        wish: it in plain words, after "you want".
        doing: it as an agent says it, after "I cannot".
        rows: what it leaves, money and seats apart.
        flows: the money that moves.
        seats: the seats that are taken and given back.
        outputs: what must be told if it is done.
        rules: the rules that allow it.
        reads: adds the look-ups that it needs beside the reservation.
        ask: asks what the customer says only when asked, the look-ups being made.
        perform: an agent's proposal, call and report, everything being known.
        refusal: why it is not allowed; None if it is.
        needs: what else must be looked up beside the reservation.
    """

    customer: Customer
    record: str
    want: Want
    opening: str
    wish: str
    doing: str
    rows: tuple[RowChange, ...]
    flows: tuple[Flow, ...]
    seats: tuple[Seats, ...]
    outputs: tuple[Output, ...]
    rules: tuple[str, ...]
    perform: Callable[[Dialogue], None]
    reads: Callable[[Dialogue], None] = lambda talk: None
    ask: Callable[[Dialogue], None] = lambda talk: None
    refusal: Refusal | None = None
    needs: tuple[Requirement, ...] = ()

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.opening

    def look_up(self, talk: Dialogue) -> None:
        """Look up the reservation and what else the request needs."""
        if self.record:
            talk.look_up(self.record)
        self.reads(talk)

    def play(self, talk: Dialogue) -> None:
        """An agent's questions, proposal, call and report, the look-ups being made."""
        self.ask(talk)
        self.perform(talk)

    def refuse(self, talk: Dialogue, *more: str) -> None:
        """Refuse it with the facts that decide, the look-ups being made.

        Args:
            talk: the dialogue.
            more: wordings that offer something else.
        """
        refusal = self.barred
        if refusal.asks:
            self.ask(talk)
        why = talk.rng.choice(refusal.because)
        extra = f" {talk.rng.choice(more)}" if more else ""
        name = self.customer.first_name
        talk.close(
            f"I'm sorry, {name}, but I cannot {self.doing}: {why}.{extra}",
            f"Unfortunately I cannot {self.doing}, because {why}.{extra}",
        )

    @property
    def barred(self) -> Refusal:
        """Why it is not allowed, which must be given."""
        if self.refusal is None:
            raise ValueError(f"nothing stands in the way: {self.wish}")
        return self.refusal

    @property
    def required(self) -> tuple[Requirement, ...]:
        """The look-ups on which the policy decides."""
        return (*(look_up(self.record) if self.record else ()), *self.needs)


Find = Callable[[Company, random.Random, str], Job | None]
"""Makes a job from a reservation's or a customer's id; None if it does not fit."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Two jobs of one customer, on one reservation or on two."""

    first: Job
    second: Job

    @property
    def customer(self) -> Customer:
        """Whose reservations they are."""
        return self.first.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.first.shape


def goal_of(*jobs: Job) -> Iterator[RowChange]:
    """The rows that several jobs leave together.

    Each job is taken to begin with the company as it is: for two jobs on the same reservation the
    second one's rows must be made for what the first one leaves.
    """
    yield from merged(row for job in jobs for row in job.rows)
    yield from seat_rows(seats for job in jobs for seats in job.seats)
    yield from money_rows(*(flow for job in jobs for flow in job.flows))


def refused_rules(job: Job, *more: str) -> tuple[str, ...]:
    """The rules of a refusal."""
    return tuple(dict.fromkeys((*job.barred.rules, *more, *REFUSAL_RULES)))


def required_by(*jobs: Job) -> tuple[Requirement, ...]:
    """The look-ups that jobs require, each once."""
    return tuple({one.name: one for job in jobs for one in job.required}.values())


def start(rng: random.Random, job: Job) -> Dialogue:
    """A dialogue in which the customer is identified, and so their profile looked up."""
    talk = Dialogue(rng, job.customer)
    talk.identify()
    return talk


def wishes(*jobs: Job) -> str:
    """An instruction that says what the customer wants, in order."""
    first, *later = (job.wish for job in jobs)
    also = "".join(f" When that is done or refused, you also want {wish}." for wish in later)
    return f"You want {first}.{also} You want nothing else changed."


def writes_on(reservation: str) -> tuple[CallPattern, ...]:
    """Every call that would change a reservation, whatever its other arguments."""
    arguments = {"reservation_id": reservation}
    return tuple(CallPattern(tool=tool, arguments=arguments) for tool in WRITES)


def carried_out(rng: random.Random, job: Job, *, declines: bool = False, **more: Any) -> Task:
    """The task in which a job is carried out.

    Args:
        rng: draws the wording.
        job: the job.
        declines: whether the customer says no to the first proposal.
        more: fields of the task that differ.
    """
    talk = start(rng, job)
    job.look_up(talk)
    if declines:
        talk.after_no(job.play)
    else:
        job.play(talk)
    given: dict[str, Any] = {
        "opening": job.opening,
        "wants": [job.want],
        "facts": identity_facts(job.customer),
        "instruction": wishes(job) + (DECLINES if declines else "") + ACCEPT,
        "goal": goal_of(job),
        "outputs": job.outputs,
        "required": job.required,
        "twists": [Twist(kind="declines")] if declines else [],
        "rules": (*(("R3.4",) if declines else ()), *job.rules),
    }
    return make_task("fulfil", talk, **(given | more))


def refused(rng: random.Random, job: Job, *, insists: bool = False, **more: Any) -> Task:
    """The task in which a job is refused.

    Args:
        rng: draws the wording.
        job: the job, with its refusal.
        insists: whether the customer asks once more.
        more: fields of the task that differ.
    """
    talk = start(rng, job)
    job.look_up(talk)
    job.refuse(talk)
    if insists:
        talk.close(
            f"I understand, and I'm sorry, but I cannot {job.doing}. There is no exception.",
            f"I'm sorry, I know that this matters to you, but I cannot {job.doing}.",
        )
    given: dict[str, Any] = {
        "opening": job.opening,
        "wants": [job.want],
        "facts": identity_facts(job.customer),
        "instruction": wishes(job) + (INSIST if insists else ACCEPT),
        "outputs": job.barred.outputs,
        "required": job.required,
        "if_refused": "insist" if insists else "accept",
        "rules": refused_rules(job),
    }
    return make_task("refuse", talk, **(given | more))
