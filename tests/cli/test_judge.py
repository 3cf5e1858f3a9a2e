"""The verbs with a judge, from the outside and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chat_server
import pytest
from chat_server import Asked, ChatServer, says

from tau_env.chat import forget_endpoints
from tau_env.cli.main import main
from tau_env.harness.records import read_trials
from tau_env.schema import Grade, Trial, Turn, Usage

RUBRIC = """
[[rubrics]]
id = "tone"
[[rubrics.requirements]]
id = "polite"
text = "The agent is polite."
[[rubrics.requirements]]
id = "thanks"
text = "The agent says thanks."
needs = ["polite"]

[[rubrics]]
id = "care"
[[rubrics.requirements]]
id = "asks"
text = "The agent asks first."
"""
Deciding = Callable[[str, dict[str, Any], int], bool]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TAU_ENV_RETRIES", "0")
    monkeypatch.setenv("TAU_ENV_PATIENCE", "0.1")
    yield
    forget_endpoints()


@pytest.fixture
def tau(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*argv: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([*map(str, argv)])
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten trials, of which every other one is rude, and a rubric."""
    (tmp_path / "r.toml").write_text(RUBRIC, encoding="utf-8")
    with (tmp_path / "t.jsonl").open("w", encoding="utf-8") as lines:
        for number in range(10):
            text = "Certainly, with pleasure. Thanks!" if number % 2 else "No. Go away, please not."
            said = (Turn(who="customer", text="Cancel #W1."), Turn(who="agent", text=text))
            one = Trial(
                task="toy-001",
                family="toy",
                trial=number,
                seed=number,
                agent="a",
                transcript=said,
                grade=Grade(grader="full", passed=number < 5),
                usage={"agent": Usage(calls=1, input_tokens=100, output_tokens=0), "user": None},
            )
            lines.write(one.model_dump_json() + "\n")
    return tmp_path


def decides(deciding: Deciding) -> Callable[[Asked], chat_server.Answer]:
    """A judge that quotes the last message of the agent and decides each requirement so."""

    def answer(asked: Asked) -> chat_server.Answer:
        told = json.loads(asked.messages[-1]["content"])
        last = told["transcript"][-1]
        entries = [
            {
                "id": one["id"],
                "turn": last["turn"],
                "quote": last["text"],
                "reason": "See there.",
                "verdict": "met" if deciding(one["id"], told, place) else "unmet",
            }
            for place, one in enumerate(told["requirements"])
        ]
        usage = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
        return says(json.dumps({"verdicts": entries}), usage=usage)

    return answer


def polite(name: str, told: dict[str, Any], place: int) -> bool:
    del name, place
    return "Certainly" in told["transcript"][-1]["text"]


def at(server: ChatServer) -> tuple[str, ...]:
    return ("--judge-model", "m", "--judge-base-url", server.url)


def test_regrade_with_a_judge_writes_verdicts_beside_and_leaves_trials_alone(
    tau: Any, folder: Path
) -> None:
    before = (folder / "t.jsonl").read_bytes()
    with ChatServer(decides(polite)) as server:
        command = ("regrade", folder / "t.jsonl", "--judge", folder / "r.toml", *at(server))
        code, out, _ = tau(*command, "--json", "--out", folder / "judged.jsonl")
        calls = len(server.asked)
        again, told, _ = tau(*command, "--workers", 3)
        assert len(server.asked) == calls == 10, "what is judged is not asked for again"
    assert (code, again) == (0, 0)
    found = json.loads(out)
    rows = {(row["rubric"], row["requirement"]): row for row in found["rows"]}
    assert rows["tone", "polite"]["met"] == rows["tone", "polite"]["unmet"] == 5
    assert rows["tone", "thanks"]["not_reached"] == 5
    assert rows["tone", "(all of it)"]["share_met"] == 0.5
    assert (found["judged"], found["ungraded"]) == (10, 0)
    assert found["usage"]["calls"] == 10
    assert (folder / "t.jsonl").read_bytes() == before
    assert (folder / "t.r.verdicts.jsonl").exists()
    assert "10 trials judged, 0 ungraded" in told
    for was, now in zip(
        read_trials(folder / "t.jsonl").trials,
        read_trials(folder / "judged.jsonl").trials,
        strict=True,
    ):
        assert now.grade == was.grade
        tokens = [usage.tokens for usage in now.usage.values() if usage]
        assert tokens == [100, 30], "F97: what the judge spent stands beside the agent's"
        assert now.served["judge"] == ("served-1",)


