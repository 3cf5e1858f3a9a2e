"""Crash against failure with real HTTP: every misbehaviour through the harness, with 8 workers.

One task of the study meets the misbehaviour at the second reply of its model, all others are played
by their reference solutions. What is expected of the one never touches the others.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable

import chat_server as server
import pytest
from chat_server import RECEIVED, SENT, Answer, Asked, ChatServer, Solver

from tau_env.agents.model import EMPTY
from tau_env.chat import forget_endpoints
from tau_env.errors import StudyAborted
from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.study import plan_agent, plan_study
from tau_env.report.spending import spending
from tau_env.schema import Budgets, Task, Trial

WORKERS = 8
TRIALS = 2
TIMEOUT = 1.0
TOKENS = SENT + RECEIVED


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch):
    """Impatient endpoints, and nothing of the caller's environment."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TAU_ENV_BASE_URL", "TAU_ENV_MODEL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (("RETRIES", "1"), ("BACKOFF", "0.005"), ("PATIENCE", "0.1")):
        monkeypatch.setenv(f"TAU_ENV_{name}", value)
    monkeypatch.setenv("TAU_ENV_TIMEOUT", "20")
    yield
    forget_endpoints()


@pytest.fixture(scope="module")
def some() -> list[Task]:
    return choose_tasks("retail", ("cancel_pending",))[:4]


class Spoiled:
    """Gives the answer once, or always, at the second reply of a task's first trial."""

    def __init__(self, victim: Task, answer: Answer, *, always: bool) -> None:
        self._victim, self._answer, self._always = victim, answer, always
        self._lock = threading.Lock()
        self.given = 0

    def __call__(self, asked: Asked, task: Task, trial: int) -> Answer | None:
        if task is not self._victim or trial != 0 or not asked.replies:
            return None
        with self._lock:
            if len(asked.replies) == 1 and (self._always or not self.given):
                self.given += 1
                return self._answer
        # An odd reply is part of the conversation: the reference goes on after it.
        return server.solve(task, len(asked.replies) - any(map(_odd, asked.replies)))


def _odd(message: dict) -> bool:
    names = [one["function"]["name"] for one in message.get("tool_calls", ())]
    return message["content"] == EMPTY or names[:1] in (["refund_everything"], ["think"])


@pytest.fixture
def play(some, shelf) -> Callable[..., list[Trial]]:
    """Play two trials of each task with 8 workers; returns the trials."""

    def run(answer: Callable[[Asked], Answer], *, agent: str = "openai", **more) -> list[Trial]:
        settings = {"model": "m", "prices": {"input": 1.0, "output": 2.0}}
        with ChatServer(answer) as running:
            shelf.server = running
            agents = [plan_agent(agent, settings={**settings, "base_url": running.url})]
            planned = {"trials": TRIALS, "retries": 1, **more}
            run_study(plan_study("retail", agents, some, **planned), some, shelf, workers=WORKERS)
        return shelf.trials

    return run


def be_impatient(monkeypatch):
    """A busy machine may be late as well, but hardly three times in a row."""
    monkeypatch.setenv("TAU_ENV_TIMEOUT", str(TIMEOUT))
    monkeypatch.setenv("TAU_ENV_RETRIES", "2")


def spoil(some, play, answer, *, always, **more):
    """Returns the trial that met the misbehaviour; checks that no other was touched."""
    spoiled = Spoiled(some[1], answer, always=always)
    trials = play(Solver(some, trials=TRIALS, instead=spoiled), **more)
    assert spoiled.given
    hit = [one for one in trials if (one.task, one.trial) == (some[1].id, 0)]
    others = [one for one in trials if one not in hit]
    assert len(hit) == 1
    assert len(others) == len(some) * TRIALS - 1
    assert all(one.passed and not one.attempts and not one.error for one in others)
    if answer is not server.HANGS:
        assert all(one.usage["agent"].unknown == 0 for one in others)
    return hit[0]


def test_all_references_pass_over_http(some, play):
    trials = play(Solver(some, trials=TRIALS))
    assert len(trials) == len(some) * TRIALS
    assert all(one.passed and one.served == {"agent": ("served-1",)} for one in trials)


