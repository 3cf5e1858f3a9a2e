"""The only loop between agent and environment: one trial from a clean world to its grade."""

from __future__ import annotations

import hashlib
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

from tau_env.agents.base import Agent, is_insider
from tau_env.env import TauEnv
from tau_env.errors import BadArgument, ContextOverflow, Crash
from tau_env.schema import Budgets, EndReason, Grade, Task, Trial, Usage

Result = TypeVar("Result")

CRASHES = (Crash, ConnectionError, TimeoutError)
"""What an agent or user may raise when its infrastructure, not it, has failed."""


def trial_seed(study_seed: int, task: str, trial: int) -> int:
    """The seed of a trial: the first 8 bytes of the SHA-256 of study seed, task and trial.

    The top bit is dropped, so that a seed fits into the signed 64-bit integers of SQLite and of
    NumPy arrays. Agent and worker are left out: agents meet the same draws.
    """
    name = f"{study_seed}/{task}/{trial}".encode()
    return int.from_bytes(hashlib.sha256(name).digest()[:8], "big") >> 1


def make_agent(
    found: type[Any],
    task: Task,
    *,
    others: tuple[Task, ...] = (),
    settings: Mapping[str, Any] | None = None,
) -> Agent:
    """An agent of a class; insiders get the task, all others nothing of it.

    Args:
        found: the class, as from `registry.find_agent`.
        task: the task to come.
        others: the domain's tasks, for insiders that take something from them.
        settings: keyword arguments of the class.
    """
    more = dict(settings or {})
    if is_insider(found):
        insider: Agent = found(task, others=others, **more)
        return insider
    agent: Agent = found(**more)
    return agent


def run_trial(
    env: TauEnv,
    agent: Agent,
    task: Task,
    *,
    seed: int,
    trial: int = 0,
    name: str = "",
    max_tokens: int | None = None,
    max_seconds: float | None = None,
) -> Trial:
    """Run one trial.

    Args:
        env: an environment of the task's domain; it counts the steps.
        agent: the agent; an insider's own version of the task is played.
        task: the task.
        seed: the trial's own seed.
        trial: number of the attempt.
        name: the agent's name in the record; its class's when empty.
        max_tokens: tokens that the agent may spend, by its attribute ``usage`` (a `Usage`).
        max_seconds: seconds that the agent may take, without those of its attribute ``waited``
            (for a rate limit). What it was about to do when a budget ran out is not done.

    Returns:
        The trial, graded; or crashed, if agent or user raised `Crash`, ConnectionError or
        TimeoutError. An agent that raises `ContextOverflow` ends the trial with
        ``context_overflow``; any other exception of it is its own mistake: the trial ends with
        ``agent_error`` and is graded as it stands, the traceback is kept in ``error``.

    Raises:
        BadArgument: a token budget for an agent that tells no usage.
    """
    played: Task = getattr(agent, "task", task) if is_insider(agent) else task
    clock = _Clock(agent, max_seconds)
    status: Literal["graded", "crashed"] = "graded"
    error = ""
    grade: Grade | None = None
    try:
        observation, _ = env.reset(seed=seed, options={"task": played})
        clock.ask(agent.reset, env.briefing, seed)
        _check_tells_usage(agent, max_tokens)
        while grade is None:
            action = clock.ask(agent.act, observation)
            if max_tokens is not None and (_spent(agent) or 0) > max_tokens:
                raise _Over("max_tokens")
            observation, _, _, _, more = env.step(action)
            grade = more.get("grade")
    except CRASHES as crash:
        status, error = "crashed", f"{type(crash).__name__}: {crash}"
    except _Over as end:
        error = end.text
        grade = env.stop(end.reason)[1]["grade"]
    made = record_trial(env, agent, task, seed=seed, trial=trial, name=name)
    budgets = Budgets(max_steps=env.max_steps, max_tokens=max_tokens, max_seconds=max_seconds)
    more = {"status": status, "error": error, "grade": grade, "budgets": budgets}
    return made.model_copy(update=more)


