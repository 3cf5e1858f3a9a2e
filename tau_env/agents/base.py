"""What an agent is. A person's own agent needs `reset` and `act` and nothing from here."""

from __future__ import annotations

from typing import Protocol

from tau_env.actions import Action, Observation
from tau_env.schema import Briefing, Task


class Agent(Protocol):
    """A model in a scaffold, or anything else that acts."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Get ready for a trial.

        Args:
            briefing: domain, policy, tools and step budget; nothing else is told.
            seed: the trial's own seed, for an agent that draws.
        """
        ...

    def act(self, observation: Observation) -> Action:
        """Answer what came back with one action.

        Raises:
            tau_env.Crash: the agent's infrastructure failed, which is no mistake of the agent.
        """
        ...


class Insider(Agent, Protocol):
    """An agent that is built with the task in hand.

    Attributes:
        insider: True.
        task: the task as it is to be played (an edit may change its scenario).
        applies: whether the edit changes anything in this task.
    """

    insider: bool
    task: Task
    applies: bool


def is_insider(agent: object) -> bool:
    """Whether an agent, or its class, had the task in hand."""
    return bool(getattr(agent, "insider", False))
