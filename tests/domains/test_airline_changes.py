"""What the tools that change a reservation do, to the cent, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from small_airline import (
    balance,
    booking,
    call,
    done,
    fare,
    flight,
    open_small,
    person,
    refused,
    seats,
)

from tau_env.world.database import World

FLIGHTS = "update_reservation_flights"
BAGS = "update_reservation_baggages"
PASSENGERS = "update_reservation_passengers"


@pytest.fixture
def world() -> Iterator[World]:
    made = open_small()
    yield made
    made.close()


def change(world: World, trip: str, cabin: str, *flights: tuple[str, int], **rest: Any) -> Any:
    wanted = [flight(*one) for one in flights]
    payment = rest.get("payment_id", "credit_card_31")
    return done(
        world, FLIGHTS, reservation_id=trip, cabin=cabin, flights=wanted, payment_id=payment
    )


def not_changed(
    world: World, trip: str, cabin: str, *flights: tuple[str, int], payment_id: str = ""
) -> str:
    return refused(
        world,
        FLIGHTS,
        reservation_id=trip,
        cabin=cabin,
        flights=[flight(*one) for one in flights],
        payment_id=payment_id or "credit_card_31",
    )


def test_changed_flight_is_charged_and_the_other_keeps_its_fare(world: World) -> None:
    """The way back moves from the 18th to the 19th; the fare paid was ten dollars below today's."""
    result = change(world, "A6BUSI", "business", ("TST100", 16), ("TST102", 19))
    difference = fare("TST102", 19, "business") - (fare("TST102", 18, "business") - 1000)
    assert result["price_difference"] == difference / 100 == 11
    assert [(one["date"], one["price"]) for one in result["flights"]] == [
        ("2025-06-16", fare("TST100", 16, "business") / 100 - 10),
        ("2025-06-19", fare("TST102", 19, "business") / 100),
    ]
    assert result["payment_history"][-1] == {"payment_id": "credit_card_31", "amount": 11}
    assert seats(world, "TST102", 18, "business") == 4
    assert seats(world, "TST102", 19, "business") == 3
    assert seats(world, "TST100", 16, "business") == 3
    shown = done(world, "get_reservation_details", reservation_id="A6BUSI")
    assert result == shown | {"price_difference": 11}


def test_flight_that_stays_needs_no_seat(world: World) -> None:
    """The last seats are one's own."""
    people = [person(f"P Q{name}") for name in "abc"]
    others = booking(
        cabin="business",
        passengers=people,
        payment_methods=[{"payment_id": "credit_card_11", "amount": 3 * 316}],
    )
    done(world, "book_reservation", **others)
    assert seats(world, "TST100", 16, "business") == 0
    change(world, "A6BUSI", "business", ("TST100", 16), ("TST102", 19))
    assert seats(world, "TST100", 16, "business") == 0


def test_cabin_change_charges_every_flight_at_todays_fare(world: World) -> None:
    result = change(world, "A6BUSI", "economy", ("TST100", 16), ("TST102", 18))
    paid = fare("TST100", 16, "business") + fare("TST102", 18, "business") - 2000
    now = fare("TST100", 16, "economy") + fare("TST102", 18, "economy")
    assert result["cabin"] == "economy"
    assert result["price_difference"] == (now - paid) / 100 == -380
    assert result["payment_history"][-1] == {"payment_id": "credit_card_31", "amount": -380}
    for number, day in (("TST100", 16), ("TST102", 18)):
        assert seats(world, number, day, "business") == 4
        assert seats(world, number, day, "economy") == 7


def test_difference_is_for_all_passengers_and_goes_to_a_gift_card(world: World) -> None:
    people = [person("A B"), person("C D"), person("E F")]
    paid = [{"payment_id": "credit_card_31", "amount": 3 * 317}]
    trip = done(
        world,
        "book_reservation",
        **booking(
            user_id="olga_wu_3",
            cabin="business",
            flights=[flight("TST100", 17)],
            passengers=people,
            payment_methods=paid,
        ),
    )["reservation_id"]
    back = change(world, trip, "economy", ("TST101", 17), payment_id="gift_card_31")
    assert back["price_difference"] == 3 * (118 - 317) == -597
    assert balance(world, "gift_card_31") == 2_597_00
    up = change(world, trip, "business", ("TST101", 17), payment_id="gift_card_31")
    assert up["price_difference"] == 600
    assert balance(world, "gift_card_31") == 1_997_00
    # A cancellation gives back what is still paid: 951 - 597 + 600, and no cent more.
    history = done(world, "cancel_reservation", reservation_id=trip)["payment_history"]
    assert [one["amount"] for one in history] == [951, -597, 600, -951, -3]


