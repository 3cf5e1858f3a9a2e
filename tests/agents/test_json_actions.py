"""The scaffold for models without tool calling: one JSON action a reply."""

import json

import chat_server as server
import pytest
from chat_server import ChatServer

from tau_env.actions import check_action
from tau_env.agents.json_actions import WRONG_FORM, JsonActions, action_form, read_action
from tau_env.chat import forget_endpoints
from tau_env.schema import Briefing

TOOLS = tuple(
    {"type": "function", "function": {"name": name, "description": f"{name} it"}}
    for name in ("think", "look")
)
BRIEFING = Briefing(domain="d", policy='Say {"a": 1}.', tools=TOOLS, max_steps=30)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('{"say": "Hi."}', {"type": "say", "text": "Hi."}),
        ('{"call": "look", "arguments": {"a": 1}}',
         {"type": "call", "name": "look", "arguments": {"a": 1}}),
        ('{"call": "look"}', {"type": "call", "name": "look", "arguments": {}}),
        ('{"call": "look", "arguments": "{\\"a\\": 1}"}',
         {"type": "call", "name": "look", "arguments": '{"a": 1}'}),
        ('{"call": "look", "arguments": [1]}',
         {"type": "call", "name": "look", "arguments": "[1]"}),
        ('{"call": "look", "arguments": {}, "say": "One moment."}',
         {"type": "call", "name": "look", "arguments": {}, "aside": "One moment."}),
        ('```json\n{"say": "Hi."}\n```', {"type": "say", "text": "Hi."}),
        ('```\n{"say": "Hi."}```', {"type": "say", "text": "Hi."}),
        ('  {"say": "Hi."}\n', {"type": "say", "text": "Hi."}),
        ('{"say": "Hi.", "call": null}', {"type": "say", "text": "Hi."}),
    ],
)  # fmt: skip
def test_action_is_read(text, action):
    assert read_action(text) == action
    assert check_action(action) is None


@pytest.mark.parametrize(
    "text",
    [
        "Hi.",
        '{"say": "Hi."',
        '{"say": ""}',
        '{"say": " "}',
        '{"say": 3}',
        '{"call": ""}',
        '{"call": {"name": "look"}}',
        "{}",
        "[]",
        '"Hi."',
        'Sure: {"say": "Hi."}',
        "[" * 100_000,
    ],
)
def test_text_that_is_not_of_the_form_is_no_action(text):
    assert read_action(text) is None


def test_form_names_the_tools_and_goes_with_every_request():
    with ChatServer(lambda asked: server.says('{"say": "Hi."}')) as running:
        agent = JsonActions(model="m", base_url=running.url)
        agent.reset(BRIEFING, 3)
        agent.act({"source": "customer", "text": "Hello"})
        agent.act({"source": "tool", "text": '{"a": 2}'})
    forget_endpoints()
    bodies = [one.body for one in running.asked]
    assert [one["response_format"] for one in bodies] == [action_form(("think", "look"))] * 2
    assert "tools" not in bodies[0]
    system = bodies[0]["messages"][0]["content"]
    assert BRIEFING.policy in system
    assert '{"say": "your message"}' in system
    for one in TOOLS:
        assert json.dumps(one["function"]) in system
    told = [one["content"] for one in bodies[1]["messages"][1:]]
    assert told == ["customer: Hello", '{"say": "Hi."}', 'tool: {"a": 2}']


@pytest.mark.parametrize("odd", [server.says("Hello there!"), server.NULL_CONTENT])
def test_reply_of_another_form_costs_a_step_and_is_told(odd):
    answers = (odd, server.says('{"say": "Hi."}'))
    with ChatServer(lambda asked: answers[asked.number]) as running:
        agent = JsonActions(model="m", base_url=running.url)
        agent.reset(BRIEFING, 3)
        wrong = agent.act({"source": "customer", "text": "Hello"})
        why = check_action(wrong)
        assert why is not None
        assert "no action (" in why
        action = agent.act({"source": "system", "text": why})
    forget_endpoints()
    assert action == {"type": "say", "text": "Hi."}
    assert running.asked[1].messages[-1] == {"role": "user", "content": f"system: {WRONG_FORM}"}
    assert running.asked[1].messages[-2]["content"] in ("Hello there!", "(no reply)")
