"""`tau-env run` with models: options, sweeps, costs, and a key that is nowhere."""

import json
import os

import chat_server as server
import pytest
from chat_server import ChatServer, Solver

from tau_env.chat import forget_endpoints
from tau_env.cli._models import ModelOptions, patience, variants
from tau_env.cli.main import main
from tau_env.endpoint import find_endpoint
from tau_env.errors import UserMistake
from tau_env.harness.grid import choose_tasks
from tau_env.harness.records import read_trials
from tau_env.prices import Prices

TASKS = ("retail-cancel-pending-001", "retail-cancel-pending-002")
SECRET = "very-secret-1234"
VARIABLES = [
    f"TAU_ENV_{name}"
    for name in ("MODEL", "BASE_URL", "API_KEY", "PRICES", "TIMEOUT", "PATIENCE", "RATE", "RETRIES")
]


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    for name in (*VARIABLES, "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield
    forget_endpoints()


@pytest.fixture
def tau(capfd):
    """Run the command line; returns (exit code, stdout, stderr)."""

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        told = capfd.readouterr()
        return stop.value.code or 0, told.out, told.err

    return run


@pytest.fixture
def solver():
    with ChatServer(Solver(choose_tasks("retail", TASKS), trials=2)) as running:
        yield running


def words(running, *more, tasks=TASKS):
    chosen = [word for task in tasks for word in ("--tasks", task)]
    return (
        "run", "--domain", "retail", *chosen, "--agent", "openai", "--base-url", running.url, *more
    )  # fmt: skip


def test_any_endpoint_runs_in_one_command_and_tells_its_cost(tau, solver, tmp_path):
    prices = tmp_path / "prices.json"
    prices.write_text('{"m": {"input": 1000, "output": 2000}}')
    out = tmp_path / "t.jsonl"
    code, text, _ = tau(
        *words(solver, "--model", "m", "--temperature", "0", "--setting", "top_p=0.9",
               "--reasoning-effort", "low", "--prices", prices, "--out", out)
    )  # fmt: skip
    assert code == 0
    asked = len(solver.asked)
    assert f"spent by the agent: {asked * 120:,} tokens, ${asked * 0.14:.4f}" in text
    body = solver.asked[0].body
    assert (body["temperature"], body["top_p"], body["reasoning_effort"]) == (0.0, 0.9, "low")
    trials = read_trials(out).trials
    assert len(trials) == len(TASKS)
    for trial in trials:
        assert trial.scaffold == "tool-calling 1"
        assert trial.settings == {
            "model": "m",
            "base_url": solver.url,
            "temperature": 0.0,
            "top_p": 0.9,
            "reasoning_effort": "low",
            "prices": {"input": 1000.0, "output": 2000.0},
        }


def test_sweep_is_one_study_with_an_agent_for_each_value(tau, solver, tmp_path):
    file = tmp_path / "s.db"
    more = ("--model", "m", "--sweep", "reasoning_effort=low,high", "--trials", 1, "--study", file)
    code, text, _ = tau(*words(solver, *more, "--workers", 2, "--agent", "silent"))
    assert code == 0, text
    trials = read_trials(file).trials
    efforts = {trial.agent: trial.settings.get("reasoning_effort") for trial in trials}
    assert efforts == {
        "openai/reasoning_effort=low": "low",
        "openai/reasoning_effort=high": "high",
        "silent": None,
    }
    asked = len(solver.asked)
    assert {one.body["reasoning_effort"] for one in solver.asked} == {"low", "high"}
    code, text, told = tau("run", "--study", file)
    assert (code, told) == (0, "")
    assert len(solver.asked) == asked
    code, _, told = tau("run", "--study", file, "--temperature", "1")
    assert code == 2
    assert "keeps its agents" in told


def test_patience_is_no_part_of_a_study(tau, solver, tmp_path):
    file = tmp_path / "s.db"
    more = ("--model", "m", "--trials", 1, "--study", file)
    assert tau(*words(solver, *more))[0] == 0
    before = dict(os.environ)
    patient = ("--rate", "50", "--timeout", "7", "--patience", "9")
    assert tau("run", "--study", file, *patient)[0] == 0
    assert dict(os.environ) == before


def test_prices_are_for_every_role(tmp_path):
    """The customer's model looks them up in the same table."""
    table = tmp_path / "prices.json"
    table.write_text('{"u": {"input": 1, "output": 2}}')
    asked = {"model": "u", "base_url": "http://127.0.0.1:9/v1"}
    with patience(ModelOptions(prices=table)):
        assert find_endpoint("user", asked).prices == Prices(input=1, output=2)
    assert find_endpoint("user", asked).prices is None


def test_key_is_in_no_record_no_output_and_no_error(tau, tmp_path, monkeypatch):
    """It is sent, and the server says it back in an error."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    file = tmp_path / "s.db"
    echo = server.error(401, f"Incorrect API key provided: {SECRET}")
    with ChatServer(lambda asked: echo) as running:
        more = ("--model", "m", "--trials", 1, "--retries", 0, "--study", file)
        code, text, told = tau(*words(running, *more))
        shown = tau("show", file, TASKS[0], 0)
    assert running.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert code == 1
    assert "Incorrect API key provided: ***" in text
    assert "Incorrect API key provided: ***" in shown[1]
    for found in (text, told, *shown[1:]):
        assert SECRET not in found
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path


def test_warnings_of_the_record_are_told(tau, tmp_path):
    tasks = choose_tasks("retail", TASKS)
    out = tmp_path / "t.jsonl"

    def answer(asked):
        if "temperature" in asked.body:
            return server.error(400, "Unsupported parameter: 'temperature'")
        return Solver(tasks)(asked)

    with ChatServer(answer) as running:
        code, text, _ = tau(*words(running, "--model", "m", "--temperature", "0", "--out", out))
        shown = tau("show", out, TASKS[0])[1]
    assert code == 0
    assert "warning of 2 trials, agent: temperature is not taken" in " ".join(text.split())
    assert "temperature is not taken" in shown
    assert all("temperature" in trial.warnings["agent"][0] for trial in read_trials(out).trials)


def test_json_scaffold_is_an_agent_of_its_own(tau, tmp_path):
    out = tmp_path / "t.jsonl"
    with ChatServer(lambda asked: server.says('{"say": "I cannot help you."}')) as running:
        code, _, _ = tau(
            "run", "--domain", "retail", "--tasks", TASKS[0], "--agent", "openai-json",
            "--model", "m", "--base-url", running.url, "--out", out,
        )  # fmt: skip
    assert code == 0
    trial = read_trials(out).trials[0]
    assert (trial.agent, trial.scaffold, trial.passed) == ("openai-json", "json-actions 1", False)
    assert trial.settings == {"model": "m", "base_url": running.url}


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (("--agent", "openai"), "none is named"),
        (("--agent", "openai", "--model", "m"), "no key for https://api.openai.com/v1"),
        (("--agent", "reference", "--model", "m"), "add --agent openai"),
        (("--agent", "reference", "--sweep", "a=1,2"), "add --agent openai"),
        (("--agent", "openai", "--model", "m", "--setting", "model=n"), "given twice"),
        (("--agent", "openai", "--sweep", "model"), "is not NAME=A,B"),
        (("--agent", "openai", "--sweep", "model=a,,b"), "is not NAME=A,B"),
        (("--agent", "openai", "--sweep", "model=a", "--model", "b"), "given twice"),
        (("--agent", "openai", "--model", "m", "--rate", "0"), "--rate"),
        (("--agent", "openai", "--model", "m", "--prices", "none"), "cannot read prices"),
        (("--agent", "openai", "--model", "m", "--setting", "api_key=x"), "environment"),
    ],
)
def test_mistakes_are_told_before_anything_is_asked(tau, more, text, monkeypatch):
    if "--prices" in more:
        monkeypatch.setenv("TAU_ENV_BASE_URL", "http://127.0.0.1:9/v1")
    code, _, told = tau("run", "--domain", "retail", "--tasks", TASKS[0], *more)
    assert code == 2
    assert text in " ".join(told.split())


def test_several_sweeps_are_crossed_and_leave_other_agents_alone():
    asked = ModelOptions(model="m", sweeps=("reasoning_effort=low,high", "temperature=0,1.5"))
    found = variants("openai", {"top_p": 1}, asked)
    assert [name for name, _ in found] == [
        "openai/reasoning_effort=low/temperature=0",
        "openai/reasoning_effort=low/temperature=1.5",
        "openai/reasoning_effort=high/temperature=0",
        "openai/reasoning_effort=high/temperature=1.5",
    ]
    assert found[1][1] == {
        "top_p": 1,
        "model": "m",
        "reasoning_effort": "low",
        "temperature": 1.5,
    }
    assert variants("silent", {"a": 1}, asked) == [("silent", {"a": 1})]
    with pytest.raises(UserMistake, match="given twice"):
        variants("openai", {}, ModelOptions(sweeps=("a=1", "a=2")))
    assert json.dumps(found)
