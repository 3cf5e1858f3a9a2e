"""Baselines that do not try: what they score is the floor of a task set.

They know the briefing and what came back, nothing else, and name no domain.
"""

from __future__ import annotations

import random
from typing import Any

from tau_env.actions import Action, Observation, say
from tau_env.agents.notebook import Notebook
from tau_env.schema import Briefing


class Silent:
    """Says nothing, every time."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: Observation) -> Action:
        """An empty line."""
        del observation
        return say("")


class Parrot:
    """Repeats what it heard."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: Observation) -> Action:
        """The same words back."""
        return say(observation["text"])


class ClaimDone:
    """Says that everything is done, and does nothing."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: Observation) -> Action:
        """The claim."""
        del observation
        return say(
            "I have done everything that you asked for, it is complete. "
            "Is there anything else that I can help you with?"
        )


class Refuser:
    """Refuses everything politely."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    def act(self, observation: Observation) -> Action:
        """The refusal."""
        del observation
        return say(
            "I'm sorry, but I cannot help you with that. Is there anything else that I can do?"
        )


class TransferAtOnce:
    """Hands every customer to a human at once."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Look for the tool that transfers."""
        del seed
        self._briefing = briefing

    def act(self, observation: Observation) -> Action:
        """The transfer."""
        del observation
        return transfer(self._briefing)


def transfer(briefing: Briefing) -> Action:
    """A call of the briefing's transfer tool, its texts filled in; an apology where it has none."""
    for schema in briefing.tools:
        function = schema["function"]
        if "transfer" in function["name"]:
            needed = function["parameters"]["required"]
            text = "The customer needs a human colleague."
            return {
                "type": "call",
                "name": function["name"],
                "arguments": dict.fromkeys(needed, text),
            }
    return say("I will pass you on to a colleague.")


class RandomCalls:
    """Calls random tools with valid arguments that it picked up, and says nothing of use."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Take the tools and the seed."""
        self._rng = random.Random(f"{seed}/agent")
        self._functions: list[dict[str, Any]] = [
            schema["function"]
            for schema in briefing.tools
            if "transfer" not in schema["function"]["name"]
        ]
        self._notes = Notebook()

    def act(self, observation: Observation) -> Action:
        """A random call whose arguments are known, or a question that brings some."""
        self._notes.read(observation)
        if self._rng.random() < 0.25:
            return say("Could you tell me your user id, e-mail, name, zip code and the number?")
        for function in self._rng.sample(self._functions, len(self._functions)):
            arguments = self._notes.fill(function["parameters"], self._rng)
            if arguments is not None:
                return {"type": "call", "name": function["name"], "arguments": arguments}
        return say("One moment, please.")
