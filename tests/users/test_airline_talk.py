"""The scripted customer of an airline: details one by one, choices, corrections, several spellings.

The scenarios are written by hand; the released tasks are tried elsewhere.
"""

from __future__ import annotations

from typing import Any

import pytest

from tau_env.domains.airline.lexicon import build_lexicon
from tau_env.language.replies import read_customer
from tau_env.schema import Fact, Scenario, Twist, Want
from tau_env.users.scripted import ScriptedUser
from tau_env.users.wording import fields_of

LEXICON = build_lexicon()
BOOKING = Want(
    do="book",
    say="book_one_way",
    slots={
        "origin": "New York",
        "destination": "Seattle",
        "date": "June 16",
        "flight_type": "one way",
        "cabin": "economy",
        "passengers": "Ada Kim, born 1990-04-05",
        "total_baggages": "1",
        "insurance": "no",
        "payment_method": "Visa ending in 1234",
    },
)
ROUND_TRIP = Want(
    do="book",
    say="book_round_trip",
    slots={**BOOKING.slots, "flight_type": "round trip", "return_date": "June 20"},
)
PROPOSAL = (
    "I would book flight AVI123 from {origin} to {destination} on {date}, one way, in {cabin}, for "
    "Ada Kim (born {dob}), with {bags} and {insurance}. Your Visa ending in {card} would pay "
    "$214.00. Shall I go ahead?"
)
RIGHT = {
    "origin": "JFK",
    "destination": "SEA",
    "date": "2025-06-16",
    "cabin": "economy",
    "dob": "1990-04-05",
    "bags": "1 checked bag",
    "insurance": "no travel insurance",
    "card": "1234",
}


def start(want: Want, **more: Any) -> ScriptedUser:
    """A plain customer who has said the first line."""
    user = ScriptedUser()
    scenario = Scenario(
        customer="ada_kim_1234",
        opening=f"{want.say or want.do}_first",
        wants=(want,),
        facts={"user_id": Fact(value="ada_kim_1234")},
        style="plain",
        **more,
    )
    user.reset(scenario, LEXICON, seed=3)
    return user


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("May I have your user id?", "ada_kim_1234"),
        ("Where would you like to fly from?", "New York"),
        ("Where do you want to go?", "Seattle"),
        ("When would you like to fly?", "June 16"),
        ("What date would you like to travel?", "June 16"),
        ("Is it one way or a round trip?", "one way"),
        ("Which cabin would you like: basic economy, economy or business?", "economy"),
        ("Who will be travelling?", "Ada Kim, born 1990-04-05"),
        ("Please give me the first name, last name and date of birth.", "born 1990-04-05"),
        ("How many checked bags do you have?", "1"),
        ("Would you like to add travel insurance for $30 a passenger?", "insurance"),
        ("Do you want travel insurance?", "insurance"),
        ("Which payment method would you like to use?", "Visa ending in 1234"),
        ("How would you like to pay?", "Visa ending in 1234"),
    ],
)
def test_every_detail_is_told_when_asked(question: str, told: str) -> None:
    user = start(BOOKING)
    line = user.reply(question)
    assert told in line.text
    assert not line.ends
    assert user.agenda.items[0].state == "open"


def test_a_question_about_insurance_is_answered_with_no_yes() -> None:
    line = start(BOOKING).reply("Would you like to add travel insurance for $30 a passenger?")
    reply = read_customer(line.text, LEXICON)
    assert reply.kind == "none"
    assert [one.value for one in reply.literals if one.slot == "insurance"] == ["no"]


def test_the_return_date_is_told_apart() -> None:
    user = start(ROUND_TRIP)
    assert "June 20" in user.reply("When would you like to fly back?").text
    assert "June 20" in user.reply("And what is the return date?").text


def test_many_details_asked_at_once_are_all_told() -> None:
    question = (
        "To book it I need the cabin, the passengers with their dates of birth, the number of "
        "bags, whether you want insurance, and the payment method."
    )
    line = start(BOOKING).reply(question).text
    for told in ("economy", "Ada Kim", "1", "insurance", "Visa ending in 1234"):
        assert told in line


def test_a_right_proposal_is_agreed_to_in_any_spelling() -> None:
    for other in ({}, {"date": "June 16"}, {"origin": "New York"}, {"bags": "one bag"}):
        user = start(BOOKING)
        line = user.reply(PROPOSAL.format(**{**RIGHT, **other}))
        assert read_customer(line.text, LEXICON).kind == "yes"
        assert user.agenda.items[0].state == "agreed"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ({"date": "2025-06-17"}, "June 16"),
        ({"destination": "DEN"}, "Seattle"),
        ({"cabin": "business"}, "economy"),
        ({"dob": "1990-04-15"}, "born 1990-04-05"),
        ({"bags": "2 checked bags"}, "1 bag"),
        ({"insurance": "with travel insurance"}, "no insurance"),
        ({"card": "9999"}, "Visa ending in 1234"),
    ],
)
def test_a_wrong_value_is_put_right(wrong: dict[str, str], right: str) -> None:
    user = start(BOOKING)
    line = user.reply(PROPOSAL.format(**{**RIGHT, **wrong}))
    assert right in line.text
    assert read_customer(line.text, LEXICON).kind == "no"
    assert user.agenda.items[0].state == "open"


