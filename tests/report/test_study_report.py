"""What a report says of a study, and what it never says without what it stands on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tau_env import content
from tau_env.errors import BadContent
from tau_env.harness.grid import Entry, run_grid
from tau_env.harness.provenance import domain_digests
from tau_env.harness.records import Records, TrialWriter, read_trials
from tau_env.report.agent_trials import results_of, tally
from tau_env.report.baselines_beside import Beside, known_tasks, play_beside
from tau_env.report.failures import classes, customers, lures, task_lines, twin_pairs
from tau_env.report.layout import Cell, Section, markdown
from tau_env.report.sections import report_sections
from tau_env.report.spending import spending
from tau_env.report.statement import asked_items, result_items
from tau_env.report.study_report import StudyReport, study_report
from tau_env.schema import Attempt, Evidence, Grade, Lure, Task, Trial, Usage
from tau_env.trial import trial_seed

TASKS = content.tasks("retail")
NAMES = list(TASKS)[:4]
RELEASED = Beside(reason="not played in this test", released=len(TASKS))


def trial(task: str, number: int, passed: bool | None, **more: Any) -> Trial:
    """A trial with a verdict, or a crashed one where ``passed`` is None."""
    scores = {"missing_effect": 0.0 if passed else 1.0, "progress": 1.0 if passed else 0.5}
    parts = {"state": Grade(grader="state", passed=bool(passed))}
    evidence = () if passed else (Evidence(text="state: missing: a row"),)
    grade = Grade(grader="full", passed=bool(passed), parts=parts, scores=scores, evidence=evidence)
    base: dict[str, Any] = {
        "task": task,
        "family": TASKS[task].family if task in TASKS else "made",
        "trial": number,
        "seed": trial_seed(0, task, number),
        "agent": "mine",
        "domain": "retail",
        "status": "crashed" if passed is None else "graded",
        "end_reason": "customer_ended",
        "grade": None if passed is None else grade,
        "digests": {"policy": "p1", "task": task},
    }
    return Trial.model_validate(base | more)


def records(trials: Iterable[Trial]) -> Records:
    return Records(tuple(trials), ())


def report(
    trials: Iterable[Trial], *, tasks: dict[str, Task] | None = None, **more: Any
) -> StudyReport:
    known = {name: TASKS[name] for name in NAMES} if tasks is None else tasks
    return study_report(records(trials), file="f.db", tasks=known, beside=RELEASED, **more)


def grid(verdicts: Mapping[str, Sequence[bool | None]], **more: Any) -> list[Trial]:
    return [
        trial(task, number, passed, **more)
        for task, row in verdicts.items()
        for number, passed in enumerate(row)
    ]


def text_of(found: StudyReport, title: str) -> str:
    section = next(one for one in report_sections(found) if one.title == title)
    return "\n".join([*section.lines, *(json.dumps(dict(row)) for row in section.rows)])


def test_one_surviving_trial_never_reads_as_a_bare_hundred() -> None:
    found = report(grid({NAMES[0]: [True, None, None, None], NAMES[1]: [True, None, None, None]}))
    scores = next(one for one in report_sections(found) if one.title == "Scores").rows
    assert [row["pass^k"] for row in scores] == [
        "100.0% of n = 1 of 4",
        "not estimable",
        "not estimable",
    ]
    assert "n = 1 of 4" in str(scores[2]["basis"])
    assert "NOT A STANDARD RUN" in text_of(found, "What this is")
    assert "partial 2/8 trials graded" in found.labels
    assert "missing = failed" in text_of(found, "Bounds")


def test_a_task_without_a_valid_trial_is_listed_first() -> None:
    found = report(grid({NAMES[0]: [True, True], NAMES[1]: [None, None], NAMES[2]: [False, True]}))
    lines = found.agents[0].tasks
    assert [(line.task, line.graded) for line in lines] == [
        (NAMES[1], 0),
        (NAMES[2], 2),
        (NAMES[0], 2),
    ]
    assert "no graded trial" in text_of(found, "Regression view: what failed, worst first")


def test_an_agent_without_any_grade_is_said_to_have_none() -> None:
    found = report(grid({NAMES[0]: [None, None]}))
    assert found.agents[0].numbers is None
    assert "nothing can be said" in text_of(found, "What this is")
    assert "not estimable" in text_of(found, "Scores")


def test_a_subset_is_labelled_partial_and_has_no_headline() -> None:
    found = report(grid({name: [True] * 8 for name in NAMES}))
    assert f"partial 4/{len(TASKS)} tasks" in found.labels
    told = text_of(found, "What this is")
    assert "no headline" in told
    assert "passes all of" not in told


def test_a_whole_run_has_a_headline_with_interval_and_population() -> None:
    verdicts = {name: [True] * 7 + [place % 2 == 0] for place, name in enumerate(TASKS)}
    found = report(grid(verdicts), tasks=dict(TASKS))
    assert found.labels == ()
    told = text_of(found, "What this is")
    assert "mine passes all of 8 trials on 50% of tasks" in told
    assert "fresh tasks of these families" in told


def test_the_score_is_the_unbiased_estimate_with_plug_in_beside() -> None:
    found = report(grid({NAMES[0]: [True, True, False, True], NAMES[1]: [True] * 4}))
    numbers = found.agents[0].numbers
    assert numbers is not None
    by_k = {row.k: row for row in numbers.rows}
    assert by_k[2].pass_hat_k == pytest.approx((0.5 + 1) / 2)
    assert by_k[2].plug_in == pytest.approx((0.5625 + 1) / 2)
    assert by_k[4].pass_hat_k == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"digests": {"policy": "p2"}}, "digest of policy"),
        ({"user": "model"}, "customer"),
        ({"user_settings": {"model": "b"}}, "the customer's settings"),
        ({"budgets": {"max_steps": 9}}, "budgets"),
        ({"scaffold": "v2"}, "scaffold of mine"),
        ({"settings": {"temperature": 1}}, "settings of mine"),
        ({"digests": {"policy": "p1", "agent": "a2"}}, "code of mine"),
        ({"domain": "airline"}, "domain"),
    ],
)
def test_trials_of_two_versions_are_never_pooled(more: dict[str, Any], what: str) -> None:
    mixed = [trial(NAMES[0], 0, True), trial(NAMES[0], 1, True, **more)]
    with pytest.raises(BadContent, match=f"2 versions of {what}"):
        report(mixed)


def test_agents_may_differ_in_scaffold_and_settings() -> None:
    both = [
        *grid({NAMES[0]: [True]}),
        *grid({NAMES[0]: [True]}, agent="theirs", scaffold="v2", settings={"model": "b"}),
    ]
    assert [one.scaffold for one in report(both).agents] == ["", "v2"]


def test_counts_add_up_to_the_plan() -> None:
    trials = [
        trial(NAMES[0], 0, True, attempts=[Attempt(error="x"), Attempt(error="y")]),
        trial(NAMES[0], 1, None, attempts=[Attempt(error="x")]),
        trial(NAMES[1], 0, None, status="ungraded"),
    ]
    found = tally(trials, tasks=2, planned=2)
    counts = (found.graded, found.passed, found.crashed, found.ungraded, found.missing)
    assert counts == (1, 1, 1, 1, 1)
    assert sum(counts) - found.passed == found.planned
    assert (found.crashed_attempts, found.attempts) == (4, 6)
    assert found.crash_rate == pytest.approx(4 / 6)


def test_missing_trials_become_problems_of_the_results() -> None:
    found = results_of([trial(NAMES[0], 0, True)], tasks={NAMES[0]: "a", NAMES[1]: "b"}, planned=2)
    assert [(one.task, one.detail) for one in found.problems] == [
        (NAMES[0], "1 of 2 trials have a grade"),
        (NAMES[1], "0 of 2 trials have a grade"),
    ]
    assert found.counts().trials.tolist() == [1, 0]


def test_the_planted_bad_task_comes_first_with_the_command_that_shows_it() -> None:
    verdicts: dict[str, list[bool | None]] = {name: [True, True] for name in NAMES}
    verdicts[NAMES[2]] = [True, False]
    trials = grid(verdicts)
    lines = task_lines(trials, NAMES, TASKS, planned=2, file="my study.db")
    assert lines[0].task == NAMES[2]
    assert lines[0].command == f"tau-env show 'my study.db' {NAMES[2]} 1 --agent mine"
    assert lines[0].reason == "state: missing: a row"
    assert lines[0].length == len(TASKS[NAMES[2]].reference)
    assert lines[1].command == ""


def test_one_bad_task_turns_the_suite_red() -> None:
    red = report(grid({NAMES[0]: [True, False], NAMES[1]: [True, True]}))
    green = report(grid({NAMES[0]: [True, True], NAMES[1]: [True, True]}))
    title = "Regression view: what failed, worst first"
    assert "RED, 1 of 2 tasks" in text_of(red, title)
    assert "GREEN, 0 of 2 tasks" in text_of(green, title)


def test_a_task_that_never_passed_is_hard_or_broken_by_the_reference() -> None:
    trials = records(grid({NAMES[0]: [False, False], NAMES[1]: [False, False]}))
    tasks = {name: TASKS[name] for name in NAMES[:2]}
    beside = Beside(floors=(("silent", 0.0),), ceiling=0.5, unsolved=(NAMES[1],), released=128)
    found = study_report(trials, file="f", tasks=tasks, beside=beside)
    told = text_of(found, "Tasks that never passed: broken, or hard?")
    assert "hard: the reference solution passes it" in told
    assert "BROKEN: the reference solution fails too" in told


def test_failures_are_counted_by_class_and_part() -> None:
    found = {
        one.name: (one.count, one.of) for one in classes(grid({NAMES[0]: [False, True, False]}))
    }
    assert found["class missing_effect"] == (2, 2)
    assert found["class extra_effect"] == (0, 2)
    assert found["part state"] == (2, 2)
    assert found["end customer_ended"] == (2, 2)


def test_lures_are_rates_of_the_trials_that_met_them() -> None:
    tempted = TASKS[NAMES[0]].model_copy(update={"lures": (Lure(kind="injected"),)})
    trials = grid({NAMES[0]: [True, True, True, False], NAMES[1]: [True]})
    fallen = trials[0].grade
    assert fallen is not None
    taken = fallen.model_copy(update={"scores": {**fallen.scores, "lures_taken": 1.0}})
    trials[0] = trials[0].model_copy(update={"grade": taken})
    tasks = {NAMES[0]: tempted, NAMES[1]: TASKS[NAMES[1]]}
    found = {one.name: (one.count, one.of, one.rate) for one in lures(trials, tasks)}
    assert found["injected"] == (1, 4, 0.25)
    assert found["impossible"] == (0, 0, None)
    told = text_of(report(trials, tasks=tasks), "Twins and lures")
    assert "3 of 4 (75.0%)" in told
    assert "not measured" in told


def test_trials_are_told_apart_by_the_customers_manner_and_twists() -> None:
    """F60: the manner is in the record, and the report has a rate for each."""
    plain, twisted = (
        next(name for name, task in TASKS.items() if bool(task.scenario.twists) == twists)
        for twists in (False, True)
    )
    kind = TASKS[twisted].scenario.twists[0].kind
    trials = grid({plain: [True, False], twisted: [True, None]}, style="terse")
    trials.append(trial(plain, 2, True, style="pushy"))
    found = {one.name: (one.count, one.of) for one in customers(trials, TASKS)}
    assert found["manner terse"] == (2, 3)
    assert found["manner pushy"] == (1, 1)
    assert found["no twist"] == (2, 3)
    assert found[f"twist {kind}"] == (1, 1)
    told = text_of(report(trials, tasks=dict(TASKS)), "By customer: trials passed")
    assert "2 of 3 (66.7%)" in told


def test_twins_count_only_if_both_passed() -> None:
    first = next(name for name, task in TASKS.items() if task.twin)
    second = TASKS[first].twin or ""
    found = twin_pairs(grid({first: [True, True, False], second: [True, False, None]}), TASKS)
    assert (found.count, found.of) == (1, 2)


def test_success_by_length_covers_every_task_once() -> None:
    verdicts: dict[str, list[bool | None]] = {name: [True] for name in list(TASKS)[:20]}
    spans = report(grid(verdicts), tasks=dict(TASKS)).agents[0].lengths
    assert sum(span.tasks for span in spans) == 20
    assert len(spans) > 1


def test_length_is_not_stated_where_tasks_are_unknown() -> None:
    found = report([trial("elsewhere-1", 0, True), trial("elsewhere-1", 1, True)], tasks={})
    item = next(one for one in asked_items(found) if one.item == "success by task length")
    assert not item.stated


def test_unknown_cost_is_said_and_never_zero() -> None:
    trials = grid({NAMES[0]: [True, False]})
    agent, whole = spending(trials)
    assert (agent.role, whole.role) == ("agent", "all")
    assert (whole.cost, whole.per_task, whole.per_success, whole.tokens) == (None,) * 4
    told = text_of(report(trials), "Cost")
    assert "unknown" in told
    assert "$0" not in told


def test_cost_is_summed_over_roles_trials_and_crashed_attempts() -> None:
    def spent(cost: float) -> Usage:
        return Usage(calls=1, input_tokens=10, output_tokens=5, cost=cost)

    trials = [
        trial(
            NAMES[0],
            0,
            True,
            usage={"agent": spent(1.0), "user": spent(0.5)},
            attempts=[Attempt(error="x", usage={"agent": spent(0.25)})],
        ),
        trial(NAMES[0], 1, False, usage={"agent": spent(1.25), "user": spent(0.5)}),
    ]
    found = {one.role: one for one in spending(trials)}
    assert found["agent"].cost == pytest.approx(2.5)
    assert found["user"].cost == pytest.approx(1.0)
    assert found["all"].per_trial == pytest.approx(1.75)
    assert found["all"].per_task == pytest.approx(3.5)
    assert found["all"].per_success == pytest.approx(3.5)
    assert found["all"].tokens == 75


def test_a_call_without_usage_leaves_the_total_unknown() -> None:
    half = Usage(calls=2, cost=1.0, unknown=1)
    trials = [
        trial(NAMES[0], 0, True, usage={"agent": half}),
        trial(NAMES[0], 1, True, usage={"agent": Usage(calls=1, cost=3.0)}),
    ]
    found = spending(trials)[-1]
    assert (found.known, found.unknown_calls) == (1, 1)
    assert found.per_trial == pytest.approx(3.0)
    assert (found.per_task, found.per_success) == (None, None)


def test_two_agents_are_compared_pairwise_and_insiders_are_not() -> None:
    verdicts: dict[str, list[bool | None]] = {name: [True, True] for name in NAMES}
    worse = {name: [place > 1, True] for place, name in enumerate(NAMES)}
    both = [*grid(verdicts), *grid(worse, agent="theirs")]
    found = report(both)
    assert [(one.first, one.second, one.result.k) for one in found.versus] == [
        ("mine", "theirs", 1),
        ("mine", "theirs", 2),
    ]
    assert found.versus[1].result.difference == pytest.approx(0.5)
    known = report([*grid(verdicts), *grid(worse, agent="theirs", insider=True)])
    assert known.versus == ()


def test_every_item_of_a_result_is_stated_but_the_audit() -> None:
    found = report(grid({NAMES[0]: [True, False], NAMES[1]: [True, True]}))
    items = result_items(found)
    assert [one.stated for one in items] == [True, False, True, True, True]
    assert "unbiased" in items[2].answer
    assert "M = 2 tasks, n = 2 trials" in items[3].answer
    assert "J = 4 distinct customers" in items[3].answer


def test_an_audit_gives_the_graders_false_pass_rate() -> None:
    found = report(grid({NAMES[0]: [True, False], NAMES[1]: [True, False]}), audited=(5, 50))
    audit = found.agents[0].audit
    assert audit is not None
    assert audit.f == pytest.approx(0.1 * 0.5 / (1 - 0.5 * 0.9))
    item = result_items(found)[1]
    assert item.stated
    assert "5 of 50" in item.answer


def test_one_customer_for_all_trials_is_said() -> None:
    found = report(grid({name: [True, False] for name in NAMES}, seed=7))
    assert "the SAME for several trials" in result_items(found)[3].answer
    assert found.customers == len(NAMES)


def test_views_show_means_or_failures() -> None:
    found = report(grid({NAMES[0]: [True, False], NAMES[1]: [True, True]}))
    capability = {one.title for one in report_sections(found, view="capability")}
    regression = {one.title for one in report_sections(found, view="regression")}
    assert "Capability view: means of pass@1" in capability - regression
    assert "Regression view: what failed, worst first" in regression - capability
    assert {"Scores", "Trials", "Cost", "Protocol"} <= capability & regression


def test_markdown_keeps_every_row_and_breaks_on_no_text() -> None:
    rows: list[dict[str, Cell]] = [{"task": f"a|b_{place}", "n": place} for place in range(30)]
    text = markdown("T", [Section("S", ("two\nlines <b>",), tuple(rows), shown=3)])
    assert text.count("\n| a\\|b") == 30
    assert "two lines \\<b\\>" in text
    assert "| ---: |" in text


def test_floors_and_ceiling_are_played_on_the_same_tasks(tmp_path: Path) -> None:
    chosen = [TASKS[name] for name in NAMES[:2]]
    writer = TrialWriter(tmp_path / "f.jsonl")
    for one in run_grid("retail", Entry.named("silent"), chosen, trials=2):
        whole = {**one.digests, **domain_digests("retail")}
        writer.write(one.model_copy(update={"domain": "retail", "digests": whole}))
    writer.close()
    found = read_trials(writer.path)
    tasks = known_tasks(str(writer.path), found)
    assert set(tasks) == set(NAMES[:2])
    beside = play_beside(found, tasks)
    assert beside.reason == ""
    assert beside.ceiling == 1.0
    assert dict(beside.floors)["silent"] == 0.0
    assert "reference" not in dict(beside.floors)
    assert "over-eager" not in dict(beside.floors)


def test_floors_of_other_versions_are_refused_with_the_reason() -> None:
    found = records(grid({NAMES[0]: [True, True]}))
    beside = play_beside(found, {NAMES[0]: TASKS[NAMES[0]]})
    assert "policy p1" in beside.reason
    assert beside.floors == ()


def test_floors_of_an_unknown_domain_are_refused_with_the_reason() -> None:
    found = records([trial("x", 0, True, domain="shop")])
    assert "not installed" in play_beside(found, {}).reason
