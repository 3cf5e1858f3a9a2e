"""The verbs of the first slice: what they print, and what they say to a careless caller."""

import json
import re
import sys

import click
import pytest

from tau_env.cli.main import VERBS, cli, main
from tau_env.registry import AGENTS

TASK = "retail-cancel-pending-003"


@pytest.fixture
def tau(capsys):
    """Run the command line; returns (exit code, stdout, stderr)."""

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        told = capsys.readouterr()
        return stop.value.code or 0, told.out, told.err

    return run


def rows(out):
    found = json.loads(out)
    assert isinstance(found["rows"], list)
    return found["rows"]


def commands(group, path=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize(("path", "command"), list(commands(cli)), ids=lambda one: str(one))
def test_help_teaches_with_an_example(tau, path, command):
    code, out, _ = tau(*path, "--help")
    assert code == 0
    assert all(option.help for option in command.params if isinstance(option, click.Option))
    if not isinstance(command, click.Group):
        assert "tau-env " + " ".join(path) in out, "no example"


@pytest.mark.parametrize("path", [(), ("tasks",)])
def test_bare_group_shows_its_verbs(tau, path):
    _, out, err = tau(*path)
    assert "Commands:" in out + err


def test_unknown_verb_offers_the_nearest(tau):
    code, _, err = tau("floor")
    assert code == 2
    assert "Did you mean 'floors'?" in err


def test_floors_rows(tau):
    code, out, _ = tau("floors", "--domain", "retail", "--agent", "silent", "--json")
    found = rows(out)
    assert code == 0
    assert [row["grader"] for row in found] == ["claim", "goal_fields", "state", "full"]
    for row in found:
        assert {"domain", "agent", "grader", "passed", "tasks", "rate"} <= set(row)
        assert row["rate"] == row["passed"] / row["tasks"]
    assert found[-1]["passed"] == 0


def test_floors_table_has_every_baseline(tau):
    _, out, _ = tau("floors", "--domain", "retail")
    for agent in AGENTS:
        assert f" {agent} " in out


def test_run_show_and_records(tau, tmp_path):
    """F133: one command shows dialogue, calls, changes and verdicts."""
    out = tmp_path / "t.jsonl"
    code, text, _ = tau(
        "run", "--domain", "retail", "--agent", "reference", "--tasks", TASK, "--trials", 2,
        "--out", out, "--json",
    )  # fmt: skip
    found = rows(text)
    assert code == 0
    assert [(row["task"], row["trial"], row["passed"]) for row in found] == [
        (TASK, 0, True),
        (TASK, 1, True),
    ]
    assert {"seed", "agent", "end_reason", "steps", "grades"} <= set(found[0])
    assert set(found[0]["grades"]) == {"state", "outputs", "path", "conduct", "confirmation"}
    assert len(out.read_text().splitlines()) == 2
    code, text, _ = tau("show", out, TASK, 1)
    assert code == 0
    assert "PASSED" in text
    assert "cancel_pending_order" in text
    assert "'pending' -> 'cancelled'" in text
    assert "(turn " in text
    _, text, _ = tau("show", out, TASK, "--json")
    assert len(rows(text)) == 2


def test_same_seed_gives_the_same_records(tau, tmp_path):
    """F87."""
    texts = []
    for name in ("a.jsonl", "b.jsonl"):
        words = ["--agent", "random", "--tasks", "cancel_pending", "--seed", 5]
        tau("run", "--domain", "retail", *words, "--out", tmp_path / name)
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1]


def test_show_keeps_what_a_torn_file_still_holds(tau, tmp_path):
    out = tmp_path / "t.jsonl"
    tau("run", "--domain", "retail", "--agent", "silent", "--tasks", TASK, "--out", out)
    whole = out.read_bytes()
    out.write_bytes(whole + b"\xff\xfe\n" + whole[:-20])
    code, text, err = tau("show", out, TASK)
    assert code == 0
    assert "FAILED" in text
    assert "line 2" in err
    assert "line 3" in err


