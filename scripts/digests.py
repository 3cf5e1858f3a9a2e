"""Writes tests/digests.json: what the version of every environment stands for.

    python scripts/digests.py

A grade depends on policy, tools, spec, company and tasks. If one of them changes so that a grade
can change, raise the version in domains/__init__.py; then run this. A test compares the file with
what is here.
"""

from __future__ import annotations

import json
from pathlib import Path

from tau_env import content
from tau_env.domains import VERSIONS
from tau_env.registry import find_domain
from tau_env.schema import digest

KEPT = Path(__file__).resolve().parent.parent / "tests" / "digests.json"


def digests(name: str) -> dict[str, object]:
    """Version and digests of a domain."""
    domain = find_domain(name)
    return {
        "version": VERSIONS[name],
        **domain.digests,
        "world": domain.snapshot().digest,
        "tasks": {one.family: digest(one) for one in content.task_files(name)},
    }


def main() -> None:
    """Write the file."""
    found = {name: digests(name) for name in VERSIONS}
    KEPT.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
