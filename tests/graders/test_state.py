"""The state grader against alternatives, in the real world; the plain function's edges."""

import pytest
from scene import Scene

from tau_env.errors import BadArgument
from tau_env.graders import grade_state, write_gate
from tau_env.graders.state import grade_world
from tau_env.registry import find_domain
from tau_env.schema import RowChange

COMPANY = find_domain("retail").open()
PENDING = COMPANY.rows(
    "SELECT order_id, user_id FROM orders WHERE status = 'pending' ORDER BY order_id LIMIT 3"
)
ORDER, OWNER = PENDING[0]["order_id"], PENDING[0]["user_id"]
TWO_ITEMS = COMPANY.row(
    "SELECT o.order_id, o.user_id, min(i.item_id) AS one, max(i.item_id) AS two FROM orders o"
    " JOIN order_items i USING (order_id) JOIN variants v USING (item_id)"
    " WHERE o.status = 'delivered' AND i.quantity = 1 GROUP BY o.order_id"
    " HAVING count(*) = 2 AND count(DISTINCT v.product_id) = 2 ORDER BY o.order_id LIMIT 1"
)


def cancel(scene, order_id, reason="no longer needed"):
    made = scene.calls("cancel_pending_order", order_id=order_id, reason=reason)
    assert made.error is None
    return scene


def state(scene, *goals, **fields):
    task = scene.task(goals=goals, **fields)
    return grade_world(task, scene.transcript, scene.outcome, scene.domain.spec)


def test_outcome_of_the_wanted_calls_passes_and_nothing_fails():
    done = cancel(Scene(OWNER), ORDER)
    goal = done.world.outcome()
    assert state(done, goal).passed
    idle = state(Scene(OWNER), goal)
    assert not idle.passed
    assert idle.scores["missing_effect"] > 0
    assert idle.scores["extra_effect"] == idle.scores["wrong_value"] == 0


def test_claiming_changes_nothing():
    """F27: what is said is no state."""
    goal = cancel(Scene(OWNER), ORDER).world.outcome()
    assert not state(Scene(OWNER).says("Your order has been cancelled, all done."), goal).passed


def test_one_more_write_on_another_record_is_extra():
    goal = cancel(Scene(OWNER), ORDER).world.outcome()
    scene = cancel(cancel(Scene(OWNER), ORDER), PENDING[1]["order_id"])
    grade = state(scene, goal)
    assert not grade.passed
    assert grade.scores["extra_effect"] > 0
    assert any(PENDING[1]["order_id"] in one.text for one in grade.evidence)


def test_another_enum_value_is_wrong_and_shown_with_both_values():
    """F42, F43: the report names the column, the old and the new value."""
    goal = cancel(Scene(OWNER), ORDER).world.outcome()
    grade = state(cancel(Scene(OWNER), ORDER, "ordered by mistake"), goal)
    assert [one.text for one in grade.evidence] == [
        f"wrong: orders {ORDER} cancel_reason is 'ordered by mistake', should be 'no longer needed'"
    ]


def test_evidence_is_against_the_nearest_alternative():
    goals = [cancel(Scene(OWNER), one["order_id"]).world.outcome() for one in PENDING[:2]]
    for order in PENDING[:2]:
        assert state(cancel(Scene(OWNER), order["order_id"]), *goals).passed
    near = state(cancel(Scene(OWNER), PENDING[1]["order_id"], "ordered by mistake"), *goals)
    assert len(near.evidence) == 1
    assert PENDING[1]["order_id"] in near.evidence[0].text


def test_free_column_of_the_task_is_not_compared():
    goal = cancel(Scene(OWNER), ORDER).world.outcome()
    less = tuple(
        change.model_copy(
            update={"fields": {k: v for k, v in change.fields.items() if k != "cancel_reason"}}
        )
        for change in goal
    )
    scene = cancel(Scene(OWNER), ORDER, "ordered by mistake")
    assert state(scene, less, free=("orders.cancel_reason",)).passed
    assert not state(scene, less).passed


def exchange(items, new_items):
    scene = Scene(TWO_ITEMS["user_id"])
    method = scene.world.row(
        "SELECT payment_method_id FROM payment_methods WHERE user_id = ? AND"
        " coalesce(balance_cents, 1000000) > 100000",
        TWO_ITEMS["user_id"],
    )
    made = scene.calls(
        "exchange_delivered_order_items",
        order_id=TWO_ITEMS["order_id"],
        item_ids=items,
        new_item_ids=new_items,
        payment_method_id=method["payment_method_id"],
    )
    return scene, made