@pytest.mark.parametrize("fault", ["WRONG_KEY", "SERVER_ERROR", "BROKEN_JSON", "LIMITED"])
def test_f69_a_judge_out_of_reach_fails_the_command_and_gives_no_average(
    tau: Any, folder: Path, fault: str
) -> None:
    with ChatServer(lambda asked: getattr(chat_server, fault)) as server:
        command = ("regrade", folder / "t.jsonl", "--judge", folder / "r.toml", *at(server))
        code, out, err = tau(*command)
        assert len(server.asked) <= 7
        assert tau(*command, "--json")[1].startswith('{"rows": []')
    assert code == 1
    assert "0 trials judged, 10 ungraded" in out
    assert "share" not in out
    assert "ungraded (" in err
    assert not (folder / "t.r.verdicts.jsonl").exists()


@pytest.mark.parametrize("reply", ["", "{}", '{"verdicts": []}', None])
def test_f32_a_judge_without_verdicts_leaves_all_ungraded(
    tau: Any, folder: Path, reply: str | None
) -> None:
    with ChatServer(lambda asked: says(reply)) as server:
        command = ("regrade", folder / "t.jsonl", "--judge", folder / "r.toml", *at(server))
        code, out, err = tau(*command)
    assert code == 1
    assert "10 trials judged, 10 ungraded" in out
    assert "judge error" in err
    with ChatServer(decides(polite)) as server:
        more = ("--judge-model", "m", "--judge-base-url", server.url)
        code, _, err = tau(*command[:4], *more, "--again")
    assert code == 2, "another address is another judge"
    assert "another judge" in err


def test_one_task_or_trial_is_judged_alone(tau: Any, folder: Path) -> None:
    with ChatServer(decides(polite)) as server:
        command = ("regrade", folder / "t.jsonl", "toy-001", 3, "--judge", folder / "r.toml")
        code, out, _ = tau(*command, *at(server), "--json", "--verdicts", folder / "v.jsonl")
        assert len(server.asked) == 1
    assert code == 0
    assert json.loads(out)["verdicts"] == str(folder / "v.jsonl")


