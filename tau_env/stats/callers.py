"""What the customer who calls does to pass^k: a second random effect beside the task.

In deployment every repeat brings a new user, so a task's rate is first averaged over users:
deployment pass^k = E_task[(E_user p)^k]. When one user plays all repeats of a task the quantity
is E_task E_user[p^k], larger by Jensen and a weaker property. Here are both under a model, the
spread of an estimate with few users, and what a balanced grid of trials says of both. Resampling
tasks and users is in :mod:`tau_env.stats.two_way`.

Model: logit p = mu + N(0, sigma_task^2) + N(0, sigma_user^2).

Source: seed 002, section "A different human caller on each repeat is a second random effect"
(equation 7); moments: Searle, Casella and McCulloch 1992, Variance Components, chapter 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from tau_env.errors import BadArgument
from tau_env.stats._arguments import Floats, positive, whole
from tau_env.stats._arrays import TooFewTrials, warn
from tau_env.stats.estimators import pass_hat_k


@dataclass(frozen=True)
class CallerModel:
    """Tasks and users as normal effects on the log-odds.

    Attributes:
        mu: log-odds of an average task with an average user.
        sigma_task: standard deviation of task effects, log-odds.
        sigma_user: standard deviation of user effects, log-odds.
    """

    mu: float
    sigma_task: float
    sigma_user: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.mu):
            raise BadArgument(f"mu is {self.mu!r}; it is a finite log-odds.")
        positive("sigma_task", self.sigma_task, or_zero=True)
        positive("sigma_user", self.sigma_user, or_zero=True)


@dataclass(frozen=True)
class CallerPassHatK:
    """The two readings of pass^k, under a :class:`CallerModel` or from a grid of trials.

    Attributes:
        k: repeats.
        pass_1: success rate of one trial, the same in both readings.
        deployment: a new user on every repeat.
        same_caller: one user plays all repeats of a task.
    """

    k: int
    pass_1: float
    deployment: float
    same_caller: float


@dataclass(frozen=True)
class CallerSpread:
    """Standard deviation of a pass^k estimate from n = k repeats with a pool of J users.

    Attributes:
        k: repeats, one set a task.
        M: tasks.
        J: users in the pool.
        sd: true standard deviation over fresh tasks and fresh pools.
        task_only: what a method that resamples only tasks sees.
        pools: pools that were drawn for the average over pools.
    """

    k: int
    M: int
    J: int
    sd: float
    task_only: float
    pools: int


@dataclass(frozen=True)
class VarianceParts:
    """Variance parts of a score on a balanced grid, by the method of moments.

    Estimates are unbiased and may be slightly negative; that means no sign of the part.

    Attributes:
        task: variance of task effects.
        user: variance of user effects.
        interaction: variance of task-by-user effects; None with one repeat a cell, where it
            cannot be told from the residual.
        residual: variance of one trial beyond the other parts.
        M: tasks.
        J: users.
        repeats: trials of a cell.
    """

    task: float
    user: float
    interaction: float | None
    residual: float
    M: int
    J: int
    repeats: int

    @property
    def standard_error(self) -> float:
        """Of the grand mean for fresh tasks and fresh users; negative parts count as zero."""
        cells = self.M * self.J
        return sd_from_parts(
            task=max(self.task, 0.0),
            user=max(self.user, 0.0),
            residual=max(self.interaction or 0.0, 0.0) + self.residual / self.repeats,
            M=self.M,
            J=self.J,
            trials=cells,
        )


def caller_pass_hat_k(k: int, *, model: CallerModel, nodes: int = 120) -> CallerPassHatK:
    """Deployment and same-caller pass^k by Gauss-Hermite quadrature on both axes.

    Args:
        k: repeats, at least 1.
        model: task and user effects.
        nodes: quadrature nodes per axis; 120 gives about nine digits at sigmas of 1 to 2.

    Returns:
        Both readings; equal when ``sigma_user`` is 0 or k is 1.
    """
    repeats = whole("k", k, least=1)
    x, weight = _normal_nodes(nodes)
    rates = special.expit(model.mu + model.sigma_task * x[:, None] + model.sigma_user * x[None, :])
    by_task = rates @ weight
    return CallerPassHatK(
        k=repeats,
        pass_1=float(weight @ by_task),
        deployment=float(weight @ by_task**repeats),
        same_caller=float(weight @ (rates**repeats @ weight)),
    )


def caller_spread(
    k: int,
    *,
    model: CallerModel,
    M: int,  # noqa: N803  (M tasks and J users, as in the formulas)
    J: int,  # noqa: N803
    rng: np.random.Generator,
    pools: int = 20_000,
    distinct: bool = False,
    nodes: int = 60,
) -> CallerSpread:
    """Standard deviation of pass^k from n = k repeats when calls come from a pool of J users.

    Var = E[q (1 - q)] / M + Var(q), where q is the all-pass chance of a random task given the
    pool: tasks by quadrature, pools by drawing them. The second term does not shrink with M, and
    resampling tasks cannot see it.

    Args:
        k: repeats of each task, at least 1.
        model: task and user effects.
        M: tasks.
        J: users in the pool.
        rng: draws the pools.
        pools: pools drawn; the relative error of the second term is about ``sqrt(2 / pools)``.
        distinct: users differ within a task (needs J >= k); else each call draws anew.
        nodes: quadrature nodes over tasks.

    Returns:
        The true standard deviation and what a task-only method reports, both as shares.
    """
    repeats, tasks, users = whole("k", k, least=1), whole("M", M, least=1), whole("J", J, least=1)
    if distinct and users < repeats:
        raise BadArgument(f"J = {J} users cannot be distinct over k = {k} repeats; J >= k needed.")
    x, weight = _normal_nodes(nodes)
    batch = max(1, 2_000_000 // (users * x.size))
    q = np.empty(whole("pools", pools, least=2))
    for start in range(0, q.size, batch):
        size = min(batch, q.size - start)
        effects = model.sigma_user * rng.standard_normal((size, users))
        rates = special.expit(model.mu + model.sigma_task * x[None, :, None] + effects[:, None, :])
        all_pass = _distinct_product(rates, repeats) if distinct else rates.mean(axis=2) ** repeats
        q[start : start + size] = all_pass @ weight
    seen = float(np.mean(q * (1 - q))) / tasks
    return CallerSpread(
        k=repeats,
        M=tasks,
        J=users,
        sd=math.sqrt(seen + float(np.var(q, ddof=1))),
        task_only=math.sqrt(seen),
        pools=q.size,
    )


def grid_pass_hat_k(grid: ArrayLike, k: int) -> CallerPassHatK:
    """Deployment and same-caller pass^k from a grid of trials, both without bias.

    Args:
        grid: 0/1 outcomes, shape (M, J) or (M, J, repeats); every user meets every task equally
            often, and users are a sample of those of deployment.
        k: repeats, at least 1 and at most J.

    Returns:
        Deployment: the mean over tasks and k-subsets of users of the product of the users' rates.
        Same caller: the mean over cells of C(c, k) / C(repeats, k); NaN with
        :class:`~tau_env.stats._arrays.TooFewTrials` when a cell has fewer than k trials.
    """
    outcomes = _grid(grid)
    if not np.all((outcomes == 0) | (outcomes == 1)):
        raise BadArgument("grid holds values other than 0 and 1; pass^k needs graded trials.")
    repeats = whole("k", k, least=1)
    users, trials = outcomes.shape[1:]
    if users < repeats:
        raise BadArgument(f"J = {users} users cannot give k = {k} different ones; J >= k needed.")
    rates = outcomes.mean(axis=2)
    same = math.nan
    if trials < repeats:
        warn(TooFewTrials, f"{trials} trials of a task and user: same-caller pass^{k} is NaN")
    else:
        passes = outcomes.sum(axis=2).astype(np.int64)
        same = float(np.mean(pass_hat_k(trials, passes, repeats)))
    return CallerPassHatK(
        k=repeats,
        pass_1=float(rates.mean()),
        deployment=float(np.mean(_distinct_product(rates, repeats))),
        same_caller=same,
    )


def sd_from_parts(
    *,
    task: float,
    user: float,
    residual: float,
    M: int,  # noqa: N803
    J: int,  # noqa: N803
    trials: int,
) -> float:
    """First-order standard deviation of a mean: ``sqrt(task/M + user/J + residual/trials)``.

    Args:
        task: variance of task effects **on the scale of the estimate** (not of log-odds).
        user: variance of user effects on that scale.
        residual: variance of one trial beyond both.
        M: tasks.
        J: distinct users.
        trials: all trials, M n.

    Returns:
        The standard deviation.
    """
    parts = {"task": task, "user": user, "residual": residual}
    for name, value in parts.items():
        positive(name, value, or_zero=True)
    sizes = [whole("M", M, least=1), whole("J", J, least=1), whole("trials", trials, least=1)]
    return math.sqrt(sum(v / size for v, size in zip(parts.values(), sizes, strict=True)))


def variance_parts(grid: ArrayLike) -> VarianceParts:
    """Task, user and residual variance of a score by moments on a balanced grid.

    Mean squares of the two-way crossed random model are set to their expectations. The grid must
    be complete: every user meets every task equally often.

    Args:
        grid: scores (0/1 or any finite number), shape (M, J) for one trial a cell or
            (M, J, repeats).

    Returns:
        The parts, on the scale of the score.

    Raises:
        BadArgument: fewer than 2 tasks or users (a spread needs two), or a hole in the grid.
    """
    scores = _grid(grid)
    tasks, users, repeats = scores.shape
    cells = scores.mean(axis=2)
    by_task, by_user, mean = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    ms_task = users * repeats * float(np.var(by_task, ddof=1))
    ms_user = tasks * repeats * float(np.var(by_user, ddof=1))
    crossed = cells - by_task[:, None] - by_user[None, :] + mean
    ms_cross = repeats * float(np.sum(crossed**2)) / ((tasks - 1) * (users - 1))
    interaction, residual = None, ms_cross
    if repeats > 1:
        within = float(np.sum((scores - cells[:, :, None]) ** 2))
        residual = within / (tasks * users * (repeats - 1))
        interaction = (ms_cross - residual) / repeats
    return VarianceParts(
        task=(ms_task - ms_cross) / (users * repeats),
        user=(ms_user - ms_cross) / (tasks * repeats),
        interaction=interaction,
        residual=residual,
        M=tasks,
        J=users,
        repeats=repeats,
    )


def _grid(grid: ArrayLike) -> Floats:
    """A complete grid of shape (tasks, users, repeats)."""
    scores = np.asarray(grid, dtype=float)
    if scores.ndim == 2:
        scores = scores[:, :, None]
    if scores.ndim != 3 or scores.shape[0] < 2 or scores.shape[1] < 2 or scores.shape[2] < 1:
        raise BadArgument(
            f"grid has shape {np.shape(grid)}; give (tasks, users) or (tasks, users, repeats) "
            "with at least 2 tasks and 2 users."
        )
    if not np.all(np.isfinite(scores)):
        raise BadArgument(
            "grid has holes (NaN or infinite); moments need a balanced grid, so drop whole tasks "
            "or users until it is complete."
        )
    return scores


def _normal_nodes(nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights for an average over a standard normal."""
    x, weight = np.polynomial.hermite_e.hermegauss(whole("nodes", nodes, least=2))
    return np.asarray(x, dtype=float), np.asarray(weight / weight.sum(), dtype=float)


def _distinct_product(rates: Floats, k: int) -> Floats:
    """Mean over k-subsets of the last axis of the product of their rates."""
    sums = np.zeros((k + 1, *rates.shape[:-1]))
    sums[0] = 1.0
    for user in range(rates.shape[-1]):
        for size in range(min(k, user + 1), 0, -1):
            sums[size] += rates[..., user] * sums[size - 1]
    return np.asarray(sums[k] / special.comb(rates.shape[-1], k), dtype=float)
