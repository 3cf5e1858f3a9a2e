"""All laws of some domains as parts that can be checked side by side, in any number of processes.

What the laws are is in the modules beside this one; here is only who is checked, and where.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Literal

from tau_env import content
from tau_env.checks.domain_laws import check_domain
from tau_env.checks.env_laws import check_environment
from tau_env.checks.law import Verdict
from tau_env.checks.set_laws import check_task_set
from tau_env.checks.task_laws import check_tasks
from tau_env.errors import BadTask
from tau_env.registry import find_domain


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is checked as a whole.

    Attributes:
        domain: the domain's name.
        what: the domain itself, its environment, a family, all its tasks together, or a file.
        name: the family's name or the file's path; empty for the others.
    """

    domain: str
    what: Literal["domain", "environment", "family", "tasks", "file"]
    name: str = ""

    def __str__(self) -> str:
        """How a progress bar calls it."""
        return self.name or f"{self.what} {self.domain}"


def parts_of(domains: Iterable[str]) -> list[Part]:
    """Everything that is checked of the domains; the parts that take longest come first."""
    found: list[Part] = []
    for name in domains:
        found += [Part(name, "environment"), Part(name, "domain")]
        found += [Part(name, "family", one.family) for one in content.task_files(name)]
        found.append(Part(name, "tasks"))
    return found


def check_part(part: Part) -> list[Verdict]:
    """The verdicts on a part, in this process."""
    domain = find_domain(part.domain)
    if part.what == "domain":
        return list(check_domain(domain))
    if part.what == "environment":
        return list(check_environment(domain))
    if part.what == "file":
        return _file_verdicts(part)
    tasks = content.tasks(part.domain).values()
    if part.what == "tasks":
        return list(check_task_set(domain, list(tasks)))
    return list(check_tasks([one for one in tasks if one.family == part.name], domain))


def _file_verdicts(part: Part) -> list[Verdict]:
    law = "The file holds tasks"
    try:
        tasks = content.read_task_file(part.name).tasks
    except BadTask as error:
        return [Verdict(subject=part.name, law=law, ok=False, reason=str(error))]
    verdict = Verdict(subject=part.name, law=law, ok=True)
    return [verdict, *check_tasks(tasks, find_domain(part.domain))]


def check_parts(
    parts: Sequence[Part], *, workers: int = 1, heard: Callable[[str], None] = lambda name: None
) -> Iterator[Verdict]:
    """The verdicts on all parts, in one order for any number of workers.

    Args:
        parts: what to check.
        workers: processes; 1 checks everything in this one.
        heard: told the name of every part before its verdicts are given.
    """
    if min(workers, len(parts)) <= 1:
        for part in parts:
            heard(str(part))
            yield from check_part(part)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(parts)), mp_context=context) as pool:
        for part, verdicts in zip(parts, pool.map(check_part, parts), strict=True):
            heard(str(part))
            yield from verdicts