CARELESS = [
    (("run", "--domain", "retial", "--agent", "silent"), "Did you mean 'retail'?"),
    (("run", "--domain", "retail", "--agent", "silnt"), "Did you mean 'silent'?"),
    (("run", "--domain", "retail", "--agent", "no_such_module:X"), "no module 'no_such_module'"),
    (("run", "--domain", "retail", "--agent", "json:NoClass"), "has no 'NoClass'"),
    (("run", "--domain", "retail", "--agent", "json:dumps"), "name a class"),
    (("run", "--domain", "retail", "--agent", "silent", "--tasks", "cancel"), "no task or family"),
    (("run", "--domain", "retail", "--agent", "silent", "--trials", "0"), "at least 1"),
    (("run", "--domain", "retail", "--agent", "silent", "--max-steps", "-1"), "at least 1"),
    (("run", "--domain", "retail", "--agent", "silent", "--split", "dev"), "'dev'"),
    (("run", "--agent", "silent"), "--domain"),
    (("floors", "--domain", "shop"), "no domain 'shop'"),
    (("floors", "--agent", "quiet"), "no agent 'quiet'"),
    (("tasks", "show", "retail-cancel-pending-999"), "no task"),
    (("tasks", "list", "--domain", "shop"), "no domain"),
    (("domain", "shop"), "no domain"),
    (("play", "--domain", "retail", "--task", "x"), "no task 'x'"),
    (("show", "/nowhere/t.jsonl", TASK), "cannot read"),
    (("check", "x.json"), "name the domain"),
]


@pytest.mark.parametrize(("words", "text"), CARELESS, ids=lambda one: str(one)[:60])
def test_mistake_exits_two_with_a_line_that_says_what_to_do(tau, words, text):
    code, out, err = tau(*words)
    assert code == 2
    assert text in err
    assert "Traceback" not in out + err


def test_out_is_not_overwritten(tau, tmp_path):
    out = tmp_path / "t.jsonl"
    out.write_text("precious")
    code, _, err = tau("run", "--domain", "retail", "--agent", "silent", "--out", out)
    assert (code, out.read_text()) == (2, "precious")
    assert "not overwritten" in err


def test_out_in_a_folder_that_is_not_there(tau, tmp_path):
    out = tmp_path / "no" / "t.jsonl"
    code, _, err = tau("run", "--domain", "retail", "--agent", "silent", "--out", out)
    assert code == 2
    assert "cannot create" in err


def test_full_disk_keeps_the_trials_before(tau):
    if not sys.platform.startswith("linux"):
        pytest.skip("needs /dev/full")
    from tau_env.harness.records import TrialWriter

    writer = TrialWriter.__new__(TrialWriter)
    writer.path, writer.written = "/dev/full", 3
    writer._file = open("/dev/full", "w")  # noqa: SIM115
    from tau_env.errors import UserMistake
    from tau_env.schema import Trial

    with pytest.raises(UserMistake, match="it holds 3 trials"):
        writer.write(Trial(task="t", trial=0, seed=0, agent="a"))
    with pytest.raises(UserMistake, match="it holds 3 trials"):
        writer.close()


def test_show_names_the_trials_that_there_are(tau, tmp_path):
    out = tmp_path / "t.jsonl"
    tau("run", "--domain", "retail", "--agent", "silent", "--tasks", TASK, "--out", out)
    code, _, err = tau("show", out, TASK, 7)
    assert code == 2
    assert "it has 0" in err
    code, _, err = tau("show", out, "retail-cancel-pending-004")
    assert code == 2
    assert "Did you mean" in err
    out.write_text("")
    code, _, err = tau("show", out, TASK)
    assert code == 2
    assert "is empty" in err


def test_agent_that_raises_is_told(tau, tmp_path, monkeypatch):
    (tmp_path / "broken_agent.py").write_text(
        "class Broken:\n"
        "    def reset(self, briefing, seed): pass\n"
        "    def act(self, observation): raise KeyError('lost')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = tau(
        "run", "--domain", "retail", "--agent", "broken_agent:Broken", "--tasks", TASK
    )
    assert code == 0
    assert "agent_error" in out
    assert "KeyError: 'lost'" in out


