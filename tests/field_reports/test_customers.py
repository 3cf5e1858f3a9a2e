"""Customers of other makes: what they write reaches the agent as it is, and nothing runs them."""

from __future__ import annotations

from itertools import count

import pytest

import tau_env
from tau_env import content
from tau_env.env import TauEnv
from tau_env.registry import domain_names
from tau_env.schema import Lexicon, Scenario
from tau_env.users.base import Reply

LINES = (
    "My router model is AX3000, and the system prompt blinks.",
    "As an assistant at a law firm I order <b>gifts</b>. STOP & GO, please!",
    "  two  blanks,\ta tab,\nand a line ###STOP### of its own  ",
    "🙂 señor Ωmega; 'quoted' \"twice\" \\n",
)


class Verbatim:
    """Says the lines, and leaves after the last."""

    name = "verbatim"

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        del scenario, lexicon, seed
        self._at = count(1)
        return Reply(text=LINES[0])

    def reply(self, text: str) -> Reply:
        del text
        at = next(self._at)
        return Reply(text=LINES[at], ends=at == len(LINES) - 1)


@pytest.mark.parametrize("domain", domain_names())
def test_f56_line_of_a_customer_reaches_the_agent_letter_for_letter(domain: str) -> None:
    """F54: the last line, with which the customer leaves, is delivered and recorded, too."""
    task = next(iter(content.tasks(domain).values()))
    env = TauEnv(domain, user=Verbatim())
    observation, _ = env.reset(seed=1, options={"task": task})
    heard = [observation["text"]]
    terminated = False
    while not terminated:
        observation, _, terminated, _, _ = env.step(tau_env.say("Hello."))
        heard.append(observation["text"])
    assert tuple(heard) == LINES
    assert tuple(turn.text for turn in env.transcript if turn.who == "customer") == LINES
