"""Verbs that leave open what is meant, money that moves, and lists that are to be agreed to."""

from __future__ import annotations

import pytest

from tau_env.language.acts import read_agent
from tau_env.language.tagging import tagger
from tau_env.registry import find_domain

RETAIL = find_domain("retail").lexicon
AIRLINE = find_domain("airline").lexicon


@pytest.mark.parametrize(
    ("text", "actions", "clear"),
    [
        ("Shall I change it?", ("modify_items",), ()),
        ("Shall I change the address?", ("modify_address",), ("modify_address",)),
        ("I would cancel it.", ("cancel",), ("cancel",)),
    ],
)
def test_a_verb_of_several_actions_is_clear_with_a_noun_only(
    text: str, actions: tuple[str, ...], clear: tuple[str, ...]
) -> None:
    tagged = tagger(RETAIL).tag(text)
    assert (tagged.all_actions(), tagged.clear_actions()) == (actions, clear)


@pytest.mark.parametrize(
    "text",
    [
        "give $491.53 back to your gift card",
        "$252.43 would return at once to your gift card",
        "the money will be returned to your card",
        "I transfer $5.00 to your card",
    ],
)
def test_money_that_moves_is_no_action_on_a_record(text: str) -> None:
    assert tagger(RETAIL).tag(text).all_actions() == ()


@pytest.mark.parametrize(
    "text", ["return the lamp for $5.00", "the Night Lamp ($12.70) would be returned, and then"]
)
def test_a_thing_with_a_price_is_still_returned(text: str) -> None:
    assert tagger(RETAIL).tag(text).all_actions() == ("return",)


def test_a_proposal_with_an_open_verb_may_mean_each_of_its_actions() -> None:
    reading = read_agent("New address for #W1000017: 12 Elm Street. Shall I change it?", RETAIL)
    assert "modify_address" in reading.possible_actions("proposes")
    clear = read_agent("Shall I cancel order #W1000017?", RETAIL)
    assert clear.possible_actions("proposes") == ()
    moved = read_agent("I would move T0NOGC as you said. OK?", AIRLINE)
    assert "change_cabin" in moved.possible_actions("proposes")


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ("1. #W1000017: cancelled as a whole.\n2. #W1000018: returned.\nYes to both?", False),
        ("Both are done:\n1. #W1000017: cancelled.\nAnything else?", True),
        ("The lamp becomes blue, and $3.00 is refunded to your card. Shall I do it?", False),
        ("#W1000017 is cancelled now. Shall I return the lamp of #W1000018?", True),
    ],
)
def test_what_is_to_be_agreed_to_is_no_report(text: str, reports: bool) -> None:
    assert read_agent(text, RETAIL).has("reports_done") is reports


@pytest.mark.parametrize(
    "text",
    [
        "And would you perhaps like to send back anything further from this order?",
        "The lamp of #W1000017 can be returned. Do you wish to return any other item?",
        "#W1000017 can be returned. It should be said whether other items are to be included.",
    ],
)
def test_a_question_for_further_parts_asks_for_no_yes(text: str) -> None:
    assert not read_agent(text, RETAIL).has("proposes", "asks_confirmation")


def test_what_may_be_left_is_no_choice_and_two_marks_still_ask() -> None:
    text = "Shall I cancel #W1000017 now, or would you rather leave it?"
    assert read_agent(text, RETAIL).has("asks_confirmation")
    assert read_agent("What went wrong with it?!", RETAIL).has("asks_detail")
