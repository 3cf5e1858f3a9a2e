"""Transcripts for tests of graders: lines are written, calls are made on a real world."""

from __future__ import annotations

from typing import Any

from tau_env.graders.conduct import grade_conduct
from tau_env.graders.confirmation import confirmed_writes
from tau_env.registry import find_domain
from tau_env.schema import (
    Call,
    DomainSpec,
    EndReason,
    Grade,
    Outcome,
    Output,
    Patch,
    Scenario,
    Task,
    Turn,
    Want,
)
from tau_env.world.company import Domain


class Scene:
    """A conversation in the making, on a fresh world."""

    def __init__(self, customer: str = "", *, domain: Domain | None = None, setup: Patch = ()):
        self.domain = domain or find_domain("retail")
        self.customer = customer
        self.setup = setup
        self.world = self.domain.open()
        self.world.begin(setup)
        self.turns: list[Turn] = []
        self.end_reason: EndReason = "customer_ended"

    def hears(self, text: str) -> Scene:
        """The customer says something."""
        self.turns.append(Turn(who="customer", text=text))
        return self

    def says(self, text: str) -> Scene:
        """The agent says something."""
        self.turns.append(Turn(who="agent", text=text))
        return self

    def calls(self, name: str, **arguments: Any) -> Call:
        """The agent calls a tool."""
        made = self.domain.toolbox.call(self.world, name, arguments)
        self.turns.append(Turn(who="call", call=made))
        return made

    @property
    def transcript(self) -> tuple[Turn, ...]:
        """All turns so far."""
        return tuple(self.turns)

    @property
    def outcome(self) -> Outcome:
        """The world as it is now."""
        return Outcome(patch=self.world.outcome(), end_reason=self.end_reason)

    def task(self, **fields: Any) -> Task:
        """A task of this customer; something is graded unless `fields` say otherwise."""
        given = {
            "id": "toy-001",
            "kind": "fulfil",
            "scenario": Scenario(customer=self.customer, opening="x", wants=(Want(do="ask"),)),
            "setup": self.setup,
            "outputs": (Output(kind="number", value=123456789),),
            **fields,
        }
        return Task.model_validate(given)

    def conduct(self, task: Task | None = None, *, spec: DomainSpec | None = None) -> Grade:
        """The conduct grade; the goal is what has been changed unless a task says otherwise."""
        task = task or self.task(goals=(self.world.outcome(),))
        spec = spec or self.domain.spec
        return grade_conduct(
            task,
            self.transcript,
            self.outcome,
            spec,
            writes=confirmed_writes(self.transcript, spec),
        )
