"""What a user is: one line at the start, one line for every message of the agent."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from tau_env.schema import Lexicon, Scenario


class Reply(NamedTuple):
    """A line of the customer.

    Attributes:
        text: what it says.
        ends: whether it leaves with this line.
    """

    text: str
    ends: bool = False


class User(Protocol):
    """A customer. It gets the scenario and the agent's messages, nothing else."""

    name: str

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Start a trial.

        Args:
            scenario: what it wants and knows.
            lexicon: the domain's words.
            seed: the trial's seed; the agent does not influence its draws.

        Returns:
            The first line of the conversation.
        """
        ...

    def reply(self, text: str) -> Reply:
        """Answer a message of the agent."""
        ...
