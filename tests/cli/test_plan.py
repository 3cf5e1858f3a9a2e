"""The verb `plan` from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from records import drawn, write_counts

from tau_env.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[Any, str, str]:
    """Exit code, output and error of one command line."""
    with pytest.raises(SystemExit) as stop:
        main(["plan", *map(str, argv)])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


POPULATION = ("--mean", "0.7", "--rho", "0.4")


def test_budget_prints_every_design_and_the_best(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *POPULATION, "--k", 3, "--budget", 1200, "--setup", 30, "--json")
    shown = json.loads(out)
    best = [row for row in shown["rows"] if row["best"]]
    assert code == 0
    assert [(row["n"], row["M"]) for row in best] == [(10, 30)]
    assert best[0]["half_width"] == pytest.approx(0.14401672798956)
    assert shown["n_star"] == pytest.approx(7.9, abs=0.1)


def test_budget_table_says_the_best_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *POPULATION, "--k", 3, "--budget", 1200)
    assert code == 0
    assert "Best: 400 tasks of 3 trials, pass^3 to within ±4.9 points" in out
    assert "fresh tasks of these families" in out


def test_a_pilot_file_gives_the_population(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    passes = drawn(np.random.default_rng(1), tasks=2000, trials=4, a=1.05, b=0.45)
    pilot = write_counts(tmp_path / "pilot.jsonl", passes, 4)
    _, out, _ = run(capsys, pilot, "--k", 3, "--budget", 1200, "--json")
    assumed = json.loads(out)["assumed"]
    assert assumed["mean"] == pytest.approx(0.7, abs=0.03)
    assert assumed["rho"] == pytest.approx(0.4, abs=0.05)


def test_difference_needs_fewer_tasks_with_more_trials(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *POPULATION, "--k", 2, "--difference", 0.1, "--json")
    rows = json.loads(out)["rows"]
    tasks = [row["M"] for row in rows]
    assert tasks == sorted(tasks, reverse=True)
    assert all(row["trials"] == 2 * row["n"] * row["M"] for row in rows)


def test_a_difference_out_of_reach_is_a_dash_and_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *POPULATION, "--k", 2, "--difference", 0.01, "--max-tasks", 20)
    assert code == 0
    assert "Note: 20 tasks of 2 trials show a difference" in out


def test_half_width_needs_no_population(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--k", 3, "--half-width", 0.05, "--json")
    assert json.loads(out)["rows"][0]["M"] == 385


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--k", "3"], "Ask one question"),
        (["--k", "3", "--budget", "9", "--half-width", "0.1"], "--budget and --half-width"),
        (["--k", "3", "--budget", "1200"], "PILOT file"),
        (["--k", "3", "--budget", "2", *POPULATION], "must be at least 6"),
        (["nothing.jsonl", "--k", "3", "--budget", "90"], "no such file"),
        (["x.jsonl", "--k", "3", "--budget", "90", *POPULATION], "not both"),
    ],
)
def test_mistakes_exit_2_with_one_line(
    capsys: pytest.CaptureFixture[str], argv: list[str], words: str
) -> None:
    code, out, err = run(capsys, *argv)
    assert code == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_a_pilot_that_cannot_tell_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pilot = write_counts(tmp_path / "p.jsonl", [4, 4, 4], 4)
    code, _, err = run(capsys, pilot, "--k", 3, "--budget", 90)
    assert code == 2
    assert "does not tell how tasks differ (always)" in err


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "tau-env plan --mean 0.7 --rho 0.4 --k 3 --budget 1200 --setup 10" in out
