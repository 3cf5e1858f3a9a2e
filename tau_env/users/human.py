"""A person plays the customer in the terminal, from the scenario's instruction."""

from __future__ import annotations

from collections.abc import Callable

from tau_env.schema import Lexicon, Scenario
from tau_env.users.base import Reply

LEAVE = "/leave"


class HumanUser:
    """Shows the scenario, asks for every line; a line that is ``/leave`` ends the conversation."""

    name = "human"

    def __init__(
        self, *, ask: Callable[[str], str] = input, show: Callable[[str], None] = print
    ) -> None:
        """Choose how to ask and show.

        Args:
            ask: returns the line for a prompt.
            show: prints a text.
        """
        self._ask = ask
        self._show = show

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Show the scenario and ask for the opening line."""
        del lexicon, seed
        self._show(scenario.instruction)
        for name, fact in scenario.facts.items():
            self._show(f"  {name}: {fact.value} ({'if asked' if fact.tell == 'asked' else 'open'})")
        self._show(f"You are the customer. Type {LEAVE} to end the conversation.")
        return self._line()

    def reply(self, text: str) -> Reply:
        """Show the agent's message and ask for an answer."""
        self._show(f"agent: {text}")
        return self._line()

    def _line(self) -> Reply:
        line = self._ask("customer> ")
        return Reply("Goodbye.", ends=True) if line.strip() == LEAVE else Reply(line)
