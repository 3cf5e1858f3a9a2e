"""The tool-calling scaffold: what a model is shown, and what becomes of its replies."""

import json

import chat_server as server
import pytest
from chat_server import ChatServer

from tau_env.actions import check_action
from tau_env.agents.model import EMPTY, SEEDS
from tau_env.agents.tool_calling import NUDGE, ToolCalling
from tau_env.chat import forget_endpoints
from tau_env.errors import BadArgument
from tau_env.schema import Briefing, Usage

TOOLS = ({"type": "function", "function": {"name": "think", "parameters": {}}},)
BRIEFING = Briefing(domain="d", policy="**R1** Be kind {always}.", tools=TOOLS, max_steps=30)
SEED = 2**62 + 5


def customer(text="Hello"):
    return {"source": "customer", "text": text}


def tool(text):
    return {"source": "tool", "text": text}


@pytest.fixture
def play():
    """Start an agent against a server that gives these answers in turn."""
    running = []

    def start(*answers):
        made = ChatServer(lambda asked: answers[asked.number]).__enter__()
        running.append(made)
        agent = ToolCalling(model="m", base_url=made.url, temperature=0)
        agent.reset(BRIEFING, SEED)
        return agent, made

    yield start
    for one in running:
        one.__exit__()
    forget_endpoints()


def test_model_gets_policy_tools_and_the_customers_words_and_nothing_else(play):
    agent, asked = play(server.says("Good day."))
    assert agent.act(customer()) == {"type": "say", "text": "Good day."}
    body = asked.asked[0].body
    assert set(body) == {"model", "messages", "tools", "seed", "temperature"}
    assert body["tools"] == list(TOOLS)
    assert body["seed"] == SEED % SEEDS == 5
    system, opening = body["messages"]
    assert system["role"] == "system"
    assert BRIEFING.policy in system["content"]
    assert opening == {"role": "user", "content": "Hello"}


def test_calls_of_one_reply_are_done_in_order_before_the_model_is_asked_again(play):
    """F75."""
    agent, asked = play(
        server.calls(("think", {"thought": "1"}), ("calculate", {}), text="Let me see."),
        server.says("Done."),
    )
    first = agent.act(customer())
    assert first == {
        "type": "call",
        "name": "think",
        "arguments": '{"thought": "1"}',
        "aside": "Let me see.",
    }
    second = agent.act(tool("one"))
    assert second == {"type": "call", "name": "calculate", "arguments": "{}"}
    assert len(asked.asked) == 1
    assert agent.act(tool("two")) == {"type": "say", "text": "Done."}
    assert asked.asked[1].messages[-2:] == [
        {"role": "tool", "tool_call_id": "call-0", "content": "one"},
        {"role": "tool", "tool_call_id": "call-1", "content": "two"},
    ]
    assert asked.asked[1].messages[-3]["content"] == "Let me see."


def test_answer_of_a_result_goes_back_even_if_the_environment_refuses_the_call(play):
    agent, asked = play(server.calls(("think", {})), server.says("Hm."))
    agent.act(customer())
    agent.act({"source": "system", "text": "Error: too long."})
    assert asked.asked[1].messages[-1]["content"] == "Error: too long."
    assert asked.asked[1].messages[-1]["role"] == "tool"


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (server.NULL_CONTENT, "an empty reply"),
        (server.REASONING_ONLY, "reasoning only"),
        (server.says("<think>who is it?"), "reasoning only"),
        (server.says(None, finish="length"), "finish reason length"),
        (server.reply({"content": None, "tool_calls": []}), "an empty reply"),
        (server.error(400, "tool_use_failed"), "finish reason unreadable"),
    ],
)
def test_reply_with_nothing_in_it_is_no_action_and_the_model_is_told(play, odd, why):
    """F64."""
    agent, asked = play(odd, server.says("Good day."))
    action = agent.act(customer())
    assert action["type"] == "nothing"
    assert why in check_action(action)
    agent.act({"source": "system", "text": check_action(action)})
    handed_back, nudge = asked.asked[1].messages[-2:]
    assert handed_back["role"] == "assistant"
    assert handed_back["content"] == EMPTY
    assert nudge["role"] == "user"
    assert NUDGE in nudge["content"]
    assert len(asked.asked) == 2


def test_reasoning_goes_back_to_the_model_and_into_no_action(play):
    """F117."""
    thought = {
        "content": "Hi.",
        "reasoning_content": "secret plan",
        "reasoning_details": [{"a": 1}],
    }
    agent, asked = play(server.reply(thought), server.says("Bye."))
    action = agent.act(customer())
    assert action == {"type": "say", "text": "Hi."}
    agent.act(customer("Yes?"))
    handed_back = asked.asked[1].messages[2]
    assert handed_back == {"role": "assistant", **thought}


def test_unknown_tool_and_torn_arguments_are_calls_for_the_toolbox_to_refuse(play):
    """F61, F74."""
    agent, _ = play(server.UNKNOWN_TOOL, server.MALFORMED_ARGUMENTS)
    assert agent.act(customer())["name"] == "refund_everything"
    torn = agent.act(tool("Error"))
    assert torn["arguments"] == '{"thought": "torn'
    assert check_action(torn) is None


def test_next_trial_knows_nothing_of_the_one_before(play):
    agent, asked = play(server.calls(("a", {}), ("b", {})), server.says("Hi."))
    agent.act(customer("first"))
    agent.reset(BRIEFING, 8)
    assert agent.usage == Usage()
    assert agent.act(customer("second")) == {"type": "say", "text": "Hi."}
    assert "first" not in json.dumps(asked.asked[1].messages)
    assert asked.asked[1].messages[1] == {"role": "user", "content": "second"}
    assert asked.asked[1].seed == 8


def test_account_of_the_trial_is_told(play):
    agent, _ = play(server.says("Hi."))
    agent.act(customer())
    assert agent.usage.tokens == server.SENT + server.RECEIVED
    assert agent.served == ("served-1",)
    assert agent.warnings == ()
    assert agent.waited == 0.0


def test_settings_are_checked_and_completed_without_a_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-123")
    monkeypatch.setenv("TAU_ENV_AGENT_BASE_URL", "http://127.0.0.1:1/v1")
    found = ToolCalling.settled({"model": "m", "temperature": 0.5})
    assert found == {"model": "m", "base_url": "http://127.0.0.1:1/v1", "temperature": 0.5}
    with pytest.raises(BadArgument, match="none is named"):
        ToolCalling.settled({})
