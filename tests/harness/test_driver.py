"""Crashes are rerun and counted, failures never; every kind of bad agent leaves a record."""

import time

import pytest

from tau_env.errors import BadArgument, StudyAborted
from tau_env.harness.driver import run_study
from tau_env.schema import Budgets, lasting


def one_trial(make, tasks, shelf, agent, **more):
    """The first trial of an agent that meets one task once."""
    study = make(agent, trials=1, **more)
    run_study(study, tasks, shelf, slots=list(study.slots())[:1])
    return shelf.trials[0]


def test_mistake_of_the_agent_is_a_failure_and_never_rerun(make, tasks, shelf):
    for agent in ("Raises", "Exits"):
        trial = one_trial(make, tasks, shelf, agent)
        assert (trial.status, trial.end_reason, trial.passed) == ("graded", "agent_error", False)
        assert not trial.attempts
        shelf.trials.clear()
    assert not shelf.attempts


def test_context_overflow_is_an_end_of_its_own(make, tasks, shelf):
    """F63: neither retried nor a crash."""
    trial = one_trial(make, tasks, shelf, "Overflows")
    assert (trial.status, trial.end_reason) == ("graded", "context_overflow")
    assert trial.passed is False
    assert "200,001" in trial.error
    assert not trial.attempts
    assert not shelf.attempts


def test_crash_is_rerun_up_to_r_times_with_the_attempts_kept(make, tasks, shelf, tmp_path):
    settings = {"folder": str(tmp_path), "times": 2}
    study = make("CrashesAtFirst", settings=settings, retries=2)
    done = run_study(study, tasks, shelf, abort_after=100)
    assert (done.crashed, done.failed + done.passed) == (0, study.size)
    assert done.reruns == len(shelf.attempts) == 2 * study.size
    for trial in shelf.trials:
        assert [one.error for one in trial.attempts] == ["TimeoutError: no answer"] * 2
        assert trial.status == "graded"


def test_exhausted_crash_is_missing_not_failed(make, tasks, shelf, tmp_path):
    settings = {"folder": str(tmp_path), "times": 2}
    study = make("CrashesAtFirst", settings=settings, retries=1, trials=1)
    done = run_study(study, tasks, shelf, abort_after=100)
    assert (done.crashed, done.passed + done.failed) == (study.size, 0)
    for trial in shelf.trials:
        assert (trial.status, trial.passed, len(trial.attempts)) == ("crashed", None, 1)


def test_rerun_of_a_crash_gives_the_trial_of_an_undisturbed_run(make, tasks, shelf, tmp_path):
    study = make("CrashesAtFirst", settings={"folder": str(tmp_path)}, retries=1)
    run_study(study, tasks, shelf)
    disturbed = [one.model_copy(update={"attempts": ()}) for one in shelf.trials]
    shelf.trials.clear()
    run_study(study, tasks, shelf)
    assert sorted(map(lasting, disturbed)) == sorted(map(lasting, shelf.trials))


def test_run_is_given_up_when_the_first_attempts_all_crash(make, tasks, shelf):
    """F76: a wrong key is told, and is no table of zeros."""
    study = make("Crashes", trials=8)
    with pytest.raises(StudyAborted, match=r"first 4 attempts all crashed.*401 wrong key"):
        run_study(study, tasks, shelf, abort_after=4)
    assert StudyAborted.exit_code == 1
    assert len(shelf.trials) + len(shelf.attempts) == 4


def test_crashes_after_a_first_success_do_not_give_a_run_up(make, tasks, shelf):
    study = make("Asks", "Crashes", trials=4, retries=0)
    done = run_study(study, tasks, shelf, abort_after=3)
    assert (done.crashed, done.failed) == (12, 12)


def test_agent_that_cannot_be_made_for_lack_of_a_server_is_a_crash(make, tasks, shelf):
    trial = one_trial(make, tasks, shelf, "Unmakeable", retries=0)
    assert (trial.status, trial.error) == ("crashed", "ConnectionError: no server")


def test_hanging_agent_is_stopped_by_the_clock(make, tasks, shelf):
    """F66: the record is there although the agent never answers."""
    started = time.monotonic()
    trial = one_trial(make, tasks, shelf, "Hangs", budgets=Budgets(max_steps=30, max_seconds=0.1))
    assert time.monotonic() - started < 5
    assert (trial.status, trial.end_reason, trial.passed) == ("graded", "max_seconds", False)
    assert trial.grade is not None
    assert set(trial.grade.parts) >= {"state", "outputs"}


def test_flooding_agent_leaves_a_record_of_bounded_size(make, tasks, shelf, capfd):
    trial = one_trial(make, tasks, shelf, "Floods")
    assert trial.status == "graded"
    assert len(lasting(trial)) < 200_000
    capfd.readouterr()


