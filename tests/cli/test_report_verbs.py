"""`tau-env report` and `tau-env known-truth`: what they print, and how they refuse."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tau_env.cli.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tau(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line; returns (exit code, stdout, stderr)."""

    def run(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        told = capsys.readouterr()
        return int(stop.value.code or 0), told.out, told.err

    return run


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a noisy agent and one that does not try."""
    path = tmp_path_factory.mktemp("studies") / "s.db"
    words = ["run", "--domain", "retail", "--tasks", "cancel_pending", "--trials", "4"]
    words += ["--agent", "tau_env.agents.noisy:Noisy", "--agent", "claim-done"]
    with pytest.raises(SystemExit) as stop:
        main([*words, "--study", str(path)])
    assert not stop.value.code
    return path


def test_report_of_a_store_has_all_parts(tau: Run, study: Path) -> None:
    code, out, _ = tau("report", study)
    assert code == 0
    for part in (
        "NOT A STANDARD RUN: partial 16/",
        "Scores",
        "ceiling: reference",
        "floor: silent",
        "crash rate",
        "Capability view",
        "Regression view",
        "broken, or hard?",
        "Twins and lures",
        "Cost",
        "unknown",
        "independent and clean",
        "What this result states",
        "The four things to ask for",
        "crashes up to 2 times; failures never",
        "digest of graders",
    ):
        assert part in out, part


def test_report_as_json_is_one_object_with_rows(tau: Run, study: Path) -> None:
    code, out, _ = tau("report", study, "--format", "json", "--no-floors")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    assert {(row["agent"], row["k"]) for row in found["rows"]} == {
        (agent, k) for agent in ("tau_env.agents.noisy:Noisy", "claim-done") for k in (1, 2, 4)
    }
    assert found["report"]["labels"][0].startswith("partial 16/")
    assert len(found["statement"]) == 9
    _, again, _ = tau("report", study, "--json", "--no-floors")
    assert json.loads(again) == found


def test_report_as_markdown_has_every_failing_task(tau: Run, study: Path) -> None:
    _, terminal, _ = tau("report", study, "--no-floors", "--view", "regression")
    _, text, _ = tau("report", study, "--no-floors", "--format", "markdown")
    assert text.startswith("# ")
    assert "more: --format markdown or json has all" in terminal
    failing = text.split("## Regression view")[1].split("## ")[0]
    assert failing.count("| claim-done |") == 16


def test_the_command_of_a_failing_task_shows_a_failed_trial(tau: Run, study: Path) -> None:
    _, out, _ = tau("report", study, "--json", "--no-floors")
    agents = json.loads(out)["report"]["agents"]
    commands = [agent["tasks"][0]["command"] for agent in agents]
    for command in commands:
        code, shown, _ = tau(*shlex.split(command)[1:])
        assert code == 0
        assert "FAILED" in shown


def test_report_reads_lines_as_it_reads_a_store(tau: Run, study: Path, tmp_path: Path) -> None:
    lines = tmp_path / "s.jsonl"
    assert tau("export", study, "--out", lines)[0] == 0
    _, store, _ = tau("report", study, "--json", "--no-floors")
    _, text, _ = tau("report", lines, "--json", "--no-floors")
    assert json.loads(text)["rows"] == json.loads(store)["rows"]


def test_chosen_k_and_audit_are_reported(tau: Run, study: Path) -> None:
    code, out, _ = tau("report", study, "--no-floors", "--k", "3", "--audited", "1/40", "--json")
    assert code == 0
    found = json.loads(out)
    assert {row["k"] for row in found["rows"]} == {3}
    assert all(item["stated"] for item in found["statement"] if "false-pass" in item["item"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("report", "absent.db"), "does not exist"),
        (("report", "STUDY", "--k", "9", "--no-floors"), "beyond the 4 trials"),
        (("report", "STUDY", "--audited", "9/3"), "BAD/SAMPLE"),
        (("report", "STUDY", "--k", "x"), "whole number"),
        (("known-truth", "--domain", "shop"), "no domain 'shop'"),
        (("known-truth", "--studies", "0"), "0 is not in the range"),
    ],
)
def test_mistakes_exit_2_and_say_what_to_do(
    tau: Run, study: Path, words: tuple[str, ...], told: str
) -> None:
    code, _, err = tau(*(str(study) if word == "STUDY" else word for word in words))
    assert code == 2
    assert told in err


def test_known_truth_puts_estimates_beside_the_truth(tau: Run, tmp_path: Path) -> None:
    truth = tmp_path / "truth.json"
    words = ("known-truth", "--quick", "--studies", "1", "--repeats", "100", "--workers", "1")
    code, out, _ = tau(*words, "--truth", truth, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["failed"] == 0
    assert found["episodes"] > 1_000
    first = found["rows"][0]
    assert (first["part"], first["estimate"], first["holds"]) == ("draws", 1.0, True)
    planted = json.loads(truth.read_text())
    assert len(planted["split"][0]["p"]) == found["tasks"]


def test_known_truth_exits_1_where_theory_is_contradicted(
    tau: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tau_env.harness.truth_rows.ERRORS", 0.0)
    monkeypatch.setattr("tau_env.cli.known_truth.QUICK", {"stride": 16})
    words = ("known-truth", "--quick", "--studies", "1", "--repeats", "50", "--workers", "1")
    code, out, _ = tau(*words)
    assert code == 1
    assert "NOT AS EXPECTED: pass^k" in out
