"""A study: which agents play which tasks how often, and everything that decides the result.

What is planned is here; the trials themselves are in :mod:`tau_env.harness.store`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import Field

from tau_env import content
from tau_env.agents.base import is_insider
from tau_env.env import MAX_STEPS
from tau_env.errors import BadArgument
from tau_env.harness.making import check_agent, check_user
from tau_env.harness.provenance import code_digest, domain_digests
from tau_env.registry import find_agent, find_domain, find_user
from tau_env.schema import Budgets, Frozen, Task, digest

TRIALS = 8
KS = (1, 2, 4, 8)
KS_REASON = "default: powers of two up to the trials of a task"
RETRIES = 2
PATIENCE = 600.0
"""Seconds that an agent which waits for a model may take, unless another budget is stated."""


class Slot(NamedTuple):
    """One place of a study: an agent's trial of a task; numbers from 0."""

    agent: str
    task: str
    trial: int


class AgentPlan(Frozen):
    """An agent of a study.

    Attributes:
        name: in the records.
        source: registered name, entry point or ``module:Class``.
        settings: keyword arguments of the class (model, temperature and the like).
        scaffold: what is built round the model; a score belongs to model and scaffold.
        code: digest of the file that the class stands in.
        insider: it is built with the task in hand.
        waits: it spends its time waiting (for a model), so threads suit it, else processes.
    """

    name: str = Field(min_length=1)
    source: str
    settings: dict[str, Any] = Field(default_factory=dict)
    scaffold: str = Field(min_length=1)
    code: str = "unknown"
    insider: bool = False
    waits: bool = False


class TaskPlan(Frozen):
    """A task of a study, by its id and the digest of its content."""

    id: str
    digest: str


class Study(Frozen):
    """A planned set of trials.

    Attributes:
        name: what it is called.
        domain: the company.
        tasks: the tasks, in order.
        agents: the agents, in order.
        trials: trials a task.
        ks: the k of pass^k that will be reported.
        k_reason: why these.
        seed: from which every trial's own seed follows.
        budgets: what an agent may spend in a trial.
        user: name of the user.
        user_settings: keyword arguments of the user's class.
        retries: how often a crashed trial is run again; a failed one never is.
        released: number of the domain's released tasks when the study was planned.
        digests: names of policy, tools, spec, world, version, graders and user.
    """

    name: str = Field(min_length=1)
    domain: str
    tasks: tuple[TaskPlan, ...] = Field(min_length=1)
    agents: tuple[AgentPlan, ...] = Field(min_length=1)
    trials: int = Field(ge=1)
    ks: tuple[int, ...] = Field(min_length=1)
    k_reason: str = Field(min_length=1)
    seed: int = 0
    budgets: Budgets
    user: str = "scripted"
    user_settings: dict[str, Any] = Field(default_factory=dict)
    retries: int = Field(default=RETRIES, ge=0)
    released: int = 0
    digests: dict[str, str] = Field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The study's name by its content."""
        return digest(self)

    def agent(self, name: str) -> AgentPlan:
        """The agent of that name."""
        return next(one for one in self.agents if one.name == name)

    def slots(self) -> Iterator[Slot]:
        """Every place: trial by trial, task by task, so that an early end leaves whole rounds."""
        for trial in range(self.trials):
            for task in self.tasks:
                for agent in self.agents:
                    yield Slot(agent.name, task.id, trial)

    @property
    def size(self) -> int:
        """Number of places."""
        return self.trials * len(self.tasks) * len(self.agents)

    @property
    def labels(self) -> tuple[str, ...]:
        """What keeps it from being the standard run of its domain; empty for the standard one."""
        found = []
        if len(self.tasks) != self.released:
            found.append(f"partial: {len(self.tasks)} of {self.released} tasks")
        if self.user != "scripted":
            found.append(f"custom customer: {self.user}")
        if self.budgets.max_steps != MAX_STEPS:
            found.append(f"custom step budget: {self.budgets.max_steps}")
        if self.trials < TRIALS:
            found.append(f"{self.trials} trials a task, standard is {TRIALS}")
        return tuple(found)


def plan_agent(
    source: str,
    *,
    name: str = "",
    settings: Mapping[str, Any] | None = None,
    scaffold: str | None = None,
) -> AgentPlan:
    """Find out what must be known of an agent.

    Args:
        source: registered name, entry point or ``module:Class``.
        name: in the records; the source when empty.
        settings: keyword arguments of the class.
        scaffold: what is built round the model; by default the class's attribute ``scaffold``, or
            its module and name.

    Raises:
        UnknownName: nothing of that name can be imported.
        BadArgument: an empty scaffold: a score belongs to model and scaffold together; or a setting
            that the class refuses.
    """
    found = find_agent(source)
    default = getattr(found, "scaffold", f"{found.__module__}:{found.__qualname__}")
    chosen = default if scaffold is None else scaffold
    if not str(chosen).strip():
        raise BadArgument(
            f"agent {source!r} has an empty scaffold; a score belongs to a model in a scaffold: "
            "name it and its version, such as 'tool-calling 1.2'"
        )
    return AgentPlan(
        name=name or source,
        source=source,
        settings=_completed(found, settings or {}),
        scaffold=str(chosen),
        code=code_digest(found),
        insider=is_insider(found),
        waits=bool(getattr(found, "waits", False)),
    )


