"""Calls of models, of whatever role, are no more at once than there are workers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest
from chat_server import Answer, Asked, ChatServer, Solver, says
from fake_chat import line

from tau_env.chat import forget_endpoints
from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.study import Slot, plan_agent, plan_study
from tau_env.registry import find_domain
from tau_env.schema import Task, Trial
from tau_env.users.scripted import ScriptedUser

WORKERS = 3
TRIALS = 2


@pytest.fixture(autouse=True)
def no_endpoint_is_kept() -> Iterator[None]:
    yield
    forget_endpoints()


class Both:
    """Serves agent and customer: the reference solution, and what the scripted customer says."""

    def __init__(self, tasks: list[Task]) -> None:
        self._tasks = tasks
        self._agent = Solver(tasks, trials=TRIALS)
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0
        self.roles: set[str] = set()

    def __call__(self, asked: Asked) -> Answer:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.roles.add("agent" if "tools" in asked.body else "user")
        time.sleep(0.01)
        answer = self._agent(asked) if "tools" in asked.body else self._customer(asked)
        with self._lock:
            self._now -= 1
        return answer

    def _customer(self, asked: Asked) -> Answer:
        system = asked.messages[0]["content"]
        scenario = next(
            one.scenario for one in self._tasks if f"\n{one.scenario.instruction}\n" in system
        )
        user = ScriptedUser()
        reply = user.reset(scenario, find_domain("retail").spec.lexicon, 0)
        for message in asked.messages:
            told = json.loads(message["content"]) if message["role"] == "user" else {}
            if "agent" in told:
                reply = user.reply(told["agent"])
        return says(line(reply.text, ends=reply.ends))


class Kept:
    """The trials of a study, in memory."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def keep(self, slot: Slot, trial: Trial, *, played: Task | None = None) -> None:
        del slot, played
        self.trials.append(trial)

    def keep_attempt(self, slot: Slot, trial: Trial) -> None:
        raise AssertionError(f"{slot} crashed: {trial.error}")


def test_f84_agent_and_customer_together_ask_no_more_at_once_than_workers() -> None:
    tasks = choose_tasks("retail", ("cancel_pending",))[:4]
    both, kept = Both(tasks), Kept()
    with ChatServer(both) as server:
        settings = {"model": "m", "base_url": server.url}
        study = plan_study(
            "retail",
            [plan_agent("openai", settings=settings)],
            tasks,
            trials=TRIALS,
            user="model",
            user_settings=settings,
        )
        run_study(study, tasks, kept, workers=WORKERS)
    assert len(kept.trials) == TRIALS * len(tasks)
    assert all(trial.passed for trial in kept.trials)
    assert both.roles == {"agent", "user"}
    assert 1 < both.most <= WORKERS
