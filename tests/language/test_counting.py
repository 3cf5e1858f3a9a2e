"""How many of something a text speaks of; the table of spellings is in docs/what-counts.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_env.language.counting import Counts, counts, is_added
from tau_env.schema import Lexicon, Slot

LEXICON = Lexicon(
    slots={
        "bags": Slot(kind="number", nouns=("bag", "checked bag", "suitcase")),
        "extra_bags": Slot(kind="number", nouns=("bag", "extra bag")),
        "note": Slot(kind="text", nouns=("note",)),
    }
)


def read(text: str) -> Counts:
    return counts(text, LEXICON)["bags"]


def test_only_number_slots_are_counted() -> None:
    assert set(counts("2 notes", LEXICON)) == {"bags", "extra_bags"}


def test_amounts_times_and_ids_count_nothing() -> None:
    for text in ("$50 bags", "at 10:30 bags", "A2 bags", "bag for $30", "1.5 bags"):
        assert not read(text).sure, text


@pytest.mark.parametrize(
    ("text", "whole", "before", "fits"),
    [
        ("a total of 3 bags", 3, 1, True),
        ("a total of 3 bags", 4, 1, False),
        ("2 more bags", 3, 1, True),
        ("2 more bags", 2, 1, False),
        ("2 more bags", 2, None, True),
        ("2 bags", 2, 0, True),
        ("2 bags", 3, 1, True),
        ("2 bags", 4, 1, False),
        ("no further bags", 1, 1, True),
        ("2 free bags", 5, 1, None),
        ("nothing of the kind", 2, 1, None),
    ],
)
def test_numbers_fit_a_whole_and_what_there_was(
    text: str, whole: int, before: int | None, *, fits: bool | None
) -> None:
    assert read(text).fits(whole, before) is fits


def test_what_is_added_says_nothing_of_the_whole_to_the_ignorant() -> None:
    assert not read("I would add 3 bags").denies(4, added=False)
    assert read("I would add 3 bags").denies(2, added=True)
    assert read("3 bags in all").denies(4, added=False)
    assert not read("3 bags in all").denies(1, added=True)


def test_a_slot_with_an_extra_noun_counts_additions() -> None:
    assert is_added(LEXICON.slots["extra_bags"])
    assert not is_added(LEXICON.slots["bags"])


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(0 <= number < 1000 for number in read(text).all)
