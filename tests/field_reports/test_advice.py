"""What an error advises is done literally, and then it works; nothing ends in a silent zero."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tau_env.cli.main import main

TASK = "retail-cancel-pending-003"
Told = tuple[int, str, str]
Run = Callable[..., Told]


@pytest.fixture
def tau(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line: exit code, standard output, standard error."""

    def run(*words: str) -> Told:
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        told = capsys.readouterr()
        return int(stop.value.code or 0), told.out, told.err

    return run


@pytest.fixture
def folder(tau: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with trials of two agents, an agent of the caller's, and family tasks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    agents = "from tau_env.agents.floors import Silent\n\n\nclass Mine(Silent):\n    pass\n"
    (tmp_path / "advice_agents.py").write_text(agents, encoding="utf-8")
    plan = ("run", "--domain", "retail", "--agent", "silent", "--agent", "parrot")
    assert tau(*plan, "--tasks", TASK, "--trials", "2", "--out", "two.jsonl")[0] == 0
    return tmp_path


RUN = "run --domain retail --agent silent --tasks cancel_pending"
MISTAKES = [
    (RUN, "run", "rnu"),
    (RUN, "retail", "retial"),
    (RUN, "silent", "slient"),
    (RUN, "cancel_pending", "cancel_pendnig"),
    (f"run --domain retail --agent silent --tasks {TASK}", TASK, "retail-cancel-pendng-003"),
    ("run --domain retail --agent advice_agents:Mine --tasks fallback", "Mine", "Mime"),
    (f"tasks show {TASK}", TASK, "retail-cancel-pendng-003"),
    ("tasks list --domain retail", "retail", "retal"),
    ("tasks generate --domain retail --family fallback --seed 2 --out o", "fallback", "falback"),
    ("domain retail", "retail", "retai"),
    ("floors --domain retail --agent silent", "silent", "sillent"),
    (f"audit --domain retail --task {TASK} --kind longer --workers 1", "longer", "langer"),
    (f"show two.jsonl {TASK} --agent silent", TASK, "retail-cancel-pendng-003"),
    (f"show two.jsonl {TASK} --agent silent", "silent", "silnt"),
    ("passk two.jsonl --agent silent", "silent", "silnt"),
]


@pytest.mark.parametrize(("right", "name", "wrong"), MISTAKES, ids=lambda one: one.split()[0])
def test_f136_advice_about_a_wrong_name_is_followed_and_works(
    tau: Run, folder: Path, right: str, name: str, wrong: str
) -> None:
    mistaken = right.replace(name, wrong)
    assert mistaken != right
    code, out, err = tau(*shlex.split(mistaken))
    assert code == 2, out + err
    advised = re.search(r"Did you mean '([^']+)'\?", err)
    assert advised, err
    code, out, err = tau(*shlex.split(mistaken.replace(wrong, advised[1])))
    assert code == 0, out + err


@pytest.mark.parametrize(
    "mistaken",
    [
        "xyzzy",
        "tasks show xyzzy",
        "run --domain retail --agent silent --tasks xyzzy",
        "run --agent silent",
        "play --domain retail --task xyzzy",
    ],
)
def test_f136_command_that_an_error_names_runs(tau: Run, folder: Path, mistaken: str) -> None:
    code, _, err = tau(*shlex.split(mistaken))
    assert code == 2
    named = re.findall(r"`tau-env ([^`]+)`", " ".join(err.split()))
    assert named, err
    for command in named:
        code, out, err = tau(*shlex.split(command))
        assert code == 0, out + err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("run --domain retail --agent silent --tasks nothing", "no task or family 'nothing'"),
        ("run --domain retail --agent silent --trials 0", "at least 1"),
        ("audit --domain retail --task nothing --workers 1", "no task or family 'nothing'"),
        ("passk empty.jsonl", "holds no record"),
        ("compare empty.jsonl two.jsonl", "holds no record"),
        ("report empty.jsonl", "no trial in it"),
        ("export empty.jsonl --out all.csv", "no trial in it"),
        ("regrade empty.jsonl", "no trial in it"),
        ("replay empty.jsonl", "no trial in it"),
        ("check --domain retail empty.json", "0 of 1 laws hold"),
    ],
)
def test_f126_nothing_to_run_or_read_is_an_error_and_no_zero(
    tau: Run, folder: Path, words: str, reason: str
) -> None:
    (folder / "empty.jsonl").write_text("", encoding="utf-8")
    (folder / "empty.json").write_text(json.dumps({"family": "x", "tasks": []}), encoding="utf-8")
    code, out, err = tau(*shlex.split(words))
    assert code != 0
    assert reason in out + err
    assert "0 of 0" not in out
