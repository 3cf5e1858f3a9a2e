"""Twists happen exactly once: at their trigger, else before the customer leaves (F51, F53)."""

from __future__ import annotations

import pytest
from users import stage

from tau_env.schema import Task, Twist, Want
from tau_env.users.wording import STYLES

TASK = stage.of_family("cancel_pending")[0]
ADDRESS = stage.of_family("shipping_address")[0]
ADDED = Want(do="cancel", slots={"order_id": stage.SECOND, "reason": "no longer needed"})
NEW_STREET = "77 Poplar Lane"
CLOSED = ("Case closed, goodbye!", "Anything else?", "Goodbye!", "Have a nice day.", "Bye.")


def _twisted(task: Task, twist: Twist) -> Task:
    return stage.with_scenario(task, twists=(twist,))


def _proposal(task: Task) -> str:
    known = stage.fields(task)
    if "address" in known:
        return f"I would change the address of order {known['order_id']} to {known['address']}. OK?"
    return f"I would cancel order {known['order_id']}, reason '{known['reason']}'. OK?"


def _done(task: Task) -> str:
    order = stage.fields(task)["order_id"]
    if "address1" in stage.fields(task):
        return f"The address of order {order} has been changed. Anything else?"
    return f"Order {order} has been cancelled. Anything else?"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", range(4))
def test_declines_says_no_once_and_then_yes(style: str, seed: int) -> None:
    task = _twisted(TASK, Twist(kind="declines"))
    says = [_proposal(task), _proposal(task), _done(task)]
    lines = stage.play(task, says, seed=seed, style=style)
    assert [stage.kind(line.text) for line in lines[1:3]] == ["no", "yes"]
    assert [line.ends for line in lines] == [False, False, False, True]


@pytest.mark.parametrize("style", STYLES)
def test_changes_mind_drops_the_want_for_good(style: str) -> None:
    task = _twisted(TASK, Twist(kind="changes_mind"))
    user, _ = stage.start(task, style=style)
    assert stage.kind(user.reply(_proposal(task)).text) == "no"
    assert stage.kind(user.reply(_proposal(task)).text) == "no"
    assert user.agenda.items[0].state == "dropped"
    assert user.reply("All right, I left it as it is. Anything else?").ends


@pytest.mark.parametrize("style", STYLES)
def test_corrects_names_the_new_value_once_and_holds_to_it(style: str) -> None:
    task = _twisted(ADDRESS, Twist(kind="corrects", slots={"address1": NEW_STREET}))
    old = stage.fields(task)["address1"]
    user, _ = stage.start(task, style=style)
    first = user.reply(_proposal(task)).text
    assert stage.kind(first) == "no"
    assert NEW_STREET in first
    again = user.reply(_proposal(task)).text
    assert stage.kind(again) == "no", "the old value is wrong now"
    right = user.reply(_proposal(task).replace(old, NEW_STREET)).text
    assert stage.kind(right) == "yes"
    assert user.reply(_done(task)).ends


@pytest.mark.parametrize("style", STYLES)
def test_adds_raises_its_want_once_the_first_is_settled(style: str) -> None:
    task = _twisted(TASK, Twist(kind="adds", added=ADDED))
    lines = stage.play(task, [_proposal(task), _done(task)], style=style)
    assert stage.SECOND not in lines[1].text
    assert stage.SECOND in lines[2].text
    assert not lines[2].ends


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("task", "twist", "mark"),
    [
        (TASK, Twist(kind="declines"), "agreed"),
        (TASK, Twist(kind="changes_mind"), "please leave it"),
        (ADDRESS, Twist(kind="corrects", slots={"address1": NEW_STREET}), NEW_STREET),
        (TASK, Twist(kind="adds", added=ADDED), stage.SECOND),
    ],
)
def test_f53_twist_without_a_trigger_is_played_before_the_customer_leaves(
    task: Task, twist: Twist, mark: str, style: str
) -> None:
    task = _twisted(task, twist)
    for says in ([_done(task), *CLOSED * 4], [""] * 20, ["I cannot do that."] * 20):
        lines = [line.text.lower() for line in stage.play(task, says, style=style)]
        played = [number for number, line in enumerate(lines) if mark.lower() in line]
        assert len(lines) <= len(says), "it leaves"
        assert played, lines
        assert played[-1] < len(lines) - 1, "not in the line with which it leaves"
        assert len(played) == 1 or twist.kind in ("corrects", "adds"), "said again as a request"


@pytest.mark.parametrize("seed", range(6))
def test_f51_checks_do_not_meet_the_trigger(seed: int) -> None:
    known = stage.fields(ADDRESS)
    checks = {
        "identity": f"Your e-mail is {known['email']}, is that right?",
        "address": f"And the new address is {known['address']}, correct?",
    }
    task = _twisted(ADDRESS, Twist(kind="corrects", slots={"address1": NEW_STREET}))
    for order in (("identity", "address"), ("address", "identity"), ("identity",)):
        user, _ = stage.start(task, seed=seed)
        for check in order:
            line = user.reply(checks[check]).text
            assert NEW_STREET not in line
            assert user.agenda.items[0].state == "open"
        assert NEW_STREET in user.reply(_proposal(task)).text
        right = _proposal(task).replace(known["address1"], NEW_STREET)
        assert stage.kind(user.reply(right).text) == "yes"
        assert user.agenda.items[0].state == "agreed"


def test_released_twists_happen_once_in_every_reference() -> None:
    twisted = [task for task in stage.tasks() if task.scenario.twists]
    assert twisted
    for task in twisted:
        for style in STYLES:
            lines = stage.play(task, stage.reference_says(task), style=style)
            for twist in task.scenario.twists:
                for value in twist.slots.values():
                    first = next(n for n, line in enumerate(lines) if value in line.text)
                    assert stage.kind(lines[first].text) == "no"
                if twist.kind == "declines":
                    assert [stage.kind(line.text) for line in lines].count("no") == 1
