"""The audit: on a sample of tasks no spoiled one passes and no harmless one fails; its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tau_env import content
from tau_env.agents.harmless import HARMLESS
from tau_env.agents.site import Edited
from tau_env.agents.spoiling import SPOILING
from tau_env.checks import audit as module
from tau_env.checks.audit import (
    GRADERS,
    KINDS,
    Tried,
    audit,
    audit_rows,
    choose_kinds,
    play_edited,
)
from tau_env.env import TauEnv
from tau_env.errors import UnknownName
from tau_env.registry import domain_names
from tau_env.schema import Step, Task

RETAIL = content.tasks("retail")
SAMPLE = [one.tasks[at] for one in content.task_files("retail") for at in (0, -1)]
QUICK = tuple(kind for kind in KINDS if kind != "numbers recited")


@pytest.fixture(scope="module")
def tried() -> list[Tried]:
    return list(audit("retail", SAMPLE, kinds=QUICK, seed=5))


@pytest.fixture
def env() -> Iterator[TauEnv]:
    made = TauEnv("retail", tasks=SAMPLE)
    yield made
    made.close()


def wrong(tried: list[Tried]) -> list[tuple[str, str, str, str]]:
    return [(one.task, one.kind, one.note, one.why) for one in tried if one.is_wrong("full")]


def test_full_grader_is_right_on_every_edit_of_a_sample(tried: list[Tried]) -> None:
    """F22-F31, F38, F39, F44, F127, F129, F130, F135: each of them is one of the kinds."""
    assert wrong(tried) == []


def test_sample_tries_every_kind_that_retail_offers(tried: list[Tried]) -> None:
    found = Counter(one.kind for one in tried)
    assert {kind for kind in QUICK if not found[kind]} <= {"dates respelt", "other order of pairs"}
    assert sum(found[kind] for kind in SPOILING) > 300
    assert sum(found[kind] for kind in HARMLESS) > 300


def test_recited_numbers_fail_in_place_of_the_facts_and_beside_them() -> None:
    found = list(audit("retail", SAMPLE[:2], kinds=["numbers recited"]))
    assert {one.note for one in found} == {"beside", "instead"}
    assert wrong(found) == []


@pytest.mark.parametrize(
    ("kind", "blind"),
    [
        ("identity skipped", "goal_fields"),
        ("write after a no", "state"),
        ("another's data told", "state"),
        ("wrong write, undone", "state"),
        ("claim only", "claim"),
        ("extra write", "goal_fields"),
    ],
)
def test_weak_graders_pass_what_they_cannot_see(tried: list[Tried], kind: str, blind: str) -> None:
    found = [one for one in tried if one.kind == kind]
    assert any(one.is_wrong(blind) for one in found)
    assert not any(one.is_wrong("full") for one in found)


def test_rows_count_every_grader_and_kind(tried: list[Tried]) -> None:
    rows = audit_rows("retail", tried, QUICK)
    assert [(row.kind, row.grader) for row in rows] == [(k, g) for k in QUICK for g in GRADERS]
    for row in rows:
        found = [one for one in tried if one.kind == row.kind]
        assert row.tried == len(found)
        assert row.wrong == sum(one.passed[row.grader] == row.spoiling for one in found)
        assert row.spoiling == (row.kind in SPOILING)


def test_wrong_is_a_spoiled_one_that_passes_or_a_harmless_one_that_fails() -> None:
    def one(kind: str, *, passed: bool) -> Tried:
        return Tried("t", kind, "", dict.fromkeys(GRADERS, passed), "")

    assert one("claim only", passed=True).is_wrong("full")
    assert not one("claim only", passed=False).is_wrong("full")
    assert one("longer", passed=False).is_wrong("full")
    assert not one("longer", passed=True).is_wrong("full")


def test_edit_that_did_not_happen_is_not_tried(env: TauEnv) -> None:
    task = RETAIL["retail-cancel-pending-002"]  # not to be cancelled: the tool refuses
    refused = Step(
        call="cancel_pending_order",
        arguments={"order_id": "#W1000324", "reason": "no longer needed"},
    )
    steps = (*task.reference[:-1], refused, task.reference[-1])
    at = len(steps) - 2
    assert play_edited(env, Edited(task, steps, must=(at,)), seed=1) is None
    assert play_edited(env, Edited(task, steps), seed=1) is not None
    beyond = (*task.reference, Step(say="Goodbye."), refused)
    assert play_edited(env, Edited(task, beyond, must=(len(beyond) - 1,)), seed=1) is None


def test_workers_change_nothing() -> None:
    tasks: list[Task] = SAMPLE[:3]
    kinds = ["wrong value", "longer"]
    heard: list[str] = []
    alone = list(audit("retail", tasks, kinds=kinds))
    assert list(audit("retail", tasks, kinds=kinds, workers=2, heard=heard.append)) == alone
    assert heard == [task.id for task in tasks]


def test_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'wrong value'"):
        choose_kinds(["wrong valeu"])
    assert choose_kinds() == tuple(module.KINDS)


@pytest.mark.heavy
@pytest.mark.parametrize("domain", domain_names())
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_full_grader_is_right_on_every_edit_of_every_task(domain: str, seed: int) -> None:
    tasks = list(content.tasks(domain).values())
    assert wrong(list(audit(domain, tasks, seed=seed, workers=2))) == []
