"""A model plays the customer over HTTP: what it costs, and whose fault is what goes wrong."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chat_server
import pytest
from chat_server import Answer, Asked, ChatServer, says
from fake_chat import line
from played import USAGE, Customer

from tau_env.chat import forget_endpoints
from tau_env.errors import BadArgument, StudyAborted, UserMistake
from tau_env.harness.driver import run_study
from tau_env.harness.records import read_trials
from tau_env.schema import Task
from tau_env.users.casting import PROMPT

PRICES = {"input": 1.0, "output": 10.0}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Endpoints are asked without patience, and no connection outlives its test."""
    monkeypatch.setenv("TAU_ENV_BACKOFF", "0.001")
    monkeypatch.setenv("TAU_ENV_RETRIES", "1")
    monkeypatch.setenv("TAU_ENV_PATIENCE", "0.2")
    monkeypatch.setenv("TAU_ENV_TIMEOUT", "0.5")
    yield
    forget_endpoints()


def settings(server: ChatServer, **more: Any) -> dict[str, Any]:
    return {"model": "m", "base_url": server.url, **more}


def test_reference_passes_with_a_model_as_customer_and_eight_workers(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path
) -> None:
    """F86, F97: the record holds model, prompt and parameters, and the customer's own usage."""
    with ChatServer(Customer(tasks)) as server:
        given = settings(server, temperature=0.25, prices=PRICES)
        study = make("reference", user="model", user_settings=given)
        done = play(study, tmp_path / "s.db", workers=8)
        calls = len(server.asked)
    assert (done.passed, done.total) == (6, 6)
    trials = read_trials(tmp_path / "s.db").trials
    for trial in trials:
        usage = trial.usage["user"]
        assert usage is not None
        assert usage.cost == pytest.approx(usage.calls * (30 * 1.0 + 10 * 10.0) / 1e6)
        assert (usage.tokens, usage.unknown, usage.discarded) == (40 * usage.calls, 0, 0)
        assert trial.usage["agent"] is None
        assert trial.served == {"user": ("served-1",)}
        assert trial.user == "model"
        assert trial.user_settings == {**given, "prompt": PROMPT}
    assert sum(one.usage["user"].calls for one in trials if one.usage["user"]) == calls
    body = server.asked[0].body
    assert (body["model"], body["temperature"]) == ("m", 0.25)
    assert "tools" not in body
    assert len({asked.seed for asked in server.asked}) > 6


def test_customer_that_invents_leaves_the_trial_ungraded_and_not_the_agents_loss(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path
) -> None:
    """F46, F49: who is at fault stands in the record."""

    def invents(asked: Asked, turn: int) -> Answer | None:
        return None if turn == 1 else says(line("It is for two, me and Bob Smith."), usage=USAGE)

    with ChatServer(Customer(tasks, invents)) as server:
        study = make("reference", trials=1, user="model", user_settings=settings(server, tries=3))
        done = play(study, tmp_path / "s.db", workers=3)
    assert (done.ungraded, done.failed, done.crashed, done.reruns) == (3, 0, 0, 0)
    for trial in read_trials(tmp_path / "s.db").trials:
        assert trial.status == "ungraded"
        assert trial.passed is None
        assert trial.error.startswith("user: UserFault: ")
        assert "Bob Smith" in trial.error
        assert "Traceback" not in trial.error
        assert trial.transcript[-1].who == "agent"
        usage = trial.usage["user"]
        assert usage is not None
        assert (usage.calls, usage.discarded) == (4, 3)
        assert "was not sent" in trial.warnings["user"][0]


