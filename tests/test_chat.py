"""One completion call against a server on loopback: patience, account, what is left out."""

import logging
import subprocess
import sys
import threading
import time

import chat_server as server
import pytest
from chat_server import ChatServer

from tau_env.chat import Chat, Endpoint, Limiter, forget_endpoints
from tau_env.errors import ContextOverflow, Crash
from tau_env.prices import Prices

HELLO = [{"role": "user", "content": "Hello"}]
SECRET = "very-secret-1234"
FORM = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}


@pytest.fixture(autouse=True)
def fresh():
    yield
    forget_endpoints()


@pytest.fixture
def serve():
    """Start a server that gives these answers in turn, the last one for ever."""
    running = []

    def start(*answers):
        made = ChatServer(lambda asked: answers[min(asked.number, len(answers) - 1)])
        running.append(made.__enter__())
        return made

    yield start
    for one in running:
        one.__exit__()


def chat_of(running, **more):
    quick = {"timeout": 5.0, "patience": 5.0, "backoff": 0.001, "retries": 2}
    return Chat(Endpoint(model="m", base_url=running.url, **(quick | more)))


def test_nothing_imports_openai_before_the_first_call():
    code = (
        "import sys, tau_env, tau_env.chat, tau_env.agents.tool_calling\n"
        "import tau_env.agents.json_actions, tau_env.harness.driver, tau_env.cli.run\n"
        "tau_env.chat.Chat(tau_env.chat.Endpoint(model='m'))\n"
        "assert not {'openai', 'httpx', 'httpx2'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_request_holds_what_was_asked_and_nothing_more(serve):
    running = serve(server.says("Good day."))
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    chat = chat_of(running, parameters={"temperature": 0, "top_k": 3, "stop": None})
    found = chat.complete(HELLO, tools=tools, response_format=FORM, seed=7)
    assert running.asked[0].body == {
        "model": "m",
        "messages": HELLO,
        "tools": tools,
        "response_format": FORM,
        "seed": 7,
        "temperature": 0,
        "top_k": 3,
        "stop": None,
    }
    assert (found.text, found.finish, found.model) == ("Good day.", "stop", "served-1")
    chat.complete(HELLO)
    assert set(running.asked[1].body) == {"model", "messages", "temperature", "top_k", "stop"}
    assert chat.served == ("served-1",)


def test_local_server_is_asked_without_a_key_of_ours(serve, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    running = serve(server.says("Hi."))
    chat_of(running).complete(HELLO)
    assert running.asked[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    "trouble",
    [server.LIMITED, server.LIMITED_FOR_A_WHILE, server.SERVER_ERROR, server.CUTS],
    ids=["limit", "limit with retry-after", "server error", "cut"],
)
def test_trouble_that_passes_is_outwaited(serve, trouble):
    running = serve(trouble, trouble, server.says("Hi."))
    chat = chat_of(running)
    assert chat.complete(HELLO).text == "Hi."
    assert len(running.asked) == 3
    assert chat.waited > 0


@pytest.mark.parametrize("trouble", [server.SERVER_ERROR, server.CUTS])
def test_failing_server_is_asked_as_often_as_patience_says(serve, trouble):
    running = serve(trouble)
    with pytest.raises(Crash, match=r"asked 3 times"):
        chat_of(running, retries=2).complete(HELLO)
    assert len(running.asked) == 3


@pytest.mark.parametrize(
    ("trouble", "text"),
    [
        (server.WRONG_KEY, "status 401"),
        (server.error(404, "no such model"), "no such model"),
        (server.error(400, "bad messages"), "bad messages"),
        (server.BROKEN_JSON, "no JSON"),
        (server.WRONG_SCHEMA, "no choice"),
        (server.NO_CHOICES, "no choice"),
        (server.error(429, "quota", code="insufficient_quota"), "quota"),
    ],
)
def test_hopeless_trouble_is_a_crash_at_once(serve, trouble, text):
    running = serve(trouble)
    with pytest.raises(Crash, match=text):
        chat_of(running).complete(HELLO)
    assert len(running.asked) == 1


def test_silent_server_is_a_crash_and_its_time_is_not_the_models(serve):
    running = serve(server.HANGS)
    chat = chat_of(running, timeout=0.05, retries=1)
    with pytest.raises(Crash, match="no answer in time"):
        chat.complete(HELLO)
    assert len(running.asked) == 2
    assert chat.waited >= 0.1
    assert (chat.usage.calls, chat.usage.unknown, chat.usage.discarded) == (2, 2, 2)


def test_server_that_is_not_there_is_a_crash_that_costs_nothing(serve):
    running = serve()
    running.__exit__()
    chat = chat_of(running, retries=1)
    with pytest.raises(Crash, match="connection error"):
        chat.complete(HELLO)
    assert chat.usage.calls == 0


def test_context_overflow_is_not_asked_again(serve):
    """F63."""
    running = serve(server.TOO_LONG)
    with pytest.raises(ContextOverflow, match="maximum context length"):
        chat_of(running).complete(HELLO)
    assert len(running.asked) == 1


def test_odd_reply_of_the_model_is_handed_on_and_not_asked_for_again(serve):
    """F64, F74."""
    for odd in (server.NULL_CONTENT, server.EMPTY_CONTENT, server.MALFORMED_ARGUMENTS):
        running = serve(odd, server.says("Hi."))
        found = chat_of(running).complete(HELLO)
        assert found.text is None
        assert len(running.asked) == 1


def test_model_that_its_own_server_cannot_read_is_an_odd_reply(serve):
    running = serve(server.error(400, "Failed to call a function.", code="tool_use_failed"))
    chat = chat_of(running)
    found = chat.complete(HELLO)
    assert (found.text, found.calls, found.finish) == (None, (), "unreadable")
    assert len(running.asked) == 1
    assert any("could not read" in text for text in chat.warnings)
    assert (chat.usage.calls, chat.usage.unknown) == (1, 1)


def test_error_with_status_200_is_read_by_its_code(serve):
    late = server.Answer({"error": {"code": 502, "message": "upstream is away"}})
    running = serve(late, server.says("Hi."))
    assert chat_of(running).complete(HELLO).text == "Hi."
    fatal = serve(server.Answer({"error": {"message": "no credit"}}))
    with pytest.raises(Crash, match="no credit"):
        chat_of(fatal).complete(HELLO)


@pytest.mark.parametrize("name", ["seed", "temperature"])
def test_parameter_that_is_not_taken_is_left_out_with_a_warning(serve, name):
    """F90: what is not sent is told."""
    running = serve(server.error(400, f"Unsupported parameter: '{name}'"), server.says("Hi."))
    chat = chat_of(running, parameters={"temperature": 0.5})
    assert chat.complete(HELLO, seed=3).text == "Hi."
    assert name in running.asked[0].body
    assert name not in running.asked[1].body
    assert len(chat.warnings) == 1
    assert chat.warnings[0].startswith(f"{name} is not taken by the endpoint and was left out")
    # Another trial knows at once, and its record says so too.
    other = chat_of(running, parameters={"temperature": 0.5})
    other.complete(HELLO, seed=3)
    assert len(running.asked) == 3
    assert other.warnings == chat.warnings


def test_other_parameter_that_is_not_taken_is_a_crash(serve):
    """A sweep over reasoning effort must not silently measure one setting twice."""
    running = serve(server.error(400, "Unsupported parameter: 'reasoning_effort'"))
    with pytest.raises(Crash, match="reasoning_effort"):
        chat_of(running, parameters={"reasoning_effort": "low"}).complete(HELLO, seed=3)


def test_form_that_is_not_taken_is_asked_for_less_strictly(serve):
    no_schema = server.error(400, "response_format type json_schema is not supported")
    no_form = server.error(400, "unknown field response_format")
    running = serve(no_schema, no_form, server.says("{}"))
    chat = chat_of(running)
    chat.complete(HELLO, response_format=FORM)
    assert [one.body.get("response_format") for one in running.asked] == [
        FORM,
        {"type": "json_object"},
        None,
    ]
    assert [text.split(":")[0] for text in chat.warnings] == [
        "json_schema is not taken by the endpoint and was replaced by json_object",
        "json_object is not taken by the endpoint and was left out",
    ]


def test_reasoning_that_is_not_taken_back_is_left_out_of_the_messages(serve):
    thought = {"role": "assistant", "content": "Hi.", "reasoning_content": "hm"}
    no = server.error(400, "property 'reasoning_content' is unsupported")
    running = serve(no, server.says("Bye."))
    chat = chat_of(running)
    assert chat.complete([*HELLO, thought]).text == "Bye."
    assert running.asked[0].messages[1] == thought
    assert running.asked[1].messages[1] == {"role": "assistant", "content": "Hi."}
    assert "reasoning is not taken back" in chat.warnings[0]
    # Where there is none to leave out, the record says nothing of it.
    other = chat_of(running)
    other.complete(HELLO)
    assert other.warnings == ()


def test_usage_adds_up_and_what_is_not_told_is_unknown(serve):
    """F98, F100: 10 + 30, one unknown; the cost is of those that told."""
    running = serve(
        server.says("a", usage={"prompt_tokens": 10, "completion_tokens": 0}),
        server.says("b", usage=None),
        server.says("c", usage={"prompt_tokens": 20, "completion_tokens": 10}),
    )
    chat = chat_of(running, prices=Prices(input=1.0, output=2.0))
    for _ in range(3):
        chat.complete(HELLO)
    assert (chat.usage.calls, chat.usage.tokens, chat.usage.unknown) == (3, 40, 1)
    assert chat.usage.cost == pytest.approx(50e-6)
    assert chat.warnings == (
        "the endpoint told no usage of a call: tokens and cost are not complete",
    )


def test_cost_is_unknown_without_prices(serve):
    chat = chat_of(serve(server.says("a")))
    chat.complete(HELLO)
    assert (chat.usage.tokens, chat.usage.cost) == (server.SENT + server.RECEIVED, None)


def test_discarded_replies_are_counted_apart_and_paid_for():
    """F101."""
    with ChatServer(lambda asked: server.says("a")) as running:
        chat = chat_of(running)
        for _ in range(3):
            chat.complete(HELLO)
        chat.discard()
        chat.discard()
        assert (chat.delivered, chat.discarded) == (1, 2)
        assert chat.usage.input_tokens == 3 * server.SENT


def test_torn_reply_is_paid_for_and_not_delivered(serve):
    torn = server.Answer({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}})
    chat = chat_of(serve(torn))
    with pytest.raises(Crash):
        chat.complete(HELLO)
    assert (chat.usage.tokens, chat.delivered, chat.discarded) == (6, 0, 1)


def test_start_counts_anew(serve):
    chat = chat_of(serve(server.says("a", usage=None)))
    chat.complete(HELLO)
    chat.start()
    assert (chat.usage.calls, chat.warnings, chat.served, chat.waited) == (0, (), (), 0.0)


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self):
        self.now, self.slept = 0.0, []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def timed(running, clock, **more):
    endpoint = Endpoint(model="m", base_url=running.url, **more)
    limiter = Limiter(rate=endpoint.rate, clock=clock)
    return Chat(endpoint, limiter=limiter, clock=clock, sleep=clock.sleep)