def test_token_budget_ends_the_trial_before_the_next_action(make, tasks, shelf):
    trial = one_trial(make, tasks, shelf, "Spends", budgets=Budgets(max_steps=30, max_tokens=120))
    assert (trial.end_reason, trial.steps) == ("max_tokens", 2)
    usage = trial.usage["agent"]
    assert (usage.calls, usage.tokens, usage.cost) == (3, 180, pytest.approx(0.003))
    assert trial.usage["user"] is None, "unknown is null, never 0"


def test_token_budget_for_an_agent_that_tells_nothing_is_refused(make, tasks, shelf):
    study = make("Asks", budgets=Budgets(max_steps=30, max_tokens=100))
    with pytest.raises(BadArgument, match="no attribute 'usage'"):
        run_study(study, tasks, shelf)


def test_grader_fault_leaves_the_trial_ungraded_and_the_others_whole(
    make, tasks, shelf, monkeypatch
):
    """F62, F108: the total stays, the record exists, the reason is given."""
    import tau_env.env

    real = tau_env.env.grade_full
    seen = []

    def broken(task, *more):
        seen.append(task.id)
        if len(seen) == 2:
            raise ZeroDivisionError("no such thing")
        return real(task, *more)

    monkeypatch.setattr(tau_env.env, "grade_full", broken)
    study = make("Asks")
    done = run_study(study, tasks, shelf)
    assert (done.done, done.ungraded, done.failed) == (6, 1, 5)
    bad = next(trial for trial in shelf.trials if trial.status == "ungraded")
    assert bad.error.startswith("grader: ZeroDivisionError: no such thing")
    assert bad.grade is None
    assert len(bad.transcript) > 1
    assert bad.end_reason == "agent_ended"


def test_user_fault_leaves_the_trial_ungraded(make, tasks, shelf, monkeypatch):
    from tau_env.users.scripted import ScriptedUser

    def broken(self, text):
        raise RuntimeError("the customer is confused")

    monkeypatch.setattr(ScriptedUser, "reply", broken)
    trial = one_trial(make, tasks, shelf, "Asks")
    assert trial.status == "ungraded"
    assert "RuntimeError: the customer is confused" in trial.error


def test_environment_fault_leaves_the_trial_ungraded(make, tasks, shelf, monkeypatch):
    """F68: a lost world is nobody's failure."""
    from tau_env.world.database import World

    def broken(self, setup):
        raise RuntimeError("the world is gone")

    with monkeypatch.context() as patch:
        patch.setattr(World, "begin", broken)
        trial = one_trial(make, tasks, shelf, "Asks")
    assert (trial.status, trial.passed) == ("ungraded", None)
    assert trial.error.startswith("environment: RuntimeError")
    assert (trial.task, trial.family) == (tasks[0].id, tasks[0].family)


def test_crash_of_the_customer_is_a_crash(make, tasks, shelf, monkeypatch):
    from tau_env.users.scripted import ScriptedUser

    def gone(self, text):
        raise ConnectionError("model of the customer is away")

    monkeypatch.setattr(ScriptedUser, "reply", gone)
    assert one_trial(make, tasks, shelf, "Asks", retries=0).status == "crashed"


def test_clock_jumps_change_nothing(make, tasks, shelf, monkeypatch):
    study = make("Draws", budgets=Budgets(max_steps=30, max_seconds=30))
    run_study(study, tasks, shelf)
    before = sorted(map(lasting, shelf.trials))
    shelf.trials.clear()
    hours = iter(range(10**6, 0, -3600))
    monkeypatch.setattr(time, "time", lambda: float(next(hours)))
    run_study(study, tasks, shelf)
    assert sorted(map(lasting, shelf.trials)) == before


def test_progress_counts_every_slot_once(make, tasks, shelf):
    study = make("reference", "Asks")
    heard = []
    done = run_study(study, tasks, shelf, told=heard.append)
    assert [one.done for one in heard] == list(range(study.size + 1))
    assert done == heard[-1]
    assert (done.total, done.passed, done.failed) == (12, 6, 6)
    assert done.rate is not None
    assert done.eta == 0
    assert "12 of 12: 6 passed, 6 failed, 0 crashed, 0 ungraded" in str(done)
    assert heard[0].rate is None


def test_every_trial_carries_what_it_was_made_with(make, tasks, shelf):
    """F128: the policy's digest is in every record."""
    study = make("Set", settings={"model": "m-1", "temperature": None})
    run_study(study, tasks, shelf)
    for trial in shelf.trials:
        assert trial.settings == {"model": "m-1", "temperature": None}
        assert trial.scaffold == "asks 1.0"
        assert trial.budgets == study.budgets
        assert trial.domain == "retail"
        assert trial.split in ("train", "test")
        assert set(trial.digests) == {
            "policy", "tools", "spec", "world", "version", "task", "graders", "user", "agent",
        }  # fmt: skip
        assert trial.seconds > 0
    assert len({trial.seed for trial in shelf.trials}) == study.size
