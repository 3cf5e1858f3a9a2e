"""Careless and hostile input on the command line: one line that says what to do, nothing lost."""

import json
import os
import pty
import shlex
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


@pytest.fixture
def lines(tau, tmp_path):
    """A file of four trials."""
    tau(*RUN, "--agent", "reference", "--agent", "refuser", "--trials", 2, "--out", "four.jsonl")
    return tmp_path / "four.jsonl"


def test_byte_order_mark_and_foreign_line_ends_lose_no_trial(tau, lines):
    marked = lines.with_name("marked.jsonl")
    marked.write_bytes(b"\xef\xbb\xbf" + lines.read_bytes().replace(b"\n", b"\r\n"))
    _, out, err = tau("replay", marked)
    assert (out, err) == ("4 of 4 trials are identical\n", "")


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", 10**40), ("seed", -1), ("trial", -3), ("task", ""), ("seconds", "soon")],
)
def test_row_that_no_run_writes_is_named_and_the_rest_is_used(tau, lines, field, value):
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    rows[1][field] = value
    bad = lines.with_name("bad.jsonl")
    bad.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, out, err = tau("replay", bad)
    assert code == 0
    assert out == "3 of 3 trials are identical\n"
    assert f"bad.jsonl, line 2: {field}: " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("verb", "more"), [("regrade", []), ("export", []), ("known-truth", ["--quick"])]
)
def test_file_that_cannot_be_written_is_refused_before_the_work(
    tau, lines, monkeypatch, verb, more
):
    def never(*_, **__):
        raise AssertionError("it was played or judged")

    monkeypatch.setattr("tau_env.cli.regrade.regrade_trial", never)
    monkeypatch.setattr("tau_env.cli.known_truth.found_truth", never)
    before = lines.read_bytes()
    taken = lines.with_name("taken.csv")
    taken.touch()
    option = "--truth" if verb == "known-truth" else "--out"
    file = [] if verb == "known-truth" else [lines]
    for target, told in ((taken, "exists and is not overwritten"), ("no/such/f.csv", "no folder")):
        code, out, err = tau(verb, *file, *more, option, target)
        assert (code, out) == (2, "")
        assert told in err
    assert lines.read_bytes() == before
    assert taken.read_bytes() == b""


def test_folder_is_no_study(tau, tmp_path):
    (tmp_path / "d.db").mkdir()
    code, _, err = tau(*RUN, "--agent", "silent", "--study", "d.db")
    assert code == 2
    assert "d.db is a folder; name a file, such as d.db/mine.db" in err
    assert [one.name for one in tmp_path.iterdir()] == ["d.db"]


def test_study_of_other_code_says_what_to_do(tau, monkeypatch):
    tau(*RUN, "--agent", "silent", "--trials", 1, "--study", "s.db")
    monkeypatch.setattr("tau_env.harness.provenance.graders_digest", lambda: "0123456789abcdef")
    code, _, err = tau("run", "--study", "s.db")
    assert code == 2
    assert "digests, graders: " in err
    assert "What is installed has changed since: go on with what began it" in err
    code, _, err = tau("run", "--study", "s.db", "--trials", 2)
    assert code == 2
    assert "Leave the changed settings out to go on with it" in err


@pytest.mark.parametrize("name", ["größe 🙂 %41?#.db", "a b'c.jsonl", "-x.db"])
def test_odd_file_name_is_a_name(tau, tmp_path, name):
    """And the command that is offered can be pasted into a shell."""
    words = [*RUN, "--agent", "refuser", "--trials", 1, f"--out={name}"]
    code, out, _ = tau(*words)
    assert code == 0
    assert (tmp_path / name).exists()
    command, program, *show = shlex.split(out.splitlines()[-1].split("one with: ")[1])
    assert (command, program) == ("tau-env", "show")
    assert tau(program, *show)[0] == 0
    assert tau("replay", f"./{name}")[1] == "1 of 1 trials are identical\n"


def test_write_that_fails_midway_keeps_the_trials_before(tmp_path):
    """A file that may not grow, as on a full disk: what is finished stays, and is gone on with."""
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from tau_env.cli.main import main; main(sys.argv[2:])"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}

    def run(limit, *words):
        command = [sys.executable, "-c", code, str(limit), *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    words = [*RUN, "--agent", "harness_agents:Draws", "--trials", "60"]
    for target in ("full.jsonl", "full.db"):
        done = run(200_000, *words, "--out", target)
        assert done.returncode == 2
        assert done.stderr.startswith("tau-env: cannot write")
        assert done.stderr.count("\n") == 1
    kept = (tmp_path / "full.jsonl").read_text().splitlines()
    assert all(json.loads(line)["status"] == "graded" for line in kept[:-1])
    assert f"it holds {len(kept) - 1} trials" in run(200_000, *words, "--out", "again.jsonl").stderr
    again = run(10**9, "run", "--study", "full.db", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["trials"] == 60
