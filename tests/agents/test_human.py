"""A person plays the agent: lines become actions, commands are explained, mistakes ask again."""

import json

import tau_env
from tau_env import content
from tau_env.agents.human import HELP, HumanAgent
from tau_env.env import TauEnv
from tau_env.trial import run_trial

TASK = next(iter(content.tasks("retail").values()))


def agent(*lines):
    """The agent whose person types these lines and then closes the terminal, and what it saw."""
    left, shown = iter(lines), []

    def ask(prompt):
        line = next(left, None)
        if line is None:
            raise EOFError
        return line

    made = HumanAgent(ask=ask, show=shown.append)
    made.reset(TauEnv("retail", tasks=[TASK]).briefing, 1)
    return made, shown


def act(*lines):
    made, shown = agent(*lines)
    return made.act({"source": "customer", "text": "Hello there."}), "\n".join(shown)


def test_line_is_said_and_what_came_back_is_shown():
    action, shown = act("  Good morning.  ")
    assert action == tau_env.say("Good morning.")
    assert "customer: Hello there." in shown
    assert HELP in shown


def test_call_takes_json_or_nothing():
    action, _ = act('/call get_order_details {"order_id": "#W1"}')
    assert action["name"] == "get_order_details"
    assert json.loads(action["arguments"]) == {"order_id": "#W1"}
    assert act("/call think")[0] == {"type": "call", "name": "think", "arguments": "{}"}


def test_end_and_a_closed_terminal_end():
    assert act("/end")[0] == tau_env.end()
    assert act()[0] == tau_env.end()


def test_tools_and_policy_are_shown_and_asked_on():
    action, shown = act("/tools", "/policy", "", "   ", "Hello.")
    assert action == tau_env.say("Hello.")
    assert content.policy("retail") in shown
    assert 'cancel_pending_order {"order_id": "string", "reason": [' in shown


def test_unknown_command_gives_the_help():
    action, shown = act("/fly now", "/end")
    assert action == tau_env.end()
    assert "No command /fly." in shown


def test_person_plays_a_whole_trial():
    made, shown = agent("Hello.", "/call think {", "/end")
    trial = run_trial(TauEnv("retail", tasks=[TASK]), made, TASK, seed=1)
    assert (trial.end_reason, trial.steps) == ("agent_ended", 3)
    assert any("no valid JSON" in one for one in shown)
