"""`tau-env audit`: its rows, its table, its exit code."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tau_env import content
from tau_env.checks.audit import GRADERS, KINDS, Tried
from tau_env.cli import audit as module
from tau_env.cli.main import cli

TASK = next(iter(content.tasks("retail")))


def run(*words: str):
    return CliRunner().invoke(cli, ["audit", "--domain", "retail", "--task", TASK, *words])


def test_json_has_a_row_for_every_grader_and_kind():
    done = run("--json", "--workers", "1")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert list(found["rows"][0]) == ["domain", "grader", "kind", "spoiling", "tried", "wrong"]
    pairs = {(row["grader"], row["kind"]) for row in found["rows"]}
    assert pairs == {(grader, kind) for grader in GRADERS for kind in KINDS}
    assert found["faults"] == []


def test_table_has_spoiled_and_harmless_kinds_and_a_sentence():
    done = run("--kind", "claim only", "--kind", "longer", "--workers", "1")
    assert done.exit_code == 0, done.output
    assert "retail: spoiled conversations that pass" in done.output
    assert "retail: harmless conversations that fail" in done.output
    assert "the full grader is wrong on 0 of 6" in done.output


@pytest.mark.parametrize(("kind", "passed"), [("claim only", True), ("longer", False)])
def test_fault_of_the_full_grader_is_shown_and_exits_1(monkeypatch, kind, passed):
    fault = Tried(TASK, kind, "by hand", dict.fromkeys(GRADERS, passed), "" if passed else "why")
    monkeypatch.setattr(module, "audit", lambda *args, **more: iter([fault]))
    done = run("--kind", kind)
    assert done.exit_code == 1
    assert "1 faults of the full grader" in done.output
    assert "by hand" in done.output
    assert ("passed" if passed else "failed: why") in done.output


def test_unknown_kind_is_told():
    done = run("--kind", "claim onyl")
    assert done.exit_code != 0
    assert "claim only" in str(done.exception)
