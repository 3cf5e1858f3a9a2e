"""What attempts cost: one attempt, retries with a verifier, warming, escalation, routers.

Which agents are worth their price, given a list of (accuracy, cost), is in
:mod:`tau_env.stats.cost`. Prices and accuracies are inputs; nothing here reads a ledger.

All stop-at-first-success schemes are one formula. Try s on task j succeeds with probability
p[j, s] and costs c[s]; a verifier stops at the first success, so
success = 1 - prod_s (1 - p[j, s]) and cost = sum_s c[s] prod_{i<s} (1 - p[j, i]).
Retry has equal columns, warming has one column a temperature, escalation one column an agent.

Sources: seed 000, section "Cost is part of the result"; Kapoor et al. 2024, "AI Agents That
Matter", arXiv:2407.01502 (retry, warming, escalation).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tau_env.errors import BadArgument
from tau_env.stats._arguments import Floats, positive, probabilities, whole


@dataclass(frozen=True)
class Attempts:
    """Mean over tasks of a scheme that stops at its first success.

    Attributes:
        success: share of tasks solved.
        tries: mean attempts made on a task.
        cost: mean cost of a task.
    """

    success: float
    tries: float
    cost: float


@dataclass(frozen=True)
class Routed:
    """Mean accuracy and cost of a router, a mixture or any other choice among agents.

    Attributes:
        accuracy: mean success rate of a task.
        cost: mean cost of a task.
    """

    accuracy: float
    cost: float


def attempt_cost(
    *,
    input_tokens: float,
    output_tokens: float,
    input_price: float,
    output_price: float,
    tools: float = 0.0,
    sandbox: float = 0.0,
) -> float:
    """Cost of one attempt: tokens times their prices, tools and sandbox added.

    Args:
        input_tokens: tokens sent to the model, all steps together.
        output_tokens: tokens written by the model.
        input_price: price of one input token (not of a million).
        output_price: price of one output token.
        tools: cost of tool calls.
        sandbox: cost of the environment.

    Returns:
        The cost, in the currency of the prices.
    """
    parts = {
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "input_price": input_price,
        "output_price": output_price,
        "tools": tools,
        "sandbox": sandbox,
    }
    for name, value in parts.items():
        positive(name, value, or_zero=True)
    return input_tokens * input_price + output_tokens * output_price + tools + sandbox


def transcript_tokens(start: int, per_step: int, *, steps: int) -> int:
    """Input tokens of an attempt in which every step resends the transcript so far.

    Args:
        start: tokens of the first prompt.
        per_step: tokens that each step adds.
        steps: T, the model calls.

    Returns:
        ``T start + per_step T (T - 1) / 2``: quadratic in the steps.
    """
    first, growth, calls = whole("start", start), whole("per_step", per_step), whole("steps", steps)
    return calls * first + growth * calls * (calls - 1) // 2


def stop_at_first_success(p: ArrayLike, cost: ArrayLike) -> Attempts:
    """Success, tries and cost of attempts made in order until a verifier accepts one.

    Given the task, attempts are independent; the verifier is right and available when deployed.
    Use it for escalation (columns are agents, cheap first) and for warming (columns are
    temperatures).

    Args:
        p: success rates, shape (M, S): task by attempt.
        cost: cost of each attempt, shape (S,) or (M, S).

    Returns:
        Means over tasks.
    """
    rates = probabilities("p", p)
    if rates.ndim != 2:
        raise BadArgument(f"p has shape {rates.shape}; give (tasks, attempts).")
    prices = _costs("cost", cost)
    if prices.shape not in {rates.shape, rates.shape[1:]}:
        raise BadArgument(
            f"cost has shape {prices.shape}; give {rates.shape[1:]} or {rates.shape}."
        )
    still_open = np.cumprod(1 - rates, axis=1)
    reached = np.concatenate([np.ones((rates.shape[0], 1)), still_open[:, :-1]], axis=1)
    return Attempts(
        success=float(np.mean(1 - still_open[:, -1])),
        tries=float(np.mean(reached.sum(axis=1))),
        cost=float(np.mean((reached * prices).sum(axis=1))),
    )


def expected_tries(p: ArrayLike, k: int) -> Floats:
    """Mean tries of up to k attempts that stop at the first success: ``(1 - (1-p)^k) / p``.

    Args:
        p: success rates, any shape.
        k: the most tries allowed, at least 0.

    Returns:
        Tries for each rate; k at p = 0, 1 at p = 1.
    """
    rates = probabilities("p", p)
    tries = whole("k", k)
    certain = np.where(rates > 0, rates, 1.0)
    solved = -np.expm1(tries * np.log1p(-np.where(rates < 1, rates, 0.0)))
    solved = np.where(rates < 1, solved, 1.0 if tries else 0.0)
    return np.where(rates > 0, solved / certain, float(tries))


def retry(p: ArrayLike, k: int, *, cost_per_try: float = 1.0, verifier: bool = True) -> Attempts:
    """A cheap agent that tries up to k times and stops when the verifier accepts.

    Without a verifier in deployment nobody can tell which try succeeded: then the first try is
    the answer, and more tries buy nothing.

    Args:
        p: success rate of each task, shape (M,).
        k: the most tries, at least 1.
        cost_per_try: cost of one try.
        verifier: whether a checker exists where the agent is deployed.

    Returns:
        Mean success ``1 - (1-p)^k``, mean tries, mean cost. Never ``1 - (1 - mean p)^k``: tasks
        that are hopeless stay so.
    """
    rates = probabilities("p", p)
    tries = whole("k", k, least=1) if verifier else 1
    price = positive("cost_per_try", cost_per_try, or_zero=True)
    mean_tries = float(np.mean(expected_tries(rates, tries)))
    return Attempts(
        success=float(np.mean(1 - (1 - rates) ** tries)),
        tries=mean_tries,
        cost=mean_tries * price,
    )


def warming_schedule(tries: int = 5, *, first: float = 0.0, last: float = 0.5) -> Floats:
    """Temperatures of the warming baseline: evenly spaced from ``first`` to ``last``.

    Args:
        tries: the number of tries, at least 1 (one try uses ``first``).
        first: temperature of the first try.
        last: temperature of the last try.

    Returns:
        Temperatures, shape (tries,); feed the success rates at them to
        :func:`stop_at_first_success`.
    """
    count = whole("tries", tries, least=1)
    low, high = positive("first", first, or_zero=True), positive("last", last, or_zero=True)
    return np.linspace(low, high, count)


def route(p: ArrayLike, cost: ArrayLike, *, choice: ArrayLike) -> Routed:
    """Accuracy and cost of a router that picks one agent a task from the task itself.

    Args:
        p: success rates, shape (M, A): task by agent.
        cost: mean cost of each agent on each task, shape (A,) or (M, A).
        choice: the agent chosen for each task, whole numbers below A, shape (M,).

    Returns:
        Means over tasks. A choice that knows the task may lie above every mixture of the agents.
    """
    rates = probabilities("p", p)
    if rates.ndim != 2:
        raise BadArgument(f"p has shape {rates.shape}; give (tasks, agents).")
    prices = _costs("cost", cost)
    if prices.shape not in {rates.shape, rates.shape[1:]}:
        raise BadArgument(
            f"cost has shape {prices.shape}; give {rates.shape[1:]} or {rates.shape}."
        )
    picks: NDArray[np.int64] = np.asarray(choice, dtype=np.int64)
    if picks.shape != rates.shape[:1] or picks.min() < 0 or picks.max() >= rates.shape[1]:
        raise BadArgument(
            f"choice must hold one agent from 0 to {rates.shape[1] - 1} for each of the "
            f"{rates.shape[0]} tasks; got shape {picks.shape} with values {picks.tolist()[:5]}."
        )
    rows = np.arange(rates.shape[0])
    spent = np.broadcast_to(prices, rates.shape)[rows, picks]
    return Routed(accuracy=float(rates[rows, picks].mean()), cost=float(spent.mean()))


def _costs(name: str, values: ArrayLike) -> Floats:
    array = np.atleast_1d(np.asarray(values, dtype=float))
    wrong = array[~(np.isfinite(array) & (array >= 0))]
    if array.size == 0 or wrong.size:
        shown = "nothing" if array.size == 0 else repr(float(wrong[0]))
        raise BadArgument(f"{name} holds {shown}; costs must be finite and zero or more.")
    return array
