"""A task: scenario for the user, goal for the state, path, outputs, reference solution."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from tau_env.schema.base import Frozen
from tau_env.schema.patch import Patch, RowChange

Kind = Literal["fulfil", "partial", "refuse", "transfer", "inform"]


class Want(Frozen):
    """One thing that the customer wishes.

    Attributes:
        do: an action of the lexicon, or ``ask`` for information.
        slots: what the customer has in mind, by slot name; a tuple where several values count.
        expects: for ``ask``: the kind of the answer (``money``, ``number``, ``date``, ``id``) or
            the slot whose words answer it; what makes the customer take a message as an answer.
        say: name of the lexicon phrase that raises this want; the action's name when empty.
    """

    do: str
    slots: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)
    expects: str = ""
    say: str = ""


class Fact(Frozen):
    """Something that the customer knows.

    Attributes:
        value: as the customer would write it.
        tell: ``asked`` (only when the agent asks) or ``open`` (may stand in any line).
    """

    value: str
    tell: Literal["asked", "open"] = "asked"


class Twist(Frozen):
    """Something that always happens in this task.

    Attributes:
        kind: ``declines`` (says no to the first proposal, yes to the next), ``changes_mind``
            (drops the want at the first proposal), ``corrects`` (at the first proposal names
            another value), ``adds`` (raises one more want after the first is settled).
        want: index of the want that it concerns.
        slots: for ``corrects``: the new values.
        added: for ``adds``: the new want.
    """

    kind: Literal["declines", "changes_mind", "corrects", "adds"]
    want: int = 0
    slots: dict[str, str] = Field(default_factory=dict)
    added: Want | None = None


class Scenario(Frozen):
    """All that the user knows: no database, no goal.

    Attributes:
        customer: the customer's id, never said unless it is also a fact.
        opening: name of the lexicon phrase of the first line.
        wants: in the order in which they are raised.
        facts: by slot name.
        twists: what always happens.
        if_refused: ``accept`` a refusal, or ``insist`` once before accepting.
        style: manner of speaking; drawn from the seed when empty.
        instruction: the same in plain words, for a person or a model who plays the customer.
    """

    customer: str
    opening: str
    wants: tuple[Want, ...] = Field(min_length=1)
    facts: dict[str, Fact] = Field(default_factory=dict)
    twists: tuple[Twist, ...] = ()
    if_refused: Literal["accept", "insist"] = "accept"
    style: str = ""
    instruction: str = ""


class Output(Frozen):
    """A fact that the agent must tell the customer.

    Attributes:
        kind: how it is recognised.
        value: money in cents, a number, an ISO date, an id, or a word of a closed vocabulary.
        slot: for words: the lexicon slot whose synonym table applies.
    """

    kind: Literal["money", "number", "date", "id", "word"]
    value: int | str
    slot: str = ""


class CallPattern(Frozen):
    """A call to a tool with at least these arguments, equal after coercion, and no error.

    Attributes:
        tool: the tool.
        arguments: those that count.
        refused: True for a call that the tool has to refuse instead: a search that finds nobody.
    """

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    refused: bool = False


class Requirement(Frozen):
    """A named step of the path: any one of the patterns satisfies it."""

    name: str = Field(alias="as")
    any: tuple[CallPattern, ...] = Field(min_length=1)


class Path(Frozen):
    """What must and must not happen on the way.

    Attributes:
        required: all of them, in any order.
        order: pairs of names (a, b): a before the first b, where b happens at all.
        forbidden: none of them may happen, even if undone later.
    """

    required: tuple[Requirement, ...] = ()
    order: tuple[tuple[str, str], ...] = ()
    forbidden: tuple[CallPattern, ...] = ()

    @model_validator(mode="after")
    def _names_are_known(self) -> Path:
        names = [one.name for one in self.required]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two required steps are called {name!r}: give each its own name")
        for name in (name for pair in self.order for name in pair):
            if name not in names:
                known = ", ".join(map(repr, names)) or "none"
                raise ValueError(f"order names {name!r}, but the required steps are {known}")
        return self


class Lure(Frozen):
    """A wrong thing that the task invites, and what taking it would leave or call."""

    kind: Literal["impossible", "injected", "pressure"]
    patch: Patch = ()
    calls: tuple[CallPattern, ...] = ()


class Step(Frozen):
    """A step of a reference solution: a message or a call.

    Attributes:
        say: text to the customer.
        call: tool name, with `arguments`.
        after: what the customer's last line must have been for this step to be played.
    """

    say: str = ""
    call: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    after: Literal["", "yes", "no", "any"] = ""

    @model_validator(mode="after")
    def _one_of(self) -> Step:
        if bool(self.say) == bool(self.call):
            raise ValueError("a step has either 'say' or 'call'")
        return self


class Task(Frozen):
    """One problem. See the fields of the same name in the task files."""

    id: str
    kind: Kind
    twin: str | None = None
    split: Literal["train", "test"] = "train"
    rules: tuple[str, ...] = ()
    scenario: Scenario
    setup: Patch = ()
    goals: tuple[Patch, ...] = Field(default=((),), min_length=1)
    free: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = ()
    lures: tuple[Lure, ...] = ()
    tags: tuple[str, ...] = ()
    path: Path = Path()
    reference: tuple[Step, ...] = ()
    family: str = ""

    @model_validator(mode="after")
    def _something_is_graded(self) -> Task:
        if not (any(self.goals) or self.outputs or self.path.required):
            raise ValueError(
                f"task {self.id!r} grades nothing: give it a goal, an output or a required step"
            )
        if len(self.goals) > 1 and () in self.goals:
            raise ValueError(f"task {self.id!r}: 'change nothing' cannot be one of several goals")
        for goal in self.goals:
            for change in goal:
                self._check_goal_change(change)
        return self

    def _check_goal_change(self, change: RowChange) -> None:
        for column in change.fields:
            if f"{change.table}.{column}" in self.free:
                raise ValueError(
                    f"task {self.id!r}: {change.table}.{column} is both goal and free; choose one"
                )


class TaskFile(Frozen):
    """One family's tasks as stored.

    Attributes:
        family: equals the file's stem.
        origin: ``{"seed": n}`` if generated, ``{"hand": ...}`` if written.
        canary: a marker that must never turn up in a transcript or a training set.
        tasks: the tasks.
    """

    family: str
    origin: dict[str, int | str] = Field(default_factory=dict)
    canary: str = ""
    tasks: tuple[Task, ...] = Field(min_length=1)
