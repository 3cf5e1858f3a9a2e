"""Baselines know the briefing and what came back, are reproducible, and stay within the shapes."""

import pytest

import tau_env
from tau_env import content
from tau_env.actions import check_action
from tau_env.agents.floors import (
    ClaimDone,
    Parrot,
    RandomCalls,
    Refuser,
    Silent,
    TransferAtOnce,
    transfer,
)
from tau_env.agents.lookers import LONGEST_SPEECH, LookThenRefuse, LookThenTransfer, ReciteAll
from tau_env.env import TauEnv
from tau_env.schema import Briefing
from tau_env.trial import run_trial

TASKS = list(content.tasks("retail").values())
ENV = TauEnv("retail")
ALL = [
    Silent,
    Parrot,
    ClaimDone,
    Refuser,
    TransferAtOnce,
    RandomCalls,
    LookThenRefuse,
    LookThenTransfer,
    ReciteAll,
]
EMPTY = Briefing(domain="none", policy="", tools=(), max_steps=5)


class Checked:
    """An agent whose every action must be one."""

    def __init__(self, inner):
        self.inner = inner

    def reset(self, briefing, seed):
        self.inner.reset(briefing, seed)

    def act(self, observation):
        action = self.inner.act(observation)
        assert check_action(action) is None
        return action


@pytest.mark.parametrize("found", ALL)
def test_baseline_plays_to_an_end_the_same_way_every_time(found):
    for task in TASKS[::40]:
        trial = run_trial(ENV, Checked(found()), task, seed=3)
        assert (trial.status, trial.error) == ("graded", "")
        agent = found()
        again = [run_trial(ENV, Checked(agent), task, seed=3) for _ in range(2)]
        assert [one.transcript for one in again] == [trial.transcript] * 2


@pytest.mark.parametrize("found", ALL)
def test_baseline_names_no_domain_and_lives_without_tools(found):
    agent = found()
    agent.reset(EMPTY, 1)
    for text in ("Hello, I am Ann Lee, a@x.org.", "", "{}", "12"):
        for source in ("customer", "tool", "system"):
            assert check_action(agent.act({"source": source, "text": text})) is None


@pytest.mark.parametrize(
    ("found", "text"),
    [(Silent, ""), (Parrot, "Hello there."), (ClaimDone, "done"), (Refuser, "cannot")],
)
def test_talkers_say_their_line(found, text):
    agent = found()
    agent.reset(ENV.briefing, 1)
    action = agent.act({"source": "customer", "text": "Hello there."})
    assert action["type"] == "say"
    assert text in action["text"]


def test_transfer_fills_every_text_of_the_transfer_tool():
    action = transfer(ENV.briefing)
    ENV.reset(seed=1)
    *_, terminated, _, info = ENV.step(action)
    assert terminated
    assert info["end_reason"] == "transferred"
    assert transfer(EMPTY)["type"] == "say"


def test_random_calls_differ_by_seed_and_are_mostly_valid():
    trials = [run_trial(ENV, RandomCalls(), TASKS[0], seed=seed) for seed in range(6)]
    assert len({tuple(turn.text for turn in trial.transcript) for trial in trials}) > 1
    calls = [turn.call for trial in trials for turn in trial.transcript if turn.call]
    assert len(calls) > 30
    assert not [call for call in calls if call.error == "unknown_tool"]
    assert sum(call.error is None for call in calls) > len(calls) / 3
    assert not [call for call in calls if "transfer" in call.name]


@pytest.mark.parametrize("found", [LookThenRefuse, LookThenTransfer, ReciteAll])
def test_lookers_read_before_they_conclude_and_change_nothing(found):
    trial = run_trial(ENV, found(), TASKS[0], seed=1)
    names = [turn.call.name for turn in trial.transcript if turn.call and turn.call.error is None]
    assert "get_order_details" in names
    calls = [turn.call.raw + turn.call.name for turn in trial.transcript if turn.call]
    assert len(calls) == len(set(calls))
    assert trial.outcome.patch == ()


def test_recital_holds_the_results_and_ends():
    agent = ReciteAll()
    agent.reset(ENV.briefing, 1)
    agent.act({"source": "customer", "text": "Hello."})
    agent.act({"source": "tool", "text": '{"amount": 12.34}'})
    agent.act({"source": "tool", "text": "Error: no"})
    agent._results.append("x" * 2 * LONGEST_SPEECH)
    told = agent.conclude()["text"]
    assert "12.34" in told
    assert "Error" not in told
    assert len(told) < LONGEST_SPEECH + 200
    assert tau_env.say(told) == agent.conclude()
