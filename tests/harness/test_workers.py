"""Identical grids give identical records, whoever plays them; a worker that dies loses nothing."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path

import pytest

from tau_env.errors import BadArgument
from tau_env.harness import backends
from tau_env.harness.backends import Here, Processes, Threads, choose_backend, most_processes
from tau_env.harness.driver import run_study
from tau_env.harness.records import read_trials
from tau_env.schema import Budgets, lasting

ROOT = Path(__file__).resolve().parents[2]


def rows(path):
    return sorted(map(lasting, read_trials(path).trials))


def test_threads_for_agents_that_wait_processes_for_others(make, tasks):
    for agents, kind in (
        (("Patient",), Threads),
        (("Draws",), Processes),
        (("Draws", "Patient"), Threads),
    ):
        backend = choose_backend(make(*agents), tasks, 2)
        assert isinstance(backend, kind)
        backend.stop()
    assert isinstance(choose_backend(make("Patient"), tasks, 1), Here)
    with pytest.raises(BadArgument, match="at least 1"):
        choose_backend(make("Draws"), tasks, 0)


def test_any_order_gives_the_same_records(make, tasks, shelf):
    study = make("Draws", "random")
    found = []
    for order in range(3):
        slots = list(study.slots())
        random.Random(order).shuffle(slots)
        run_study(study, tasks, shelf, slots=slots)
        found.append(sorted(map(lasting, shelf.trials)))
        shelf.trials.clear()
    assert found[0] == found[1] == found[2]


def test_processes_give_the_records_of_one_worker(make, play, tmp_path):
    study = make("Draws", "random", "no-listener")
    play(study, tmp_path / "1.db")
    done = play(study, tmp_path / "3.db", workers=3)
    assert done.done == study.size
    assert rows(tmp_path / "1.db") == rows(tmp_path / "3.db")
    workers = {trial.worker for trial in read_trials(tmp_path / "3.db").trials}
    assert len(workers) > 1


def test_threads_give_the_records_of_one_worker(make, play, tmp_path):
    study = make("Patient", trials=4)
    play(study, tmp_path / "1.db")
    play(study, tmp_path / "8.db", workers=8)
    assert rows(tmp_path / "1.db") == rows(tmp_path / "8.db")
    workers = {trial.worker for trial in read_trials(tmp_path / "8.db").trials}
    assert len(workers) > 1


GRID = ["--domain", "retail", "--agent", "random", "--agent", "harness_agents:Draws"]


def lines_of(folder, name, *words, hash_seed="random"):
    path = folder / name
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    environment["PYTHONHASHSEED"] = hash_seed
    subprocess.run(
        [sys.executable, "-m", "tau_env", "run", *GRID, *words, "--study", path, "--trials", "2"],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    return rows(path)


def test_hash_seed_changes_nothing(tmp_path):
    words = ["--tasks", "retail-cancel-pending-00*"]
    first = lines_of(tmp_path, "a.db", *words, hash_seed="0")
    assert first
    assert lines_of(tmp_path, "b.db", *words, hash_seed="4711") == first


class Idle:
    """Stands for a process; answers nothing."""

    def __init__(self, *_):
        self.slots = deque()
        self.given = []

    def submit(self, slot):
        self.slots.append(slot)
        self.given.append(slot)

    def end(self):
        pass


def test_task_stays_with_the_process_that_has_read_its_texts(make, tasks, monkeypatch):
    monkeypatch.setattr(backends, "_Process", Idle)
    backend = Processes(make("Draws", "random"), tasks, 2)
    homes = {tasks[0].id: 0, tasks[1].id: 1, tasks[2].id: 0}
    for slot in make("Draws", "random").slots():
        backend.submit(slot)
    while any(one.slots for one in backend._running.values()):
        # Both are equally quick, so nobody runs out before its own tasks are done.
        for place, one in list(backend._running.items()):
            if one.slots:
                slot = one.slots.popleft()
                own = any(homes[other.task] == place for other in backend._waiting)
                backend._deal()
                assert homes[slot.task] == place or not own
    given = {place: one.given for place, one in backend._running.items()}
    assert {slot.task for slot in given[0][:8]} == {tasks[0].id, tasks[2].id}
    assert {slot.task for slot in given[1][:4]} == {tasks[1].id}
    assert sum(map(len, given.values())) == 12


def test_one_task_keeps_all_processes_busy(make, tasks, monkeypatch):
    monkeypatch.setattr(backends, "_Process", Idle)
    study = make("Draws", trials=8)
    backend = Processes(study, tasks, 2)
    for slot in study.slots():
        if slot.task == tasks[0].id:
            backend.submit(slot)
    assert [len(one.slots) for one in backend._running.values()] == [2, 1]


def test_careless_number_of_processes_is_bounded(make, tasks):
    backend = choose_backend(make("Draws"), tasks, 10_000)
    assert backend.capacity == choose_backend(make("Draws"), tasks, most_processes()).capacity
    assert choose_backend(make("Draws"), tasks, 2).capacity < backend.capacity
    assert choose_backend(make("Patient"), tasks, 40).capacity == 40, "threads wait"


def test_process_starts_without_waiting_for_the_last(make, tasks):
    """A plan larger than a pipe must not make processes start one after the other."""
    many = [tasks[0].model_copy(update={"id": f"{tasks[0].id}-{number}"}) for number in range(1000)]
    study = make("Draws")
    started = time.monotonic()
    backend = Processes(study, [*tasks, *many], 1)
    backend.submit(next(study.slots()))
    handed_over = time.monotonic() - started
    assert backend.wait().played is not None
    assert handed_over < 0.5 * (time.monotonic() - started)
    backend.stop()


@pytest.mark.heavy
def test_eight_processes_give_the_records_of_one_over_all_tasks(tmp_path):
    one = lines_of(tmp_path, "1.db", "--workers", "1", hash_seed="1")
    assert len(one) > 400
    assert lines_of(tmp_path, "8.db", "--workers", "8", hash_seed="2") == one


def test_worker_killed_in_a_trial_costs_an_attempt_and_no_trial(make, play, tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    study = make("Dies", settings={"folder": str(marks)}, trials=1)
    done = play(study, tmp_path / "s.db", workers=2)
    assert (done.done, done.crashed, done.reruns) == (3, 0, 3)
    for trial in read_trials(tmp_path / "s.db").trials:
        assert [one.error for one in trial.attempts] == ["worker died (signal 9)"]
        assert trial.status == "graded"


@pytest.mark.parametrize("stage", ["idle", "starting"])
def test_worker_killed_between_trials_loses_nothing(make, tasks, shelf, stage, monkeypatch):
    study = make("Draws", trials=4)
    backend = Processes(study, tasks, 2)
    monkeypatch.setattr("tau_env.harness.driver.choose_backend", lambda *_: backend)
    killed = []

    def kill(progress):
        if not killed and backend._running and (stage == "starting" or progress.done == 4):
            killed.append(backend._running[0].process)
            os.kill(killed[0].pid, signal.SIGKILL)

    submit = backend.submit
    if stage == "starting":

        def submit_and_kill(slot):
            submit(slot)
            kill(None)

        monkeypatch.setattr(backend, "submit", submit_and_kill)
    done = run_study(study, tasks, shelf, told=kill if stage == "idle" else lambda _: None)
    assert killed
    assert (done.done, done.crashed) == (study.size, 0)
    slots = {(trial.task, trial.trial) for trial in shelf.trials}
    assert len(slots) == len(shelf.trials) == study.size


def test_worker_whose_agent_hangs_is_replaced(make, play, tmp_path):
    study = make("Hangs", "Draws", trials=1, budgets=Budgets(max_steps=30, max_seconds=0.2))
    started = time.monotonic()
    done = play(study, tmp_path / "s.db", workers=2)
    assert time.monotonic() - started < 30
    assert (done.done, done.crashed, done.ungraded) == (6, 0, 0)
    for trial in read_trials(tmp_path / "s.db").trials:
        if trial.agent == "Hangs":
            assert (trial.end_reason, trial.passed) == ("max_seconds", False)
        else:
            assert trial.end_reason != "max_seconds"


def test_worker_that_says_nothing_is_stopped(make, tasks, shelf, monkeypatch):
    """An agent that never lets go of the interpreter: its own clock cannot stop it."""
    monkeypatch.setattr(backends, "GRACE", -0.3)
    study = make("Stops", trials=1, budgets=Budgets(max_steps=30, max_seconds=1.0))
    done = run_study(study, tasks, shelf, workers=2, slots=list(study.slots())[:2])
    assert done.failed == 2
    for trial in shelf.trials:
        assert trial.end_reason == "max_seconds"
        assert "did not let go" in trial.error


def test_agent_that_prints_does_not_mix_with_the_results(make, tasks, shelf, capfd):
    run_study(make("Floods", trials=1), tasks, shelf, workers=2)
    assert capfd.readouterr().out == ""


def test_ctrl_c_keeps_what_is_finished_and_ends_at_once(make, play, tmp_path):
    """F66, F112: also with agents in threads that never answer."""
    study = make("Draws", trials=4)

    def stop(progress):
        if progress.done == 5:
            raise KeyboardInterrupt

    path = tmp_path / "s.db"
    done = play(study, path, told=stop)
    assert (done.interrupted, done.done, len(read_trials(path).trials)) == (True, 5, 5)
    finished = play(study, path)
    assert (finished.interrupted, finished.ran) == (False, study.size - 5)


def test_ctrl_c_does_not_wait_for_agents_in_threads(make, tasks, shelf):
    study = make("Sleeps")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    done = run_study(study, tasks, shelf, workers=3)
    assert done.interrupted
    assert time.monotonic() - started < 5


def test_plan_that_cannot_be_carried_out_is_told_from_a_worker(make, tasks, shelf):
    study = make("Draws", budgets=Budgets(max_steps=30, max_tokens=9))
    with pytest.raises(BadArgument, match="no attribute 'usage'"):
        run_study(study, tasks, shelf, workers=2)
