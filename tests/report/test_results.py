"""Reading trial records: every accepted form, and every fault named."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tau_env.cli.main import main
from tau_env.errors import BadContent, UnknownName
from tau_env.report.results import Results, read_results
from tau_env.stats.estimators import curve

SHARED = Path(os.environ.get("TAU_SHARED", Path(__file__).parents[3] / "shared"))
PUBLIC = SHARED / "tau_bench" / "gpt-4o-airline.json"

ROWS = [
    {"task": "a", "trial": 0, "seed": 11, "agent": "one", "passed": True, "steps": 4},
    {"task": "a", "trial": 1, "seed": 12, "agent": "one", "passed": False, "steps": 5},
    {"task": "b", "trial": 0, "seed": 13, "agent": "one", "passed": False, "steps": 6},
    {"task": "b", "trial": 1, "seed": 14, "agent": "one", "passed": False, "steps": 7},
]


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def kinds(results: Results) -> list[tuple[str, str]]:
    return [(p.kind, p.task) for p in results.problems]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "trials"


def as_lines(path: Path) -> Path:
    return lines(path, ROWS)


def as_object(path: Path) -> Path:
    path.write_text(json.dumps({"rows": ROWS, "domain": "retail"}, indent=1), encoding="utf-8")
    return path


def as_one_line_object(path: Path) -> Path:
    path.write_text(json.dumps({"rows": ROWS}) + "\n", encoding="utf-8")
    return path


def as_list(path: Path) -> Path:
    path.write_text(json.dumps(ROWS), encoding="utf-8")
    return path


def as_csv(path: Path) -> Path:
    with path.open("w", newline="", encoding="utf-8-sig") as out:
        writer = csv.DictWriter(out, ["task", "trial", "passed"], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(ROWS)
    return path


@pytest.mark.parametrize("write", [as_lines, as_object, as_one_line_object, as_list, as_csv])
def test_every_form_gives_the_same_trials(write: Callable[[Path], Path], file: Path) -> None:
    got = read_results(write(file))
    assert got.task == ("a", "a", "b", "b")
    assert got.trial == (0, 1, 0, 1)
    assert got.passed.tolist() == [True, False, False, False]
    assert got.problems == ()
    counts = got.counts()
    assert counts.passes.tolist() == [1, 0]
    assert counts.trials.tolist() == counts.planned.tolist() == [2, 2]


def test_one_record_alone_is_a_file(file: Path) -> None:
    got = read_results(lines(file, ROWS[:1]))
    assert (got.task, got.agent) == (("a",), "one")


@pytest.mark.skipif(not PUBLIC.exists(), reason=f"no {PUBLIC}; set TAU_SHARED to run this test")
def test_the_public_trial_file_reads_and_gives_its_known_values() -> None:
    got = read_results(PUBLIC)
    counts = got.counts()
    assert (len(got.task), len(counts.task), got.planned, got.problems) == (200, 50, 4, ())
    values = curve(counts.passes, counts.trials, [1, 2, 3, 4]).pass_hat
    assert [round(v, 3) for v in values] == [0.420, 0.273, 0.220, 0.200]


def test_columns_can_be_mapped(file: Path) -> None:
    file.write_text("scenario,run,ok\nrefund,1,yes\nrefund,2,no\n", encoding="utf-8")
    got = read_results(file, columns={"task": "scenario", "trial": "run", "passed": "ok"})
    assert got.trial == (1, 2)
    assert got.passed.tolist() == [True, False]


def test_full_trials_give_the_grade_inside(file: Path) -> None:
    full = [
        {"task": "a", "trial": 0, "grade": {"grader": "full", "passed": True}, "family": "f"},
        {"task": "a", "trial": 1, "grade": {"grader": "full", "passed": False}, "family": "f"},
        {"task": "a", "trial": 2, "grade": None, "status": "crashed", "family": "f"},
    ]
    got = read_results(lines(file, full))
    assert got.passed.tolist() == [True, False]
    assert got.families == ("f",)
    assert kinds(got) == [("no grade", "a")]


def test_an_insider_is_marked(file: Path) -> None:
    assert not read_results(lines(file, ROWS)).insider
    assert read_results(lines(file, [{**row, "insider": True} for row in ROWS])).insider


def test_f104_fractional_rewards_are_no_passes(file: Path) -> None:
    rows = [{"task": "a", "trial": i, "reward": 0.5} for i in range(2)]
    got = read_results(lines(file, rows))
    assert got.passed.sum() == 0
    assert kinds(got) == [("fractional reward", "a")] * 2


def test_f104_a_duplicate_counts_once(file: Path) -> None:
    got = read_results(lines(file, [*ROWS, {**ROWS[0], "passed": False}]))
    assert got.counts().trials.tolist() == [2, 2]
    assert got.counts().passes.tolist() == [1, 0]
    assert kinds(got) == [("duplicate", "a")]
    assert "with 0.0 after 1.0" in got.problems[0].detail


def test_f104_a_missing_slot_is_named(file: Path) -> None:
    got = read_results(lines(file, ROWS[:3]))
    assert kinds(got) == [("missing", "b")]
    assert got.problems[0].detail == "1 of 2 trials (not there: 1)"
    assert got.counts().planned.tolist() == [2, 2]


def test_f102_crashed_trials_leave_one_of_four(file: Path) -> None:
    rows: list[dict[str, Any]] = [{"task": "a", "trial": 0, "passed": True}]
    rows += [{"task": "a", "trial": i, "passed": None, "status": "crashed"} for i in (1, 2, 3)]
    counts = read_results(lines(file, rows)).counts()
    assert (counts.trials.tolist(), counts.planned.tolist()) == ([1], [4])


def test_f102_a_task_without_any_grade_stays_in_the_list(file: Path) -> None:
    lost = [{"task": "c", "trial": i, "agent": "one", "passed": None} for i in (0, 1)]
    rows: list[dict[str, Any]] = [*ROWS, *lost]
    counts = read_results(lines(file, rows)).counts()
    assert counts.task == ("a", "b", "c")
    assert counts.trials.tolist() == [2, 2, 0]


def test_trials_dropped_by_whoever_wrote_the_file_are_seen_with_planned(file: Path) -> None:
    got = read_results(lines(file, ROWS), planned=4)
    assert kinds(got) == [("missing", "a"), ("missing", "b")]
    assert got.counts().planned.tolist() == [4, 4]


def test_two_agents_are_never_pooled(file: Path) -> None:
    lines(file, [*ROWS, {**ROWS[0], "agent": "two"}])
    with pytest.raises(BadContent, match="2 agents \\(one, two\\)"):
        read_results(file)
    assert len(read_results(file, agent="two").task) == 1
    with pytest.raises(UnknownName, match="Did you mean 'two'"):
        read_results(file, agent="twoo")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no record"),
        ("[]", "no record"),
        ('{"task": "a", "trial": 0, "passed": tr', "line 1: is not valid JSON"),
        ('{"task": "a", "trial": 0, "passed": true}\n{"task": "a", "tr', "line 2"),
        ("[1]", "record 1: is a int"),
        ('{"rows": 3}', "rows is a int"),
        ("task,trial\na,0\n", "no column 'passed' or 'reward'"),
        ("name,trial,passed\na,0,1\n", "no column 'task'"),
        ("task,trial,passed\na,0\n", "another number of cells"),
        ("task,trial,passed\na,0,maybe\n", "record 1: passed is 'maybe'"),
        ("task,trial,passed\na,0,2\n", "0 to 1"),
        ("task,trial,passed\n,0,1\n", "record 1: has no task"),
    ],
)
def test_a_file_that_is_no_record_says_why(text: str, words: str, file: Path) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadContent, match=words):
        read_results(file)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(BadContent, match="no such file"):
        read_results(tmp_path / "nothing.jsonl")


def test_an_unknown_column_name_of_ours_is_refused(file: Path) -> None:
    with pytest.raises(BadContent, match="map task, trial, passed"):
        read_results(lines(file, ROWS), columns={"score": "x"})


def test_store_of_a_study_is_read_like_its_lines(tmp_path: Path) -> None:
    store = tmp_path / "study.db"
    words = ["run", "--domain", "retail", "--agent", "reference", "--out", str(store)]
    more = ["--tasks", "retail-cancel-pending-003", "--trials", "2", "--k", "2", "--why", "a test"]
    with pytest.raises(SystemExit) as stop:
        main([*words, *more])
    assert not stop.value.code
    found = read_results(store)
    assert list(found.passed) == [True, True]
    assert not found.problems
