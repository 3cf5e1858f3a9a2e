"""`run` with a model as the customer, from the outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chat_server
import pytest
from chat_server import ChatServer
from played import Customer

from tau_env.chat import forget_endpoints
from tau_env.cli.main import main
from tau_env.harness.grid import choose_tasks
from tau_env.harness.records import read_trials
from tau_env.users.casting import PROMPT

TASK = "retail-cancel-pending-003"
RUN = ("run", "--domain", "retail", "--agent", "reference", "--tasks", TASK)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("MODEL", "USER_MODEL", "BASE_URL", "USER_BASE_URL"):
        monkeypatch.delenv(f"TAU_ENV_{name}", raising=False)
    monkeypatch.setenv("TAU_ENV_RETRIES", "0")
    yield
    forget_endpoints()


@pytest.fixture
def tau(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*argv: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([*map(str, argv)])
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


def test_customer_by_options_is_played_recorded_and_gone_on_with(tau: Any, tmp_path: Path) -> None:
    study = ("--study", tmp_path / "s.db")
    with ChatServer(Customer(choose_tasks("retail", (TASK,)))) as server:
        options = ("--user-model", "m", "--user-base-url", server.url, "--user-temperature", 0.5)
        manner = ("--user-setting", "style=terse")
        code, out, _ = tau(*RUN, "--user", "model", *options, *manner, "--trials", 2, *study)
        calls = len(server.asked)
        assert tau("run", *study)[0] == 0
        assert tau("run", *study, "--user", "model", *options, *manner)[0] == 0
        assert len(server.asked) == calls, "nothing was missing"
        code_other, _, err = tau(
            "run", *study, "--user-model", "other", "--user-base-url", server.url
        )
    assert code == 0
    assert "spent by the user:" in out
    assert code_other == 2
    assert "user_settings" in err
    wanted = {"model": "m", "base_url": server.url, "temperature": 0.5, "style": "terse"}
    for trial in read_trials(tmp_path / "s.db").trials:
        assert trial.user_settings == {**wanted, "prompt": PROMPT}
        assert trial.style == "terse"
        assert trial.passed


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--user-model", "m"), "add --user model"),
        (("--user", "model"), "the user is played by a model and none is named"),
        (("--user", "model", "--user-model", "m", "--user-setting", "model=n"), "given twice"),
        (("--user", "model", "--user-model", "m", "--user-setting", "style=odd"), "style 'odd'"),
        (("--user", "modle", "--user-model", "m"), "Did you mean 'model'"),
    ],
)
def test_options_for_a_customer_that_cannot_be_are_told_in_a_line(
    tau: Any, options: tuple[str, ...], hint: str
) -> None:
    address = ("--user-base-url", "http://127.0.0.1:9/v1") if "m" in options else ()
    code, out, err = tau(*RUN, *options, *address)
    assert (code, out) == (2, "")
    assert hint in err
    assert err.count("\n") == 1


def test_faults_of_the_customer_are_told_and_are_no_average(tau: Any) -> None:
    model = ("--user", "model", "--user-model", "m", "--user-base-url")
    with ChatServer(lambda asked: chat_server.says("I would like to cancel.")) as server:
        code, out, _ = tau(*RUN, *model, server.url, "--json")
    assert code == 1
    found = json.loads(out)
    assert (found["ungraded"], found["graded"]) == (1, 0)
    assert found["rows"][0]["passed"] is None
    with ChatServer(lambda asked: chat_server.WRONG_KEY) as server:
        code, out, _ = tau(*RUN, *model, server.url, "--json", "--retries", 0)
    assert code == 1
    assert (json.loads(out)["crashed"], json.loads(out)["graded"]) == (1, 0)