def test_refund_on_another_method_is_not_given_back_twice(world: World) -> None:
    """The card paid 616, the gift card has got 380 of it back: the rest is on the card."""
    change(world, "A6BUSI", "economy", ("TST100", 16), ("TST102", 18), payment_id="gift_card_31")
    history = done(world, "cancel_reservation", reservation_id="A6BUSI")["payment_history"]
    assert [(one["payment_id"], one["amount"]) for one in history] == [
        ("credit_card_31", 616),
        ("gift_card_31", -380),
        ("credit_card_31", -236),
    ]


def test_change_without_difference_leaves_no_payment(world: World) -> None:
    """A flight whose number is one lower costs the same a day later."""
    trip = done(world, "book_reservation", **booking())["reservation_id"]
    even = change(world, trip, "economy", ("TST101", 14), payment_id="credit_card_11")
    assert even["price_difference"] == -1
    even = change(world, trip, "economy", ("TST100", 15), payment_id="credit_card_11")
    assert even["price_difference"] == 0
    assert len(even["payment_history"]) == 2


def test_basic_economy_is_moved_first_and_changed_afterwards(world: World) -> None:
    """F21, F40: allowed in two calls, refused in one."""
    pay = "credit_card_21"
    one_step = not_changed(world, "A5BASE", "economy", ("TST101", 16), payment_id=pay)
    assert "basic_economy reservation cannot be changed" in one_step
    assert "basic_economy" in not_changed(
        world, "A5BASE", "basic_economy", ("TST101", 16), payment_id=pay
    )
    up = change(world, "A5BASE", "economy", ("TST100", 16), payment_id=pay)
    assert up["price_difference"] == 116 - (76 - 10)
    moved = change(world, "A5BASE", "economy", ("TST101", 16), payment_id=pay)
    assert moved["price_difference"] == 117 - 116
    down = change(world, "A5BASE", "basic_economy", ("TST101", 16), payment_id=pay)
    assert down["price_difference"] == 77 - 117


def test_flight_cancelled_by_the_airline_can_be_exchanged(world: World) -> None:
    result = change(world, "A4CALL", "economy", ("TST100", 15), payment_id="credit_card_21")
    assert result["price_difference"] == 115 - 106
    assert seats(world, "TST101", 15, "economy") == 8


@pytest.mark.parametrize(
    ("flights", "text"),
    [
        ([("TST204", 16)], "BOS-MIA, but the trip is a one_way from BOS to SEA"),
        ([("TST102", 16)], "SEA-BOS, but"),
        ([("TST100", 16), ("TST102", 17)], "BOS-SEA-BOS, but"),
        ([("TST200", 16), ("TST201", 16)], "has arrived, and later"),
        ([("TST100", 11)], "'landed', not 'available'"),
        ([("TST101", 12)], "'delayed', not 'available'"),
        ([("TST100", 30)], "there is no flight 'TST100' on '2025-06-30'"),
        ([("TST100", 16)] * 2, "stands twice"),
        ([], "at least one flight"),
        ([("TST101", 15)], "the flights and the cabin that the reservation has already"),
    ],
)
def test_flights_change_within_the_trip_and_to_what_can_be_booked(
    world: World, flights: list[tuple[str, int]], text: str
) -> None:
    """F13: another destination is refused, and so is a flight of the past."""
    assert text in not_changed(world, "A4CALL", "economy", *flights, payment_id="credit_card_21")


def test_round_trip_stays_one(world: World) -> None:
    assert "BOS-SEA, but" in not_changed(world, "A6BUSI", "business", ("TST100", 16))


def test_connection_replaces_a_direct_flight(world: World) -> None:
    flights = (("TST200", 17), ("TST202", 17))
    result = change(world, "A4CALL", "economy", *flights, payment_id="credit_card_21")
    assert result["price_difference"] == (217 + 219) - 106
    assert [seats(world, *one, "economy") for one in flights] == [7, 7]


