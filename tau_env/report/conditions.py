"""Under what conditions trials were made, beside the agent: trials are pooled under the same only.

Read from full trials; bare rows of results tell no conditions and are not checked. What the report
of a study refuses stands in :mod:`tau_env.report.study_report`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tau_env.errors import BadArgument, BadContent
from tau_env.schema import Trial, canonical_json

NAMES = {
    "domain": "domain",
    "user": "customer",
    "user_settings": "the customer's settings",
    "budgets": "budgets",
}
"""Parts of a trial that decide a result whoever the agent is, in words."""
AGENT = {
    "scaffold": "the agent's scaffold",
    "settings": "the agent's settings",
    "code": "the agent's code",
}
"""The same of the agent: one agent's trials share them, two agents need not."""
DIGESTS = ("world", "policy", "tools", "spec", "graders", "user")

Conditions = Mapping[str, tuple[str, ...]]
"""Every value that trials have for a condition, sorted, by its name in words."""


def told_by(trial: Trial) -> dict[str, Any]:
    """What `conditions` reads of a full trial, as in its line of JSON."""
    names = {*NAMES, *AGENT, "digests"} - {"code"}
    return trial.model_dump(mode="json", include=names)


def conditions(rows: Iterable[Mapping[str, Any]]) -> Conditions:
    """The conditions of records.

    Args:
        rows: full trials as in their lines of JSON; others are left out.
    """
    found: dict[str, set[str]] = {}
    for row in rows:
        digests = row.get("digests")
        if not isinstance(digests, Mapping) or not digests:
            continue
        told: dict[str, Any] = {NAMES[name]: row.get(name) for name in NAMES}
        told |= {AGENT[name]: row.get(name) for name in AGENT}
        told[AGENT["code"]] = digests.get("agent")
        told |= {f"digest of {name}": digests[name] for name in DIGESTS if name in digests}
        for name, value in told.items():
            found.setdefault(name, set()).add(_text(value))
    return {name: tuple(sorted(values)) for name, values in found.items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value)


def check_pooled(path: object, found: Conditions) -> None:
    """Let only records of one condition be pooled.

    Raises:
        BadContent: two values of one condition.
    """
    for name, values in found.items():
        if len(values) > 1:
            raise BadContent(
                f"{path}: its trials were made with {len(values)} versions of {name} "
                f"({', '.join(values)}) and are not pooled: put them in files apart, or say that "
                "they are the same to you (--foreign)"
            )


def differences(first: Conditions, second: Conditions) -> tuple[str, ...]:
    """What differs between two runs beside the agent, in words; only what both tell is compared."""
    return tuple(
        f"{name} {' and '.join(first[name])} against {' and '.join(second[name])}"
        for name in first
        if name not in AGENT.values() and name in second and first[name] != second[name]
    )


def check_compared(first: tuple[object, Conditions], second: tuple[object, Conditions]) -> None:
    """Let only runs under the same conditions be compared.

    Args:
        first: name of a run and its conditions.
        second: the same of the other.

    Raises:
        BadArgument: they differ; every difference is named.
    """
    found = differences(first[1], second[1])
    if found:
        raise BadArgument(
            f"{first[0]} and {second[0]} were not made under the same conditions, so a gap between "
            f"them is not the agents' alone: {'; '.join(found)}. Run both alike, or say --foreign"
        )
