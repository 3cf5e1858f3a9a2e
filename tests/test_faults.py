"""Errors of endpoints: whose fault, and whether asking again may help (F61-F77)."""

import pytest

from tau_env.faults import read_fault, retry_after

SCHEMA = {"response_format": {"type": "json_schema"}, "seed": 1, "temperature": 0}


def told(message, **more):
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, told("This model's maximum context length is 8192 tokens.", code="x")),
        (400, told("too long", code="context_length_exceeded")),
        (400, told("prompt is too long: 210000 tokens > 200000 maximum")),
        (400, told("the request exceeds the available context size, try increasing it")),
        (413, told("Please reduce the length of the messages or completion.")),
        (500, told("context window exceeded")),
        (422, {"detail": "Input is too long for requested model."}),
        (400, "Requested tokens exceed context window of 2048"),
    ],
)
def test_too_long_conversation_is_told_from_other_errors(status, body):
    assert read_fault(status, body).kind == "overflow"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, told("Rate limit reached"), "limit"),
        (429, told("You exceeded your current quota", code="insufficient_quota"), "fatal"),
        (429, told("Too many tokens per minute for this context window"), "limit"),
        (500, told("boom"), "server"),
        (502, "<html>Bad gateway</html>", "server"),
        (503, None, "server"),
        (408, told("timeout"), "server"),
        (401, told("no key for this context length"), "fatal"),
        (403, told("no"), "fatal"),
        (404, told("no such model"), "fatal"),
        (400, told("messages must not be empty"), "fatal"),
        (400, told("Failed to call a function.", code="tool_use_failed"), "model"),
        (500, told("Failed to parse tool call arguments as JSON"), "model"),
        (200, told("upstream said no"), "fatal"),
    ],
)
def test_error_has_one_kind(status, body, kind):
    assert read_fault(status, body).kind == kind


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("Unsupported value: 'temperature' does not support 0 with this model.", ("temperature",)),
        ("Unrecognized request argument supplied: seed", ("seed",)),
        ("Extra inputs are not permitted: seed, temperature", ("seed", "temperature")),
        ("json_schema is not supported by this model", ("json_schema",)),
        ("Failed to initialize samplers: failed to parse grammar", ("json_schema",)),
    ],
)
def test_parameter_that_is_not_taken_is_named(message, named):
    fault = read_fault(400, told(message), request=SCHEMA)
    assert (fault.kind, fault.parts) == ("unsupported", named)


def test_thoughts_that_may_not_be_handed_back_are_named():
    for text in (
        "property 'reasoning_content' is unsupported",
        "reasoning_content may not be included in input messages",
        "messages.2.thinking_blocks: Extra inputs are not permitted",
    ):
        thoughts = {"messages": [{"role": "assistant", "content": "a", "reasoning_content": "b"}]}
        fault = read_fault(400, told(text), request=thoughts)
        assert (fault.kind, fault.parts) == ("unsupported", ("reasoning",)), text
        plain = {"messages": [{"role": "assistant", "content": "a"}]}
        assert read_fault(400, told(text), request=plain).kind == "fatal"


def test_only_what_was_asked_and_may_be_dropped_counts_as_not_taken():
    message = told("Unsupported parameter: 'seed'")
    assert read_fault(400, message, request={"temperature": 0}).kind == "fatal"
    effort = told("Unsupported parameter: 'reasoning_effort'")
    assert read_fault(400, effort, request={"reasoning_effort": "low"}).kind == "fatal"
    plain = {"response_format": {"type": "text"}}
    assert read_fault(400, told("no response_format"), request=plain).kind == "fatal"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(headers, seconds):
    assert retry_after(headers, now=60.0) == seconds


def test_server_that_says_when_to_come_back_is_a_limit():
    fault = read_fault(503, told("busy"), headers={"retry-after": "1"})
    assert (fault.kind, fault.wait) == ("limit", 1.0)


def test_text_of_a_fault_is_one_short_line():
    fault = read_fault(500, told("line\n" * 1000, code="c"))
    assert "\n" not in fault.text
    assert len(fault.text) < 600
