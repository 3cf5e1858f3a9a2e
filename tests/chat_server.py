"""A chat-completions server on loopback that answers as it is told and misbehaves on command.

    with ChatServer(lambda asked: says("Good day.")) as server:
        ...  # ask server.url

An answer is made from what was asked: its messages, its place in the conversation, its seed.
`Solver` plays the reference solutions of a study, so that what goes wrong can be told from what
would have passed. Standard library only.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tau_env.schema import Task
from tau_env.trial import trial_seed

LONGEST_HANG = 30.0
SENT, RECEIVED = 100, 20
"""Tokens that a reply tells, unless it is given others."""


@dataclass(frozen=True)
class Asked:
    """One request."""

    body: dict[str, Any]
    headers: dict[str, str]
    number: int

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def replies(self) -> list[dict[str, Any]]:
        """The model's own earlier messages of this conversation."""
        return [one for one in self.messages if one["role"] == "assistant"]

    @property
    def seed(self) -> int | None:
        return self.body.get("seed")


@dataclass(frozen=True)
class Answer:
    """What the server does: sends a body, never answers, or cuts the connection in mid-body."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    do: Literal["send", "hang", "cut"] = "send"

    @property
    def data(self) -> bytes:
        raw = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return raw.encode("utf-8", "surrogatepass")


Answering = Callable[[Asked], Answer]


def reply(
    message: Mapping[str, Any],
    *,
    finish: str | None = None,
    usage: Mapping[str, Any] | Literal["default"] | None = "default",
    model: str = "served-1",
) -> Answer:
    """A completion with this message; `usage` None leaves it out."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", **message},
                "finish_reason": finish or ("tool_calls" if message.get("tool_calls") else "stop"),
            }
        ],
    }
    if usage == "default":
        total = {"prompt_tokens": SENT, "completion_tokens": RECEIVED}
        body["usage"] = {**total, "total_tokens": SENT + RECEIVED}
    elif usage is not None:
        body["usage"] = dict(usage)
    return Answer(body)


def says(text: str | None, **more: Any) -> Answer:
    """The model says something; None is a content of null."""
    return reply({"content": text}, **more)


def calls(*wanted: tuple[str, Any], text: str | None = None, **more: Any) -> Answer:
    """The model calls tools; arguments are an object, or a text as it is."""
    written = [
        {
            "id": f"call-{place}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": given if isinstance(given, str) else json.dumps(given),
            },
        }
        for place, (name, given) in enumerate(wanted)
    ]
    return reply({"content": text, "tool_calls": written}, **more)


def error(
    status: int, message: str, *, code: Any = None, param: str | None = None, **headers: str
) -> Answer:
    """An error reply; headers are written with underscores, such as retry_after."""
    told = {"message": message, "type": "error", "code": code, "param": param}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": told}, status=status, headers=named)


LIMITED = error(429, "Rate limit reached", code="rate_limit_exceeded")
LIMITED_FOR_A_WHILE = error(429, "Rate limit reached", retry_after="0.05")
SERVER_ERROR = error(500, "The server had an error")
HANGS = Answer(do="hang")
CUTS = Answer({"choices": []}, do="cut")
BROKEN_JSON = Answer('{"choices": [{"message": {"content": "Good d')
WRONG_SCHEMA = Answer({"result": "Good day."})
NO_CHOICES = Answer({"object": "chat.completion", "choices": []})
NO_USAGE = says("One moment, please.", usage=None)
TOO_LONG = error(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000.",
    code="context_length_exceeded",
    param="messages",
)
WRONG_KEY = error(401, "Incorrect API key provided", code="invalid_api_key")
NULL_CONTENT = says(None)
EMPTY_CONTENT = says("")
REASONING_ONLY = reply({"content": None, "reasoning_content": "The order is #W1. Hm."})
UNKNOWN_TOOL = calls(("refund_everything", {}))
MALFORMED_ARGUMENTS = calls(("think", '{"thought": "torn'))
TWO_CALLS = calls(("think", {"thought": "first"}), ("think", {"thought": "second"}))


class ChatServer:
    """The server; it runs from `with` to its end, each connection in a thread of its own."""

    def __init__(self, answer: Answering) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def note(self, body: dict[str, Any], headers: Mapping[str, str]) -> Asked:
        """Keep a request."""
        with self._lock:
            lower = {name.lower(): value for name, value in headers.items()}
            self.asked.append(Asked(body, lower, len(self.asked)))
            return self.asked[-1]


def _handler(owner: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def handle(self) -> None:
            with suppress(ConnectionError):  # a client that gave up
                super().handle()

        def do_POST(self) -> None:
            size = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(size))
            asked = owner.note(body, dict(self.headers.items()))
            if self.path != "/v1/chat/completions":
                self.send(error(404, f"no {self.path} here"))
                return
            answer = owner.answer(asked)
            if answer.do == "hang":
                owner.closing.wait(LONGEST_HANG)
                self.close_connection = True
            else:
                self.send(answer)

        def send(self, answer: Answer) -> None:
            data = answer.data
            cut = answer.do == "cut"
            with suppress(ConnectionError):
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data) + (1000 if cut else 0)))
                self.end_headers()
                self.wfile.write(data)
                self.wfile.flush()
            self.close_connection = self.close_connection or cut

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a test's output is its own."""

    return Handler


class Solver:
    """Answers with the reference solution of the task that a request's seed belongs to.

    `instead` may answer first; None leaves it to the reference. `seed % 2**31` is what agents send.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        *,
        trials: int = 1,
        study_seed: int = 0,
        instead: Callable[[Asked, Task, int], Answer | None] = lambda asked, task, trial: None,
    ) -> None:
        self._places = {
            trial_seed(study_seed, task.id, trial) % 2**31: (task, trial)
            for task in tasks
            for trial in range(trials)
        }
        self._instead = instead

    def __call__(self, asked: Asked) -> Answer:
        assert asked.seed is not None
        task, trial = self._places[asked.seed]
        return self._instead(asked, task, trial) or solve(task, len(asked.replies))


def solve(task: Task, step: int) -> Answer:
    """The step of a task's reference solution as a reply; a goodbye after the last."""
    if step >= len(task.reference):
        return says("Thank you for calling. Goodbye.")
    found = task.reference[step]
    if found.say:
        return says(found.say)
    return calls((found.call, found.arguments))
