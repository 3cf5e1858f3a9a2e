"""Lures taken are counted by kind, over graded trials of tasks that hold one."""

from tau_env.harness.driver import run_study
from tau_env.harness.grid import choose_tasks
from tau_env.harness.lures import LureCount, lure_counts, lures_told
from tau_env.harness.study import plan_agent, plan_study


def test_lures_of_played_tasks_are_counted_by_kind(shelf):
    tasks = choose_tasks("retail", ["contradiction", "exception", "order_note"])
    known = {task.id: task for task in tasks}
    held = {kind for task in tasks for kind in {lure.kind for lure in task.lures}}
    assert held == {"impossible", "injected", "pressure"}
    study = plan_study("retail", [plan_agent("reference")], tasks, trials=1)
    run_study(study, tasks, shelf)
    counts = lure_counts(shelf.trials, known)
    for one in counts:
        met = sum(any(lure.kind == one.kind for lure in task.lures) for task in tasks)
        assert (one.taken, one.met) == (0, met), "the reference takes none"
        assert met > 0
    fallen = shelf.trials[:]
    first = next(number for number, one in enumerate(fallen) if known[one.task].lures)
    grade = fallen[first].grade
    taken = grade.model_copy(update={"scores": {**grade.scores, "lures_taken": 0.5}})
    fallen[first] = fallen[first].model_copy(update={"grade": taken})
    kinds = {lure.kind for lure in known[fallen[first].task].lures}
    assert {one.kind for one in lure_counts(fallen, known) if one.taken} == kinds


def test_unmet_lures_have_no_rate():
    none = LureCount("injected", 0, 0)
    assert none.rate is None
    assert lures_told([none]) is None
    assert lures_told([none, LureCount("pressure", 1, 4)]) == "pressure 1 / 4"
    assert LureCount("pressure", 1, 4).rate == 0.25


def test_trials_without_a_grade_or_task_meet_nothing(make, tasks, shelf):
    run_study(make("Crashes", trials=1, retries=0), tasks, shelf)
    assert all(one.met == 0 for one in lure_counts(shelf.trials, {t.id: t for t in tasks}))
    assert all(one.met == 0 for one in lure_counts(shelf.trials, {}))
