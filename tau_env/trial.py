"""The only loop between agent and environment: one trial from a clean world to its grade."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable
from typing import Any, TypeVar

from tau_env.agents.base import Agent, is_insider
from tau_env.env import TauEnv
from tau_env.errors import Crash
from tau_env.schema import Grade, Task, Trial

Result = TypeVar("Result")

CRASHES = (Crash, ConnectionError, TimeoutError)
"""What an agent may raise when its infrastructure, not it, has failed."""


def trial_seed(study_seed: int, task: str, trial: int) -> int:
    """The seed of a trial: the first 8 bytes of the SHA-256 of study seed, task and trial.

    The top bit is dropped, so that a seed fits into the signed 64-bit integers of SQLite and of
    NumPy arrays. Agent and worker are left out: agents meet the same draws.
    """
    name = f"{study_seed}/{task}/{trial}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1


def make_agent(found: type[Any], task: Task, *, others: tuple[Task, ...] = ()) -> Agent:
    """An agent of a class; insiders get the task, all others nothing.

    Args:
        found: the class, as from `registry.find_agent`.
        task: the task to come.
        others: the domain's tasks, for insiders that take something from them.
    """
    agent: Agent = found(task, others=others) if is_insider(found) else found()
    return agent


def run_trial(
    env: TauEnv,
    agent: Agent,
    task: Task,
    *,
    seed: int,
    trial: int = 0,
    name: str = "",
) -> Trial:
    """Run one trial.

    Args:
        env: an environment of the task's domain.
        agent: the agent; an insider's own version of the task is played.
        task: the task.
        seed: the trial's own seed.
        trial: number of the attempt.
        name: the agent's name in the record; its class's when empty.

    Returns:
        The trial, graded; or crashed, if the agent raised `Crash`, ConnectionError or TimeoutError.
        Any other exception of the agent is its own mistake: the trial ends with ``agent_error``
        and is graded as it stands, the traceback is kept in ``error``.
    """
    played: Task = getattr(agent, "task", task) if is_insider(agent) else task
    observation, info = env.reset(seed=seed, options={"task": played})
    status, error = "graded", ""
    grade: Grade | None = None
    try:
        _guarded(agent.reset, env.briefing, seed)
        while grade is None:
            action = _guarded(agent.act, observation)
            observation, _, _, _, more = env.step(action)
            grade = more.get("grade")
    except CRASHES as crash:
        status, error = "crashed", f"{type(crash).__name__}: {crash}"
    except _AgentError as mistake:
        error = str(mistake)
        grade = env.stop("agent_error")[1]["grade"]
    return Trial.model_validate(
        {
            "task": task.id,
            "family": task.family,
            "kind": task.kind,
            "trial": trial,
            "seed": seed,
            "agent": name or type(agent).__name__,
            "insider": is_insider(agent),
            "user": env.user.name,
            "style": getattr(env.user, "style", ""),
            "status": status,
            "end_reason": env.outcome.end_reason,
            "steps": env.steps,
            "transcript": env.transcript,
            "outcome": env.outcome,
            "grade": grade,
            "error": error,
            "digests": info["digests"],
        }
    )


class _AgentError(Exception):
    """An agent raised something that is no crash; the text is its traceback."""


def _guarded(method: Callable[..., Result], *arguments: Any) -> Result:
    """Call the agent; only its own code is guarded, so a fault of ours keeps its traceback."""
    try:
        return method(*arguments)
    except CRASHES:
        raise
    except Exception:
        raise _AgentError(traceback.format_exc(limit=-3)) from None
