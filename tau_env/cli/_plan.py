"""How the options of `run` become a study: a new one, or the one that a file holds."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tau_env.cli._models import ModelOptions, check_some_model, user_settings_of, variants
from tau_env.env import MAX_STEPS
from tau_env.errors import BadArgument, UserMistake
from tau_env.harness.grid import choose_tasks
from tau_env.harness.study import (
    KS_REASON,
    PATIENCE,
    RETRIES,
    TRIALS,
    AgentPlan,
    Study,
    plan_agent,
    plan_study,
)
from tau_env.registry import find_domain
from tau_env.schema import Budgets, Task


@dataclass(frozen=True)
class Asked:
    """Options of `run`; None or empty is one that was not given."""

    domain: str | None
    agents: tuple[str, ...]
    patterns: tuple[str, ...]
    split: str | None
    name: str | None
    trials: int | None
    seed: int | None
    max_steps: int | None
    max_tokens: int | None
    max_seconds: float | None
    retries: int | None
    ks: tuple[int, ...] | None
    why: str | None
    scaffold: str | None
    settings: tuple[str, ...]
    user: str | None
    user_settings: tuple[str, ...]
    models: ModelOptions = field(default_factory=ModelOptions)


def new_study(asked: Asked, *, trials: int) -> tuple[Study, list[Task]]:
    """Plan a study from options.

    Args:
        asked: the options.
        trials: trials a task where the options do not say.

    Raises:
        UserMistake: no domain or agent, or what `plan_study` refuses.
    """
    if not asked.domain or not asked.agents:
        missing = "--domain" if not asked.domain else "--agent"
        raise UserMistake(f"a new study needs {missing}; `tau-env run --help` shows examples")
    find_domain(asked.domain)
    agents = _agents(asked)
    tasks = choose_tasks(asked.domain, asked.patterns, split=asked.split)
    patience = PATIENCE if any(one.waits for one in agents) else None
    user = asked.user or "scripted"
    study = plan_study(
        asked.domain,
        agents,
        tasks,
        name=asked.name or "study",
        trials=trials if asked.trials is None else asked.trials,
        ks=asked.ks,
        k_reason=asked.why or "",
        seed=asked.seed or 0,
        budgets=_budgets(asked, Budgets(max_steps=MAX_STEPS, max_seconds=patience)),
        user=user,
        user_settings=user_settings_of(user, read_settings(asked.user_settings), asked.models),
        retries=RETRIES if asked.retries is None else asked.retries,
    )
    return study, tasks


def same_study(asked: Asked, stored: Study, tasks: Sequence[Task]) -> tuple[Study, Sequence[Task]]:
    """Plan a stored study anew, with what is installed now and the options that were given.

    Args:
        asked: the options; what was not given is as in the stored study.
        stored: the study of the file.
        tasks: its tasks.

    Returns:
        The study as it would be planned now: equal to the stored one if nothing has changed.
    """
    if asked.agents:
        agents = _agents(asked)
    elif asked.settings or asked.models.settings or asked.models.sweeps:
        raise UserMistake(
            "a study keeps its agents as they are: leave their settings out, or name all of its "
            "agents with --agent and give all of their settings"
        )
    else:
        agents = [
            plan_agent(one.source, name=one.name, settings=one.settings, scaffold=one.scaffold)
            for one in stored.agents
        ]
    domain = asked.domain or stored.domain
    chosen = tasks
    if asked.patterns or asked.split or domain != stored.domain:
        chosen = choose_tasks(domain, asked.patterns, split=asked.split)
    user = asked.user or stored.user
    settings = user_settings_of(user, read_settings(asked.user_settings), asked.models)
    if not settings and user == stored.user:
        settings = stored.user_settings
    default = stored.k_reason == KS_REASON
    study = plan_study(
        domain,
        agents,
        chosen,
        name=asked.name or stored.name,
        trials=_or(asked.trials, stored.trials),
        ks=asked.ks or (None if default else stored.ks),
        k_reason=asked.why or ("" if default else stored.k_reason),
        seed=_or(asked.seed, stored.seed),
        budgets=_budgets(asked, stored.budgets),
        user=user,
        user_settings=settings,
        retries=_or(asked.retries, stored.retries),
    )
    return study, chosen


def default_trials(*, stored: bool) -> int:
    """Trials a task: 8 for a study that is kept, one for a quick look."""
    return TRIALS if stored else 1


def _or(given: int | None, stored: int) -> int:
    return stored if given is None else given


def _agents(asked: Asked) -> list[AgentPlan]:
    settings = read_settings(asked.settings)
    check_some_model(asked.agents, asked.models)
    return [
        plan_agent(source, name=name, settings=own, scaffold=asked.scaffold)
        for source in asked.agents
        for name, own in variants(source, settings, asked.models)
    ]


def _budgets(asked: Asked, default: Budgets) -> Budgets:
    given: dict[str, Any] = {
        "max_steps": asked.max_steps,
        "max_tokens": asked.max_tokens,
        "max_seconds": asked.max_seconds,
    }
    for name, value in given.items():
        seconds = name == "max_seconds"
        if value is not None and not (0 < value < math.inf if seconds else value >= 1):
            rule = "a number above 0" if seconds else "at least 1"
            raise BadArgument(f"--{name.replace('_', '-')} {value}: {rule}")
    return default.model_copy(update={k: v for k, v in given.items() if v is not None})


def read_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Settings written ``name=value``; the value is JSON where it can be read so, else text.

    Raises:
        UserMistake: no ``=``, a name given twice, or NaN and the like.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name:
            raise UserMistake(f"setting {pair!r} is not NAME=VALUE, such as temperature=0")
        if name in found:
            raise UserMistake(f"setting {name!r} is given twice: {found[name]!r} and {text}")
        try:
            found[name] = json.loads(text, parse_constant=_no_number)
        except json.JSONDecodeError:
            found[name] = text
    return found


def _no_number(text: str) -> float:
    raise UserMistake(f"setting value {text} is no number; a record cannot hold it")
