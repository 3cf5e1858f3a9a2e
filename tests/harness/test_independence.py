"""Planted dependence is found, honest studies are not accused."""

import math
import random
from types import SimpleNamespace

import pytest

from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.independence import ALPHA, check_independence, drift
from tau_env.harness.study import plan_agent, plan_study
from tau_env.schema import Grade, Trial, Turn


def flags(trials):
    return {(one.agent, one.check) for one in check_independence(trials) if one.flagged}


def planted(*, tasks=20, trials=8, rate=lambda task, trial: 0.5, seed=0, agent="a", **more):
    """Trials of tasks with given pass rates, each with a transcript and a seed of its own."""
    rng = random.Random(seed)
    return [
        Trial(
            task=f"t{task:02d}",
            trial=trial,
            seed=rng.getrandbits(60),
            agent=agent,
            grade=Grade(grader="full", passed=rng.random() < rate(task, trial)),
            transcript=(Turn(who="agent", text=f"{rng.random()}"),),
            **more,
        )
        for task in range(tasks)
        for trial in range(trials)
    ]


def test_honest_trials_are_not_flagged():
    assert flags(planted() + planted(agent="b", seed=1)) == set()


def test_identical_seeds_within_a_task_are_flagged():
    trials = [one.model_copy(update={"seed": int(one.task[1:])}) for one in planted()]
    assert flags(trials) == {("a", "seeds")}


def test_trial_number_as_seed_of_every_task_is_flagged():
    trials = [one.model_copy(update={"seed": one.trial}) for one in planted()]
    (finding,) = (one for one in check_independence(trials) if one.flagged)
    assert finding.check == "seeds"
    assert "all 20 tasks share the same 8 seeds" in finding.detail


def test_one_task_with_its_own_seeds_is_not_flagged():
    assert flags(planted(tasks=1)) == set()


def test_decay_over_the_trial_number_is_flagged():
    trials = planted(rate=lambda task, trial: 0.9 - 0.1 * trial)
    assert flags(trials) == {("a", "drift")}
    found = drift(trials)
    assert found.slope == pytest.approx(-0.1, abs=0.03)
    assert found.p_value < 1e-6


def test_hard_and_easy_tasks_are_no_drift():
    """Rates that differ by task, and tasks with other numbers of trials, are no trend."""
    trials = planted(rate=lambda task, trial: task / 20)
    lost = [one for one in trials if one.task > "t10" or one.trial < 4]
    assert flags(lost) == set()


def test_drift_test_keeps_its_level():
    """Of 2,000 honest files about alpha are flagged; the bound is four standard errors."""
    repeats = 2_000
    flagged = 0
    for repeat in range(repeats):
        rng = random.Random(repeat)
        rates = [rng.random() for _ in range(10)]
        trials = [
            SimpleNamespace(task=task, trial=trial, passed=rng.random() < rates[task])
            for task in range(10)
            for trial in range(8)
        ]
        flagged += drift(trials).p_value < ALPHA
    spread = 4 * math.sqrt(ALPHA * (1 - ALPHA) / repeats)
    assert abs(flagged / repeats - ALPHA) < spread


def test_drift_without_variation_is_not_a_number():
    found = drift(planted(rate=lambda task, trial: 1.0))
    assert found.slope == 0
    assert math.isnan(found.p_value)
    assert math.isnan(drift([]).slope)
    assert flags(planted(rate=lambda task, trial: 1.0)) == set()


def test_copied_trials_are_flagged_even_with_seeds_of_their_own():
    trials = planted()
    first = {one.task: one for one in trials if one.trial == 0}
    copied = [
        one.model_copy(update={"transcript": first[one.task].transcript}) if one.trial == 5 else one
        for one in trials
    ]
    (finding,) = (one for one in check_independence(copied) if one.flagged)
    assert (finding.check, "trials 0 and 5" in finding.detail) == ("copies", True)


def test_crashed_and_ungraded_trials_are_no_copies():
    trials = [
        one.model_copy(update={"grade": None, "status": "crashed", "transcript": ()})
        for one in planted()
    ]
    assert flags(trials) == set()


@pytest.mark.parametrize("agent", ["silent", "transfer", "reference"])
def test_deterministic_agent_with_fresh_customers_is_not_flagged(agent, shelf):
    tasks = choose_tasks("retail")[::6]
    study = plan_study("retail", [plan_agent(agent)], tasks, trials=4)
    run_study(study, tasks, shelf)
    assert flags(shelf.trials) == set()


def test_study_that_seeds_trials_alike_is_flagged(shelf, monkeypatch):
    import tau_env.harness.player

    monkeypatch.setattr(tau_env.harness.player, "trial_seed", lambda study, task, trial: 7)
    tasks = choose_tasks("retail")[::12]
    study = plan_study("retail", [plan_agent("random")], tasks, trials=3)
    run_study(study, tasks, shelf)
    assert flags(shelf.trials) == {("random", "seeds"), ("random", "copies")}
