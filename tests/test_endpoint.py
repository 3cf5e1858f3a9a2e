"""Which model, where, with which key: settings and environment; prices from a table."""

import json

import pytest

from tau_env.endpoint import OPENAI_URL, PATIENCE, find_endpoint
from tau_env.errors import BadArgument
from tau_env.prices import Prices, prices_of, read_prices

LOCAL = "http://127.0.0.1:8000/v1"
SECRET = "sk-very-secret-1234"


def find(role="agent", environ=None, **settings):
    return find_endpoint(role, settings, environ=environ or {})


def test_settings_name_the_model_and_all_else_is_a_parameter():
    found = find(model="m", base_url=LOCAL, temperature=0.5, reasoning_effort="low", top_k=3)
    assert (found.model, found.address, found.key) == ("m", LOCAL, None)
    assert found.parameters == {"temperature": 0.5, "reasoning_effort": "low", "top_k": 3}
    assert found.patience == PATIENCE


def test_environment_of_the_role_comes_before_that_of_all():
    environ = {
        "TAU_ENV_MODEL": "all",
        "TAU_ENV_USER_MODEL": "user",
        "TAU_ENV_BASE_URL": LOCAL,
        "OPENAI_BASE_URL": "https://other.example/v1",
        "OPENAI_API_KEY": "one",
        "TAU_ENV_JUDGE_API_KEY": "two",
    }
    assert find("user", environ).model == "user"
    assert find("agent", environ).model == "all"
    assert find("agent", environ).address == LOCAL
    assert find("agent", environ).key == "one"
    assert find("judge", environ).key == "two"
    assert find("user", environ, model="given").model == "given"


def test_patience_is_from_the_environment_and_in_no_record():
    environ = {
        "TAU_ENV_TIMEOUT": "5",
        "TAU_ENV_PATIENCE": "6",
        "TAU_ENV_RETRIES": "0",
        "TAU_ENV_BACKOFF": "0.1",
        "TAU_ENV_RATE": "2.5",
    }
    found = find(environ=environ, model="m", base_url=LOCAL)
    assert (found.timeout, found.patience, found.retries) == (5.0, 6.0, 0)
    assert (found.backoff, found.rate) == (0.1, 2.5)
    assert found.settings() == {"model": "m", "base_url": LOCAL}


@pytest.mark.parametrize("value", ["0", "-1", "fast", "nan", "inf"])
def test_patience_that_cannot_be_is_refused(value):
    with pytest.raises(BadArgument, match="TAU_ENV_TIMEOUT"):
        find(environ={"TAU_ENV_TIMEOUT": value}, model="m", base_url=LOCAL)


def test_settings_are_complete_and_stable():
    row = {"input": 1.0, "output": 2.0}
    first = find(environ={"OPENAI_API_KEY": SECRET}, model="m", temperature=None, prices=row)
    assert first.settings() == {
        "model": "m",
        "base_url": OPENAI_URL,
        "temperature": None,
        "prices": row,
    }
    again = find(environ={"OPENAI_API_KEY": SECRET}, **first.settings())
    assert again.settings() == first.settings()


def test_openai_itself_needs_a_key_and_a_local_server_none():
    assert find(model="m", base_url=LOCAL).key is None
    with pytest.raises(BadArgument, match="OPENAI_API_KEY"):
        find(model="m")
    with pytest.raises(BadArgument, match="OPENAI_API_KEY"):
        find(model="m", base_url=OPENAI_URL + "/")


def test_model_that_is_not_named_is_refused():
    with pytest.raises(BadArgument, match="TAU_ENV_USER_MODEL"):
        find("user", base_url=LOCAL)


def test_key_is_never_shown():
    found = find(environ={"OPENAI_API_KEY": SECRET}, model="m")
    assert found.key == SECRET
    assert SECRET not in repr(found)
    assert SECRET not in json.dumps(found.settings())


