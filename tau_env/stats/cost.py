"""Which agents are worth their price: Pareto front, mixtures, upper hull, budget-matched retry.

Points are (accuracy, mean cost of a task). What an attempt, a retry or a router costs is in
:mod:`tau_env.stats.attempts`.

Sources: seed 000, section "Cost is part of the result"; Kapoor et al. 2025, "Holistic Agent
Leaderboard" (frontiers as convex hulls that include the origin).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tau_env.errors import BadArgument
from tau_env.stats._arguments import Floats, positive, probabilities
from tau_env.stats.attempts import Routed


@dataclass(frozen=True)
class Hull:
    """The upper hull of agents and the origin: the best accuracy that mixtures buy at a cost.

    Attributes:
        cost: costs of the corners, rising, the first is 0.
        accuracy: accuracies of the corners, rising, the first is 0.
        agents: positions of the agents that are corners (the origin left out).
    """

    cost: tuple[float, ...]
    accuracy: tuple[float, ...]
    agents: tuple[int, ...]

    def accuracy_at(self, cost: ArrayLike) -> Floats:
        """Best mixed accuracy at a mean cost; flat beyond the dearest corner.

        Args:
            cost: mean costs, any shape, zero or more.

        Returns:
            Accuracies of the same shape (at least one-dimensional).
        """
        spend = np.atleast_1d(np.asarray(cost, dtype=float))
        if not np.all(spend >= 0):
            raise BadArgument(f"cost holds {spend.min()!r}; a mean cost is zero or more.")
        return np.asarray(np.interp(spend, self.cost, self.accuracy), dtype=float)


def pareto_front(acc: ArrayLike, cost: ArrayLike) -> NDArray[np.int64]:
    """Agents that no other agent dominates.

    One agent dominates another when it is at least as accurate and at least as cheap, and better
    in one of the two. So exact duplicates both stay, equal accuracy keeps the cheaper, equal cost
    the more accurate.

    Args:
        acc: accuracies in [0, 1], shape (A,).
        cost: mean costs, finite, zero or more, shape (A,).

    Returns:
        Positions of the front, in the order of the input.
    """
    accuracy, price = _points(acc, cost)
    order = np.lexsort((-accuracy, price))
    best_cheaper = -np.inf
    front: list[int] = []
    start = 0
    while start < order.size:
        tied = order[start : start + int(np.sum(price == price[order[start]]))]
        top = accuracy[tied[0]]
        if top > best_cheaper:
            front.extend(int(i) for i in tied if accuracy[i] == top)
            best_cheaper = top
        start += tied.size
    return np.array(sorted(front), dtype=np.int64)


def mixture(acc: ArrayLike, cost: ArrayLike, *, weights: ArrayLike) -> Routed:
    """Accuracy and cost of choosing an agent at random for each task.

    Args:
        acc: accuracies, shape (A,).
        cost: mean costs, shape (A,).
        weights: shares of the tasks, shape (A,), adding to 1.

    Returns:
        The weighted means: a point on a straight line between the agents.
    """
    accuracy, price = _points(acc, cost)
    shares = probabilities("weights", weights)
    if shares.shape != accuracy.shape or abs(shares.sum() - 1) > 1e-9:
        raise BadArgument(
            f"weights {shares.tolist()} must be {accuracy.size} shares that add to 1."
        )
    return Routed(accuracy=float(shares @ accuracy), cost=float(shares @ price))


def upper_hull(acc: ArrayLike, cost: ArrayLike) -> Hull:
    """The upper convex hull of the agents and the origin (spend nothing, solve nothing).

    A front agent under the line between its neighbours is not a corner: mixing them beats it. The
    hull ends at the most accurate agent.

    Args:
        acc: accuracies, shape (A,).
        cost: mean costs, shape (A,).

    Returns:
        Corners by rising cost.
    """
    accuracy, price = _points(acc, cost)
    front = pareto_front(accuracy, price)
    corners: list[tuple[float, float, int]] = [(0.0, 0.0, -1)]
    for agent in front[np.lexsort((front, price[front]))]:
        point = (float(price[agent]), float(accuracy[agent]), int(agent))
        if point[:2] == corners[-1][:2]:
            continue
        while len(corners) >= 2 and _under(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    if len(corners) > 1 and corners[1][0] == 0.0:
        corners.pop(0)
    return Hull(
        cost=tuple(c for c, _, _ in corners),
        accuracy=tuple(a for _, a, _ in corners),
        agents=tuple(i for _, _, i in corners if i >= 0),
    )


def whole_tries(cost_per_try: float, budget: float) -> int:
    """Whole tries that a budget pays for; 0.3 / 0.1 is 3 although floating point says 2.999….

    Args:
        cost_per_try: more than zero.
        budget: the most that may be spent on a task, zero or more.

    Returns:
        The quotient rounded down, where a quotient within 1e-9 (relative) below a whole number
        counts as that number.
    """
    ratio = positive("budget", budget, or_zero=True) / positive("cost_per_try", cost_per_try)
    if not math.isfinite(ratio):
        raise BadArgument(
            f"budget {budget!r} over cost_per_try {cost_per_try!r} is no finite number of tries."
        )
    nearest = round(ratio)
    return nearest if abs(ratio - nearest) <= 1e-9 * max(1.0, ratio) else math.floor(ratio)


def budget_matched_accuracy(
    p: ArrayLike, cost_per_try: float, budget: float, *, verifier: bool = True
) -> float:
    """Accuracy of a cheap agent that retries within the price of a dear one.

    Args:
        p: the cheap agent's success rate on each task, shape (M,).
        cost_per_try: its cost for one try, more than zero.
        budget: the most that may be spent on one task.
        verifier: whether a checker exists in deployment; without one only the first try counts.

    Returns:
        Mean over tasks of ``1 - (1 - p)^k`` with k = :func:`whole_tries`; 0 when the budget
        does not pay for one try.
    """
    rates = probabilities("p", p)
    tries = whole_tries(cost_per_try, budget)
    if not verifier:
        tries = min(tries, 1)
    return float(np.mean(1 - (1 - rates) ** tries))


def _under(
    left: tuple[float, float, int],
    middle: tuple[float, float, int],
    right: tuple[float, float, int],
) -> bool:
    rise = (middle[1] - left[1]) * (right[0] - left[0])
    return rise <= (right[1] - left[1]) * (middle[0] - left[0])


def _points(acc: ArrayLike, cost: ArrayLike) -> tuple[Floats, Floats]:
    accuracy = probabilities("acc", acc)
    price = np.atleast_1d(np.asarray(cost, dtype=float))
    if accuracy.ndim != 1 or price.shape != accuracy.shape:
        raise BadArgument(
            f"acc has shape {accuracy.shape} and cost {price.shape}; give two lists of one length."
        )
    if not np.all(np.isfinite(price) & (price >= 0)):
        raise BadArgument(f"cost holds {price.tolist()}; costs must be finite and zero or more.")
    return accuracy, price
