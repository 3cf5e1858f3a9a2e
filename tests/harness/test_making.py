"""Agents and users that cannot be made as planned are refused before the first trial."""

import pytest

from tau_env.errors import BadArgument
from tau_env.harness.study import plan_agent, plan_study

WRONG = [
    ("pathlib:Path", {}, r"no method 'reset'; it needs reset\(briefing, seed\) and act\("),
    ("odd_agents:NoAct", {}, r"no method 'act'"),
    ("odd_agents:Arity", {}, r"its reset: too many positional arguments; it needs reset\("),
    ("odd_agents:Needs", {}, r"cannot be made: TypeError: .*'folder'"),
    ("odd_agents:Picky", {"number": 8}, r"cannot be made: ValueError: 8 is not 7"),
    ("harness_agents:Set", {"modle": "m"}, r"not take the setting 'modle'; it takes model, temp"),
    ("silent", {"x": 1}, r"not take the setting 'x'; it takes no settings"),
    ("noisy", {"skill": 7}, r"a mean between 0 and 1"),
    ("noisy", {"skill": {"maen": 0.5}}, r"Did you mean 'mean'"),
]


@pytest.mark.parametrize(("source", "settings", "told"), WRONG, ids=lambda one: str(one)[:30])
def test_agent_that_cannot_be_made_is_refused(tasks, source, settings, told):
    with pytest.raises(BadArgument, match=told) as refused:
        plan_study("retail", [plan_agent(source, settings=settings)], tasks)
    assert "\n" not in str(refused.value)


def test_user_that_cannot_be_made_is_refused(tasks):
    agent = plan_agent("silent")
    with pytest.raises(BadArgument, match="user 'scripted' does not take the setting 'modle'"):
        plan_study("retail", [agent], tasks, user_settings={"modle": "m"})
    with pytest.raises(BadArgument, match=r"user 'odd_agents:Ends'.* it needs reset\(scenario"):
        plan_study("retail", [agent], tasks, user="odd_agents:Ends")


def test_agent_that_can_be_made_is_not_refused(tasks):
    """A server that is away is told by the trial, not by the plan."""
    for source, settings in (
        ("harness_agents:Unmakeable", {}),
        ("harness_agents:Set", {"model": "m"}),
        ("odd_agents:Needs", {"folder": "f"}),
        ("reference", {}),
        ("noisy", {"skill": 0.7}),
        ("noisy", {"skill": {"mean": 0.7}, "salt": "a"}),
    ):
        plan = plan_agent(source, settings=settings)
        assert plan_study("retail", [plan], tasks).agents == (plan,)


def test_mean_skill_of_a_noisy_agent_is_planted(tasks, shelf):
    from tau_env.harness.driver import run_study

    plans = [
        plan_agent("noisy", name=f"noisy {mean}", settings={"skill": mean}) for mean in (0.01, 0.99)
    ]
    run_study(plan_study("retail", plans, tasks, trials=4), tasks, shelf)
    passed = {
        plan.name: sum(bool(one.passed) for one in shelf.trials if one.agent == plan.name)
        for plan in plans
    }
    assert passed["noisy 0.01"] <= 1
    assert passed["noisy 0.99"] >= 11
    assert all(trial.insider for trial in shelf.trials)
