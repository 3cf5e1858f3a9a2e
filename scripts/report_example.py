"""Prints the report of a small study, made on the spot: the example of docs/report.md."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tau_env.cli.main import cli  # noqa: E402

AGENTS = ("tau_env.agents.noisy:Noisy", "recite-all", "claim-done")


def main() -> None:
    """Make the study in a folder of its own and report it."""
    words = ["run", "--trials", "8", "--tasks", "cancel_pending", "--name", "example"]
    words += ["--domain", "retail", "--study", "example.db"]
    for agent in AGENTS:
        words += ["--agent", agent]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with contextlib.redirect_stdout(io.StringIO()):
            cli.main(words, prog_name="tau-env", standalone_mode=False)
        cli.main(["report", "example.db"], prog_name="tau-env", standalone_mode=False)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
