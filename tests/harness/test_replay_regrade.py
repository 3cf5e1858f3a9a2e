"""Stored trials play again byte by byte, and are judged again from the record alone."""

import pytest

import tau_env.harness.material as material_module
from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.material import Foreign, Material, read_material
from tau_env.harness.records import read_trials
from tau_env.harness.regrade import regrade_trial
from tau_env.harness.replay import replay_trial
from tau_env.harness.study import plan_agent, plan_study
from tau_env.schema import Budgets, Outcome, Turn
from tau_env.world.database import World

NOTHING = Material({}, {})


@pytest.fixture
def stored(make, play, tmp_path):
    path = tmp_path / "s.db"
    play(make("reference", "no-listener", "random", "Asks", "Floods", "Raises", trials=1), path)
    return read_trials(path).trials, read_material(path)


def test_every_trial_replays_to_the_same_bytes(stored):
    trials, material = stored
    for trial in trials:
        replayed = replay_trial(trial, material)
        assert replayed.identical, (trial.agent, replayed)


def test_only_what_no_record_keeps_is_taken_from_the_record(stored):
    trials, material = stored
    taken = {trial.agent: replay_trial(trial, material).taken for trial in trials}
    assert taken["Floods"] > 0
    assert taken["reference"] == taken["no-listener"] == 0


def test_lines_replay_without_a_store(stored):
    """Also those of insiders, whose task is made again from the agent."""
    for trial in stored[0]:
        assert replay_trial(trial, NOTHING).identical, trial.agent


def test_changed_line_is_found_with_its_turn(stored):
    trials, material = stored
    trial = trials[0]
    turns = list(trial.transcript)
    number = next(n for n, turn in enumerate(turns) if n and turn.who == "customer")
    turns[number] = Turn(who="customer", text="Something else.")
    replayed = replay_trial(trial.model_copy(update={"transcript": tuple(turns)}), material)
    assert (replayed.identical, replayed.turn) == (False, number + 1)
    assert "Something else." in replayed.was
    assert "Something else." not in replayed.now


def test_changed_outcome_is_found(stored):
    trials, material = stored
    trial = next(one for one in trials if one.agent == "reference" and one.outcome.patch)
    empty = Outcome(end_reason=trial.outcome.end_reason)
    replayed = replay_trial(trial.model_copy(update={"outcome": empty}), material)
    assert (replayed.identical, replayed.turn) == (False, 0)


@pytest.mark.parametrize(
    ("agent", "budgets"),
    [
        ("Overflows", Budgets(max_steps=30)),
        ("Hangs", Budgets(max_steps=30, max_seconds=0.05)),
        ("Draws", Budgets(max_steps=2)),
        ("Spends", Budgets(max_steps=30, max_tokens=100)),
    ],
)
def test_trial_that_a_budget_ended_replays(make, tasks, shelf, agent, budgets):
    study = make(agent, trials=1, budgets=budgets)
    run_study(study, tasks, shelf)
    for trial in shelf.trials:
        assert replay_trial(trial, NOTHING).identical


def test_regrade_equals_the_stored_grade_and_reads_no_world(stored, monkeypatch):
    """F94: same version, same grade, in every case."""

    def closed(*_, **__):
        raise AssertionError("judging must not touch a world")

    monkeypatch.setattr(World, "begin", closed)
    trials, material = stored
    for trial in trials:
        regraded = regrade_trial(trial, material)
        assert regraded.same
        assert regraded.grade == trial.grade


@pytest.mark.heavy
@pytest.mark.parametrize("agent", ["reference", "over-eager", "side-effect", "recite-all"])
def test_regrade_and_replay_agree_over_all_tasks(agent, shelf):
    tasks = choose_tasks("retail")
    study = plan_study("retail", [plan_agent(agent)], tasks, trials=2)
    run_study(study, tasks, shelf)
    for trial in shelf.trials:
        assert regrade_trial(trial, NOTHING).same
        assert replay_trial(trial, NOTHING).identical


def test_ungraded_trial_is_graded_later(stored):
    trials, material = stored
    for trial in trials:
        bare = trial.model_copy(update={"grade": None, "status": "ungraded"})
        regraded = regrade_trial(bare, material)
        assert regraded.trial.status == "graded"
        assert regraded.grade == trial.grade
        assert regraded.stored is None


def test_grader_that_fails_again_leaves_the_trial_as_it_was(stored, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("again")

    monkeypatch.setattr("tau_env.harness.regrade.grade_full", broken)
    trials, material = stored
    regraded = regrade_trial(trials[0], material)
    assert (regraded.grade, regraded.same) == (None, False)
    assert "ZeroDivisionError: again" in regraded.error
    assert regraded.trial == trials[0]


def test_foreign_graders_are_refused_unless_told(stored):
    trials, material = stored
    digests = {**trials[0].digests, "graders": "0123456789abcdef"}
    foreign = trials[0].model_copy(update={"digests": digests})
    with pytest.raises(Foreign, match=r"graders 0123456789abcdef, here .*--foreign"):
        regrade_trial(foreign, material)
    assert regrade_trial(foreign, material, foreign=True).same


def test_foreign_world_is_not_replayed_unless_told(stored):
    trials, material = stored
    digests = {**trials[0].digests, "world": "0123456789abcdef"}
    foreign = trials[0].model_copy(update={"digests": digests})
    with pytest.raises(Foreign, match="world 0123456789abcdef, here "):
        replay_trial(foreign, material)
    assert replay_trial(foreign, material, foreign=True).identical


def test_changed_task_is_refused_where_the_file_does_not_hold_it(stored):
    trials = stored[0]
    digests = {**trials[0].digests, "task": "0123456789abcdef"}
    changed = trials[0].model_copy(update={"digests": digests})
    with pytest.raises(Foreign, match="has changed: 0123456789abcdef was played"):
        regrade_trial(changed, NOTHING)
    assert regrade_trial(changed, NOTHING, foreign=True).same
    gone = changed.model_copy(update={"task": "no-such-task"})
    with pytest.raises(Foreign, match="neither in the file nor installed"):
        regrade_trial(gone, NOTHING, foreign=True)


def test_spec_of_the_file_is_used_when_the_installed_one_has_changed(stored, monkeypatch):
    trials, material = stored
    real = material_module.domain_digests

    def moved(domain, **more):
        return {**real(domain, **more), "spec": "0123456789abcdef"}

    monkeypatch.setattr(material_module, "domain_digests", moved)
    assert regrade_trial(trials[0], material).same
    with pytest.raises(Foreign, match="spec "):
        regrade_trial(trials[0], NOTHING)
