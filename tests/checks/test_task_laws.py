"""Every law of tasks finds the fault that it is for: each is planted in a released task."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tau_env import content
from tau_env.checks import fact_laws, set_laws, task_laws
from tau_env.checks.task_laws import Subject
from tau_env.env import TauEnv
from tau_env.registry import find_domain
from tau_env.schema import Fact, Output, RowChange, Step, Task, Twist

DOMAIN = find_domain("retail")
ENV = TauEnv("retail")
TASKS = content.tasks("retail")
ALL = list(TASKS.values())

Law = Callable[[Any], Iterator[str]]


def reasons(law: Law, task: Task) -> list[str]:
    return list(law(Subject(task=task, domain=DOMAIN, env=ENV, others=TASKS)))


def with_scenario(task: Task, **fields: Any) -> Task:
    return task.model_copy(update={"scenario": task.scenario.model_copy(update=fields)})


def with_arguments(task: Task, tool: str, **arguments: Any) -> Task:
    """The task whose reference calls a tool with other values."""
    steps = [
        step.model_copy(update={"arguments": step.arguments | arguments})
        if step.call == tool
        else step
        for step in task.reference
    ]
    return task.model_copy(update={"reference": tuple(steps)})


def first(family: str, kind: str = "fulfil", **found: Any) -> Task:
    return next(
        task
        for task in ALL
        if task.family == family
        and task.kind == kind
        and not task.scenario.twists
        and all(getattr(task, name) == value for name, value in found.items())
    )


CANCEL = first("cancel_pending")
CHANGE = first("item_change")
REFUSED = first("cancel_pending", "refuse")


def update(table: str, key: dict[str, Any], **fields: Any) -> RowChange:
    return RowChange(op="update", table=table, key=key, fields=fields)


def order_of(task: Task) -> str:
    return str(task.scenario.wants[0].slots["order_id"])


# F01, F03: references that break a rule.


def test_f01_reference_that_breaks_a_rule_is_named_with_the_rule() -> None:
    """F01: the reference cancels what no rule lets it cancel."""
    forbidden = update("orders", {"order_id": order_of(CANCEL)}, status="processed")
    broken = CANCEL.model_copy(update={"setup": (forbidden,)})
    assert reasons(task_laws.reference_obeys, CANCEL) == []
    assert any("breaks R4.1" in one for one in reasons(task_laws.reference_obeys, broken))


def test_f03_hand_over_without_a_look_at_the_order_breaks_a_rule() -> None:
    task = first("hand_over", "transfer")
    steps = tuple(step for step in task.reference if step.call != "get_order_details")
    blind = task.model_copy(update={"reference": steps})
    assert reasons(task_laws.reference_obeys, task) == []
    assert any("breaks R7.4" in one for one in reasons(task_laws.reference_obeys, blind))


# F02, F12: the clock.


def test_f02_f12_call_about_a_day_before_the_clock_is_found() -> None:
    task = with_arguments(CANCEL, "cancel_pending_order", date="2025-03-13")
    assert reasons(fact_laws.dates_lie_ahead, CANCEL) == []
    assert reasons(fact_laws.dates_lie_ahead, task) == [
        "cancel_pending_order is about 2025-03-13, and it is 2025-03-14"
    ]


def test_birthday_is_no_day_that_a_call_is_about() -> None:
    arguments = {"people": [{"dob": "1990-04-05", "date": "2025-03-13"}]}
    assert list(fact_laws._dates_in(arguments, {"dob"})) == ["2025-03-13"]


# F05, F06, F07, F08: literals.


def test_f05_identity_that_no_record_has_is_found() -> None:
    facts = CANCEL.scenario.facts | {"email": Fact(value="nobody@example.com")}
    task = with_scenario(CANCEL, facts=facts)
    assert reasons(fact_laws.identity_is_true, CANCEL) == []
    assert "nobody@example.com" in reasons(fact_laws.identity_is_true, task)[0]
    tagged = task.model_copy(update={"tags": (fact_laws.UNKNOWN,)})
    assert reasons(fact_laws.identity_is_true, tagged) == []
    true = CANCEL.model_copy(update={"tags": (fact_laws.UNKNOWN,)})
    assert "all that the customer says is true" in reasons(fact_laws.identity_is_true, true)[0]


def test_f05_unknown_order_is_found() -> None:
    slots = CANCEL.scenario.wants[0].slots | {"order_id": "#W9999999"}
    want = CANCEL.scenario.wants[0].model_copy(update={"slots": slots})
    found = reasons(task_laws.literals_exist, with_scenario(CANCEL, wants=(want,)))
    assert found == ["order_id #W9999999 does not exist"]


@pytest.mark.parametrize("planted", ["#W1000999", "other@example.com", "$12.34"])
def test_f06_instruction_that_says_something_else_is_found(planted: str) -> None:
    words = f"{CANCEL.scenario.instruction} And {planted}."
    task = with_scenario(CANCEL, instruction=words)
    assert reasons(fact_laws.plain_words_agree, CANCEL) == []
    assert any(planted in one for one in reasons(fact_laws.plain_words_agree, task))


def test_f07_f08_reference_step_that_is_refused_is_found() -> None:
    task = with_arguments(CANCEL, "cancel_pending_order", order_id="#W9999999")
    assert any("not found" in one for one in reasons(task_laws.reference_is_short, task))
    assert reasons(task_laws.reference_passes, task)


def test_f08_goal_row_that_is_not_there_is_found() -> None:
    goal = (update("orders", {"order_id": "#W9999999"}, status="cancelled"),)
    task = CANCEL.model_copy(update={"goals": (goal,)})
    assert "the row is not there" in reasons(task_laws.goal_fits_the_world, task)[0]


# F09, F10: payments and items.


def test_f09_payment_that_is_not_covered_is_found_and_silence_does_not_pass() -> None:
    task = first("gift_card_limit", rules=("R5.6", "R3.5"))
    card = next(
        step.arguments["payment_method_id"]
        for step in task.reference
        if "payment_method_id" in step.arguments
    )
    poor = update("payment_methods", {"payment_method_id": card}, balance_cents=1)
    broken = task.model_copy(update={"setup": (poor,)})
    assert any("breaks R5.6" in one for one in reasons(task_laws.reference_obeys, broken))
    assert reasons(task_laws.reference_is_short, broken)
    assert reasons(task_laws.silence_fails, broken) == []


@pytest.mark.parametrize(("family", "rule"), [("item_change", "R5.3"), ("exchange_items", "R6.3")])
def test_f10_unavailable_item_names_exactly_the_tasks_that_use_it(family: str, rule: str) -> None:
    some = [one for one in ALL if one.family == family and one.kind == "fulfil"]
    new = next(
        step.arguments["new_item_ids"][0]
        for step in some[0].reference
        if "new_item_ids" in step.arguments
    )
    gone = update("variants", {"item_id": new}, available=0)
    for task in some:
        uses = any(new in step.arguments.get("new_item_ids", ()) for step in task.reference)
        found = reasons(task_laws.reference_obeys, task.model_copy(update={"setup": (gone,)}))
        assert any(f"breaks {rule}" in one for one in found) == uses


# F11, F14: amounts.


def test_f11_f14_amount_that_does_not_add_up_is_found() -> None:
    wrong = Output(kind="money", value=int(CHANGE.outputs[0].value) + 1)
    task = CHANGE.model_copy(update={"outputs": (wrong,)})
    assert reasons(fact_laws.amounts_add_up, CHANGE) == []
    assert "stands in no result" in reasons(fact_laws.amounts_add_up, task)[0]


# F16, F17: what the customer does when refused; the card.


def test_f17_task_without_card_is_found() -> None:
    assert reasons(task_laws.has_a_card, CANCEL) == []
    assert reasons(task_laws.has_a_card, CANCEL.model_copy(update={"rules": ("R9.9",)}))
    assert reasons(task_laws.has_a_card, with_scenario(CANCEL, instruction=" "))


def test_f18_reference_that_misses_its_goal_is_found() -> None:
    steps = tuple(step for step in CANCEL.reference if step.call != "cancel_pending_order")
    found = reasons(task_laws.reference_passes, CANCEL.model_copy(update={"reference": steps}))
    assert "style plain, seed 0" in found[0]


# Twins, phrases, secrets.


def test_refusal_without_twin_is_found() -> None:
    alone = REFUSED.model_copy(update={"twin": None})
    assert reasons(task_laws.refusal_has_a_twin, REFUSED) == []
    assert reasons(task_laws.refusal_has_a_twin, alone) == ["there is none"]
    mutual = REFUSED.model_copy(update={"twin": REFUSED.id})
    assert reasons(task_laws.refusal_has_a_twin, mutual) == ["there is none"]


def test_twin_that_opens_otherwise_is_found() -> None:
    other = with_scenario(REFUSED, opening="change_payment")
    assert reasons(task_laws.twin_is_a_twin, REFUSED) == []
    assert "does not open as its twin" in reasons(task_laws.twin_is_a_twin, other)[0]


def test_phrase_that_is_missing_is_found() -> None:
    task = with_scenario(CANCEL, opening="no_such_phrase")
    assert reasons(task_laws.phrases_exist, task) == ["the lexicon has no phrase 'no_such_phrase'"]


def test_refusal_that_tells_nothing_is_found() -> None:
    mute = REFUSED.model_copy(update={"outputs": ()})
    assert reasons(task_laws.refusal_tells_why, REFUSED) == []
    assert reasons(task_laws.refusal_tells_why, mute) == ["nothing has to be told"]


def test_f59_opening_that_tells_a_secret_is_found() -> None:
    facts = CANCEL.scenario.facts | {"zip": Fact(value=order_of(CANCEL).lstrip("#"))}
    assert reasons(task_laws.opening_keeps_secrets, CANCEL) == []
    spoken = with_scenario(CANCEL, facts=facts)
    assert reasons(task_laws.opening_keeps_secrets, spoken) == ["the opening tells zip"]


# Laws of a set.


def of_set(law: Law, tasks: list[Task]) -> list[str]:
    return list(law(set_laws.TaskSet(DOMAIN, tasks)))


def test_f04_facts_that_decide_both_ways_are_found() -> None:
    """F04: one task cancels an order with a status for which another one refuses it."""
    assert of_set(set_laws.facts_decide_alike, ALL) == []
    status = str(REFUSED.outputs[0].value)
    now = update("orders", {"order_id": order_of(CANCEL)}, status=status)
    unlike = CANCEL.model_copy(update={"setup": (now,)})
    found = of_set(set_laws.facts_decide_alike, [unlike, REFUSED])
    assert found == [f"cancel, status, {status}: allowed in {CANCEL.id}, refused in {REFUSED.id}"]


def test_f04_dropped_want_decides_nothing() -> None:
    twists = (Twist(kind="changes_mind"),)
    dropped = with_scenario(REFUSED, twists=twists)
    assert len(list(set_laws.decisions(REFUSED, DOMAIN))) == 1
    assert list(set_laws.decisions(dropped, DOMAIN)) == []


def test_f04_other_reason_or_another_told_fact_is_another_case() -> None:
    (refused,) = set_laws.decisions(REFUSED, DOMAIN)
    status = ("status", str(REFUSED.outputs[0].value))
    allowed = set_laws.Decision("other", refused.do, True, frozenset({status}), refused.said)
    assert allowed.is_denied_by(refused)
    assert not replace(allowed, said={**refused.said, "reason": "x"}).is_denied_by(refused)
    assert not replace(allowed, facts=frozenset({("status", "x")})).is_denied_by(refused)
    more = replace(refused, facts=frozenset({status, ("day", "2025-01-01")}))
    assert not allowed.is_denied_by(more)


def test_family_without_variety_is_found() -> None:
    few = [one for one in ALL if one.family == "hand_over" and one.kind == "transfer"]
    found = of_set(set_laws.families_vary, few)
    assert found == ["hand_over has 1", "the domain has 1"]


def test_identity_tool_makes_no_signature() -> None:
    steps = CANCEL.reference
    other = CANCEL.model_copy(
        update={
            "reference": tuple(
                Step(call="find_user_id_by_email", arguments={"email": "x@example.com"})
                if step.call.startswith("find_")
                else step
                for step in steps
            )
        }
    )
    assert set_laws.signature(other, DOMAIN) == set_laws.signature(CANCEL, DOMAIN)


def test_family_of_one_split_is_found() -> None:
    train = [one for one in ALL if one.family == "fallback" and one.split == "train"]
    assert of_set(set_laws.splits_are_stratified, train) == [
        f"fallback: {len(train)} train, 0 test"
    ]


def test_customer_in_both_splits_is_found() -> None:
    other = CANCEL.model_copy(
        update={"id": "retail-other-001", "split": {"train": "test", "test": "train"}[CANCEL.split]}
    )
    found = of_set(set_laws.splits_are_disjoint, [CANCEL, other])
    assert any(CANCEL.scenario.customer in one for one in found)
    assert any(order_of(CANCEL) in one for one in found)


def test_release_has_the_variety_that_check_prints() -> None:
    found = set_laws.variety(DOMAIN, ALL)
    assert (found.families, found.fewest >= 4, found.signatures >= 60) == (20, True, True)
    assert len(ALL) >= 160


def test_required_search_in_vain_counts_only_when_it_finds_nobody() -> None:
    """A customer who cannot be found was looked for in both ways."""
    task = first("unverified", "refuse")
    assert reasons(task_laws.reference_passes, task) == []
    for tool in DOMAIN.identity:
        steps = tuple(step for step in task.reference if step.call != tool)
        found = reasons(task_laws.reference_passes, task.model_copy(update={"reference": steps}))
        assert f"path: required step 'try {tool}' never happened" in found[0]
    known = DOMAIN.open()
    email = known.rows("SELECT email FROM customers ORDER BY 1")[0]["email"]
    known.close()
    other = with_arguments(task, "find_user_id_by_email", email=email)
    assert "never happened" in reasons(task_laws.reference_passes, other)[0]
