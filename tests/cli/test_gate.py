"""The verb `gate` from the outside: verdict and exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from records import write_counts

from tau_env.cli.main import main

WHY = ("--k", "4", "--exposure", "four changes a year")


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[Any, str, str]:
    """Exit code, output and error of one command line."""
    with pytest.raises(SystemExit) as stop:
        main(["gate", *map(str, argv)])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


@pytest.fixture
def pairs(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Old and new agent: the new one is better on average and less consistent."""
    rng = np.random.default_rng(3)
    rate = rng.beta(0.6, 0.4, size=400)
    old = write_counts(tmp_path / "old.jsonl", rng.binomial(8, rate).tolist(), 8)
    new = write_counts(tmp_path / "new.jsonl", rng.binomial(8, 0.33 + 0.52 * rate).tolist(), 8)
    again = write_counts(tmp_path / "again.jsonl", rng.binomial(8, rate).tolist(), 8)
    return old, new, again


def test_a_regression_in_pass_hat_4_fails_whatever_pass_at_1_does(
    capsys: pytest.CaptureFixture[str], pairs: tuple[Path, Path, Path]
) -> None:
    old, new, _ = pairs
    code, out, _ = run(capsys, new, *WHY, "--baseline", old, "--json")
    shown = json.loads(out)
    assert (code, shown["verdict"]) == (1, "fail")
    assert [(r["metric"], r["verdict"]) for r in shown["rows"]] == [
        ("change of pass@1", "pass"),
        ("change of pass^4", "fail"),
    ]
    assert shown["rows"][0]["estimate"] > 0
    assert (shown["k"], shown["exposure"]) == (4, "four changes a year")


def test_the_same_agent_again_passes(
    capsys: pytest.CaptureFixture[str], pairs: tuple[Path, Path, Path]
) -> None:
    old, _, again = pairs
    code, out, _ = run(capsys, again, *WHY, "--baseline", old)
    assert code == 0
    assert out.rstrip().endswith("Verdict: pass")
    assert "k = 4: four changes a year. Population: fresh tasks of these families." in out


@pytest.mark.parametrize(
    ("passes", "verdict", "code"),
    [
        ([8] * 196 + [7] * 4, "pass", 0),
        ([8] * 178 + [0] * 22, "not enough data", 1),
        ([8] * 182 + [0] * 18, "not enough data", 1),
        ([8] * 150 + [0] * 50, "fail", 1),
    ],
)
def test_write_actions_at_pass_hat_4_of_0_9(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, passes: list[int], verdict: str, code: int
) -> None:
    file = write_counts(tmp_path / "run.jsonl", passes, 8)
    got, out, _ = run(capsys, file, *WHY, "--threshold", "0.9", "--json")
    shown = json.loads(out)
    assert (got, shown["verdict"]) == (code, verdict)
    assert shown["rows"][0]["low"] < shown["rows"][0]["estimate"] < shown["rows"][0]["high"]


def test_threshold_and_baseline_must_both_hold(
    capsys: pytest.CaptureFixture[str], pairs: tuple[Path, Path, Path]
) -> None:
    old, _, again = pairs
    code, out, _ = run(capsys, again, *WHY, "--baseline", old, "--threshold", "0.9", "--json")
    assert code == 1
    assert [r["verdict"] for r in json.loads(out)["rows"]] == ["pass", "pass", "fail"]


def test_answers_are_judged_by_pass_at_1(
    capsys: pytest.CaptureFixture[str], pairs: tuple[Path, Path, Path]
) -> None:
    old, new, _ = pairs
    assert run(capsys, new, "--surface", "answers", "--baseline", "0.5")[0] == 0
    code, out, _ = run(capsys, new, "--surface", "answers", "--baseline", old, "--json")
    assert code == 0
    assert [r["metric"] for r in json.loads(out)["rows"]] == ["change of pass@1"]


def test_retries_are_judged_by_pass_at_k_with_pass_hat_2_watched(
    capsys: pytest.CaptureFixture[str], pairs: tuple[Path, Path, Path]
) -> None:
    _, new, _ = pairs
    code, out, _ = run(
        capsys,
        new,
        "--surface",
        "retries",
        "--k",
        "4",
        "--exposure",
        "four tries",
        "--threshold",
        "0.9",
        "--json",
    )
    assert code == 0
    assert [(r["metric"], r["decides"], r["verdict"]) for r in json.loads(out)["rows"]] == [
        ("pass@4", True, "pass"),
        ("pass^2", False, "fail"),
    ]


def test_few_trials_and_faults_are_noted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = write_counts(tmp_path / "run.jsonl", [4] * 60, 4)
    file.write_text(file.read_text() + file.read_text().splitlines()[0] + "\n")
    _, out, _ = run(capsys, file, *WHY, "--threshold", "0.9")
    assert "Note: 4 trials a task" in out
    assert "has 1 faults" in out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--k", "4", "--threshold", "0.9"], "exposure"),
        (["--exposure", "x", "--threshold", "0.9"], "Give --k"),
        (["--k", "4", "--exposure", "x"], "Nothing to judge by"),
        (["--k", "4", "--exposure", "x", "--baseline", "0.9"], "judges answers"),
        (["--k", "4", "--exposure", "x", "--baseline", "no.jsonl"], "no such file"),
        (["--k", "9", "--exposure", "x", "--threshold", "0.9"], "k=9"),
        (["--k", "4", "--exposure", "x", "--threshold", "90"], "[0, 1]"),
        (["--surface", "answers", "--threshold", "0.9"], "--baseline"),
        (
            ["--surface", "retries", "--k", "4", "--exposure", "x", "--baseline", "FILE"],
            "for answers and writes",
        ),
    ],
)
def test_mistakes_exit_2_with_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, argv: list[str], words: str
) -> None:
    file = write_counts(tmp_path / "run.jsonl", [8, 7, 8, 3], 8)
    code, out, err = run(capsys, file, *[str(file) if a == "FILE" else a for a in argv])
    assert code == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert 'tau-env gate new.jsonl --k 4 --exposure "four changes a year" --threshold 0.9' in out
