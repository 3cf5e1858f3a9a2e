"""Floors by group and over fresh sets, and the share of tasks that want nothing changed."""

from __future__ import annotations

import json

import pytest

from tau_env.cli.main import main
from tau_env.errors import BadArgument
from tau_env.harness.baselines import (
    GRADERS,
    change_nothing,
    floor_rows,
    fresh_rows,
    fresh_tasks,
)
from tau_env.harness.grid import choose_tasks

TASKS = choose_tasks("retail")


@pytest.mark.parametrize("by", ["family", "kind"])
def test_groups_add_up_to_all_tasks(by: str) -> None:
    whole = list(floor_rows("retail", agents=["silent"]))
    parts = list(floor_rows("retail", agents=["silent"], by="kind" if by == "kind" else "family"))
    assert {row.group for row in parts} == {str(getattr(task, by)) for task in TASKS}
    for row in whole:
        own = [part for part in parts if part.grader == row.grader]
        assert sum(part.tasks for part in own) == row.tasks == len(TASKS)
        assert sum(part.passed for part in own) == row.passed


def test_doing_nothing_leaves_the_right_state_where_nothing_is_to_change() -> None:
    rows = {row.grader: row for row in floor_rows("retail", agents=["silent"])}
    assert rows["state"].passed == change_nothing(TASKS)
    assert 0 < change_nothing(TASKS) < len(TASKS)


def test_a_fresh_set_is_as_large_as_the_release_and_unseen() -> None:
    fresh = fresh_tasks("retail", 12345)
    assert sorted(task.id for task in fresh) == sorted(task.id for task in TASKS)
    released = {str(task.scenario) for task in TASKS}
    assert sum(str(task.scenario) in released for task in fresh) < len(fresh) / 10
    assert {task.family for task in fresh} == {task.family for task in TASKS}


def test_fresh_rows_have_release_and_range_for_every_grader() -> None:
    heard: list[str] = []
    rows = list(fresh_rows("retail", sets=2, agents=["claim-done"], heard=heard.append))
    assert [row.grader for row in rows] == list(GRADERS)
    assert heard == ["release", "fresh set 1", "fresh set 2"]
    by_grader = {row.grader: row for row in rows}
    assert by_grader["claim"].mean == 1.0
    assert by_grader["full"].high == 0.0
    for row in rows:
        assert row.low is not None
        assert row.mean is not None
        assert row.high is not None
        assert row.low <= row.mean <= row.high


def test_lures_taken_stand_beside_the_deciding_grader() -> None:
    tempted = {
        kind: sum(any(lure.kind == kind for lure in task.lures) for task in TASKS)
        for kind in ("injected", "impossible", "pressure")
    }
    assert all(tempted.values())
    rows = list(floor_rows("retail", agents=["reference", "transfer"]))
    for row in rows:
        assert bool(row.lures) == (row.grader == "full")
    reference, transfer = (row for row in rows if row.lures)
    assert {one.kind: one.met for one in reference.lures} == tempted
    assert all(one.taken == 0 for one in reference.lures)
    assert any(one.taken for one in transfer.lures)
    parts = [row for row in floor_rows("retail", agents=["transfer"], by="family") if row.lures]
    for one in transfer.lures:
        own = [part for row in parts for part in row.lures if part.kind == one.kind]
        assert sum(part.met for part in own) == one.met
        assert sum(part.taken for part in own) == one.taken
    (fresh,) = (row for row in fresh_rows("retail", sets=2, agents=["transfer"]) if row.lures)
    assert fresh.grader == "full"
    assert {one.kind: one.met for one in fresh.lures} == {k: 2 * n for k, n in tempted.items()}


def test_floors_tells_who_took_lures(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["floors", "--domain", "retail", "--agent", "transfer", "--agent", "reference"])
    assert not stop.value.code
    _, lures = capsys.readouterr().out.split("Lures taken / met")
    assert " transfer " in lures
    assert " reference " not in lures
    assert "Other rows that met lures and took none: 1." in lures


def test_no_fresh_set_is_refused() -> None:
    with pytest.raises(BadArgument, match="at least 1"):
        list(fresh_rows("retail", sets=0, agents=["silent"]))


def test_floors_tells_the_share_that_wants_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["floors", "--domain", "retail", "--agent", "silent", "--by", "kind", "--json"])
    assert not stop.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["change_nothing"] == [
        {"domain": "retail", "tasks": len(TASKS), "change_nothing": change_nothing(TASKS)}
    ]
    assert {row["group"] for row in found["rows"]} == {task.kind for task in TASKS}


def test_by_and_fresh_together_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["floors", "--by", "kind", "--fresh", "1"])
    assert stop.value.code == 2
    assert "choose one" in capsys.readouterr().err
