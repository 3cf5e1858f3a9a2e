"""Replies of models: text, calls and reasoning told apart; nothing lost, nothing invented."""

import json

import pytest

from tau_env.completion import CUT, read_body, read_completion, read_usage
from tau_env.errors import Crash
from tau_env.prices import Prices
from tau_env.schema import Usage


def body(finish="stop", **message):
    return {"model": "m-1", "choices": [{"message": message, "finish_reason": finish}]}


def call(name="think", arguments="{}", **more):
    return {
        "id": "a",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    } | more


@pytest.mark.parametrize(
    ("message", "text", "has_text"),
    [
        ({"content": "Good day."}, "Good day.", True),
        ({"content": ""}, None, True),
        ({"content": " \n"}, None, True),
        ({"content": None}, None, False),
        ({}, None, False),
        ({"content": None, "refusal": "I cannot."}, "I cannot.", True),
        ({"content": [{"type": "text", "text": "Good "}, {"type": "text", "text": "day."}]},
         "Good day.", True),
    ],
)  # fmt: skip
def test_null_is_told_apart_from_absent_and_empty(message, text, has_text):
    found = read_completion(body(**message))
    assert (found.text, found.has_text) == (text, has_text)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "Hi.", "reasoning_content": "secret"}, "Hi."),
        ({"content": "Hi.", "reasoning": "secret", "reasoning_details": [{"text": 1}]}, "Hi."),
        ({"content": None, "reasoning_content": "secret"}, None),
        ({"content": "<think>secret</think>\n\nHi."}, "Hi."),
        ({"content": "secret, from the template</think>Hi."}, "Hi."),
        ({"content": "<think>secret without an end"}, None),
        ({"content": [{"type": "thinking", "thinking": "secret"}, {"type": "text", "text": "Hi."}]},
         "Hi."),
    ],
)  # fmt: skip
def test_reasoning_is_kept_apart_and_handed_back(message, text):
    found = read_completion(body(**message))
    assert found.text == text
    assert "secret" in json.dumps(found.reasoning)
    for name in ("reasoning", "reasoning_content", "reasoning_details"):
        assert found.message.get(name) == message.get(name)


def test_empty_reasoning_is_none():
    assert read_completion(body(content="Hi.", reasoning_content=None)).reasoning == {}


def test_several_calls_and_the_text_beside_them_are_read():
    second = call("calculate", '{"a": 1}', id="b")
    found = read_completion(body(content="Let me see.", tool_calls=[call(), second]))
    assert found.text == "Let me see."
    assert [(one.id, one.name, one.arguments) for one in found.calls] == [
        ("a", "think", "{}"),
        ("b", "calculate", '{"a": 1}'),
    ]
    assert [one["id"] for one in found.message["tool_calls"]] == ["a", "b"]


@pytest.mark.parametrize("given", [None, "", {}])
def test_call_without_arguments_has_none(given):
    assert read_completion(body(tool_calls=[call(arguments=given)])).calls[0].arguments == "{}"


def test_arguments_as_an_object_are_read_as_its_text():
    found = read_completion(body(tool_calls=[call(arguments={"a": 1})]))
    assert json.loads(found.calls[0].arguments) == {"a": 1}


@pytest.mark.parametrize("written", ["x", {}, {"function": None}, {"function": {"name": 3}}])
def test_call_without_a_name_is_a_call_of_an_unnamed_tool(written):
    found = read_completion(body(tool_calls=[written]))
    assert [one.name for one in found.calls] == [""]
    assert found.message["tool_calls"][0]["function"]["name"] == "unnamed"


def test_calls_get_ids_of_their_own():
    found = read_completion(body(tool_calls=[call(), call(), call(id=None)]))
    ids = [one.id for one in found.calls]
    assert len(set(ids)) == 3
    assert [one["id"] for one in found.message["tool_calls"]] == ids


@pytest.mark.parametrize("torn", ['{"a": 1', "[1]", "no json", "[" * 100_000])
def test_torn_arguments_are_handed_back_as_json(torn):
    """Servers refuse a conversation with broken arguments: the agent's mistake, not a crash."""
    found = read_completion(body(tool_calls=[call("look up!", torn)]))
    assert found.calls[0].arguments == torn
    function = found.message["tool_calls"][0]["function"]
    assert json.loads(function["arguments"]) == {"unreadable": torn}
    assert function["name"] == "look_up_"


def test_fields_beside_a_call_are_handed_back_as_they_came():
    extra = {"extra_content": {"thought_signature": "abc"}}
    found = read_completion(body(tool_calls=[call(**extra)]))
    assert found.message["tool_calls"][0]["extra_content"] == extra["extra_content"]


def test_reply_that_was_cut_is_marked():
    found = read_completion(body(finish="length", content="Good d"))
    assert (found.text, found.finish, found.warnings) == ("Good d", "length", (CUT,))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": ["x"]},
        {"choices": [{}]},
        {"choices": [{"message": "x"}]},
        body(content=3),
        body(tool_calls="x"),
    ],
)
def test_body_that_is_no_reply_is_a_crash(wrong):
    with pytest.raises(Crash, match="endpoint's reply has"):
        read_completion(wrong)


@pytest.mark.parametrize("text", ["", "<html>", '{"a": ', "[1]", "3", "[" * 100_000])
def test_body_that_is_no_object_is_a_crash(text):
    with pytest.raises(Crash, match="no JSON"):
        read_body(text)


def test_lone_surrogates_become_characters():
    """They could not be sent back to the model."""
    found = read_completion(read_body(json.dumps(body(content="a\ud800b"))))
    assert found.text == "a?b"
    kept = read_completion(read_body(json.dumps(body(content="a😀b"))))
    assert kept.text == "a😀b"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        "none",
        {},
        {"prompt_tokens": 3},
        {"prompt_tokens": None, "completion_tokens": 2},
        {"prompt_tokens": -1, "completion_tokens": 2},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": "3", "completion_tokens": 2},
    ],
)
def test_usage_that_is_not_told_is_unknown_and_not_zero(usage):
    """F100."""
    assert read_usage({"usage": usage}, Prices(input=1, output=1)) == Usage(calls=1, unknown=1)


def test_cost_is_of_tokens_and_prices():
    usage = {"prompt_tokens": 1_000_000, "completion_tokens": 500_000}
    prices = Prices(input=2.0, output=8.0, cached=0.5)
    assert read_usage({"usage": usage}, prices).cost == pytest.approx(6.0)
    cached = usage | {"prompt_tokens_details": {"cached_tokens": 400_000}}
    assert read_usage({"usage": cached}, prices).cost == pytest.approx(1.2 + 0.2 + 4.0)
    assert read_usage({"usage": cached}, Prices(input=2.0, output=8.0)).cost == pytest.approx(6.0)
    assert read_usage({"usage": usage}, None) == Usage(
        calls=1, input_tokens=1_000_000, output_tokens=500_000
    )
