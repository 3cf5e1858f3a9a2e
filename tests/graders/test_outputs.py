"""What counts as told, what does not, and when telling becomes reciting."""

import json

import pytest

from tau_env.graders.outputs import MAX_GUESSES, grade_outputs, told
from tau_env.schema import (
    Call,
    DomainSpec,
    Lexicon,
    Outcome,
    Output,
    Requirement,
    Rule,
    Scenario,
    Slot,
    Task,
    Turn,
    Want,
)
from tau_env.schema.task import Path as TaskPath

SPEC = DomainSpec(
    name="shop",
    version=1,
    now="2024-05-15T15:00:00",
    rules=(Rule(id="R1", text="Refunds take 5 to 7 business days.", by=("grader:outputs",)),),
    lexicon=Lexicon(
        slots={
            "order_id": Slot(kind="id", role="record", pattern=r"#W\d+"),
            "flight": Slot(kind="id", pattern=r"[A-Z]{3}\d{3}"),
            "status": Slot(kind="word", words={"delivered": ("arrived",), "pending": ()}),
        }
    ),
)


def task(*outputs: Output) -> Task:
    return Task(
        id="t",
        kind="inform",
        scenario=Scenario(customer="c", opening="o", wants=(Want(do="ask"),)),
        outputs=outputs,
        goals=((),),
        path=TaskPath(
            required=(Requirement.model_validate({"as": "x", "any": [{"tool": "get"}]}),)
        ),
    )


def says(*texts: str) -> tuple[Turn, ...]:
    return tuple(Turn(who="agent", text=text) for text in texts)


def passes(transcript: tuple[Turn, ...], *outputs: Output) -> bool:
    return grade_outputs(task(*outputs), transcript, Outcome(), SPEC).passed


TEN = Output(kind="number", value=10)
REFUND = Output(kind="money", value=5404)
DAY = Output(kind="date", value="2024-07-04")
ORDER = Output(kind="id", value="#W1023")
ARRIVED = Output(kind="word", value="delivered", slot="status")


@pytest.mark.parametrize(
    ("output", "text", "expected"),
    [
        (TEN, "$10.00", True),
        (TEN, "10 items", True),
        (TEN, "It is 10.", True),
        (TEN, "There are ten of them.", True),
        (TEN, "10.0", True),
        (TEN, "It is not 9 but 10", True),
        (TEN, "100", False),
        (TEN, "10.5", False),
        (TEN, "HAT210", False),
        (TEN, "I looked at order #W1023, placed May 10", False),
        (TEN, "at 10:30", False),
        (TEN, "1. Lamp\n10. Chair", False),
        (Output(kind="number", value="1234.5"), "$1,234.50", True),
        (Output(kind="number", value=2), "two days", True),
        (REFUND, "$54.04", True),
        (REFUND, "54.04", True),
        (REFUND, "54.04 dollars", True),
        (REFUND, "a difference of -$54.04", True),
        (REFUND, "$54.05", False),
        (REFUND, "$54", False),
        (REFUND, "$154.04", False),
        (Output(kind="money", value=1200), "$12", True),
        (Output(kind="money", value=1200), "12 dollars", True),
        (Output(kind="money", value=1200), "12 items", False),
        (Output(kind="money", value=123450), "$1,234.50", True),
        (DAY, "on 2024-07-04", True),
        (DAY, "July 4", True),
        (DAY, "the 4th of July, 2024", True),
        (DAY, "07/04/2024", True),
        (DAY, "July 4, 2023", False),
        (DAY, "July 14", False),
        (ORDER, "Order #W1023.", True),
        (ORDER, "order W1023 is on its way", True),
        (ORDER, "#W10231", False),
        (ORDER, "write to W1023@x.org", False),
        (ARRIVED, "It has arrived.", True),
        (ARRIVED, "Status: Delivered", True),
        (ARRIVED, "It is undelivered.", False),
        (ARRIVED, "It is pending.", False),
        (Output(kind="word", value="gift_card"), "to your gift card", True),
        (Output(kind="word", value="gift_card"), "to your gift", False),
    ],
)
def test_an_output_is_told_in_the_accepted_spellings(
    output: Output, text: str, expected: bool
) -> None:
    """F29, F31: a number counts with its own boundaries, never inside another one or an id."""
    assert passes(says(text), output) is expected


def test_told_names_the_turns_of_the_agent_only() -> None:
    transcript = (
        Turn(who="customer", text="Is it $54.04?"),
        Turn(who="agent", text="I will look."),
        Turn(who="call", call=Call(name="get", result="54.04", aside="It is $54.04")),
        Turn(who="agent", text="It is $54.04."),
        Turn(who="agent", text="Again: $54.04"),
    )
    assert told(transcript, REFUND, SPEC) == (4, 5)


