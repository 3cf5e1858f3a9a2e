"""Files of trial records for the tests of the verbs over them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np


def write_counts(path: Path, passes: Iterable[int], trials: int, **more: Any) -> Path:
    """A JSON Lines file with so many passes of each task, spread over its trials."""
    lines = [
        json.dumps({"task": f"t{task:03d}", "trial": trial, "passed": trial < passed, **more})
        for task, passed in enumerate(passes)
        for trial in range(trials)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def drawn(rng: np.random.Generator, *, tasks: int, trials: int, a: float, b: float) -> list[int]:
    """Passes of tasks from a Beta population."""
    return [int(c) for c in rng.binomial(trials, rng.beta(a, b, size=tasks))]
