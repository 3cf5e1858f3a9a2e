"""Trials of different customers are neither pooled nor compared unless that is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tau_env.cli.main import main
from tau_env.errors import BadArgument, BadContent
from tau_env.report.conditions import check_compared, conditions, differences, told_by
from tau_env.report.results import read_results
from tau_env.schema import Grade, Trial

DIGESTS = {"world": "w", "graders": "g", "user": "u", "agent": "a", "task": "t", "version": "1"}


def write(path: Path, *, trials: int = 4, first: int = 0, **more: Any) -> Path:
    """Append full trials of two tasks."""
    given = {"agent": "mine", "domain": "toy", "user": "scripted", "digests": DIGESTS, **more}
    with path.open("a", encoding="utf-8") as lines:
        for task in ("t1", "t2"):
            for number in range(first, first + trials):
                grade = Grade(grader="full", passed=(number + len(task)) % 2 == 0)
                one = Trial(task=task, trial=number, seed=number, grade=grade, **given)
                lines.write(one.model_dump_json() + "\n")
    return path


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, argv)])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


MODEL = {"user": "model", "user_settings": {"model": "m", "prompt": "p1"}}
OTHERS = [
    (MODEL, "customer model"),
    ({"user_settings": {"style": "terse"}}, "the customer's settings"),
    ({"digests": {**DIGESTS, "user": "v"}}, "digest of user u against v"),
    ({"digests": {**DIGESTS, "graders": "h"}}, "digest of graders"),
    ({"budgets": {"max_steps": 5}}, "budgets"),
    ({"domain": "other"}, "domain"),
]


@pytest.mark.parametrize(("other", "named"), OTHERS)
def test_runs_with_different_customers_are_compared_only_when_told_to(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, other: dict[str, Any], named: str
) -> None:
    """F86, F93: a gap may be the customer's and not the agent's."""
    one, two = write(tmp_path / "one.jsonl"), write(tmp_path / "two.jsonl", **other)
    code, out, err = run(capsys, "compare", one, two)
    assert (code, out) == (2, "")
    assert "not made under the same conditions" in err
    assert named.split(" against")[0].split(" model")[0] in err
    code, out, _ = run(capsys, "compare", one, two, "--foreign", "--json")
    assert code == 0
    assert any("not the same" in note for note in json.loads(out)["notes"])
    code, _, err = run(
        capsys, "gate", one, "--k", 2, "--exposure", "twice a year", "--baseline", two
    )
    assert code == 2
    assert "--foreign" in err


@pytest.mark.parametrize(("other", "named"), OTHERS)
def test_trials_with_different_customers_in_one_file_are_not_pooled(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, other: dict[str, Any], named: str
) -> None:
    path = write(tmp_path / "both.jsonl", trials=2)
    write(path, trials=2, first=2, **other)
    code, out, err = run(capsys, "passk", path)
    assert (code, out) == (2, "")
    assert "2 versions of" in err
    assert run(capsys, "passk", path, "--foreign")[0] == 0
    with pytest.raises(BadContent, match="not pooled"):
        read_results(path)
    assert read_results(path, foreign=True).planned == 4


def test_agents_under_the_same_conditions_are_compared(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    digests = {**DIGESTS, "agent": "b", "version": "2"}
    new = write(tmp_path / "new.jsonl", agent="new", scaffold="s2", digests=digests)
    old = write(tmp_path / "old.jsonl", agent="old", scaffold="s1", settings={"model": "x"})
    assert run(capsys, "compare", new, old)[0] == 0


def test_one_agent_with_two_settings_is_two_agents(tmp_path: Path) -> None:
    path = write(tmp_path / "both.jsonl", trials=2, settings={"temperature": 0})
    write(path, trials=2, first=2, settings={"temperature": 1})
    with pytest.raises(BadContent, match="the agent's settings"):
        read_results(path)


def test_rows_that_tell_no_conditions_are_taken_as_they_are(tmp_path: Path) -> None:
    assert conditions([{"task": "t", "trial": 0, "passed": True}, {"digests": {}}]) == {}
    full = conditions([json.loads(write(tmp_path / "a.jsonl").read_text().splitlines()[0])])
    assert differences({}, full) == differences(full, {}) == ()
    check_compared(("a", {}), ("b", full))


def test_a_store_tells_the_same_as_its_lines(tmp_path: Path) -> None:
    lines = write(tmp_path / "a.jsonl", **MODEL).read_text(encoding="utf-8").splitlines()
    trials = [Trial.model_validate_json(line) for line in lines]
    assert conditions(map(told_by, trials)) == conditions(map(json.loads, lines))
    with pytest.raises(BadArgument, match="model against scripted"):
        check_compared(
            ("a", conditions(map(told_by, trials))),
            ("b", conditions([told_by(trials[0].model_copy(update={"user": "scripted"}))])),
        )
