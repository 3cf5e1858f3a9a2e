"""Two runs on the same tasks, put side by side task by task.

Only tasks that both runs tried are compared; the others are named. The comparison itself is in
:mod:`tau_env.stats.comparison`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tau_env.errors import BadArgument
from tau_env.report.results import Results

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Paired:
    """Counts of two runs by common task, arrays of shape (M,).

    Attributes:
        task: names of the common tasks, in the order of the first run.
        family: a family a task; None unless the first run has them.
        passes_a: passed trials of the first run.
        trials_a: graded trials of the first run, at least 1.
        passes_b: passed trials of the second run.
        trials_b: graded trials of the second run, at least 1.
        only_a: tasks that only the first run has a graded trial of.
        only_b: tasks that only the second run has a graded trial of.
    """

    task: tuple[str, ...]
    family: tuple[str, ...] | None
    passes_a: Counts
    trials_a: Counts
    passes_b: Counts
    trials_b: Counts
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    @property
    def n(self) -> int:
        """Fewest graded trials of a common task in either run: the largest k to compare."""
        return int(min(self.trials_a.min(), self.trials_b.min()))


def pair(a: Results, b: Results) -> Paired:
    """Match two runs by task.

    Args:
        a: the first run (the old agent).
        b: the second run (the new agent).

    Returns:
        Common tasks with counts, and the names of the others.

    Raises:
        BadArgument: no task in common.
    """
    first, second = a.counts(), b.counts()
    in_a = {name: i for i, name in enumerate(first.task) if first.trials[i] > 0}
    in_b = {name: i for i, name in enumerate(second.task) if second.trials[i] > 0}
    common = tuple(name for name in in_a if name in in_b)
    if not common:
        raise BadArgument(
            f"The two files have no task in common ({len(in_a)} and {len(in_b)} tasks, e.g. "
            f"{next(iter(in_a), 'none')!r} and {next(iter(in_b), 'none')!r}); compare runs of the "
            "same tasks."
        )
    at_a = np.array([in_a[name] for name in common], dtype=np.int64)
    at_b = np.array([in_b[name] for name in common], dtype=np.int64)
    family = None if first.family is None else tuple(first.family[i] for i in at_a)
    return Paired(
        task=common,
        family=family,
        passes_a=first.passes[at_a],
        trials_a=first.trials[at_a],
        passes_b=second.passes[at_b],
        trials_b=second.trials[at_b],
        only_a=tuple(name for name in in_a if name not in in_b),
        only_b=tuple(name for name in in_b if name not in in_a),
    )
