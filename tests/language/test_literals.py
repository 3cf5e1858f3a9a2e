"""What is read as a value, and what is not; the accept tables are docs/what-counts.md."""

import time

import pytest

from tau_env.errors import BadDomain
from tau_env.language.literals import find_literals
from tau_env.schema import Lexicon, Slot

LEXICON = Lexicon(
    slots={
        "order_id": Slot(kind="id", role="record", pattern=r"#W\d{4,7}"),
        "item_ids": Slot(kind="id", pattern=r"\d{10}"),
        "new_item_ids": Slot(kind="id", pattern=r"\d{10}"),
        "flight": Slot(kind="id", pattern=r"[A-Z]{3}\d{3}"),
        "payment_id": Slot(kind="id", pattern=r"(credit_card|gift_card|paypal)_\d+"),
        "zip": Slot(kind="zip", role="identity"),
        "name": Slot(kind="name", role="identity"),
        "reason": Slot(
            kind="word",
            words={
                "no longer needed": ("don't need it anymore", "do not need it any more"),
                "ordered by mistake": ("by mistake", "mistakenly ordered"),
            },
        ),
        "payment": Slot(kind="word", words={"gift_card": ("voucher",), "credit_card": ()}),
        "trip": Slot(kind="word", words={"one_way": ("one way",), "round_trip": ("return trip",)}),
    }
)


def read(text: str) -> list[tuple[str, int | str]]:
    return list(dict.fromkeys((one.kind, one.value) for one in find_literals(text, LEXICON)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$1,234.50", [("money", 123450)]),
        ("That is $12.", [("money", 1200)]),
        ("12 dollars", [("money", 1200)]),
        ("twelve dollars", [("money", 1200)]),
        ("USD 12.50", [("money", 1250)]),
        ("12.5 USD", [("money", 1250)]),
        ("US$ 3", [("money", 300)]),
        ("12 dollars and 5 cents", [("money", 1205)]),
        ("50 cents", [("money", 50)]),
        ("a difference of -$54.04", [("money", -5404)]),
        ("54.04", [("number", "54.04")]),
        ("$12.345", []),
        ("10 items", [("number", "10")]),
        ("It is 10.", [("number", "10")]),
        ("1,234.50 in all", [("number", "1234.5")]),
        ("10.50", [("number", "10.5")]),
        ("a 15-inch screen", [("number", "15")]),
        ("3-5 business days", [("number", "3"), ("number", "5")]),
        ("100", [("number", "100")]),
        ("It weighs 2.0 pounds", [("number", "2")]),
        ("twelve", [("number", "12")]),
        ("Seven days", [("number", "7")]),
        ("twenty-five of them", []),
        ("two hundred", []),
        ("There is one left", [("number", "1")]),
        ("the blue one, please", []),
        ("One moment, please", []),
        ("one of them", []),
        ("#W1023", [("id", "#W1023")]),
        ("HAT210", [("id", "HAT210")]),
        ("XHAT210", []),
        ("1234567890", [("id", "1234567890")]),
        ("12345678901", [("number", "12345678901")]),
        ("credit_card_77", [("id", "credit_card_77")]),
        ("at 10:30 AM or 9 pm", []),
        ("call 555-123-4567", []),
        ("version 1.2.3", []),
        ("1. A lamp\n2) A chair", []),
        ("mia_7@x.org.", [("email", "mia_7@x.org")]),
        ("2024-07-04", [("date", "2024-07-04")]),
        ("2024/07/04", [("date", "2024-07-04")]),
        ("July 4, 2024", [("date", "2024-07-04")]),
        ("4th of July 2024", [("date", "2024-07-04")]),
        ("Jul 4th 2024", [("date", "2024-07-04")]),
        ("4 July, 2024", [("date", "2024-07-04")]),
        ("07/04/2024", [("date", "2024-07-04")]),
        ("7/4/24", [("date", "2024-07-04")]),
        ("on Sept. 3", [("date", "--09-03")]),
        ("july 4", [("date", "--07-04")]),
        ("7/24", [("date", "--07-24")]),
        ("2024-05-15T10:00:00", [("date", "2024-05-15")]),
        ("the 4th", []),
        ("February 30", []),
        ("24/7", []),
        ("May I have 2?", [("number", "2")]),
        ("19122", [("zip", "19122")]),
        ("Denver, CO 80202-1234", [("zip", "80202-1234")]),
        ("my name is Mia O'Hara", [("name", "mia o'hara")]),
        ("I\u2019m Mia Li", [("name", "mia li")]),
        ("I'm happy", []),
        ("No longer needed.", [("word", "no longer needed")]),
        ("I don\u2019t need it anymore", [("word", "no longer needed")]),
        ("I do not need it anymore", [("word", "no longer needed")]),
        ("ordered by mistake", [("word", "ordered by mistake")]),
        ("your gift cards", [("word", "gift_card")]),
        ("a gift-card", [("word", "gift_card")]),
        ("gift_card_12", [("id", "gift_card_12")]),
        ("a one-way ticket", [("word", "one_way")]),
        ("no. Longer needed", []),
        ("forgift card", []),
        ("", []),
    ],
)
def test_find_literals_reads_the_value(text: str, expected: list[tuple[str, int | str]]) -> None:
    assert read(text) == expected


