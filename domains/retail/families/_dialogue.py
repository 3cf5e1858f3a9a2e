"""Reference solutions as dialogues: what a good agent says and calls, in a drawn wording."""

from __future__ import annotations

import random
from typing import Any, Literal

from tau_env.domains.retail.families._records import Customer
from tau_env.schema import Step

EMAIL_QUESTIONS = (
    "I'm happy to help. May I have your e-mail address, please?",
    "Of course. What is the e-mail address on your account?",
    "Sure, let me look into that. Could you tell me your e-mail address first?",
    "Gladly. Before I do anything, please tell me the e-mail address of your account.",
)
NAME_QUESTIONS = (
    "I'm happy to help. May I have your first name, your last name and your zip code?",
    "Of course. To find your account, could you tell me your full name and your zip code?",
    "Sure. Please tell me your first and last name and your zip code first.",
)
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


def dollars(cents: int) -> str:
    """An amount as an agent writes it: ``$1,054.30``; the sign is left to the words around it."""
    return f"${abs(cents) / 100:,.2f}"


class Dialogue:
    """The steps of a reference solution, in order."""

    def __init__(self, rng: random.Random, customer: Customer) -> None:
        """Begin with nothing said.

        Args:
            rng: draws the wording.
            customer: who is served.
        """
        self.rng = rng
        self.customer = customer
        self.steps: list[Step] = []

    def identify(self, *, by_email: bool | None = None) -> None:
        """Ask who the customer is and look them up.

        Args:
            by_email: by e-mail address or by name and zip code; drawn when None.
        """
        customer = self.customer
        if by_email is None:
            by_email = self.rng.random() < 0.6
        if by_email:
            self.say(*EMAIL_QUESTIONS)
            self.call("find_user_id_by_email", email=customer.email)
            return
        self.say(*NAME_QUESTIONS)
        self.call(
            "find_user_id_by_name_zip",
            first_name=customer.first_name,
            last_name=customer.last_name,
            zip=customer.address["zip"],
        )

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