def test_fault_in_the_first_line_leaves_a_record_too(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path
) -> None:
    with ChatServer(lambda asked: says("no JSON", usage=None)) as server:
        study = make("reference", trials=1, user="model", user_settings=settings(server))
        done = play(study, tmp_path / "s.db")
    assert done.ungraded == 3
    for trial in read_trials(tmp_path / "s.db").trials:
        assert trial.error.startswith("user: UserFault: ")
        assert trial.transcript == ()
        assert trial.digests["task"]
        usage = trial.usage["user"]
        assert usage is not None
        assert (usage.tokens, usage.unknown, usage.discarded) == (None, 4, 4)


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize(
    "fault", ["SERVER_ERROR", "LIMITED", "HANGS", "CUTS", "BROKEN_JSON", "NO_CHOICES", "WRONG_KEY"]
)
def test_endpoint_of_the_customer_that_fails_is_a_crash_and_no_failure(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path, fault: str, turn: int
) -> None:
    broken = getattr(chat_server, fault)
    with ChatServer(Customer(tasks, lambda asked, at: broken if at == turn else None)) as server:
        study = make("reference", trials=1, retries=0, user="model", user_settings=settings(server))
        done = play(study, tmp_path / "s.db", workers=3)
    assert (done.crashed, done.failed, done.ungraded) == (3, 0, 0)
    for trial in read_trials(tmp_path / "s.db").trials:
        assert (trial.status, trial.grade) == ("crashed", None)
        assert trial.error.startswith("Crash: ")
        assert trial.user_settings["model"] == "m"


def test_customer_whose_endpoint_comes_back_passes_with_the_crash_kept(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path
) -> None:
    """F101: what the crashed attempt cost stands beside what the trial cost."""
    lock, failed = threading.Lock(), Counter[str]()

    def once(asked: Asked, turn: int) -> Answer | None:
        key = asked.messages[0]["content"]
        with lock:
            failed[key] += turn == 2
            return chat_server.BROKEN_JSON if turn == 2 and failed[key] == 1 else None

    with ChatServer(Customer(tasks, once)) as server:
        study = make("reference", trials=1, user="model", user_settings=settings(server))
        done = play(study, tmp_path / "s.db", workers=2)
    assert (done.passed, done.reruns) == (3, 3)
    for trial in read_trials(tmp_path / "s.db").trials:
        (attempt,) = trial.attempts
        spent = attempt.usage["user"]
        assert spent is not None
        assert (spent.calls, spent.tokens, spent.unknown) == (2, 40, 1)


def test_wrong_key_of_the_customer_gives_the_run_up(
    make: Any, tasks: list[Task], shelf: Any
) -> None:
    """F76."""
    with ChatServer(lambda asked: chat_server.WRONG_KEY) as server:
        study = make("reference", user="model", user_settings=settings(server))
        with pytest.raises(StudyAborted, match="401"):
            run_study(study, tasks, shelf, abort_after=4)


def test_context_overflow_of_the_customer_is_a_fault_of_the_user(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path
) -> None:
    too_long = chat_server.TOO_LONG
    with ChatServer(Customer(tasks, lambda asked, at: too_long if at == 2 else None)) as server:
        study = make("reference", trials=1, user="model", user_settings=settings(server))
        done = play(study, tmp_path / "s.db")
    assert (done.ungraded, done.crashed, done.failed) == (3, 0, 0)
    errors = [one.error for one in read_trials(tmp_path / "s.db").trials]
    assert all(error.startswith("user: UserFault: the conversation does not") for error in errors)


def test_study_is_not_gone_on_with_by_another_customer(
    make: Any, play: Any, tasks: list[Task], tmp_path: Path
) -> None:
    with ChatServer(Customer(tasks)) as server:
        play(
            make("reference", trials=1, user="model", user_settings=settings(server)),
            tmp_path / "s.db",
        )
        for other in ({"model": "n"}, {"temperature": 0.5}, {"style": "terse"}):
            changed = {**settings(server), **other}
            with pytest.raises(UserMistake, match="user_settings"):
                play(
                    make("reference", trials=1, user="model", user_settings=changed),
                    tmp_path / "s.db",
                )


def test_customer_without_a_named_model_is_refused(make: Any) -> None:
    with pytest.raises(BadArgument, match="user is played by a model and none is named"):
        make("reference", user="model")
