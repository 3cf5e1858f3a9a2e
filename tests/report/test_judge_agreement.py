"""Labels find their verdicts, or say why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tau_env.errors import BadContent
from tau_env.report.judge_agreement import Label, judge_agreement, read_labels
from tau_env.schema.rubric import Judgement, Verdict


def judged(agent: str, trial: int, **said: str) -> Judgement:
    verdicts = [
        Verdict.model_validate({"rubric": "tone", "requirement": name, "verdict": word})
        for name, word in said.items()
    ]
    return Judgement(
        agent=agent, task="t", trial=trial, evidence="e", rubrics="r", verdicts=tuple(verdicts)
    )


def label(trial: int, met: bool, **more: Any) -> Label:
    given = {"agent": "", "task": "t", "rubric": "", "requirement": "polite"}
    return Label(**{**given, "trial": trial, "met": met, **more})


def test_labels_are_read_from_csv_and_json_alike(tmp_path: Path) -> None:
    rows = [
        {"task": "t", "trial": 0, "requirement": "tone/polite", "met": True},
        {"task": "t", "trial": 1, "requirement": "polite", "met": False, "agent": "b"},
    ]
    one, other = tmp_path / "l.jsonl", tmp_path / "l.csv"
    one.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    other.write_text(
        "task,trial,rubric,requirement,label,agent\nt,0,tone,polite,Met,\nt,1,,polite,UNMET,b\n",
        encoding="utf-8",
    )
    wanted = (label(0, True, rubric="tone"), label(1, False, agent="b"))
    assert read_labels(one) == read_labels(other) == wanted


def test_a_trial_that_is_no_number_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text("task,trial,requirement,label\nt,first,polite,met\n", encoding="utf-8")
    with pytest.raises(BadContent, match="trial 'first' is no number"):
        read_labels(path)


def test_verdicts_of_two_agents_need_the_agent_in_the_label() -> None:
    both = [judged("a", 0, polite="met"), judged("b", 0, polite="unmet")]
    both += [judged("a", 1, polite="unmet"), judged("a", 2, polite="met")]
    with pytest.raises(BadContent, match=r"2 verdicts .* say its agent"):
        judge_agreement([label(0, True)], both)
    named = [label(0, True, agent="a"), label(0, True, agent="b"), label(1, False), label(2, True)]
    whole, _ = judge_agreement(named, both)
    assert whole.agreement is not None
    assert (whole.agreement.both, whole.agreement.first_only) == (2, 1)


def test_what_is_ungraded_or_not_reached_is_counted_and_compared_with_nothing() -> None:
    words = ("met", "unmet", "ungraded", "not_reached", "met")
    found = [judged("a", place, polite=word) for place, word in enumerate(words)]
    whole, each = judge_agreement([label(place, place == 0) for place in range(5)], found)
    assert (whole.labels, whole.compared, whole.ungraded, whole.not_reached) == (5, 3, 1, 1)
    assert each.agreement == whole.agreement
    assert whole.agreement is not None
    assert whole.agreement.false_yes == 0.5


def test_without_a_verdict_to_compare_there_is_no_agreement() -> None:
    whole, _ = judge_agreement([label(0, True)], [judged("a", 0, polite="ungraded")])
    assert whole.agreement is None
    assert whole.ungraded == 1
