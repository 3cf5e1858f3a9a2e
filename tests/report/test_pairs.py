"""Two runs side by side by task."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tau_env.errors import BadArgument
from tau_env.report.pairs import pair
from tau_env.report.results import Results, read_results


def run(path: Path, outcomes: dict[str, list[Any]]) -> Results:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["task", "family", "trial", "passed"])
        for task, grades in outcomes.items():
            writer.writerows([task, task[0], i, grade] for i, grade in enumerate(grades))
    return read_results(path)


def test_tasks_are_matched_by_name_whatever_their_order(tmp_path: Path) -> None:
    a = run(tmp_path / "a.csv", {"xa": [1, 1], "yb": [1, 0], "zc": [0, 0]})
    b = run(tmp_path / "b.csv", {"zc": [1, 1], "xa": [0, 1], "wd": [1, 1]})
    both = pair(a, b)
    assert both.task == ("xa", "zc")
    assert both.family == ("x", "z")
    assert both.passes_a.tolist() == [2, 0]
    assert both.passes_b.tolist() == [1, 2]
    assert (both.only_a, both.only_b) == (("yb",), ("wd",))


def test_a_task_without_a_grade_is_not_common(tmp_path: Path) -> None:
    a = run(tmp_path / "a.csv", {"xa": [1, 1], "yb": [1, 0]})
    b = run(tmp_path / "b.csv", {"xa": ["", ""], "yb": [1, ""]})
    both = pair(a, b)
    assert both.task == ("yb",)
    assert both.only_a == ("xa",)
    assert both.n == 1


def test_runs_of_other_tasks_are_refused(tmp_path: Path) -> None:
    a = run(tmp_path / "a.csv", {"xa": [1]})
    b = run(tmp_path / "b.csv", {"yb": [1]})
    with pytest.raises(BadArgument, match="no task in common"):
        pair(a, b)
