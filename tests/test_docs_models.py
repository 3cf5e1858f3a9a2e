"""docs/models.md: its commands are run against a server that plays the reference solutions."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from chat_server import ChatServer, Solver

from tau_env.endpoint import PATIENCE, RETRIES, TIMEOUT
from tau_env.harness.driver import ABORT_AFTER
from tau_env.harness.grid import choose_tasks
from tau_env.prices import prices_of

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.M | re.S)
ADDRESS = "http://127.0.0.1:8000/v1"


def test_commands_of_the_page_print_what_it_says(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    tasks = choose_tasks("retail", ("cancel_pending",))
    text = "".join(body for kind, body in BLOCKS if kind == "console")
    with ChatServer(Solver(tasks, trials=2)) as server:
        parts = re.split(r"^\$ tau-env ", text, flags=re.M)[1:]
        for part in parts:
            command, *lines = part.rstrip("\n").split("\n")
            words = shlex.split(command.replace(ADDRESS, server.url))
            done = subprocess.run(
                [sys.executable, "-m", "tau_env", *words],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, ""), command
            pattern = "".join(
                "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in lines
            )
            assert re.fullmatch(pattern, done.stdout), f"{command}:\n{done.stdout}"
    assert len(parts) == 3


def test_table_of_prices_of_the_page_can_be_read():
    (table,) = (json.loads(body) for kind, body in BLOCKS if kind == "text")
    for model, row in table.items():
        assert prices_of(row, model=model).row() == row


def test_numbers_of_the_page_are_those_of_the_code():
    for number, what in (
        (TIMEOUT, "seconds that an endpoint may be silent ({:g})"),
        (PATIENCE, "seconds that a call may wait for a rate limit ({:g})"),
        (RETRIES, "further tries after a server error ({:g})"),
        (RETRIES, "asked up to {:g} times more"),
    ):
        assert what.format(number) in PAGE
    assert ABORT_AFTER == 10
    assert "first ten attempts all crash" in " ".join(PAGE.split())
