"""What every agent that is played by a model has: an endpoint, a conversation, an account.

How a model is asked and its reply read is the scaffold's business: `tool_calling` and
`json_actions`. What is settled here for both: a reply with nothing in it costs a step, is in the
transcript, is told to the model, and is never asked for again behind the trial's back.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from tau_env.actions import Action, Observation
from tau_env.chat import Chat, Completion, find_endpoint
from tau_env.schema import Briefing, Usage

SEEDS = 2**31
"""Seeds sent to endpoints are below this; many take no greater one."""
EMPTY = "(no reply)"
"""Stands in the conversation for a reply without text and call: endpoints refuse an empty one."""


class ModelAgent(ABC):
    """A model behind an endpoint, in a scaffold.

    Attributes:
        waits: True: it spends its time waiting for the endpoint.
    """

    waits = True

    def __init__(self, **settings: Any) -> None:
        """Find the endpoint; nothing is asked yet.

        Args:
            settings: ``model``, ``base_url``, ``prices``, ``api_key_env`` and parameters of every
                request, as in `tau_env.endpoint.find_endpoint`.

        Raises:
            BadArgument: a setting that cannot be.
        """
        self._chat = Chat(find_endpoint("agent", settings))
        self._seed = 0
        self._messages: list[dict[str, Any]] = []

    @classmethod
    def settled(cls, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as a study keeps them: complete, checked, without a key.

        Raises:
            BadArgument: a setting that cannot be.
        """
        return find_endpoint("agent", settings).settings()

    @property
    def usage(self) -> Usage:
        """What was spent since the start of the trial."""
        return self._chat.usage

    @property
    def waited(self) -> float:
        """Seconds of the trial that were not the model's."""
        return self._chat.waited

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the record should warn of."""
        return self._chat.warnings

    @property
    def served(self) -> tuple[str, ...]:
        """The models that answered, as the endpoint names them."""
        return self._chat.served

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Start a conversation with the policy and what the scaffold adds to it."""
        self._chat.start()
        self._seed = seed % SEEDS
        self._messages = [{"role": "system", "content": self.instructions(briefing)}]

    @abstractmethod
    def instructions(self, briefing: Briefing) -> str:
        """The system message of a trial."""

    @abstractmethod
    def act(self, observation: Observation) -> Action:
        """Hand on what came back and make the reply an action."""

    def _nothing(self, completion: Completion, what: str = "") -> Action:
        """The action of a reply in which there is none: the environment answers with an error."""
        if not completion.text:
            completion.message["content"] = EMPTY
        return {"type": "nothing", "why": what or _why_nothing(completion)}


def _why_nothing(completion: Completion) -> str:
    if completion.finish not in (None, "stop"):
        return f"no message and no call, finish reason {completion.finish:.40}"
    return "reasoning only" if completion.reasoning else "an empty reply"
