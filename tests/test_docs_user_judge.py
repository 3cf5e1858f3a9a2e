"""docs/model-user-and-judge.md: its commands are run against models that play as they should."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from chat_server import ChatServer
from played import Customer, looks_for

from tau_env.harness.grid import choose_tasks
from tau_env.judge import read_rubrics
from tau_env.users.guards import LONGEST, SAME_LINES
from tau_env.users.model import READS, TRIES
from tau_env.users.scripted import PATIENCE

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "model-user-and-judge.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.M | re.S)
ADDRESS = "http://127.0.0.1:8000/v1"


def block(kind: str) -> str:
    (body,) = (body for one, body in BLOCKS if one == kind)
    return body


def test_commands_of_the_page_print_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "courtesy.toml").write_text(block("toml"), encoding="utf-8")
    (tmp_path / "labels.csv").write_text(block("text"), encoding="utf-8")
    customer = Customer(choose_tasks("retail", ("cancel_pending",)))
    judge = looks_for({"courtesy/asks": "go ahead", "courtesy/refund": "business days"})

    def answer(asked):  # type: ignore[no-untyped-def]
        plays = asked.messages[0]["content"].startswith("You play a customer")
        return (customer if plays else judge)(asked)

    text = "".join(body for kind, body in BLOCKS if kind == "console")
    parts = re.split(r"^\$ tau-env ", text, flags=re.M)[1:]
    with ChatServer(answer) as server:
        for part in parts:
            command, *lines = part.rstrip("\n").split("\n")
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "tau_env",
                    *shlex.split(command.replace(ADDRESS, server.url)),
                ],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, ""), command
            pattern = "".join(
                "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in lines
            )
            assert re.fullmatch(pattern, done.stdout), f"{command}:\n{done.stdout}"
    assert len(parts) == 4


def test_rubric_of_the_page_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "courtesy.toml"
    path.write_text(block("toml"), encoding="utf-8")
    (rubric,) = read_rubrics(path)
    assert rubric.requirements[1].needs == ("asks",)


def test_numbers_of_the_page_are_those_of_the_code() -> None:
    page = " ".join(PAGE.split())
    assert f"up to {LONGEST:,} characters |" in page
    assert f"up to {READS:,} characters;" in page
    assert f"tries={TRIES}" in page
    assert (TRIES, PATIENCE, SAME_LINES) == (4, 4, 3)
    for words in ("after four tries", "After four messages", "the same line three times in a row"):
        assert words in page
