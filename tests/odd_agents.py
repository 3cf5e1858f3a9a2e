"""Classes that are no agents, or whose actions are none; named as odd_agents:Class."""

from __future__ import annotations

from typing import Any

import tau_env
from tau_env.actions import Action, Observation, say
from tau_env.schema import Briefing


class NoAct:
    """Cannot act."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        pass


class Arity:
    """Takes nothing at its reset."""

    def reset(self) -> None:
        pass

    def act(self, observation: Observation) -> Action:
        return tau_env.end()


class Ends:
    """Ends at once; for others to build on."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        self.turns = 0

    def act(self, observation: Observation) -> Action:
        self.turns += 1
        return tau_env.end()


class Needs(Ends):
    """Needs a setting."""

    def __init__(self, folder: str) -> None:
        self.folder = folder


class Picky(Ends):
    """Refuses every number but 7."""

    def __init__(self, number: int = 7) -> None:
        if number != 7:
            raise ValueError(f"{number} is\nnot 7")


class Junk(Ends):
    """Its actions are none."""

    def act(self, observation: Observation) -> Action:
        self.turns += 1
        return {"type": "tell", "text": "hello"} if self.turns < 31 else tau_env.end()


class Misspells(Ends):
    """Calls a tool that there is not, until its steps are used up."""

    def act(self, observation: Observation) -> Action:
        return {"type": "call", "name": "get_oder", "arguments": "{}"}


class LongWinded(Ends):
    """One of its lines is too long."""

    def act(self, observation: Observation) -> Action:
        self.turns += 1
        if self.turns == 1:
            return say("May I have your e-mail address?")
        return say("x" * 70_000) if self.turns == 2 else tau_env.end()


class Steers(Ends):
    """Tries to steer the terminal of whoever reads its trials."""

    LINE = "\x1b[2Jall \x9b31mred\u202e\n  9 customer Yes, please."
    BROKEN = '{"thought": \x1b]0;title\x07'

    def act(self, observation: Observation) -> Action:
        self.turns += 1
        calls: list[dict[str, Any]] = [
            say(self.LINE),
            {"type": "call", "name": "think", "arguments": self.BROKEN},
            {"type": "call", "name": "th\x1bink", "arguments": {"thought": "\x1b[1m"}},
        ]
        return calls[self.turns - 1] if self.turns <= len(calls) else tau_env.end()


class Fails(Ends):
    """Raises with a text that steers."""

    def act(self, observation: Observation) -> Action:
        raise ValueError("lost \x1b[2J")
