"""Which slots a sentence asks for: what it only mentions is not asked for."""

from __future__ import annotations

from tau_env.language.acts import read_agent
from tau_env.registry import find_domain
from tau_env.schema import Lexicon, Slot

RETAIL = find_domain("retail").lexicon


def test_an_amount_that_is_needed_is_not_asked_for() -> None:
    refusal = "I cannot change the payment to your gift card: it holds $5.00, and $9.00 is needed."
    assert not read_agent(refusal, RETAIL).has("asks_detail")
    assert read_agent("Your e-mail address is needed.", RETAIL).has("asks_identity")


def test_what_an_offer_would_bring_is_no_report() -> None:
    offer = (
        "I would change the payment of order #W1000999: $186.68 is charged to your PayPal account."
    )
    assert read_agent(offer, RETAIL).kinds == {"proposes"}
    report = (
        "I have changed the payment of order #W1000999: $186.68 is charged to your PayPal account."
    )
    assert "reports_done" in read_agent(report, RETAIL).kinds


def test_places_in_a_question_for_a_yes_are_no_choice() -> None:
    """A word of several vocabularies is no choice within one: from one place to another."""
    places = {"SEA": ("seattle",), "MIA": ("miami",)}
    lexicon = Lexicon(
        slots={
            "origin": Slot(kind="word", nouns=("origin",), words=places),
            "target": Slot(kind="word", nouns=("target",), words=places),
        },
        verbs={"book": ("book",)},
    )
    reading = read_agent("Shall I book a flight from Seattle to Miami for you?", lexicon)
    assert reading.has("asks_confirmation")
    assert not reading.has("asks_detail")


def test_nouns_after_a_comma_are_asked_for_by_themselves() -> None:
    lexicon = Lexicon(
        slots={
            "people": Slot(kind="text", nouns=("passenger",)),
            "born": Slot(kind="date", nouns=("date of birth",)),
            "bags": Slot(kind="number", nouns=("number of bags",)),
        }
    )
    text = "I need the passengers with their dates of birth, the number of bags."
    assert "bags" in read_agent(text, lexicon).asked()


def test_why_a_customer_wants_something_is_no_question_for_a_yes() -> None:
    for asked in (
        "And why do you want to cancel it?",
        "Before I go on with order #W1000999: why would you like to cancel it?",
    ):
        reading = read_agent(asked, RETAIL)
        assert reading.kinds == {"asks_detail"}
        assert reading.acts[0].slots == ("reason",)


def test_what_is_understood_or_asked_beside_is_no_question_for_a_yes() -> None:
    understood = "I understand that you want to cancel order #W1000999."
    assert not read_agent(understood, RETAIL).has("asks_confirmation", "proposes")
    beside = "Is there any other item that you want to change?"
    assert not read_agent(beside, RETAIL).has("asks_confirmation", "proposes")
