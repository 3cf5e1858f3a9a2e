"""The verb `passk` from the outside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from records import write_counts

from tau_env.cli.main import main

SHARED = Path(os.environ.get("TAU_SHARED", Path(__file__).parents[3] / "shared"))
PUBLIC = SHARED / "tau_bench" / "gpt-4o-airline.json"
KEYS = ["k", "pass_hat_k", "low", "high", "method", "population", "pass_at_k", "plug_in"]


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[Any, str, str]:
    """Exit code, output and error of one command line."""
    with pytest.raises(SystemExit) as stop:
        main(["passk", *map(str, argv)])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_counts(tmp_path / "run.jsonl", [4, 4, 3, 2, 2, 1, 0, 4] * 5, 4)


@pytest.mark.skipif(not PUBLIC.exists(), reason=f"no {PUBLIC}; set TAU_SHARED to run this test")
def test_the_public_file_gives_its_known_values(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, PUBLIC, "--json")
    shown = json.loads(out)
    assert code == 0
    assert [round(row["pass_hat_k"], 3) for row in shown["rows"]] == [0.420, 0.273, 0.220, 0.200]
    assert [list(row) for row in shown["rows"]] == [KEYS] * 4
    assert (shown["files"][0]["M"], shown["files"][0]["n"]) == (50, 4)
    assert shown["files"][0]["problems"] == []


def test_table_says_all_and_any_and_the_population(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    code, out, _ = run(capsys, file)
    assert code == 0
    for words in (
        "pass^k (all k)",
        "pass@k (any of k)",
        "plug-in (biased)",
        "M = 40 tasks, n = 4 trials, 160 graded",
        "population: fresh tasks of these families",
        "ICC",
        "design effect",
        "MODEL, not counts: Beta(",
        "beyond the trials",
        "Worst tasks",
        "Wrong with the file: nothing found.",
    ):
        assert words in out


def test_chosen_k_only(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    _, out, _ = run(capsys, file, "--k", "1,4", "--json")
    assert [row["k"] for row in json.loads(out)["rows"]] == [1, 4]


def test_several_files_are_not_pooled(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path
) -> None:
    other = write_counts(tmp_path / "other.jsonl", [0, 0, 1, 0], 4)
    _, out, _ = run(capsys, file, other, "--k", "1", "--json")
    shown = json.loads(out)
    assert [(Path(row["file"]).name, row["k"]) for row in shown["rows"]] == [
        ("run.jsonl", 1),
        ("other.jsonl", 1),
    ]
    assert [one["M"] for one in shown["files"]] == [40, 4]


def test_f102_a_survivor_is_not_a_hundred_percent(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "crashed.jsonl"
    rows = [{"task": "a", "trial": 0, "passed": True}]
    rows += [{"task": "a", "trial": i, "passed": None, "status": "crashed"} for i in (1, 2, 3)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    code, out, _ = run(capsys, path)
    assert code == 0
    assert "not estimable: task a has n = 1 of 4" in out
    assert "n = 1 to 4 trials, 1 graded" in out
    _, out, _ = run(capsys, path, "--json")
    assert json.loads(out)["rows"][3]["pass_hat_k"] is None
    assert json.loads(out)["files"][0]["bounds"][3] == {
        "k": 4,
        "missing_failed": 0.0,
        "missing_passed": 1.0,
        "missing": 3,
    }


def test_f104_faults_of_the_file_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "faults.csv"
    path.write_text(
        "task,trial,passed\na,0,1\na,0,1\na,1,0.5\nb,0,1\nb,1,0\nc,0,1\n", encoding="utf-8"
    )
    code, out, _ = run(capsys, path, "--k", "1")
    assert code == 0
    assert "Wrong with the file: duplicate, task a" in out
    assert "Wrong with the file: fractional reward, task a" in out
    assert "Wrong with the file: missing, task c: 1 of 2 trials" in out
    _, out, _ = run(capsys, path, "--k", "1", "--json")
    assert json.loads(out)["rows"][0]["pass_hat_k"] == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_columns_and_agent_are_chosen(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("scenario,run,ok,who\na,1,yes,x\na,1,no,y\nb,1,no,x\n", encoding="utf-8")
    columns = ["--column", "task=scenario", "--column", "trial=run", "--column", "passed=ok"]
    code, _, err = run(capsys, path, *columns, "--column", "agent=who")
    assert (code, "2 agents (x, y)" in err) == (2, True)
    code, out, _ = run(capsys, path, *columns, "--column", "agent=who", "--agent", "x", "--json")
    assert (code, json.loads(out)["rows"][0]["pass_hat_k"]) == (0, 0.5)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nothing.jsonl"], "no such file"),
        (["FILE", "--k", "9"], "beyond the 4 trials"),
        (["FILE", "--population", "new-families"], "family label"),
        (["FILE", "--column", "task"], "OURS=THEIRS"),
        (["FILE", "--agent", "somebody"], "no agent named"),
        (["FILE", "--level", "95"], "0.95"),
    ],
)
def test_mistakes_exit_2_with_one_line(
    capsys: pytest.CaptureFixture[str], file: Path, argv: list[str], words: str
) -> None:
    code, out, err = run(capsys, *[file if a == "FILE" else a for a in argv])
    assert code == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_a_k_that_is_no_number_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    code, _, err = run(capsys, file, "--k", "1,two")
    assert code == 2
    assert "'two' is no whole number" in err


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "tau-env passk runs.csv --column task=scenario --column passed=ok" in out
