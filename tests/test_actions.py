"""Say, call and end as small dicts; a chat message as actions; what is no action and why."""

import re

import pytest
from chat_shapes import AssistantMessage
from hypothesis import given
from hypothesis import strategies as st

import tau_env
from tau_env.actions import LONGEST_LINE, check_action
from tau_env.errors import BadAction


def test_constructors_give_the_documented_shapes():
    assert tau_env.say("hi") == {"type": "say", "text": "hi"}
    assert tau_env.end() == {"type": "end"}
    assert tau_env.call("find", name="x", n=3) == {
        "type": "call",
        "name": "find",
        "arguments": {"name": "x", "n": 3},
    }


@given(st.text(), st.dictionaries(st.text(), st.integers()))
def test_constructors_make_actions(text, arguments):
    for action in (tau_env.say(text), {"type": "call", "name": text, "arguments": arguments}):
        assert check_action(action) is None


def tool_call(name, arguments, ident="call_1"):
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_several_calls_of_a_message_come_in_order_and_the_text_goes_with_the_first():
    message = {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [tool_call("a", '{"x": 1}'), tool_call("b", "", "call_2")],
    }
    AssistantMessage.model_validate(message | {"tool_calls": message["tool_calls"][:1]})
    assert tau_env.from_message(message) == [
        {"type": "call", "name": "a", "arguments": '{"x": 1}', "aside": "Let me look."},
        {"type": "call", "name": "b", "arguments": "{}"},
    ]


MESSAGES = [
    ({"role": "assistant", "content": "hello"}, "hello"),
    ({"content": "no role"}, "no role"),
    ({"role": "assistant", "content": None}, ""),
    ({"role": "assistant", "content": None, "tool_calls": None}, ""),
    ({"role": "assistant", "content": None, "tool_calls": []}, ""),
    ({"role": "assistant", "content": None, "refusal": "I will not."}, "I will not."),
    ({"role": "assistant", "content": [{"type": "text", "text": "a"}, {"text": "b"}]}, "ab"),
    ({"role": "assistant", "content": [{"type": "text", "text": None}, "x", {}]}, ""),
    ({"role": "assistant", "content": 7}, ""),
    ({}, ""),
]


@pytest.mark.parametrize(("message", "text"), MESSAGES)
def test_message_without_calls_is_said(message, text):
    assert tau_env.from_message(message) == [tau_env.say(text)]


class FromAClient:
    """A message that is an object, as chat clients give it."""

    role = "assistant"


BAD_MESSAGES = [
    ({"role": "user", "content": "x"}, "role 'user'"),
    ({"role": "tool", "content": "x"}, "role 'tool'"),
    ({"tool_calls": [{"type": "function"}]}, "without a function name"),
    ({"tool_calls": [{"function": {"arguments": "{}"}}]}, "without a function name"),
    ({"tool_calls": ["x"]}, "without a function name"),
    (FromAClient(), r"not a FromAClient; pass message.model_dump\(\)"),
    ("text", "not a str"),
]


@pytest.mark.parametrize(("message", "reason"), BAD_MESSAGES, ids=[one[1] for one in BAD_MESSAGES])
def test_message_that_is_no_assistant_message_is_refused(message, reason):
    with pytest.raises(BadAction, match=reason):
        tau_env.from_message(message)


BAD_ACTIONS = [
    (None, "is a dict, not a NoneType"),
    ("say", "is a dict, not a str"),
    ([], "is a dict, not a list"),
    ({}, "'say', 'call' or 'end', not None"),
    ({"type": ["say"]}, "not \\['say'\\]"),
    ({"type": "x" * 10_000}, "not 'x{79}$"),
    ({"type": "say"}, "'text' is a text"),
    ({"type": "say", "text": None}, "'text' is a text"),
    ({"type": "say", "text": b"x"}, "'text' is a text"),
    ({"type": "say", "text": "x" * (LONGEST_LINE + 1)}, "at most 64,000"),
    ({"type": "say", "text": "\ud800"}, "lone surrogates"),
    ({"type": "call"}, "'name' is a text"),
    ({"type": "call", "name": 7}, "'name' is a text"),
    ({"type": "call", "name": "\udfff"}, "lone surrogates"),
    ({"type": "call", "name": "x" * (LONGEST_LINE + 1)}, "at most 64,000"),
    ({"type": "call", "name": "x", "arguments": None}, "JSON object or its text"),
    ({"type": "call", "name": "x", "arguments": 3}, "JSON object or its text"),
    ({"type": "call", "name": "x", "arguments": [1]}, "JSON object or its text"),
    ({"type": "call", "name": "x", "arguments": "\ud800"}, "lone surrogates"),
    ({"type": "call", "name": "x", "aside": 3}, "'aside' is a text"),
    ({"type": "call", "name": "x", "aside": "x" * (LONGEST_LINE + 1)}, "at most 64,000"),
]


@pytest.mark.parametrize(("action", "reason"), BAD_ACTIONS, ids=range(len(BAD_ACTIONS)))
def test_what_is_no_action_is_told_why(action, reason):
    wrong = check_action(action)
    assert wrong is not None
    assert re.search(reason, wrong)
    assert len(wrong) < 200
    wrong.encode("utf-8")


@pytest.mark.parametrize(
    "action",
    [
        {"type": "end"},
        {"type": "say", "text": ""},
        {"type": "call", "name": "x"},
        {"type": "call", "name": "", "arguments": "not json"},
        {"type": "call", "name": "x", "arguments": {"a": {1}}, "aside": "t"},
    ],
)
def test_a_well_formed_action_is_one_whatever_the_tool_makes_of_it(action):
    assert check_action(action) is None


def test_reply_without_an_action_is_none_and_says_why():
    assert check_action({"type": "nothing", "why": "reasoning only"}) == (
        "the reply held no action (reasoning only)"
    )
    assert len(check_action({"type": "nothing", "why": "x" * 1000})) < 150
    assert "it was empty" in check_action({"type": "nothing"})
