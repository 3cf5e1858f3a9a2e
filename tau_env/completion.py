"""What a model answered: a chat-completions reply, read without losing or inventing anything.

Text, tool calls and reasoning are told apart here. A body that is no reply at all is the
infrastructure's fault; a reply with nothing or nonsense in it is the model's, and is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tau_env.concessions import REASONING
from tau_env.errors import Crash
from tau_env.prices import Prices
from tau_env.schema import Usage

CUT = "the reply was cut at the limit of output tokens"
_LONE = re.compile(r"\\u[dD][89a-fA-F]")
_NAME = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, kw_only=True)
class ToolRequest:
    """A tool call as the model wrote it.

    Attributes:
        id: what its result is handed back under.
        name: the tool; empty where the model named none.
        arguments: their text, which may be no JSON.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Completion:
    """One reply of a model.

    Attributes:
        text: what it says, without its reasoning; None where it says nothing (null, absent, empty
            or white space only).
        has_text: whether the reply had a text, be it empty; False for null or absent.
        calls: tool calls, in order.
        reasoning: fields with the model's reasoning, as they came.
        message: the assistant message to hand back to the same model.
        finish: why it stopped, as told.
        model: the model that answered, as told.
        warnings: what was odd about the reply.
    """

    text: str | None = None
    has_text: bool = False
    calls: tuple[ToolRequest, ...] = ()
    reasoning: dict[str, Any] = field(default_factory=dict)
    message: dict[str, Any] = field(default_factory=lambda: {"role": "assistant", "content": ""})
    finish: str | None = None
    model: str | None = None
    warnings: tuple[str, ...] = ()


def read_body(text: str) -> dict[str, Any]:
    """The JSON object of a reply's body.

    Raises:
        Crash: it is no JSON object.
    """
    try:
        body = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise Crash(f"the endpoint's reply is no JSON ({error}): {text[:200]!r}") from None
    if not isinstance(body, dict):
        raise Crash(f"the endpoint's reply is no JSON object: {text[:200]!r}")
    # A lone surrogate is no character and could not be handed back to the model.
    return body if _LONE.search(text) is None else _characters(body)


def _characters(body: dict[str, Any]) -> dict[str, Any]:
    written = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    found: dict[str, Any] = json.loads(written)
    return found


def read_completion(body: Mapping[str, Any]) -> Completion:
    """Read a reply.

    Args:
        body: as from `read_body`.

    Raises:
        Crash: there is no choice with a message in it, or a part of it has a wrong type.
    """
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, Mapping) else None
    if not isinstance(first, Mapping) or not isinstance(message, Mapping):
        raise Crash(f"the endpoint's reply has no choice with a message: {dict(body)!r:.200}")
    said = _content(message)
    thought = {
        name: value
        for name, value in message.items()
        if name.startswith(REASONING) and value is not None
    }
    text, inner = _without_thinking(said.text or "")
    if inner or said.thinking:
        thought["content"] = said.thinking or inner
    written = message.get("tool_calls")
    if written is not None and not isinstance(written, list):
        raise Crash(f"the endpoint's reply has 'tool_calls' that are no list: {written!r:.200}")
    calls = tuple(_request(one, place) for place, one in enumerate(written or ()))
    finish = first.get("finish_reason")
    model = body.get("model")
    return Completion(
        text=text if text.strip() else None,
        has_text=said.text is not None,
        calls=_distinct(calls),
        reasoning=thought,
        message=_to_hand_back(message, _distinct(calls), said.text),
        finish=finish if isinstance(finish, str) else None,
        model=model if isinstance(model, str) else None,
        warnings=(CUT,) if finish == "length" else (),
    )


def read_usage(body: Mapping[str, Any], prices: Prices | None) -> Usage:
    """What one call used; unknown where the reply does not tell both numbers.

    Args:
        body: as from `read_body`.
        prices: of the model; the cost is unknown without.
    """
    told = body.get("usage")
    told = told if isinstance(told, Mapping) else {}
    sent, received = _count(told.get("prompt_tokens")), _count(told.get("completion_tokens"))
    if sent is None or received is None:
        return Usage(calls=1, unknown=1)
    details = told.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    cost = None
    if prices is not None:
        cost = prices.cost(sent=sent, received=received, cached=cached or 0)
    return Usage(calls=1, input_tokens=sent, output_tokens=received, cost=cost)


def _count(value: Any) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if good else None


@dataclass(frozen=True)
class _Said:
    """A message's content: its text, None if null or absent, and parts that are reasoning."""

    text: str | None
    thinking: list[Any] = field(default_factory=list)


def _content(message: Mapping[str, Any]) -> _Said:
    content = message.get("content")
    if content is None and isinstance(message.get("refusal"), str):
        content = message["refusal"]
    if content is None or isinstance(content, str):
        return _Said(content)
    if not isinstance(content, list):
        raise Crash(f"the endpoint's reply has a 'content' that is no text: {content!r:.200}")
    parts = [part for part in content if isinstance(part, Mapping)]
    texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
    return _Said("".join(texts), [one for one in parts if not isinstance(one.get("text"), str)])


def _without_thinking(text: str) -> tuple[str, str]:
    """A text and the ``<think>`` block before it, which some servers leave in the content."""
    thought, closed, rest = text.rpartition("</think>")
    if closed:
        return rest.strip(), thought.strip().removeprefix("<think>").strip()
    if text.lstrip().startswith("<think>"):
        return "", text.strip().removeprefix("<think>").strip()
    return text, ""


def _request(one: Any, place: int) -> ToolRequest:
    call = one if isinstance(one, Mapping) else {}
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    name, arguments, given = function.get("name"), function.get("arguments"), call.get("id")
    if arguments is None or arguments == "":
        arguments = "{}"
    return ToolRequest(
        id=given if isinstance(given, str) and given else f"call_{place}",
        name=name if isinstance(name, str) else "",
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
    )


def _distinct(calls: tuple[ToolRequest, ...]) -> tuple[ToolRequest, ...]:
    """The calls, each with an id of its own: results are handed back by it."""
    if len({one.id for one in calls}) == len(calls):
        return calls
    return tuple(
        ToolRequest(id=f"call_{place}", name=one.name, arguments=one.arguments)
        for place, one in enumerate(calls)
    )


def _to_hand_back(
    message: Mapping[str, Any], calls: tuple[ToolRequest, ...], text: str | None
) -> dict[str, Any]:
    """The message as it came, in a form that endpoints take.

    Servers refuse a conversation with a tool name or arguments that are none. That would turn a
    mistake of the model into a crash, so such a name is made one and such arguments are wrapped.
    """
    # A message without content and calls is refused by most endpoints.
    found: dict[str, Any] = {"role": "assistant", "content": text if calls else text or ""}
    found |= {
        name: value
        for name, value in message.items()
        if name.startswith(REASONING) and value is not None
    }
    if calls:
        written = message.get("tool_calls") or ()
        found["tool_calls"] = [
            {
                **(dict(one) if isinstance(one, Mapping) else {}),
                "id": call.id,
                "type": "function",
                "function": {
                    "name": _NAME.sub("_", call.name)[:64] or "unnamed",
                    "arguments": _readable(call.arguments),
                },
            }
            for one, call in zip(written, calls, strict=True)
        ]
    return found


def _readable(arguments: str) -> str:
    try:
        good = isinstance(json.loads(arguments), dict)
    except (json.JSONDecodeError, RecursionError):
        good = False
    return arguments if good else json.dumps({"unreadable": arguments})
