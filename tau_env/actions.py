"""What an agent can do in a step, as small dicts: say, call, end; and from a chat message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from tau_env.errors import BadAction

Action = dict[str, Any]
"""``{"type": "say", "text"}``, ``{"type": "call", "name", "arguments"}`` or ``{"type": "end"}``;
a call may have ``"aside"``, text that came beside it and is not delivered."""


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
            the transcript and not delivered. A message with neither gives an empty line.

    Raises:
        BadAction: not an assistant message, or a call without a function name.
    """
    if message.get("role", "assistant") != "assistant":
        raise BadAction(f"a message of role {message['role']!r} is no action; pass the assistant's")
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    if isinstance(content, list):
        text = "".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    actions: list[Action] = []
    for one in message.get("tool_calls") or ():
        function = one.get("function") if isinstance(one, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise BadAction(f"tool call without a function name: {one!r}")
        arguments = function.get("arguments")
        actions.append(
            {
                "type": "call",
                "name": function["name"],
                "arguments": "{}" if arguments in (None, "") else arguments,
            }
        )
    if actions and text:
        actions[0]["aside"] = text
    return actions or [say(text)]


def check_action(action: Any) -> str | None:
    """Why something is no action, as a text for the agent; None if it is one."""
    if not isinstance(action, Mapping):
        return f"an action is a dict, not a {type(action).__name__}"
    kind = action.get("type")
    if kind == "say":
        return None if isinstance(action.get("text"), str) else "a say action has a 'text'"
    if kind == "call":
        if not isinstance(action.get("name"), str):
            return "a call action has a 'name'"
        if not isinstance(action.get("arguments", {}), str | Mapping):
            return "a call's 'arguments' are a JSON object or its text"
        aside = action.get("aside", "")
        return None if isinstance(aside, str) else "a call's 'aside' is a text"
    if kind == "end":
        return None
    return f"an action's 'type' is 'say', 'call' or 'end', not {kind!r}"
