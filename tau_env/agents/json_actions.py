"""A model that cannot call tools: every reply is one action, written as JSON.

The form is asked for by `response_format` (a schema, then any JSON object, then in words only, as
the endpoint takes it) and is stated in the instructions. A reply that is not of the form costs a
step and changes nothing; the model is told what was wrong and may go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tau_env.actions import Action, Observation, say
from tau_env.agents.model import ModelAgent
from tau_env.schema import Briefing

INSTRUCTIONS = """\
You are the customer-service agent of a company. Follow the policy below.

Every reply of yours is one JSON object and nothing else. To write to the customer:
{{"say": "your message"}}
To call a tool:
{{"call": "name of the tool", "arguments": {{"name": "value"}}}}
What you call is not shown to the customer. You are told what the customer said and what tools \
returned. The conversation goes on until the customer leaves or you transfer it.

# Policy

{policy}

# Tools

{tools}"""
WRONG_FORM = (
    'Your last reply was not of the form {"say": "..."} or {"call": "...", "arguments": {...}}. '
    "Nothing was done."
)
_FENCE = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL | re.IGNORECASE)


class JsonActions(ModelAgent):
    """One JSON action a reply."""

    scaffold = "json-actions 1"

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Start a conversation; the form goes with every request."""
        super().reset(briefing, seed)
        self._form = action_form(tuple(one["function"]["name"] for one in briefing.tools))
        self._was_nothing = False

    def instructions(self, briefing: Briefing) -> str:
        """The policy, the tools and how to act."""
        tools = "\n".join(json.dumps(one["function"], ensure_ascii=False) for one in briefing.tools)
        return INSTRUCTIONS.format(policy=briefing.policy, tools=tools)

    def act(self, observation: Observation) -> Action:
        """Tell what came back and read the reply."""
        text = WRONG_FORM if self._was_nothing else observation["text"]
        self._messages.append({"role": "user", "content": f"{observation['source']}: {text}"})
        found = self._chat.complete(self._messages, response_format=self._form, seed=self._seed)
        action = None if found.text is None else read_action(found.text)
        self._was_nothing = action is None
        if action is None:
            action = self._nothing(found, "not of the form" if found.text else "")
        self._messages.append(found.message)
        return action


def action_form(tools: tuple[str, ...]) -> dict[str, Any]:
    """The form of a reply, as a `response_format` of the kind ``json_schema``.

    Args:
        tools: names of the tools.
    """
    said = {
        "type": "object",
        "properties": {"say": {"type": "string"}},
        "required": ["say"],
        "additionalProperties": False,
    }
    called = {
        "type": "object",
        "properties": {
            "call": {"type": "string", "enum": list(tools)},
            "arguments": {"type": "object"},
        },
        "required": ["call", "arguments"],
        "additionalProperties": False,
    }
    # Some endpoints take a schema only if its root says that it is an object.
    schema = {"type": "object", "anyOf": [said, called]}
    form = {"name": "action", "schema": schema, "strict": False}
    return {"type": "json_schema", "json_schema": form}


def read_action(text: str) -> Action | None:
    """The action that a reply holds; None if it is not of the form.

    Args:
        text: JSON, perhaps in a fence of three backticks. A message beside a call is its aside.
    """
    fenced = _FENCE.match(text.strip())
    try:
        found = json.loads(fenced.group(1) if fenced else text)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(found, Mapping):
        return None
    said, called = found.get("say"), found.get("call")
    said = said if isinstance(said, str) and said.strip() else None
    if isinstance(called, str) and called:
        arguments = found.get("arguments", {})
        # What is neither an object nor its text is the toolbox's to refuse.
        written = arguments if isinstance(arguments, str | dict) else json.dumps(arguments)
        action: Action = {"type": "call", "name": called, "arguments": written}
        return action if said is None else {**action, "aside": said}
    return None if said is None else say(said)
