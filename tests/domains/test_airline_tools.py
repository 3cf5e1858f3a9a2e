"""What the airline's look-ups, booking, cancelling and certificates do, to the cent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from small_airline import (
    CABINS,
    TOOLBOX,
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

from tau_env.domains.airline import DOMAIN
from tau_env.world.database import World


@pytest.fixture
def world() -> Iterator[World]:
    made = open_small()
    yield made
    made.close()


def paying(**amounts: float | str) -> list[dict[str, Any]]:
    return [{"payment_id": name, "amount": amount} for name, amount in amounts.items()]


def test_profile_shows_everything_but_certificates_that_are_used_up(world: World) -> None:
    made = call(world, "get_user_details", user_id="mara_lopez_1")
    assert made.subjects == ("mara_lopez_1",)
    shown = done(world, "get_user_details", user_id="mara_lopez_1")
    methods = shown.pop("payment_methods")
    assert shown == {
        "name": {"first_name": "Mara", "last_name": "Lopez"},
        "address": {
            "address1": "1 Elm Street",
            "address2": "",
            "city": "Boston",
            "country": "USA",
            "state": "MA",
            "zip": "02101",
        },
        "email": "mara@example.org",
        "dob": "1990-04-05",
        "saved_passengers": [{"first_name": "Zoe", "last_name": "Lopez", "dob": "2001-02-03"}],
        "membership": "regular",
        "reservations": ["A1FLEW", "A2PART", "A3SOON"],
    }
    assert "certificate_13" not in methods
    assert methods["gift_card_12"] == {
        "source": "gift_card",
        "id": "gift_card_12",
        "amount": 50.25,
    }
    assert methods["certificate_11"]["amount"] == 250
    card = {"source": "credit_card", "id": "credit_card_11", "brand": "visa", "last_four": "1234"}
    assert methods["credit_card_11"] == card


def test_reservation_shows_status_and_times_of_its_flights(world: World) -> None:
    assert call(world, "get_reservation_details", reservation_id="A2PART").subjects == (
        "mara_lopez_1",
    )
    shown = done(world, "get_reservation_details", reservation_id="A2PART")
    assert shown == {
        "reservation_id": "A2PART",
        "user_id": "mara_lopez_1",
        "origin": "BOS",
        "destination": "SEA",
        "flight_type": "round_trip",
        "cabin": "economy",
        "flights": [
            {
                "flight_number": "TST100",
                "origin": "BOS",
                "destination": "SEA",
                "date": "2025-06-11",
                "price": 101,
                "status": "landed",
                "scheduled_departure_time_est": "08:00:00",
                "scheduled_arrival_time_est": "11:00:00",
            },
            {
                "flight_number": "TST102",
                "origin": "SEA",
                "destination": "BOS",
                "date": "2025-06-14",
                "price": 106,
                "status": "available",
                "scheduled_departure_time_est": "12:00:00",
                "scheduled_arrival_time_est": "20:00:00",
            },
        ],
        "passengers": [person("Mara Lopez")],
        "payment_history": [{"payment_id": "credit_card_11", "amount": 207}],
        "created_at": "2025-05-02T09:00:00",
        "total_baggages": 0,
        "nonfree_baggages": 0,
        "insurance": "no",
        "status": "active",
    }


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("get_user_details", {"user_id": "%"}),
        ("get_user_details", {"user_id": "mara_lopez_1' OR '1'='1"}),
        ("get_reservation_details", {"reservation_id": "______"}),
        ("get_reservation_details", {"reservation_id": "a1flew"}),
        ("cancel_reservation", {"reservation_id": "A9NONE"}),
        ("search_direct_flight", {"origin": "%", "destination": "SEA", "date": "2025-06-16"}),
        ("search_direct_flight", {"origin": "SEA", "destination": "SEA", "date": "2025-06-16"}),
        ("search_direct_flight", {"origin": "BOS", "destination": "SEA", "date": "20250616"}),
        ("search_onestop_flight", {"origin": "BOS", "destination": "SEA", "date": "2025-02-30"}),
        ("search_onestop_flight", {"origin": "BOS", "destination": "SEA", "date": "9999-12-31"}),
        ("send_certificate", {"user_id": "%", "amount": 100}),
        ("calculate", {"expression": "9**9**9"}),
    ],
)
def test_lookup_of_what_does_not_exist_is_refused(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    assert refused(world, tool, **arguments).startswith("Error: ")


def test_airports_and_searches_concern_nobody(world: World) -> None:
    cities = {"BOS": "Boston", "MIA": "Miami", "ORD": "Chicago", "SEA": "Seattle"}
    assert done(world, "list_all_airports") == cities
    way = {"origin": "BOS", "destination": "SEA", "date": "2025-06-16"}
    for tool in ("search_direct_flight", "search_onestop_flight"):
        assert call(world, tool, **way).subjects == ()
        assert TOOLBOX.specs[tool].public


def test_direct_search_lists_what_can_be_booked_by_departure(world: World) -> None:
    way = {"origin": "BOS", "destination": "SEA"}
    found = done(world, "search_direct_flight", **way, date="2025-06-16")
    assert found[0] == {
        "flight_number": "TST100",
        "origin": "BOS",
        "destination": "SEA",
        "scheduled_departure_time_est": "08:00:00",
        "scheduled_arrival_time_est": "11:00:00",
        "status": "available",
        "available_seats": {"basic_economy": 5, "economy": 8, "business": 3},
        "prices": {"basic_economy": 76, "economy": 116, "business": 316},
    }
    assert [one["flight_number"] for one in found] == ["TST100", "TST101"]
    assert done(world, "search_direct_flight", **way, date="2025-06-15")[1:] == []
    for day in ("2025-06-11", "2025-06-12", "2025-09-01"):
        assert done(world, "search_direct_flight", **way, date=day) == []
    lower = {"origin": " bos", "destination": "sea ", "date": "2025-06-16"}
    assert done(world, "search_direct_flight", **lower) == found
    made = call(world, "search_direct_flight", **lower)
    assert made.arguments == {"origin": "BOS", "destination": "SEA", "date": "2025-06-16"}


def test_onestop_search_lists_every_pair_in_order(world: World) -> None:
    """The second flight leaves later than the first arrives, on the day of that arrival."""
    way = {"origin": "BOS", "destination": "SEA", "date": "2025-06-16"}
    found = done(world, "search_onestop_flight", **way)
    assert [[(leg["flight_number"], leg["date"]) for leg in pair] for pair in found] == [
        [("TST200", "2025-06-16"), ("TST202", "2025-06-16")],
        [("TST203", "2025-06-16"), ("TST201", "2025-06-17")],
        [("TST203", "2025-06-16"), ("TST202", "2025-06-17")],
    ]
    assert found[1][0]["scheduled_arrival_time_est"] == "00:30:00+1"
    assert found[0][0]["prices"]["economy"] == 216
    on_the_last_day = done(world, "search_onestop_flight", **way | {"date": "2025-06-20"})
    assert [pair[0]["flight_number"] for pair in on_the_last_day] == ["TST200"]


def test_onestop_search_finds_what_a_search_by_hand_finds() -> None:
    world = DOMAIN.open()
    codes = [row["code"] for row in world.rows("SELECT code FROM airports ORDER BY code")]
    flights = world.rows(
        "SELECT f.*, d.date FROM flights f JOIN departures d USING (flight_number)"
        " WHERE d.status = 'available' AND d.date IN ('2025-06-20', '2025-06-21')"
    )
    seen = 0
    for origin, destination in [(codes[0], codes[-1]), (codes[3], codes[7]), (codes[9], codes[2])]:
        by_hand = {
            (a["flight_number"], b["flight_number"], b["date"])
            for a in flights
            for b in flights
            if (a["origin"], b["destination"], a["date"]) == (origin, destination, "2025-06-20")
            and b["origin"] == a["destination"]
            and b["date"] == ("2025-06-21" if a["arrival_day"] else "2025-06-20")
            and b["departure"] > a["arrival"]
        }
        arguments = {"origin": origin, "destination": destination, "date": "2025-06-20"}
        pairs = done(world, "search_onestop_flight", **arguments)
        found = [(a["flight_number"], b["flight_number"], b["date"]) for a, b in pairs]
        assert set(found) == by_hand
        assert len(found) == len(by_hand)
        keys = ("scheduled_departure_time_est", "flight_number")
        order = [[leg[key] for leg in pair for key in keys] for pair in pairs]
        assert order == sorted(order)
        seen += len(found)
    assert seen > 10
    world.close()


def test_booking_takes_seats_and_charges_every_method(world: World) -> None:
    """Two passengers, there and back, one bag too many, insurance: 2*(116+120)+2*30+50."""
    price = 2 * (116 + 120) + 2 * 30 + 50
    result = done(
        world,
        "book_reservation",
        **booking(
            flight_type="round_trip",
            flights=[flight("TST102", 18), flight("TST100", 16)],
            passengers=[person("Mara Lopez "), person("Zoe Lopez")],
            payment_methods=paying(
                certificate_11=250, gift_card_11="60.50", credit_card_12=price - 310.5
            ),
            total_baggages="3",
            nonfree_baggages=1.0,
            insurance="yes",
        ),
    )
    assert re.fullmatch(r"[A-Z]\d[A-Z0-9]{4}", result["reservation_id"])
    assert [one["flight_number"] for one in result["flights"]] == ["TST100", "TST102"]
    assert [one["price"] for one in result["flights"]] == [116, 120]
    assert result["passengers"] == [person("Mara Lopez"), person("Zoe Lopez")]
    assert result["created_at"] == world.now
    assert (result["total_baggages"], result["nonfree_baggages"]) == (3, 1)
    assert result["payment_history"] == paying(
        certificate_11=250, gift_card_11=60.5, credit_card_12=price - 310.5
    )
    assert seats(world, "TST100", 16, "economy") == 6
    assert seats(world, "TST102", 18, "economy") == 6
    assert balance(world, "gift_card_11") == 39_50
    assert balance(world, "certificate_11") == 0
    shown = done(world, "get_reservation_details", reservation_id=result["reservation_id"])
    assert shown == result
    profile = done(world, "get_user_details", user_id="mara_lopez_1")
    assert result["reservation_id"] in profile["reservations"]
    assert "certificate_11" not in profile["payment_methods"]


def test_certificate_is_used_up_and_pays_once(world: World) -> None:
    """What it does not pay is lost."""
    mix = paying(certificate_11=100, credit_card_11=16)
    done(world, "book_reservation", **booking(payment_methods=mix))
    assert balance(world, "certificate_11") == 0
    text = refused(world, "book_reservation", **booking(payment_methods=mix))
    assert "certificate_11 holds $0.00 and cannot pay $100.00" in text


CARD = {"payment_id": "credit_card_11", "amount": 116}
BAD_BOOKINGS: list[tuple[dict[str, Any], str]] = [
    ({"user_id": "nobody_1"}, "user 'nobody_1' not found"),
    ({"passengers": []}, "one to 5 passengers, not 0"),
    ({"passengers": [person(f"P Q{n}") for n in "abcdef"]}, "one to 5 passengers, not 6"),
    ({"passengers": [person("A B"), person("A B")]}, "A B 1990-04-05 stands twice"),
    ({"passengers": [person("A ")]}, "a first name and a last name"),
    ({"passengers": [person("A B", "1990-13-01")]}, "dob must be a date like"),
    ({"passengers": [person("A B", "19900401")]}, "dob must be a date like"),
    ({"passengers": [person("A B", "2025-06-13")]}, "born on 2025-06-13"),
    ({"passengers": [person("A B", "1066-10-14")]}, "dob must be a date like"),
    ({"flights": []}, "at least one flight"),
    ({"flights": [flight("TST100", 16)] * 2}, "TST100 on 2025-06-16 stands twice"),
    ({"flights": [flight("TST999", 16)]}, "no flight 'TST999'"),
    ({"flights": [flight("TST100", 25)]}, "on '2025-06-25'"),
    ({"flights": [flight("TST100", 11)]}, "its status is 'landed'"),
    ({"flights": [flight("TST101", 12)]}, "its status is 'delayed'"),
    ({"flights": [flight("TST101", 15)]}, "its status is 'cancelled'"),
    ({"destination": "MIA"}, "BOS-SEA, but the trip is a one_way from BOS to MIA"),
    ({"origin": "ORD"}, "but the trip is a one_way from ORD to SEA"),
    ({"flight_type": "round_trip"}, "BOS-SEA, but the trip is a round_trip from BOS to SEA"),
    ({"flights": [flight("TST100", 16), flight("TST102", 17)]}, "BOS-SEA-BOS, but"),
    ({"flights": [flight("TST200", 16), flight("TST201", 16)]}, "has arrived, and later"),
    ({"flights": [flight("TST203", 16), flight("TST201", 16)]}, "has arrived, and later"),
    ({"flights": [flight("TST200", 16), flight("TST102", 17)]}, "has arrived, and later"),
    (
        {"flights": [flight("TST100", 16), flight("TST102", 16), flight("TST100", 17)]},
        "BOS-SEA-BOS-SEA, but",
    ),
    (
        {"cabin": "business", "passengers": [person(f"P Q{n}") for n in "abcd"]},
        "has 3 seats in business and 4 are needed",
    ),
    ({"total_baggages": 1, "nonfree_baggages": 1}, "is 1, but must be 0"),
    ({"total_baggages": 2}, "is 0, but must be 1"),
    ({"total_baggages": 0, "nonfree_baggages": -1}, "is -1, but must be 0"),
    ({"total_baggages": -1}, "0 to 100 bags"),
    ({"total_baggages": 101, "nonfree_baggages": 100}, "0 to 100 bags"),
    ({"payment_methods": []}, "$0.00 together and the price is $116.00"),
    ({"payment_methods": [CARD | {"amount": 115.99}]}, "$115.99 together"),
    ({"payment_methods": [CARD | {"amount": 0}]}, "cannot pay $0.00"),
    ({"payment_methods": [CARD | {"amount": -1}]}, "cannot pay $-1.00"),
    ({"payment_methods": [CARD | {"amount": 58}] * 2}, "credit_card_11 stands twice"),
    ({"payment_methods": [CARD | {"payment_id": "credit_card_21"}]}, "not in the profile"),
    ({"payment_methods": paying(gift_card_11=116)}, "holds $100.00 and cannot pay $116.00"),
    (
        {"payment_methods": paying(certificate_11=16, certificate_12=100)},
        "2 payment methods are of the kind certificate",
    ),
    (
        {"payment_methods": paying(credit_card_11=16, credit_card_12=100)},
        "2 payment methods are of the kind credit_card",
    ),
    (
        {
            "payment_methods": paying(
                gift_card_11=86, gift_card_12=10, gift_card_13=10, gift_card_14=10
            )
        },
        "4 payment methods are of the kind gift_card",
    ),
    ({"payment_methods": paying(certificate_13=116)}, "holds $0.00"),
]


@pytest.mark.parametrize(("changed", "text"), BAD_BOOKINGS)
def test_booking_is_refused_with_the_fact_that_decides(
    world: World, changed: dict[str, Any], text: str
) -> None:
    """A flight in the past, a broken chain, too few seats, wrong bags, wrong money."""
    assert text in refused(world, "book_reservation", **booking(**changed))


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"cabin": "first"}, "'cabin' must be 'basic_economy', 'economy' or 'business'"),
        ({"insurance": True}, "'insurance' must be 'yes' or 'no'"),
        ({"flights": [{"flight_number": "TST100"}]}, "'flights.0.date' is missing"),
        ({"flights": [flight("TST100", 16) | {"seat": "1A"}]}, "'flights.0.seat' is not"),
        ({"passengers": ["Mara Lopez"]}, "'passengers.0' must be an object"),
        ({"payment_methods": [CARD | {"amount": 116.001}]}, "more than two decimals"),
        ({"total_baggages": 1.5}, "must be an integer"),
    ],
)
def test_booking_with_bad_arguments_says_where(
    world: World, changed: dict[str, Any], text: str
) -> None:
    made = call(world, "book_reservation", **booking(**changed))
    assert made.error == "bad_arguments"
    assert text in made.result
    assert world.outcome() == ()


def test_seats_are_given_back_and_can_be_booked_again(world: World) -> None:
    """F20."""
    count = seats(world, "TST100", 17, "business")
    people = [person(f"P Q{n}") for n in "abcd"]
    arguments = booking(
        cabin="business",
        flights=[flight("TST100", 17)],
        passengers=people,
        payment_methods=paying(credit_card_11=4 * 317),
    )
    first = done(world, "book_reservation", **arguments)
    assert seats(world, "TST100", 17, "business") == count - 4 == 0
    assert "has 0 seats" in refused(world, "book_reservation", **arguments)
    done(world, "cancel_reservation", reservation_id=first["reservation_id"])
    assert seats(world, "TST100", 17, "business") == count
    again = done(world, "book_reservation", **arguments)
    assert again["reservation_id"] != first["reservation_id"]


def test_cancel_gives_back_to_cards_and_not_to_certificates(world: World) -> None:
    mix = paying(certificate_11=50, gift_card_11=40, credit_card_11=26)
    booked = done(world, "book_reservation", **booking(payment_methods=mix))
    trip = booked["reservation_id"]
    result = done(world, "cancel_reservation", reservation_id=trip)
    assert result["status"] == "cancelled"
    assert result["payment_history"][3:] == paying(gift_card_11=-40, credit_card_11=-26)
    assert balance(world, "gift_card_11") == 100_00
    assert balance(world, "certificate_11") == 0
    assert "'cancelled'" in refused(world, "cancel_reservation", reservation_id=trip)


@pytest.mark.parametrize(
    ("trip", "text"), [("A1FLEW", "TST100 on 2025-06-11"), ("A2PART", "is 'landed'")]
)
def test_cancel_names_the_flight_that_has_left(world: World, trip: str, text: str) -> None:
    assert text in refused(world, "cancel_reservation", reservation_id=trip)


@pytest.mark.parametrize("trip", ["A3SOON", "A4CALL"])
def test_cancel_of_what_is_delayed_or_cancelled_is_possible(world: World, trip: str) -> None:
    made = call(world, "cancel_reservation", reservation_id=trip)
    assert made.error is None
    assert [change.fields for change in made.changes if change.table == "seats"] == [
        {"available": 8}
    ]


def test_certificate_is_a_payment_method_of_the_profile(world: World) -> None:
    ids = []
    for amount in (100, "50"):
        made = call(world, "send_certificate", user_id="noah_kim_2", amount=amount)
        ids += re.findall(r"certificate_\d+", made.result)
        assert made.arguments["amount"] == float(amount)
    assert len(set(ids)) == 2
    methods = done(world, "get_user_details", user_id="noah_kim_2")["payment_methods"]
    assert methods[ids[0]] == {"source": "certificate", "id": ids[0], "amount": 100}
    booked = booking(
        user_id="noah_kim_2",
        payment_methods=[
            {"payment_id": ids[0], "amount": 100},
            {"payment_id": "credit_card_21", "amount": 16},
        ],
    )
    done(world, "book_reservation", **booked)
    assert balance(world, ids[0]) == 0


@pytest.mark.parametrize("amount", [0, -50, 99.5, 1001])
def test_certificate_is_of_whole_dollars_within_bounds(world: World, amount: float) -> None:
    text = refused(world, "send_certificate", user_id="noah_kim_2", amount=amount)
    assert "whole dollars, from 1 to 1000" in text


@pytest.mark.parametrize("membership", ["regular", "silver", "gold"])
@pytest.mark.parametrize("cabin", CABINS)
@pytest.mark.parametrize("bags", range(6))
@pytest.mark.parametrize("people", [1, 2])
def test_free_bags_follow_membership_and_cabin(
    world: World, membership: str, cabin: str, bags: int, people: int
) -> None:
    """F11: the fee of every case, by a table that is written out."""
    table = {
        "regular": {"basic_economy": 0, "economy": 1, "business": 2},
        "silver": {"basic_economy": 1, "economy": 2, "business": 3},
        "gold": {"basic_economy": 2, "economy": 3, "business": 4},
    }
    holder = {"regular": "mara_lopez_1", "silver": "noah_kim_2", "gold": "olga_wu_3"}[membership]
    nonfree = max(0, bags - people * table[membership][cabin])
    price = people * fare("TST100", 17, cabin) // 100 + 50 * nonfree
    arguments = booking(
        user_id=holder,
        cabin=cabin,
        flights=[flight("TST100", 17)],
        passengers=[person(f"P Q{n}") for n in "ab"[:people]],
        payment_methods=paying(**{f"credit_card_{holder[-1]}1": price}),
        total_baggages=bags,
        nonfree_baggages=nonfree,
    )
    wrong = arguments | {"nonfree_baggages": nonfree + 1}
    assert f"but must be {nonfree}" in refused(world, "book_reservation", **wrong)
    assert done(world, "book_reservation", **arguments)["nonfree_baggages"] == nonfree


def test_hand_over_and_notes_change_nothing(world: World) -> None:
    assert call(world, "think", thought="well").result == ""
    assert call(world, "calculate", expression="2 * (116 + 120)").result == "472"
    made = call(world, "transfer_to_human_agents", summary="a lost bag")
    assert (made.error, made.result) == (None, "Transfer successful")
    assert world.outcome() == ()
