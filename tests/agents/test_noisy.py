"""Agents of known skill: success passes, every mistake fails, draws follow the planted chances."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tau_env import content
from tau_env.agents.mistakes import CLAIM, MISTAKES, Ground, possible
from tau_env.agents.noisy import Crashing, Noisy, Skill
from tau_env.agents.script import Script
from tau_env.env import TauEnv
from tau_env.errors import BadArgument, Crash, UnknownName
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task
from tau_env.trial import run_trial

RETAIL = content.tasks("retail")
TASKS = tuple(RETAIL.values())
SPEC = find_domain("retail").spec
WRITING = next(task for task in TASKS if task.kind == "fulfil" and task.outputs)
REFUSING = next(task for task in TASKS if task.kind == "refuse")


@pytest.fixture(scope="module")
def env() -> Iterator[TauEnv]:
    made = TauEnv("retail", tasks=TASKS)
    yield made
    made.close()


def ground(task: Task) -> Ground:
    return Ground(task, SPEC, TASKS)


@pytest.mark.parametrize("domain", domain_names())
def test_every_mistake_fails_in_every_task_that_offers_it(domain: str) -> None:
    tasks = tuple(content.tasks(domain).values())
    spec = find_domain(domain).spec
    env = TauEnv(domain, tasks=tasks)
    passed = []
    for number, task in enumerate(tasks):
        for name, make in MISTAKES.items():
            steps = make(Ground(task, spec, tasks), random.Random(number))
            if steps is not None:
                trial = run_trial(env, Script(task, steps), task, seed=number)
                if trial.passed:
                    passed.append((task.id, name))
    env.close()
    assert not passed


def test_success_plays_the_reference_and_passes(env: TauEnv) -> None:
    for number, task in enumerate(TASKS):
        agent = Noisy(task, others=TASKS, p=1.0)
        trial = run_trial(env, agent, task, seed=number)
        assert (trial.passed, agent.succeeds, agent.mistake) == (True, True, ""), task.id


def test_a_task_that_writes_offers_every_mistake() -> None:
    assert possible(ground(WRITING)) == tuple(MISTAKES)


def test_a_task_that_writes_nothing_offers_no_mistake_of_writing() -> None:
    offered = possible(ground(REFUSING))
    assert {"extra-write", "wrong-fact", "stops-early", "claims-only"} == set(offered)


def test_a_dropped_write_is_a_missing_effect(env: TauEnv) -> None:
    steps = MISTAKES["drops-write"](ground(WRITING), random.Random(0))
    assert steps is not None
    trial = run_trial(env, Script(WRITING, steps), WRITING, seed=0)
    assert trial.grade is not None
    assert trial.grade.scores["missing_effect"] > 0


def test_a_wrong_record_touches_a_row_outside_the_goal(env: TauEnv) -> None:
    steps = MISTAKES["wrong-record"](ground(WRITING), random.Random(0))
    assert steps is not None
    trial = run_trial(env, Script(WRITING, steps), WRITING, seed=0)
    assert trial.grade is not None
    assert trial.grade.scores["extra_effect"] > 0


def test_an_extra_write_leaves_the_right_effect_in_place(env: TauEnv) -> None:
    steps = MISTAKES["extra-write"](ground(WRITING), random.Random(0))
    assert steps is not None
    grade = run_trial(env, Script(WRITING, steps), WRITING, seed=0).grade
    assert grade is not None
    assert (grade.scores["missing_effect"], grade.scores["wrong_value"]) == (0, 0)
    assert grade.scores["extra_effect"] > 0


def test_asking_nothing_leaves_the_right_state_and_fails_confirmation(env: TauEnv) -> None:
    steps = MISTAKES["no-question"](ground(WRITING), random.Random(0))
    assert steps is not None
    grade = run_trial(env, Script(WRITING, steps), WRITING, seed=0).grade
    assert grade is not None
    assert grade.parts["state"].passed
    assert not grade.parts["confirmation"].passed


def test_a_wrong_fact_leaves_the_right_state_and_fails_outputs(env: TauEnv) -> None:
    steps = MISTAKES["wrong-fact"](ground(REFUSING), random.Random(0))
    assert steps is not None
    grade = run_trial(env, Script(REFUSING, steps), REFUSING, seed=0).grade
    assert grade is not None
    assert grade.parts["state"].passed
    assert not grade.parts["outputs"].passed


def test_claims_only_changes_nothing_and_says_that_all_is_done(env: TauEnv) -> None:
    steps = MISTAKES["claims-only"](ground(WRITING), random.Random(0))
    assert steps is not None
    trial = run_trial(env, Script(WRITING, steps), WRITING, seed=0)
    assert trial.outcome.patch == ()
    assert any(turn.text == CLAIM for turn in trial.transcript)


def test_chances_are_drawn_once_a_task_by_the_study_seed() -> None:
    one, other = Skill(seed=1), Skill(seed=2)
    assert one.of(WRITING.id) == Skill(seed=1).of(WRITING.id)
    assert one.of(WRITING.id) != other.of(WRITING.id)
    assert one.of(WRITING.id) != one.of(REFUSING.id)


def test_drawn_chances_have_the_planted_mean_and_spread() -> None:
    skill = Skill(mean=0.6, concentration=2.0)
    chances = [skill.of(f"task-{number}") for number in range(4_000)]
    mean = sum(chances) / 4_000
    spread = sum((p - mean) ** 2 for p in chances) / 4_000
    assert mean == pytest.approx(0.6, abs=4 * (0.08 / 4_000) ** 0.5)
    assert spread == pytest.approx(0.24 / 3, abs=0.005)


def test_a_table_gives_the_chance_of_its_tasks() -> None:
    skill = Skill(table={WRITING.id: 1.0})
    assert skill.of(WRITING.id) == 1.0
    assert skill.of(REFUSING.id) == Skill().of(REFUSING.id)


@pytest.mark.parametrize("wrong", [{"mean": 0.0}, {"mean": 1.0}, {"concentration": 0.0}])
def test_a_skill_outside_its_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadArgument, match="table"):
        Skill(**wrong)


def test_a_chance_outside_its_range_is_refused() -> None:
    with pytest.raises(BadArgument, match=r"not in \[0, 1\]"):
        Skill(table={"x": 1.5})


def test_an_unknown_mistake_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'drops-write'"):
        Noisy(WRITING, mistakes=["drop-write"])


def test_a_skill_may_come_as_settings() -> None:
    assert Noisy(WRITING, skill={"mean": 0.3, "seed": 9}).skill == Skill(mean=0.3, seed=9)


def test_a_trial_seed_decides_the_whole_trial(env: TauEnv) -> None:
    first, second = (
        run_trial(env, Noisy(WRITING, others=TASKS, p=0.3), WRITING, seed=5) for _ in range(2)
    )
    assert first == second


def test_successes_come_at_the_planted_rate(env: TauEnv) -> None:
    agent = Noisy(WRITING, others=TASKS, p=0.3)
    env.reset(seed=0, options={"task": WRITING})
    passes, mistakes = 0, Counter[str]()
    for seed in range(2_000):
        agent.reset(env.briefing, seed)
        passes += agent.succeeds
        mistakes[agent.mistake] += 1
    assert passes / 2_000 == pytest.approx(0.3, abs=4 * (0.21 / 2_000) ** 0.5)
    share = 1_400 / len(MISTAKES)
    assert all(abs(mistakes[name] - share) < 4 * share**0.5 for name in MISTAKES)


def test_salt_changes_the_agent_and_not_the_customer(env: TauEnv) -> None:
    plain = Noisy(WRITING, others=TASKS, p=0.5)
    salted = Noisy(WRITING, others=TASKS, p=0.5, salt="/1")
    pairs = []
    for seed in range(40):
        for agent in (plain, salted):
            env.reset(seed=seed, options={"task": WRITING})
            agent.reset(env.briefing, seed)
        pairs.append((plain.succeeds, salted.succeeds))
    assert {(True, False), (False, True)} <= set(pairs)


def test_planted_crashes_always_happen_and_at_their_rate(env: TauEnv) -> None:
    crashed = 0
    for seed in range(300):
        task = TASKS[seed % len(TASKS)]
        agent = Crashing(Noisy(task, others=TASKS, p=0.5), rate=0.4)
        trial = run_trial(env, agent, task, seed=seed)
        assert (trial.status == "crashed") == agent.planned, (task.id, seed)
        crashed += agent.planned
    assert crashed / 300 == pytest.approx(0.4, abs=4 * (0.24 / 300) ** 0.5)


def test_a_crash_leaves_the_agents_own_draws_alone(env: TauEnv) -> None:
    for seed in range(20):
        bare = Noisy(WRITING, others=TASKS, p=0.5)
        run_trial(env, bare, WRITING, seed=seed)
        inner = Noisy(WRITING, others=TASKS, p=0.5)
        run_trial(env, Crashing(inner, rate=0.5, attempt=3), WRITING, seed=seed)
        assert (inner.succeeds, inner.mistake) == (bare.succeeds, bare.mistake)


def test_a_rerun_draws_its_own_crash(env: TauEnv) -> None:
    env.reset(seed=0, options={"task": WRITING})
    planned = []
    for attempt in range(2):
        row = []
        for seed in range(60):
            agent = Crashing(Noisy(WRITING, p=1.0), rate=0.5, attempt=attempt)
            with suppress(Crash):
                agent.reset(env.briefing, seed)
            row.append(agent.planned)
        planned.append(row)
    assert planned[0] != planned[1]
