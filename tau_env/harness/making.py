"""Whether agents and users can be made as planned, found out before the first trial.

What can only be known in a trial (a server that is away) is left to the trial.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tau_env.errors import BadArgument, UserMistake
from tau_env.schema import Task
from tau_env.trial import CRASHES, make_agent

AGENT = {"reset": ("briefing", "seed"), "act": ("observation",)}
USER = {"reset": ("scenario", "lexicon", "seed"), "reply": ("text",)}
"""Methods with the names of what they are called with."""


def check_agent(
    name: str,
    found: type[Any],
    settings: Mapping[str, Any],
    *,
    task: Task,
    others: Sequence[Task] = (),
) -> None:
    """Make an agent once, and let it go.

    Args:
        name: what the caller calls it.
        found: its class.
        settings: keyword arguments of the class.
        task: a task that it will play.
        others: the domain's tasks, for insiders.

    Raises:
        BadArgument: the class does not take these settings, refuses them, or is no agent.
    """
    whole = tuple(others)
    _check(
        f"agent {name!r}",
        lambda: make_agent(found, task, others=whole, settings=settings),
        found=found,
        settings=settings,
        methods=AGENT,
    )


def check_user(name: str, found: type[Any], settings: Mapping[str, Any]) -> None:
    """Make a user once, and let it go.

    Args:
        name: what the caller calls it.
        found: its class.
        settings: keyword arguments of the class.

    Raises:
        BadArgument: the class does not take these settings, refuses them, or is no user.
    """
    _check(
        f"user {name!r}", lambda: found(**settings), found=found, settings=settings, methods=USER
    )


def _check(
    what: str,
    make: Callable[[], object],
    *,
    found: type[Any],
    settings: Mapping[str, Any],
    methods: Mapping[str, tuple[str, ...]],
) -> None:
    unknown = _unknown(found, settings)
    if unknown:
        known = ", ".join(_takes(found)) or "no settings"
        raise BadArgument(f"{what} does not take the setting {unknown[0]!r}; it takes {known}")
    try:
        made = make()
    except CRASHES:
        return
    except UserMistake:
        raise
    except (Exception, SystemExit) as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise BadArgument(
            f"{what} cannot be made: {told}; its class is called with what --setting gives"
        ) from None
    _check_methods(what, made, methods)


def _check_methods(what: str, made: object, methods: Mapping[str, tuple[str, ...]]) -> None:
    form = " and ".join(f"{name}({', '.join(words)})" for name, words in methods.items())
    for name, words in methods.items():
        method = getattr(made, name, None)
        if not callable(method):
            raise BadArgument(f"{what} has no method {name!r}; it needs {form}")
        try:
            inspect.signature(method).bind(*words)
        except (TypeError, ValueError) as error:
            raise BadArgument(f"{what}: its {name}: {error}; it needs {form}") from None


def _takes(found: type[Any]) -> list[str]:
    """Names of keyword arguments of a class, without what insiders are given."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):  # a class that does not tell
        return []
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    given = ("task", "others") if getattr(found, "insider", False) else ()
    return [one.name for one in parameters if one.kind in kinds and one.name not in given]


def _unknown(found: type[Any], settings: Mapping[str, Any]) -> list[str]:
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return []
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        return []
    known = _takes(found)
    return [name for name in settings if name not in known]
