"""Trials of any asynchronous function, so many at once; and a study's trials as such a function."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tau_env.errors import BadArgument, Crash
from tau_env.harness.player import Player
from tau_env.harness.study import Slot, Study
from tau_env.schema import Task, Trial
from tau_env.trial import CRASHES

TrialFunction = Callable[[str, int], Awaitable[bool]]


@dataclass(frozen=True)
class Missing:
    """A trial without a verdict: its task, its number, and what happened."""

    task: str
    trial: int
    error: str


class TrialResults(dict[str, list[bool]]):
    """Verdicts by task, in the order of the trials, as `summarize` takes them.

    Attributes:
        crashes: trials that died of infrastructure; they are missing from the lists.
        errors: trials that raised anything else; they stand in the lists as failed.
    """

    def __init__(self, tasks: Iterable[str]) -> None:
        """Start with an empty list for each task."""
        super().__init__((task, []) for task in tasks)
        self.crashes: list[Missing] = []
        self.errors: list[Missing] = []


async def run_trials(
    tasks: Sequence[str], trial: TrialFunction, n: int = 8, concurrency: int = 8
) -> TrialResults:
    """Run n trials of every task, at most `concurrency` of them at once.

    Args:
        tasks: names, each once.
        trial: called as ``trial(task, seed)``; the seed is the trial's number, from 0. Every call
            builds a fresh agent, world and customer.
        n: trials a task.
        concurrency: trials at once.

    Returns:
        Task -> verdicts in order. A crash (`Crash`, ConnectionError, TimeoutError) is kept apart
        and its verdict is missing; any other exception is a failed trial; neither loses others.

    Raises:
        BadArgument: a task named twice, or a number below 1.
    """
    if n < 1 or concurrency < 1:
        raise BadArgument(f"n {n}, concurrency {concurrency}: at least 1")
    if len(set(tasks)) < len(tasks):
        raise BadArgument(f"{len(tasks)} tasks of {len(set(tasks))} names: name each once")
    free = asyncio.Semaphore(concurrency)
    results = TrialResults(tasks)

    async def one(task: str, number: int) -> bool | None:
        async with free:
            try:
                return bool(await trial(task, number))
            except CRASHES as crash:
                results.crashes.append(Missing(task, number, f"{type(crash).__name__}: {crash}"))
                return None
            except Exception:
                # The trial's own mistake; the others go on.
                text = traceback.format_exc(limit=-3)
                results.errors.append(Missing(task, number, text))
                return False

    jobs = [(task, number) for task in tasks for number in range(n)]
    verdicts = await asyncio.gather(*(one(task, number) for task, number in jobs))
    for (task, _), passed in zip(jobs, verdicts, strict=True):
        if passed is not None:
            results[task].append(passed)
    results.crashes.sort(key=lambda one: (list(tasks).index(one.task), one.trial))
    results.errors.sort(key=lambda one: (list(tasks).index(one.task), one.trial))
    return results


@dataclass
class StudyTrials:
    """A study's trials as an asynchronous function for `run_trials`.

    Attributes:
        study: the plan.
        tasks: its tasks in full.
        agent: which of its agents.
        trials: every trial that was played, in the order in which they ended.
    """

    study: Study
    tasks: Sequence[Task]
    agent: str
    trials: list[Trial] = field(default_factory=list)
    _free: list[Player] = field(default_factory=list)

    async def __call__(self, task: str, seed: int) -> bool:
        """Play trial number `seed` of a task.

        Raises:
            Crash: the trial crashed, or could not be graded.
        """
        player = self._free.pop() if self._free else Player(self.study, self.tasks)
        try:
            played = await asyncio.to_thread(player.play, Slot(self.agent, task, seed))
        finally:
            self._free.append(player)
        self.trials.append(played.trial)
        if played.trial.passed is None:
            raise Crash(f"{played.trial.status}: {played.trial.error.splitlines()[0]}")
        return played.trial.passed

    def close(self) -> None:
        """Close the environments."""
        while self._free:
            self._free.pop().close()
