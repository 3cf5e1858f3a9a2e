"""Plays steps: the reference solution, and what edits make of it."""

from __future__ import annotations

from collections.abc import Sequence

from tau_env.actions import Action, Observation, end, say
from tau_env.language.replies import read_customer
from tau_env.registry import find_domain
from tau_env.schema import Briefing, Step, Task

AGREES = ("yes", "yes_but")


class Script:
    """Plays steps in order; where a step's guard does not hold it ends the conversation."""

    insider = True

    def __init__(self, task: Task, steps: Sequence[Step], *, applies: bool = True) -> None:
        """Take the steps.

        Args:
            task: the task to be played.
            steps: messages and calls.
            applies: whether the steps differ from the reference's.
        """
        self.task = task
        self.steps = tuple(steps)
        self.applies = applies
        self.stopped_at: int | None = None

    def reset(self, briefing: Briefing, seed: int) -> None:
        """Go back to the first step; the seed changes nothing."""
        del seed
        self._lexicon = find_domain(briefing.domain).spec.lexicon
        self._next = 0
        self._heard = ""
        self.stopped_at = None

    def act(self, observation: Observation) -> Action:
        """The next step, or the end."""
        if observation["source"] == "customer":
            self._heard = observation["text"]
        if self._next >= len(self.steps):
            return end()
        step = self.steps[self._next]
        if not self._holds(step):
            self.stopped_at = self._next
            return end()
        self._next += 1
        if step.say:
            return say(step.say)
        return {"type": "call", "name": step.call, "arguments": dict(step.arguments)}

    def _holds(self, step: Step) -> bool:
        if step.after in ("", "any"):
            return True
        kind = read_customer(self._heard, self._lexicon).kind
        return kind in AGREES if step.after == "yes" else kind == "no"


class Reference(Script):
    """The reference solution: the ceiling. It proves that a task can be solved."""

    def __init__(self, task: Task, *, others: Sequence[Task] = ()) -> None:
        """Take the task's own steps."""
        del others
        super().__init__(task, task.reference)
