"""Puts outputs of commands into README.md and docs: `python scripts/docs.py [--check] [PAGES]`.

A block between `<!-- output of: COMMAND -->` and `<!-- end of output -->` is what the command
prints. With --check nothing is written, and a stale block is an error. Blocks marked `measured:`
instead of `output of:` hold figures of a machine: they are written with --measure and not checked.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(
    r"(?P<head><!-- (?P<kind>output of|measured): (?P<command>[^\n]+?) -->\n)"
    r"(?P<body>.*?)(?P<tail><!-- end of output -->)",
    re.DOTALL,
)


def output_of(command: str) -> str:
    """What a command prints, run in the repository with this interpreter."""
    words = shlex.split(command)
    if words[0] == "tau-env":
        words = [sys.executable, "-m", "tau_env", *words[1:]]
    elif words[0] == "python":
        words = [sys.executable, *words[1:]]
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}{done.stderr}")
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    return "```text\n" + "\n".join(lines) + "\n```\n"


def renewed(text: str, *, measure: bool) -> str:
    """The text with every block's output new."""

    def renew(match: re.Match[str]) -> str:
        if match["kind"] == "measured" and not measure:
            return match[0]
        return match["head"] + output_of(match["command"]) + match["tail"]

    return BLOCK.sub(renew, text)


def main() -> int:
    """Renew or check every page; 1 if a page is stale."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report stale pages")
    parser.add_argument("--measure", action="store_true", help="renew the measured blocks, too")
    parser.add_argument("pages", nargs="*", type=Path, help="these pages only")
    options = parser.parse_args()
    stale = []
    every = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in [one.resolve() for one in options.pages] or every:
        text = page.read_text(encoding="utf-8")
        new = renewed(text, measure=options.measure)
        if new != text:
            stale.append(page.relative_to(ROOT))
            if not options.check:
                page.write_text(new, encoding="utf-8")
    for page in stale:
        print(f"{page} {'is stale: run python scripts/docs.py' if options.check else 'renewed'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
