"""The known answers that tests are held against, read from the project's shared folder."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("TAU_SHARED", Path(__file__).parents[2] / "shared"))


@cache
def _entries() -> dict[str, dict[str, Any]]:
    path = SHARED / "facts" / "known_answers.json"
    if not path.exists():
        return {}
    return {entry["id"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}


def answer(ident: str) -> dict[str, Any]:
    """One entry by its id; skips the test where the shared folder is absent."""
    if not _entries():
        pytest.skip(f"no known_answers.json under {SHARED}; set TAU_SHARED to run this test")
    return _entries()[ident]
