"""The package knows nothing of the benchmark."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import tau_env.stats

MODULES = sorted(Path(tau_env.stats.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_imports_numpy_scipy_and_errors_only(path: Path) -> None:
    allowed = {"numpy", "scipy", "tau_env.errors"} | sys.stdlib_module_names
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            known = name in allowed or name.split(".")[0] in allowed
            assert known or name.startswith("tau_env.stats"), f"{path.name} imports {name}"
