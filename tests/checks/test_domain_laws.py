"""Every law of domains finds the fault that it is for: each is planted in the toy store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tau_env.checks import domain_laws
from tau_env.registry import find_domain
from tau_env.world.company import Domain, Law
from tau_env.world.rules import RuleBook

RETAIL = find_domain("retail")


def rules(**by: tuple[str, ...]) -> RuleBook:
    """Retail's rule book, but for who holds some rules."""
    named = {name.replace("_", "."): held for name, held in by.items()}
    return RuleBook(by={**RETAIL.rulebook.by, **named}, predicates=RETAIL.rulebook.predicates)


PLANTED: list[tuple[Callable[[Domain], Iterator[str]], dict[str, Any], str]] = [
    (
        domain_laws.company_is_sound,  # F15
        {"laws": (Law("nobody has an order", "SELECT order_id FROM orders"),)},
        "nobody has an order: 1000 rows",
    ),
    (
        domain_laws.policy_names_tools,  # F19
        {"policy": RETAIL.policy + "Then call `refund_the_order`."},
        "'refund_the_order', which is no tool",
    ),
    (
        domain_laws.policy_names_tools,  # F19: the tool has another name
        {"functions": RETAIL.functions[1:]},
        f"{RETAIL.functions[0].__name__!r}, which is no tool",
    ),
    (domain_laws.policy_tells_the_time, {"now": "2025-04-13T15:00:00"}, "2025-04-13"),  # F12
    (domain_laws.policy_tells_the_time, {"now": "2025-03-14T16:00:00"}, "say '16:00'"),  # F12
    (
        domain_laws.policy_tells_the_time,  # F12
        {"policy": RETAIL.policy.replace("It is Friday", "It is Thursday")},
        "say 'Friday'",
    ),
    (
        domain_laws.rules_are_held,  # F127
        {"rulebook": rules(R4_1=("grader:taste",))},
        "R4.1 names 'grader:taste', which does not exist",
    ),
    (
        domain_laws.tools_name_rules,  # F127: the list claims what no tool does
        {"rulebook": rules(R7_2=("tool:cancel_pending_order",))},
        "R7.2 says that cancel_pending_order enforces it; the tool does not",
    ),
    (
        domain_laws.tools_name_rules,  # F127: a tool enforces what the list leaves to the agent
        {"rulebook": rules(R4_1=("grader:state",))},
        "cancel_pending_order enforces R4.1, but policy.py does not say so",
    ),
    (
        domain_laws.one_policy,  # F128
        {"policy": RETAIL.policy + "Be nice."},
        "policies/retail.md is not what the domain hands out",
    ),
]


@pytest.mark.parametrize(("law", "fields", "reason"), PLANTED)
def test_law_finds_its_fault(
    law: Callable[[Domain], Iterator[str]], fields: dict[str, Any], reason: str
) -> None:
    """F12, F15, F19, F127, F128."""
    assert list(law(RETAIL)) == []
    assert any(reason in one for one in law(replace(RETAIL, **fields)))
