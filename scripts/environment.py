"""Makes a virtual environment with the project in it; what demo.py and test.py share.

Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
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
    folder = ROOT / name
    stamp = folder / "installed"
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + extras.encode()).hexdigest()
    python = python_in(folder)
    if not fresh and stamp.is_file() and stamp.read_text() == wanted and python.exists():
        return python
    print(f"making a virtual environment in {name} ...", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*install, "--editable", f"{ROOT}{extras}"], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit("the installation failed: see above; a package index must be within reach")
    stamp.write_text(wanted)
    return python
