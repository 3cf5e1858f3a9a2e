"""Twists of the retail tasks decide; refusals have a line; no route around a status is open."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tau_env import content
from tau_env.agents.edits import Rigid
from tau_env.agents.script import Reference
from tau_env.checks.set_laws import check_task_set
from tau_env.checks.task_laws import check_tasks
from tau_env.domains.retail import DOMAIN
from tau_env.domains.retail.policy import WRITES
from tau_env.env import TauEnv
from tau_env.family import families, generate
from tau_env.harness.baselines import fresh_tasks
from tau_env.schema import Step, Task
from tau_env.trial import run_trial
from tau_env.users.scripted import ScriptedUser
from tau_env.world.company import Company
from tau_env.world.database import World

TASKS = content.tasks("retail")
ENV = TauEnv("retail")


@pytest.fixture(scope="module")
def plain() -> dict[str, Task]:
    """The same situations without twists, by id."""
    company = Company(DOMAIN)
    made = [generate(DOMAIN, name, twists=False, company=company) for name in families("retail")]
    return {task.id: task for one in made for task in one.tasks}


def test_situation_is_the_same_without_its_twist(plain: dict[str, Task]) -> None:
    assert plain.keys() == TASKS.keys()
    for name, task in TASKS.items():
        without = plain[name].scenario
        assert without.twists == ()
        assert without.customer == task.scenario.customer
        assert without.opening == task.scenario.opening
        assert without.wants[0] == task.scenario.wants[0]
        if not task.scenario.twists:
            fields = {"family": task.family}
            assert plain[name].model_copy(update=fields) == task


def test_rigid_agent_passes_without_twists_and_fails_with_most(plain: dict[str, Task]) -> None:
    """F60: who plays the straight conversation meets a customer who changes it."""
    twisted = [task for task in TASKS.values() if task.scenario.twists]
    assert len(twisted) >= 20
    env = TauEnv("retail", tasks=plain.values())
    failed = 0
    for task in twisted:
        without = plain[task.id]
        assert run_trial(env, Rigid(without, without), without, seed=3).passed
        failed += not run_trial(ENV, Rigid(task, without), task, seed=3).passed
    env.close()
    assert failed >= len(twisted) / 2


def test_every_kind_of_twist_is_there() -> None:
    kinds = Counter(one.kind for task in TASKS.values() for one in task.scenario.twists)
    assert set(kinds) == {"declines", "changes_mind", "corrects", "adds"}


TWO = [
    task
    for task in TASKS.values()
    if task.family in ("several_orders", "several_requests", "profile_address")
    and len(task.scenario.wants) > 1
]


@pytest.mark.parametrize("task", TWO, ids=lambda task: task.id)
def test_refusal_of_the_first_request_brings_the_next(task: Task) -> None:
    """F16, F45: the customer has a line for it, and does not leave."""
    for seed in range(4):
        user = ScriptedUser()
        user.reset(task.scenario, DOMAIN.lexicon, seed)
        reply = user.reply("I'm sorry, but I cannot do that for you.")
        if task.scenario.if_refused == "insist":
            reply = user.reply("I'm sorry, but I really cannot do that for you.")
        assert not reply.ends
        assert user.agenda.items[0].state == "refused"
        assert user.agenda.items[1].raised


# Routes that change first what a rule looks at (F21).


def calls_on(world: World, order_id: str) -> dict[str, dict[str, Any]]:
    """A call of every tool that writes to an order, as right as its items and methods allow."""
    order = world.rows("SELECT * FROM orders WHERE order_id = ?", order_id)[0]
    item = world.rows("SELECT * FROM order_items WHERE order_id = ? ORDER BY 2", order_id)[0]
    others = world.rows(
        "SELECT item_id FROM variants WHERE available AND item_id <> ? AND product_id ="
        " (SELECT product_id FROM variants WHERE item_id = ?) ORDER BY 1",
        item["item_id"],
        item["item_id"],
    )
    paid = world.rows("SELECT * FROM payments WHERE order_id = ? ORDER BY 1", order_id)
    methods = world.rows(
        "SELECT * FROM payment_methods WHERE user_id = ? AND source <> 'gift_card' ORDER BY 1",
        order["user_id"],
    )
    new = [one for one in methods if one["payment_method_id"] != paid[-1]["payment_method_id"]]
    payer = paid[0]["payment_method_id"]
    swap = {"item_ids": [item["item_id"]], "new_item_ids": [others[0]["item_id"]]}
    address = {key: order[key] for key in ("address2", "city", "state", "country", "zip")}
    return {
        "cancel_pending_order": {"reason": "no longer needed"},
        "modify_pending_order_address": {"address1": "1 Depot Way", **address},
        "modify_pending_order_items": {**swap, "payment_method_id": payer},
        "modify_pending_order_payment": {
            "payment_method_id": (new or methods or paid)[0]["payment_method_id"]
        },
        "return_delivered_order_items": {
            "item_ids": swap["item_ids"],
            "payment_method_id": payer,
        },
        "exchange_delivered_order_items": {**swap, "payment_method_id": payer},
    }


OPEN = {
    "modify_pending_order_address": {
        "cancel_pending_order",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
    },
    "modify_pending_order_payment": {
        "cancel_pending_order",
        "modify_pending_order_address",
        "modify_pending_order_items",
    },
    "modify_pending_order_items": {"modify_pending_order_address"},
    "cancel_pending_order": set(),
    "return_delivered_order_items": set(),
    "exchange_delivered_order_items": set(),
}
"""What an order allows after each write: all that is intended, so every other route is closed."""


def last_write(task: Task) -> Step | None:
    """The only write of a task, if it concerns an order."""
    writes = [step for step in task.reference if step.call in WRITES]
    return writes[0] if len(writes) == 1 and "order_id" in writes[0].arguments else None


@pytest.mark.parametrize("tool", OPEN)
def test_f21_no_write_opens_a_route_that_the_policy_does_not_list(tool: str) -> None:
    opened: set[str] = set()
    for task in TASKS.values():
        step = last_write(task)
        if step is None or step.call != tool or task.setup:
            continue
        for second in OPEN:
            world = DOMAIN.open()
            world.begin(())
            assert DOMAIN.toolbox.call(world, tool, step.arguments).error is None
            order_id = str(step.arguments["order_id"])
            arguments = {"order_id": order_id, **calls_on(world, order_id)[second]}
            if DOMAIN.toolbox.call(world, second, arguments).error is None:
                opened.add(second)
            world.close()
    assert opened == OPEN[tool]


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(101, 121))
def test_fresh_set_obeys_every_law(seed: int) -> None:
    tasks = fresh_tasks("retail", seed)
    assert len(tasks) == len(TASKS)
    assert [one for one in check_tasks(tasks, DOMAIN) if not one.ok] == []


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(101, 121))
def test_reference_passes_fresh_sets(seed: int) -> None:
    tasks = fresh_tasks("retail", seed)
    env = TauEnv("retail", tasks=tasks)
    assert [
        task.id for task in tasks if not run_trial(env, Reference(task), task, seed=7).passed
    ] == []
    env.close()
    disjoint = [one for one in check_task_set(DOMAIN, tasks) if "both splits" in one.law]
    assert [one.ok for one in disjoint] == [True]
