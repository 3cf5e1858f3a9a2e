"""The only reader of policies/ and tasks/; both ship inside the installed package."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from tau_env.errors import BadContent, BadTask, UnknownName, nearest
from tau_env.schema import Task, TaskFile


@lru_cache(maxsize=64)
def policy(domain: str) -> str:
    """The policy of a domain, the one text that agents read.

    Raises:
        BadContent: the installation lacks the file.
    """
    path = files("tau_env.policies") / f"{domain}.md"
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadContent(
            f"policy {path} is missing: reinstall tau-env, or add policies/{domain}.md"
        ) from None


@lru_cache(maxsize=64)
def domain_json(domain: str, name: str) -> object:
    """A JSON file of a domain's folder (lexicon, catalogue).

    Raises:
        BadContent: missing, or no JSON.
    """
    path = files("tau_env.domains") / domain / name
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadContent(f"{path} is missing: reinstall tau-env") from None
    except json.JSONDecodeError as error:
        raise BadContent(f"{path} is no JSON: {error}") from None


def domain_text(domain: str, name: str) -> str:
    """A text file of a domain's folder, such as ``schema.sql``."""
    path = files("tau_env.domains") / domain / name
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadContent(f"{path} is missing: reinstall tau-env") from None


def parse_task_file(text: str, *, source: str) -> TaskFile:
    """Read a task file's text.

    Args:
        text: the JSON.
        source: the file's name, for errors.

    Raises:
        BadTask: no JSON, or a task that breaks the schema; the message names the place.
    """
    try:
        found = TaskFile.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise BadTask(f"{source}: {where}: {first['msg']}") from None
    ids = [task.id for task in found.tasks]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise BadTask(f"{source}: the id {twice[0]!r} occurs twice")
    tasks = tuple(task.model_copy(update={"family": found.family}) for task in found.tasks)
    return found.model_copy(update={"tasks": tasks})


def read_task_file(path: str | Path) -> TaskFile:
    """Read a task file from disk.

    Raises:
        BadTask: missing, unreadable or broken.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadTask(f"{path}: cannot be read ({error})") from None
    return parse_task_file(text, source=str(path))


@lru_cache(maxsize=64)
def task_files(domain: str) -> tuple[TaskFile, ...]:
    """The released task files of a domain, by family.

    Raises:
        BadContent: the domain has none.
        BadTask: a file is broken, or its family is not its name.
    """
    folder = files("tau_env.tasks") / domain
    names = (
        sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".json"))
        if folder.is_dir()
        else []
    )
    if not names:
        raise BadContent(f"domain {domain!r} has no task files in {folder}")
    found = []
    for name in names:
        one = parse_task_file((folder / name).read_text(encoding="utf-8"), source=name)
        if one.family != name.removesuffix(".json"):
            raise BadTask(f"{name}: family {one.family!r} must equal the file's stem")
        found.append(one)
    return tuple(found)


@lru_cache(maxsize=64)
def tasks(domain: str) -> dict[str, Task]:
    """The released tasks of a domain by id, in the order of their files."""
    return {task.id: task for one in task_files(domain) for task in one.tasks}


def find_task(domain: str, task: str) -> Task:
    """A released task by id.

    Raises:
        UnknownName: there is none; the nearest id is offered.
    """
    found = tasks(domain)
    if task not in found:
        raise UnknownName(
            f"no task {task!r} in {domain}.{nearest(task, found)} `tau-env tasks list` shows all"
        )
    return found[task]
