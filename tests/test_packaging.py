"""What is installed is what is in the repository: package list, data, console script, wheel."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from tau_env.registry import domain_names

ROOT = Path(__file__).resolve().parent.parent
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
CONTENT = ("domains", "graders", "policies", "tasks")


def python_packages():
    for path in sorted((ROOT / "tau_env").rglob("__init__.py")):
        inside = path.parent.relative_to(ROOT).parts
        if len(inside) < 2 or inside[1] not in CONTENT:
            yield ".".join(inside)
    for folder in CONTENT:
        for path in sorted((ROOT / folder).rglob("__init__.py")):
            yield ".".join(("tau_env", *path.parent.relative_to(ROOT).parts))


def test_package_list_equals_the_disk():
    assert sorted(CONFIG["tool"]["setuptools"]["packages"]) == sorted(python_packages())


@pytest.mark.parametrize("name", CONTENT)
def test_link_of_a_content_folder_is_relative(name):
    link = ROOT / "tau_env" / name
    assert link.is_symlink()
    assert os.readlink(link) == f"../{name}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel built through the source distribution."""
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with the wheel installed, offline."""
    target = tmp_path_factory.mktemp("site")
    subprocess.run(
        [*PIP, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)],
        check=True,
        capture_output=True,
    )
    return target


def data_files():
    for folder, patterns in (
        ("domains", ("*.sql", "*.json")),
        ("policies", ("*.md",)),
        ("tasks", ("*.json",)),
    ):
        for pattern in patterns:
            for path in (ROOT / folder).rglob(pattern):
                yield path.relative_to(ROOT)


def test_wheel_holds_every_module_and_data_file(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in data_files():
        assert f"tau_env/{path.as_posix()}" in names
    assert "tau_env/py.typed" in names
    for package in python_packages():
        assert package.replace(".", "/") + "/__init__.py" in names
    outside = {name.split("/")[0] for name in names if not name.startswith("tau_env/")}
    assert outside == {next(name for name in outside if name.endswith(".dist-info"))}


EPISODE = """
import json, sys
import gymnasium as gym, tau_env
from tau_env import content
from tau_env.agents.script import Reference
from tau_env.registry import domain_names, find_domain
from tau_env.trial import run_trial
assert tau_env.__file__.startswith(sys.argv[1]), tau_env.__file__
for name in domain_names():
    env = gym.make(f"tau_env/{name}-v{find_domain(name).version}")
    obs, info = env.reset(seed=7)
    assert obs["source"] == "customer" and info["policy"] and info["tools"]
    task = content.find_task(name, info["task"])
    assert run_trial(env.unwrapped, Reference(task), task, seed=7).passed, task.id
    print(name)
"""


def run_installed(installed, words, folder):
    return subprocess.run(
        [sys.executable, "-W", "error", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed), "no_proxy": "*"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_episode_of_every_domain_runs_from_the_wheel_in_any_folder(installed, tmp_path):
    """F123, F124: outside the repository, offline."""
    done = run_installed(installed, ["-c", EPISODE, str(installed)], tmp_path)
    assert (done.returncode, done.stdout.split()) == (0, domain_names()), done.stderr


def test_missing_policy_is_told_with_the_path_and_the_way_out(installed, tmp_path):
    """F124: there is no setting that could point elsewhere; what is missing is named."""
    broken = tmp_path / "site"
    shutil.copytree(installed, broken)
    policy = broken / "tau_env" / "policies" / "retail.md"
    policy.unlink()
    done = run_installed(broken, ["-m", "tau_env", "domain", "retail"], tmp_path)
    assert done.returncode == 2
    assert str(policy) in done.stderr
    assert "reinstall tau-env" in done.stderr
    assert done.stderr.count("\n") == 1


def lowest(requirement):
    """A declared dependency at its lowest version."""
    return re.sub(r">=([0-9.]+).*", r"==\1", requirement)


@pytest.mark.heavy
def test_lowest_declared_versions_fit_together_and_play(wheel, tmp_path):
    """F122: the highest ones are those of every other test here."""
    venv.create(tmp_path / "low", with_pip=True)
    python = tmp_path / "low" / "bin" / "python"
    pins = [lowest(one) for one in CONFIG["project"]["dependencies"]]
    assert all("==" in one for one in pins)
    words = [str(python), "-m", "pip", "install", "--quiet", *pins, str(wheel)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "No matching distribution" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip(f"no index to install from: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    site = next((tmp_path / "low").glob("lib/python*/site-packages"))
    words = [str(python), "-W", "error", "-c", EPISODE, str(site)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, domain_names()), done.stderr


def test_doctor_finds_everything_in_the_wheel(installed, tmp_path):
    """F125: what the setup leaves is listed part by part, and all of it is there."""
    done = run_installed(installed, ["-m", "tau_env", "doctor", "--json"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert all(row["ok"] for row in rows)
    assert {f"domain {name}" for name in domain_names()} <= {row["part"] for row in rows}
