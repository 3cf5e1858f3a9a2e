"""The page from a record file to a sentence: its commands run and print what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "from-records-to-a-sentence.md"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    return [body for found, body in BLOCK.findall(text) if found == kind]


def commands() -> list[tuple[str, list[str]]]:
    """Every command of the page with the lines it is said to print, in the order of the page."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            found.append((command, [line.rstrip() for line in lines]))
    return found


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether the printed lines are the expected ones, ``...`` standing for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed)) is not None


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page's programs and with `tau-env` and `python` at hand."""
    folder = tmp_path_factory.mktemp("desk")
    for program in blocks("python"):
        name = program.split("\n", 1)[0].removeprefix("# ")
        (folder / name).write_text(program, encoding="utf-8")
    start = "from tau_env.cli.main import main; main()"
    for name, words in (("tau-env", f'-c "{start}"'), ("python", "")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return folder


def run(command: str, desk: Path) -> list[str]:
    environment = os.environ | {
        "PATH": f"{desk}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=desk,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "", f"{command} said: {done.stderr}"
    return done.stdout.splitlines()


def test_the_page_prints_what_it_says(desk: Path) -> None:
    assert len(commands()) >= 6
    for command, expected in commands():
        printed = run(command, desk)
        assert matches(expected, printed), "\n".join([f"$ {command}", *printed])


def test_a_page_with_a_wrong_number_would_be_found(desk: Path) -> None:
    assert matches(["a", "...", "c"], ["a", "b", "b", "c"])
    assert not matches(["a", "...", "c"], ["a", "b", "b"])
    assert not matches(["a 1"], ["a 2"])
