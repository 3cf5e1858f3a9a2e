"""Real episodes of agents whose skill is known: the outcomes, beside what was planted.

Here the episodes are played, in processes. What the outcomes say beside the truth is worked out in
:mod:`tau_env.harness.truth_rows`. The planted chances are kept with the outcomes, never in a trial.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tau_env import content
from tau_env.agents.base import Agent
from tau_env.agents.mistakes import Ground, possible
from tau_env.agents.noisy import Crashing, Noisy, Skill
from tau_env.env import TauEnv
from tau_env.harness.baselines import verdicts
from tau_env.registry import find_domain
from tau_env.schema import DomainSpec, Task, Trial
from tau_env.trial import run_trial, trial_seed
from tau_env.users.wording import STYLES

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

WEAK = ("claim", "goal_fields")
"""The weak graders whose verdicts are kept."""

CHUNK = 16
"""Tasks that a process plays before it reports."""


@dataclass(frozen=True)
class Setting:
    """One agent in one study, and what is done to its trials.

    Attributes:
        skill: the agent.
        seed: study seed, from which every trial's own seed follows.
        trials: trials a task.
        users: ``fresh``, a customer for every trial; ``same``, one customer for all trials of a
            task and an agent that draws anew; ``copies``, one seed for everything.
        manner: how much the customer's manner of speaking matters: the chances of success of the
            easiest and the hardest manner lie this far from the middle, on the logit scale.
        crash_rate: chance that an attempt crashes.
        rerun: what is rerun: crashes, as is right, or whatever did not pass, which is the trap.
        reruns: how often.
    """

    skill: Skill
    seed: int
    trials: int = 8
    users: Literal["fresh", "same", "copies"] = "fresh"
    manner: float = 0.0
    crash_rate: float = 0.0
    rerun: Literal["crashes", "failures"] = "crashes"
    reruns: int = 0


class Slot(NamedTuple):
    """What became of one trial of a task; of its last attempt, where it had several.

    Attributes:
        task: position of the task.
        trial: number of the trial.
        p: the chance of success that was planted for it.
        planned: whether a success was drawn.
        passed: what the full grader says; False for a crash.
        crashed: whether no attempt was left.
        attempts: attempts made.
        crashes: attempts that crashed.
        claim: what the claim grader says.
        goal_fields: what the goal-fields grader says.
        mistake: the mistake made; empty for a success.
    """

    task: int
    trial: int
    p: float
    planned: bool
    passed: bool
    crashed: bool
    attempts: int
    crashes: int
    claim: bool
    goal_fields: bool
    mistake: str


@dataclass(frozen=True)
class Played:
    """Outcomes of one setting, arrays of shape (M, n), beside what was planted.

    Attributes:
        setting: what was played.
        tasks: ids of the M tasks.
        families: family of each.
        writes: whether its right outcome changes anything, shape (M,).
        chances: planted chance of each task before any effect of manner, shape (M,).
        p: planted chance of each trial.
        planned: success drawn.
        passed: verdict of the full grader.
        crashed: trial without a valid attempt.
        attempts: attempts made.
        crashes: attempts that crashed.
        weak: verdicts of the weak graders, by name.
        mistakes: mistakes made, by name.
    """

    setting: Setting
    tasks: tuple[str, ...]
    families: tuple[str, ...]
    writes: Flags
    chances: Floats
    p: Floats
    planned: Flags
    passed: Flags
    crashed: Flags
    attempts: NDArray[np.int64]
    crashes: NDArray[np.int64]
    weak: dict[str, Flags]
    mistakes: dict[str, int]

    @property
    def episodes(self) -> int:
        """Real episodes played, crashed ones among them."""
        return int(self.attempts.sum())

    @property
    def disagreements(self) -> int:
        """Valid trials whose grade is not the planted draw."""
        return int(np.sum((self.passed != self.planned) & ~self.crashed))


def play(
    domain: str,
    settings: Sequence[Setting],
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    told: Callable[[int, int], None] = lambda episodes, planned: None,
) -> list[Played]:
    """Play real episodes of agents of known skill.

    Args:
        domain: the domain's name.
        settings: what to play.
        tasks: released tasks, each in every setting.
        workers: processes; 1 plays in this one. The outcomes do not depend on it.
        told: told episodes played and trials planned, after every chunk.

    Returns:
        Outcomes, one for each setting, in their order.
    """
    ids = [task.id for task in tasks]
    jobs = [
        (number, start) for number in range(len(settings)) for start in range(0, len(ids), CHUNK)
    ]
    planned = sum(setting.trials for setting in settings) * len(ids)
    found: dict[int, list[Slot]] = {number: [] for number in range(len(settings))}
    made = 0
    for number, slots in _results(domain, settings, ids, jobs, workers):
        found[number] += slots
        made += sum(slot.attempts for slot in slots)
        told(made, planned)
    return [_gathered(setting, tasks, found[n]) for n, setting in enumerate(settings)]


def _results(
    domain: str,
    settings: Sequence[Setting],
    ids: Sequence[str],
    jobs: Sequence[tuple[int, int]],
    workers: int,
) -> Iterator[tuple[int, list[Slot]]]:
    if workers <= 1:
        for number, start in jobs:
            yield number, _chunk(domain, settings[number], ids, start)
        return
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=fresh) as pool:
        waiting = {
            pool.submit(_chunk, domain, settings[number], ids, start): number
            for number, start in jobs
        }
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def _chunk(domain: str, setting: Setting, ids: Sequence[str], start: int) -> list[Slot]:
    """Every trial of one setting at some tasks; run in a process of its own."""
    released = content.tasks(domain)
    others = tuple(released.values())
    spec = find_domain(domain).spec
    slots: list[Slot] = []
    with closing(TauEnv(domain, tasks=others)) as env:
        for place in range(start, min(start + CHUNK, len(ids))):
            task = released[ids[place]]
            names = possible(Ground(task, spec, others))
            table = _Table(env, spec, task, others, names, setting)
            slots += [table.slot(place, number) for number in range(setting.trials)]
    return slots


@dataclass(frozen=True)
class _Table:
    """One task in one setting, ready to be played."""

    env: TauEnv
    spec: DomainSpec
    task: Task
    others: tuple[Task, ...]
    names: tuple[str, ...]
    setting: Setting

    def slot(self, place: int, number: int) -> Slot:
        """Play one trial, with its reruns."""
        crashes = 0
        for attempt in range(self.setting.reruns + 1):
            agent, trial, verdict = self._attempt(number, attempt)
            crashes += trial.status == "crashed"
            done = trial.status != "crashed"
            if self.setting.rerun == "failures":
                done = verdict["full"]
            if done:
                break
        return Slot(
            task=place,
            trial=number,
            p=agent.p,
            planned=agent.succeeds,
            passed=verdict["full"],
            crashed=trial.status == "crashed",
            attempts=attempt + 1,
            crashes=crashes,
            claim=verdict["claim"],
            goal_fields=verdict["goal_fields"],
            mistake=agent.mistake,
        )

    def _attempt(self, number: int, attempt: int) -> tuple[Noisy, Trial, dict[str, bool]]:
        setting = self.setting
        again = attempt if setting.rerun == "failures" else 0
        own = number + again * setting.trials if setting.users == "fresh" else 0
        seed = trial_seed(setting.seed, self.task.id, own)
        task, p = self.task, setting.skill.of(self.task.id)
        if setting.manner:
            style = random.Random(f"{seed}/manner").choice(STYLES)
            p = shifted(p, setting.manner)[STYLES.index(style)]
            scenario = task.scenario.model_copy(update={"style": style})
            task = task.model_copy(update={"scenario": scenario})
        noisy = Noisy(
            task,
            others=self.others,
            skill=setting.skill,
            p=p,
            mistakes=self.names,
            salt=f"/{number}" if setting.users == "same" else "",
        )
        agent: Agent = noisy
        if setting.crash_rate:
            agent = Crashing(noisy, rate=setting.crash_rate, attempt=attempt)
        trial = run_trial(self.env, agent, self.task, seed=seed, trial=number)
        return noisy, trial, verdicts(trial, self.task, self.spec)


def shifted(p: float, manner: float) -> list[float]:
    """The chance of success with a customer of each manner, in the order of `STYLES`.

    Args:
        p: the chance with a customer of middling manner.
        manner: distance of the extremes from the middle, on the logit scale.
    """
    # expit(logit(p) + shift), written so that chances of 0 and 1 stay what they are
    odds = np.exp(np.linspace(-manner, manner, len(STYLES)))
    return [float(one) for one in p * odds / (1 - p + p * odds)]


def _gathered(setting: Setting, tasks: Sequence[Task], slots: Sequence[Slot]) -> Played:
    ordered = sorted(slots, key=lambda slot: (slot.task, slot.trial))
    columns = dict(zip(Slot._fields, zip(*ordered, strict=True), strict=True))

    def grid(name: str, kind: type) -> NDArray[Any]:
        return np.array(columns[name], dtype=kind).reshape(len(tasks), setting.trials)

    made = [name for name in columns["mistake"] if name]
    return Played(
        setting=setting,
        tasks=tuple(task.id for task in tasks),
        families=tuple(task.family for task in tasks),
        writes=np.array([any(task.goals) for task in tasks], dtype=bool),
        chances=np.array([setting.skill.of(task.id) for task in tasks]),
        p=grid("p", float),
        planned=grid("planned", bool),
        passed=grid("passed", bool),
        crashed=grid("crashed", bool),
        attempts=grid("attempts", int),
        crashes=grid("crashes", int),
        weak={name: grid(name, bool) for name in WEAK},
        mistakes={name: made.count(name) for name in sorted(set(made))},
    )
