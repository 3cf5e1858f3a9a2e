"""A message cut into the options that it offers."""

from tau_env.language.options import split_options


def test_numbered_options_have_a_head_and_a_tail() -> None:
    found = split_options("Two ways:\n1. the red one\n2. the blue one\n\nWhich do you want?")
    assert found.head == "Two ways:\n"
    assert [one.split(". ", 1)[1].strip() for one in found.each] == ["the red one", "the blue one"]
    assert "Which do you want?" in found.tail


def test_letters_name_options() -> None:
    assert len(split_options("Option A: the red one. Option B: the blue one.").each) == 2


def test_an_or_question_offers_its_parts() -> None:
    found = split_options("I have two. Do you want the red one or the blue one?")
    assert found.head == "I have two."
    assert len(found.each) == 2


def test_a_message_without_options_has_none() -> None:
    assert len(split_options("I would send the red one. Is that all right?").each) < 2
    assert split_options("Done.").each == ()
