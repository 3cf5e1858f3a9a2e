"""What an agent can do in a step, as small dicts: say, call, end; and from a chat message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from tau_env.errors import BadAction

Action = dict[str, Any]
"""``{"type": "say", "text"}``, ``{"type": "call", "name", "arguments"}`` or ``{"type": "end"}``;
a call may have ``"aside"``, text that came beside it and is not delivered. A model's reply in which
there is none of these becomes ``{"type": "nothing", "why"}``, which costs a step as any mistake."""

LONGEST_LINE = 64_000
"""Characters that a line, a tool's name or an aside may have."""


class Observation(TypedDict):
    """What came back.

    Attributes:
        source: ``customer``, ``tool`` or ``system``.
        text: what it says.
    """

    source: str
    text: str


def say(text: str) -> Action:
    """Say something to the customer."""
    return {"type": "say", "text": text}


def call(name: str, /, **arguments: Any) -> Action:
    """Call a tool.

    Args:
        name: the tool's name.
        arguments: its arguments.
    """
    return {"type": "call", "name": name, "arguments": arguments}


def end() -> Action:
    """End the conversation."""
    return {"type": "end"}


def from_message(message: Mapping[str, Any]) -> list[Action]:
    """The actions of an assistant message in the chat-completions form, in order.

    Args:
        message: ``{"role": "assistant", "content": ..., "tool_calls": [...]}``. Several calls give
            several actions. Text beside calls goes with the first as its ``aside``: it is kept in
            the transcript and not delivered. A refusal is said as text is. A message with nothing
            in it gives an empty line.

    Raises:
        BadAction: not an assistant message, or a call without a function name.
    """
    if not isinstance(message, Mapping):
        kind = type(message).__name__
        raise BadAction(f"a message is a dict, not a {kind}; pass message.model_dump()")
    if message.get("role", "assistant") != "assistant":
        raise BadAction(f"a message of role {message['role']!r} is no action; pass the assistant's")
    text = _text(message.get("content")) or _text(message.get("refusal"))
    actions = [_from_tool_call(one) for one in message.get("tool_calls") or ()]
    if actions and text:
        actions[0]["aside"] = text
    return actions or [say(text)]


def _text(content: Any) -> str:
    """The text of a message's content: a text, or a list of parts of which some are texts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _from_tool_call(one: Any) -> Action:
    function = one.get("function") if isinstance(one, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise BadAction(f"tool call without a function name: {one!r}")
    arguments = function.get("arguments")
    return {
        "type": "call",
        "name": function["name"],
        "arguments": "{}" if arguments in (None, "") else arguments,
    }


def check_action(action: Any) -> str | None:
    """Why something is no action, as a text for the agent; None if it is one."""
    if not isinstance(action, Mapping):
        return f"an action is a dict, not a {type(action).__name__}"
    kind = action.get("type")
    if kind == "say":
        return _check_text("a say action's 'text'", action.get("text"))
    if kind == "call":
        wrong = _check_text("a call's 'name'", action.get("name"))
        wrong = wrong or _check_text("a call's 'aside'", action.get("aside", ""))
        arguments = action.get("arguments", {})
        if wrong or isinstance(arguments, Mapping):
            return wrong
        if not isinstance(arguments, str):
            return "a call's 'arguments' are a JSON object or its text"
        # How long arguments may be is the toolbox's own rule.
        return _check_text("a call's 'arguments'", arguments, longest=None)
    if kind == "end":
        return None
    if kind == "nothing":
        return f"the reply held no action ({action.get('why', 'it was empty')!s:.80})"
    return f"an action's 'type' is 'say', 'call' or 'end', not {kind!r:.80}"


def _check_text(what: str, value: Any, *, longest: int | None = LONGEST_LINE) -> str | None:
    if not isinstance(value, str):
        return f"{what} is a text"
    if longest is not None and len(value) > longest:
        return f"{what} has at most {longest:,} characters"
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return f"{what} is a text without lone surrogates, which are no characters"
    return None
