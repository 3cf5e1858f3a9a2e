"""The script that measures understanding: conversion, counts, rows, and aims on shared data."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("TAU_SHARED", ROOT.parent / "shared"))
TRIAL: list[dict[str, Any]] = [
    {"role": "system", "content": "policy"},
    {"role": "user", "content": "Please cancel ZFA04Y."},
    {"role": "assistant", "content": "I will cancel reservation ZFA04Y. Do you confirm?"},
    {"role": "user", "content": "Yes, please."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "a",
                "function": {
                    "name": "cancel_reservation",
                    "arguments": '{"reservation_id": "ZFA04Y"}',
                },
            }
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "Error: no such reservation"},
    {"role": "assistant", "content": "I could not find it."},
]


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    path = ROOT / "scripts" / "measure_text.py"
    spec = importlib.util.spec_from_file_location("measure_text", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["measure_text"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["measure_text"]


def test_messages_become_turns_without_the_system_prompt(script: ModuleType) -> None:
    transcript, calls = script.to_transcript(TRIAL)
    assert [turn.who for turn in transcript] == ["customer", "agent", "customer", "call", "agent"]
    assert calls == {4: 4}


def test_call_keeps_arguments_result_and_error(script: ModuleType) -> None:
    transcript, _ = script.to_transcript(TRIAL)
    call = transcript[3].call
    assert call.arguments == {"reservation_id": "ZFA04Y"}
    assert call.error == "refused"
    assert call.result.startswith("Error")


def test_airline_tools_bear_the_names_that_agents_know(script: ModuleType) -> None:
    spec = script.recorded_spec()
    assert {"book_reservation", "cancel_reservation", "send_certificate"} <= set(spec.tools)
    assert [name for name, tool in spec.tools.items() if tool.needs_yes and not tool.verbs] == []
    verbs = {verb for tool in spec.tools.values() for verb in tool.verbs}
    assert verbs <= set(spec.lexicon.verbs)


def test_disputed_labels_are_left_out_and_shares_are_counted(script: ModuleType) -> None:
    lexicon = script.recorded_spec().lexicon
    labelled = [
        script.Labelled("May I have your user ID?", lexicon, frozenset(["asks_identity"]), set()),
        script.Labelled("May I have your user ID?", lexicon, frozenset(), set()),
        script.Labelled("May I have your user ID?", lexicon, frozenset(), {"asks_identity"}),
        script.Labelled("Goodbye!", lexicon, frozenset(["asks_identity"]), set()),
    ]
    row = next(row for row in script.act_rows("manners", labelled) if row.act == "asks_identity")
    assert (row.precision, row.recall, row.f1, row.n) == (0.5, 0.5, 0.5, 2)


def test_confirmation_rows_count_writes_by_label_and_trial(script: ModuleType) -> None:
    done = [*TRIAL[:5], {"role": "tool", "tool_call_id": "a", "content": "{}"}]
    unasked = [TRIAL[1], TRIAL[4]]
    trials = [{"traj": done}, {"traj": unasked}]
    labels = [
        {"trial": 0, "message": 4, "confirmed": "yes"},
        {"trial": 1, "message": 1, "confirmed": "no"},
    ]
    rows = script.confirmation_rows(labels, trials, script.recorded_spec())
    assert [(row.label, row.n, row.found_confirmed, row.trials) for row in rows] == [
        ("yes", 1, 1, 1),
        ("no", 1, 0, 1),
    ]


def test_json_is_one_object_with_rows(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = tmp_path / "messages.jsonl"
    one = {"domain": "retail", "message": "Which order?", "acts": ["asks_record"], "disputed": []}
    messages.write_text(json.dumps(one) + "\n", encoding="utf-8")
    empty = tmp_path / "none.jsonl"
    empty.write_text("", encoding="utf-8")
    trials = tmp_path / "trials.json"
    trials.write_text("[]", encoding="utf-8")
    options = ["--messages", str(messages), "--trials", str(trials), "--acts", str(empty)]
    assert script.main([*options, "--confirmations", str(empty), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    found = {row["act"]: row for row in rows if row["set"] == "manners"}
    assert found["asks_record"]["f1"] == 1.0


def test_missing_file_is_named(script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        script.main(["--messages", "no/such/file.jsonl"])
    assert stop.value.code == 2
    assert "no/such/file.jsonl" in capsys.readouterr().err


@pytest.mark.skipif(
    not (SHARED / "tau_bench" / "agent_acts.jsonl").is_file(),
    reason="the labelled messages are not part of the project",
)
def test_acts_of_real_messages_reach_their_aims(
    script: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert script.main(["--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    acts = [row for row in rows if "act" in row]
    assert len(acts) == 18
    assert [row for row in acts if row["f1"] < row["aim"]] == []


def test_outcomes_count_trials_that_wrote_without_a_yes(script: ModuleType) -> None:
    done = {"role": "tool", "tool_call_id": "a", "content": "{}"}
    asked = [*TRIAL[:5], done]
    unasked = [TRIAL[1], TRIAL[4], done]
    refused = [TRIAL[1], *TRIAL[4:6]]
    trials = [
        {"traj": asked, "reward": 1.0},
        {"traj": unasked, "reward": 1.0},
        {"traj": refused, "reward": 1.0},
        {"traj": unasked, "reward": 0.0},
    ]
    good, bad = script.outcome_rows(trials, script.recorded_spec())
    assert (good.reward, good.trials, good.wrote, good.without_yes) == (1, 3, 2, 1)
    assert (good.writes, good.unconfirmed) == (2, 1)
    assert (bad.reward, bad.trials, bad.wrote, bad.without_yes) == (0, 1, 1, 1)


def test_a_question_for_a_yes_that_nobody_saw_is_fatal_and_a_disputed_one_is_not(
    script: ModuleType,
) -> None:
    lexicon = script.recorded_spec().lexicon
    asks = "I will cancel reservation ZFA04Y. Do you confirm?"
    seen = frozenset(("proposes", "asks_confirmation"))

    def labelled(acts: frozenset[str], disputed: frozenset[str] = frozenset()) -> Any:
        return script.Labelled(asks, lexicon, acts, disputed)

    row = script.hearing_row(
        "one_agent",
        [1, 1, 2, 3],
        [
            labelled(seen),
            labelled(frozenset(("informs",))),
            labelled(seen),
            labelled(frozenset(), frozenset(("asks_confirmation",))),
        ],
    )
    assert (row.conversations, row.without_fatal) == (3, 2)