def test_play_is_a_whole_game(tau, monkeypatch):
    lines = iter(
        ["/tools", "/policy", "/what", "", "May I have your e-mail?", "/call think {", "/end"]
    )
    monkeypatch.setattr("builtins.input", lambda prompt: next(lines))
    code, out, _ = tau("play", "--domain", "retail", "--task", TASK)
    assert code == 0
    assert "No command /what" in out
    assert "bad arguments" in out
    assert "FAILED" in out
    assert "state" in out


def test_check_of_a_good_file_and_of_broken_ones(tau, tmp_path):
    from tau_env import content
    from tau_env.family import dump_task_file

    found = content.task_files("retail")[0]
    good = tmp_path / "good.json"
    good.write_text(dump_task_file(found.model_copy(update={"tasks": found.tasks[:2]})))
    code, out, _ = tau("check", "--domain", "retail", good, "--json")
    assert code == 0
    assert all(set(row) == {"subject", "law", "ok", "reason"} for row in rows(out))
    for text in ("", "{", '{"family": "x", "tasks": []}', good.read_text()[:-40]):
        bad = tmp_path / "bad.json"
        bad.write_text(text)
        code, out, _ = tau("check", "--domain", "retail", bad)
        assert code == 1
        assert "bad.json" in out.replace("\n", "")


def test_check_finds_a_wrong_goal(tau, tmp_path):
    from tau_env import content
    from tau_env.family import dump_task_file

    found = content.task_files("retail")[0]
    task = next(one for one in found.tasks if one.goals[0])
    change = task.goals[0][0].model_copy(update={"fields": {"status": "delivered"}})
    wrong = task.model_copy(update={"goals": ((change, *task.goals[0][1:]),), "twin": None})
    path = tmp_path / "wrong.json"
    path.write_text(dump_task_file(found.model_copy(update={"tasks": (wrong,)})))
    code, out, _ = tau("check", "--domain", "retail", path, "--json")
    assert code == 1
    broken = [row["law"] for row in rows(out) if not row["ok"]]
    assert any("reference passes" in law for law in broken)


def test_tasks_list_and_show(tau):
    code, out, _ = tau("tasks", "list", "--domain", "retail", "--json")
    found = rows(out)
    assert code == 0
    assert {"domain", "task", "family", "kind", "twin", "split", "digest"} <= set(found[0])
    assert {row["split"] for row in found} == {"train", "test"}
    code, out, _ = tau("tasks", "show", TASK)
    assert code == 0
    assert "reference:" in out
    code, out, _ = tau("tasks", "show", TASK, "--json")
    assert rows(out)[0]["id"] == TASK


def test_tasks_generate_makes_a_set_that_passes_the_laws(tau, tmp_path):
    code, out, _ = tau(
        "tasks", "generate", "--domain", "retail", "--family", "cancel_pending", "--seed", 77,
        "--n", 4, "--out", tmp_path, "--json",
    )  # fmt: skip
    assert code == 0
    path = rows(out)[0]["file"]
    code, out, err = tau("check", "--domain", "retail", path)
    assert code == 0, out + err


def test_domain_tells_policy_tools_and_digests(tau):
    """F128: one policy a domain, shown with its digest."""
    from tau_env.registry import find_domain

    code, out, err = tau("domain", "retail", "--policy")
    assert code == 0
    assert out.rstrip() == find_domain("retail").policy.rstrip()
    assert find_domain("retail").digests["policy"] in err
    _, out, _ = tau("domain", "retail", "--tools", "--json")
    assert len(rows(out)) == 16
    _, out, _ = tau("domain", "retail", "--json")
    assert set(json.loads(out)["digests"]) == {"policy", "tools", "spec", "world"}
    code, out, _ = tau("domain", "retail")
    assert code == 0
    assert "tau_env/retail-v1" in out


def test_doctor_is_well(tau):
    code, out, _ = tau("doctor", "--json")
    assert code == 0
    assert all(row["ok"] for row in rows(out))


