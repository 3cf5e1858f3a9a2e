"""A claim of something done where nothing was: agreed to, then reported without any call."""

from __future__ import annotations

from collections.abc import Sequence

from tau_env.language.acts import read_agent
from tau_env.language.replies import read_customer
from tau_env.schema import DomainSpec, Turn


def empty_claim(transcript: Sequence[Turn], spec: DomainSpec) -> tuple[int, int] | None:
    """Find a report that follows a yes to a proposal at once, before anything was ever changed.

    Args:
        transcript: everything said and called.
        spec: tools and lexicon.

    Returns:
        The turns of the yes and of the claim; None if there is no such claim.
    """
    proposed, agreed = False, 0
    for number, turn in enumerate(transcript, 1):
        if turn.call is not None:
            if turn.call.error is None and spec.tools[turn.call.name].kind == "write":
                return None
            agreed = 0
        elif turn.who == "customer":
            kind = read_customer(turn.text, spec.lexicon).kind
            agreed = number if proposed and kind in ("yes", "yes_but") else 0
        else:
            reading = read_agent(turn.text, spec.lexicon)
            wants = reading.has("proposes", "asks_confirmation", "refuses", "holding")
            if agreed and reading.has("reports_done") and not wants:
                return agreed, number
            proposed, agreed = reading.has("proposes"), 0
    return None