def test_find_literals_gives_positions_in_order() -> None:
    text = "Order #W1023 of July 4: $12, 3 items, no longer needed."
    found = find_literals(text, LEXICON)
    assert [one.kind for one in found] == ["id", "date", "money", "number", "word"]
    assert all(text[one.start : one.end] == one.text for one in found)


def test_find_literals_gives_an_id_for_each_slot_that_it_fits() -> None:
    assert [one.slot for one in find_literals("1234567890", LEXICON)] == [
        "item_ids",
        "new_item_ids",
    ]


def test_find_literals_reads_zips_only_with_a_cue_where_no_slot_has_them() -> None:
    bare = Lexicon()
    assert [one.kind for one in find_literals("19122", bare)] == ["number"]
    assert [one.kind for one in find_literals("Denver, CO 80202", bare)] == ["zip"]


def test_find_literals_names_the_slot_with_a_broken_pattern() -> None:
    broken = Lexicon(slots={"order_id": Slot(kind="id", pattern="(")})
    with pytest.raises(BadDomain, match="order_id"):
        find_literals("anything", broken)


def test_find_literals_reads_an_ordinary_message_in_under_a_millisecond() -> None:
    message = (
        "I can cancel order #W1023 placed on July 4 for $1,234.50; the refund goes to your gift "
        "card within 5 to 7 business days. The reason is that it is no longer needed. Is that ok? "
    )
    find_literals(message, LEXICON)
    started = time.perf_counter()
    for number in range(50):
        find_literals(f"{message}{number}", LEXICON)
    assert (time.perf_counter() - started) / 50 < 0.001


TRAVEL = Lexicon(
    slots={
        "origin": Slot(kind="word", words={"SEA": ("seattle",), "MIA": ("miami",)}),
        "target": Slot(kind="word", words={"SEA": ("seattle",), "MIA": ("miami",)}),
        "insurance": Slot(
            kind="word", words={"yes": ("with insurance",), "no": ("without insurance",)}
        ),
    }
)


def test_a_code_is_read_in_capitals_only() -> None:
    found = [(one.slot, one.value) for one in find_literals("to SEA, not by sea", TRAVEL)]
    assert found == [("origin", "SEA"), ("target", "SEA")]
    assert [one.value for one in find_literals("mia flies to Miami", TRAVEL)] == ["MIA", "MIA"]


def test_yes_and_no_alone_are_no_closed_words() -> None:
    assert find_literals("Yes, please. No, thanks.", TRAVEL) == ()
    found = find_literals("Yes, without insurance.", TRAVEL)
    assert [(one.slot, one.value) for one in found] == [("insurance", "no")]
