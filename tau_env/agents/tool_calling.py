"""A model that calls tools by the chat-completions interface.

A reply is read in one documented way. Calls are done in their order, one a step, before the model
is asked again, and it gets all their results; text beside a call is kept in the transcript as the
first call's aside and is not delivered; a reply without calls is said to the customer; a reply with
neither costs a step, and the model is told. Unknown tools and torn arguments are answered by the
toolbox, as for any agent.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from tau_env.actions import Action, Observation, say
from tau_env.agents.model import ModelAgent
from tau_env.chat import ToolRequest
from tau_env.schema import Briefing

INSTRUCTIONS = """\
You are the customer-service agent of a company. Follow the policy below.

In every turn do one of two things: write a message to the customer, or call tools. What you \
write beside a tool call is not shown to the customer. The conversation goes on until the \
customer leaves or you transfer it.

{policy}"""
NOTICE = "Note by the system, not by the customer: {text}"
NUDGE = "Your last reply held neither a message to the customer nor a tool call. Send one of them."


class ToolCalling(ModelAgent):
    """Chat-completions tool calling."""

    scaffold = "tool-calling 1"

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Start a conversation; the tools go with every request."""
        super().reset(briefing, seed)
        self._tools = list(briefing.tools)
        self._queue: deque[Action] = deque()
        self._unanswered: deque[str] = deque()
        self._was_nothing = False

    def instructions(self, briefing: Briefing) -> str:
        """The policy and how to act."""
        return INSTRUCTIONS.format(policy=briefing.policy)

    def act(self, observation: Observation) -> Action:
        """Do the next of the calls that the model asked for, or ask it."""
        self._messages.append(self._told(observation))
        if not self._queue:
            self._queue.extend(self._ask())
        return self._queue.popleft()

    def _told(self, observation: Observation) -> dict[str, Any]:
        if self._unanswered:
            name = self._unanswered.popleft()
            return {"role": "tool", "tool_call_id": name, "content": observation["text"]}
        text = observation["text"]
        if observation["source"] != "customer":
            text = NOTICE.format(text=NUDGE if self._was_nothing else text)
        return {"role": "user", "content": text}

    def _ask(self) -> list[Action]:
        found = self._chat.complete(self._messages, tools=self._tools, seed=self._seed)
        self._was_nothing = not found.calls and found.text is None
        actions = [_call(one) for one in found.calls]
        if found.text is not None and actions:
            actions[0]["aside"] = found.text
        elif found.text is not None:
            actions = [say(found.text)]
        elif not actions:
            actions = [self._nothing(found)]
        self._unanswered.extend(one.id for one in found.calls)
        self._messages.append(found.message)
        return actions


def _call(request: ToolRequest) -> Action:
    return {"type": "call", "name": request.name, "arguments": request.arguments}