@pytest.mark.parametrize("name", ["api_key", "key", "Authorization", "extra_headers", "auth_token"])
def test_secret_among_the_settings_is_refused_unseen(name):
    with pytest.raises(BadArgument, match="environment") as told:
        find(model="m", base_url=LOCAL, **{name: SECRET})
    assert SECRET not in str(told.value)


def test_key_in_the_value_of_another_setting_is_refused_unseen():
    with pytest.raises(BadArgument) as told:
        find(environ={"OPENAI_API_KEY": SECRET}, model="m", metadata={"note": [SECRET]})
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "thinking_token_budget"])
def test_numbers_of_tokens_are_no_secrets(name):
    assert find(model="m", base_url=LOCAL, **{name: 300}).parameters == {name: 300}


def test_other_variable_may_hold_the_key():
    environ = {"OPENAI_API_KEY": "one", "OTHER_KEY": "two"}
    found = find(environ=environ, model="m", base_url=LOCAL, api_key_env="OTHER_KEY")
    assert found.key == "two"
    assert found.settings()["api_key_env"] == "OTHER_KEY"
    with pytest.raises(BadArgument, match="api_key_env") as told:
        find(environ=environ, model="m", base_url=LOCAL, api_key_env=SECRET)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, {"a": [float("nan")]}])
def test_value_that_cannot_be_sent_is_refused(value):
    with pytest.raises(BadArgument, match="temperature"):
        find(model="m", base_url=LOCAL, temperature=value)


@pytest.mark.parametrize("name", ["messages", "tools", "stream", "n", "seed", "response_format"])
def test_parts_that_scaffold_and_trial_decide_are_refused(name):
    with pytest.raises(BadArgument, match=name):
        find(model="m", base_url=LOCAL, **{name: 1})


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8000", "ftp://a/v1", "", 3, "http://", LOCAL + "/chat/completions", "http://[/v1"],
)
def test_address_that_is_none_is_refused(url):
    with pytest.raises(BadArgument, match=r"base URL|no key"):
        find(model="m", base_url=url)


@pytest.mark.parametrize("url", ["http://me:pw4711@h/v1", "http://h/v1?key=pw4711"])
def test_address_with_a_secret_is_refused_unseen(url):
    with pytest.raises(BadArgument) as told:
        find(model="m", base_url=url)
    assert "pw4711" not in str(told.value)


def test_table_of_prices_is_read_by_model(tmp_path):
    table = tmp_path / "prices.json"
    table.write_text('{"m": {"input": 0.15, "output": 0.6, "cached": 0.075}, "free": '
                     '{"input": 0, "output": 0}}')  # fmt: skip
    assert read_prices(table)["free"].cost(sent=10, received=10) == 0
    found = find(model="m", base_url=LOCAL, prices=str(table))
    assert found.prices == Prices(input=0.15, output=0.6, cached=0.075)
    with pytest.raises(BadArgument, match="Did you mean 'free'"):
        find(model="fre", base_url=LOCAL, prices=str(table))
    # Of the environment's table, which is for all roles, a model need not be in it.
    environ = {"TAU_ENV_PRICES": str(table)}
    assert find(environ=environ, model="other", base_url=LOCAL).prices is None
    assert find(environ=environ, model="m", base_url=LOCAL).prices == found.prices


@pytest.mark.parametrize(
    "row",
    [
        3,
        {},
        {"input": 1},
        {"input": 1, "output": 2, "inptu": 3},
        {"input": -1, "output": 2},
        {"input": True, "output": 2},
        {"input": "1", "output": 2},
        {"input": float("nan"), "output": 2},
    ],
)
def test_row_that_is_no_price_is_refused(row):
    with pytest.raises(BadArgument, match="price of 'm'"):
        prices_of(row, model="m")


def test_table_that_cannot_be_read_is_refused(tmp_path):
    torn = tmp_path / "torn.json"
    torn.write_text('{"m": ')
    listed = tmp_path / "list.json"
    listed.write_text("[]")
    for path, what in (
        (tmp_path / "none.json", "cannot read"),
        (torn, "no JSON"),
        (listed, "no table"),
    ):
        with pytest.raises(BadArgument, match=what):
            read_prices(path)
