"""Refusals that several kinds of requests share: what a status says, what a gift card holds."""

from __future__ import annotations

from tau_env.domains.airline.families._jobs import Refusal
from tau_env.domains.airline.families._records import Method
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars


def by_status(standing: str, *rules: str) -> Refusal | None:
    """Nothing can be changed in what has been flown or cancelled; None for another standing.

    Args:
        standing: as `Reservation.standing` gives it.
        rules: the rules that forbid it.
    """
    if standing not in ("flown", "given up"):
        return None
    status = "landed" if standing == "flown" else "cancelled"
    what = "its flights have the status" if standing == "flown" else "it has the status"
    return Refusal(
        because=(f"{what} '{status}'", f"{what} '{status}' already"),
        outputs=(word("status", status),),
        rules=rules,
    )


def by_balance(method: Method, cents: int, rule: str) -> Refusal:
    """A gift card cannot pay what it does not hold; the customer has to name it first."""
    held, needed = dollars(method.cents), dollars(cents)
    return Refusal(
        because=(
            f"your gift card holds only {held}, which does not pay {needed}",
            f"there are {held} on your gift card, and {needed} are needed",
        ),
        outputs=(money(method.cents),),
        rules=(rule,),
        asks=True,
    )