@pytest.mark.parametrize(
    ("trip", "text"), [("A1FLEW", "is 'landed'"), ("A2PART", "TST100 on 2025-06-11 is 'landed'")]
)
def test_what_has_left_is_not_changed(world: World, trip: str, text: str) -> None:
    pay = "credit_card_11"
    flights = {"A1FLEW": [("TST100", 16)], "A2PART": [("TST100", 11), ("TST102", 15)]}[trip]
    assert text in not_changed(world, trip, "economy", *flights, payment_id=pay)
    arguments = {"reservation_id": trip, "total_baggages": 1, "nonfree_baggages": 0}
    assert text in refused(world, BAGS, **arguments, payment_id=pay)
    assert text in refused(world, PASSENGERS, reservation_id=trip, passengers=[person("A B")])


def test_cancelled_reservation_is_not_changed(world: World) -> None:
    done(world, "cancel_reservation", reservation_id="A6BUSI")
    text = "A6BUSI is 'cancelled'"
    assert text in not_changed(world, "A6BUSI", "economy", ("TST100", 16), ("TST102", 18))
    arguments = {"reservation_id": "A6BUSI", "total_baggages": 1, "nonfree_baggages": 0}
    assert text in refused(world, BAGS, **arguments, payment_id="credit_card_31")
    assert text in refused(world, PASSENGERS, reservation_id="A6BUSI", passengers=[person("A B")])


@pytest.mark.parametrize(
    ("trip", "flights"), [("A3SOON", ("TST101", 12)), ("A4CALL", ("TST101", 15))]
)
def test_cabin_changes_only_on_flights_that_are_available(
    world: World, trip: str, flights: tuple[str, int]
) -> None:
    pay = "credit_card_11" if trip == "A3SOON" else "credit_card_21"
    text = not_changed(world, trip, "business", flights, payment_id=pay)
    assert "not 'available'" in text


def test_cabin_needs_seats_for_everybody(world: World) -> None:
    people = [person(f"P Q{name}") for name in "abcde"]
    paid = [{"payment_id": "credit_card_11", "amount": 5 * 116}]
    booked = done(world, "book_reservation", **booking(passengers=people, payment_methods=paid))
    text = not_changed(
        world,
        booked["reservation_id"],
        "business",
        ("TST100", 16),
        payment_id="credit_card_11",
    )
    assert "has 3 seats in business and 5 are needed" in text


@pytest.mark.parametrize(
    ("payment_id", "text"),
    [
        ("certificate_31", "is a certificate"),
        ("credit_card_11", "not in the profile"),
        ("gift_card_99", "not in the profile"),
    ],
)
def test_difference_is_paid_by_a_card_of_the_profile(
    world: World, payment_id: str, text: str
) -> None:
    flights = (("TST100", 16), ("TST102", 19))
    found = not_changed(world, "A6BUSI", "business", *flights, payment_id=payment_id)
    assert text in found
    arguments = {"reservation_id": "A6BUSI", "total_baggages": 1, "nonfree_baggages": 0}
    assert text in refused(world, BAGS, **arguments, payment_id=payment_id)


def test_gift_card_must_hold_the_difference(world: World) -> None:
    paid = [{"payment_id": "credit_card_11", "amount": 116}]
    trip = done(world, "book_reservation", **booking(payment_methods=paid))["reservation_id"]
    flights = (("TST200", 16), ("TST202", 16))
    text = not_changed(world, trip, "economy", *flights, payment_id="gift_card_11")
    assert "gift_card_11 holds $100.00 and cannot pay $318.00" in text
    arguments = {"reservation_id": trip, "total_baggages": 2, "nonfree_baggages": 1}
    text = refused(world, BAGS, **arguments, payment_id="gift_card_13")
    assert "gift_card_13 holds $40.00 and cannot pay $50.00" in text


