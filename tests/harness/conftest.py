"""What the tests of the harness share: a few tasks, small studies, a place for agents."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tau_env.harness.driver import Progress, run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.store import Store
from tau_env.harness.study import Study, plan_agent, plan_study
from tau_env.registry import find_domain
from tau_env.schema import Task, Trial

DOMAIN = "retail"
TESTS = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def agents_in_reach() -> None:
    """Worker processes take over `sys.path`."""
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))


@pytest.fixture(scope="session")
def tasks() -> list[Task]:
    """Three tasks: two twins and one of another family."""
    found = choose_tasks(DOMAIN)
    first = next(task for task in found if task.twin)
    twin = next(task for task in found if task.id == first.twin)
    other = next(task for task in found if task.family != first.family)
    return [first, twin, other]


@pytest.fixture
def make(tasks: list[Task]) -> Callable[..., Study]:
    """Plan a small study of agents of `harness_agents`, by class name or registered name."""

    def planned(*agents: str, settings: dict[str, object] | None = None, **more: object) -> Study:
        plans = [
            plan_agent(
                name if name.islower() else f"harness_agents:{name}", name=name, settings=settings
            )
            for name in agents
        ]
        return plan_study(DOMAIN, plans, tasks, **{"trials": 2, **more})  # type: ignore[arg-type]

    return planned


@pytest.fixture
def play(tasks: list[Task]) -> Callable[..., Progress]:
    """Run a study in a store, or go on with it."""

    def run(study: Study, path: Path, **more: object) -> Progress:
        with Store(path) as store:
            store.begin(study, tasks, find_domain(DOMAIN).spec)
            return run_study(study, tasks, store, kept=store.kept(), **more)  # type: ignore[arg-type]

    return run


class Shelf:
    """A sink in memory."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []
        self.attempts: list[Trial] = []

    def keep(self, slot: object, trial: Trial, *, played: Task | None = None) -> None:
        del slot, played
        self.trials.append(trial)

    def keep_attempt(self, slot: object, trial: Trial) -> None:
        del slot
        self.attempts.append(trial)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()