def test_an_option_is_chosen_by_what_the_customer_wants() -> None:
    listed = (
        "On June 16 there are:\n1. AVI123, 08:00, economy $120, business $300\n"
        "2. AVI200, 12:30, economy $98, business $310\nWhich one would you like?"
    )
    want = BOOKING.model_copy(update={"slots": {**BOOKING.slots, "preference": "cheapest"}})
    assert "AVI200" in start(want).reply(listed).text
    want = BOOKING.model_copy(update={"slots": {**BOOKING.slots, "flight_number": "AVI123"}})
    assert "AVI123" in start(want).reply(listed).text


def test_a_new_date_is_agreed_to_beside_the_old_one() -> None:
    want = Want(
        do="change_flights",
        say="change_date",
        slots={"reservation_id": "B2C3D4", "date": "June 21", "payment_method": "gift card"},
    )
    user = start(want)
    line = user.reply(
        "In reservation B2C3D4 I would change flight AVI202 on June 20 to AVI444 on June 21, for "
        "$52.00 from your gift card. Shall I go ahead?"
    )
    assert read_customer(line.text, LEXICON).kind == "yes"
    line = start(want).reply(
        "In reservation B2C3D4 I would change flight AVI202 on June 20 to AVI444 on June 22, for "
        "$52.00 from your gift card. Shall I go ahead?"
    )
    assert "June 21" in line.text


def test_bags_are_agreed_to_as_an_addition_or_a_total() -> None:
    more = Want(do="add_bags", slots={"reservation_id": "B2C3D4", "extra_baggages": "1"})
    total = Want(
        do="add_bags",
        say="add_bags_total",
        slots={"reservation_id": "B2C3D4", "total_baggages": "3"},
    )
    right = "I would add 1 more checked bag to reservation B2C3D4, so that it has 3 in all."
    wrong = "I would add 2 more checked bags to reservation B2C3D4, so that it has 4 in all."
    for want in (more, total):
        for text, kind in ((right, "yes"), (wrong, "no")):
            line = start(want).reply(f"{text} Shall I go ahead?")
            assert read_customer(line.text, LEXICON).kind == kind, line.text


def test_a_reservation_known_by_its_route_is_not_foreign() -> None:
    want = Want(
        do="cancel",
        say="cancel_route",
        slots={"origin": "New York", "destination": "Seattle", "reason": "health"},
    )
    user = start(want)
    line = user.reply("I would cancel reservation B2C3D4 from New York to Seattle. Shall I?")
    assert read_customer(line.text, LEXICON).kind == "yes"


def test_a_corrected_detail_is_said_in_words() -> None:
    twist = Twist(kind="corrects", slots={"insurance": "yes"})
    user = start(BOOKING, twists=(twist,))
    line = user.reply(PROPOSAL.format(**RIGHT))
    assert "with insurance" in line.text
    assert read_customer(line.text, LEXICON).kind == "no"
    line = user.reply(PROPOSAL.format(**{**RIGHT, "insurance": "with travel insurance"}))
    assert read_customer(line.text, LEXICON).kind == "yes"


def test_no_detail_sounds_like_an_answer_to_a_proposal() -> None:
    values = {
        name: "June 16" if slot.kind == "date" else "1" for name, slot in LEXICON.slots.items()
    }
    values |= {"flight_number": "AVI123", "reservation_id": "B2C3D4"}
    values |= {
        name: "no insurance" if name == "insurance" else next(iter(slot.words))
        for name, slot in LEXICON.slots.items()
        if slot.words
    }
    for name, templates in LEXICON.phrases.items():
        if name.startswith("detail."):
            for template in templates:
                line = template.format_map({one: values[one] for one in fields_of(template)})
                assert read_customer(line, LEXICON).kind == "none", line


def test_every_want_has_a_phrase_an_opening_and_at_least_three_wordings() -> None:
    for verb in LEXICON.verbs:
        if verb != "transfer":
            assert verb in LEXICON.phrases
            assert f"{verb}_first" in LEXICON.phrases
    assert all(len(templates) >= 3 for templates in LEXICON.phrases.values())


@pytest.mark.parametrize("name", [n for n in LEXICON.phrases if n.endswith("_first")])
def test_an_opening_greets_and_agrees_to_nothing(name: str) -> None:
    for template in LEXICON.phrases[name]:
        assert template.startswith(("Hi, ", "Hello, ", "Good afternoon, "))
        assert "  " not in template
