"""The settled cases of confirmation, and how a verdict is shown; the dialogues are data."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tau_env.graders.confirmation import confirmed_writes, grade_confirmation
from tau_env.schema import (
    Call,
    CallPattern,
    DomainSpec,
    Lexicon,
    Outcome,
    Requirement,
    Rule,
    Scenario,
    Task,
    ToolSpec,
    Transcript,
    Turn,
    Want,
)
from tau_env.schema.task import Path as TaskPath

TABLE = json.loads((Path(__file__).parent / "confirmation_cases.json").read_text("utf-8"))
TOOLS = {
    name: ToolSpec(
        name=name,
        description="",
        parameters={"type": "object"},
        kind="write",
        needs_yes=True,
        **own,
    )
    for name, own in TABLE["tools"].items()
}
OTHERS = {
    name: ToolSpec(name=name, description="", parameters={"type": "object"}, kind="read")
    for name in ("see", "think")
}
SPECS = {
    manner: DomainSpec(
        name=manner,
        version=1,
        now="2024-05-15T15:00:00",
        rules=(Rule(id="R3.1", text="Ask first.", by=("grader:confirmation",)),),
        tools={**TOOLS, **OTHERS},
        lexicon=Lexicon.model_validate(lexicon),
    )
    for manner, lexicon in TABLE["lexicons"].items()
}
TASK = Task(
    id="t",
    kind="fulfil",
    scenario=Scenario(customer="c", opening="o", wants=(Want(do="cancel"),)),
    path=TaskPath(
        required=(Requirement.model_validate({"as": "x", "any": [CallPattern(tool="y")]}),)
    ),
)


def turn(row: list[Any]) -> Turn:
    if row[0] in ("agent", "customer"):
        return Turn(who=row[0], text=row[1])
    if row[0] == "see":
        return Turn(who="call", call=Call(name="see", result=json.dumps(TABLE["results"][row[1]])))
    more = row[3] if len(row) > 3 else {}
    return Turn(who="call", call=Call(name=row[1], arguments=row[2], **more))


def dialogue(case: dict[str, Any]) -> Transcript:
    return tuple(turn(row) for row in case["turns"])


def test_the_table_is_long_and_every_case_has_its_own_name() -> None:
    names = [case["name"] for case in TABLE["cases"]]
    assert len(names) == len(set(names)) >= 80
    assert {case["manner"] for case in TABLE["cases"]} == {"retail", "airline"}


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_a_write_is_confirmed_as_the_table_says(case: dict[str, Any]) -> None:
    """F37: what is a yes, what is none, and what a changed argument needs."""
    verdicts = confirmed_writes(dialogue(case), SPECS[case["manner"]])
    assert [one.confirmed for one in verdicts] == case["confirmed"], [one.why for one in verdicts]


def named(name: str) -> dict[str, Any]:
    return next(case for case in TABLE["cases"] if case["name"] == name)


def test_a_verdict_names_the_turns_of_proposal_yes_and_write() -> None:
    transcript = dialogue(named("details and question lie in different messages"))
    (verdict,) = confirmed_writes(transcript, SPECS["retail"])
    assert (verdict.proposal_turn, verdict.yes_turn, verdict.turn) == (5, 6, 7)
    grade = grade_confirmation(TASK, transcript, Outcome(), SPECS["retail"])
    assert grade.passed
    assert grade.evidence[0].turns == (5, 6, 7)
    assert grade.evidence[0].rule == "R3.1"


def test_a_write_before_the_yes_fails_with_rule_and_turn() -> None:
    """F28: the right state, reached before the customer agreed, fails."""
    transcript = dialogue(named("a write before the yes is not confirmed by the later yes"))
    grade = grade_confirmation(TASK, transcript, Outcome(), SPECS["retail"])
    assert not grade.passed
    assert grade.evidence[0].rule == "R3.1"
    assert grade.evidence[0].turns == (4,)


def test_failing_evidence_comes_first() -> None:
    transcript = dialogue(named("one yes does not cover a write outside its proposal"))
    grade = grade_confirmation(TASK, transcript, Outcome(), SPECS["retail"])
    assert not grade.passed
    assert "#W1000789" in grade.evidence[0].text
    assert grade.evidence[1].text.endswith("proposed and agreed to")


def test_a_refused_write_needs_no_yes() -> None:
    call = Call(name="cancel_pending_order", arguments={"order_id": "#W1"}, error="refused")
    transcript = (Turn(who="customer", text="Cancel #W1"), Turn(who="call", call=call))
    grade = grade_confirmation(TASK, transcript, Outcome(), SPECS["retail"])
    assert (grade.passed, grade.checked) == (True, False)
    (verdict,) = confirmed_writes(transcript, SPECS["retail"])
    assert (verdict.needed, verdict.confirmed) == (False, False)


def test_a_transcript_without_writes_is_not_checked() -> None:
    transcript = (Turn(who="customer", text="Hello"), Turn(who="agent", text="Hello"))
    grade = grade_confirmation(TASK, transcript, Outcome(), SPECS["retail"])
    assert (grade.passed, grade.checked, grade.evidence) == (True, False, ())


def test_text_beside_a_call_proposes_nothing() -> None:
    case = named("the answer 'Yes' is a yes")
    moved = [
        Turn(who="call", call=Call(name="think", aside=one.text)) if one.who == "agent" else one
        for one in dialogue(case)
    ]
    assert not confirmed_writes(tuple(moved), SPECS["retail"])[0].confirmed


def test_a_verdict_does_not_depend_on_what_follows() -> None:
    for case in TABLE["cases"]:
        transcript, spec = dialogue(case), SPECS[case["manner"]]
        whole = confirmed_writes(transcript, spec)
        for verdict in whole:
            before = confirmed_writes(transcript[: verdict.turn], spec)
            assert before == whole[: len(before)]


def test_grading_again_is_fast() -> None:
    transcript = dialogue(named("items by their options"))
    confirmed_writes(transcript, SPECS["retail"])
    started = time.perf_counter()
    for _ in range(50):
        confirmed_writes(transcript, SPECS["retail"])
    assert (time.perf_counter() - started) / 50 < 0.005


@pytest.mark.parametrize(
    ("first", "confirmed"),
    [
        ({"address2": ""}, [True, False]),
        ({"city": "Boston"}, [True, False]),  # the order's city as it is
        ({"city": "Chicago"}, [False, True]),
        ({"address2": "Apt 4"}, [True, False]),
    ],
)
def test_a_second_write_to_the_record_is_no_way_to_put_the_first_right(
    first: dict[str, str], confirmed: list[bool]
) -> None:
    """What passes in silence passes once; the same write twice needs a second yes anyway."""
    right = {
        "order_id": "#W1000123",
        "address1": "12 Elm Street",
        "address2": "Apt 4",
        "city": "Denver",
        "state": "CO",
        "country": "USA",
        "zip": "80202",
    }
    proposal = (
        "I will change the shipping address of order #W1000123 to 12 Elm Street, Apt 4, "
        "Denver, CO 80202, USA. Shall I go ahead?"
    )
    rows: list[list[Any]] = [
        ["customer", "Please send #W1000123 to 12 Elm Street, Apt 4, Denver, CO 80202."],
        ["see", "user"],
        ["see", "lamp order"],
        ["agent", proposal],
        ["customer", "Yes"],
        ["call", "modify_pending_order_address", {**right, **first}],
        ["call", "modify_pending_order_address", right],
    ]
    found = confirmed_writes(tuple(turn(row) for row in rows), SPECS["retail"])
    assert [one.confirmed for one in found] == confirmed


def test_steps_that_were_all_proposed_may_go_to_one_record() -> None:
    proposal = (
        "I will change reservation ZFA04Y to business, keep HAT100 on 2024-05-20, and then "
        "change it to economy; both go on your Visa credit_card_1111111. Shall I go ahead?"
    )
    rows: list[list[Any]] = [
        ["customer", "Please make ZFA04Y business, and then economy again."],
        ["see", "user"],
        ["agent", proposal],
        ["customer", "Yes"],
    ]
    flights = [{"flight_number": "HAT100", "date": "2024-05-20"}]
    for cabin in ("business", "economy"):
        arguments = {
            "reservation_id": "ZFA04Y",
            "cabin": cabin,
            "flights": flights,
            "payment_id": "credit_card_1111111",
        }
        rows.append(["call", "update_reservation_flights", arguments])
    found = confirmed_writes(tuple(turn(row) for row in rows), SPECS["airline"])
    assert [one.confirmed for one in found] == [True, True]


@pytest.mark.parametrize(("paid", "confirmed"), [("gift_card_77", True), ("paypal_88", False)])
def test_what_is_only_mentioned_is_described_by_the_words_of_its_id(
    paid: str, confirmed: bool
) -> None:
    order = {
        "order_id": "#W1000123",
        "payments": [
            {"payment_method_id": "gift_card_77", "amount": 60.5},
            {"payment_method_id": "paypal_88", "amount": 3.0},
        ],
    }
    see = Turn(who="call", call=Call(name="see", result=json.dumps(order)))
    proposal = "I would change the payment of order #W1000123 to your gift card. Shall I go ahead?"
    arguments = {"order_id": "#W1000123", "payment_method_id": paid}
    rows: list[list[Any]] = [
        ["agent", proposal],
        ["customer", "Yes"],
        ["call", "modify_pending_order_payment", arguments],
    ]
    (found,) = confirmed_writes((see, *map(turn, rows)), SPECS["retail"])
    assert found.confirmed is confirmed
