"""What happened in a trial and how it was judged."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import Field

from tau_env.schema.base import Frozen
from tau_env.schema.patch import Patch

EndReason = Literal[
    "customer_ended",
    "agent_ended",
    "transferred",
    "max_steps",
    "max_tokens",
    "max_seconds",
    "context_overflow",
    "agent_error",
]
CallError = Literal["unknown_tool", "bad_arguments", "refused"]


class Call(Frozen):
    """A tool call with everything that became of it.

    Attributes:
        name: the tool asked for.
        arguments: after coercion, money in dollars; as given where they could not be read.
        raw: the arguments as the agent wrote them, JSON text or the object as JSON.
        result: text as the agent saw it.
        error: None, or why nothing was done.
        subjects: customers whose records it concerned.
        changes: what it changed.
        aside: text beside the call: kept, not delivered, not graded as said.
    """

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    raw: str = ""
    result: str = ""
    error: CallError | None = None
    subjects: tuple[str, ...] = ()
    changes: Patch = ()
    aside: str = ""


class Turn(Frozen):
    """One entry of a transcript: a line of the customer or the agent, a call, or a notice.

    Attributes:
        who: ``customer``, ``agent`` (said), ``call`` (an agent's call) or ``system``.
        text: what was said; empty for a call.
        call: the call, for ``call``.
    """

    who: Literal["customer", "agent", "call", "system"]
    text: str = ""
    call: Call | None = None


Transcript = tuple[Turn, ...]
"""Turns in order; a turn's number is its 1-based position."""


class Outcome(Frozen):
    """The world at the end as a patch on s0, and why the trial ended."""

    patch: Patch = ()
    end_reason: EndReason | None = None


class Evidence(Frozen):
    """One reason for a verdict, with the turns and the policy rule that it rests on."""

    text: str
    turns: tuple[int, ...] = ()
    rule: str = ""


class Grade(Frozen):
    """A grader's verdict.

    Attributes:
        grader: which grader.
        passed: the verdict; True where there was nothing to check.
        checked: False if there was nothing to check.
        evidence: the reasons, failing ones first.
        parts: verdicts that this one is made of.
        scores: numbers beside the verdict, never in the reward.
    """

    grader: str
    passed: bool
    checked: bool = True
    evidence: tuple[Evidence, ...] = ()
    parts: dict[str, Grade] = Field(default_factory=dict)
    scores: dict[str, float] = Field(default_factory=dict)


class Briefing(Frozen):
    """What an agent gets before a trial, and nothing else.

    Attributes:
        domain: the domain's name.
        policy: the text that the agent must follow.
        tools: chat-completions schemas.
        max_steps: the step budget.
    """

    domain: str
    policy: str
    tools: tuple[dict[str, Any], ...]
    max_steps: int


class Usage(Frozen):
    """What one party of a trial asked of a model; None is unknown, never zero.

    Attributes:
        calls: calls of the model.
        input_tokens: tokens sent, over the calls that told.
        output_tokens: tokens received, over the calls that told.
        cost: price in US dollars, over the calls that told.
        unknown: calls of which the provider told no usage.
        discarded: calls whose reply was not used: torn, lost on the way, or generated again.
    """

    calls: int = Field(default=0, ge=0)
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    unknown: int = Field(default=0, ge=0)
    discarded: int = Field(default=0, ge=0)

    @property
    def tokens(self) -> int | None:
        """Tokens sent and received; None if neither is known."""
        return _sum(self.input_tokens, self.output_tokens)

    def plus(self, other: Usage) -> Usage:
        """Both together; what one of them does not know is left out of the sum."""
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost=_sum(self.cost, other.cost),
            unknown=self.unknown + other.unknown,
            discarded=self.discarded + other.discarded,
        )


Number = TypeVar("Number", int, float)


def _sum(a: Number | None, b: Number | None) -> Number | None:
    if a is None or b is None:
        return a if b is None else b
    return a + b


class Budgets(Frozen):
    """What an agent may spend in a trial; None is no limit.

    Attributes:
        max_steps: actions.
        max_tokens: tokens that its model reads and writes.
        max_seconds: its own time; the customer's and waiting for a rate limit do not count.
    """

    max_steps: int = Field(ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_seconds: float | None = Field(default=None, gt=0)


class Attempt(Frozen):
    """An earlier attempt at the same trial that crashed.

    Attributes:
        error: what crashed.
        steps: actions taken before.
        usage: what was spent on it, by role.
        seconds: how long it took, by the wall clock.
    """

    error: str
    steps: int = 0
    usage: dict[str, Usage | None] = Field(default_factory=dict)
    seconds: float | None = None


class Trial(Frozen):
    """One attempt of one agent at one task, complete: it can be shown and judged again.

    Attributes:
        task: id of the task.
        family: its family.
        kind: its kind.
        trial: number of the attempt, from 0.
        seed: the trial's own seed.
        agent: the agent's name.
        insider: True if the agent had the task in hand.
        user: the user's name.
        style: the customer's manner of speaking.
        status: ``graded``, ``crashed`` (infrastructure), or ``ungraded`` (a fault of a grader, of
            the user or of the environment: the reason is in ``error``).
        end_reason: why it ended.
        steps: actions taken by the agent.
        transcript: everything said and called.
        outcome: the world at the end.
        grade: the full grade with its parts; None unless graded.
        error: what crashed, what kept it from being graded, or the agent's own error.
        digests: of world, policy, tools, task and package version; in studies also of the code of
            graders, user and agent.
        domain: the domain's name.
        twin: id of the task's twin.
        split: ``train`` or ``test``.
        scaffold: what is built round the agent's model.
        settings: what the agent was made with.
        user_settings: what the user was made with: model, prompt and the like.
        budgets: what the agent might spend.
        usage: what ``agent``, ``user`` and ``judge`` spent; None where one does not tell.
        served: by role, the models that answered, by the names that their endpoint gave.
        warnings: by role, what keeps the trial from being all that was asked for.
        attempts: earlier attempts that crashed.
        seconds: how long it took by the wall clock, by the harness.
        worker: who ran it.
    """

    task: str = Field(min_length=1)
    family: str = ""
    kind: str = ""
    trial: int = Field(ge=0)
    seed: int = Field(ge=0, lt=2**63)
    agent: str
    insider: bool = False
    user: str = "scripted"
    style: str = ""
    status: Literal["graded", "crashed", "ungraded"] = "graded"
    end_reason: EndReason | None = None
    steps: int = 0
    transcript: Transcript = ()
    outcome: Outcome = Outcome()
    grade: Grade | None = None
    error: str = ""
    digests: dict[str, str] = Field(default_factory=dict)
    domain: str = ""
    twin: str | None = None
    split: str = ""
    scaffold: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    user_settings: dict[str, Any] = Field(default_factory=dict)
    budgets: Budgets | None = None
    usage: dict[str, Usage | None] = Field(default_factory=dict)
    served: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    warnings: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()
    seconds: float | None = None
    worker: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the trial passed; None where it was not graded."""
        return None if self.grade is None else self.grade.passed


VOLATILE: dict[str, Any] = {
    "seconds": True,
    "worker": True,
    "attempts": {"__all__": {"seconds"}},
}
"""What differs between two runs of one plan, as pydantic's ``exclude``; all else must not."""


def lasting(trial: Trial) -> str:
    """A trial as one line of JSON, without what the clock and the workers decide."""
    return trial.model_dump_json(exclude=VOLATILE)
