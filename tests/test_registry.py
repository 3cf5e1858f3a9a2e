"""Names find what they mean: ours, entry points of others, module:Class; mistakes are told."""

import sys
from pathlib import Path

import pytest
from fake_chat import FakeChat, line
from toy import TOY

from tau_env.agents.base import is_insider
from tau_env.env import TauEnv
from tau_env.errors import UnknownName
from tau_env.registry import (
    AGENTS,
    USERS,
    domain_names,
    find_agent,
    find_domain,
    find_user,
    import_string,
)
from tau_env.schema import Lexicon, Scenario, Want

ROOT = Path(__file__).resolve().parent.parent
MINE = """
class Mine:
    def reset(self, briefing, seed):
        self.domain = briefing.domain

    def act(self, observation):
        return {"type": "end"}


class Quiet:
    name = "quiet"

    def reset(self, scenario, lexicon, seed):
        from tau_env.users.base import Reply

        return Reply("Hello.")

    def reply(self, text):
        from tau_env.users.base import Reply

        return Reply("Bye.", ends=True)


def factory():
    return Mine()
"""


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """An installed package of somebody else: a module and its entry points."""
    (tmp_path / "somebodys.py").write_text(MINE)
    (tmp_path / "broken_one.py").write_text("import no_such_module_at_all\n")
    info = tmp_path / "somebodys-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[tau_env.agents]\nmine = somebodys:Mine\nbroken = broken_one:Mine\n"
        "silent = somebodys:Mine\nmade = somebodys:factory\n"
        "[tau_env.users]\nquiet = somebodys:Quiet\n"
        "[tau_env.domains]\ntoyland = toy:TOY\nodd = somebodys:Mine\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    find_domain.cache_clear()
    yield
    find_domain.cache_clear()
    for name in ("somebodys", "broken_one"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_that_ships_is_found_with_the_protocol(name):
    found = find_agent(name)
    assert callable(found.reset)
    assert callable(found.act)
    assert f"{found.__module__}:{found.__name__}" == AGENTS[name]


def test_insiders_are_marked():
    insiders = {name for name in AGENTS if is_insider(find_agent(name))}
    assert insiders == {"reference", "over-eager", "no-listener", "side-effect"}


@pytest.mark.parametrize("name", USERS)
def test_every_user_that_ships_starts_and_answers(name):
    waits = getattr(find_user(name), "waits", False)
    user = find_user(name)(**({"chat": FakeChat([line("Hello.")])} if waits else {}))
    lexicon = Lexicon(verbs={"x": ("x",)}, phrases={"hello": ("Hello.",), "x": ("I want x.",)})
    scenario = Scenario(customer="c", opening="hello", wants=(Want(do="x"),))
    assert user.reset(scenario, lexicon, 1).text == "Hello."
    assert isinstance(user.reply("Yes?").text, str)


def test_domains_are_the_folders_that_ship():
    assert "retail" in domain_names()
    assert all((ROOT / "domains" / name / "schema.sql").exists() for name in domain_names())
    assert find_domain("retail") is find_domain("retail")


def test_entry_points_add_agents_users_and_domains(plugins):
    assert find_agent("mine").__name__ == "Mine"
    assert find_user("quiet").__name__ == "Quiet"
    assert find_domain("toyland") is TOY
    assert {"toyland", "odd"} <= set(domain_names())


def test_environment_takes_a_user_by_entry_point_and_by_class(plugins):
    for name in ("quiet", "somebodys:Quiet"):
        env = TauEnv("retail", user=name)
        assert env.reset(seed=1)[0]["text"] == "Hello."
        assert env.step({"type": "say", "text": "x"})[2] is True


def test_our_own_names_win_over_entry_points(plugins):
    assert find_agent("silent").__module__ == "tau_env.agents.floors"


def test_broken_plug_in_fails_loudly_with_its_own_error(plugins):
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        find_agent("broken")
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        find_agent("broken_one:Mine")


def test_plug_in_of_another_kind_is_named(plugins):
    with pytest.raises(UnknownName, match="is a function; name a class"):
        find_agent("made")
    with pytest.raises(UnknownName, match="registered as a domain but is a type"):
        find_domain("odd")


def test_module_and_class_are_found_in_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "my_own_agent.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one not in ("", str(tmp_path))])
    found = find_agent("my_own_agent:Mine")
    assert found.__name__ == "Mine"
    assert sys.path[-1] == str(tmp_path)
    find_agent("my_own_agent:Mine")
    assert sys.path.count(str(tmp_path)) == 1
    del sys.modules["my_own_agent"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("silnt", "Did you mean 'silent'"),
        ("", "no agent ''"),
        ("no_such_module_x:Agent", "no module 'no_such_module_x'"),
        ("no_such_package_x.agents:Agent", "no module 'no_such_package_x.agents'"),
        ("tau_env.no_such:Agent", "no module 'tau_env.no_such'"),
        ("tau_env.agents.floors:Silence", "no 'Silence'. Did you mean 'Silent'"),
        ("tau_env.agents.floors:", "write it as module:Class"),
        (":Silent", "write it as module:Class"),
        ("..agents:Silent", "write it as module:Class"),
        ("tau_env.agents.lookers:LONGEST_SPEECH", "is a int; name a class"),
        ("tau_env.agents.floors:transfer", "is a function; name a class"),
    ],
)
def test_name_that_finds_no_agent_says_what_to_do(name, reason):
    with pytest.raises(UnknownName) as told:
        find_agent(name)
    assert reason in str(told.value)


def test_unknown_domain_and_user_offer_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'retail'"):
        find_domain("retial")
    with pytest.raises(UnknownName, match="Did you mean 'scripted'"):
        find_user("script")


def test_error_inside_a_module_keeps_its_traceback(tmp_path, monkeypatch):
    (tmp_path / "failing_module.py").write_text("raise ZeroDivisionError('inside')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ZeroDivisionError, match="inside"):
        import_string("failing_module:Agent")
