"""What happened in a trial and how it was judged."""

from __future__ import annotations

from typing import Any, Literal

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
        arguments: after coercion; as given where they could not be read.
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
        status: ``graded``, or ``crashed`` (infrastructure).
        end_reason: why it ended.
        steps: actions taken by the agent.
        transcript: everything said and called.
        outcome: the world at the end.
        grade: the full grade with its parts; None for a crashed trial.
        error: what crashed.
        digests: of world, policy, tools, task and package version.
    """

    task: str
    family: str = ""
    kind: str = ""
    trial: int
    seed: int
    agent: str
    insider: bool = False
    user: str = "scripted"
    style: str = ""
    status: Literal["graded", "crashed"] = "graded"
    end_reason: EndReason | None = None
    steps: int = 0
    transcript: Transcript = ()
    outcome: Outcome = Outcome()
    grade: Grade | None = None
    error: str = ""
    digests: dict[str, str] = Field(default_factory=dict)

    @property
    def passed(self) -> bool | None:
        """Whether the trial passed; None where it was not graded."""
        return None if self.grade is None else self.grade.passed
