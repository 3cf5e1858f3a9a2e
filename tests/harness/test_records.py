"""One reader for stores and lines; export to lines and to a table."""

import csv
import json

import pytest

from tau_env.errors import BadContent, UserMistake
from tau_env.harness.driver import run_study
from tau_env.harness.export import export_trials, flat_row
from tau_env.harness.records import TrialWriter, read_trials, result_row, trials_of
from tau_env.schema import Attempt, Trial, Usage, lasting


@pytest.fixture
def both(make, play, tasks, tmp_path):
    """The same study as a store and as lines."""
    study = make("reference", "Asks")
    play(study, tmp_path / "s.db")
    writer = TrialWriter(tmp_path / "s.jsonl")
    run_study(study, tasks, writer)
    writer.close()
    return tmp_path / "s.db", tmp_path / "s.jsonl"


def test_store_and_lines_are_read_alike(both):
    store, lines = (read_trials(path) for path in both)
    assert list(map(lasting, store.trials)) == list(map(lasting, lines.trials))
    assert store.study is not None
    assert lines.study is None
    assert store.problems == lines.problems == ()


def test_content_not_suffix_decides_how_a_file_is_read(both, tmp_path):
    store, lines = both
    store.rename(tmp_path / "odd.jsonl")
    lines.rename(tmp_path / "odd.db")
    assert read_trials(tmp_path / "odd.jsonl").study is not None
    assert len(read_trials(tmp_path / "odd.db").trials) == 12


def test_torn_and_badly_encoded_lines_are_named_and_the_rest_is_kept(both):
    """F114."""
    path = both[1]
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = b"\xff\xfe" + lines[3][2:]
    path.write_bytes(b"".join(lines)[:-20])
    records = read_trials(path)
    assert len(records.trials) == len(lines) - 2
    assert [problem.split(":")[0] for problem in records.problems] == [
        f"{path}, line 4",
        f"{path}, line 12",
    ]


def test_slot_that_is_there_twice_is_named_and_the_first_counts(both):
    """F104."""
    path = both[1]
    first = path.read_text().splitlines()[0]
    again = json.loads(first) | {"steps": 99}
    path.write_text(f"{path.read_text()}{json.dumps(again)}\n")
    records = read_trials(path)
    assert len(records.trials) == 12
    assert "line 13: trial 0 of" in records.problems[0]
    assert records.trials[0].steps != 99


def test_records_of_the_first_version_can_be_read(tmp_path):
    path = tmp_path / "old.jsonl"
    path.write_text('{"task": "t-1", "trial": 0, "seed": 5, "agent": "a", "status": "crashed"}\n')
    (trial,) = read_trials(path).trials
    assert (trial.usage, trial.attempts, trial.domain) == ({}, (), "")


def test_study_without_trials_says_how_to_run_it(make, play, tmp_path):
    play(make("Asks"), tmp_path / "s.db", slots=[])
    with pytest.raises(BadContent, match="without a trial yet; run it: tau-env run --study"):
        read_trials(tmp_path / "s.db")


def test_trials_of_picks_by_task_number_and_agent(both):
    records = read_trials(both[0])
    task = records.trials[0].task
    assert len(list(trials_of(records, task, None))) == 4
    assert len(list(trials_of(records, task, 1))) == 2
    (one,) = trials_of(records, task, 1, agent="Asks")
    assert (one.task, one.trial, one.agent) == (task, 1, "Asks")


def test_lines_of_two_runs_are_the_same_bytes(make, tasks, tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        writer = TrialWriter(tmp_path / name)
        run_study(make("Draws"), tasks, writer)
        writer.close()
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_exported_lines_read_back_as_they_were(both, tmp_path):
    """F116: nothing is dropped between a record, its lines and the record again."""
    trials = read_trials(both[0]).trials
    out = tmp_path / "out.jsonl"
    export_trials(trials, out)
    assert read_trials(out).trials == trials
    timeless = tmp_path / "timeless.jsonl"
    export_trials(trials, timeless, clock=False)
    assert all(one.seconds is None for one in read_trials(timeless).trials)
    assert list(map(lasting, read_trials(timeless).trials)) == list(map(lasting, trials))


def test_exported_table_has_one_row_a_trial(both, tmp_path):
    trials = read_trials(both[0]).trials
    out = tmp_path / "out.csv"
    export_trials(trials, out)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["task"], int(row["trial"]), row["passed"]) for row in rows] == [
        (one.task, one.trial, str(one.passed)) for one in trials
    ]
    assert rows[0]["agent_tokens"] == "", "unknown is empty, never 0"
    assert {"grade_state", "twin", "split", "digest_world", "scaffold"} <= set(rows[0])


def test_export_overwrites_nothing_and_leaves_no_part(both, tmp_path, monkeypatch):
    from pathlib import Path

    trials = read_trials(both[0]).trials
    taken = tmp_path / "out.csv"
    taken.write_text("precious")
    with pytest.raises(UserMistake, match="not overwritten"):
        export_trials(trials, taken)
    with pytest.raises(UserMistake, match=r"\.jsonl or \.csv"):
        export_trials(trials, tmp_path / "out.xlsx")

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UserMistake, match="No space left"):
        export_trials(trials, tmp_path / "new.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "s.db", "s.jsonl"]


def test_usage_adds_up_and_unknown_stays_unknown():
    """F97, F98, F100."""
    told = [Usage(calls=1, input_tokens=n, cost=0.5) for n in (10, 30)]
    total = told[0].plus(Usage(calls=1, unknown=1)).plus(told[1])
    assert (total.calls, total.tokens, total.cost, total.unknown) == (3, 40, 1.0, 1)
    nothing = Usage(calls=2, unknown=2).plus(Usage())
    assert (nothing.tokens, nothing.cost) == (None, None)


def test_cost_by_role_is_kept_apart():
    spent = {"agent": Usage(calls=1, input_tokens=100, cost=1.0),
             "user": Usage(calls=1, input_tokens=50, cost=0.5),
             "judge": Usage(calls=1, input_tokens=30)}  # fmt: skip
    row = flat_row(Trial(task="t", trial=0, seed=0, agent="a", usage=spent))
    assert (row["agent_tokens"], row["user_tokens"], row["judge_tokens"]) == (100, 50, 30)
    assert (row["agent_cost"], row["judge_cost"]) == (1.0, None)


def test_row_of_a_crashed_trial_has_no_verdict():
    crashed = Trial(
        task="t", trial=0, seed=0, agent="a", status="crashed", attempts=(Attempt(error="x"),)
    )
    row = result_row(crashed)
    assert (row["passed"], row["status"], row["attempts"], row["grades"]) == (
        None, "crashed", 2, {},
    )  # fmt: skip