def test_retry_after_is_kept_to_and_backoff_doubles_without(serve):
    clock = Clock()
    asked_to = server.error(429, "slow down", retry_after="7")
    chat = timed(serve(server.LIMITED, server.LIMITED, asked_to, server.says("a")), clock)
    chat.complete(HELLO)
    assert clock.slept == pytest.approx([1.0, 2.0, 7.0])
    assert chat.waited == pytest.approx(10.0)


def test_calls_that_go_through_quicken_the_pace_again(serve):
    clock = Clock()
    limiter = Limiter(clock=clock)
    running = serve(server.LIMITED, server.says("a"))
    endpoint = Endpoint(model="m", base_url=running.url)
    chat = Chat(endpoint, limiter=limiter, clock=clock, sleep=clock.sleep)
    chat.complete(HELLO)
    slow = limiter.gap
    chat.complete(HELLO)
    assert 0 < limiter.gap < slow


def test_rate_limit_beyond_patience_is_a_crash_without_waiting_in_vain(serve):
    clock = Clock()
    running = serve(server.error(429, "slow down", retry_after="3600"))
    with pytest.raises(Crash, match="patience of 60 s"):
        timed(running, clock, patience=60.0).complete(HELLO)
    assert clock.slept == []
    assert len(running.asked) == 1


