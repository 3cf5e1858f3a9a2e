"""run_trials keeps the seed's signature and meaning, and loses no trial to another's crash."""

import asyncio
import inspect
import random

import pytest

from tau_env.errors import BadArgument, Crash
from tau_env.harness.asynchronous import StudyTrials, run_trials
from tau_env.harness.player import Player
from tau_env.harness.study import Slot
from tau_env.schema import lasting


def test_signature_is_that_of_the_seed():
    found = inspect.signature(run_trials)
    assert list(found.parameters) == ["tasks", "trial", "n", "concurrency"]
    assert found.parameters["n"].default == found.parameters["concurrency"].default == 8
    assert inspect.iscoroutinefunction(run_trials)


def test_results_are_in_order_and_the_seed_is_the_trial_number():
    rng = random.Random(0)

    async def trial(task, seed):
        await asyncio.sleep(rng.random() / 200)
        return (len(task) + seed) % 3 == 0

    found = asyncio.run(run_trials(["a", "bb"], trial, n=6, concurrency=4))
    assert found == {
        task: [(len(task) + seed) % 3 == 0 for seed in range(6)] for task in ("a", "bb")
    }
    assert found.crashes == found.errors == []


@pytest.mark.parametrize("limit", [1, 3, 8])
def test_no_more_than_the_limit_run_at_once(limit):
    now, most = 0, 0

    async def trial(task, seed):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return True

    asyncio.run(run_trials([f"t{n}" for n in range(4)], trial, n=5, concurrency=limit))
    assert most == limit


def test_crash_is_kept_apart_and_loses_no_other():
    async def trial(task, seed):
        if (task, seed) == ("b", 1):
            raise Crash("server gone")
        if (task, seed) == ("a", 2):
            raise ValueError("my own mistake")
        return True

    found = asyncio.run(run_trials(["a", "b"], trial, n=3))
    assert found == {"a": [True, True, False], "b": [True, True]}
    assert [(one.task, one.trial, one.error) for one in found.crashes] == [
        ("b", 1, "Crash: server gone")
    ]
    assert [(one.task, one.trial) for one in found.errors] == [("a", 2)]
    assert "my own mistake" in found.errors[0].error


@pytest.mark.parametrize("words", [{"n": 0}, {"concurrency": 0}, {"tasks": ["a", "a"]}])
def test_call_that_means_nothing_is_refused(words):
    async def trial(task, seed):
        return True

    with pytest.raises(BadArgument):
        asyncio.run(run_trials(**{"tasks": ["a"], "trial": trial, **words}))


def test_study_runs_through_the_same_code(make, tasks):
    study = make("Draws", trials=3)
    trial = StudyTrials(study, tasks, "Draws")
    found = asyncio.run(run_trials([task.id for task in tasks], trial, n=3, concurrency=2))
    trial.close()
    player = Player(study, tasks)
    for task, passed in found.items():
        own = [player.play(Slot("Draws", task, number)).trial for number in range(3)]
        assert passed == [one.passed for one in own]
        kept = [one for one in trial.trials if one.task == task]
        assert sorted(map(lasting, kept)) == sorted(map(lasting, own))
    player.close()


def test_crash_of_a_study_is_kept_apart(make, tasks):
    trial = StudyTrials(make("Crashes"), tasks, "Crashes")
    found = asyncio.run(run_trials([tasks[0].id], trial, n=2))
    trial.close()
    assert found == {tasks[0].id: []}
    assert len(found.crashes) == 2
    assert found.crashes[0].error.startswith("Crash: crashed: ConnectionError")
