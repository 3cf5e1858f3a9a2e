"""The verb `compare` from the outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from records import drawn, write_counts

from tau_env.cli.main import main
from tau_env.stats.comparison import compare_agents

Two = tuple[list[Path], tuple[NDArray[np.int64], NDArray[np.int64]]]


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[Any, str, str]:
    """Exit code, output and error of one command line."""
    with pytest.raises(SystemExit) as stop:
        main(["compare", *map(str, argv)])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


@pytest.fixture
def two(tmp_path: Path) -> Two:
    rng = np.random.default_rng(1)
    rate = rng.beta(0.8, 0.6, size=150)
    passes = rng.binomial(4, np.minimum(rate + 0.15, 1)), rng.binomial(4, rate)
    files = [
        write_counts(tmp_path / f"{name}.jsonl", c.tolist(), 4)
        for name, c in zip(("better", "worse"), passes, strict=True)
    ]
    return files, passes


def test_rows_are_what_the_statistics_say(capsys: pytest.CaptureFixture[str], two: Two) -> None:
    files, (first, second) = two
    code, out, _ = run(capsys, *files, "--json", "--seed", 5)
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [row["k"] for row in rows] == [1, 2, 4]
    for row in rows:
        found = compare_agents(first, 4, second, 4, row["k"], rng=np.random.default_rng(5))
        assert row["difference"] == found.difference
        assert (row["low"], row["high"], row["p_value"]) == (found.low, found.high, found.p_value)
        assert row["pass_first"] - row["pass_second"] == pytest.approx(row["difference"])
        assert row["verdict"] == "first better"
        assert (row["higher"], row["lower"]) == (len(found.higher), len(found.lower))


def test_changed_tasks_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first = write_counts(tmp_path / "a.jsonl", [4, 4, 0, 2], 4)
    second = write_counts(tmp_path / "b.jsonl", [4, 0, 4, 1], 4)
    _, out, _ = run(capsys, first, second, "--k", "1")
    assert "pass^1 higher on 2 tasks: t001, t003" in out
    assert "pass^1 lower on 1 tasks: t002" in out


def test_f105_two_points_on_fifty_tasks_are_within_noise(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(2)
    passes = np.array(drawn(rng, tasks=50, trials=4, a=1.0, b=1.0))
    other = rng.permuted(passes)
    other[np.flatnonzero(other < 4)[:4]] += 1
    first = write_counts(tmp_path / "a.jsonl", other.tolist(), 4)
    second = write_counts(tmp_path / "b.jsonl", passes.tolist(), 4)
    _, out, _ = run(capsys, first, second, "--k", "1", "--json")
    row = json.loads(out)["rows"][0]
    assert row["difference"] == pytest.approx(0.02)
    assert row["verdict"] == "within noise"
    assert row["detectable"] > 0.05


def test_other_tasks_are_left_out_and_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first = write_counts(tmp_path / "a.jsonl", [1, 2, 2, 1, 0], 2)
    second = write_counts(tmp_path / "b.jsonl", [1, 2, 1], 2)
    _, out, _ = run(capsys, first, second, "--json")
    shown = json.loads(out)
    assert shown["rows"][0]["M"] == 3
    assert any("2 tasks of" in note for note in shown["notes"])


def test_faults_of_a_file_are_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first = write_counts(tmp_path / "a.jsonl", [1, 2, 2], 2)
    second = write_counts(tmp_path / "b.jsonl", [1, 2, 1], 2)
    second.write_text(second.read_text() + second.read_text().splitlines()[0] + "\n")
    _, out, _ = run(capsys, first, second, "--k", "1")
    assert "has 1 faults" in out


def test_three_runs_are_compared_in_pairs_with_corrected_p_values(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, two: Two
) -> None:
    (better, worse), _ = two
    third = write_counts(tmp_path / "third.jsonl", [1] * 150, 4)
    _, out, _ = run(capsys, better, worse, third, "--k", "1", "--json")
    rows = json.loads(out)["rows"]
    assert len(rows) == 3
    assert all(row["p_adjusted"] >= row["p_value"] for row in rows)
    assert max(row["p_adjusted"] / row["p_value"] for row in rows) > 1


def test_two_agents_of_one_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    one = write_counts(tmp_path / "x.jsonl", [2, 2, 1, 2], 2, agent="one").read_text()
    two = write_counts(tmp_path / "y.jsonl", [1, 0, 1, 2], 2, agent="two").read_text()
    path.write_text(one + two)
    code, out, _ = run(capsys, f"{path}@one", f"{path}@two", "--k", "2", "--json")
    assert code == 0
    assert json.loads(out)["rows"][0]["difference"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["A"], "at least two runs"),
        (["A", "A"], "given twice"),
        (["A", "nothing.jsonl"], "no such file"),
        (["A", "B", "--k", "9"], "k=9"),
        (["A", "OTHER"], "no task in common"),
        (["A", "B", "--population", "new-families"], "family label"),
    ],
)
def test_mistakes_exit_2_with_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, argv: list[str], words: str
) -> None:
    files = {
        "A": write_counts(tmp_path / "a.jsonl", [1, 2, 2], 2),
        "B": write_counts(tmp_path / "b.jsonl", [1, 2, 1], 2),
        "OTHER": tmp_path / "c.csv",
    }
    files["OTHER"].write_text("task,trial,passed\nz,0,1\n", encoding="utf-8")
    code, out, err = run(capsys, *[files.get(a, a) for a in argv])
    assert code == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "tau-env compare new.jsonl old.jsonl" in out
