"""Making a family's task file: what is left out, and when a family runs dry."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tau_env import content
from tau_env import family as machine
from tau_env.domains.retail import DOMAIN
from tau_env.errors import BadTask
from tau_env.family import LONGEST_REFERENCE, Family, Twins, generate
from tau_env.schema import Step, Task
from tau_env.world.company import Company

RELEASED = list(content.tasks("retail").values())


def _of_length(task: Task, steps: int) -> Task:
    return task.model_copy(update={"reference": (Step(say="Hello."),) * steps})


def _generated(monkeypatch: pytest.MonkeyPatch, *made: Task | Twins, size: int) -> tuple[Task, ...]:
    def few(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task | Twins]:
        yield from made

    found = Family(name="few", rules=("R1.1",), seed=1, size=size, generate=few)
    monkeypatch.setattr(machine, "find_family", lambda domain, name: found)
    return generate(DOMAIN, "few").tasks


def test_a_task_with_too_long_a_reference_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = _of_length(RELEASED[0], LONGEST_REFERENCE)
    long = _of_length(RELEASED[1], LONGEST_REFERENCE + 1)
    made = _generated(monkeypatch, long, fits, size=1)
    assert [one.scenario for one in made] == [fits.scenario]
    assert [one.id for one in made] == ["retail-few-001"]


def test_twins_of_which_one_is_too_long_are_both_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = _of_length(RELEASED[0], LONGEST_REFERENCE)
    long = _of_length(RELEASED[1], LONGEST_REFERENCE + 1)
    pairs = [Twins(fits, long), Twins(long, fits), Twins(fits, fits)]
    made = _generated(monkeypatch, *pairs, size=2)
    assert [one.twin for one in made] == ["retail-few-002", "retail-few-001"]
    with pytest.raises(BadTask, match="ran dry after 2 of 3 tasks"):
        _generated(monkeypatch, *pairs, size=3)
