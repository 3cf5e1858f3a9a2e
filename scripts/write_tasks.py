"""Write the released task files of every family of every domain: ``python scripts/write_tasks.py``.

A file changes only if its family does: the generator draws from a stream of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tau_env.domains import VERSIONS  # noqa: E402
from tau_env.family import dump_task_file, families, generate  # noqa: E402
from tau_env.registry import find_domain  # noqa: E402
from tau_env.world.company import Company  # noqa: E402


def main() -> None:
    """Generate and write all files; print each with its number of tasks."""
    for name in VERSIONS:
        domain = find_domain(name)
        company = Company(domain)
        folder = ROOT / "tasks" / name
        folder.mkdir(parents=True, exist_ok=True)
        for family in families(name):
            made = generate(domain, family, company=company)
            path = folder / f"{family}.json"
            path.write_text(dump_task_file(made), encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: {len(made.tasks)} tasks")


if __name__ == "__main__":
    main()
