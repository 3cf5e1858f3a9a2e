"""Every block of README and docs is run: examples, commands, and the outputs that stand there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
BLOCKS = BLOCK.findall(README)
TAU = [sys.executable, "-m", "tau_env"]


def run(words, cwd, **more):
    return subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


def blocks(language):
    return [body for kind, body in BLOCKS if kind == language]


def test_readme_has_only_blocks_that_are_run_here():
    assert {kind for kind, _ in BLOCKS} <= {"python", "bash", "text"}
    assert len(blocks("python")) == 2
    assert len(blocks("bash")) == 2


def test_readme_episode_runs(tmp_path):
    done = run([sys.executable, "-W", "error", "-c", blocks("python")[0]], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tool" in done.stdout


def test_readme_agent_is_plugged_in_as_written(tmp_path):
    """F134: so do the commands of the README."""
    agent = blocks("python")[1]
    assert agent.count("\n") <= 15
    (tmp_path / "my_agent.py").write_text(agent)
    for line in blocks("bash")[1].splitlines():
        words = shlex.split(line)
        assert words[0] == "tau-env"
        done = run([*TAU, *words[1:]], tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "transfer_to_human_agents" in done.stdout


def test_the_two_commands_of_the_readme_are_the_scripts():
    commands = [line.split("#")[0].split() for line in blocks("bash")[0].splitlines()]
    assert commands == [["python3", "scripts/demo.py"], ["python3", "scripts/test.py"]]
    for _, script in commands:
        done = run([sys.executable, "-c", f"import ast; ast.parse(open({script!r}).read())"], ROOT)
        assert done.returncode == 0, done.stderr


def test_ci_calls_the_test_command_of_the_readme():
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "python3 scripts/test.py --fresh" in text


def test_demo_sets_up_a_fresh_clone_and_prints_the_table(tmp_path):
    """The first command of the README, in a clone of what is committed or lies here."""
    clone = tmp_path / "clone"
    copied = run(["git", "clone", "--quiet", str(ROOT), str(clone)], tmp_path)
    if copied.returncode:
        pytest.skip(f"no git checkout here: {copied.stderr.strip()}")
    done = run([sys.executable, "scripts/demo.py"], clone, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "Floors and ceiling: passed / tasks" in done.stdout
    assert " reference " in done.stdout


def test_pages_show_what_the_commands_print():
    """F134: commands of the pages run as they are written."""
    done = run([sys.executable, "scripts/docs.py", "--check"], ROOT, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


RUN_IN = {
    "harness.md": "tests/cli/test_harness_verbs.py",
    "from-records-to-a-sentence.md": "tests/test_docs_stats.py",
    "models.md": "tests/test_docs_models.py",
    "model-user-and-judge.md": "tests/test_docs_user_judge.py",
}
"""Pages whose blocks another test runs, one after the other."""


@pytest.mark.parametrize("page", sorted(p.name for p in (ROOT / "docs").glob("*.md")))
def test_no_page_shows_a_command_that_nothing_runs(page, tmp_path):
    """F134: a command that stands by itself is run here, on one task."""
    if page in RUN_IN:
        assert page in (ROOT / RUN_IN[page]).read_text(encoding="utf-8")
        return
    for kind, body in BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8")):
        assert kind in ("text", "console"), f"{page}: nothing runs its block of {kind}"
        for line in body.splitlines() if kind == "console" else ():
            command = line.removeprefix("$ tau-env ")
            assert command != line, f"{page}: {line}"
            words = [*shlex.split(command), "--tasks", "retail-cancel-pending-003"]
            done = run([*TAU, *words], tmp_path)
            assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "page", ["README.md", *sorted(p.name for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_of_a_page_lead_somewhere(page):
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{page} links to {target}"
