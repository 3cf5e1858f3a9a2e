"""Agents of known skill: in every trial they succeed, or make one real mistake, as was planted.

They show whether the numbers that are reported are the numbers that are true. What they do is
played in real episodes; how well they do it is known beforehand, and no grader sees it.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from tau_env.actions import Action, Observation
from tau_env.agents.base import Agent, is_insider
from tau_env.agents.mistakes import MISTAKES, Ground, possible
from tau_env.agents.script import Script
from tau_env.errors import BadArgument, BadTask, Crash, UnknownName, nearest
from tau_env.registry import find_domain
from tau_env.schema import Briefing, Task

LATEST_CRASH = 2
"""The last action before which `Crashing` may crash; no conversation is shorter."""


@dataclass(frozen=True)
class Skill:
    """How likely an agent is to succeed at each task.

    Attributes:
        name: keeps the streams of two agents apart.
        mean: mean over tasks.
        concentration: a + b of the Beta law of tasks; small means tasks are easy or hopeless.
        seed: study seed; the chance of a task depends on it, on the name and on the task's id only.
        table: chances by task id, for tasks whose chance is given and not drawn.
    """

    name: str = "noisy"
    mean: float = 0.7
    concentration: float = 2.0
    seed: int = 0
    table: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not (0.0 < self.mean < 1.0 and self.concentration > 0.0):
            raise BadArgument(
                f"mean {self.mean} and concentration {self.concentration}: a mean between 0 and 1 "
                "and a concentration above 0; chances of exactly 0 or 1 go into a table"
            )
        wrong = [task for task, p in self.table.items() if not 0.0 <= p <= 1.0]
        if wrong:
            raise BadArgument(f"task {wrong[0]}: chance {self.table[wrong[0]]} is not in [0, 1]")

    def of(self, task: str) -> float:
        """The chance of success at a task, the same in each of its trials."""
        if task in self.table:
            return self.table[task]
        rng = random.Random(f"{self.seed}/{self.name}/skill/{task}")
        return rng.betavariate(
            self.mean * self.concentration, (1.0 - self.mean) * self.concentration
        )


class Noisy(Script):
    """Plays the reference with a planted chance, else one of the mistakes that the task offers.

    Attributes:
        skill: how likely it is to succeed at which task.
        p: the chance at this task.
        succeeds: whether the running trial was drawn a success.
        mistake: name of the mistake of the running trial; empty for a success.
    """

    def __init__(
        self,
        task: Task,
        *,
        others: Sequence[Task] = (),
        skill: Skill | Mapping[str, Any] | float | None = None,
        p: float | None = None,
        mistakes: Sequence[str] | None = None,
        salt: str = "",
    ) -> None:
        """Take the task and the chance.

        Args:
            task: the task to be played.
            others: tasks of the same domain, whose values and records may be mistaken.
            skill: the planted skill, its attributes as a mapping, or its mean over tasks alone;
                the default one when None.
            p: the chance of success; the skill's at this task when None.
            mistakes: names to draw from, all that the task offers when None.
            salt: changes the agent's own draws and nothing else, so that one customer (one trial
                seed) can be met several times.

        Raises:
            UnknownName: no mistake of that name.
            BadArgument: a skill out of its range, or with an attribute that there is not.
        """
        super().__init__(task, task.reference)
        self.skill = _skill(skill)
        self.p = self.skill.of(task.id) if p is None else p
        self.succeeds = True
        self.mistake = ""
        unknown = [name for name in mistakes or () if name not in MISTAKES]
        if unknown:
            raise UnknownName(f"no mistake {unknown[0]!r}.{nearest(unknown[0], MISTAKES)}")
        self._others = others
        self._names = mistakes
        self._salt = salt

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Draw the trial's fate.

        Raises:
            BadTask: a failure was drawn and the task offers no mistake.
        """
        stream = f"{seed}/{self.skill.name}{self._salt}"
        self.succeeds = random.Random(f"{stream}/success").random() < self.p
        self.mistake, self.steps = "", self.task.reference
        if not self.succeeds:
            self._go_wrong(briefing, stream)
        super().reset(briefing, seed)

    def _go_wrong(self, briefing: Briefing, stream: str) -> None:
        ground = Ground(self.task, find_domain(briefing.domain).spec, self._others)
        names = possible(ground) if self._names is None else self._names
        if not names:
            raise BadTask(f"task {self.task.id}: its reference offers no mistake to make")
        self.mistake = random.Random(f"{stream}/which").choice(names)
        steps = MISTAKES[self.mistake](ground, random.Random(f"{stream}/{self.mistake}"))
        if steps is None:
            raise BadTask(f"task {self.task.id} offers no mistake {self.mistake!r}")
        self.steps = steps


def _skill(given: Skill | Mapping[str, Any] | float | None) -> Skill:
    if isinstance(given, Skill):
        return given
    if isinstance(given, int | float):
        return Skill(mean=given)
    if given is not None and not isinstance(given, Mapping):
        raise BadArgument(f"skill {given!r}: a mean between 0 and 1, or attributes by name")
    attributes = dict(given or {})
    known = [one.name for one in fields(Skill)]
    unknown = [name for name in attributes if name not in known]
    if unknown:
        hint = nearest(unknown[0], known)
        raise BadArgument(f"skill has no {unknown[0]!r}.{hint} It has {', '.join(known)}")
    return Skill(**attributes)


class Crashing:
    """An agent whose infrastructure fails at a known rate, whatever the agent would have done.

    Attributes:
        planned: whether the running trial was drawn to crash.
    """

    def __init__(self, agent: Agent, *, rate: float, attempt: int = 0) -> None:
        """Wrap an agent.

        Args:
            agent: the agent; its own draws stay as they are.
            rate: chance that an attempt crashes.
            attempt: number of the attempt at the same trial, from 0; a rerun draws anew.
        """
        self.insider = is_insider(agent)
        if self.insider:
            self.task: Task = getattr(agent, "task")  # noqa: B009
        self.agent = agent
        self.planned = False
        self._rate = rate
        self._attempt = attempt

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Draw whether and when to crash.

        Raises:
            Crash: at once, where that was drawn.
        """
        rng = random.Random(f"{seed}/crash/{self._attempt}")
        self.planned = rng.random() < self._rate
        self._left = rng.randint(0, LATEST_CRASH)
        self.agent.reset(briefing, seed)
        self._maybe()

    def act(self, observation: Observation) -> Action:
        """What the agent does.

        Raises:
            Crash: where that was drawn.
        """
        self._maybe()
        return self.agent.act(observation)

    def _maybe(self) -> None:
        if self.planned and self._left == 0:
            raise Crash("planted crash: the line to the model went dead")
        self._left -= 1
