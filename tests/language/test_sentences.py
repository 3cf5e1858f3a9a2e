"""How a message falls into sentences, list items and labelled lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tau_env.language.sentences import split_sentences


def test_sentences_end_at_marks_but_not_after_abbreviations() -> None:
    found = split_sentences("Hello Mr. Ito. It leaves at 7:10 a.m. from gate 2. Is that fine?")
    assert [one.text for one in found] == [
        "Hello Mr. Ito.",
        "It leaves at 7:10 a.m. from gate 2.",
        "Is that fine?",
    ]
    assert [one.question for one in found] == [False, False, True]


def test_amount_is_not_cut_at_its_point() -> None:
    assert len(split_sentences("The total is $12.50 for both.")) == 1


def test_picture_ends_a_sentence_before_a_new_one_only() -> None:
    assert len(split_sentences("All set \U0001f389 Anything else?")) == 2
    assert len(split_sentences("sage \U0001f33f, sky \U0001f499 and plum")) == 1


def test_bullets_and_markup_are_dropped_and_items_marked() -> None:
    found = split_sentences("Please send:\n- **your email**\n2. the zip code")
    assert [(one.text, one.item) for one in found] == [
        ("Please send:", False),
        ("your email", True),
        ("the zip code", True),
    ]
    assert found[0].opens_list


def test_labelled_line_has_label_and_value() -> None:
    (found,) = split_sentences("**Reason:** no longer needed?")
    assert (found.label, found.value, found.item) == ("Reason", "no longer needed?", True)
    assert found.question


def test_json_fields_are_labelled_lines() -> None:
    found = split_sentences('{"action": "cancel", "order_id": "#W1234567"}')
    assert [one.label for one in found] == ["action", "order_id"]


def test_last_line_with_a_colon_waits_for_an_answer() -> None:
    assert split_sentences("Order: #W1234567\nYour choice:")[-1].question


@given(st.text(max_size=200))
def test_no_letter_is_lost(text: str) -> None:
    kept = "".join(one.text for one in split_sentences(text))
    letters = [char for char in text if "a" <= char.lower() <= "z"]
    assert len([char for char in kept if "a" <= char.lower() <= "z"]) >= 0.5 * len(letters)
