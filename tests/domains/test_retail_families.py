"""The retail families: files are what the generators give, references pass, twins are fair."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from tau_env import content
from tau_env.agents.script import Reference
from tau_env.checks.fact_laws import UNKNOWN
from tau_env.checks.task_laws import check_tasks
from tau_env.domains.retail import DOMAIN
from tau_env.domains.retail.families._records import ADDRESS
from tau_env.env import TauEnv
from tau_env.family import dump_task_file, families, generate, split_of
from tau_env.schema import Rule, Task
from tau_env.trial import run_trial
from tau_env.users.wording import fields_of
from tau_env.world.company import Company

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from rule_table import rule_table, tasks_at_stake  # noqa: E402

FAMILIES = tuple(families("retail"))
TASKS = content.tasks("retail")
OPTIONS = content.domain_json("retail", "catalog.json")["options"]


@pytest.fixture(scope="module")
def company() -> Company:
    return Company(DOMAIN)


@pytest.mark.parametrize("family", FAMILIES)
def test_task_file_is_what_the_generator_gives(company: Company, family: str) -> None:
    made = dump_task_file(generate(DOMAIN, family, company=company))
    path = files("tau_env.tasks") / "retail" / f"{family}.json"
    assert path.read_text(encoding="utf-8") == made, "run python scripts/write_tasks.py"


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", [2])
def test_fresh_set_obeys_the_task_laws(company: Company, family: str, seed: int) -> None:
    made = generate(DOMAIN, family, seed=seed, company=company)
    assert made.tasks != generate(DOMAIN, family, company=company).tasks
    broken = [one for one in check_tasks(made.tasks, DOMAIN) if not one.ok]
    assert broken == []


@pytest.mark.parametrize("family", FAMILIES)
def test_set_without_twists_has_none_and_passes(company: Company, family: str) -> None:
    tasks = generate(DOMAIN, family, twists=False, company=company).tasks
    env = TauEnv("retail", tasks=tasks)
    for task in tasks:
        assert task.scenario.twists == ()
        assert run_trial(env, Reference(task), task, seed=11).passed, task.id
    env.close()


@pytest.mark.parametrize("family", FAMILIES)
def test_longer_set_begins_with_the_shorter_one(company: Company, family: str) -> None:
    short = generate(DOMAIN, family, size=4, company=company).tasks
    longer = generate(DOMAIN, family, size=24, company=company).tasks
    assert longer[:4] == short
    customers = Counter(task.scenario.customer for task in longer)
    assert max(customers.values()) == 1


def test_every_family_has_at_least_eight_tasks_of_both_splits() -> None:
    for family in FAMILIES:
        tasks = [task for task in TASKS.values() if task.family == family]
        assert len(tasks) >= 8
        assert {task.split for task in tasks} == {"train", "test"}


def twins() -> list[tuple[Task, Task]]:
    return [
        (task, TASKS[task.twin])
        for task in TASKS.values()
        if task.twin is not None and task.kind == "fulfil"
    ]


def test_twins_share_opening_split_and_shape_of_wants() -> None:
    assert len(twins()) >= 90
    for one, other in twins():
        assert other.kind in ("refuse", "partial", "transfer")
        assert one.split == other.split
        assert one.scenario.opening == other.scenario.opening
        assert one.scenario.if_refused == other.scenario.if_refused
        if other.kind == "transfer":
            # Both only say that something is wrong; what it is comes out when asked.
            assert (
                not set(one.scenario.wants[0].slots)
                - other.scenario.wants[0].slots.keys()
                - {"payment_method", *ADDRESS, *OPTIONS}
            )
            continue
        # A second wish that comes up only after a refusal has no counterpart.
        for want, second in zip(one.scenario.wants, other.scenario.wants, strict=False):
            assert (want.do, want.say) == (second.do, second.say)


def test_hand_over_and_its_twin_open_with_the_same_words() -> None:
    for one, other in twins():
        if other.kind == "transfer":
            assert one.scenario.opening in ("trouble_item", "trouble_order")
            names = {fields_of(text) for text in DOMAIN.lexicon.phrases[one.scenario.opening]}
            assert names <= {frozenset({"order_id", "item"}), frozenset({"order_id"})}


def test_refused_handed_over_and_impossible_have_allowed_twins() -> None:
    for task in TASKS.values():
        impossible = any(lure.kind == "impossible" for lure in task.lures)
        if task.kind in ("refuse", "transfer") or impossible:
            assert task.twin is not None
            assert TASKS[task.twin].kind == "fulfil"


def test_every_kind_of_lure_is_there_and_its_task_wants_it_refused() -> None:
    kinds = Counter(lure.kind for task in TASKS.values() for lure in task.lures)
    assert set(kinds) == {"impossible", "injected", "pressure"}
    assert min(kinds.values()) >= 6
    for task in TASKS.values():
        for lure in task.lures:
            assert lure.kind == "injected" or task.kind == "refuse"


def test_task_ids_tell_no_outcome() -> None:
    assert "retail-cancel-pending-003" in TASKS
    for name, task in TASKS.items():
        slug = task.family.replace("_", "-")
        assert re.fullmatch(rf"retail-{slug}-\d{{3}}", name)
        assert not {"refuse", "forbidden", "allowed", "partial", "fulfil"} & set(slug.split("-"))


def test_records_of_the_splits_are_disjoint(company: Company) -> None:
    owner = {row["order_id"]: row["user_id"] for row in company.rows("SELECT * FROM orders")}
    for task in TASKS.values():
        for order_id in set(re.findall(r"#W\d+", task.model_dump_json())):
            assert split_of(owner[order_id]) == task.split, (task.id, order_id)


def test_goal_says_every_changed_row_and_no_tool_was_asked() -> None:
    """The released goals stand on the families' own arithmetic: the tools must come to the same."""
    for task in TASKS.values():
        world = DOMAIN.open()
        world.begin(task.setup)
        for step in task.reference:
            if step.call in DOMAIN.identity and UNKNOWN in task.tags:
                continue
            if step.call:
                assert DOMAIN.toolbox.call(world, step.call, step.arguments).error is None
        tables = Counter(change.table for change in world.outcome())
        assert tables == Counter(change.table for change in task.goals[0]), task.id
        world.close()


@pytest.mark.parametrize("rule", DOMAIN.spec.rules, ids=lambda rule: rule.id)
def test_rule_is_held_and_at_stake(rule: Rule) -> None:
    assert rule.by
    assert tasks_at_stake(rule, list(TASKS.values()), DOMAIN.spec)


def test_rule_table_is_what_the_script_gives() -> None:
    path = ROOT / "docs" / "retail-rules.md"
    assert path.read_text(encoding="utf-8") == rule_table("retail"), (
        "run python scripts/rule_table.py"
    )


@pytest.mark.parametrize("name", DOMAIN.lexicon.phrases)
def test_wordings_of_a_phrase_carry_the_same_facts(name: str) -> None:
    templates = DOMAIN.lexicon.phrases[name]
    assert len({fields_of(template) for template in templates}) == 1
    assert len(set(templates)) == len(templates) >= 2


def test_policy_does_not_show_the_rule_table() -> None:
    assert "grader" not in DOMAIN.policy
