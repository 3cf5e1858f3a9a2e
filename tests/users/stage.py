"""Plays agent lines against the scripted customer of released retail tasks; no assertions."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tau_env import content
from tau_env.actions import say
from tau_env.env import TauEnv
from tau_env.language.replies import read_customer
from tau_env.registry import find_domain
from tau_env.schema import Lexicon, Task, Want
from tau_env.users.base import Reply
from tau_env.users.scripted import ScriptedUser

SECOND = "#W1999998"
MIXED = ("payment_method", "reason")


@functools.cache
def lexicon() -> Lexicon:
    return find_domain("retail").spec.lexicon


@functools.cache
def tasks() -> tuple[Task, ...]:
    return tuple(content.tasks("retail").values())


def of_family(family: str, *, kind: str = "fulfil", twists: bool = False) -> tuple[Task, ...]:
    return tuple(
        task
        for task in tasks()
        if task.family == family and task.kind == kind and bool(task.scenario.twists) == twists
    )


def with_scenario(task: Task, **fields: Any) -> Task:
    return task.model_copy(update={"scenario": task.scenario.model_copy(update=fields)})


def with_second(task: Task) -> Task:
    """The task with a second order to cancel."""
    first = task.scenario.wants[0]
    slots = {**first.slots, "order_id": SECOND}
    want = Want(do=first.do, slots=slots, say="also_cancel")
    return with_scenario(task, wants=(first, want))


def fields(task: Task) -> dict[str, str]:
    """What an agent's line may name, true and false."""
    want = task.scenario.wants[0]
    known: dict[str, str] = {name: fact.value for name, fact in task.scenario.facts.items()}
    known |= {name: str(value) for name, value in want.slots.items()}
    known["second"] = SECOND
    for extra in task.scenario.wants[1:2]:
        known |= {f"next_{name}": str(value) for name, value in extra.slots.items()}
    for name in MIXED:
        if name in want.slots:
            words = [word for word in lexicon().slots[name].words if "original" not in word]
            known["wrong_" + name.split("_")[0]] = next(one for one in words if one != known[name])
    changed = want.say.rpartition("_")[2]
    if changed in want.slots and lexicon().slots[changed].words:
        known["new"] = known[changed]
        words = list(lexicon().slots[changed].words)
        known["wrong_new"] = next(one for one in words if one not in want.slots.values())
    if "address1" in want.slots:
        parts = [known[name] for name in ("address1", "address2", "city") if name in want.slots]
        known["address"] = f"{', '.join(parts)}, {known['state']} {known['zip']}"
        other = "9" + known["address1"]
        known["wrong_street"] = known["address"].replace(known["address1"], other)
        known["wrong_zip"] = known["address"].replace(known["zip"], "00501")
    return known


def dialogues() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        Path(__file__).with_name("dialogues.json").read_text(encoding="utf-8")
    )
    return found


class Talk:
    """One conversation with the customer of a task, through the environment."""

    def __init__(self, env: TauEnv, task: Task, *, seed: int = 0) -> None:
        self.env = env
        self.task = task
        observation, _ = env.reset(seed=seed, options={"task": task})
        self.lines = [observation["text"]]
        self.ended = False

    def say(self, text: str) -> str:
        observation, _, terminated, truncated, _ = self.env.step(say(text))
        self.ended = terminated or truncated
        self.lines.append(observation["text"])
        return self.lines[-1]

    @property
    def answer(self) -> str:
        """How the last line reads as an answer."""
        return read_customer(self.lines[-1], lexicon()).kind

    @property
    def states(self) -> tuple[str, ...]:
        """How far the customer's wants are."""
        user = self.env.user
        assert isinstance(user, ScriptedUser)
        return tuple(item.state for item in user.agenda.items)


def start(task: Task, *, seed: int = 0, style: str = "") -> tuple[ScriptedUser, Reply]:
    """A customer without an environment, and its first line."""
    scenario = task.scenario.model_copy(update={"style": style})
    user = ScriptedUser()
    return user, user.reset(scenario, lexicon(), seed)


def with_style(task: Task, style: str) -> Task:
    return with_scenario(task, style=style)


def play(task: Task, says: Iterable[str], *, seed: int = 0, style: str = "") -> list[Reply]:
    """The customer's lines to these messages, the first line included; stops where it leaves."""
    user, first = start(task, seed=seed, style=style)
    replies = [first]
    for text in says:
        if replies[-1].ends:
            break
        replies.append(user.reply(text))
    return replies


def reference_says(task: Task) -> list[str]:
    return [step.say for step in task.reference if step.say]


def kind(text: str) -> str:
    return read_customer(text, lexicon()).kind
