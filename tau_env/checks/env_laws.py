"""Laws of an environment: Gymnasium's contract, determinism, isolation, nothing leaked."""

from __future__ import annotations

import pickle
import random
import re
import warnings
from collections.abc import Iterator

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import tau_env
from tau_env import content
from tau_env.actions import Action
from tau_env.agents.script import Reference
from tau_env.checks.law import Verdict, first_line, judge
from tau_env.env import TauEnv
from tau_env.errors import EpisodeOver
from tau_env.schema import Task, Trial, digest
from tau_env.trial import run_trial
from tau_env.world.company import Domain

ODD_ACTIONS: tuple[object, ...] = (
    None,
    "hello",
    42,
    [],
    {},
    {"type": "fly"},
    {"type": "say"},
    {"type": "say", "text": 3},
    {"type": "call"},
    {"type": "call", "name": 7},
    {"type": "call", "name": "think", "arguments": 3},
    {"type": "call", "name": "think", "arguments": "{"},
    {"type": "call", "name": "no_such_tool", "arguments": {}},
    {"type": "call", "name": "think", "arguments": {"thought": "x", "more": 1}},
)


def gymnasium_agrees(domain: Domain) -> Iterator[str]:
    """Gymnasium's own checker passes without a warning (F89)."""
    env = gymnasium.make(env_id(domain))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        check_env(env.unwrapped, skip_render_check=True)
    env.close()
    for one in told:
        yield str(one.message)


def env_id(domain: Domain) -> str:
    """The Gymnasium id of a domain's environment."""
    return f"tau_env/{domain.name}-v{domain.version}"


def _some_tasks(domain: Domain) -> list[Task]:
    """The first task of every family."""
    return [one.tasks[0] for one in content.task_files(domain.name)]


def _play(env: TauEnv, task: Task, *, seed: int) -> Trial:
    return run_trial(env, Reference(task), task, seed=seed)


def episodes_are_deterministic(domain: Domain) -> Iterator[str]:
    """Task, seed and actions decide everything, whatever other generators are at (F88)."""
    one, two = TauEnv(domain.name), TauEnv(domain.name)
    for task in _some_tasks(domain):
        first = _play(one, task, seed=7)
        random.seed(99)
        np.random.seed(99)
        if _play(two, task, seed=7) != first:
            yield f"{task.id} differs from run to run"


def worlds_are_clean(domain: Domain) -> Iterator[str]:
    """After any episode a reset gives the world that a fresh one has (F79)."""
    env = TauEnv(domain.name)
    fresh = domain.open().digest()
    for task in _some_tasks(domain):
        _play(env, task, seed=1)
        env._world.begin()
        if env._world.digest() != fresh:
            yield f"{task.id} leaves something behind"


def odd_actions_are_answered(domain: Domain) -> Iterator[str]:
    """A malformed action is answered with a text and changes nothing."""
    env = TauEnv(domain.name, max_steps=len(ODD_ACTIONS) + 5)
    env.reset(seed=0)
    for action in ODD_ACTIONS:
        observation, reward, *_ = env.step(action)  # type: ignore[arg-type]
        if not observation["text"].startswith("Error") or reward or env.outcome.patch:
            yield f"{action!r} gave {observation['text'][:80]!r}"


def end_is_the_end(domain: Domain) -> Iterator[str]:
    """A step after the end is a clear error, and the grade can be asked again (F113)."""
    env = TauEnv(domain.name)
    env.reset(seed=0)
    *_, info = env.step(tau_env.end())
    before = digest(env.transcript), env.outcome
    if env.grade() != info["grade"] or (digest(env.transcript), env.outcome) != before:
        yield "grading twice differs, or changes the evidence"
    try:
        env.step(tau_env.end())
    except EpisodeOver:
        return
    yield "a step after the end was taken"


def spaces_hold_what_comes(domain: Domain) -> Iterator[str]:
    """The spaces contain their samples and everything that an episode brings."""
    env = TauEnv(domain.name)
    env.action_space.seed(3)
    observation, _ = env.reset(seed=3)
    for _ in range(60):
        action: Action = env.action_space.sample()
        if not env.action_space.contains(action):
            yield f"the action space does not contain its sample {action!r}"
        if not env.observation_space.contains(observation):
            yield f"the observation space does not contain {observation!r}"
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            observation, _ = env.reset()
    if not env.action_space.contains(tau_env.say("é🙂" * 32_000)):
        yield "64,000 characters do not fit"


def environments_pickle(domain: Domain) -> Iterator[str]:
    """An environment pickles by its settings and plays the same afterwards."""
    env = TauEnv(domain.name, max_steps=20)
    copy = pickle.loads(pickle.dumps(env))
    task = _some_tasks(domain)[0]
    if _play(env, task, seed=2) != _play(copy, task, seed=2):
        yield "the copy plays differently"


def nothing_is_leaked(domain: Domain) -> Iterator[str]:
    """No goal-only value reaches an agent before a customer or a tool brings it (F137)."""
    env = TauEnv(domain.name)
    briefing = env.briefing.model_dump_json()
    for task in content.tasks(domain.name).values():
        observation, info = env.reset(seed=4, options={"task": task})
        if task.id in briefing + observation["text"]:
            yield f"{task.id}: the briefing names the task"
        if env.briefing.model_dump_json() != briefing:
            yield f"{task.id}: its briefing is another one"
        # What the briefing says is the same for all tasks, so it gives nothing away.
        private = {one for one in goal_only_values(task) if one not in briefing}
        for value in sorted(private):
            if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", observation["text"]):
                yield f"{task.id}: {value!r} is told before anything was done"
        if set(info) != {"policy", "tools", "seed", "digests", "task"}:
            yield f"{task.id}: info at reset holds {sorted(info)}"


def goal_only_values(task: Task) -> set[str]:
    """Ids, amounts and texts of goals and outputs that the customer cannot have said."""
    said = task.scenario.model_dump_json()
    found: set[str] = set()
    for goal in task.goals:
        for change in goal:
            for value in (*change.key.values(), *change.fields.values()):
                if isinstance(value, int) and abs(value) >= 100:
                    found.add(f"{value / 100:.2f}")
                elif isinstance(value, str) and len(value) > 4 and not value.startswith("$"):
                    found.add(value)
    found |= {f"{int(one.value) / 100:.2f}" for one in task.outputs if one.kind == "money"}
    public = {value for value in found if value.replace(" ", "").isalpha()}
    return {value for value in found - public if value not in said}


LAWS = (
    gymnasium_agrees,
    episodes_are_deterministic,
    worlds_are_clean,
    odd_actions_are_answered,
    end_is_the_end,
    spaces_hold_what_comes,
    environments_pickle,
    nothing_is_leaked,
)


def check_environment(domain: Domain) -> Iterator[Verdict]:
    """Every law of a domain's environment."""
    for law in LAWS:
        yield judge(env_id(domain), first_line(law), law(domain))