@pytest.mark.parametrize(
    "trouble",
    ["LIMITED", "LIMITED_FOR_A_WHILE", "SERVER_ERROR", "CUTS", "HANGS"],
)
def test_trouble_that_passes_leaves_no_mark_but_its_cost(some, play, monkeypatch, trouble):
    """F67: neither a crash nor a failure; a call that may have been paid for is unknown."""
    monkeypatch.setenv("TAU_ENV_PATIENCE", "10")
    if trouble == "HANGS":
        be_impatient(monkeypatch)
    found = spoil(some, play, getattr(server, trouble), always=False)
    assert (found.status, found.passed, found.attempts) == ("graded", True, ())
    assert bool(found.usage["agent"].unknown) == (trouble in ("CUTS", "HANGS"))


@pytest.mark.parametrize(
    ("trouble", "text"),
    [
        ("LIMITED", "rate limit beyond a patience"),
        ("SERVER_ERROR", "status 500"),
        ("CUTS", "connection error"),
        ("HANGS", "no answer in time"),
        ("BROKEN_JSON", "no JSON"),
        ("WRONG_SCHEMA", "no choice with a message"),
        ("NO_CHOICES", "no choice with a message"),
        ("WRONG_KEY", "status 401"),
    ],
)
def test_trouble_that_stays_is_a_crash_and_no_failure(some, play, monkeypatch, trouble, text):
    """F61-F77: rerun once as planned, then missing; never graded, never another's loss."""
    if trouble == "HANGS":
        be_impatient(monkeypatch)
    found = spoil(some, play, getattr(server, trouble), always=True)
    assert (found.status, found.grade, found.end_reason) == ("crashed", None, None)
    assert text in found.error
    assert len(found.attempts) == 1
    assert text in found.attempts[0].error


@pytest.mark.parametrize("trouble", ["BROKEN_JSON", "WRONG_SCHEMA", "NO_CHOICES", "WRONG_KEY"])
def test_crash_that_does_not_come_again_is_one_attempt_of_a_good_trial(some, play, trouble):
    found = spoil(some, play, getattr(server, trouble), always=False)
    assert (found.status, found.passed, len(found.attempts)) == ("graded", True, 1)
    spent = found.attempts[0].usage["agent"]
    assert (spent.input_tokens, spent.unknown) == (SENT, trouble != "WRONG_KEY")


@pytest.mark.parametrize(
    ("odd", "more"),
    [
        ("NULL_CONTENT", "an empty reply"),
        ("EMPTY_CONTENT", "an empty reply"),
        ("REASONING_ONLY", "reasoning only"),
    ],
)
@pytest.mark.parametrize("agent", ["openai", "openai-json"])
def test_reply_with_nothing_in_it_costs_a_step_and_is_told(some, play, odd, more, agent):
    """F64: no crash, no hidden second try; the model may go on."""
    if agent == "openai-json":
        found = spoil(some, JsonPlay(play), getattr(server, odd), always=False)
    else:
        found = spoil(some, play, getattr(server, odd), always=False)
    assert (found.status, found.passed, found.attempts) == ("graded", True, ())
    assert found.steps == len(some[1].reference) + 1
    notices = [turn.text for turn in found.transcript if turn.who == "system"]
    assert len(notices) == 1
    assert f"no action ({more})" in notices[0]
    assert found.usage["agent"].calls == found.steps


class JsonPlay:
    """The same server for the agent that writes its actions as JSON."""

    def __init__(self, play) -> None:
        self._play = play

    def __call__(self, answer, **more):
        return self._play(lambda asked: as_json(answer(asked)), agent="openai-json", **more)


def as_json(answer: Answer) -> Answer:
    message = answer.body["choices"][0]["message"] if answer.status == 200 else {}
    if message.get("tool_calls"):
        function = message["tool_calls"][0]["function"]
        text = f'{{"call": "{function["name"]}", "arguments": {function["arguments"]}}}'
        return server.says(text)
    if message.get("content"):
        return server.says(json.dumps({"say": message["content"]}))
    return answer


@pytest.mark.parametrize("always", [False, True])
def test_reasoning_never_reaches_customer_or_grader(some, play, always):
    """F117."""
    found = spoil(some, play, server.REASONING_ONLY, always=always)
    assert all("The order is #W1. Hm." not in turn.text for turn in found.transcript)
    assert found.status == "graded"


