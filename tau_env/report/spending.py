"""What an agent's trials cost, by who spent it; what is unknown is said and never counted as 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tau_env.schema import Trial, Usage

ROLES = ("agent", "user", "judge")


@dataclass(frozen=True)
class Spending:
    """What one role, or all together, spent on an agent's trials; None is unknown.

    Attributes:
        role: ``agent``, ``user``, ``judge`` or ``all``.
        trials: trials, crashed attempts belonging to theirs.
        known: trials of which the cost is fully known.
        cost: US dollars over the known trials; None if there is none.
        per_trial: mean cost of a known trial.
        per_task: mean over tasks of what all of a task's trials cost; None unless all are known.
        per_success: dollars for each passed trial, failures paid as well; None unless all are
            known and one passed.
        tokens: tokens over all trials that told.
        unknown_calls: calls of which no usage was told.
    """

    role: str
    trials: int
    known: int
    cost: float | None
    per_trial: float | None
    per_task: float | None
    per_success: float | None
    tokens: int | None
    unknown_calls: int


def spending(trials: Sequence[Trial]) -> tuple[Spending, ...]:
    """What was spent, one entry a role that tells something, then all together.

    A role that plays without a model spends nothing and has no usage: it is left out. The agent is
    always told of, since its cost belongs to its score.

    Args:
        trials: of one agent.
    """
    told = [role for role in ROLES if any(role in _roles(trial) for trial in trials)]
    roles = tuple(dict.fromkeys(["agent", *told]))
    parts = [_spent(role, trials, (role,)) for role in roles]
    return (*parts, _spent("all", trials, roles))


def _roles(trial: Trial) -> set[str]:
    spent = [trial.usage, *(attempt.usage for attempt in trial.attempts)]
    return {role for usage in spent for role, one in usage.items() if one is not None}


def _spent(role: str, trials: Sequence[Trial], roles: tuple[str, ...]) -> Spending:
    usages = [_of(trial, roles) for trial in trials]
    known = [one.cost or 0.0 for one, whole in usages if whole]
    total = sum(known) if known else None
    whole = total if len(known) == len(trials) else None
    passed = sum(bool(trial.passed) for trial in trials)
    tokens = [one.tokens for one, _ in usages if one.tokens is not None]
    return Spending(
        role=role,
        trials=len(trials),
        known=len(known),
        cost=total,
        per_trial=total / len(known) if total is not None else None,
        per_task=whole / len({trial.task for trial in trials}) if whole is not None else None,
        per_success=whole / passed if whole is not None and passed else None,
        tokens=sum(tokens) if tokens else None,
        unknown_calls=sum(one.unknown for one, _ in usages),
    )


def _of(trial: Trial, roles: tuple[str, ...]) -> tuple[Usage, bool]:
    """What these roles spent on a trial and its crashed attempts, and whether all of it is told."""
    total, whole = Usage(), True
    for spent in (trial.usage, *(attempt.usage for attempt in trial.attempts)):
        for role in roles:
            one = spent.get(role)
            if one is None:
                whole = whole and role != "agent"
                continue
            total = total.plus(one)
            whole = whole and (one.calls == 0 or (one.cost is not None and one.unknown == 0))
    return total, whole
