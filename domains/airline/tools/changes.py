"""Tools that change the flights, the cabin, the bags or the passengers of a reservation."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tau_env.domains.airline.tools._arguments import (
    Cabin,
    FlightDate,
    Passenger,
    checked_passengers,
)
from tau_env.domains.airline.tools._money import (
    BAG_CENTS,
    find_card,
    move_money,
    require_bags,
    require_balance,
)
from tau_env.domains.airline.tools._records import (
    Record,
    find_customer,
    find_reservation,
    flights_of,
    passengers_of,
    require_changeable,
    show_reservation,
)
from tau_env.domains.airline.tools._seats import (
    Key,
    Leg,
    find_legs,
    require_seats,
    require_trip,
    take_seats,
)
from tau_env.errors import Refused
from tau_env.world.coerce import dollars
from tau_env.world.database import World
from tau_env.world.tool import tool


@tool(
    kind="write",
    needs_yes=True,
    rules=("R5.1", "R5.2", "R5.3", "R5.4"),
    verbs=("change_flights", "change_cabin"),
    identifies=("reservation_id",),
    amounts=("result.price_difference",),
)
def update_reservation_flights(
    world: World, reservation_id: str, cabin: Cabin, flights: list[FlightDate], payment_id: str
) -> dict[str, Any]:
    """Change the flights or the cabin of a reservation.

    Needs the customer's explicit yes to the stated details. The result has the price difference
    in dollars: positive if the customer pays it, negative if it is refunded.

    Args:
        reservation_id: The reservation id, such as 'Q3K7ZB'.
        cabin: The cabin from then on, also if it stays the same.
        flights: All flights of the reservation from then on, those that stay included.
        payment_id: The customer's credit card or gift card that pays the price difference or gets
            it back.
    """
    reservation = find_reservation(world, reservation_id)
    held = {(one["flight_number"], one["date"]): one for one in flights_of(world, reservation_id)}
    require_changeable(reservation, list(held.values()), rule="R5.1", what="a change")
    legs = _checked_legs(world, reservation, flights, cabin, held)
    method = find_card(world, payment_id, user_id=reservation["user_id"], rule="R5.4")
    count = len(passengers_of(world, reservation_id))
    kept = {leg.key for leg in legs if leg.key in held and cabin == reservation["cabin"]}
    fares = {
        leg.key: require_seats(
            world, leg, cabin, passengers=count, rule="R5.3" if leg.key in held else "R5.2"
        )
        for leg in legs
        if leg.key not in kept
    }
    given_up = {key: row for key, row in held.items() if key not in kept}
    difference = count * (
        sum(fares.values()) - sum(row["price_cents"] for row in given_up.values())
    )
    require_balance(method, difference, rule="R5.4")
    take_seats(world, given_up, reservation["cabin"], passengers=-count)
    take_seats(world, fares, cabin, passengers=count)
    _write_flights(world, reservation_id, given_up, fares)
    if cabin != reservation["cabin"]:
        world.write(
            "UPDATE reservations SET cabin = ? WHERE reservation_id = ?", cabin, reservation_id
        )
    move_money(world, reservation_id, method, cents=difference)
    return show_reservation(world, reservation_id) | {"price_difference": dollars(difference)}


def _checked_legs(
    world: World,
    reservation: Record,
    flights: list[FlightDate],
    cabin: str,
    held: Mapping[Key, Record],
) -> Sequence[Leg]:
    """The flights of the new state, if the reservation may have them."""
    legs = find_legs(world, flights, rule="R5.2")
    same = {leg.key for leg in legs} == set(held)
    if same and cabin == reservation["cabin"]:
        raise Refused("", "these are the flights and the cabin that the reservation has already")
    if not same and reservation["cabin"] == "basic_economy":
        raise Refused(
            "R5.2",
            "the flights of a basic_economy reservation cannot be changed; a change of the cabin "
            "alone needs the flights that the reservation has",
        )
    require_trip(
        legs,
        origin=reservation["origin"],
        destination=reservation["destination"],
        flight_type=reservation["flight_type"],
        rule="R5.2",
    )
    return legs


def _write_flights(
    world: World, reservation_id: str, given_up: Mapping[Key, Record], fares: Mapping[Key, int]
) -> None:
    for flight_number, day in given_up:
        world.write(
            "DELETE FROM reservation_flights WHERE reservation_id = ? AND flight_number = ?"
            " AND date = ?",
            *(reservation_id, flight_number, day),
        )
    for (flight_number, day), cents in fares.items():
        world.write(
            "INSERT INTO reservation_flights (reservation_id, flight_number, date, price_cents)"
            " VALUES (?, ?, ?, ?)",
            *(reservation_id, flight_number, day, cents),
        )


@tool(
    kind="write",
    needs_yes=True,
    rules=("R6.1", "R6.2"),
    verbs=("add_bags",),
    identifies=("reservation_id",),
    amounts=("result.price_difference",),
)
def update_reservation_baggages(
    world: World, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
) -> dict[str, Any]:
    """Add checked bags to a reservation.

    Needs the customer's explicit yes to the stated details. The result has the price difference
    in dollars: positive if the customer pays it, negative if it is refunded.

    Args:
        reservation_id: The reservation id, such as 'Q3K7ZB'.
        total_baggages: The number of all checked bags from then on.
        nonfree_baggages: How many of them are not free.
        payment_id: The customer's credit card or gift card that pays.
    """
    reservation = find_reservation(world, reservation_id)
    flights = flights_of(world, reservation_id)
    require_changeable(reservation, flights, rule="R6.2", what="a change of bags")
    if total_baggages <= reservation["total_baggages"]:
        raise Refused(
            "R6.2",
            f"the reservation has {reservation['total_baggages']} checked bags already: bags can "
            f"be added, not taken off, and {total_baggages} adds none",
        )
    customer = find_customer(world, reservation["user_id"])
    require_bags(
        total_baggages,
        nonfree_baggages,
        membership=customer["membership"],
        cabin=reservation["cabin"],
        passengers=len(passengers_of(world, reservation_id)),
    )
    method = find_card(world, payment_id, user_id=customer["user_id"], rule="R6.2")
    difference = BAG_CENTS * (nonfree_baggages - reservation["nonfree_baggages"])
    require_balance(method, difference, rule="R6.2")
    world.write(
        "UPDATE reservations SET total_baggages = ?, nonfree_baggages = ? WHERE reservation_id = ?",
        *(total_baggages, nonfree_baggages, reservation_id),
    )
    move_money(world, reservation_id, method, cents=difference)
    return show_reservation(world, reservation_id) | {"price_difference": dollars(difference)}


@tool(
    kind="write",
    needs_yes=True,
    rules=("R6.3",),
    verbs=("change_passengers",),
    identifies=("reservation_id",),
)
def update_reservation_passengers(
    world: World, reservation_id: str, passengers: list[Passenger]
) -> dict[str, Any]:
    """Correct or replace passengers of a reservation; their number stays.

    Needs the customer's explicit yes to the stated details.

    Args:
        reservation_id: The reservation id, such as 'Q3K7ZB'.
        passengers: All passengers of the reservation from then on, those that stay included.
    """
    reservation = find_reservation(world, reservation_id)
    flights = flights_of(world, reservation_id)
    require_changeable(reservation, flights, rule="R6.3", what="a change of passengers")
    before = passengers_of(world, reservation_id)
    if len(passengers) != len(before):
        raise Refused(
            "R6.3",
            f"the call names {len(passengers)} passengers and the reservation has {len(before)}: "
            "their number cannot be changed, and all of them are named",
        )
    after = checked_passengers(passengers, today=world.now[:10])
    if set(after) == set(before):
        raise Refused("", "these are the passengers that the reservation has already")
    for person in sorted(set(before) - set(after)):
        world.write(
            "DELETE FROM reservation_passengers WHERE reservation_id = ? AND first_name = ?"
            " AND last_name = ? AND dob = ?",
            *(reservation_id, *person),
        )
    for person in sorted(set(after) - set(before)):
        world.write(
            "INSERT INTO reservation_passengers (reservation_id, first_name, last_name, dob)"
            " VALUES (?, ?, ?, ?)",
            *(reservation_id, *person),
        )
    return show_reservation(world, reservation_id)
