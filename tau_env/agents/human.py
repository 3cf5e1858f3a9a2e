"""A person plays the agent in the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable

from tau_env.actions import Action, Observation, end, say
from tau_env.schema import Briefing

HELP = """Type what you say to the customer, or
  /call TOOL {"argument": "value"}   call a tool
  /tools                             list the tools with their arguments
  /policy                            read the policy
  /help                              read this again
  /end                               end the conversation"""


class HumanAgent:
    """Shows what came back and asks for the next action."""

    def __init__(
        self, *, ask: Callable[[str], str] = input, show: Callable[[str], None] = print
    ) -> None:
        """Choose how to ask and show.

        Args:
            ask: returns the line for a prompt; EOFError ends the conversation.
            show: prints a text.
        """
        self._ask = ask
        self._show = show

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Show how to play."""
        del seed
        self._briefing = briefing
        self._show(f"You serve a customer of {briefing.domain}.\n{HELP}")

    def act(self, observation: Observation) -> Action:
        """Ask until the person gives an action."""
        self._show(f"{observation['source']}: {observation['text']}")
        while True:
            try:
                line = self._ask("you> ").strip()
            except EOFError:
                return end()
            if line == "/end":
                return end()
            if line == "/help":
                self._show(HELP)
            elif line == "/tools":
                self._show(self._tools())
            elif line == "/policy":
                self._show(self._briefing.policy)
            elif line.startswith("/call "):
                name, _, arguments = line.removeprefix("/call ").strip().partition(" ")
                return {"type": "call", "name": name, "arguments": arguments.strip() or "{}"}
            elif line.startswith("/"):
                self._show(f"No command {line.split()[0]}.\n{HELP}")
            elif line:
                return say(line)

    def _tools(self) -> str:
        lines = []
        for schema in self._briefing.tools:
            function = schema["function"]
            arguments = json.dumps(
                {
                    name: one.get("enum", one.get("type", ""))
                    for name, one in function["parameters"]["properties"].items()
                }
            )
            lines.append(f"{function['name']} {arguments}\n    {function['description']}")
        return "\n".join(lines)
