"""Names to what they mean: domains, agents and users, as import strings and entry points.

Nothing is imported before it is asked for. Third parties register in the entry-point groups
``tau_env.domains``, ``tau_env.agents`` and ``tau_env.users``; a broken one fails loudly.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from tau_env.domains import VERSIONS
from tau_env.errors import UnknownName, nearest
from tau_env.world.company import Domain

AGENTS = {
    "reference": "tau_env.agents.script:Reference",
    "silent": "tau_env.agents.floors:Silent",
    "parrot": "tau_env.agents.floors:Parrot",
    "claim-done": "tau_env.agents.floors:ClaimDone",
    "over-eager": "tau_env.agents.edits:OverEager",
    "no-listener": "tau_env.agents.edits:NoListener",
    "side-effect": "tau_env.agents.edits:SideEffect",
    "random": "tau_env.agents.floors:RandomCalls",
    "refuser": "tau_env.agents.floors:Refuser",
    "transfer": "tau_env.agents.floors:TransferAtOnce",
    "look-then-refuse": "tau_env.agents.lookers:LookThenRefuse",
    "look-then-transfer": "tau_env.agents.lookers:LookThenTransfer",
    "recite-all": "tau_env.agents.lookers:ReciteAll",
}
"""Agents that ship, in the order in which `floors` shows them; the reference is the ceiling."""

MODEL_AGENTS = {
    "openai": "tau_env.agents.tool_calling:ToolCalling",
    "openai-json": "tau_env.agents.json_actions:JsonActions",
}
"""Scaffolds that ship; each needs a model behind an endpoint."""

KNOWN_SKILL = {"noisy": "tau_env.agents.noisy:Noisy"}
"""Insiders that succeed as often as they are told to; no baselines."""

FAULT = "cannot be imported"

USERS = {
    "scripted": "tau_env.users.scripted:ScriptedUser",
    "model": "tau_env.users.model:ModelUser",
}


def domain_names() -> list[str]:
    """Names of all domains, ours first."""
    return [*VERSIONS, *sorted(_plugins("tau_env.domains"))]


@lru_cache(maxsize=32)
def find_domain(name: str) -> Domain:
    """A domain by name.

    Raises:
        UnknownName: there is none; the nearest is offered.
    """
    plugins = _plugins("tau_env.domains")
    if name in VERSIONS:
        found = import_string(f"tau_env.domains.{name}:DOMAIN")
    elif name in plugins:
        found = plugins[name].load()
    else:
        known = domain_names()
        raise UnknownName(f"no domain {name!r}.{nearest(name, known)} Domains: {', '.join(known)}")
    if not isinstance(found, Domain):
        raise UnknownName(f"{name!r} is registered as a domain but is a {type(found).__name__}")
    return found


def find_agent(name: str) -> type[Any]:
    """An agent's class by name, entry point or ``module:Class``.

    Raises:
        UnknownName: nothing of that name can be imported; the message says what was tried.
    """
    return _find("agent", name, {**AGENTS, **KNOWN_SKILL, **MODEL_AGENTS}, "tau_env.agents")


def find_user(name: str) -> type[Any]:
    """A user's class by name, entry point or ``module:Class``.

    Raises:
        UnknownName: nothing of that name can be imported.
    """
    return _find("user", name, USERS, "tau_env.users")


def _find(kind: str, name: str, known: Mapping[str, str], group: str) -> type[Any]:
    plugins = _plugins(group)
    if name in known:
        found = import_string(known[name])
    elif name in plugins:
        found = plugins[name].load()
    elif ":" in name:
        found = import_string(name)
    else:
        names = [*known, *plugins]
        raise UnknownName(
            f"no {kind} {name!r}.{nearest(name, names)} Name one of {', '.join(names)}, or your "
            "own as module:Class"
        )
    if not isinstance(found, type):
        raise UnknownName(f"{name!r} is a {type(found).__name__}; name a class, as module:Class")
    return found


def import_string(name: str) -> Any:
    """What ``module:attribute`` names; modules of the working folder are found too.

    Raises:
        UnknownName: no such module or attribute. An error inside the module keeps its traceback,
            with a note that `import_fault` finds.
    """
    module_name, _, attribute = name.partition(":")
    if module_name.endswith(".py"):
        dotted = module_name.removesuffix(".py").replace("/", ".").strip(".")
        raise UnknownName(f"{name!r} names a file; write its module: {dotted}:{attribute}")
    if not module_name or not attribute or module_name.startswith("."):
        raise UnknownName(f"{name!r} names nothing; write it as module:Class, such as agents:Mine")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    module = _import(module_name, here)
    if not hasattr(module, attribute):
        raise UnknownName(
            f"module {module_name!r} has no {attribute!r}.{nearest(attribute, dir(module))}"
        )
    return getattr(module, attribute)


def _import(name: str, here: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # noted and raised again
        lost = error.name if isinstance(error, ModuleNotFoundError) else None
        if lost is not None and f"{name}.".startswith(f"{lost}."):
            raise UnknownName(
                f"no module {name!r} (looked in the Python path and in {here}); name it as "
                "module:Class"
            ) from None
        if name.split(".")[0] != __package__:
            error.add_note(f"module {name!r} {FAULT}")
        raise


def import_fault(error: BaseException) -> str | None:
    """One line about an error inside a person's own module, None for any other error.

    Args:
        error: as raised through `import_string`.
    """
    for note in getattr(error, "__notes__", ()):
        if note.endswith(FAULT):
            return " ".join(f"{note}: {type(error).__name__}: {error}".split())
    return None


def _plugins(group: str) -> dict[str, Any]:
    return {one.name: one for one in entry_points(group=group)}
