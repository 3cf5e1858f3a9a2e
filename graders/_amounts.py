"""Whether the amounts of a call were stated, and on the right side: paid or given back."""

from __future__ import annotations

from tau_env.graders._agreement import Agreement
from tau_env.graders._leaves import amounts_at
from tau_env.schema import Call, ToolSpec


def amount_failure(call: Call, tool: ToolSpec, agreement: Agreement) -> str:
    """Why the amounts of a call are not those that were agreed to; empty if they are.

    Of several amounts each is stated; one of them may be the rest of a stated sum. An amount of a
    result must not be said to go the other way.
    """
    told = agreement.told
    for path in tool.amounts:
        amounts = [cents for cents in amounts_at(path, call) if cents]
        missing = [cents for cents in amounts if abs(cents) not in told]
        if len(missing) > 1 or (missing and abs(sum(amounts)) not in told):
            return f"the amount ${abs(missing[0]) / 100:,.2f} was not stated"
        for cents in amounts if path.startswith("result.") else ():
            if _turned_round(cents, agreement):
                wrong = "paid by" if cents < 0 else "refunded to"
                return f"${abs(cents) / 100:,.2f} was said to be {wrong} the customer"
    return ""


def pays_nothing(call: Call, tool: ToolSpec) -> bool:
    """Whether a tool fixes amounts and in this call they come to nothing."""
    if call.error is not None or not tool.amounts:
        return False
    return not any(cents for path in tool.amounts for cents in amounts_at(path, call))


def _turned_round(cents: int, agreement: Agreement) -> bool:
    """Whether the newest message that says who gets an amount says only the opposite.

    An amount of a result is what the customer pays, a negative one what it gets back.
    """
    for one in agreement.everything():
        ways = one.said.directions.get(abs(cents)) if one.agent else None
        if ways:
            return ways == {"gets" if cents > 0 else "pays"}
    return False
