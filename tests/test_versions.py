"""A version stands for what can alter a grade."""

import importlib.util
import json
from pathlib import Path

import pytest

from tau_env.domains import VERSIONS
from tau_env.registry import find_domain

ROOT = Path(__file__).resolve().parent.parent


def digests_script():
    spec = importlib.util.spec_from_file_location("digests", ROOT / "scripts" / "digests.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", VERSIONS)
def test_digests_are_those_of_the_version(name):
    """F131."""
    kept = json.loads((ROOT / "tests" / "digests.json").read_text(encoding="utf-8"))
    assert digests_script().digests(name) == kept[name], (
        "what decides a grade has changed: if a grade can change, raise the version in "
        "domains/__init__.py and say so in CHANGELOG.md; then run python scripts/digests.py"
    )


@pytest.mark.parametrize("name", VERSIONS)
def test_version_of_the_domain_is_that_of_the_table(name):
    assert find_domain(name).version == VERSIONS[name]
