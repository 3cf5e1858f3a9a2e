"""Which of several listed options the customer takes."""

from tau_env.domains.airline.lexicon import build_lexicon
from tau_env.schema import Want
from tau_env.users.choosing import Choice, choose

LEXICON = build_lexicon()
LISTED = (
    "On June 16 there are:\n1. AVI123, 08:00, economy $120, business $300\n"
    "2. AVI200, 12:30, economy $98, business $310\nWhich one would you like?"
)


def pick(text: str, **slots: str) -> Choice | None:
    return choose(text, LEXICON, Want(do="book", slots=dict(slots)))


def test_the_option_that_names_a_value_is_taken() -> None:
    assert pick(LISTED, flight_number="AVI123") == Choice(1, "flight_number", "AVI123")


def test_the_cheapest_is_that_of_the_wanted_cabin() -> None:
    assert pick(LISTED, preference="cheapest", cabin="economy") == Choice(
        2, "flight_number", "AVI200"
    )
    assert pick(LISTED, preference="cheapest", cabin="business") == Choice(
        1, "flight_number", "AVI123"
    )


def test_earliest_and_latest_go_by_the_first_time() -> None:
    assert pick(LISTED, preference="earliest") == Choice(1, "flight_number", "AVI123")
    assert pick(LISTED, preference="latest") == Choice(2, "flight_number", "AVI200")
    half = "1. AVI1 - 1:15 PM\n2. AVI200 - 9 AM"
    assert pick(half.replace("AVI1 ", "AVI100 "), preference="earliest") == Choice(
        2, "flight_number", "AVI200"
    )


def test_flights_in_a_sentence_are_options_too() -> None:
    text = "We have AVI123 at 8:00 for $120 and AVI200 at 12:30 for $98. Which flight do you want?"
    assert pick(text, preference="cheapest") == Choice(0, "flight_number", "AVI200")


def test_an_option_with_two_flights_is_taken_by_its_number() -> None:
    text = "Option A: AVI123 and AVI300, total $220. Option B: AVI124 and AVI301, total $200."
    assert pick(text, preference="cheapest") == Choice(2)


def test_nothing_is_chosen_where_several_fit_or_a_price_is_missing() -> None:
    assert pick(LISTED, cabin="economy") is None
    assert pick("1. AVI123 at $90\n2. AVI200, sold out", preference="cheapest") is None
    assert pick("I would book AVI123. Shall I?", preference="cheapest") is None
