"""Sets the project up and runs its main job: floors and ceiling of every company, as a table.

    python3 scripts/demo.py

Makes a virtual environment in .venv, installs the project, and runs every baseline on every task
under every grader. Further words go to `tau-env`: `python3 scripts/demo.py run --help`.
"""

from __future__ import annotations

import subprocess
import sys

from environment import ROOT, prepare


def main() -> int:
    """Run the demo."""
    python = prepare(".venv")
    words = sys.argv[1:] or ["floors"]
    return subprocess.run([str(python), "-m", "tau_env", *words], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
