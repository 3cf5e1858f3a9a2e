"""Edits of the reference change what they say and nothing else, and say where they do not apply."""

import pytest

from tau_env import content
from tau_env.agents.edits import (
    NoListener,
    OverEager,
    SideEffect,
    asks_for_yes,
    declining_once,
    extra_write,
    with_extra_write,
    without_guards,
    without_questions,
)
from tau_env.env import TauEnv
from tau_env.registry import find_domain
from tau_env.schema import Step
from tau_env.trial import run_trial

TASKS = content.tasks("retail")
WRITES = [task for task in TASKS.values() if asks_for_yes(task)]
QUIET = [task for task in TASKS.values() if not asks_for_yes(task)]
OTHERS = tuple(TASKS.values())
ENV = TauEnv("retail")
SPEC = find_domain("retail").spec

STEPS = (
    Step(say="Who are you?"),
    Step(say="Shall I?"),
    Step(call="write", after="yes"),
    Step(say="Done.", after="any"),
)


def test_without_questions_keeps_what_asks_for_no_yes():
    assert without_questions(STEPS) == (
        Step(say="Who are you?"),
        Step(call="write"),
        Step(say="Done."),
    )


def test_without_guards_keeps_every_step():
    found = without_guards(STEPS)
    assert [(one.say, one.call) for one in found] == [(one.say, one.call) for one in STEPS]
    assert {one.after for one in found} == {""}


def test_extra_write_comes_before_the_last_message():
    extra = Step(call="more")
    assert with_extra_write(STEPS, extra) == (*STEPS[:3], extra, STEPS[3])
    assert with_extra_write((), extra) == (extra,)


def test_there_are_tasks_of_both_kinds():
    assert WRITES
    assert QUIET


@pytest.mark.parametrize("edit", [OverEager, NoListener])
def test_edit_of_a_question_applies_where_a_yes_is_waited_for(edit):
    assert edit(WRITES[0], others=OTHERS).applies
    agent = edit(QUIET[0], others=OTHERS)
    assert not agent.applies
    assert agent.task == QUIET[0]


def test_over_eager_does_the_right_writes_and_fails_for_not_asking():
    trial = run_trial(ENV, OverEager(WRITES[0]), WRITES[0], seed=1)
    assert trial.insider
    assert trial.grade.parts["state"].passed
    assert not trial.grade.parts["confirmation"].passed
    assert not trial.passed


def test_no_listener_hears_a_no_and_writes():
    agent = NoListener(WRITES[0])
    assert declining_once(WRITES[0]) == agent.task
    assert agent.task.scenario.twists[0].kind == "declines"
    assert agent.task.goals == WRITES[0].goals
    trial = run_trial(ENV, agent, WRITES[0], seed=1)
    assert trial.task == WRITES[0].id
    assert not trial.grade.parts["confirmation"].passed
    assert any(
        turn.call.error is None and SPEC.tools[turn.call.name].kind == "write"
        for turn in trial.transcript
        if turn.call
    )


def test_declining_once_declines_the_first_write_and_no_question():
    task = next(
        (one for one in WRITES if one.scenario.wants[0].do == "ask"),
        WRITES[0],
    )
    twist = declining_once(task).scenario.twists[0]
    assert task.scenario.wants[twist.want].do != "ask"


@pytest.mark.parametrize("task", [WRITES[0], QUIET[0]], ids=["a write", "no write"])
def test_side_effect_touches_one_more_record(task):
    agent = SideEffect(task, others=OTHERS)
    assert agent.applies
    own = run_trial(ENV, type(agent).__mro__[1](task, task.reference), task, seed=1)
    trial = run_trial(ENV, agent, task, seed=1)
    rows = {change.row for change in own.outcome.patch}
    assert {change.row for change in trial.outcome.patch} > rows
    assert not trial.grade.parts["state"].passed
    assert trial.grade.scores["extra_effect"] > 0


def test_side_effect_does_not_apply_where_there_is_no_other_record():
    assert extra_write(WRITES[0], [WRITES[0]]) is None
    agent = SideEffect(WRITES[0], others=[WRITES[0]])
    assert not agent.applies
    assert agent.steps == WRITES[0].reference
