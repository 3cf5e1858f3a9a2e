"""The steps of a reference solution, and the frame of a task around them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from tau_env.families.build import TRANSFER, frame, looked_up, merged, money, must_call, word
from tau_env.families.dialogue import AGREEMENT_QUESTIONS, CLOSINGS, Dialogue, dollars
from tau_env.schema import Fact, RowChange, Twist, Want


@dataclass(frozen=True)
class Person:
    id: str = "ada_1"
    first_name: str = "Ada"


def play(talk: Dialogue[Person]) -> None:
    talk.say("Which card?")
    talk.propose("I would do it.")
    talk.write("give", coins=3)
    talk.close("Done.")


def talked() -> Dialogue[Person]:
    return Dialogue(random.Random(3), Person())


def test_proposal_asks_and_report_closes() -> None:
    talk = talked()
    play(talk)
    said, proposal, write, report = talk.steps
    assert said.say == "Which card?"
    assert proposal.say.removeprefix("I would do it. ") in AGREEMENT_QUESTIONS
    assert (write.call, write.arguments, write.after) == ("give", {"coins": 3}, "yes")
    assert report.say.removeprefix("Done. ") in CLOSINGS


def test_part_of_a_dialogue_ends_at_or_begins_with_the_proposal() -> None:
    until, onward = talked(), talked()
    until.until_yes(play)
    onward.from_proposal(play)
    assert [bool(step.call) for step in until.steps] == [False, False]
    assert [bool(step.call) for step in onward.steps] == [False, True, False]


def test_after_a_no_the_proposal_is_made_once_more() -> None:
    talk = talked()
    talk.after_no(play)
    _, first, second, write, _ = talk.steps
    assert first.say in second.say
    assert (second.after, write.after) == ("", "yes")


@pytest.mark.parametrize(("cents", "text"), [(105430, "$1,054.30"), (-5, "$0.05"), (0, "$0.00")])
def test_amount_is_written_with_cents_and_no_sign(cents: int, text: str) -> None:
    assert dollars(cents) == text


def row(op: str, number: int, **fields: int) -> RowChange:
    return RowChange.model_validate(
        {"op": op, "table": "seats", "key": {"n": number}, "fields": fields}
    )


def test_updates_of_one_row_become_one_and_other_rows_stay() -> None:
    rows = [row("update", 1, a=1), row("insert", 2, a=1), row("update", 1, a=2, b=3)]
    assert list(merged(rows)) == [row("insert", 2, a=1), row("update", 1, a=2, b=3)]


def test_required_calls_have_names_of_their_own() -> None:
    one, two = looked_up("get", "record", ["R1", "R2"])
    assert (one.name, two.name) == ("look up R1", "look up R2")
    assert one.any[0].arguments == {"record": "R1"}
    assert must_call("try", "find", refused=True).any[0].refused


def test_refusal_forbids_to_hand_over_unless_told_otherwise() -> None:
    talk = talked()
    talk.close("I'm sorry, I cannot do that.")
    task = frame(
        "refuse",
        talk,
        opening="give",
        wants=[Want(do="give")],
        instruction="You want three coins.",
        facts={"email": Fact(value="ada@x.org")},
        outputs=[word("mood", "sad"), money(-300)],
        twists=[Twist(kind="declines")],
        rules=("R1.1",),
    )
    assert task.path.forbidden == (TRANSFER,)
    assert task.scenario.customer == "ada_1"
    assert task.scenario.twists[0].kind == "declines"
    assert (task.rules, task.goals) == (("R1.1",), ((),))
    assert task.outputs[1].value == 300