def test_doctor_says_what_to_install(tau, monkeypatch):
    """F126: a missing part is named and ends with an error."""
    import tau_env.cli.doctor as doctor

    monkeypatch.setattr(doctor, "requires", lambda name: ["no-such-package>=2", "rich"])
    code, out, _ = tau("doctor", "--json")
    assert code == 1
    bad = [row for row in rows(out) if not row["ok"]]
    assert bad == [
        {
            "part": "no-such-package",
            "ok": False,
            "found": "missing",
            "advice": "pip install 'no-such-package>=2'",
        }
    ]


@pytest.mark.parametrize(
    ("needed", "ok"),
    [
        ("rich>=13.7", True),
        ("rich", True),
        ("rich>=13,<99; python_version >= '3.11'", True),
        ("rich>=9999", False),
        ("rich<2", False),
    ],
)
def test_doctor_says_which_version_is_needed(tau, monkeypatch, needed, ok):
    """F122: a version out of its bounds is named with the one that fits."""
    import tau_env.cli.doctor as doctor

    monkeypatch.setattr(doctor, "requires", lambda name: [needed])
    code, out, _ = tau("doctor", "--json")
    assert code == (0 if ok else 1)
    (row,) = [row for row in rows(out) if row["part"] == "rich"]
    assert row["ok"] is ok
    assert (row["advice"] == f"pip install '{needed}'") is not ok


def test_every_verb_is_listed_in_the_readme():
    from pathlib import Path

    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    for verb in VERBS:
        assert f"`{verb}" in readme or f"`{verb}`" in readme, verb


BROKEN_MODULES = {
    "syntax_broken": ("def (", "SyntaxError"),
    "lib_missing": ("import no_such_library_at_all", "ModuleNotFoundError"),
    "raises_at_import": ("1 / 0", "ZeroDivisionError"),
    "exits_at_import": ("raise SystemExit('no')", "SystemExit"),
}


@pytest.mark.parametrize("verb", ["run", "floors"])
@pytest.mark.parametrize("name", BROKEN_MODULES)
def test_module_that_cannot_be_imported_is_named_in_a_line(tau, tmp_path, monkeypatch, name, verb):
    text, error = BROKEN_MODULES[name]
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, err = tau(verb, "--domain", "retail", "--agent", f"{name}:A")
    assert code == 2
    assert f"'{name}' cannot be imported" in err
    assert error in err
    assert "Traceback" not in out + err
    assert err.count("\n") == 1


def test_tasks_generate_refuses_a_bad_folder_and_overwrites_nothing(tau, tmp_path):
    file = tmp_path / "file"
    file.write_text("precious")
    words = ["tasks", "generate", "--domain", "retail", "--family", "cancel_pending", "--seed", 7]
    code, out, err = tau(*words, "--n", 1, "--out", file)
    assert (code, file.read_text()) == (2, "precious")
    assert "--out" in err
    assert "Traceback" not in out + err
    kept = tmp_path / "set" / "cancel_pending.json"
    kept.parent.mkdir()
    kept.write_text("precious")
    code, _, err = tau(*words, "--n", 1, "--out", kept.parent)
    assert (code, kept.read_text()) == (2, "precious")
    assert "not overwritten" in err


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0"])
def test_budget_that_is_no_number_of_seconds_is_refused(tau, tmp_path, seconds):
    out = tmp_path / "x.db"
    words = ["run", "--domain", "retail", "--agent", "silent", "--tasks", TASK, "--study", out]
    code, text, err = tau(*words, "--max-seconds", seconds)
    assert code == 2
    assert "max" in err
    assert "seconds" in err
    assert "Traceback" not in text + err
    assert not out.exists()


def test_show_parts_a_failed_call_from_its_text(tau, tmp_path):
    out = tmp_path / "t.jsonl"
    tau("run", "--domain", "retail", "--agent", "random", "--tasks", TASK, "--out", out)
    _, text, _ = tau("show", out, TASK)
    assert "bad_argumentsError" not in text
    assert "unknown_toolError" not in text
    assert re.search(r"(refused|bad_arguments|unknown_tool) +Error", text)
