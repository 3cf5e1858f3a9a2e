"""Values that the customer knows, against what a message says."""

import pytest

from tau_env.domains.airline.lexicon import build_lexicon
from tau_env.language.acts import read_agent
from tau_env.users.values import differs, in_words, names

LEXICON = build_lexicon()


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        ("date", "June 14", "on 2025-06-14"),
        ("date", "2025-06-14", "on Saturday, 14 June"),
        ("origin", "New York", "from JFK"),
        ("destination", "SEA", "to Seattle"),
        ("cabin", "business", "in business class"),
        ("payment_method", "Visa ending in 1234", "your credit card"),
        ("total_baggages", "2", "with two checked bags"),
        ("insurance", "no", "without travel insurance"),
        ("flight_number", "AVI123", "flight AVI123"),
        ("passengers", "Ada Kim, born 1990-04-05", "for Ada Kim, born 1990-04-05"),
    ],
)
def test_a_value_is_named_in_other_spellings(slot: str, value: str, text: str) -> None:
    reading = read_agent(text, LEXICON)
    assert names(LEXICON, reading, slot, value)
    assert not differs(LEXICON, reading, slot, {slot: [value]})


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        ("date", "June 14", "on 2025-06-15"),
        ("destination", "SEA", "to Boston"),
        ("cabin", "business", "in basic economy"),
        ("payment_method", "Visa ending in 1234", "your Visa ending in 9999"),
        ("payment_method", "credit card", "your gift card"),
        ("total_baggages", "2", "with three checked bags"),
        ("insurance", "no", "with travel insurance"),
        ("flight_number", "AVI123", "flight AVI124"),
        ("passengers", "Ada Kim, born 1990-04-05", "for Ada Kim, born 1990-04-15"),
    ],
)
def test_another_value_differs(slot: str, value: str, text: str) -> None:
    reading = read_agent(text, LEXICON)
    assert not names(LEXICON, reading, slot, value)
    assert differs(LEXICON, reading, slot, {slot: [value]})


def test_silence_neither_names_nor_differs() -> None:
    reading = read_agent("One moment, please. Yes, I see.", LEXICON)
    for slot, value in {"date": "June 14", "insurance": "yes", "total_baggages": "2"}.items():
        assert not names(LEXICON, reading, slot, value)
        assert not differs(LEXICON, reading, slot, {slot: [value]})


def test_a_date_of_another_slot_is_no_wrong_one() -> None:
    known = {"date": ["June 14"], "return_date": ["June 20"], "passengers": ["Ada, 1990-04-05"]}
    reading = read_agent("You would fly back on June 20; you were born on 1990-04-05.", LEXICON)
    assert not differs(LEXICON, reading, "date", known)
    reading = read_agent("You would fly back on June 21.", LEXICON)
    assert differs(LEXICON, reading, "return_date", known)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("$80.00 to your gift card and $412.00 to your credit card", False),
        ("$47.63 to your gift card and $444.37 to your credit card", True),
        ("the fare is $134.00; you have a gift card", False),
        ("your gift card and your credit card", False),
    ],
)
def test_money_divided_otherwise_differs(text: str, other: bool) -> None:
    value = "$80.00 from my gift card and the rest from my credit card"
    reading = read_agent(text, LEXICON)
    assert differs(LEXICON, reading, "payment_methods", {"payment_methods": [value]}) is other


def test_values_stand_in_a_sentence_by_themselves() -> None:
    assert in_words(LEXICON, "total_baggages", "2") == "2 bags"
    assert in_words(LEXICON, "total_baggages", "1") == "1 bag"
    assert in_words(LEXICON, "insurance", "no") == "no insurance"
    assert in_words(LEXICON, "cabin", "business") == "business"
