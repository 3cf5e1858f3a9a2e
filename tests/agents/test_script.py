"""The script plays steps in order, heeds its guards and says where it stopped."""

import pytest

import tau_env
from tau_env import content
from tau_env.agents.base import is_insider
from tau_env.agents.script import Reference, Script
from tau_env.env import TauEnv
from tau_env.schema import Step
from tau_env.trial import run_trial
from tau_env.users.replay import ReplayUser

TASK = next(task for task in content.tasks("retail").values() if any(task.goals))
ENV = TauEnv("retail", tasks=[TASK])
YES, NO, OTHER = "Yes, please go ahead.", "No, please don't.", "What does it cost?"


def play(agent, *lines):
    """Actions of the agent when the customer says these lines, until the end."""
    agent.reset(ENV.briefing, 1)
    actions = []
    for line in lines:
        actions.append(agent.act({"source": "customer", "text": line}))
    return actions


STEPS = (
    Step(say="Shall I?"),
    Step(call="think", arguments={"thought": "x"}, after="yes"),
    Step(say="Done."),
)


def test_steps_come_in_order_and_then_the_end():
    agent = Script(TASK, STEPS)
    assert play(agent, "Hello.", YES, "", "") == [
        tau_env.say("Shall I?"),
        tau_env.call("think", thought="x"),
        tau_env.say("Done."),
        tau_env.end(),
    ]
    assert agent.stopped_at is None


@pytest.mark.parametrize(
    ("after", "line", "goes_on"),
    [
        ("yes", YES, True),
        ("yes", NO, False),
        ("yes", OTHER, False),
        ("no", NO, True),
        ("no", YES, False),
        ("any", OTHER, True),
        ("any", NO, True),
        ("", NO, True),
    ],
)
def test_guard_reads_the_customers_last_line(after, line, goes_on):
    agent = Script(TASK, (STEPS[0], Step(say="Next.", after=after)))
    action = play(agent, "Hello.", line)[-1]
    assert action == (tau_env.say("Next.") if goes_on else tau_env.end())
    assert agent.stopped_at == (None if goes_on else 1)


def test_guard_looks_past_tool_results():
    agent = Script(TASK, (STEPS[0], Step(call="think", after="yes"), Step(say="x", after="yes")))
    play(agent, "Hello.", YES)
    assert agent.act({"source": "tool", "text": "no such thing"}) == tau_env.say("x")


def test_reset_starts_again():
    agent = Script(TASK, STEPS)
    first = play(agent, "Hello.", NO)
    assert agent.stopped_at == 1
    assert play(agent, "Hello.", NO) == first
    agent.reset(ENV.briefing, 1)
    assert agent.stopped_at is None


def test_arguments_handed_out_are_the_scripts_own_no_more():
    agent = Script(TASK, STEPS)
    action = play(agent, "Hello.", YES)[-1]
    action["arguments"]["thought"] = "spoilt"
    assert play(agent, "Hello.", YES)[-1]["arguments"] == {"thought": "x"}


def test_reference_stops_where_the_customer_does_not_agree():
    guarded = next(at for at, step in enumerate(TASK.reference) if step.after == "yes")
    env = TauEnv("retail", tasks=[TASK], user=ReplayUser([NO] * 40))
    agent = Reference(TASK)
    trial = run_trial(env, agent, TASK, seed=1)
    assert (trial.passed, trial.end_reason) == (False, "agent_ended")
    assert agent.stopped_at == guarded
    assert trial.outcome.patch == ()


def test_scripts_are_insiders():
    assert is_insider(Reference)
    assert is_insider(Reference(TASK))
    assert Reference(TASK).applies
