"""Stored trials are judged beside their grades: resumed, counted, and never passed by an outage."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_chat import FakeChat

from tau_env.errors import Crash, UserMistake
from tau_env.harness.judging import ABORT_AFTER, JudgementFile, judge_trials, with_judgement
from tau_env.harness.material import Foreign
from tau_env.judge import Judge
from tau_env.registry import find_domain
from tau_env.schema import Grade, Trial, Turn, Usage
from tau_env.schema.rubric import Rubric

TONE = Rubric.model_validate(
    {"id": "tone", "requirements": [{"id": "polite", "text": "The agent is polite."}]}
)
CARE = Rubric.model_validate(
    {
        "id": "care",
        "tasks": ["cancel"],
        "requirements": [{"id": "asks", "text": "The agent asks before it cancels."}],
    }
)


def trial(number: int = 0, **more: Any) -> Trial:
    said = [("customer", f"Cancel order #{number}."), ("agent", "Gladly, it is done.")]
    given: dict[str, Any] = {
        "task": "toy-cancel-001",
        "family": "cancel",
        "trial": number,
        "seed": number,
        "agent": "a",
        "transcript": tuple(Turn(who=who, text=text) for who, text in said),  # type: ignore[arg-type]
        "grade": Grade(grader="full", passed=True),
        "usage": {"agent": Usage(calls=1, input_tokens=100, cost=1.0), "user": None},
    }
    return Trial(**{**given, **more})


def answers(messages: list[dict[str, Any]]) -> str:
    """A judge that finds everything met, and quotes the agent."""
    told = json.loads(messages[-1]["content"])
    quote = {"turn": 2, "quote": "Gladly, it is", "reason": "Look.", "verdict": "met"}
    return json.dumps({"verdicts": [{"id": one["id"], **quote} for one in told["requirements"]]})


@pytest.fixture
def file(tmp_path: Path) -> Callable[[], JudgementFile]:
    return lambda: JudgementFile(tmp_path / "v.jsonl")


def maker(chat: FakeChat) -> Callable[[], Judge]:
    return lambda: Judge(chat=chat)


TRIALS = [trial(number) for number in range(6)]


def test_trials_are_judged_by_the_rubrics_for_their_task_in_one_call_each(file: Any) -> None:
    chat = FakeChat(answers)
    other = trial(task="toy-return-001", family="return")
    done = judge_trials([*TRIALS[:2], other], [TONE, CARE], maker(chat), file())
    verdicts = [[one.rubric for one in found.verdicts] for found in done.judged.values()]
    assert verdicts == [["tone", "care"], ["tone", "care"], ["tone"]]
    assert len(chat.asked) == done.asked == 3
    assert all(found.passed("tone") for found in done.judged.values())
    assert set(file().judgements) == set(done.judged)


def test_only_what_is_missing_is_asked_for(file: Any) -> None:
    judge_trials(TRIALS[:2], [TONE], maker(FakeChat(answers)), file())
    chat = FakeChat(answers)
    done = judge_trials(TRIALS, [TONE], maker(chat), file())
    assert (done.asked, len(chat.asked), len(done.judged)) == (4, 4, 6)
    assert judge_trials(TRIALS, [TONE], maker(FakeChat([Crash("no")])), file()).asked == 0


def test_another_transcript_of_the_same_place_is_judged_anew(file: Any) -> None:
    judge_trials(TRIALS[:1], [TONE], maker(FakeChat(answers)), file())
    changed = trial(0, transcript=trial(1).transcript)
    assert judge_trials([changed], [TONE], maker(FakeChat(answers)), file()).asked == 1


def test_a_judgement_without_a_verdict_is_asked_for_again_only_when_told_to(file: Any) -> None:
    done = judge_trials(TRIALS[:2], [TONE], maker(FakeChat(["{}"])), file())
    assert [one.passed("tone") for one in done.judged.values()] == [None, None]
    assert judge_trials(TRIALS[:2], [TONE], maker(FakeChat(answers)), file()).asked == 0
    done = judge_trials(TRIALS[:2], [TONE], maker(FakeChat(answers)), file(), again=True)
    assert done.asked == 2
    assert all(one.passed("tone") for one in file().judgements.values())


def test_f69_f73_an_outage_leaves_no_verdict_and_is_given_up(file: Any) -> None:
    chat = FakeChat([Crash("401 wrong key")])
    done = judge_trials(TRIALS, [TONE], maker(chat), file())
    assert done.judged == {}
    assert len(done.unreached) == len(TRIALS)
    assert len(chat.asked) <= ABORT_AFTER + 1
    assert "401" in next(iter(done.unreached.values()))
    assert not file().path.exists()


def test_an_outage_for_a_while_leaves_the_rest_to_the_next_run(file: Any) -> None:
    good = answers([{"content": json.dumps({"requirements": [{"id": "tone/polite"}]})}])
    flaky = FakeChat([good, Crash("busy"), good, Crash("busy"), good])
    done = judge_trials(TRIALS, [TONE], maker(flaky), file())
    assert (len(done.judged), len(done.unreached)) == (4, 2)
    done = judge_trials(TRIALS, [TONE], maker(FakeChat(answers)), file())
    assert (done.asked, len(done.judged), done.unreached) == (2, 6, {})


def test_workers_judge_at_once_with_a_judge_each(file: Any) -> None:
    made: list[FakeChat] = []

    def make() -> Judge:
        made.append(FakeChat(answers))
        return Judge(chat=made[-1])

    done = judge_trials(TRIALS, [TONE], make, file(), workers=4)
    assert list(done.judged) == [(one.agent, one.task, one.trial) for one in TRIALS]
    assert sum(len(chat.asked) for chat in made) == len(TRIALS)
    assert all(
        one.usage == Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5)
        for one in done.judged.values()
    )


def test_ctrl_c_keeps_what_is_judged(file: Any) -> None:
    calls: list[int] = []

    def interrupted(messages: list[dict[str, Any]]) -> str:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answers(messages)

    done = judge_trials(TRIALS, [TONE], maker(FakeChat(interrupted)), file())
    assert done.interrupted
    assert len(file().judgements) == len(done.judged) == 2


def test_verdicts_of_another_rubric_or_judge_are_never_mixed(file: Any) -> None:
    judge_trials(TRIALS[:1], [TONE], maker(FakeChat(answers)), file())
    with pytest.raises(UserMistake, match="another rubric"):
        judge_trials(TRIALS, [CARE], maker(FakeChat(answers)), file())
    other = Judge(model="n", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(UserMistake, match="another judge"):
        judge_trials(TRIALS, [TONE], lambda: other, file())


def test_a_torn_line_is_named_and_judged_again(file: Any) -> None:
    judge_trials(TRIALS[:3], [TONE], maker(FakeChat(answers)), file())
    path = file().path
    path.write_bytes(path.read_bytes()[:-20])
    torn = file()
    assert len(torn.judgements) == 2
    assert "line 3" in torn.problems[0]
    done = judge_trials(TRIALS[:3], [TONE], maker(FakeChat(answers)), torn)
    assert done.asked == 1
    assert len(file().judgements) == 3


def test_crashed_trials_and_tasks_without_a_rubric_are_not_judged(file: Any) -> None:
    crashed = trial(9, status="crashed", grade=None)
    done = judge_trials([TRIALS[0], crashed], [TONE], maker(FakeChat(answers)), file())
    assert list(done.judged) == [("a", "toy-cancel-001", 0)]
    with pytest.raises(UserMistake, match="care is for"):
        judge_trials([trial(task="x", family="y")], [CARE], maker(FakeChat(answers)), file())


def test_policy_is_the_one_that_the_agent_had(file: Any) -> None:
    rules = TONE.model_copy(update={"policy": True})
    found = find_domain("retail")
    chat = FakeChat(answers)
    ours = trial(domain="retail", digests={"policy": found.digests["policy"]})
    judge_trials([ours], [rules], maker(chat), file())
    assert json.loads(chat.asked[0][-1]["content"])["policy"] == found.policy
    with pytest.raises(Foreign, match="policy 0000"):
        judge_trials(
            [trial(1, domain="retail", digests={"policy": "0000"})], [rules], maker(chat), file()
        )


def test_f97_the_judges_cost_stands_beside_the_others_and_the_grade_stays(file: Any) -> None:
    before = trial()
    (found,) = judge_trials([before], [TONE], maker(FakeChat(answers)), file()).judged.values()
    after = with_judgement(before, found)
    judge = after.usage["judge"]
    assert judge is not None
    assert (judge.tokens, judge.cost) == (12, 0.5)
    assert after.usage["agent"] == before.usage["agent"]
    assert after.grade == before.grade
    assert after.transcript == before.transcript
