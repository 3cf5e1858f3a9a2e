"""A rubric for a judge, and what a judge made of a trial. Beside the grade, never part of it."""

from __future__ import annotations

import graphlib
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import Field, model_validator

from tau_env.schema.base import Frozen, digest
from tau_env.schema.trial import Transcript, Trial, Usage

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"


class RubricRequirement(Frozen):
    """One thing that a conversation should show.

    Attributes:
        id: its name within the rubric.
        text: what is required, so that yes or no can be said.
        needs: ids of requirements without which this one is not reached.
    """

    id: str = Field(pattern=NAME)
    text: str = Field(min_length=1)
    needs: tuple[str, ...] = ()


class Rubric(Frozen):
    """Requirements that are judged together.

    Attributes:
        id: its name.
        tasks: ids or families of tasks, or patterns with ``*``; every task when empty.
        policy: whether the judge reads the domain's policy as well.
        requirements: what is judged, in the order in which the judge reads it.
    """

    id: str = Field(pattern=NAME)
    tasks: tuple[str, ...] = ()
    policy: bool = False
    requirements: tuple[RubricRequirement, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _hangs_together(self) -> Rubric:
        ids = [one.id for one in self.requirements]
        for one in self.requirements:
            if ids.count(one.id) > 1:
                raise ValueError(f"two requirements are called {one.id!r}: give each its own id")
            for need in one.needs:
                if need not in ids:
                    raise ValueError(f"{one.id!r} needs {need!r}, which is no requirement here")
        try:
            self.order()
        except graphlib.CycleError as cycle:
            raise ValueError(
                f"requirements need one another: {' -> '.join(cycle.args[1])}"
            ) from None
        return self

    def order(self) -> tuple[str, ...]:
        """Ids, each after what it needs."""
        needs = {one.id: one.needs for one in self.requirements}
        return tuple(graphlib.TopologicalSorter(needs).static_order())

    def covers(self, trial: Trial) -> bool:
        """Whether a trial's task is one that it is for."""
        names = (trial.task, trial.family)
        return not self.tasks or any(
            fnmatchcase(name, pattern) for pattern in self.tasks for name in names
        )


Said = Literal["met", "unmet", "not_reached", "ungraded"]


class Verdict(Frozen):
    """What a judge says of one requirement.

    Attributes:
        rubric: id of the rubric.
        requirement: id of the requirement.
        verdict: ``met``; ``unmet``; ``not_reached``: something that it needs is not met;
            ``ungraded``: the judge gave no verdict that can be used.
        turn: the turn that is quoted, 1-based; None where there is no verdict.
        quote: what stands in that turn.
        reason: the judge's reason, or why there is no verdict.
    """

    rubric: str
    requirement: str
    verdict: Said
    turn: int | None = None
    quote: str = ""
    reason: str = ""


class Judgement(Frozen):
    """What a judge made of a trial.

    Attributes:
        agent: the trial's agent.
        task: its task.
        trial: its number.
        family: its family.
        evidence: digest of the transcript that was judged.
        rubrics: digest of all rubrics of the run.
        settings: what the judge was made with: model, prompt, parameters.
        verdicts: one for every requirement of every rubric that is for this task.
        usage: what the judge spent; None if unknown.
        served: the models that answered.
        warnings: what was odd.
    """

    agent: str
    task: str
    trial: int
    family: str = ""
    evidence: str
    rubrics: str
    settings: dict[str, Any] = Field(default_factory=dict)
    verdicts: tuple[Verdict, ...]
    usage: Usage | None = None
    served: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def passed(self, rubric: str) -> bool | None:
        """Whether all requirements of a rubric are met; None where a verdict is missing."""
        said = [one.verdict for one in self.verdicts if one.rubric == rubric]
        if not said or "ungraded" in said:
            return None
        return all(one == "met" for one in said)


def evidence_of(transcript: Transcript) -> str:
    """The name of a transcript by its content."""
    return digest([turn.model_dump(mode="json") for turn in transcript])
