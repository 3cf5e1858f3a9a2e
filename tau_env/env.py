"""The Gymnasium environment: it composes world, user and graders, and decides nothing else."""

from __future__ import annotations

import marshal
import operator
import random
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, SupportsFloat, get_args

import gymnasium

from tau_env import content
from tau_env.actions import Action, Observation, check_action
from tau_env.errors import BadArgument, EpisodeNotStarted, EpisodeOver
from tau_env.graders.full import grade_full
from tau_env.registry import find_domain, find_user
from tau_env.schema import (
    Briefing,
    DomainSpec,
    EndReason,
    Grade,
    Outcome,
    Task,
    Transcript,
    Turn,
    digest,
)
from tau_env.spaces import ActionSpace, ObservationSpace
from tau_env.users.base import User
from tau_env.world.database import World

MAX_STEPS = 30
_METADATA: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
_HINT = 'send {"type": "say", "text": ...}, {"type": "call", "name": ..., "arguments": ...} or '
_HINT += '{"type": "end"}'


class TauEnv(gymnasium.Env[Observation, Action]):
    """An agent serves one customer of a company.

    ## Action space
    `{"type": "say", "text"}`, `{"type": "call", "name", "arguments"}` (arguments an object or its
    JSON text) or `{"type": "end"}`; see `tau_env.say`, `tau_env.call`, `tau_env.end`. Anything else
    is answered with an error text, costs a step and changes nothing.

    ## Observation space
    `{"source": "customer" | "tool" | "system", "text"}`: what came back.

    ## Starting state
    `reset` draws a task from the seed, or takes `options={"task": id or Task}`. The observation is
    the customer's first line; `info` has `policy`, `tools`, `seed`, `digests` and `task`.

    ## Rewards
    0 until the end, then 1 if every part of the full grader passes, else 0. At the end
    `info["grade"]` is the grade with its evidence and `info["end_reason"]` says why it ended.

    ## Episode end
    Terminated: the customer left, the agent ended, or a transfer to a human. Truncated: the step
    budget, or `stop(reason)`.

    ## Arguments
    `gymnasium.make("tau_env/retail-v1", tasks=None, split=None, max_steps=30, user="scripted",
    scale=1)`. Vector environments: `AsyncVectorEnv` needs `shared_memory=False`, because texts of
    any length do not fit into shared arrays.

    ## Version history
    The number rises when a change can alter a grade.
    """

    metadata = _METADATA

    def __init__(
        self,
        domain: str,
        *,
        tasks: Iterable[str | Task] | None = None,
        split: str | None = None,
        max_steps: int = MAX_STEPS,
        user: str | User = "scripted",
        scale: int = 1,
        render_mode: str | None = None,
    ) -> None:
        """Make an environment; the world is built at once.

        Args:
            domain: the domain's name.
            tasks: ids or tasks to draw from; all released ones when None.
            split: only tasks of ``train`` or ``test``.
            max_steps: steps after which the episode is truncated.
            user: name of a user, or one.
            scale: size of the company, 1 to 100.
            render_mode: None or ``ansi``.

        Raises:
            UnknownName: no such domain, task or user.
            BadArgument: no tasks are left, or a number is out of range.
        """
        if not isinstance(max_steps, int) or max_steps < 1:
            raise BadArgument(f"max_steps {max_steps!r}: a whole number, at least 1")
        if isinstance(tasks, str | Task):
            raise BadArgument(f"tasks is a list of ids or tasks, so write tasks=[{tasks!r:.60}]")
        if render_mode not in (None, "ansi"):
            raise BadArgument(f"render_mode {render_mode!r}: None or 'ansi'")
        listed = None if tasks is None else list(tasks)
        self._settings: dict[str, Any] = {"domain": domain, "tasks": listed, "split": split}
        self._settings |= {"max_steps": max_steps, "user": user, "scale": scale}
        self._settings["render_mode"] = render_mode
        self.render_mode = render_mode
        self.domain = find_domain(domain)
        self.domain_spec: DomainSpec = self.domain.spec
        self.max_steps = max_steps
        self._tasks = self._choose(listed, split)
        self._snapshot = self.domain.snapshot(scale=scale)
        self._world = World(self._snapshot, now=self.domain.now)
        self.user: User = find_user(user)() if isinstance(user, str) else user
        self.action_space = ActionSpace(list(self.domain.toolbox.tools))
        self.observation_space = ObservationSpace()
        schemas = [spec.chat_schema() for spec in self.domain_spec.tools.values()]
        # Whoever gets schemas may change them: every episode has its own, by the fastest copy.
        self._schemas = marshal.dumps(schemas)
        self._tools: list[dict[str, Any]] = marshal.loads(self._schemas)
        self._digests = {**self.domain.digests, "world": self._snapshot.digest}
        self._digests["version"] = version("tau-env")
        self._task_digests: dict[int, tuple[Task, str]] = {}
        self._kept: Outcome | None = None
        self._clear()

    def _clear(self) -> None:
        """Forget the episode."""
        self._task: Task | None = None
        self._turns: list[Turn] = []
        self._steps = 0
        self._over = False
        self._end_reason: EndReason | None = None

    def _choose(self, tasks: list[str | Task] | None, split: str | None) -> dict[str, Task]:
        if tasks is None:
            chosen = dict(content.tasks(self.domain.name))
        else:
            chosen = {task.id: task for task in map(self._find, tasks)}
        if split is not None:
            chosen = {name: task for name, task in chosen.items() if task.split == split}
        if not chosen:
            raise BadArgument(f"no tasks left (split {split!r}): name tasks, or 'train' or 'test'")
        return chosen

    def _find(self, task: str | Task) -> Task:
        if isinstance(task, Task):
            return task
        if not isinstance(task, str):
            raise BadArgument(f"task {task!r:.80}: an id or a Task, not a {type(task).__name__}")
        return content.find_task(self.domain.name, task)

    # An environment pickles by its settings, so an async vector environment can send it.
    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self._settings,)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode from a clean world.

        Args:
            seed: of the episode, 0 to 2**63 - 1; None goes on in the environment's own stream.
            options: ``{"task": id or Task}``; another key is refused.

        Returns:
            The customer's first line, and the info described at the class.

        Raises:
            UnknownName: no such task.
            BadArgument: an unknown option or a seed out of range.
        """
        self._check_open()
        if not isinstance(options, dict | None):
            raise BadArgument(f"reset options {options!r:.80}: a dict such as {{'task': 'ID'}}")
        unknown = sorted(map(str, set(options or {}) - {"task"}))
        if unknown:
            raise BadArgument(f"unknown reset option {unknown[0]!r}; the only one is 'task'")
        named = (options or {}).get("task")
        found = None if named is None else self._find(named)
        super().reset(seed=None if seed is None else _checked_seed(seed))
        self._seed = int(self.np_random.integers(0, 2**63)) if seed is None else int(seed)
        if found is None:
            names = list(self._tasks)
            found = self._tasks[random.Random(f"{self._seed}/task").choice(names)]
        self._clear()
        self._world.begin(found.setup)
        # A customer that fails before its first line leaves an episode that can be recorded.
        self._task, self._over = found, True
        opening = self.user.reset(found.scenario, self.domain_spec.lexicon, self._seed)
        self._turns.append(Turn(who="customer", text=opening.text))
        self._tools = marshal.loads(self._schemas)
        self._over = False
        info = {
            "policy": self.domain.policy,
            "tools": self._tools,
            "seed": self._seed,
            "digests": self.digests,
            "task": found.id,
        }
        return {"source": "customer", "text": opening.text}, info

    def _check_open(self) -> None:
        if self._kept is not None:
            raise EpisodeOver("the environment was closed: make a new one")

    def step(self, action: Action) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Do one thing.

        Args:
            action: see the class.

        Returns:
            Observation, reward, terminated, truncated, info; at the end the info has `grade` and
            `end_reason`, else it is empty.

        Raises:
            EpisodeNotStarted: before the first reset.
            EpisodeOver: after the end, or after `close`.
        """
        self._check_open()
        if self._task is None:
            raise EpisodeNotStarted("step before reset: call reset(seed=...) first")
        if self._over:
            why = self._end_reason or "the customer never began"
            raise EpisodeOver(f"the episode is over ({why}): call reset() first")
        self._steps += 1
        observation = self._act(action)
        truncated = False
        if self._end_reason is None and self._steps >= self.max_steps:
            self._end_reason = "max_steps"
            truncated = True
        if self._end_reason is None:
            return observation, 0.0, False, False, {}
        reward, info = self._finish()
        return observation, reward, not truncated, truncated, info

    def stop(self, reason: EndReason) -> tuple[float, dict[str, Any]]:
        """Truncate the running episode for a budget that the caller counts.

        Args:
            reason: why, one of the closed list of end reasons.

        Returns:
            Reward and info as `step` would at the end; of an episode that is over already, the
            same as then.

        Raises:
            EpisodeNotStarted: before the first reset.
            EpisodeOver: the environment was closed in mid-episode.
            BadArgument: a reason that is not on the list.
        """
        if self._task is None:
            raise EpisodeNotStarted("stop before reset: call reset(seed=...) first")
        if reason not in get_args(EndReason):
            known = ", ".join(get_args(EndReason))
            raise BadArgument(f"end reason {reason!r:.80}: choose one of {known}")
        if not self._over:
            self._check_open()
            self._end_reason = reason
        return self._finish()

    def _finish(self) -> tuple[float, dict[str, Any]]:
        self._over = True
        grade = self.grade()
        return float(grade.passed), {"grade": grade, "end_reason": self._end_reason}

    def _act(self, action: Action) -> Observation:
        wrong = check_action(action)
        if wrong is not None:
            return self._notice(f"Error: {wrong}; {_HINT}.")
        kind = action["type"]
        if kind == "end":
            self._end_reason = "agent_ended"
            return self._notice("The conversation is over.")
        if kind == "call":
            return self._call(action)
        text = action["text"]
        self._turns.append(Turn(who="agent", text=text))
        reply = self.user.reply(text)
        self._turns.append(Turn(who="customer", text=reply.text))
        if reply.ends:
            self._end_reason = "customer_ended"
        return {"source": "customer", "text": reply.text}

    def _notice(self, text: str) -> Observation:
        self._turns.append(Turn(who="system", text=text))
        return {"source": "system", "text": text}

    def _call(self, action: Action) -> Observation:
        made = self.domain.toolbox.call(
            self._world,
            action["name"],
            action.get("arguments", {}),
            aside=action.get("aside", ""),
        )
        self._turns.append(Turn(who="call", call=made))
        spec = self.domain_spec.tools.get(made.name)
        if made.error is None and spec is not None and "transfer" in spec.verbs:
            self._end_reason = "transferred"
        return {"source": "tool", "text": made.result}

    # What can be asked at any time, and as often as one likes.

    @property
    def briefing(self) -> Briefing:
        """What an agent gets to know before it starts; each episode has schemas of its own."""
        return Briefing(
            domain=self.domain.name,
            policy=self.domain.policy,
            tools=tuple(self._tools),
            max_steps=self.max_steps,
        )

    @property
    def task(self) -> Task:
        """The running task. It holds the goal: never hand it to an agent that is measured."""
        if self._task is None:
            raise EpisodeNotStarted("no task before reset: call reset(seed=...) first")
        return self._task

    @property
    def transcript(self) -> Transcript:
        """Everything said and called so far."""
        return tuple(self._turns)

    @property
    def steps(self) -> int:
        """Actions taken so far."""
        return self._steps

    @property
    def outcome(self) -> Outcome:
        """The world as it is now, as a patch on s0, and why the episode ended."""
        if self._kept is not None:
            return self._kept
        return Outcome(patch=self._world.outcome(), end_reason=self._end_reason)

    def grade(self) -> Grade:
        """The full grade of the episode as it stands; grading changes nothing."""
        return grade_full(self.task, self.transcript, self.outcome, self.domain_spec)

    @property
    def digests(self) -> dict[str, str]:
        """Names of what decides a grade: world, policy, tools, spec, task and package version."""
        return {**self._digests, "task": self._task_digest(self.task)}

    def _task_digest(self, task: Task) -> str:
        # By identity: tasks hold dicts, so they do not hash; the entry keeps the task alive.
        found = self._task_digests.get(id(task))
        if found is None:
            if len(self._task_digests) > 10_000:
                self._task_digests.clear()
            found = self._task_digests[id(task)] = (task, digest(task))
        return found[1]

    def render(self) -> str | None:
        """The transcript as text, in render mode ``ansi``."""
        if self.render_mode is None:
            return None
        return "\n".join(
            f"{turn.who}: {turn.text}"
            if turn.call is None
            else f"call: {turn.call.name} {turn.call.raw} -> {turn.call.result}"
            for turn in self._turns
        )

    def close(self) -> None:
        """Close the world; what happened in it can still be asked and graded."""
        if self._kept is None:
            self._kept = self.outcome
            self._world.close()


def _remake(settings: dict[str, Any]) -> TauEnv:
    return TauEnv(**settings)


def _checked_seed(seed: int) -> int:
    try:
        number = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2**63:
        raise BadArgument(f"seed {seed!r:.80}: choose an integer from 0 to 2**63 - 1")
    return number
