"""One completion call: the only place that asks a model, and the only import of `openai`.

`openai` is imported with the first call. What a call needs stands beside: `endpoint` says whom to
ask, `limiter` when, `completion` reads the reply and `faults` the errors. Infrastructure is asked
again here; a reply of the model, however odd, is handed on as it is and never asked for again.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tau_env.completion import Completion, ToolRequest, read_body, read_completion, read_usage
from tau_env.concessions import warnings_of, without_parts
from tau_env.endpoint import Endpoint, Role, find_endpoint
from tau_env.errors import ContextOverflow, Crash
from tau_env.faults import Fault, read_fault
from tau_env.limiter import Limiter
from tau_env.schema import Usage

__all__ = [
    "Chat",
    "Completion",
    "Endpoint",
    "Limiter",
    "Role",
    "ToolRequest",
    "find_endpoint",
    "forget_endpoints",
]

LONGEST_WAIT = 60.0
NO_USAGE = "the endpoint told no usage of a call: tokens and cost are not complete"
NO_KEY = "none"
_LIKE_A_KEY = re.compile(r"\bsk-[\w*.-]{4,}")


class Chat:
    """One endpoint, asked by one party of a trial.

    Connections, pace and what the endpoint has refused are shared by all chats of a process with
    that address; what is counted here is this party's own, since `start`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limiter: Limiter | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the endpoint; nothing is asked yet.

        Args:
            endpoint: whom to ask.
            limiter: when to ask; the one that all with this address share when None.
            clock: seconds that only grow.
            sleep: waits so many seconds.
        """
        self.endpoint = endpoint
        self._line = _line(endpoint)
        self._limiter = limiter or self._line.limiter
        self._clock = clock
        self._sleep = sleep
        self.start()

    def start(self) -> None:
        """Begin to count anew: a trial starts."""
        self.usage = Usage()
        self._warnings: Counter[str] = Counter()
        self._served: Counter[str] = Counter()
        self._waits: tuple[float, float | None] = (0.0, None)

    @property
    def delivered(self) -> int:
        """Replies that were handed on and used."""
        return self.usage.calls - self.usage.discarded

    @property
    def discarded(self) -> int:
        """Replies that were paid for and not used: torn, lost on the way, or given to `discard`."""
        return self.usage.discarded

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the record should warn of, each once, with how often."""
        return tuple(
            text if times == 1 else f"{text} ({times} times)"
            for text, times in self._warnings.items()
        )

    @property
    def served(self) -> tuple[str, ...]:
        """The models that answered, by the names that the endpoint gives them."""
        return tuple(self._served)

    @property
    def waited(self) -> float:
        """Seconds that no fault of the model took: waiting for a place, and calls that failed."""
        total, since = self._waits
        return total if since is None else total + self._clock() - since

    def discard(self) -> None:
        """The last reply is not used; its tokens stay counted."""
        self.usage = self.usage.plus(Usage(discarded=1))

    def warn(self, text: str) -> None:
        """Add a warning to the record of the trial."""
        self._warnings[text] += 1

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Ask for one reply.

        Args:
            messages: the conversation in the chat-completions form.
            tools: schemas of the tools that may be called.
            response_format: the form that a text must have.
            seed: asked for with every call; a hint that endpoints keep more or less.

        Returns:
            The reply, however odd.

        Raises:
            Crash: no reply could be had: connection, time-out, rate limit or server error beyond
                patience, a wrong key or address, a body that is no reply.
            ContextOverflow: the conversation does not fit.
        """
        request: dict[str, Any] = {**self.endpoint.parameters, "seed": seed}
        if seed is None:
            del request["seed"]
        request |= {"tools": list(tools)} if tools else {}
        request |= {"response_format": dict(response_format)} if response_format else {}
        request |= {"model": self.endpoint.model, "messages": list(messages)}
        trouble = _Trouble(self.endpoint)
        while True:
            self._wait_for_a_place(trouble)
            found = self._ask(self._conceded(request))
            if isinstance(found, Completion):
                return found
            if found.kind == "model":
                self._count(Usage(calls=1, unknown=1))
                self.warn(f"the endpoint could not read what its model wrote ({found.text})")
                return Completion(finish="unreadable")
            self._bear(found, trouble)

    def _conceded(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request without what the endpoint has refused before; the record says so."""
        refused = dict(self._line.refused.get(self.endpoint.model, {}))
        for text in warnings_of(request, refused) if refused else ():
            self._warnings[text] = 1
        return without_parts(request, refused)

    def _wait_for_a_place(self, trouble: _Trouble) -> None:
        while (seconds := self._limiter.ask()) > 0:
            trouble.check(self._clock() + seconds)
            self._wait(seconds)
        trouble.started = self._clock()

    def _wait(self, seconds: float) -> None:
        total, _ = self._waits
        begun = self._clock()
        self._waits = (total, begun)
        self._sleep(seconds)
        self._waits = (total + self._clock() - begun, None)

    def _ask(self, request: dict[str, Any]) -> Completion | Fault:
        """Ask once."""
        started = self._clock()
        reply = _post(self._line.client(self.endpoint), request)
        found = reply if isinstance(reply, Fault) else self._read(reply)
        if isinstance(found, Completion):
            self._limiter.passed()
            return found
        # A call that failed has taken none of the model's time.
        self._waits = (self._waits[0] + self._clock() - started, None)
        if found.billed:
            self._count(Usage(calls=1, unknown=1, discarded=1))
        return replace(found, text=self._clean(found.text))

    def _read(self, text: str) -> Completion | Fault:
        try:
            body = read_body(text)
        except Crash as crash:
            self._count(Usage(calls=1, unknown=1, discarded=1))
            raise Crash(self._clean(str(crash))) from None
        if body.get("error") and not body.get("choices"):
            # Some gateways send the errors of those behind them with status 200.
            return read_fault(_code(body["error"]), body["error"])
        self._count(read_usage(body, self.endpoint.prices))
        try:
            found = read_completion(body)
        except Crash as crash:
            self.discard()
            raise Crash(self._clean(str(crash))) from None
        for warning in found.warnings:
            self.warn(warning)
        if found.model is not None:
            self._served[found.model] += 1
        return found

    def _bear(self, fault: Fault, trouble: _Trouble) -> None:
        """Get ready to ask again after a fault, or give up."""
        if fault.kind == "overflow":
            raise ContextOverflow(fault.text)
        if fault.kind == "unsupported":
            known = self._line.refused.setdefault(self.endpoint.model, {})
            known.update(dict.fromkeys(fault.parts, fault.text))
        elif fault.kind == "limit":
            seconds = trouble.refused(fault, now=self._clock())
            self._limiter.refused(started=trouble.started, wait=seconds)
        elif fault.kind == "server":
            self._wait(trouble.failed(fault))
        else:
            raise Crash(f"{self.endpoint.address}: {fault.text}")

    def _count(self, usage: Usage) -> None:
        self.usage = self.usage.plus(usage)
        if usage.unknown:
            self.warn(NO_USAGE)

    def _clean(self, text: str) -> str:
        """A text without keys: endpoints repeat them in their errors."""
        if self.endpoint.key:
            text = text.replace(self.endpoint.key, "***")
        return _LIKE_A_KEY.sub("***", text)


