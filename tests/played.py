"""Models behind `chat_server` that play as they should: the customer, and a judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from chat_server import Answer, Asked, says
from fake_chat import line

from tau_env.registry import find_domain
from tau_env.schema import Scenario, Task
from tau_env.users.scripted import ScriptedUser

USAGE = {"prompt_tokens": 30, "completion_tokens": 10, "total_tokens": 40}


class Customer:
    """Plays every task as the scripted customer does, from the messages alone.

    `instead` may answer first: it gets the request and the customer's turn, from 1.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        instead: Callable[[Asked, int], Answer | None] = lambda asked, turn: None,
    ) -> None:
        self.tasks = tasks
        self.instead = instead

    def __call__(self, asked: Asked) -> Answer:
        told = [json.loads(one["content"]) for one in asked.messages if one["role"] == "user"]
        found = self.instead(asked, len(told))
        if found is not None:
            return found
        user, scenario = ScriptedUser(), self.scenario(asked)
        reply = user.reset(scenario, find_domain("retail").spec.lexicon, 0)
        for one in told:
            if "agent" in one:
                reply = user.reply(one["agent"])
        return says(line(reply.text, ends=reply.ends), usage=USAGE)

    def scenario(self, asked: Asked) -> Scenario:
        system = asked.messages[0]["content"]
        return next(
            one.scenario for one in self.tasks if f"\n{one.scenario.instruction}\n" in system
        )


def verdict(name: str, turn: dict[str, Any], *, met: bool) -> dict[str, Any]:
    """An entry of a judge that quotes the whole turn."""
    return {
        "id": name,
        "turn": turn["turn"],
        "quote": turn["text"],
        "reason": "See there.",
        "verdict": "met" if met else "unmet",
    }


def looks_for(words: dict[str, str]) -> Callable[[Asked], Answer]:
    """A judge that takes a requirement for met where the agent says its words."""

    def judge(asked: Asked) -> Answer:
        told = json.loads(asked.messages[-1]["content"])
        agent = [turn for turn in told["transcript"] if turn["who"] == "agent"]
        entries = []
        for one in told["requirements"]:
            said = [turn for turn in agent if words[one["id"]] in turn["text"]]
            entries.append(verdict(one["id"], (said or agent)[-1], met=bool(said)))
        return says(json.dumps({"verdicts": entries}), usage=USAGE)

    return judge
