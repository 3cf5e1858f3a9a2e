"""Building tasks of the airline: who the customer is, look-ups, and the rows that goals consist of.

Amounts come from the fares and fees of the policy; no tool is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._records import Customer, Flight, Method, Passenger
from tau_env.families.build import frame, looked_up
from tau_env.schema import Fact, Output, Requirement, RowChange, Task, Want
from tau_env.schema.task import Kind

REFUSAL_RULES = ("R9.1", "R9.3")
"""At stake in every refusal: tell the fact that decides, and do not hand over."""

BAG_FEE = 5_000
"""What a checked bag costs that is not free, in cents."""
INSURANCE_FEE = 3_000
"""What insurance costs for a passenger, in cents."""

Flow = tuple[str, Method, int]
"""A reservation's id, a method, and cents: positive for a charge, negative for a refund."""
Seats = tuple[Flight, int]
"""A flight in its cabin, and how many seats are taken; negative where they are given back."""


def identity_facts(customer: Customer, *, user_id: str = "") -> dict[str, Fact]:
    """What the customer tells when asked who they are.

    Args:
        customer: the customer.
        user_id: what they say instead of their id.
    """
    return {"user_id": Fact(value=user_id or customer.id)}


def who(customer: Customer, facts: dict[str, Fact]) -> str:
    """The first sentences of an instruction: who the customer is, or says to be."""
    return (
        f"You are {customer.first_name} {customer.last_name}. Your user id is "
        f"{facts['user_id'].value}; give it only when you are asked. Answer questions truthfully, "
        "make up nothing, and say yes or no when the agent asks whether to go ahead. "
    )


def look_up(*reservations: str) -> tuple[Requirement, ...]:
    """The look-ups of reservations on which the policy decides."""
    return looked_up("get_reservation_details", "reservation_id", reservations)


def date(iso: str) -> Output:
    """A date that must be told."""
    return Output(kind="date", value=iso[:10])


def number(value: int) -> Output:
    """A number that must be told."""
    return Output(kind="number", value=value)


def money_rows(*flows: Flow) -> Iterator[RowChange]:
    """The rows that charges and refunds leave; a certificate that pays is used up.

    Args:
        flows: in order; zero leaves nothing.
    """
    held: dict[str, int] = {}
    for place, (reservation, method, cents) in enumerate(flow for flow in flows if flow[2]):
        yield RowChange(
            op="insert",
            table="payments",
            key={"entry_id": f"${'abcdefghijkl'[place]}"},
            fields={
                "reservation_id": reservation,
                "payment_id": method.id,
                "amount_cents": cents,
            },
        )
        if method.source == "certificate":
            held[method.id] = 0
        elif method.source == "gift_card":
            held[method.id] = held.get(method.id, method.cents) - cents
    for method_id, balance in held.items():
        yield RowChange(
            op="update",
            table="payment_methods",
            key={"payment_id": method_id},
            fields={"balance_cents": balance},
        )


def seat_rows(taken: Iterable[Seats]) -> Iterator[RowChange]:
    """The rows of seats that are taken or given back, those of one flight and cabin together."""
    found: dict[tuple[str, str, str], tuple[Flight, int]] = {}
    for flight, count in taken:
        place = (*flight.key, flight.cabin)
        _, before = found.get(place, (flight, 0))
        found[place] = (flight, before + count)
    for flight, count in found.values():
        if count:
            yield RowChange(
                op="update",
                table="seats",
                key={"flight_number": flight.number, "date": flight.date, "cabin": flight.cabin},
                fields={"available": flight.seats - count},
            )


def reservation_row(reservation: str, **fields: str | int) -> RowChange:
    """The change of a reservation's own row."""
    return RowChange(
        op="update",
        table="reservations",
        key={"reservation_id": reservation},
        fields=dict(fields),
    )


def flight_rows(
    reservation: str, old: Iterable[Flight], new: Iterable[Flight]
) -> Iterator[RowChange]:
    """The rows of a reservation's flights: those dropped, those added, those charged anew.

    Args:
        reservation: its id.
        old: its flights as they are.
        new: its flights as they will be; `Flight.paid` is the fare that counts.
    """
    before = {one.key: one for one in old}
    after = {one.key: one for one in new}

    def key(one: Flight) -> dict[str, Any]:
        return {"reservation_id": reservation, "flight_number": one.number, "date": one.date}

    for place, one in before.items():
        if place not in after:
            yield RowChange(op="delete", table="reservation_flights", key=key(one))
    for place, one in after.items():
        fields: dict[str, Any] = {"price_cents": one.paid}
        if place not in before:
            yield RowChange(op="insert", table="reservation_flights", key=key(one), fields=fields)
        elif before[place].paid != one.paid:
            yield RowChange(op="update", table="reservation_flights", key=key(one), fields=fields)


def passenger_rows(
    reservation: str, old: Iterable[Passenger], new: Iterable[Passenger]
) -> Iterator[RowChange]:
    """The rows of a reservation's passengers: those that go and those that come."""
    before, after = list(old), list(new)
    for op, people in (
        ("delete", [one for one in before if one not in after]),
        ("insert", [one for one in after if one not in before]),
    ):
        for one in people:
            key = {"reservation_id": reservation, **one.argument}
            yield RowChange.model_validate(
                {"op": op, "table": "reservation_passengers", "key": key}
            )


def make_task(
    kind: Kind,
    dialogue: Dialogue,
    *,
    opening: str,
    wants: Sequence[Want],
    instruction: str,
    facts: dict[str, Fact] | None = None,
    **more: Any,
) -> Task:
    """A task of this domain.

    Args:
        kind: fulfil, partial, refuse, transfer or inform.
        dialogue: the reference solution.
        opening: phrase of the first line.
        wants: what the customer wishes, in order.
        instruction: the same in plain words; who the customer is is put before it.
        facts: what the customer knows; the user id when None.
        more: what else `tau_env.families.build.frame` takes.
    """
    facts = identity_facts(dialogue.customer) if facts is None else facts
    return frame(
        kind,
        dialogue,
        opening=opening,
        wants=wants,
        facts=facts,
        instruction=who(dialogue.customer, facts) + instruction,
        **more,
    )