def plan_study(
    domain: str,
    agents: Sequence[AgentPlan],
    tasks: Sequence[Task],
    *,
    name: str = "study",
    trials: int = TRIALS,
    ks: Sequence[int] | None = None,
    k_reason: str = "",
    seed: int = 0,
    budgets: Budgets | None = None,
    user: str = "scripted",
    user_settings: Mapping[str, Any] | None = None,
    retries: int = RETRIES,
) -> Study:
    """Plan a study; nothing is run.

    Args:
        domain: the company.
        agents: from `plan_agent`, with different names.
        tasks: the tasks, released or fresh.
        name: what the study is called.
        trials: trials a task.
        ks: the k of pass^k; 1, 2, 4, 8 up to the trials when None.
        k_reason: why these k; needed when they are chosen.
        seed: study seed.
        budgets: 30 steps, no limit of tokens, and 600 seconds for agents that wait, when None.
        user: name of the user.
        user_settings: keyword arguments of the user's class.
        retries: how often a crashed trial is run again.

    Raises:
        BadArgument: a number out of range, two agents or tasks of one name, k without a reason or
            beyond the trials, an agent or user that cannot be made with its settings, or a user
            that waits for a model which is not named.
        UnknownName: no such domain or user.
    """
    found = find_domain(domain)
    user_settings = _completed(find_user(user), user_settings or {})
    _check_user(user, user_settings)
    for what, number, least in (("trials", trials, 1), ("retries", retries, 0)):
        if number < least:
            raise BadArgument(f"{what} {number}: at least {least}")
    for kind, names in (
        ("agent", [one.name for one in agents]),
        ("task", [one.id for one in tasks]),
    ):
        if not names or len(set(names)) < len(names):
            raise BadArgument(f"{kind}s {names[:3]}: name at least one, and none twice")
    check_user(user, find_user(user), user_settings)
    others = tuple(content.tasks(domain).values())
    for one in agents:
        source = find_agent(one.source)
        check_agent(one.name, source, one.settings, task=tasks[0], others=others)
    if budgets is None:
        waits = any(one.waits for one in agents)
        budgets = Budgets(max_steps=MAX_STEPS, max_seconds=PATIENCE if waits else None)
    chosen, reason = _ks(ks, k_reason, trials)
    return Study(
        name=name,
        domain=found.name,
        tasks=tuple(TaskPlan(id=task.id, digest=digest(task)) for task in tasks),
        agents=tuple(agents),
        trials=trials,
        ks=chosen,
        k_reason=reason,
        seed=seed,
        budgets=budgets,
        user=user,
        user_settings=user_settings,
        retries=retries,
        released=len(content.tasks(domain)),
        digests=domain_digests(domain, user=user),
    )


def _completed(found: type[Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with what a class adds and checks by its own `settled`, where it has that."""
    settled = getattr(found, "settled", None)
    return dict(settings) if settled is None else dict(settled(settings))


def _ks(ks: Sequence[int] | None, reason: str, trials: int) -> tuple[tuple[int, ...], str]:
    if ks is None:
        return tuple(k for k in KS if k <= trials), reason or KS_REASON
    wrong = [k for k in ks if not 1 <= k <= trials]
    if wrong or not ks:
        raise BadArgument(f"k {wrong[:1] or list(ks)}: choose from 1 to the {trials} trials a task")
    if not reason.strip():
        raise BadArgument(
            f"k = {', '.join(map(str, ks))} needs its reason: k is how often the same request "
            "comes back (the exposure), so say where that number is from"
        )
    return tuple(sorted(set(ks))), reason


def _check_user(user: str, settings: Mapping[str, Any]) -> None:
    if getattr(find_user(user), "waits", False) and not settings.get("model"):
        raise BadArgument(
            f"user {user!r} is played by a model and none is named: a score depends on the model "
            "that plays the customer; give it as the user's setting 'model'"
        )


@dataclass(frozen=True)
class Difference:
    """One setting that differs between two studies; None where a study does not have it."""

    setting: str
    ours: Any
    theirs: Any

    @property
    def is_of_code(self) -> bool:
        """Whether it is not the caller's choice but what is installed."""
        return self.setting.startswith("digests, ") or self.setting.endswith(", code")

    def __str__(self) -> str:
        return f"{self.setting}: {self.ours!r} in the study, {self.theirs!r} asked for"


def differences(ours: Study, theirs: Study) -> tuple[Difference, ...]:
    """What differs between two studies, setting by setting; tasks and agents by their names.

    Args:
        ours: the study as stored.
        theirs: the study as asked for now.
    """
    a, b = _flat(ours, theirs), _flat(theirs, ours)
    return tuple(
        Difference(name, a.get(name), b.get(name))
        for name in {**a, **b}
        if a.get(name) != b.get(name) or (name in a) != (name in b)
    )


def _flat(study: Study, other: Study) -> dict[str, Any]:
    """Settings by name, tasks last; an agent that the other study lacks as one entry."""
    found: dict[str, Any] = {}
    dumped = study.model_dump(mode="json")
    tasks, agents = dumped.pop("tasks"), dumped.pop("agents")
    common = {one.name for one in other.agents}
    for one in agents:
        if one["name"] in common:
            found |= {f"agent {one['name']}, {key}": one[key] for key in one}
        else:
            found[f"agent {one['name']}"] = one["source"]
    for name, value in dumped.items():
        if isinstance(value, dict):
            found |= {f"{name}, {key}": inner for key, inner in value.items()}
        else:
            found[name] = value
    return found | {f"task {one['id']}": one["digest"] for one in tasks}
