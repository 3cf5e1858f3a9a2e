"""Makes virtual environments: the project's for demo.py and test.py, the model's for real_model.py.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent.parent


def python_in(folder: Path) -> Path:
    """The interpreter of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def prepare(name: str, *, extras: str = "", fresh: bool = False) -> Path:
    """Make or reuse the virtual environment ``name`` in the repository, with the project installed.

    Args:
        name: folder name, such as ``.venv``.
        extras: such as ``[test]``.
        fresh: start from nothing even if it is there.

    Returns:
        Its interpreter. It is reused while pyproject.toml is unchanged.
    """
    if sys.version_info < OLDEST:
        sys.exit(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + extras.encode()).hexdigest()
    return install(ROOT / name, ["--editable", f"{ROOT}{extras}"], stamp=wanted, fresh=fresh)


def install(folder: Path, wanted: Sequence[str], *, stamp: str, fresh: bool = False) -> Path:
    """Make or reuse a virtual environment with something installed; leaves if it cannot be.

    Args:
        folder: where it stands.
        wanted: what pip is to install, as its arguments.
        stamp: names what is installed; the environment is reused while it is the same.
        fresh: start from nothing even if it is there.

    Returns:
        Its interpreter.
    """
    kept, python = folder / "installed", python_in(folder)
    if not fresh and kept.is_file() and kept.read_text() == stamp and python.exists():
        return python
    print(f"making a virtual environment in {folder.name} ...", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*command, *wanted], cwd=ROOT, check=False).returncode:
        sys.exit("the installation failed: see above; a package index must be within reach")
    kept.write_text(stamp)
    return python
