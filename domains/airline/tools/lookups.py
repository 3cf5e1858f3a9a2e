"""Tools that look up a customer or a reservation; they change nothing."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from typing import Any

from tau_env.domains.airline.tools._records import (
    find_customer,
    show_customer,
    show_reservation,
)
from tau_env.world.database import World
from tau_env.world.tool import tool


@tool(kind="read")
def get_user_details(world: World, user_id: str) -> dict[str, Any]:
    """Get a customer's profile: name, payment methods, saved passengers, membership, reservations.

    Certificates that have been used up are not listed.

    Args:
        user_id: The user id, such as 'mara_lopez_2051'.
    """
    return show_customer(world, find_customer(world, user_id))


@tool(kind="read")
def get_reservation_details(world: World, reservation_id: str) -> dict[str, Any]:
    """Get a reservation: flights with status and the fare paid, passengers, bags, payments.

    The price of a flight is the fare paid for one passenger; negative payments are refunds.

    Args:
        reservation_id: The reservation id, such as 'Q3K7ZB'.
    """
    return show_reservation(world, reservation_id)
