"""Arguments of the statistics brought into one form, and the names of their warnings.

Here: what turns a caller's numbers into checked arrays, and the warnings that go with a NaN.
Not here: any statistic.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tau_env.errors import BadArgument, NotEnoughData

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class TooFewTrials(NotEnoughData):
    """The tasks have too few trials each for what was asked; the result is NaN."""


class TooFewTasks(NotEnoughData):
    """Too few tasks, families or users to estimate a spread; the result is NaN."""


class NoSpread(NotEnoughData):
    """The data show no variation at all, which does not prove that there is none: NaN."""


class BoundaryFit(NotEnoughData):
    """A likelihood that grows towards the edge of the model: reported, not numbered."""


class FewClusters(UserWarning):
    """A standard error from few or uneven clusters: a number is given, and it tends to be low."""


def warn(category: type[Warning], message: str) -> None:
    """Warn on behalf of the public function that called the caller of this one."""
    warnings.warn(message, category, stacklevel=3)


def whole(name: str, value: ArrayLike) -> IntArray:
    """Return ``value`` as whole numbers of any shape.

    Raises:
        BadArgument: a number that is not whole, negative, NaN or infinite, or not a number.
    """
    try:
        given = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadArgument(f"{name}={value!r} is not a whole number or an array of them") from error
    bad = ~(np.isfinite(given) & (given >= 0) & (given == np.floor(given)))
    if bad.any():
        raise BadArgument(
            f"{name}={given[bad].flat[0]:g}{_where(bad)}: whole numbers from 0 upward are needed"
        )
    return given.astype(np.int64)


def shares(name: str, value: ArrayLike) -> FloatArray:
    """Return ``value`` as floats of any shape in [0, 1].

    Raises:
        BadArgument: a number outside [0, 1] or NaN.
    """
    given = np.asarray(value, dtype=np.float64)
    bad = ~((given >= 0.0) & (given <= 1.0))
    if bad.any():
        raise BadArgument(f"{name}={given[bad].flat[0]:g}{_where(bad)}: must lie in [0, 1]")
    return given


def check_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1).

    Raises:
        BadArgument: a level such as 95, 0 or 1.
    """
    if not 0.0 < level < 1.0:
        raise BadArgument(f"level={level!r}: must lie between 0 and 1, as in 0.95")


def check_enough(n: IntArray, k: IntArray, tasks: Sequence[object] | None = None) -> None:
    """Refuse n < k and name the task.

    Args:
        n: trials, any shape that broadcasts with ``k``.
        k: the k of pass^k.
        tasks: names in the order of ``n``, for the message.

    Raises:
        BadArgument: some task has fewer trials than k.
    """
    n, k = np.broadcast_arrays(n, k)
    short = n < k
    if not short.any():
        return
    raise BadArgument(
        f"n={n[short].flat[0]} trials{_where(short, tasks)} are fewer than k={k[short].flat[0]}: "
        "n >= k is needed; run more trials or ask for a smaller k"
    )


def check_counts(n: IntArray, c: IntArray, tasks: Sequence[object] | None = None) -> None:
    """Refuse more successes than trials.

    Raises:
        BadArgument: some c > n.
    """
    n, c = np.broadcast_arrays(n, c)
    over = c > n
    if over.any():
        raise BadArgument(
            f"c={c[over].flat[0]} successes{_where(over, tasks)} out of n={n[over].flat[0]} "
            "trials: c <= n is needed; count each (task, trial) once"
        )


def per_task(
    counts: ArrayLike,
    n: ArrayLike,
    *,
    k: int = 0,
    tasks: Sequence[object] | None = None,
) -> tuple[IntArray, IntArray]:
    """Return successes and trials per task, both of shape ``(M,)``, checked.

    Args:
        counts: successes, shape ``(M,)``.
        n: trials, a number or shape ``(M,)``.
        k: every task must have at least so many trials.
        tasks: names for messages, length M.

    Raises:
        BadArgument: no task, other shapes, c > n, n < k.
    """
    c = np.atleast_1d(whole("counts", counts))
    trials = whole("n", n)
    if c.size == 0:
        raise BadArgument("counts is empty: at least one task is needed")
    if c.ndim != 1 or trials.ndim > 1 or trials.size not in (1, c.size):
        raise BadArgument(
            f"counts of shape {c.shape} with n of shape {trials.shape}: one count per task, and "
            "one n for all or one per task"
        )
    if tasks is not None and len(tasks) != c.size:
        raise BadArgument(f"{len(tasks)} task names for {c.size} counts: one name per task")
    trials = np.broadcast_to(trials, c.shape)
    check_counts(trials, c, tasks)
    check_enough(trials, whole("k", k), tasks)
    return c, trials


def labels(name: str, value: Sequence[object] | NDArray[np.generic], size: int) -> IntArray:
    """Return a label per task as numbers 0, 1, … of shape ``(size,)``.

    Raises:
        BadArgument: not one label per task.
    """
    if len(value) != size:
        raise BadArgument(f"{len(value)} {name} for {size} tasks: one label per task is needed")
    known: dict[object, int] = {}
    return np.array([known.setdefault(label, len(known)) for label in value], dtype=np.int64)


def plain(value: FloatArray) -> FloatArray | float:
    """Return a float for an array without dimensions, else the array."""
    return float(value) if value.ndim == 0 else value


def _where(bad: NDArray[np.bool_], tasks: Sequence[object] | None = None) -> str:
    """Say at which task or position the first fault stands; nothing for a scalar."""
    if bad.ndim == 0:
        return ""
    first = np.argwhere(bad)[0].tolist()
    if tasks is not None:
        return f" (task {tasks[first[0]]!r})"
    return f" (task at position {first[0] if len(first) == 1 else tuple(first)})"
