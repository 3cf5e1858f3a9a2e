"""Sets the project up and runs lint, types and tests.

python3 scripts/test.py            everything that is quick
python3 scripts/test.py --fresh    the same in a new virtual environment
python3 scripts/test.py --heavy    the simulations that take minutes, and nothing else
python3 scripts/test.py -- -k env  words after -- go to pytest
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

from environment import ROOT, prepare


def main() -> int:
    """Run the steps; the first that fails decides the exit code, the others still run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="start from a new environment")
    parser.add_argument("--heavy", action="store_true", help="only the tests that take minutes")
    parser.add_argument("pytest", nargs="*", help="words for pytest")
    options = parser.parse_args()
    python = str(prepare(".venv-test", extras="[test]", fresh=options.fresh))
    tests = [python, "-m", "pytest", "-q", "-n", str(min(os.cpu_count() or 1, 8))]
    if options.heavy:
        steps = [[*tests, "-m", "heavy", *options.pytest]]
    else:
        steps = [
            [python, "-m", "ruff", "check", "."],
            [python, "-m", "ruff", "format", "--check", "."],
            [python, "-m", "mypy"],
            [*tests, *options.pytest],
        ]
    failed = 0
    for step in steps:
        print(f"\n$ python {' '.join(step[1:])}", flush=True)
        start = time.monotonic()
        code = subprocess.run(step, cwd=ROOT, check=False).returncode
        print(f"({time.monotonic() - start:.0f} s, exit {code})", flush=True)
        failed = failed or code
    return failed


if __name__ == "__main__":
    sys.exit(main())