def test_judge_without_a_model_is_told_what_to_say(
    tau: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAU_ENV_JUDGE_MODEL", raising=False)
    monkeypatch.delenv("TAU_ENV_MODEL", raising=False)
    code, out, err = tau("regrade", folder / "t.jsonl", "--judge", folder / "r.toml")
    assert (code, out) == (2, "")
    assert "the judge is played by a model and none is named" in err
    twice = ("--judge-model", "m", "--judge-setting", "model=n")
    code, _, err = tau("regrade", folder / "t.jsonl", "--judge", folder / "r.toml", *twice)
    assert code == 2
    assert "given twice" in err


@pytest.fixture
def judged(tau: Any, folder: Path) -> Path:
    """Verdicts of a judge that takes all of `care` for met and reads `polite` as it is."""

    def lenient(name: str, told: dict[str, Any], place: int) -> bool:
        return name.startswith("care") or polite(name, told, place)

    with ChatServer(decides(lenient)) as server:
        tau("regrade", folder / "t.jsonl", "--judge", folder / "r.toml", *at(server))
    return folder / "t.r.verdicts.jsonl"


def label(folder: Path, rows: list[tuple[int, str, str]], head: str = "label") -> Path:
    path = folder / "labels.csv"
    lines = [f"task,trial,requirement,{head}", *(f"toy-001,{n},{r},{m}" for n, r, m in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_f33_agreement_with_labels_is_shown_and_can_fail_a_run(
    tau: Any, folder: Path, judged: Path
) -> None:
    met = {number: "met" if number % 2 else "unmet" for number in range(10)}
    rows = [(n, f"{r}", met[n]) for n in range(10) for r in ("tone/polite", "care/asks")]
    path = label(folder, rows)
    code, out, _ = tau("judge", "agree", path, judged, "--json")
    assert code == 0
    found = {row["requirement"]: row for row in json.loads(out)["rows"]}
    assert found["tone/polite"]["kappa"] == 1.0
    assert 0 < found["tone/polite"]["low"] < 1
    assert found["care/asks"]["kappa"] == 0.0
    assert found["care/asks"]["false_met"] == 1.0
    assert found["all"]["kappa"] == pytest.approx(0.5)
    assert found["all"]["labels"] == 20
    low = found["all"]["low"]
    assert tau("judge", "agree", path, judged, "--at-least", low - 0.01)[0] == 0
    code, out, _ = tau("judge", "agree", path, judged, "--at-least", low + 0.01)
    assert code == 1
    assert "not reached" in out


def test_labels_of_what_was_not_reached_are_counted_and_not_compared(
    tau: Any, folder: Path, judged: Path
) -> None:
    path = label(folder, [(n, "tone/thanks", "yes" if n % 2 else "no") for n in range(10)])
    _, out, _ = tau("judge", "agree", path, judged, "--json")
    row = json.loads(out)["rows"][1]
    assert (row["labels"], row["compared"], row["not_reached"]) == (10, 5, 5)
    assert row["kappa"] is None
    assert json.loads(out)["notes"]


@pytest.mark.parametrize(
    ("rows", "hint"),
    [
        ([(0, "tone/polite", "maybe")], "neither met nor unmet"),
        ([(0, "tone/kind", "met")], "no verdict for the label of 'kind'"),
        ([(77, "tone/polite", "met")], "judge that trial"),
        ([(0, "tone/polite", "met")] * 2, "given twice"),
        ([(0, "", "met")], "has no requirement"),
    ],
)
def test_labels_that_cannot_be_compared_are_refused(
    tau: Any, folder: Path, judged: Path, rows: Any, hint: str
) -> None:
    code, _, err = tau("judge", "agree", label(folder, rows), judged)
    assert code == 2
    assert hint in err


def test_labels_without_a_label_and_verdicts_without_a_verdict_are_refused(
    tau: Any, folder: Path, judged: Path
) -> None:
    path = label(folder, [(0, "tone/polite", "met")], head="opinion")
    assert "has no label" in tau("judge", "agree", path, judged)[2]
    path = label(folder, [(0, "tone/polite", "met")])
    code, _, err = tau("judge", "agree", path, folder / "none.jsonl")
    assert code == 2
    assert "holds no verdict" in err


def first_is_met(name: str, told: dict[str, Any], place: int) -> bool:
    return place == 0


def longest_is_met(name: str, told: dict[str, Any], place: int) -> bool:
    return len(told["transcript"][-1]["text"]) > 60 or polite(name, told, place)


def reads_the_beginning(name: str, told: dict[str, Any], place: int) -> bool:
    return polite(name, {"transcript": told["transcript"][:20]}, place)


@pytest.mark.parametrize(
    ("deciding", "kind", "moved"),
    [
        (first_is_met, "order", "both"),
        (longest_is_met, "length", "up"),
        (reads_the_beginning, "buried", "down"),
    ],
)
def test_a_probe_finds_the_bias_that_it_is_for_and_no_other(
    tau: Any, folder: Path, deciding: Deciding, kind: str, moved: str
) -> None:
    with ChatServer(decides(deciding)) as server:
        command = ("judge", "probe", folder / "t.jsonl", folder / "r.toml", *at(server))
        code, out, _ = tau(*command, "--json", "--workers", 2)
        assert len(server.asked) == 50
    assert code == 0
    rows = json.loads(out)["rows"]
    assert len(rows) == 8
    for row in rows:
        if row["probe"] != kind:
            assert row["rate"] == 0.0, row
        elif moved == "up":
            assert (row["up"] > 0, row["down"]) == (True, 0)
        elif moved == "down":
            assert (row["up"], row["down"] > 0) == (0, True)
        else:
            assert row["rate"] == 1.0 if row["rubric"] == "care" else row["rate"] >= 0.5


def test_a_probe_can_be_one_kind_and_a_few_trials(tau: Any, folder: Path) -> None:
    with ChatServer(decides(polite)) as server:
        command = ("judge", "probe", folder / "t.jsonl", folder / "r.toml", *at(server))
        code, out, _ = tau(*command, "--kind", "length", "--first", 3)
        assert len(server.asked) == 6
        seeds = {asked.seed for asked in server.asked}
    assert code == 0
    assert len(seeds) == 3, "but for `repeat` the draw is the same"
    assert "3 trials; spent by the judge: 6 calls, 180 tokens, cost unknown" in out


def test_a_probe_of_a_judge_out_of_reach_says_nothing_and_fails(tau: Any, folder: Path) -> None:
    with ChatServer(lambda asked: chat_server.WRONG_KEY) as server:
        command = ("judge", "probe", folder / "t.jsonl", folder / "r.toml", *at(server))
        code, out, _ = tau(*command, "--kind", "repeat", "--first", 2, "--json")
    assert code == 1
    rows = json.loads(out)["rows"]
    assert [(row["pairs"], row["rate"], row["unreached"]) for row in rows] == [(0, None, 2)] * 2
