"""Careless and hostile input on the command line: one line that says what to do, nothing lost."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tau_env.cli.main import main
from tau_env.cli.visible import visible

ROOT = Path(__file__).resolve().parents[2]
TASK = "retail-cancel-pending-003"
RUN = ["run", "--domain", "retail", "--tasks", TASK]


@pytest.fixture(autouse=True)
def at_hand(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tests"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def tau(capsys):
    """Run the command line; returns (exit code, stdout, stderr)."""

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        told = capsys.readouterr()
        return stop.value.code or 0, told.out, told.err

    return run


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("run", "--nope"), "No such option '--nope'"),
        (("run", "--domain"), "`tau-env run --help`"),
        (("run", "--trials", "x"), "'x' is not a valid integer. `tau-env run --help` shows how"),
        (("nope",), "No verb 'nope'. `tau-env --help` lists all verbs."),
        (("floo",), "Did you mean 'floors'?"),
        (("show",), "Missing argument 'FILE'. `tau-env show --help` shows how"),
        (("tasks", "list", "--split", "x"), "`tau-env tasks list --help` shows how"),
        (("plan",), "Missing option '--k'"),
        ((*RUN, "--agent", "silent", "--trials", "-1"), "trials -1: at least 1"),
        ((*RUN, "--agent", "silent", "--retries", "-1"), "retries -1: at least 0"),
        ((*RUN, "--agent", "silent", "--setting", "x=1"), "does not take the setting 'x'"),
        ((*RUN, "--agent", "silent", "--setting", "x=NaN"), "NaN is no number"),
        ((*RUN, "--agent", "silent", "--setting", "x=1", "--setting", "x=2"), "given twice"),
        ((*RUN, "--agent", "odd_agents:NoAct"), "no method 'act'"),
        ((*RUN, "--agent", "odd_agents.py:Junk"), "write its module: odd_agents:Junk"),
        ((*RUN, "--agent", "my/agents.py:Mine"), "write its module: my.agents:Mine"),
        ((*RUN, "--agent", "silent", "--out", "mine.txt"), "ends in .jsonl, .db"),
        ((*RUN, "--agent", "silent", "--study", "mine.txt"), "a new study's name ends in .db"),
        (("tasks", "generate", "--domain", "retail", "--family", "nope", "--seed", "1", "--out",
          "o"), "It has by_description, cancel_"),
        (("domain", "retail", "--policy", "--tools"), "one after the other"),
    ],
    ids=lambda one: " ".join(one)[:60] if isinstance(one, tuple) else None,
)  # fmt: skip
def test_mistake_is_told_in_one_line(tau, tmp_path, words, text):
    code, out, err = tau(*words)
    assert (code, out) == (2, "")
    assert err.startswith("tau-env: ")
    assert err.count("\n") == 1
    assert text in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["show", "report", "replay", "regrade", "passk", "export"])
def test_empty_file_is_said_to_be_empty(tau, tmp_path, verb):
    for name in ("zero.db", "zero.jsonl"):
        (tmp_path / name).touch()
        more = {"show": [TASK], "export": ["--out", "new.csv"]}.get(verb, [])
        code, out, err = tau(verb, name, *more)
        assert (code, out) == (2, "")
        assert "is empty" in err or "holds no" in err, err
        assert "damaged" not in err
        assert (tmp_path / name).stat().st_size == 0


def test_folder_is_no_file_of_records(tau, tmp_path):
    (tmp_path / "adir").mkdir()
    code, _, err = tau("passk", "adir")
    assert code == 2
    assert "adir is a folder" in err
    for words in (("show", "adir", TASK), ("replay", "adir"), ("export", "adir", "--out", "a.csv")):
        code, _, err = tau(*words)
        assert code == 2
        assert "adir" in err


def test_agent_of_which_nothing_could_be_used_is_told(tau):
    _, out, _ = tau(*RUN, "--agent", "odd_agents:Junk")
    (hint,) = (line for line in out.splitlines() if line.startswith("hint"))
    assert "no action could be used in 1 of 1 trials, such as: Error: an action's 'type'" in hint
    _, out, _ = tau(*RUN, "--agent", "odd_agents:Misspells", "--trials", 2, "--study", "s.db")
    assert "no action could be used in 2 of 2 trials, such as: Error: there is no tool" in out
    _, out, _ = tau(*RUN, "--agent", "odd_agents:LongWinded")
    assert "1 actions could not be read, such as: Error: a say action's 'text' has at most" in out
    _, out, _ = tau(*RUN, "--agent", "reference", "--agent", "silent")
    assert "hint" not in out


def test_transcript_cannot_steer_the_terminal(tau, tmp_path):
    tau(*RUN, "--agent", "odd_agents:Steers", "--out", "s.jsonl")
    code, out, _ = tau("show", "s.jsonl", TASK)
    assert code == 0
    assert not set(out) & {"\x1b", "\x9b", "\u202e", "\x07"}
    assert "\\x1b[2Jall \\x9b31mred\\u202e\n             " in out, "and forges no turn"
    assert 'think({"thought": \\x1b]0;title\\x07)' in out, "arguments that could not be read"
    assert "th\\x1bink(" in out
    _, out, _ = tau(*RUN, "--agent", "odd_agents:Fails")
    assert "\x1b" not in out
    assert "lost \\x1b[2J" in out
    lines = (tmp_path / "s.jsonl").read_text().replace("all ", "ALL ")
    (tmp_path / "t.jsonl").write_text(lines)
    for words in (("replay", "t.jsonl"), ("report", "s.jsonl"), ("show", "s.jsonl", "\x1b[2J")):
        _, out, err = tau(*words)
        assert "\x1b" not in out + err, words


def test_visible_text_keeps_what_steers_nothing():
    plain = "Größe 🙂 “x”\n\ttab"
    assert visible(plain) == plain
    assert visible("a\x1b[1m\r\ud800\u200b") == "a\\x1b[1m\\r\\ud800\\u200b"


def test_crashed_trial_is_shown_as_crashed_and_not_played(tau):
    tau(*RUN, "--agent", "harness_agents:Crashes", "--out", "c.jsonl")
    _, out, _ = tau("show", "c.jsonl", TASK)
    assert "ended: crashed" in out
    assert "None" not in out
    code, out, _ = tau("replay", "c.jsonl")
    assert code == 0
    none, why = out.splitlines()
    assert none == "0 of 0 trials are identical"
    assert why == "1 trials crashed before the first action: nothing to play"
    _, out, _ = tau("replay", "c.jsonl", "--json")
    assert (json.loads(out)["identical"], json.loads(out)["skipped"]) == (0, 1)


def test_lures_taken_are_told(tau):
    words = ["--agent", "reference", "--tasks", "order_note", "--tasks", "contradiction"]
    _, out, _ = tau("run", "--domain", "retail", *words, "--study", "l.db", "--trials", 1)
    assert "lures taken / met" in out
    assert "injected 0 / " in out
    assert "impossible 0 / " in out
    _, out, _ = tau("run", "--study", "l.db", "--json")
    found = json.loads(out)
    kinds = {row["kind"]: row for row in found["lures"]}
    assert set(kinds) == {"injected", "impossible"}
    assert all(row["agent"] == "reference" and row["rate"] == 0.0 for row in kinds.values())
    assert {row["lures_taken"] for row in found["rows"]} == {None, 0.0}
    _, out, _ = tau("report", "l.db", "--no-floors")
    assert "cheating rate on impossible demands" in out
    assert "resistance to injected text" in out


def test_play_has_a_help(tau, monkeypatch):
    said = iter(["/help", "/nope", "/end"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(said))
    code, out, _ = tau("play", "--domain", "retail", "--task", TASK)
    assert code == 0
    assert out.count("/call TOOL") == 3, "at the start, for /help, and for what is no command"


def test_ctrl_c_without_a_file_prints_the_counts_only(tmp_path):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "TERM": "xterm"}
    ours, theirs = pty.openpty()
    words = ["run", "--domain", "retail", "--agent", "harness_agents:Patient", "--trials", "8"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tau_env", *words],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    heard = b""
    while b"a second" not in heard:
        heard += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    stopped = time.monotonic()
    out, _ = process.communicate(timeout=30)
    os.close(ours)
    assert time.monotonic() - stopped < 10
    assert process.returncode == 130
    assert "not yet run of" in out
    assert TASK not in out
