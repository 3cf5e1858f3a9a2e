"""One trial from a clean world to its grade; whose fault a failure is."""

import json
import os
import socket

import pytest

import tau_env
from tau_env import content
from tau_env.agents.floors import Silent
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.schema import Trial
from tau_env.trial import make_agent, run_trial, trial_seed

TASKS = content.tasks("retail")
TASK = next(task for task in TASKS.values() if any(task.goals) and not task.scenario.twists)


@pytest.fixture(scope="module")
def env():
    made = TauEnv("retail", tasks=[TASK])
    yield made
    made.close()


class Acts:
    """Plays a list of actions, then ends; notes what it was told."""

    def __init__(self, *actions):
        self.actions = actions

    def reset(self, briefing, seed):
        self.briefing, self.seed = briefing, seed
        self.heard = []
        self.left = iter(self.actions)

    def act(self, observation):
        self.heard.append(observation)
        action = next(self.left, tau_env.end())
        if isinstance(action, BaseException):
            raise action
        return action


class Wrapped:
    """The reference behind some actions of its own; no insider in the record."""

    def __init__(self, *first):
        self.first = list(first)
        self.inner = Reference(TASK)

    def reset(self, briefing, seed):
        self.left = list(self.first)
        self.inner.reset(briefing, seed)

    def act(self, observation):
        return self.left.pop(0) if self.left else self.inner.act(observation)


def test_agent_is_reset_with_briefing_and_seed_then_acts_on_what_came_back(env):
    agent = Acts(tau_env.say("Hello."), tau_env.call("think", thought="x"))
    trial = run_trial(env, agent, TASK, seed=5, trial=2, name="mine")
    assert set(agent.briefing.model_dump()) == {"domain", "policy", "tools", "max_steps"}
    assert agent.seed == 5
    assert [one["source"] for one in agent.heard] == ["customer", "customer", "tool"]
    assert (trial.task, trial.trial, trial.seed, trial.agent) == (TASK.id, 2, 5, "mine")
    assert (trial.status, trial.end_reason, trial.steps) == ("graded", "agent_ended", 3)
    assert not trial.insider
    assert trial.digests["task"]
    assert run_trial(env, agent, TASK, seed=5).agent == "Acts"


def test_trial_is_complete_and_survives_json(env):
    trial = run_trial(env, Reference(TASK), TASK, seed=5)
    assert trial.passed
    assert trial.insider
    assert Trial.model_validate_json(trial.model_dump_json()) == trial
    assert trial == run_trial(env, Reference(TASK), TASK, seed=5)


def test_agent_that_raises_fails_with_its_traceback_and_every_part(env):
    """Mistakes of the agent are graded, never lost (F61, F106)."""
    trial = run_trial(env, Acts(tau_env.say("Hello."), KeyError("my mistake")), TASK, seed=1)
    assert (trial.status, trial.end_reason, trial.passed) == ("graded", "agent_error", False)
    assert "KeyError: 'my mistake'" in trial.error
    assert "in act" in trial.error
    assert set(trial.grade.parts) == {"state", "outputs", "path", "conduct", "confirmation"}
    assert len([turn for turn in trial.transcript if turn.who == "agent"]) == 1


def test_agent_that_raises_in_reset_fails_too(env):
    class Unready(Acts):
        def reset(self, briefing, seed):
            raise AttributeError("not ready")

    trial = run_trial(env, Unready(), TASK, seed=1)
    assert (trial.end_reason, trial.steps) == ("agent_error", 0)
    assert "not ready" in trial.error


def test_what_was_done_before_the_agent_raised_is_graded_as_it_stands(env):
    class Late(Wrapped):
        def act(self, observation):
            action = super().act(observation)
            if action == tau_env.end():
                raise ValueError("after everything")
            return action

    trial = run_trial(env, Late(), TASK, seed=1)
    assert trial.grade.parts["state"].passed
    assert trial.end_reason in ("agent_error", "customer_ended")


