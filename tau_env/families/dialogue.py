"""Reference solutions as dialogues: what a good agent says and calls, in a drawn wording.

How a customer is identified, and every sentence about a record, belongs to the domain.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Generic, Literal, Self, TypeVar

from tau_env.families.draw import Person
from tau_env.schema import Step

AGREEMENT_QUESTIONS = (
    "Shall I go ahead?",
    "Do you want me to proceed?",
    "Would you like me to do that, yes or no?",
    "Is that right, and shall I go ahead?",
)
CLOSINGS = (
    "Is there anything else I can do for you?",
    "Can I help you with anything else?",
    "Is there anything else you need?",
)

C = TypeVar("C", bound=Person)


def dollars(cents: int) -> str:
    """An amount as an agent writes it: ``$1,054.30``; the sign is left to the words around it."""
    return f"${abs(cents) / 100:,.2f}"


class Dialogue(Generic[C]):
    """The steps of a reference solution, in order."""

    def __init__(self, rng: random.Random, customer: C) -> None:
        """Begin with nothing said.

        Args:
            rng: draws the wording.
            customer: who is served.
        """
        self.rng = rng
        self.customer = customer
        self.steps: list[Step] = []

    def say(self, *variants: str, after: Literal["", "yes", "no", "any"] = "") -> None:
        """Say one of several wordings."""
        self.steps.append(Step(say=self.rng.choice(variants), after=after))

    def call(self, tool: str, **arguments: Any) -> None:
        """Call a tool."""
        self.steps.append(Step(call=tool, arguments=arguments))

    def write(self, tool: str, **arguments: Any) -> None:
        """Call a tool after the customer's yes."""
        self.steps.append(Step(call=tool, arguments=arguments, after="yes"))

    def propose(self, *variants: str) -> None:
        """Say what would be done and ask for a yes."""
        text = self.rng.choice(variants)
        self.steps.append(Step(say=f"{text} {self.rng.choice(AGREEMENT_QUESTIONS)}"))

    def close(self, *variants: str) -> None:
        """Report or refuse, and ask whether there is more."""
        text = self.rng.choice(variants)
        self.steps.append(Step(say=f"{text} {self.rng.choice(CLOSINGS)}"))

    def until_yes(self, play: Callable[[Self], None]) -> None:
        """What an agent says and asks about a request, up to its question for a yes.

        Args:
            play: the whole of it, to its end.
        """
        for step in self._played(play):
            if step.after == "yes":
                return
            self.steps.append(step)

    def from_proposal(self, play: Callable[[Self], None]) -> None:
        """What an agent says and calls from the question for a yes on, nothing asked before it.

        Args:
            play: the whole of it, from its beginning.
        """
        steps = self._played(play)
        at = next(place for place, step in enumerate(steps) if step.after == "yes")
        self.steps += steps[at - 1 :]

    def after_no(self, play: Callable[[Self], None]) -> None:
        """The whole of a request whose first proposal gets a no, and the same again a yes.

        Args:
            play: the whole of it, to its end.
        """
        steps = self._played(play)
        at = next(place for place, step in enumerate(steps) if step.after == "yes")
        again = f"All right, nothing has been changed. If you do want it: {steps[at - 1].say}"
        self.steps += [*steps[:at], Step(say=again), *steps[at:]]

    def _played(self, play: Callable[[Self], None]) -> list[Step]:
        scratch = type(self)(self.rng, self.customer)
        play(scratch)
        return scratch.steps
