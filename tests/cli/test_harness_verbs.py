"""Studies on the command line: run, go on, show, replay, regrade, export; docs/harness.md."""

import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tau_env.cli.main import main
from tau_env.harness.records import read_trials

ROOT = Path(__file__).resolve().parents[2]
TAU = [sys.executable, "-m", "tau_env"]
TASK = "retail-cancel-pending-003"
AGENTS = "harness_agents:"


@pytest.fixture(autouse=True)
def at_hand(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests"))


@pytest.fixture
def tau(capsys):
    """Run the command line; returns (exit code, stdout, stderr)."""

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        told = capsys.readouterr()
        return stop.value.code or 0, told.out, told.err

    return run


@pytest.fixture
def study(tau, tmp_path):
    path = tmp_path / "s.db"
    code, out, _ = tau(
        "run", "--domain", "retail", "--agent", "reference", "--agent", "refuser", "--tasks", TASK,
        "--study", path, "--trials", "2",
    )  # fmt: skip
    assert code == 0, out
    return path


def spawn(folder, *words, **more):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    return subprocess.Popen(
        [*TAU, *map(str, words)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def count(path):
    with sqlite3.connect(path) as db:
        found = db.execute("SELECT count(*) FROM trials").fetchone()[0]
    db.close()
    return found


def test_study_has_eight_trials_unless_told(tau, tmp_path):
    path = tmp_path / "s.sqlite"
    words = ["--domain", "retail", "--agent", "silent", "--tasks", TASK]
    code, out, _ = tau("run", *words, "--out", path, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["trials"], found["planned"], found["graded"], found["passed"]) == (8, 8, 8, 0)
    assert [row["trial"] for row in found["rows"]] == list(range(8))
    assert found["labels"][0].startswith("partial: 1 of ")


def test_resume_needs_no_retyped_flags_and_runs_nothing_twice(tau, study):
    before = read_trials(study).trials
    code, out, _ = tau("run", "--study", study)
    assert code == 0
    assert "2 of 4 graded trials passed" in out
    assert read_trials(study).trials == before


def test_changed_flag_is_refused_with_the_difference(tau, study):
    code, _, err = tau("run", "--study", study, "--trials", "3", "--seed", "9")
    assert code == 2
    assert "trials: 2 in the study, 3 asked for" in err
    assert "seed: 0 in the study, 9 asked for" in err
    code, _, err = tau("run", "--study", study, "--domain", "retail", "--agent", "silent")
    assert code == 2
    assert "agent silent" in err


def test_changed_code_of_an_agent_is_refused(tau, tmp_path, monkeypatch):
    """A study goes on with the agent that it began with, or not at all."""
    module = tmp_path / "moving_agent.py"
    module.write_text("from harness_agents import Asks\nclass Mine(Asks): pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "s.db"
    words = ["--domain", "retail", "--agent", "moving_agent:Mine", "--tasks", TASK]
    assert tau("run", *words, "--study", path, "--trials", 1)[0] == 0
    module.write_text(module.read_text() + "# changed\n")
    code, _, err = tau("run", "--study", path)
    assert code == 2
    assert "agent moving_agent:Mine, code:" in err


def test_rerunning_failures_is_refused_with_the_reason(tau, study):
    code, _, err = tau("run", "--study", study, "--rerun", "failed")
    assert code == 2
    assert "pass@2" in err
    code, _, err = tau("run", "--study", study, "--rerun", "ungraded")
    assert code == 2
    assert "tau-env regrade" in err


def test_crashed_trials_are_shown_apart_and_run_again_when_told(tau, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    path = tmp_path / "s.db"
    code, out, _ = tau(
        "run", "--domain", "retail", "--agent", f"{AGENTS}CrashesAtFirst", "--tasks", TASK,
        "--setting", f"folder={marks}", "--setting", "times=4", "--trials", 2, "--study", path,
    )  # fmt: skip
    assert code == 1, "nothing was graded"
    assert "0 of 0 graded trials passed; 2 crashed of 2" in out
    assert f"tau-env run --study {path} --rerun crashed" in out
    code, out, _ = tau("run", "--study", path, "--rerun", "crashed")
    assert code == 0
    assert "of 2 graded trials passed" in out
    assert "crashed" not in out.splitlines()[-2]
    code, out, _ = tau("show", path, TASK)
    assert "Attempt 4 crashed after 0 steps: TimeoutError: no answer" in out


def test_ungraded_trial_is_told_by_the_exit_code(tau, tmp_path, monkeypatch):
    """F62, F69."""

    def broken(*_):
        raise ZeroDivisionError("judge is away")

    monkeypatch.setattr("tau_env.env.grade_full", broken)
    path = tmp_path / "s.db"
    words = ["--domain", "retail", "--agent", "reference", "--tasks", TASK, "--trials", 1]
    code, out, _ = tau("run", *words, "--study", path)
    assert code == 1
    assert "1 ungraded of 1" in out
    assert "grader: ZeroDivisionError: judge is away" in out
    monkeypatch.undo()
    code, out, _ = tau("regrade", path)
    assert code == 0, "a first grade is no difference"
    assert "0 of 1 grades are the same" in out


def test_wrong_key_ends_the_run_with_exit_one(tau, tmp_path):
    words = ["--domain", "retail", "--agent", f"{AGENTS}Crashes", "--tasks", "cancel_pending"]
    code, _, err = tau("run", *words, "--study", tmp_path / "s.db")
    assert code == 1
    assert "first 10 attempts all crashed" in err
    assert "401 wrong key" in err


def test_what_an_agent_prints_stays_out_of_the_json(tau):
    words = ["--domain", "retail", "--agent", f"{AGENTS}Floods", "--tasks", TASK, "--json"]
    _, out, err = tau("run", *words)
    assert json.loads(out)["trials"] == 1
    assert "xxxx" in err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("run", "--study", "new.db"), "needs --domain"),
        (("run", "--study", "no/such/new.db", "--domain", "retail", "--agent", "silent"), "folder"),
        (("run", "--rerun", "crashed"), "give --study"),
        (("run", "--domain", "retail", "--agent", "silent", "--k", "1"), "needs its reason"),
        (("run", "--domain", "retail", "--agent", "silent", "--out", "a.jsonl", "--study", "b.db"),
         "give one"),
        (("run", "--domain", "retail", "--agent", "silent", "--setting", "x"), "NAME=VALUE"),
        (("run", "--domain", "retail", "--agent", "silent", "--scaffold", ""), "scaffold"),
        (("run", "--domain", "retail", "--agent", "silent", "--workers", "0"), "at least 1"),
        (("run", "--domain", "retail", "--agent", "silent", "--max-tokens", "5", "--tasks", TASK),
         "no attribute 'usage'"),
        (("run", "--domain", "retail", "--agent", "silent", "--user", "nobody"), "no user"),
        (("replay", "nowhere.db"), "cannot read"),
        (("regrade", "nowhere.db"), "cannot read"),
        (("export", "nowhere.db", "--out", "a.csv"), "cannot read"),
    ],
    ids=lambda one: str(one)[:50],
)  # fmt: skip
def test_mistake_exits_two_with_one_line(tau, tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(tmp_path)
    code, out, err = tau(*words)
    assert code == 2
    assert text in err
    assert "Traceback" not in out + err
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


def test_show_picks_the_agent_and_names_the_others(tau, study):
    code, out, _ = tau("show", study, TASK, 1, "--agent", "refuser")
    assert code == 0
    assert "trial 1, agent refuser: FAILED" in out
    code, out, _ = tau("show", study, TASK)
    assert "agent reference (insider): PASSED" in out
    assert "Also there: trial" in out
    code, _, err = tau("show", study, TASK, "--agent", "refusr")
    assert code == 2
    assert "Did you mean 'refuser'?" in err


def test_replay_of_a_study_is_identical(tau, study):
    code, out, _ = tau("replay", study, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["identical"], found["skipped"], len(found["rows"])) == (4, 0, 4)
    code, out, _ = tau("replay", study, TASK, 0, "--agent", "refuser")
    assert "1 of 1 trials are identical" in out


def edit(path, change):
    """Change the stored trial of the first row."""
    db = sqlite3.connect(path)
    body = json.loads(db.execute("SELECT json FROM trials WHERE rowid = 1").fetchone()[0])
    change(body)
    with db:
        db.execute("UPDATE trials SET json = ? WHERE rowid = 1", (json.dumps(body),))
    db.close()


def test_replay_that_differs_exits_one_and_shows_the_turn(tau, study):
    edit(study, lambda body: body["transcript"][0].update(text="Something else."))
    code, out, _ = tau("replay", study)
    assert code == 1
    assert "3 of 4 trials are identical" in out
    assert "differs in turn 1" in out
    assert "Something else." in out


def test_regrade_finds_a_doctored_grade(tau, study, tmp_path):
    """F92, F107: a record cannot claim what its own transcript does not show."""
    edit(study, lambda body: body["grade"].update(passed=not body["grade"]["passed"]))
    code, out, _ = tau("regrade", study, "--json", "--out", tmp_path / "new.jsonl")
    assert code == 1
    (bad,) = (row for row in json.loads(out)["rows"] if not row["same"])
    assert bad["stored"] != bad["now"]
    assert tau("regrade", tmp_path / "new.jsonl")[0] == 0


def test_regrade_of_foreign_graders_is_refused_unless_told(tau, study):
    edit(study, lambda body: body["digests"].update(graders="0123456789abcdef"))
    code, _, err = tau("regrade", study)
    assert code == 2
    assert "--foreign" in err
    assert tau("regrade", study, "--foreign")[0] == 0


def test_export_rescues_what_a_torn_study_holds(tau, study, tmp_path):
    db = sqlite3.connect(study)
    with db:
        db.execute("UPDATE trials SET json = 'torn' WHERE rowid = 2")
    db.close()
    code, out, err = tau("export", study, "--out", tmp_path / "rescued.jsonl")
    assert code == 0
    assert "3 trials" in out
    assert "row 2" in err
    assert len(read_trials(tmp_path / "rescued.jsonl").trials) == 3


def test_export_without_clock_gives_the_same_bytes_for_the_same_plan(tau, study, tmp_path):
    other = tmp_path / "t.db"
    tau(
        "run", "--domain", "retail", "--agent", "reference", "--agent", "refuser", "--tasks", TASK,
        "--study", other, "--trials", "2", "--workers", 2,
    )  # fmt: skip
    texts = []
    for path in (study, other):
        out = path.with_suffix(".jsonl")
        tau("export", path, "--no-clock", "--out", out)
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]


GRID = ["--domain", "retail", "--agent", f"{AGENTS}Draws", "--tasks", "retail-cancel-pending-00*"]


@pytest.mark.parametrize(
    ("how", "workers"),
    [(signal.SIGKILL, 1), (signal.SIGKILL, 2), (signal.SIGINT, 2), (signal.SIGTERM, 1)],
)
def test_stopped_process_is_gone_on_with(tmp_path, how, workers):
    """F111, F112: whatever stops it, what is finished stays, and only the rest is run."""
    path = tmp_path / "s.db"
    words = ["run", *GRID, "--study", path, "--trials", 40, "--workers", workers]
    process = spawn(tmp_path, *words, start_new_session=True)
    while process.poll() is None and (not path.exists() or _size(path) < 10):
        time.sleep(0.05)
    process.send_signal(how)
    stopped = time.monotonic()
    process.communicate(timeout=10)
    assert time.monotonic() - stopped < 5
    kept = _size(path)
    total = 40 * 9
    assert 10 <= kept < total, "it was stopped in the middle"
    if how == signal.SIGINT:
        assert process.returncode == 130
    before = {(t.task, t.trial): t for t in read_trials(path).trials}
    again = spawn(tmp_path, "run", "--study", path, "--json")
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0, err
    assert json.loads(out)["trials"] == total
    after = {(t.task, t.trial): t for t in read_trials(path).trials}
    assert len(after) == count(path) == total
    assert all(after[slot] == trial for slot, trial in before.items())


def _size(path):
    try:
        return count(path)
    except sqlite3.Error:
        return 0


def test_progress_on_a_terminal_and_silence_in_a_pipe(tmp_path):
    import pty

    process = spawn(tmp_path, "run", *GRID, "--study", "quiet.db", "--trials", 1)
    _, err = process.communicate(timeout=60)
    assert err == ""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "TERM": "xterm"}
    environment["COLUMNS"] = "200"
    words = [*TAU, "run", *map(str, GRID), "--study", "loud.db", "--trials", "4"]
    loud = subprocess.Popen(
        words, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    heard = b""
    while True:
        try:
            heard += (piece := os.read(ours, 4096))
        except OSError:
            break
        if not piece:
            break
    os.close(ours)
    assert loud.wait(timeout=60) == 0
    text = heard.decode("utf-8", "replace")
    assert re.search(r"of 36: \d+ passed, \d+ failed, 0 crashed, 0 ungraded", text)
    assert re.search(r"[\d.]+ a second, \d+ s to go", text)


BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def test_page_of_the_harness_does_what_it_says(tmp_path):
    page = (ROOT / "docs" / "harness.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    assert {kind for kind, _ in blocks} == {"console", "python"}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for kind, body in blocks:
        if kind == "python":
            words = [sys.executable, "-W", "error", "-c", body]
            done = subprocess.run(words, cwd=tmp_path, env=environment, check=False)
            assert done.returncode == 0
            continue
        for part in re.split(r"^\$ tau-env ", body, flags=re.M)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            done = subprocess.run(
                [*TAU, *shlex.split(command)],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, ""), command
            pattern = "".join(
                "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in lines
            )
            assert re.fullmatch(pattern, done.stdout), f"{command}:\n{done.stdout}"
