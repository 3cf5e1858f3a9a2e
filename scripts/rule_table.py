"""Write docs/DOMAIN-rules.md for every domain: ``python scripts/rule_table.py``.

For every rule of a policy the table says who holds it and which tasks put it at stake. It is made
from the spec and the released tasks and is never shown to agents.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tau_env import content  # noqa: E402
from tau_env.domains import VERSIONS  # noqa: E402
from tau_env.registry import find_domain  # noqa: E402
from tau_env.schema import DomainSpec, Rule, Task  # noqa: E402

HEAD = """# Rules of {name}

Made by `python scripts/rule_table.py`; not shown to agents. A rule that a tool holds cannot be
broken: the tool refuses. A rule that a grader holds can be broken, and then the trial fails. At
stake is a rule in the tasks that name it; one that no task names is at stake wherever a grader that
holds it has something to check.

| rule | held by | at stake in | sentence |
|---|---|---|---|
"""


def tasks_at_stake(rule: Rule, tasks: Sequence[Task], spec: DomainSpec) -> list[Task]:
    """The tasks in which a rule can be broken or must be known.

    Args:
        rule: the rule.
        tasks: the domain's tasks.
        spec: tells which tools want a yes.
    """
    named = [task for task in tasks if rule.id in task.rules]
    if named:
        return named
    graders = {held.removeprefix("grader:") for held in rule.by}
    return [task for task in tasks if graders & _checking(task, spec)]


def _checking(task: Task, spec: DomainSpec) -> set[str]:
    """The graders that have something to check in a task whose reference is followed."""
    writes = any(step.call and spec.tools[step.call].needs_yes for step in task.reference)
    found = {"conduct"}
    if writes:
        found |= {"confirmation", "state"}
    if task.outputs:
        found.add("outputs")
    if task.path.required or task.path.forbidden:
        found.add("path")
    return found


def rule_table(name: str) -> str:
    """The table of a domain as Markdown."""
    spec = find_domain(name).spec
    tasks = list(content.tasks(name).values())
    lines = []
    for rule in spec.rules:
        found = Counter(task.family for task in tasks_at_stake(rule, tasks, spec))
        where = "all tasks" if found.total() == len(tasks) else _counted(found)
        held = ", ".join(f"`{one}`" for one in rule.by)
        lines.append(f"| {rule.id} | {held} | {where} | {rule.text} |\n")
    return HEAD.format(name=name) + "".join(lines)


def _counted(found: Counter[str]) -> str:
    return ", ".join(f"{family} ({count})" for family, count in sorted(found.items()))


def main() -> None:
    """Write the table of every domain."""
    for name in VERSIONS:
        path = ROOT / "docs" / f"{name}-rules.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(rule_table(name), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
