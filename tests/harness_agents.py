"""Agents that go wrong in every way that a harness must survive; named as harness_agents:Class."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import tau_env
from tau_env.actions import Action, Observation, say
from tau_env.schema import Briefing, Usage


class Asks:
    """Asks who it is, then ends: short, deterministic, no insider."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        self.seed = seed
        self.turns = 0

    def act(self, observation: Observation) -> Action:
        del observation
        self.turns += 1
        return say("May I have your e-mail address?") if self.turns == 1 else tau_env.end()


class Draws(Asks):
    """Says something that depends on its seed only."""

    def act(self, observation: Observation) -> Action:
        self.turns += 1
        draw = random.Random(f"{self.seed}/{self.turns}")
        return say(f"Number {draw.randrange(1000)}") if draw.random() < 0.7 else tau_env.end()


class Patient(Draws):
    """The same for threads."""

    waits = True

    def act(self, observation: Observation) -> Action:
        time.sleep(0.002)
        return super().act(observation)


class Crashes(Asks):
    """Its connection is always gone."""

    def act(self, observation: Observation) -> Action:
        raise ConnectionError("connection refused: 401 wrong key")


class CrashesAtFirst(Draws):
    """Crashes in the first `times` attempts at each trial; counts them in files of a folder."""

    def __init__(self, folder: str, times: int = 1) -> None:
        self.folder, self.times = Path(folder), times

    def act(self, observation: Observation) -> Action:
        mark = self.folder / str(self.seed)
        tries = mark.stat().st_size if mark.exists() else 0
        if self.turns == 0 and tries < self.times:
            mark.write_bytes(b"x" * (tries + 1))
            raise TimeoutError("no answer")
        return super().act(observation)


class Dies(CrashesAtFirst):
    """Its process is killed, in the first attempts at each trial."""

    def act(self, observation: Observation) -> Action:
        try:
            return super().act(observation)
        except TimeoutError:
            os.kill(os.getpid(), signal.SIGKILL)
            raise


class Hangs(Asks):
    """Never answers."""

    def act(self, observation: Observation) -> Action:
        time.sleep(3600)
        return tau_env.end()


class Sleeps(Hangs):
    """The same for threads."""

    waits = True


class Stops(Asks):
    """Its whole process stands still, so that no clock inside of it runs either."""

    def act(self, observation: Observation) -> Action:
        os.kill(os.getpid(), signal.SIGSTOP)
        return tau_env.end()


class Raises(Asks):
    """Makes a mistake."""

    def act(self, observation: Observation) -> Action:
        raise KeyError("lost")


class Exits(Asks):
    """Calls sys.exit."""

    def act(self, observation: Observation) -> Action:
        raise SystemExit(3)


class Floods(Asks):
    """Writes far too much, to the customer, to tools and to standard output."""

    def act(self, observation: Observation) -> Action:
        self.turns += 1
        print("x" * 10_000)
        if self.turns > 6:
            return tau_env.end()
        if self.turns % 2:
            return say("y" * 200_000)
        return {"type": "call", "name": "think", "arguments": '{"thought": "' + "z" * 500_000}


class Overflows(Asks):
    """Its conversation does not fit."""

    def act(self, observation: Observation) -> Action:
        raise tau_env.ContextOverflow("200,001 tokens of 200,000")


class Spends(Asks):
    """Tells what it spends: 60 tokens an action."""

    def reset(self, briefing: Briefing, seed: int) -> None:
        super().reset(briefing, seed)
        self.usage = Usage()

    def act(self, observation: Observation) -> Action:
        one = Usage(calls=1, input_tokens=50, output_tokens=10, cost=0.001)
        self.usage = self.usage.plus(one)
        return say("One moment, please.")


class Unmakeable(Asks):
    """Cannot even be made."""

    def __init__(self) -> None:
        raise ConnectionError("no server")


class Set(Asks):
    """Takes settings."""

    scaffold = "asks 1.0"

    def __init__(self, model: str = "none", temperature: float | None = None) -> None:
        self.model, self.temperature = model, temperature