@dataclass
class _Trouble:
    """What one call has been through."""

    endpoint: Endpoint
    started: float = 0.0
    limits: int = 0
    failures: int = 0
    until: float | None = None
    last: str = ""

    def refused(self, fault: Fault, *, now: float) -> float:
        """Seconds to wait after a rate limit."""
        self.last = fault.text
        if self.until is None:
            self.until = now + self.endpoint.patience
        seconds = self._backoff(self.limits) if fault.wait is None else fault.wait
        self.limits += 1
        self.check(now + seconds)
        return seconds

    def failed(self, fault: Fault) -> float:
        """Seconds to wait after a server error."""
        if self.failures >= self.endpoint.retries:
            tries = f" (asked {self.failures + 1} times)" if self.failures else ""
            raise Crash(f"{self.endpoint.address}: {fault.text}{tries}")
        self.failures += 1
        return max(self._backoff(self.failures - 1), min(fault.wait or 0.0, LONGEST_WAIT))

    def check(self, then: float) -> None:
        """Give up if the call would start, by the clock, later than patience lasts."""
        if self.until is not None and then > self.until:
            raise Crash(
                f"{self.endpoint.address}: rate limit beyond a patience of "
                f"{self.endpoint.patience:g} s ({self.last}); run fewer workers, or with --rate"
            )

    def _backoff(self, before: int) -> float:
        return min(LONGEST_WAIT, self.endpoint.backoff * 2.0**before)


@dataclass
class _Line:
    """What all chats of a process share of one address: by model, why which part is refused."""

    limiter: Limiter = field(default_factory=Limiter)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)
    clients: dict[tuple[str | None, float], Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, endpoint: Endpoint) -> Any:
        """The client of an endpoint; it is safe to use from several threads."""
        from openai import OpenAI

        named = (endpoint.key, endpoint.timeout)
        with self.lock:
            if named not in self.clients:
                self.clients[named] = OpenAI(
                    api_key=endpoint.key or NO_KEY,
                    base_url=endpoint.address,
                    timeout=endpoint.timeout,
                    # The tries are counted here, and nowhere else.
                    max_retries=0,
                )
            return self.clients[named]


_LINES: dict[str, _Line] = {}
_LOCK = threading.Lock()


def _line(endpoint: Endpoint) -> _Line:
    with _LOCK:
        line = _LINES.setdefault(endpoint.address, _Line())
    line.limiter.limit(endpoint.rate)
    return line


def forget_endpoints() -> None:
    """Close every connection of this process and forget paces and refused parameters."""
    with _LOCK:
        lines = list(_LINES.values())
        _LINES.clear()
    for line in lines:
        for client in line.clients.values():
            client.close()


def _post(client: Any, request: dict[str, Any]) -> str | Fault:
    """Ask once: the body of the reply, or what went wrong."""
    import openai

    rest = dict(request)
    model, messages = rest.pop("model"), rest.pop("messages")
    try:
        raw = client.chat.completions.with_raw_response.create(
            model=model, messages=messages, extra_body=rest
        )
        return str(raw.http_response.text)
    except openai.APITimeoutError as error:
        return Fault(kind="server", text=f"no answer in time{_cause(error)}", billed=_sent(error))
    except openai.APIConnectionError as error:
        return Fault(kind="server", text=f"connection error{_cause(error)}", billed=_sent(error))
    except openai.APIStatusError as error:
        headers = {name.lower(): value for name, value in error.response.headers.items()}
        told = error.body or error.response.text
        return read_fault(error.status_code, told, headers=headers, request=request)
    except openai.OpenAIError as error:
        return Fault(kind="fatal", text=f"{type(error).__name__}: {error}")


def _cause(error: BaseException) -> str:
    cause = error.__cause__
    return "" if cause is None else f" ({type(cause).__name__}: {cause})"


def _sent(error: BaseException) -> bool:
    """Whether the request had been sent, so that a reply may have been made."""
    return not type(error.__cause__).__name__.startswith(("Connect", "Pool", "Proxy"))


def _code(error: Any) -> int:
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 200
