"""How an agent of the toy store finds out who the customer is."""

from __future__ import annotations

from tau_env.domains.retail.families._records import Customer
from tau_env.families import dialogue

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


class Dialogue(dialogue.Dialogue[Customer]):
    """A reference solution, with the two ways to identify a customer."""

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
