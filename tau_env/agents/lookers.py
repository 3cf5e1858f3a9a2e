"""Baselines that look everything up and decide nothing: blind to the policy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tau_env.actions import Action, Observation, say
from tau_env.agents.floors import transfer
from tau_env.agents.notebook import Notebook
from tau_env.schema import Briefing

READING = ("find_", "get_", "list_", "search_")
LONGEST_SPEECH = 8_000


class _Looker:
    """Asks for everything, calls every reading tool that it can fill, then concludes."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Take the reading tools; the seed changes nothing."""
        del seed
        self._briefing = briefing
        self._functions = [
            schema["function"]
            for schema in briefing.tools
            if schema["function"]["name"].startswith(READING)
        ]
        self._notes = Notebook()
        self._done: set[tuple[str, str]] = set()
        self._results: list[str] = []
        self._steps = 0

    def act(self, observation: Observation) -> Action:
        """Ask, look up, conclude."""
        self._notes.read(observation)
        if observation["source"] == "tool" and not observation["text"].startswith("Error"):
            self._results.append(observation["text"])
        self._steps += 1
        if self._steps == 1:
            return say(
                "May I have your user id, your e-mail address, your first and last name, your zip "
                "code and the number of your order or reservation?"
            )
        if self._steps < self._briefing.max_steps - 4:
            for name, arguments in self._calls():
                if (name, repr(arguments)) not in self._done:
                    self._done.add((name, repr(arguments)))
                    return {"type": "call", "name": name, "arguments": arguments}
        return self.conclude()

    def _calls(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for function in self._functions:
            needed = function["parameters"]["required"]
            for values in itertools.product(*(self._notes.known(name) for name in needed)):
                yield function["name"], dict(zip(needed, values, strict=True))

    def conclude(self) -> Action:
        """What it does with all that."""
        raise NotImplementedError


class LookThenRefuse(_Looker):
    """Looks everything up and refuses."""

    def conclude(self) -> Action:
        """The refusal."""
        return say("I'm sorry, but I cannot do that for you. Is there anything else?")


class LookThenTransfer(_Looker):
    """Looks everything up and hands the customer to a human."""

    def conclude(self) -> Action:
        """The transfer."""
        return transfer(self._briefing)


class ReciteAll(_Looker):
    """Looks everything up, recites all of it and refuses."""

    def conclude(self) -> Action:
        """The recital, as far as a line is long."""
        told = "\n".join(self._results)[:LONGEST_SPEECH]
        return say(f"This is all that I found:\n{told}\nI'm sorry, but I cannot do anything else.")
