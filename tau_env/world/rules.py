"""Rules of a policy as predicates: what a write, in its circumstances, must satisfy.

The sentences stand in the policy; a domain's `policy.py` says for each rule who enforces or checks
it and gives one predicate. Families and `check` use them, tools never do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tau_env.errors import BadDomain
from tau_env.schema import Rule, Want

_SENTENCE = re.compile(
    r"^(?:[-*] +)?\*\*(R\d+\.\d+)\*\* +(.+?)(?=^\s*$|^#|^(?:[-*] +)?\*\*R\d|\Z)", re.M | re.S
)


class Rows(Protocol):
    """Anything that reads rows: a `World`, or a company opened for reading."""

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """Read rows as dicts."""
        ...

    def row(self, sql: str, *values: Any) -> dict[str, Any] | None:
        """Read the first row."""
        ...


@dataclass(frozen=True)
class Deed:
    """A call in its circumstances, as a rule sees it, just before it is carried out.

    Attributes:
        world: reads the state before the call.
        customer: the customer of the conversation.
        tool: the tool.
        arguments: after coercion.
        identified: whether the customer had been identified.
        agreed: whether the customer had agreed to it.
        looked_up: names of the tools called without error before.
        earlier: writes carried out before, as (tool, arguments).
        wants: what the customer wishes, in their own words where a rule asks for these, such as
            the reason of a cancellation; what is added or corrected on the way included.
    """

    world: Rows
    customer: str
    tool: str
    arguments: Mapping[str, Any]
    identified: bool = True
    agreed: bool = True
    looked_up: tuple[str, ...] = ()
    earlier: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    wants: tuple[Want, ...] = ()


Predicate = Callable[[Deed], bool]


@dataclass
class RuleBook:
    """Who holds each rule of a policy, and the predicate that decides it."""

    by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    predicates: dict[str, Predicate] = field(default_factory=dict)

    def rule(self, name: str, *, by: tuple[str, ...]) -> Callable[[Predicate], Predicate]:
        """Declare the predicate of a rule.

        Args:
            name: the rule's id, ``"R4.1"``.
            by: ``"tool:NAME"`` and ``"grader:NAME"`` of those that enforce or check it.

        Raises:
            BadDomain: the rule is declared twice, or nobody holds it.
        """
        if name in self.by:
            raise BadDomain(f"rule {name} is declared twice")
        if not by:
            raise BadDomain(f"rule {name} has neither a tool nor a grader behind it")

        def declare(predicate: Predicate) -> Predicate:
            self.by[name] = by
            self.predicates[name] = predicate
            return predicate

        return declare

    def read(self, policy: str) -> tuple[Rule, ...]:
        """The policy's rules in order, joined with who holds them.

        Args:
            policy: the document, rules as ``**R3.2** sentence``.

        Raises:
            BadDomain: the document and this book do not name the same rules.
        """
        sentences = {name: " ".join(text.split()) for name, text in _SENTENCE.findall(policy)}
        unlike = sorted(set(sentences) ^ set(self.by))
        if unlike:
            raise BadDomain(
                f"policy and policy.py differ in the rules {', '.join(unlike)}: each rule needs "
                "a sentence in the one and a predicate in the other"
            )
        return tuple(Rule(id=name, text=text, by=self.by[name]) for name, text in sentences.items())

    def broken(self, deed: Deed) -> tuple[str, ...]:
        """Ids of the rules that this deed breaks."""
        return tuple(name for name, holds in self.predicates.items() if not holds(deed))
