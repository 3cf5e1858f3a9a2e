"""Tools that give something back: a cancellation refunds, a certificate makes up for trouble."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from typing import Any

from tau_env.domains.airline.tools._money import in_dollars, refund_all
from tau_env.domains.airline.tools._records import (
    find_customer,
    find_reservation,
    flights_of,
    passengers_of,
    require_changeable,
    show_reservation,
)
from tau_env.domains.airline.tools._seats import take_seats
from tau_env.errors import Refused
from tau_env.world.coerce import Money
from tau_env.world.database import World
from tau_env.world.tool import tool

MOST_CERTIFICATE_CENTS = 100_000
# Seeded numbers have seven digits, those of new certificates have eight.
_FIRST_CERTIFICATE = 10_000_000


@tool(
    kind="write",
    needs_yes=True,
    rules=("R7.1", "R7.4"),
    verbs=("cancel",),
    identifies=("reservation_id",),
)
def cancel_reservation(world: World, reservation_id: str) -> dict[str, Any]:
    """Cancel a reservation as a whole; what credit cards and gift cards paid goes back to them.

    Needs the customer's explicit yes to the stated details. Whether the policy allows it is not
    checked here, but that the reservation is active and no flight has left.

    Args:
        reservation_id: The reservation id, such as 'Q3K7ZB'.
    """
    reservation = find_reservation(world, reservation_id)
    flights = flights_of(world, reservation_id)
    require_changeable(reservation, flights, rule="R7.1", what="a cancellation")
    world.write(
        "UPDATE reservations SET status = 'cancelled' WHERE reservation_id = ?", reservation_id
    )
    take_seats(
        world,
        [(flight["flight_number"], flight["date"]) for flight in flights],
        reservation["cabin"],
        passengers=-len(passengers_of(world, reservation_id)),
    )
    refund_all(world, reservation_id)
    return show_reservation(world, reservation_id)


@tool(
    kind="write",
    needs_yes=True,
    verbs=("send_certificate",),
    identifies=("user_id",),
    amounts=("arguments.amount",),
)
def send_certificate(world: World, user_id: str, amount: Money) -> str:
    """Send a customer a travel certificate, which is a payment method of their profile then.

    Needs the customer's explicit yes to the stated details. Whether it is due is not checked here.

    Args:
        user_id: The user id, such as 'mara_lopez_2051'.
        amount: Its amount in whole dollars, such as 100.
    """
    find_customer(world, user_id)
    if not 0 < amount <= MOST_CERTIFICATE_CENTS or amount % 100:
        raise Refused(
            "",
            f"a certificate is of whole dollars, from 1 to {MOST_CERTIFICATE_CENTS // 100}, not of "
            f"{in_dollars(amount)}",
        )
    payment_id = f"certificate_{_FIRST_CERTIFICATE + world.next_id('payment_methods')}"
    world.write(
        "INSERT INTO payment_methods (payment_id, user_id, source, balance_cents)"
        " VALUES (?, ?, 'certificate', ?)",
        *(payment_id, user_id, amount),
    )
    return f"{payment_id} of {in_dollars(amount)} is now in the profile of {user_id}"
