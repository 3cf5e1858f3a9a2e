"""Planted knowledge is found; honest transcripts, also of agents that read much, are not."""

import pytest

from tau_env import content
from tau_env.harness.contamination import CANARY, goal_values, scan, scan_trial
from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.study import plan_agent, plan_study
from tau_env.registry import domain_names
from tau_env.schema import Call, Trial, Turn

TASKS = content.tasks("retail")
TASK = next(task for task in TASKS.values() if goal_values(task))
VALUE = next(iter(goal_values(TASK).values()))


def trial(*turns, **more):
    opening = Turn(who="customer", text="Hello, I need help.")
    return Trial(
        task=TASK.id, trial=2, seed=0, agent="a", domain="retail", transcript=(opening, *turns),
        **more,
    )  # fmt: skip


def kinds(*turns, **more):
    return [(hit.kind, hit.turn) for hit in scan_trial(trial(*turns, **more), TASK)]


@pytest.mark.parametrize(
    "text", ["this looks like tau-bench", "τ-bench task 7", "tau2-bench", "TAU_BENCH", "tau_env v1",
             "τ²-bench", "tau bench"]
)  # fmt: skip
def test_name_of_a_benchmark_is_found(text):
    assert kinds(Turn(who="agent", text=f"I think {text}.")) == [("name", 2)]


@pytest.mark.parametrize("text", ["the tau of benches", "Tauber's workbench", "a restaurant bench"])
def test_like_words_are_no_name(text):
    assert kinds(Turn(who="agent", text=text)) == []


def test_canary_is_found_wherever_it_stands():
    canary = content.task_files("retail")[0].canary
    assert kinds(Turn(who="agent", text=canary)) == [("canary", 2)]
    assert kinds(Turn(who="customer", text=canary)) == [("canary", 2)]
    assert kinds(Turn(who="agent", text=canary), insider=True) == [("canary", 2)]


def test_goal_value_that_nobody_told_is_found_in_words_and_calls():
    (hit,) = scan_trial(trial(Turn(who="agent", text=f"I shall use {VALUE}.")), TASK)
    assert (hit.kind, hit.text, hit.turn, hit.trial) == ("goal", VALUE, 2, 2)
    call = Call(name="x", raw=f'{{"id": "{VALUE}"}}')
    assert ("goal", 2) in kinds(Turn(who="call", call=call))


def test_goal_value_that_was_told_before_is_no_hit():
    told = Turn(who="customer", text=f"It is {VALUE.lower()}.")
    said = Turn(who="agent", text=f"I shall use {VALUE}.")
    assert kinds(told, said) == []
    looked = Turn(who="call", call=Call(name="x", result=f'["{VALUE}"]'))
    assert kinds(looked, said) == []
    assert kinds(said, told) == [("goal", 2)], "told too late"


def test_insider_knows_the_goal_by_design():
    assert kinds(Turn(who="agent", text=VALUE), insider=True) == []


def test_words_dates_and_amounts_are_no_goal_values():
    for task in TASKS.values():
        for value in goal_values(task).values():
            assert any(map(str.isdigit, value))
            assert not value.startswith("$")
            assert len(value) >= 5


def test_honest_agents_have_no_hits(shelf):
    """The reference, taken for an agent that knows nothing, writes only what it was told."""
    tasks = choose_tasks("retail")[::4]
    names = ["reference", "random", "recite-all", "look-then-refuse"]
    study = plan_study("retail", [plan_agent(name) for name in names], tasks, trials=1)
    run_study(study, tasks, shelf)
    trials = [one.model_copy(update={"insider": False}) for one in shelf.trials]
    assert scan(trials, TASKS) == ()


def test_every_task_file_has_a_canary_of_its_own():
    """F140."""
    found = [one.canary for domain in domain_names() for one in content.task_files(domain)]
    assert all(CANARY.search(canary) for canary in found)
    assert len(set(found)) == len(found)
