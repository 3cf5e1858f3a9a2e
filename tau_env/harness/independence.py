"""Whether the trials of a file are independent: seeds, drift over the trial number, copies.

pass^k assumes that the k trials of a task are separate draws. These are checks on that, not proofs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from tau_env.schema import Trial, digest

ALPHA = 0.01
"""Level of the drift test, over all agents of a file together."""
COPIES = 0.5
"""Share of tasks in which two trial numbers have the same transcript, above which they are copies.

Agents that always do the same and meet a fresh customer share up to 13% (see docs/harness.md).
"""
FEWEST = 5
"""Tasks below which nothing is said of copies."""


@dataclass(frozen=True)
class Finding:
    """One check of one agent.

    Attributes:
        check: ``seeds``, ``drift`` or ``copies``.
        agent: the agent.
        flagged: the trials cannot be taken as independent.
        detail: what was found, in a sentence.
    """

    check: Literal["seeds", "drift", "copies"]
    agent: str
    flagged: bool
    detail: str


@dataclass(frozen=True)
class Drift:
    """A trend of the pass rate over the trial number, within tasks.

    Attributes:
        slope: change of the pass rate a trial; NaN where no task has two graded trials.
        p_value: two-sided; NaN where no task both passed and failed.
        tasks: tasks that both passed and failed; only they can tell.
    """

    slope: float
    p_value: float
    tasks: int


def check_independence(trials: Iterable[Trial]) -> tuple[Finding, ...]:
    """All checks, for every agent.

    Args:
        trials: trials of any number of agents; crashed and ungraded ones count for seeds only.

    Returns:
        Three findings an agent, in the order seeds, drift, copies.
    """
    by_agent: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_agent[trial.agent].append(trial)
    found: list[Finding] = []
    for agent, own in by_agent.items():
        found += [
            check_seeds(own, agent),
            _check_drift(own, agent, level=ALPHA / len(by_agent)),
            check_copies(own, agent),
        ]
    return tuple(found)


def check_seeds(trials: Sequence[Trial], agent: str) -> Finding:
    """Whether every trial has a seed of its own, in its task and over tasks.

    Args:
        trials: trials of one agent.
        agent: its name, for the finding.
    """
    seeds: dict[str, list[int]] = defaultdict(list)
    for trial in trials:
        seeds[trial.task].append(trial.seed)
    alike = [task for task, own in seeds.items() if len(set(own)) < len(own)]
    if alike:
        detail = (
            f"{len(alike)} of {len(seeds)} tasks have trials with one seed, such as {alike[0]}: "
            "they repeat one draw, so pass^k sticks to pass^1"
        )
        return Finding("seeds", agent, True, detail)
    tasks_of = Counter(seed for own in seeds.values() for seed in own)
    if len(seeds) > 1 and all(count == len(seeds) for count in tasks_of.values()):
        detail = f"all {len(seeds)} tasks share the same {len(tasks_of)} seeds: seed each its own"
        return Finding("seeds", agent, True, detail)
    return Finding("seeds", agent, False, f"{len(tasks_of)} seeds for {len(trials)} trials")


def drift(trials: Iterable[Trial]) -> Drift:
    """Test the pass rate for a trend over the trial number, each task its own stratum.

    Args:
        trials: trials of one agent; ungraded ones are left out.

    Returns:
        Slope and p-value. Under the null all orders of a task's verdicts are equally likely; the
        sum of products of centred number and verdict is then about normal, with the permutation
        variance of each task.

    Source:
        Cochran 1954, Armitage 1955 (trend in proportions), stratified as by Mantel 1963.
    """
    tasks: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for trial in trials:
        if trial.passed is not None:
            tasks[trial.task].append((trial.trial, trial.passed))
    product = spread = variance = 0.0
    telling = 0
    for pairs in tasks.values():
        n = len(pairs)
        middle = sum(number for number, _ in pairs) / n
        rate = sum(passed for _, passed in pairs) / n
        squares = sum((number - middle) ** 2 for number, _ in pairs)
        product += sum((number - middle) * (passed - rate) for number, passed in pairs)
        spread += squares
        if 0 < rate < 1:
            telling += 1
            variance += squares * n * rate * (1 - rate) / (n - 1)
    slope = product / spread if spread else math.nan
    if not variance:
        return Drift(slope, math.nan, telling)
    return Drift(slope, math.erfc(abs(product) / math.sqrt(2 * variance)), telling)


def _check_drift(trials: Sequence[Trial], agent: str, *, level: float) -> Finding:
    found = drift(trials)
    if math.isnan(found.p_value):
        return Finding("drift", agent, False, "no task both passed and failed: nothing to test")
    detail = (
        f"the pass rate changes by {found.slope:+.3f} a trial (p = {found.p_value:.2g}, "
        f"{found.tasks} tasks that both passed and failed)"
    )
    return Finding("drift", agent, found.p_value < level, detail)


def check_copies(trials: Sequence[Trial], agent: str) -> Finding:
    """Whether two trial numbers have the same transcripts in most tasks.

    An agent that always acts alike is no copy as long as the customer is a fresh one: then few
    transcripts are equal.

    Args:
        trials: trials of one agent; ungraded ones are left out.
        agent: its name, for the finding.
    """
    seen: dict[str, dict[int, str]] = defaultdict(dict)
    for trial in trials:
        if trial.passed is not None:
            seen[trial.task][trial.trial] = digest(list(trial.transcript))
    both: Counter[tuple[int, int]] = Counter()
    equal: Counter[tuple[int, int]] = Counter()
    for own in seen.values():
        for a, b in combinations(sorted(own), 2):
            both[a, b] += 1
            equal[a, b] += own[a] == own[b]
    shares = {pair: equal[pair] / count for pair, count in both.items() if count >= FEWEST}
    if not shares:
        return Finding("copies", agent, False, f"fewer than {FEWEST} tasks with two trials")
    (a, b), most = max(shares.items(), key=lambda item: item[1])
    detail = f"trials {a} and {b} have the same transcript in {most:.0%} of tasks, the most alike"
    return Finding("copies", agent, most > COPIES, detail)
