"""The tool that books a new reservation."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from collections import Counter
from typing import Any

from tau_env.domains.airline.reservation_ids import SEEDED, reservation_id
from tau_env.domains.airline.tools._arguments import (
    AirportCode,
    Cabin,
    FlightDate,
    Passenger,
    Payment,
    Person,
    TripType,
    YesNo,
    checked_passengers,
    repeated,
)
from tau_env.domains.airline.tools._money import (
    BAG_CENTS,
    INSURANCE_CENTS,
    find_method,
    in_dollars,
    move_money,
    require_bags,
    require_balance,
)
from tau_env.domains.airline.tools._records import Record, find_customer, show_reservation
from tau_env.domains.airline.tools._seats import (
    Key,
    find_legs,
    require_seats,
    require_trip,
    take_seats,
)
from tau_env.errors import Refused
from tau_env.world.database import World
from tau_env.world.tool import tool

MOST_PASSENGERS = 5
MOST_METHODS = {"certificate": 1, "credit_card": 1, "gift_card": 3}


@tool(
    kind="write",
    needs_yes=True,
    rules=("R4.1", "R4.2", "R4.3", "R4.4", "R6.1"),
    verbs=("book",),
    identifies=("user_id",),
    amounts=("arguments.payment_methods.*.amount",),
)
def book_reservation(
    world: World,
    user_id: str,
    origin: AirportCode,
    destination: AirportCode,
    flight_type: TripType,
    cabin: Cabin,
    flights: list[FlightDate],
    passengers: list[Passenger],
    payment_methods: list[Payment],
    total_baggages: int,
    nonfree_baggages: int,
    insurance: YesNo,
) -> dict[str, Any]:
    """Book a new reservation and charge its payment methods.

    Needs the customer's explicit yes to the stated details.

    Args:
        user_id: The user id of the customer who books, such as 'mara_lopez_2051'.
        origin: The code of the airport where the trip begins, such as 'JFK'.
        destination: The code of the airport where it goes, such as 'SEA'.
        flight_type: Whether the trip goes back to the origin.
        cabin: The cabin of all flights and passengers.
        flights: All flights of the trip, the way back included.
        passengers: All passengers, one to five.
        payment_methods: What each payment method pays; together they pay the price exactly.
        total_baggages: The number of checked bags.
        nonfree_baggages: How many of them are not free.
        insurance: Whether all passengers get travel insurance.
    """
    customer = find_customer(world, user_id)
    people = _checked_people(world, passengers)
    legs = find_legs(world, flights, rule="R4.2")
    require_trip(legs, origin=origin, destination=destination, flight_type=flight_type, rule="R4.2")
    count = len(people)
    fares = {
        leg.key: require_seats(world, leg, cabin, passengers=count, rule="R4.2") for leg in legs
    }
    require_bags(
        total_baggages,
        nonfree_baggages,
        membership=customer["membership"],
        cabin=cabin,
        passengers=count,
    )
    price = count * (sum(fares.values()) + (INSURANCE_CENTS if insurance == "yes" else 0))
    methods = _checked_methods(world, user_id, payment_methods)
    _require_sum(payment_methods, price + BAG_CENTS * nonfree_baggages)

    new_id = reservation_id(SEEDED + world.next_id("reservations"))
    world.write(
        "INSERT INTO reservations (reservation_id, user_id, origin, destination, flight_type,"
        " cabin, status, created_at, total_baggages, nonfree_baggages, insurance)"
        " VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?)",
        *(new_id, user_id, origin, destination, flight_type, cabin, world.now),
        *(total_baggages, nonfree_baggages, insurance),
    )
    _write_parts(world, new_id, fares, people)
    take_seats(world, fares, cabin, passengers=count)
    for method, payment in zip(methods, payment_methods, strict=True):
        move_money(world, new_id, method, cents=payment.amount)
    return show_reservation(world, new_id)


def _checked_people(world: World, passengers: list[Passenger]) -> list[Person]:
    if not 1 <= len(passengers) <= MOST_PASSENGERS:
        raise Refused(
            "R4.1",
            f"a reservation has one to {MOST_PASSENGERS} passengers, not {len(passengers)}",
        )
    return checked_passengers(passengers, today=world.now[:10])


def _checked_methods(world: World, user_id: str, payments: list[Payment]) -> list[Record]:
    """The methods that pay, each once, within the limits and with enough on them."""
    twice = repeated(payment.payment_id for payment in payments)
    if twice:
        raise Refused("", f"payment method {twice[:80]} stands twice; name it once")
    methods = []
    for payment in payments:
        method = find_method(world, payment.payment_id, user_id=user_id, rule="R4.4")
        if payment.amount <= 0:
            raise Refused(
                "R4.4",
                f"{payment.payment_id} cannot pay {in_dollars(payment.amount)}: every method "
                "named pays something",
            )
        require_balance(method, payment.amount, rule="R4.4")
        methods.append(method)
    for source, count in Counter(method["source"] for method in methods).items():
        if count > MOST_METHODS[source]:
            raise Refused(
                "R4.4",
                f"{count} payment methods are of the kind {source}, but a reservation takes at "
                f"most {MOST_METHODS[source]}",
            )
    return methods


def _require_sum(payments: list[Payment], price: int) -> None:
    paid = sum(payment.amount for payment in payments)
    if paid != price:
        raise Refused(
            "R4.3",
            f"the payments are {in_dollars(paid)} together and the price is {in_dollars(price)}, "
            "bags and insurance included",
        )


def _write_parts(world: World, new_id: str, fares: dict[Key, int], people: list[Person]) -> None:
    for (flight_number, day), cents in fares.items():
        world.write(
            "INSERT INTO reservation_flights (reservation_id, flight_number, date, price_cents)"
            " VALUES (?, ?, ?, ?)",
            *(new_id, flight_number, day, cents),
        )
    for person in people:
        world.write(
            "INSERT INTO reservation_passengers (reservation_id, first_name, last_name, dob)"
            " VALUES (?, ?, ?, ?)",
            *(new_id, *person),
        )
