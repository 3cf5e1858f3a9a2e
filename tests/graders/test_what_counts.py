"""Every row of docs/what-counts.md is what the code does."""

import json
import re
from pathlib import Path

import pytest

from tau_env.graders.outputs import told
from tau_env.language.counting import counts
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal
from tau_env.language.replies import read_customer
from tau_env.schema import DomainSpec, Lexicon, Output, Slot, Turn

PAGE = (Path(__file__).parents[2] / "docs" / "what-counts.md").read_text("utf-8")
CASES = json.loads((Path(__file__).parent / "confirmation_cases.json").read_text("utf-8"))["cases"]
CASES_WITH_LISTS = json.loads(
    (Path(__file__).parent / "confirmation_cases_airline.json").read_text("utf-8")
)["cases"]
SPEC = DomainSpec(
    name="shop",
    version=1,
    now="2024-05-15T15:00:00",
    lexicon=Lexicon(
        slots={
            "order_id": Slot(kind="id", pattern=r"#W\d+"),
            "payment_id": Slot(kind="id", pattern=r"credit_card_\d+"),
            "zip": Slot(kind="zip"),
            "reason": Slot(kind="word", words={"no longer needed": ("do not need it anymore",)}),
            "payment": Slot(kind="word", words={"gift card": ()}),
            "bags": Slot(kind="number", nouns=("bag", "suitcase", "checked bag")),
        },
        verbs={"cancel": ("cancel",)},
    ),
)


def rows(heading: str) -> list[tuple[str, ...]]:
    """The rows of the table under a heading, without header and code marks."""
    section = re.split(rf"^## {heading}$", PAGE, flags=re.MULTILINE)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [tuple(cell.strip().strip("`") for cell in line.strip("|").split("|")) for line in lines]


def shown(one: Literal) -> str:
    value = f"{int(one.value) / 100:.2f}" if one.kind == "money" else one.value
    return f"{one.kind} {value}"


@pytest.mark.parametrize(("written", "expected"), rows("Values in a text"))
def test_a_value_is_read_as_the_page_says(written: str, expected: str) -> None:
    found = ", ".join(shown(one) for one in find_literals(written, SPEC.lexicon))
    assert (found or "nothing") == expected


@pytest.mark.parametrize(("required", "said", "counts"), rows("Required outputs"))
def test_an_output_counts_as_the_page_says(required: str, said: str, counts: str) -> None:
    """F31, F44: the table of the docs is the table of the code."""
    kind, value = required.split(" ", maxsplit=1)
    output = Output.model_validate(
        {
            "kind": kind,
            "value": round(float(value) * 100) if kind == "money" else value,
            "slot": "reason" if kind == "word" else "",
        }
    )
    turns = told((Turn(who="agent", text=said),), output, SPEC)
    assert ("yes" if turns else "no") == counts


@pytest.mark.parametrize(("said", "expected"), rows("Answers of the customer"))
def test_an_answer_is_read_as_the_page_says(said: str, expected: str) -> None:
    """F37."""
    assert read_customer(said, SPEC.lexicon).kind == expected.replace(", ", "_")


@pytest.mark.parametrize(("name", "expected"), rows("Confirmation"))
def test_a_settled_case_stands_on_the_page_as_in_the_table(name: str, expected: str) -> None:
    (case,) = [case for case in CASES if case["name"] == name]
    assert ", ".join("yes" if one else "no" for one in case["confirmed"]) == expected


@pytest.mark.parametrize(("name", "expected"), rows("Confirmation with lists"))
def test_a_case_with_lists_stands_on_the_page_as_in_the_table(name: str, expected: str) -> None:
    (case,) = [case for case in CASES_WITH_LISTS if case["name"] == name]
    assert ", ".join("yes" if one else "no" for one in case["confirmed"]) == expected


@pytest.mark.parametrize(("written", "expected"), rows("Counted things"))
def test_things_are_counted_as_the_page_says(written: str, expected: str) -> None:
    found = counts(written, SPEC.lexicon)["bags"]
    named = {"total ": found.total, "added ": found.added, "": found.plain, "part ": found.loose}
    said = [f"{name}{number}" for name, numbers in named.items() for number in sorted(numbers)]
    assert (", ".join(said) or "nothing") == expected


def test_the_page_has_four_tables() -> None:
    headings = ("Values in a text", "Required outputs", "Answers of the customer", "Confirmation")
    assert all(len(rows(heading)) > 20 for heading in headings)
