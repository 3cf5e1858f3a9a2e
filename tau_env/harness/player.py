"""Plays one slot of a study, whatever goes wrong in it. Reruns are the driver's business."""

from __future__ import annotations

import sqlite3
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tau_env import content
from tau_env.actions import Action, Observation
from tau_env.agents.base import Agent, is_insider
from tau_env.env import TauEnv
from tau_env.errors import TauEnvError, UserFault, UserMistake
from tau_env.harness.study import AgentPlan, Slot, Study
from tau_env.registry import find_agent, find_user
from tau_env.schema import Briefing, EndReason, Task, Trial
from tau_env.trial import make_agent, record_trial, run_trial, trial_seed
from tau_env.users.base import User


@dataclass(frozen=True)
class Played:
    """What became of one attempt at a slot.

    Attributes:
        slot: the place.
        trial: the trial.
        played: the task as an insider played it, None where it is the planned one.
    """

    slot: Slot
    trial: Trial
    played: Task | None = None


class Player:
    """One worker's environment; it is used by one thread at a time."""

    def __init__(self, study: Study, tasks: Sequence[Task], *, worker: str = "main") -> None:
        """Take the plan; the environment is made with the first trial.

        Args:
            study: the plan.
            tasks: its tasks in full.
            worker: the name in the records.
        """
        self._study = study
        self._tasks = {task.id: task for task in tasks}
        self._others = tuple(content.tasks(study.domain).values())
        self._classes = {one.name: find_agent(one.source) for one in study.agents}
        self._user = find_user(study.user)
        self._worker = worker
        self._env: TauEnv | None = None

    def add(self, task: Task) -> None:
        """Take one more task of the plan."""
        self._tasks[task.id] = task

    def play(self, slot: Slot) -> Played:
        """Play a slot once: a fresh agent, a fresh user, a clean world.

        Returns:
            The trial: graded, crashed, or, if a grader, the user or the environment failed,
            ungraded with the reason.

        Raises:
            UserMistake: the plan cannot be carried out.
        """
        plan, task = self._study.agent(slot.agent), self._tasks[slot.task]
        seed = trial_seed(self._study.seed, task.id, slot.trial)
        budgets = self._study.budgets
        started = time.perf_counter()
        env = self._ready()
        agent = self._agent(plan, task)
        try:
            trial = run_trial(
                env,
                agent,
                task,
                seed=seed,
                trial=slot.trial,
                name=slot.agent,
                max_tokens=budgets.max_tokens,
                max_seconds=budgets.max_seconds,
            )
        except UserMistake:
            raise
        except Exception as fault:
            # One trial's fault must not take the others with it; it is kept with its traceback.
            trial = self._ungraded(env, agent, task, seed=seed, slot=slot, fault=fault)
        own = getattr(agent, "task", task) if is_insider(agent) else task
        return self._complete(slot, plan, trial, seconds=time.perf_counter() - started, own=own)

    def stopped(self, slot: Slot, reason: EndReason) -> Played:
        """The record of a trial whose worker had to be stopped before it could tell anything."""
        plan, task = self._study.agent(slot.agent), self._tasks[slot.task]
        seed = trial_seed(self._study.seed, task.id, slot.trial)
        env = self._ready()
        agent = self._agent(plan, task)
        own: Task = getattr(agent, "task", task) if is_insider(agent) else task
        env.reset(seed=seed, options={"task": own})
        grade = env.stop(reason)[1]["grade"]
        trial = record_trial(env, agent, task, seed=seed, trial=slot.trial, name=slot.agent)
        error = "the agent did not let go of its worker, which was stopped; what it did is not kept"
        more = {"grade": grade, "error": error, "budgets": self._study.budgets}
        return self._complete(slot, plan, trial.model_copy(update=more), seconds=None, own=own)

    def lost(self, slot: Slot, reason: str) -> Played:
        """The record of an attempt whose worker died."""
        plan, task = self._study.agent(slot.agent), self._tasks[slot.task]
        trial = self._bare(slot, task).model_copy(
            update={"status": "crashed", "error": reason, "budgets": self._study.budgets}
        )
        return self._complete(slot, plan, trial, seconds=None, own=task)

    def close(self) -> None:
        """Close the environment."""
        if self._env is not None:
            self._env.close()
            self._env = None

    def _ready(self) -> TauEnv:
        user: User = self._user(**self._study.user_settings)
        if self._env is None:
            self._env = TauEnv(
                self._study.domain,
                tasks=list(self._tasks.values()),
                max_steps=self._study.budgets.max_steps,
                user=user,
            )
        self._env.user = user
        return self._env

    def _agent(self, plan: AgentPlan, task: Task) -> Agent:
        found = self._classes[plan.name]
        try:
            return make_agent(found, task, others=self._others, settings=plan.settings)
        except Exception as error:
            # Told at the first call, where `run_trial` knows crashes from mistakes.
            return _Unmade(error)

    def _complete(
        self, slot: Slot, plan: AgentPlan, trial: Trial, *, seconds: float | None, own: Task
    ) -> Played:
        digests = {
            **trial.digests,
            "graders": self._study.digests["graders"],
            "user": self._study.digests["user"],
            "agent": plan.code,
        }
        more: dict[str, Any] = {
            "insider": plan.insider,
            "scaffold": plan.scaffold,
            "settings": plan.settings,
            "user_settings": self._study.user_settings,
            "digests": digests,
            "seconds": seconds,
            "worker": self._worker,
        }
        changed = own is not self._tasks[slot.task]
        return Played(slot, trial.model_copy(update=more), own if changed else None)

    def _ungraded(
        self, env: TauEnv, agent: Agent, task: Task, *, seed: int, slot: Slot, fault: Exception
    ) -> Trial:
        try:
            made = record_trial(env, agent, task, seed=seed, trial=slot.trial, name=slot.agent)
        except (TauEnvError, sqlite3.Error, AttributeError):
            # The environment itself is broken, so the record holds what is known without it.
            made = self._bare(slot, task)
        error = f"{culprit(fault, env.user)}: {type(fault).__name__}: {fault}"
        if not isinstance(fault, UserFault):
            # Its message says all: where in our code it was found helps nobody.
            error += "\n" + "".join(traceback.format_exception(fault))
        self.close()
        return made.model_copy(
            update={"status": "ungraded", "error": error, "budgets": self._study.budgets}
        )

    def _bare(self, slot: Slot, task: Task) -> Trial:
        return Trial(
            task=task.id,
            family=task.family,
            kind=task.kind,
            trial=slot.trial,
            seed=trial_seed(self._study.seed, task.id, slot.trial),
            agent=slot.agent,
            user=self._study.user,
            domain=self._study.domain,
            twin=task.twin,
            split=task.split,
            digests={key: self._study.digests[key] for key in ("version", "world", "policy")},
        )


class _Unmade:
    """Stands for an agent whose class could not be called."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def reset(self, briefing: Briefing, seed: int) -> None:
        raise self._error

    def act(self, observation: Observation) -> Action:
        raise self._error


def culprit(fault: Exception, user: User) -> str:
    """Who failed: ``grader``, ``user`` or ``environment``, by the frames of the traceback."""
    places = [
        (str(frame.f_globals.get("__name__")), frame.f_code.co_name)
        for frame, _ in traceback.walk_tb(fault.__traceback__)
    ]
    if ("tau_env.env", "grade") in places:
        return "grader"
    if any(module == type(user).__module__ for module, _ in places):
        return "user"
    return "environment"