def test_every_output_must_be_told() -> None:
    assert not passes(says("It is $54.04."), REFUND, DAY)
    assert passes(says("It is $54.04.", "It came on July 4."), REFUND, DAY)


def test_an_unmatched_output_is_reported_with_the_nearest_text() -> None:
    """F44: a form that is not in the table is told as unmatched."""
    grade = grade_outputs(task(REFUND), says("Hello", "$54.40, not $12"), Outcome(), SPEC)
    assert not grade.passed
    assert "$54.04" in grade.evidence[0].text
    assert "'$54.40'" in grade.evidence[0].text
    assert grade.evidence[0].turns == (2,)


@pytest.mark.parametrize("output", [TEN, DAY, ORDER, ARRIVED])
def test_an_unmatched_output_of_any_kind_is_reported(output: Output) -> None:
    text = "We have 9 of #W1024, pending since Feb 29."
    grade = grade_outputs(task(output), says(text), Outcome(), SPEC)
    assert "unmatched" in grade.evidence[0].text
    assert grade.evidence[0].turns == (1,)


def test_nothing_to_tell_is_not_checked() -> None:
    grade = grade_outputs(task(), says("10"), Outcome(), SPEC)
    assert (grade.passed, grade.checked) == (True, False)


def test_reciting_fails_where_nothing_has_to_be_told() -> None:
    grade = grade_outputs(task(), says(", ".join(map(str, range(1000)))), Outcome(), SPEC)
    assert (grade.passed, grade.checked) == (False, True)
    assert "enumeration" in grade.evidence[0].text


def test_reciting_all_numbers_fails() -> None:
    assert not passes(says(", ".join(str(number) for number in range(1, 1001))), TEN)
    assert not passes(says(*(f"Maybe {number}?" for number in range(1, 101))), TEN)
    assert not passes(says(" ".join(f"${number}.00" for number in range(1, 101))), TEN)


def test_a_few_guesses_are_borne_and_one_more_is_not() -> None:
    borne = ", ".join(str(number) for number in range(10, 10 + MAX_GUESSES))
    assert passes(says(borne), TEN)
    assert not passes(says(f"{borne}, 99"), TEN)


def prices(*amounts: float) -> Turn:
    rows = [{"price": amount} for amount in amounts]
    return Turn(who="call", call=Call(name="get", result=json.dumps(rows)))


def test_numbers_of_results_customers_and_rules_are_no_guesses() -> None:
    amounts = [10 + number + 0.5 for number in range(60)]
    listing = ", ".join(f"${amount:.2f}" for amount in amounts)
    half = Output(kind="money", value=1050)
    assert passes((prices(*amounts), *says(listing)), half)
    assert passes((Turn(who="customer", text=listing), *says(listing)), half)
    assert not passes((*says(listing), prices(*amounts)), half)
    nineteen = ", ".join(str(number) for number in range(30, 49))
    assert passes(says(f"$10.50, {nineteen}, 5 to 7 days"), half)


def test_sums_and_differences_of_amounts_are_calculations() -> None:
    base = [100.25 * (number + 1) ** 2 for number in range(12)]
    sums = [one + base[0] for one in base]
    listing = ", ".join(f"${amount:.2f}" for amount in (*sums, *range(20, 30)))
    assert passes((prices(*base), *says(listing)), Output(kind="money", value=20050))
    assert not passes(says(listing), Output(kind="money", value=20050))


def test_sums_do_not_make_reciting_pass() -> None:
    catalogue = prices(*(float(number) for number in range(1, 400, 7)))
    assert not passes((catalogue, *says(", ".join(map(str, range(1, 1001))))), TEN)


def test_a_right_total_needs_no_calculator_and_a_wrong_one_gets_nothing_from_it() -> None:
    """F130: the calculator is neither required nor enough."""
    total = Output(kind="money", value=3000)
    assert passes((prices(10.0, 20.0), *says("In all $30.00.")), total)
    calculator = Turn(who="call", call=Call(name="calculate", result="30.0"))
    assert not passes((calculator, *says("In all $31.00.")), total)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is delivered.", True),
        ("It is delivered, and only a pending order can be changed.", True),
        ("It is pending or delivered.", False),
        ("It is one of these: pending, delivered.", False),
        ("It is pending or delivered. I looked again: it is delivered.", True),
    ],
)
def test_a_series_of_all_words_tells_none_of_them(text: str, expected: bool) -> None:
    assert passes(says(text), ARRIVED) is expected


def test_dates_from_nowhere_are_guesses_too() -> None:
    days = [f"2024-07-{day:02d}" for day in range(1, MAX_GUESSES + 2)]
    assert not passes(says(f"It is one of {', '.join(days)}."), DAY)
    looked_up = Turn(who="call", call=Call(name="get", result=json.dumps(days)))
    assert passes((looked_up, *says(f"You can choose {', '.join(days)}.")), DAY)
