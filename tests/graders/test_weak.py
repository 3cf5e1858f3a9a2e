"""Weak graders: each lets through what it is known to let through, and nothing less."""

import pytest
from scene import Scene

from tau_env.graders.state import grade_world
from tau_env.graders.weak import (
    grade_caller_report,
    grade_claim,
    grade_completion,
    grade_goal_fields,
    grade_tool_results,
)
from tau_env.registry import find_domain
from tau_env.schema import Turn

COMPANY = find_domain("retail").open()
ORDERS = [
    row["order_id"]
    for row in COMPANY.rows("SELECT order_id FROM orders WHERE status = 'pending' LIMIT 2")
]
CLAIM = "Your order has been cancelled."


def cancelled(*orders):
    scene = Scene("c").hears("Please cancel it.")
    for order in orders:
        made = scene.calls("cancel_pending_order", order_id=order, reason="no longer needed")
        assert made.error is None
    return scene


def named(patch):
    """A goal of an outcome: the keys that a counter made are names."""
    return tuple(
        change.model_copy(update={"key": {"payment_id": "$refund"}})
        if change.table == "payments"
        else change
        for change in patch
    )


GOAL = named(cancelled(ORDERS[0]).world.outcome())


def judge(grader, scene, goal=GOAL):
    spec = scene.domain.spec
    return grader(scene.task(goals=(goal,)), scene.transcript, scene.outcome, spec)


@pytest.mark.parametrize(
    ("orders", "says", "verdicts"),
    [
        (ORDERS[:1], CLAIM, (True, True, True)),
        ([], "I cannot do that.", (False, False, False)),
        ([], CLAIM, (True, False, False)),
        (ORDERS, CLAIM, (True, True, False)),
        (ORDERS[1:], CLAIM, (True, False, False)),
        (ORDERS[:1], "Goodbye.", (False, True, True)),
    ],
)
def test_claim_and_goal_fields_let_through_what_state_stops(orders, says, verdicts):
    scene = cancelled(*orders).says(says)
    graders = (grade_claim, grade_goal_fields, grade_world)
    assert tuple(judge(grader, scene).passed for grader in graders) == verdicts


def test_claim_names_the_turn_of_the_claim():
    scene = cancelled().says("One moment.").says(CLAIM)
    assert judge(grade_claim, scene).evidence[0].turns == (3,)


def test_goal_fields_with_no_goal_says_that_nothing_was_checked():
    found = judge(grade_goal_fields, cancelled(ORDERS[0]), ())
    assert (found.passed, found.checked) == (True, False)


def test_completion_proxies_are_nested():
    """The share accepted never rises along the chain."""
    chains = []
    for orders, failed, end in (
        (ORDERS[:1], False, "customer_ended"),
        (ORDERS[:1], True, "agent_ended"),
        ([], False, "customer_ended"),
        (ORDERS[:1], False, "max_steps"),
        ([], True, "max_steps"),
    ):
        scene = cancelled(*orders)
        scene.end_reason = end
        if failed:
            assert scene.calls("get_order_details", order_id="#W0").error
        grade = judge(grade_completion, scene)
        chain = [grade.scores[one] for one in ("clean_end", "with_write", "no_final_error")]
        assert chain == sorted(chain, reverse=True)
        assert grade.passed == bool(chain[-1])
        chains.append(chain)
    assert chains == [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_caller_report_wants_a_claim_and_a_customer_who_left():
    scene = cancelled().says(CLAIM)
    assert judge(grade_caller_report, scene).passed
    scene.end_reason = "agent_ended"
    assert not judge(grade_caller_report, scene).passed
    assert not judge(grade_caller_report, cancelled().says("Hello.")).passed


def test_tool_results_believe_a_tool_that_lies():
    """Seeds: a tool that lies about its effect is caught by state grading only."""
    honest = cancelled(ORDERS[0])
    assert judge(grade_tool_results, honest).passed
    liar = cancelled()
    call = honest.turns[-1].call.model_copy(update={"changes": ()})
    liar.turns.append(Turn(who="call", call=call))
    assert judge(grade_tool_results, liar).passed
    assert not judge(grade_world, liar).passed
    assert not judge(grade_tool_results, cancelled()).passed


def test_tool_results_see_no_side_effect_and_no_read():
    assert judge(grade_tool_results, cancelled(*ORDERS)).passed
    looking = cancelled()
    looking.calls("get_order_details", order_id=ORDERS[0])
    assert not judge(grade_tool_results, looking).passed