def record_trial(
    env: TauEnv, agent: Agent, task: Task, *, seed: int, trial: int = 0, name: str = ""
) -> Trial:
    """What an environment holds of the trial that it plays or has played, without a verdict.

    Args:
        env: the environment.
        agent: the agent.
        task: the task as planned.
        seed: the trial's own seed.
        trial: number of the attempt.
        name: the agent's name in the record; its class's when empty.
    """
    return Trial(
        task=task.id,
        family=task.family,
        kind=task.kind,
        trial=trial,
        seed=seed,
        agent=name or type(agent).__name__,
        insider=is_insider(agent),
        user=env.user.name,
        style=getattr(env.user, "style", ""),
        end_reason=env.outcome.end_reason,
        steps=env.steps,
        transcript=env.transcript,
        outcome=env.outcome,
        digests=env.digests,
        domain=env.domain.name,
        twin=task.twin,
        split=task.split,
        usage={"agent": usage_of(agent), "user": usage_of(env.user)},
        served=_told({"agent": agent, "user": env.user}, "served"),
        warnings=_told({"agent": agent, "user": env.user}, "warnings"),
    )


def usage_of(party: object) -> Usage | None:
    """What an agent or user has spent since its reset, by its attribute ``usage``."""
    found = getattr(party, "usage", None)
    return found if isinstance(found, Usage) else None


def _told(parties: Mapping[str, object], name: str) -> dict[str, tuple[str, ...]]:
    """What agent and user tell by an attribute that is a tuple of texts, without empty ones."""
    told = {role: getattr(party, name, None) for role, party in parties.items()}
    return {role: texts for role, texts in told.items() if isinstance(texts, tuple) and texts}


def _spent(agent: Agent) -> int | None:
    usage = usage_of(agent)
    return None if usage is None else usage.tokens


def _check_tells_usage(agent: Agent, max_tokens: int | None) -> None:
    if max_tokens is not None and usage_of(agent) is None:
        raise BadArgument(
            f"max_tokens {max_tokens}: agent {type(agent).__name__} has no attribute 'usage' (a "
            "tau_env.schema.Usage), so no token can be counted; leave the budget out or add it"
        )


class _Over(Exception):
    """The agent has ended the trial other than by an action."""

    def __init__(self, reason: EndReason, text: str = "") -> None:
        super().__init__(reason)
        self.reason: EndReason = reason
        self.text = text


class _Clock:
    """Calls the agent, and only its own code is guarded: a fault of ours keeps its traceback."""

    def __init__(self, agent: Agent, seconds: float | None) -> None:
        self._agent = agent
        self._seconds = seconds
        self._used = 0.0

    def ask(self, method: Callable[..., Result], *arguments: Any) -> Result:
        """The agent's answer; `_Over` or a crash if there is none."""
        if self._seconds is None:
            return _guarded(method, *arguments)
        found: list[Result] = []
        failed: list[BaseException] = []

        def call() -> None:
            try:
                found.append(_guarded(method, *arguments))
            except (*CRASHES, _Over) as error:
                failed.append(error)

        started = time.monotonic()
        thread = threading.Thread(target=call, daemon=True, name="agent")
        thread.start()
        while thread.is_alive() and self._left(started) > 0:
            thread.join(self._left(started))
        # Read once: an answer that comes later is too late, however close.
        answered = not thread.is_alive()
        late = self._left(started) <= 0
        self._used += time.monotonic() - started
        if failed:
            raise failed[0]
        if late or not answered:
            raise _Over("max_seconds")
        return found[0]

    def _left(self, started: float) -> float:
        waited = float(getattr(self._agent, "waited", 0.0))
        return (self._seconds or 0.0) + waited - self._used - (time.monotonic() - started)


def _guarded(method: Callable[..., Result], *arguments: Any) -> Result:
    try:
        return method(*arguments)
    except CRASHES:
        raise
    except ContextOverflow as overflow:
        raise _Over("context_overflow", f"ContextOverflow: {overflow}") from None
    except (Exception, SystemExit):
        raise _Over("agent_error", traceback.format_exc(limit=-3)) from None
