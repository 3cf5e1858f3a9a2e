"""A study states everything that decides a result, and refuses what would be meaningless."""

import pytest

from tau_env.errors import BadArgument, UnknownName
from tau_env.harness.study import KS, TRIALS, Slot, differences, plan_agent, plan_study
from tau_env.schema import Budgets, digest


def test_defaults_are_eight_trials_and_k_one_two_four_eight(tasks):
    study = plan_study("retail", [plan_agent("silent")], tasks)
    assert (study.trials, study.ks) == (TRIALS, KS) == (8, (1, 2, 4, 8))
    assert study.k_reason
    assert study.budgets == Budgets(max_steps=30)


def test_k_without_a_reason_is_refused(tasks):
    plans = [plan_agent("silent")]
    with pytest.raises(BadArgument, match="needs its reason"):
        plan_study("retail", plans, tasks, ks=(4,))
    with pytest.raises(BadArgument, match="from 1 to the 2 trials"):
        plan_study("retail", plans, tasks, trials=2, ks=(4,), k_reason="four a year")
    study = plan_study("retail", plans, tasks, ks=(4, 1, 4), k_reason="four a year")
    assert (study.ks, study.k_reason) == ((1, 4), "four a year")


def test_scaffold_is_never_missing():
    with pytest.raises(BadArgument, match="empty scaffold"):
        plan_agent("silent", scaffold="  ")
    assert plan_agent("silent").scaffold == "tau_env.agents.floors:Silent"
    assert plan_agent("harness_agents:Set").scaffold == "asks 1.0"
    assert plan_agent("harness_agents:Set", scaffold="mine 2").scaffold == "mine 2"


def test_user_played_by_an_unnamed_model_is_refused(tasks, monkeypatch):
    import harness_agents

    monkeypatch.setattr(harness_agents, "Model", type("Model", (), {"waits": True}), raising=False)
    with pytest.raises(BadArgument, match="none is named"):
        plan_study("retail", [plan_agent("silent")], tasks, user="harness_agents:Model")
    with pytest.raises(UnknownName):
        plan_study("retail", [plan_agent("silent")], tasks, user="nobody")


def test_same_name_twice_is_refused(tasks):
    with pytest.raises(BadArgument, match="none twice"):
        plan_study("retail", [plan_agent("silent"), plan_agent("silent")], tasks)
    with pytest.raises(BadArgument, match="none twice"):
        plan_study("retail", [plan_agent("silent")], [tasks[0], tasks[0]])
    with pytest.raises(BadArgument, match="at least one"):
        plan_study("retail", [plan_agent("silent")], [])


def test_slots_are_each_place_once_in_whole_rounds(make):
    study = make("silent", "refuser", trials=3)
    slots = list(study.slots())
    assert len(set(slots)) == len(slots) == study.size == 18
    assert [slot.trial for slot in slots] == [0] * 6 + [1] * 6 + [2] * 6
    assert slots[0] == Slot("silent", study.tasks[0].id, 0)


def test_study_names_what_decides_a_grade(make, tasks):
    study = make("silent")
    assert set(study.digests) == {
        "policy", "tools", "spec", "world", "version", "graders", "user",
    }  # fmt: skip
    assert all(study.digests.values())
    assert [one.digest for one in study.tasks] == [digest(task) for task in tasks]
    assert study.agents[0].code != "unknown"


def test_differences_name_each_setting_with_both_values(make):
    ours = make("silent", "refuser", seed=1)
    theirs = make("silent", seed=2, budgets=Budgets(max_steps=9))
    theirs = theirs.model_copy(update={"user_settings": {"x": 1}})
    told = [str(one) for one in differences(ours, theirs)]
    assert "seed: 1 in the study, 2 asked for" in told
    assert "budgets, max_steps: 30 in the study, 9 asked for" in told
    assert "agent refuser: 'refuser' in the study, None asked for" in told
    assert "user_settings, x: None in the study, 1 asked for" in told
    assert differences(ours, ours) == ()


def test_null_and_absent_settings_are_different_studies(make):
    """F91: 'temperature none' and 'temperature unset' are two runs."""
    null = make("Set", settings={"temperature": None})
    absent = make("Set", settings={})
    assert null.digest != absent.digest
    assert differences(null, absent)


def test_digest_of_a_study_is_that_of_its_content(make):
    study = make("silent")
    again = type(study).model_validate_json(study.model_dump_json())
    assert again.digest == study.digest
    assert make("silent", seed=1).digest != study.digest


def test_anything_but_the_standard_run_is_labelled(make, tasks):
    """F95, F96: a subset, another customer or another budget never passes as the standard."""
    labels = make("silent", budgets=Budgets(max_steps=9)).labels
    assert any(label.startswith(f"partial: {len(tasks)} of ") for label in labels)
    assert "custom step budget: 9" in labels
    assert "2 trials a task, standard is 8" in labels
    from tau_env.harness.grid import choose_tasks

    assert plan_study("retail", [plan_agent("silent")], choose_tasks("retail")).labels == ()


def test_agent_that_waits_gets_a_time_budget(tasks):
    study = plan_study("retail", [plan_agent("harness_agents:Patient")], tasks)
    assert study.budgets.max_seconds == 600