def test_waiting_is_told_while_it_lasts(serve):
    """The trial's clock asks while the agent waits, and must not count it as the agent's time."""
    clock = Clock()
    chat = timed(serve(server.LIMITED, server.says("a")), clock)
    told = []
    plain = clock.sleep

    def sleep(seconds):
        plain(seconds / 2)
        told.append(chat.waited)
        plain(seconds / 2)

    chat._sleep = sleep
    chat.complete(HELLO)
    assert told == pytest.approx([0.5])
    assert chat.waited == pytest.approx(1.0)


def test_stated_rate_holds_for_all_chats_of_an_address():
    with ChatServer(lambda asked: server.says("a")) as running:
        chats = [chat_of(running, rate=50.0) for _ in range(4)]
        started = time.monotonic()
        threads = [threading.Thread(target=one.complete, args=(HELLO,)) for one in chats * 2]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert time.monotonic() - started >= 7 / 50
        assert len(running.asked) == 8


def test_key_is_sent_and_in_no_error_and_no_log(serve, caplog):
    caplog.set_level(logging.DEBUG)
    echo = server.error(401, f"Incorrect API key provided: {SECRET}; see sk-abc***123")
    running = serve(echo)
    with pytest.raises(Crash) as told:
        chat_of(running, key=SECRET).complete(HELLO)
    assert running.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert "Incorrect API key" in str(told.value)
    assert caplog.records
    for text in (str(told.value), repr(told.value), caplog.text):
        assert SECRET not in text
    assert "sk-abc" not in str(told.value)
    assert told.value.__suppress_context__ or told.value.__context__ is None


def test_key_in_a_torn_reply_is_not_shown(serve):
    running = serve(server.Answer(f'{{"torn": "{SECRET}'))
    with pytest.raises(Crash, match="no JSON") as told:
        chat_of(running, key=SECRET).complete(HELLO)
    assert SECRET not in str(told.value)


def test_messages_travel_as_they_are(serve):
    running = serve(server.says("a"))
    odd = [{"role": "user", "content": "ä\u2028😀\x00\"'<think>"}]
    chat_of(running).complete(odd)
    assert running.asked[0].messages == odd
