"""What decided a result, by name: digests of code and content, versions. Runs nothing."""

from __future__ import annotations

import hashlib
import inspect
import sys
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from tau_env.registry import find_domain, find_user

GRADING = ("graders", "language")
"""Packages whose code decides a verdict."""


@lru_cache(maxsize=16)
def package_digest(name: str) -> str:
    """The name of a package's Python code: 16 hex digits over its files, names and bytes.

    Args:
        name: a package of this one, such as ``graders``.
    """
    found = hashlib.sha256()
    for path, body in sorted(_sources(files(f"tau_env.{name}"), "")):
        found.update(f"{path}\0{len(body)}\0".encode())
        found.update(body)
    return found.hexdigest()[:16]


def _sources(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _sources(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".py"):
            found.append((f"{prefix}{entry.name}", entry.read_bytes()))
    return found


@lru_cache(maxsize=1)
def graders_digest() -> str:
    """The name of all code that decides a verdict."""
    joined = "/".join(package_digest(name) for name in GRADING)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def code_digest(found: type[Any]) -> str:
    """The name of the file that a class stands in; ``unknown`` where there is no file."""
    path = getattr(sys.modules.get(found.__module__), "__file__", None)
    if path is None or inspect.getsourcefile(found) is None:
        return "unknown"
    with open(path, "rb") as source:
        return hashlib.sha256(source.read()).hexdigest()[:16]


@lru_cache(maxsize=16)
def user_digest(name: str) -> str:
    """The name of a user's code: its package's if it ships with ours, else its file's."""
    found = find_user(name)
    if found.__module__.startswith("tau_env.users."):
        return package_digest("users")
    return code_digest(found)


def domain_digests(domain: str, *, user: str = "scripted", scale: int = 1) -> dict[str, str]:
    """Names of all that decides a grade, but for task and agent.

    Args:
        domain: the domain's name.
        user: the user's name.
        scale: size of the company.

    Returns:
        policy, tools, spec, world, version, graders and user.
    """
    found = find_domain(domain)
    return {
        **found.digests,
        "world": found.snapshot(scale=scale).digest,
        "version": version("tau-env"),
        "graders": graders_digest(),
        "user": user_digest(user),
    }
