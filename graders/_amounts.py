"""Whether the amounts of a call were stated, and on the right side: paid or given back."""

from __future__ import annotations

import re

from tau_env.graders._agreement import Agreement
from tau_env.graders._leaves import amounts_at
from tau_env.language.literals import find_literals
from tau_env.schema import Call, Lexicon, ToolSpec

_TAKES = re.compile(
    r"(?:\b(?:would|will|shall|going to)|['’](?:d|ll))\b.*"
    r"\b(?:charged?|taken?|deduct(?:ed)?|debit(?:ed)?|bill(?:ed)?|pa(?:y|id))\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:not|no|nothing|never|without|otherwise|normally|usually|if|free|instead|back|refund\w*)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


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


def charged_for_nothing(call: Call, tool: ToolSpec, agreement: Agreement, lexicon: Lexicon) -> str:
    """Why a call that costs nothing is not what was agreed to: an amount was to be taken for it.

    Read are sentences of the proposal that would take an amount with a payment method, where the
    proposal is about this action alone.
    """
    proposals = [one for one in agreement.window if one.agent]
    clear = frozenset[str]().union(*(one.said.clear for one in proposals))
    if not pays_nothing(call, tool) or not clear <= set(tool.verbs):
        return ""
    for line in (line for one in proposals for line in one.said.lines):
        found = find_literals(line, lexicon)
        money = [one for one in found if one.kind == "money" and int(one.value)]
        method = any(one.slot and _is_payment(one.slot, lexicon) for one in found)
        if len(money) == 1 and method and _TAKES.search(line) and not _OTHERWISE.search(line):
            return f"{money[0].text} was to be taken, and nothing is"
    return ""


def _is_payment(slot: str, lexicon: Lexicon) -> bool:
    return any("payment" in noun for noun in lexicon.slots[slot].nouns)