def test_item_pairs_in_another_order_are_the_same_state():
    """F39: the pairs count, not their order; crossed pairs are refused."""
    pair = [TWO_ITEMS["one"], TWO_ITEMS["two"]]
    other = [
        COMPANY.row(
            "SELECT item_id FROM variants WHERE available = 1 AND item_id <> ?1 AND product_id ="
            " (SELECT product_id FROM variants WHERE item_id = ?1) ORDER BY item_id LIMIT 1",
            item,
        )["item_id"]
        for item in pair
    ]
    straight, made = exchange(pair, other)
    assert made.error is None
    turned, made = exchange(pair[::-1], other[::-1])
    assert made.error is None
    assert state(turned, straight.world.outcome()).passed
    crossed, made = exchange(pair, other[::-1])
    assert made.error == "refused"
    assert not state(crossed, straight.world.outcome()).passed


def test_made_keys_of_two_independent_writes_may_come_in_any_order():
    """Payments get their numbers from a counter; who was refunded first does not matter."""
    one, two = (order["order_id"] for order in PENDING[:2])
    forth = cancel(cancel(Scene(OWNER), one), two)
    back = cancel(cancel(Scene(OWNER), two), one)
    goal = forth.world.outcome()
    names = {
        change.key["payment_id"]: f"${at}"
        for at, change in enumerate(goal)
        if change.table == "payments" and change.op == "insert"
    }
    assert len(names) >= 2
    named = tuple(
        change.model_copy(update={"key": {"payment_id": names[change.key["payment_id"]]}})
        if change.table == "payments"
        else change
        for change in goal
    )
    assert state(back, named).passed
    assert state(forth, named).passed


def test_gate_and_grader_agree():
    goal = cancel(Scene(OWNER), ORDER).world.outcome()
    for reason in ("no longer needed", "ordered by mistake"):
        scene = cancel(Scene(OWNER), ORDER, reason)
        gate = write_gate(scene.world.outcome(), [goal], spec=scene.domain.spec)
        assert gate == state(scene, goal).passed
    assert write_gate((), [()])
    assert not write_gate((), [])
    update = RowChange(op="update", table="t", key={"id": 1}, fields={"x": 1, "said": "a"})
    loose = update.model_copy(update={"fields": {"x": 1, "said": "b"}})
    assert not write_gate((update,), [(loose,)])
    assert write_gate((update,), [(loose,)], free=["t.said"])


# The plain function.

BEFORE = {"W1": {"status": "pending", "refund": 0}, "W2": {"status": "pending", "refund": 0}}


@pytest.mark.parametrize(
    ("goal", "final", "passes"),
    [
        ({}, BEFORE, True),
        ({"W1": {"refund": 0}}, BEFORE, True),
        ({"W1": {"refund": 0}}, {**BEFORE, "W1": {"status": "pending", "refund": 0.0}}, False),
        ({"W1": {"refund": 0}}, {**BEFORE, "W1": {"status": "pending", "refund": False}}, False),
        ({"W3": {"status": "new"}}, {**BEFORE, "W3": {"status": "new"}}, True),
        ({"W3": {"status": "new"}}, BEFORE, False),
        ({"W3": {}}, BEFORE, False),
        ({"W2": None}, {"W1": BEFORE["W1"]}, True),
        ({"W2": None}, BEFORE, False),
        ({"W9": None}, BEFORE, True),
        ({"W1": {"note": "(gone)"}}, BEFORE, False),
        ({}, {}, False),
    ],
)
def test_final_is_initial_overlaid_with_the_goal(goal, final, passes):
    assert grade_state(BEFORE, final, goal) is passes


def test_nan_that_stays_is_no_change():
    start = {"W1": {"x": float("nan")}}
    assert grade_state(start, {"W1": {"x": float("nan")}}, {})
    assert not grade_state(start, {"W1": {"x": 0.0}}, {})


def test_goal_field_that_is_ignored_is_a_mistake():
    with pytest.raises(BadArgument, match=r"W1\.refund is also ignored"):
        grade_state(BEFORE, BEFORE, {"W1": {"refund": 1}}, ["refund"])


@pytest.mark.parametrize(
    ("output", "message", "occurs"),
    [
        ("10", "You have 10 items.", True),
        ("10", "It is 10.", True),
        ("10", "10, as I said", True),
        ("10", "W1:10", True),
        ("10", "100", False),
        ("10", "10.5", False),
        ("10", "$10.00", False),
        ("10", "1,10", False),
        ("10", "3.10", False),
        ("10", "HAT10", False),
        ("54.04", "it is $54.04!", True),
        ("54.04", "154.04", False),
        ("W1", "#W1", True),
        ("W1", "W12", False),
        (54.04, "54.04", True),
    ],
)
def test_required_output_occurs_with_its_own_boundaries(output, message, occurs):
    assert grade_state(BEFORE, BEFORE, {}, (), [output], ["Hello.", message]) is occurs