@pytest.mark.parametrize(
    ("odd", "error"), [("UNKNOWN_TOOL", "unknown_tool"), ("MALFORMED_ARGUMENTS", "bad_arguments")]
)
def test_call_that_is_none_is_the_agents_mistake(some, play, odd, error):
    """F61, F74: answered with an error, on record, never infrastructure, never asked again."""
    found = spoil(some, play, getattr(server, odd), always=False)
    assert (found.status, found.passed, found.attempts) == ("graded", True, ())
    assert found.steps == len(some[1].reference) + 1
    failed = [turn.call for turn in found.transcript if turn.call and turn.call.error]
    assert [one.error for one in failed] == [error]
    assert found.usage["agent"].calls == found.steps


def test_two_calls_in_one_reply_are_both_done_in_order(some, play):
    """F75."""
    found = spoil(some, play, server.TWO_CALLS, always=False)
    assert found.passed
    made = [turn.call for turn in found.transcript if turn.call and turn.call.name == "think"]
    assert [one.arguments["thought"] for one in made][:2] == ["first", "second"]
    assert found.steps == len(some[1].reference) + 2
    assert found.usage["agent"].calls == found.steps - 1


def test_conversation_that_does_not_fit_ends_the_trial_for_its_own_reason(some, play):
    """F63: graded as it stands, not tried again."""
    found = spoil(some, play, server.TOO_LONG, always=True)
    assert (found.status, found.end_reason) == ("graded", "context_overflow")
    assert (found.passed, found.attempts) == (False, ())
    assert "maximum context length" in found.error


def test_usage_that_is_missing_is_unknown_and_not_zero(some, play):
    """F100."""
    found = spoil(some, play, server.NO_USAGE, always=True)
    assert found.status == "graded"
    spent = found.usage["agent"]
    assert spent.unknown == 1
    assert spent.input_tokens == (spent.calls - 1) * SENT
    assert len(found.warnings["agent"]) == 1
    assert "told no usage" in found.warnings["agent"][0]


def test_costs_add_up_with_crashed_attempts_among_them(some, play, shelf):
    """F97, F98: what the server told is what the records hold."""
    found = spoil(some, play, server.WRONG_KEY, always=False)
    assert len(found.attempts) == 1
    paid = sum(1 for one in shelf.server.asked) - 1
    total = next(one for one in spending(shelf.trials) if one.role == "agent")
    assert total.tokens == paid * TOKENS
    assert total.cost == pytest.approx(paid * (SENT * 1.0 + RECEIVED * 2.0) / 1e6)
    assert (total.known, total.unknown_calls) == (len(some) * TRIALS, 0)


def test_wrong_key_everywhere_gives_the_run_up(some, play, shelf):
    """F76: a clear end, not a table of zeros."""
    with pytest.raises(StudyAborted, match=r"crashed.*401") as told:
        play(lambda asked: server.WRONG_KEY)
    assert "key" in str(told.value)
    assert not [one for one in shelf.trials if one.status != "crashed"]


class Bucket:
    """Refuses what comes faster than a rate, as a provider does."""

    def __init__(self, answer: Callable[[Asked], Answer], *, rate: float, burst: int) -> None:
        self._answer, self._rate, self._burst = answer, rate, burst
        self._lock = threading.Lock()
        self._left, self._then = float(burst), time.monotonic()
        self.refused = 0

    def __call__(self, asked: Asked) -> Answer:
        with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + (now - self._then) * self._rate)
            self._then = now
            if self._left < 1:
                self.refused += 1
                return server.LIMITED
            self._left -= 1
        return self._answer(asked)


def test_eight_workers_share_a_narrow_rate_without_a_loss(some, play, monkeypatch):
    """F77: all finish, nothing crashes, and the run learns to ask more slowly."""
    monkeypatch.setenv("TAU_ENV_PATIENCE", "60")
    bucket = Bucket(Solver(some, trials=TRIALS), rate=20.0, burst=2)
    trials = play(bucket)
    assert len(trials) == len(some) * TRIALS
    assert all(one.passed and not one.attempts for one in trials)
    assert 0 < bucket.refused < sum(one.usage["agent"].calls for one in trials)


def test_waiting_for_a_limit_is_not_the_agents_time(some, play, monkeypatch):
    """Twelve calls a second for all: most of each trial is waiting, beyond its budget."""
    monkeypatch.setenv("TAU_ENV_RATE", "12")
    budgets = Budgets(max_steps=30, max_seconds=2.0)
    trials = play(Solver(some, trials=TRIALS), budgets=budgets)
    assert {one.end_reason for one in trials} == {"customer_ended"}
    assert sum(one.seconds or 0 for one in trials) / len(trials) > 2.0
