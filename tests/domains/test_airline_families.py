"""The airline's families: files are what generators give, fresh sets obey, twins are twins."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from tau_env import content
from tau_env.agents.edits import Rigid
from tau_env.agents.script import Reference
from tau_env.checks.fact_laws import UNKNOWN
from tau_env.checks.set_laws import check_task_set
from tau_env.checks.task_laws import check_tasks
from tau_env.domains.airline import DOMAIN
from tau_env.env import TauEnv
from tau_env.family import dump_task_file, families, generate, split_of
from tau_env.harness.baselines import fresh_tasks
from tau_env.schema import Rule, Task
from tau_env.trial import run_trial
from tau_env.world.company import Company

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from rule_table import rule_table, tasks_at_stake  # noqa: E402

FAMILIES = tuple(families("airline"))
TASKS = content.tasks("airline")


@pytest.fixture(scope="module")
def company() -> Company:
    return Company(DOMAIN)


@pytest.fixture(scope="module")
def plain(company: Company) -> dict[str, Task]:
    """The same situations without twists, by id."""
    made = [generate(DOMAIN, name, twists=False, company=company) for name in FAMILIES]
    return {task.id: task for one in made for task in one.tasks}


@pytest.mark.parametrize("family", FAMILIES)
def test_task_file_is_what_the_generator_gives(company: Company, family: str) -> None:
    made = dump_task_file(generate(DOMAIN, family, company=company))
    path = files("tau_env.tasks") / "airline" / f"{family}.json"
    assert path.read_text(encoding="utf-8") == made, "run python scripts/write_tasks.py"


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", [12])
def test_fresh_set_obeys_the_task_laws(company: Company, family: str, seed: int) -> None:
    made = generate(DOMAIN, family, seed=seed, company=company)
    assert made.tasks != generate(DOMAIN, family, company=company).tasks
    broken = [one for one in check_tasks(made.tasks, DOMAIN) if not one.ok]
    assert broken == []


@pytest.mark.parametrize("family", FAMILIES)
def test_longer_set_begins_with_the_shorter_one(company: Company, family: str) -> None:
    short = generate(DOMAIN, family, size=4, company=company).tasks
    longer = generate(DOMAIN, family, size=24, company=company).tasks
    assert longer[: len(short)] == short
    customers = Counter(task.scenario.customer for task in longer)
    assert max(customers.values()) == 1


def test_situation_is_the_same_without_its_twist_and_passes(plain: dict[str, Task]) -> None:
    assert plain.keys() == TASKS.keys()
    env = TauEnv("airline", tasks=plain.values())
    for name, task in TASKS.items():
        without = plain[name].scenario
        assert without.twists == ()
        assert without.customer == task.scenario.customer
        assert without.opening == task.scenario.opening
        assert without.wants[0] == task.scenario.wants[0]
        if not task.scenario.twists:
            assert plain[name].model_copy(update={"family": task.family}) == task
        else:
            assert run_trial(env, Reference(plain[name]), plain[name], seed=11).passed, name
    env.close()


def test_rigid_agent_fails_with_most_twists(plain: dict[str, Task]) -> None:
    """F60: who plays the straight conversation meets a customer who changes it."""
    twisted = [task for task in TASKS.values() if task.scenario.twists]
    env = TauEnv("airline")
    failed = [
        task.id
        for task in twisted
        if not run_trial(env, Rigid(task, plain[task.id]), task, seed=3).passed
    ]
    env.close()
    assert len(twisted) >= 20
    assert len(failed) >= len(twisted) / 2


def test_every_kind_of_twist_and_lure_is_there() -> None:
    twists = Counter(one.kind for task in TASKS.values() for one in task.scenario.twists)
    assert set(twists) >= {"declines", "changes_mind", "corrects"}
    lures = Counter(lure.kind for task in TASKS.values() for lure in task.lures)
    assert set(lures) == {"impossible", "injected", "pressure"}
    assert min(lures.values()) >= 5


def test_twins_share_split_opening_and_the_kind_of_their_wants() -> None:
    twins = [
        (task, TASKS[task.twin])
        for task in TASKS.values()
        if task.twin is not None and task.kind in ("fulfil", "inform")
    ]
    assert len(twins) >= 60
    for one, other in twins:
        assert other.kind in ("refuse", "partial", "transfer")
        assert one.split == other.split
        assert one.scenario.opening == other.scenario.opening
        assert one.scenario.if_refused == other.scenario.if_refused


def test_task_ids_tell_no_outcome() -> None:
    for name, task in TASKS.items():
        slug = task.family.replace("_", "-")
        assert re.fullmatch(rf"airline-{slug}-\d{{3}}", name)
        assert not {"refuse", "forbidden", "allowed", "partial", "fulfil"} & set(slug.split("-"))


def test_records_of_the_splits_are_disjoint(company: Company) -> None:
    owner = {
        row["reservation_id"]: row["user_id"]
        for row in company.rows("SELECT reservation_id, user_id FROM reservations")
    }
    for task in TASKS.values():
        for record in set(re.findall(r"\b[A-Z]\d[A-Z0-9]{4}\b", task.model_dump_json())):
            assert split_of(owner[record]) == task.split, (task.id, record)


def test_goal_says_every_changed_row_and_no_tool_was_asked() -> None:
    """The released goals stand on the families' own arithmetic: the tools must come to the same."""
    world = DOMAIN.open()
    for task in TASKS.values():
        world.begin(task.setup)
        for step in task.reference:
            if step.call in DOMAIN.identity and UNKNOWN in task.tags:
                continue
            if step.call:
                call = DOMAIN.toolbox.call(world, step.call, step.arguments)
                assert call.error is None, (task.id, call.result)
        tables = Counter(change.table for change in world.outcome())
        assert tables == Counter(change.table for change in task.goals[0]), task.id
    world.close()


@pytest.mark.parametrize("rule", DOMAIN.spec.rules, ids=lambda rule: rule.id)
def test_rule_is_held_and_at_stake(rule: Rule) -> None:
    assert rule.by
    assert tasks_at_stake(rule, list(TASKS.values()), DOMAIN.spec)


def test_rule_table_is_what_the_script_gives() -> None:
    path = ROOT / "docs" / "airline-rules.md"
    assert path.read_text(encoding="utf-8") == rule_table("airline"), (
        "run python scripts/rule_table.py"
    )


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(101, 121))
def test_fresh_set_obeys_every_law(seed: int) -> None:
    tasks = fresh_tasks("airline", seed)
    assert len(tasks) == len(TASKS)
    assert [one for one in check_tasks(tasks, DOMAIN) if not one.ok] == []
    disjoint = [one for one in check_task_set(DOMAIN, tasks) if "both splits" in one.law]
    assert [one.ok for one in disjoint] == [True]