def test_bags_that_are_not_free_are_charged(world: World) -> None:
    arguments = {"reservation_id": "A4CALL", "payment_id": "gift_card_21"}
    free = done(world, BAGS, **arguments, total_baggages=2, nonfree_baggages=0)
    assert free["price_difference"] == 0
    assert len(free["payment_history"]) == 1
    more = done(world, BAGS, **arguments, total_baggages="4", nonfree_baggages=2.0)
    assert more["price_difference"] == 100
    assert (more["total_baggages"], more["nonfree_baggages"]) == (4, 2)
    assert more["payment_history"][-1] == {"payment_id": "gift_card_21", "amount": 100}
    assert balance(world, "gift_card_21") == 800_00
    fifth = done(world, BAGS, **arguments, total_baggages=5, nonfree_baggages=3)
    assert fifth["price_difference"] == 50


@pytest.mark.parametrize(
    ("total", "nonfree", "text"),
    [
        (0, 0, "has 2 checked bags already"),
        (1, 0, "1 adds none"),
        (2, 0, "2 adds none"),
        (3, 0, "is 0, but must be 1"),
        (3, 3, "is 3, but must be 1"),
        (-1, 0, "-1 adds none"),
        (2**62, 2**62 - 2, "0 to 100 bags"),
    ],
)
def test_bags_are_added_and_counted_rightly(
    world: World, total: int, nonfree: int, text: str
) -> None:
    arguments = {"reservation_id": "A4CALL", "payment_id": "credit_card_21"}
    done(world, BAGS, **arguments, total_baggages=2, nonfree_baggages=0)
    found = refused(world, BAGS, **arguments, total_baggages=total, nonfree_baggages=nonfree)
    assert text in found


def test_bags_after_a_better_cabin_follow_it(world: World) -> None:
    """Two bags paid in basic economy; business has one more free than they are: one is paid."""
    pay = {"reservation_id": "A5BASE", "payment_id": "credit_card_21"}
    done(world, BAGS, **pay, total_baggages=3, nonfree_baggages=2)
    up = change(world, "A5BASE", "business", ("TST100", 16), payment_id="credit_card_21")
    assert (up["total_baggages"], up["nonfree_baggages"]) == (3, 2)
    more = done(world, BAGS, **pay, total_baggages=4, nonfree_baggages=1)
    assert more["price_difference"] == -50
    assert more["payment_history"][-1]["amount"] == -50


def test_passengers_are_corrected_and_replaced(world: World) -> None:
    people = [person("Mara Lopes"), person("Zoe Lopez", "2001-02-03")]
    paid = [{"payment_id": "credit_card_11", "amount": 232}]
    trip = done(world, "book_reservation", **booking(passengers=people, payment_methods=paid))
    after = [person("Zoe Lopez", "2001-02-03"), person("Mara Lopez ")]
    result = done(world, PASSENGERS, reservation_id=trip["reservation_id"], passengers=after)
    assert result["passengers"] == [person("Mara Lopez"), people[1]]
    assert "price_difference" not in result
    other = [person("Amy Stone", "1980-01-01"), person("Ben Stone", "1981-01-01")]
    made = call(world, PASSENGERS, reservation_id=trip["reservation_id"], passengers=other)
    assert sorted(change.op for change in made.changes) == ["delete"] * 2 + ["insert"] * 2


@pytest.mark.parametrize(
    ("people", "text"),
    [
        ([], "names 0 passengers and the reservation has 1"),
        ([person("A B"), person("C D")], "names 2 passengers and the reservation has 1"),
        ([person("Noah Kim")], "the passengers that the reservation has already"),
        ([person("Noah Kim ")], "the passengers that the reservation has already"),
        ([person("Noah")], "a first name and a last name"),
        ([person("Noah Kim", "1990-02-30")], "dob must be a date"),
        ([person("Noah Kim", "2026-01-01")], "nobody who flies today is born on"),
    ],
)
def test_passengers_stay_as_many_and_real(
    world: World, people: list[dict[str, str]], text: str
) -> None:
    assert text in refused(world, PASSENGERS, reservation_id="A4CALL", passengers=people)


def test_passenger_stands_once(world: World) -> None:
    people = [person("A B"), person("C D")]
    paid = [{"payment_id": "credit_card_11", "amount": 232}]
    trip = done(world, "book_reservation", **booking(passengers=people, payment_methods=paid))
    twice = {"reservation_id": trip["reservation_id"], "passengers": [people[0]] * 2}
    assert "A B 1990-04-05 stands twice" in refused(world, PASSENGERS, **twice)