@pytest.mark.parametrize(
    "error",
    [
        tau_env.Crash("no GPU"),
        ConnectionError("reset by peer"),
        ConnectionResetError("reset by peer"),
        TimeoutError("took too long"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("where", ["reset", "act"])
def test_infrastructure_that_fails_is_a_crash_and_no_failure(env, error, where):
    class Unlucky(Acts):
        def reset(self, briefing, seed):
            super().reset(briefing, seed)
            if where == "reset":
                raise error

    trial = run_trial(env, Unlucky(tau_env.say("Hello."), error), TASK, seed=1)
    assert (trial.status, trial.grade, trial.passed) == ("crashed", None, None)
    assert trial.error == f"{type(error).__name__}: {error}"
    assert run_trial(env, Reference(TASK), TASK, seed=1).passed


def test_agent_that_answers_nonsense_is_told_so_until_the_budget_is_spent():
    """F64: a reply with nothing in it is data, the trial goes on."""
    env = TauEnv("retail", tasks=[TASK], max_steps=4)
    agent = Acts(None, {}, "hello", 7)
    trial = run_trial(env, agent, TASK, seed=1)
    assert (trial.status, trial.passed, trial.end_reason) == ("graded", False, "max_steps")
    assert [one["text"][:5] for one in agent.heard[1:]] == ["Error"] * 3


def test_invented_tool_and_then_the_right_thing_passes(env):
    """F61: an unknown tool costs a step and nothing else."""
    invented = tau_env.call("refund_everything")
    right = run_trial(env, Wrapped(invented), TASK, seed=3)
    assert (right.status, right.passed) == ("graded", True)
    errors = [turn.call.error for turn in right.transcript if turn.call]
    assert errors[0] == "unknown_tool"
    only = run_trial(env, Acts(*[invented] * 3), TASK, seed=3)
    assert (only.status, only.passed) == ("graded", False)


def test_malformed_calls_and_then_the_right_thing_passes(env):
    first = [
        {"type": "call", "name": "get_order_details", "arguments": "{"},
        tau_env.call("get_order_details", order_id=7),
        tau_env.call("get_order_details", order_id="#W0"),
        {"type": "fly"},
    ]
    assert run_trial(env, Wrapped(*first), TASK, seed=3).passed


def test_no_network_and_no_key_is_needed(env, monkeypatch):
    """F121: scripted agent, scripted user and all graders live without any connection."""

    def refuse(*arguments, **more):
        raise AssertionError("somebody opened a socket")

    for key in [key for key in os.environ if "KEY" in key or "TOKEN" in key]:
        monkeypatch.delenv(key)
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    assert run_trial(env, Reference(TASK), TASK, seed=4).passed


class Chat:
    """An agent over chat messages: every message becomes actions, in order."""

    def __init__(self, *messages):
        self.messages = messages

    def reset(self, briefing, seed):
        self.left = iter(self.messages)
        self.queue = []

    def act(self, observation):
        if not self.queue:
            message = next(self.left, None)
            self.queue = [tau_env.end()] if message is None else tau_env.from_message(message)
        return self.queue.pop(0)


def test_several_calls_of_one_chat_message_are_made_in_order_and_the_aside_is_kept(env):
    function = [{"name": "think", "arguments": json.dumps({"thought": one})} for one in "abc"]
    calls = [{"id": one["arguments"], "type": "function", "function": one} for one in function]
    messages = [
        {"role": "assistant", "content": "Between you and me.", "tool_calls": calls},
        {"role": "assistant", "content": "Hello."},
        {"role": "assistant", "content": None},
    ]
    trial = run_trial(env, Chat(*messages), TASK, seed=1)
    made = [turn.call for turn in trial.transcript if turn.call]
    assert [one.arguments["thought"] for one in made] == ["a", "b", "c"]
    assert [one.aside for one in made] == ["Between you and me.", "", ""]
    said = [turn.text for turn in trial.transcript if turn.who == "agent"]
    assert said == ["Hello.", ""]
    assert trial.steps == 6


def test_insider_plays_its_own_version_and_gets_the_task():
    over_eager = make_agent(Reference, TASK)
    assert over_eager.task is TASK
    assert isinstance(make_agent(Silent, TASK), Silent)


def test_seed_of_a_trial_is_fixed_and_leaves_the_agent_out():
    found = [trial_seed(study, task, at) for study in (0, 1) for task in "ab" for at in (0, 1)]
    assert len(set(found)) == 8
    assert all(0 <= one < 2**63 for one in found)
