"""What an endpoint's error means: whose fault it is, and whether asking again may help.

Pure functions of status, body and headers; they import no client.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from tau_env.concessions import refused_parts

Kind = Literal["limit", "server", "overflow", "unsupported", "model", "fatal"]

OVERFLOW = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|prompt is too long|input is too long"
    r"|too many (input )?tokens|reduce the length of the (messages|prompt|input)"
    r"|exceeds? the (available |model'?s? )?(context|maximum number of tokens)",
    re.IGNORECASE,
)
MODEL_FAULT = re.compile(
    r"tool_use_failed|json_validate_failed|failed to parse tool call|failed to call a function",
    re.IGNORECASE,
)
HOPELESS = re.compile(r"insufficient_quota|billing|credit balance", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """An error of an endpoint.

    Attributes:
        kind: ``limit`` (asked too often), ``server`` (may pass), ``overflow`` (the conversation
            does not fit), ``unsupported`` (a part of the request that it does not take), ``model``
            (it could not read what its own model wrote), ``fatal``.
        text: one line for a person.
        wait: seconds after which the endpoint wants to be asked again, where it says so.
        parts: for ``unsupported``, the parts of the request to leave out.
        billed: whether a reply may have been made, and paid for, that never arrived.
    """

    kind: Kind
    text: str
    wait: float | None = None
    parts: tuple[str, ...] = ()
    billed: bool = False


def read_fault(
    status: int,
    error: Any,
    *,
    headers: Mapping[str, str] | None = None,
    request: Mapping[str, Any] | None = None,
) -> Fault:
    """What an error reply means.

    Args:
        status: the HTTP status, or the code inside an error that came with status 200.
        error: the error object of the body, or its text.
        headers: of the reply, by lower-case name.
        request: what was asked.
    """
    words = _words(error)
    text = f"status {status}: {words[:500] or 'no message'}"
    wait = retry_after(headers or {})
    if status == 429:
        kind: Kind = "fatal" if HOPELESS.search(words) else "limit"
        return Fault(kind=kind, text=text, wait=wait)
    if MODEL_FAULT.search(words):
        return Fault(kind="model", text=text)
    if status not in (401, 403, 404) and OVERFLOW.search(words):
        return Fault(kind="overflow", text=text)
    refused = refused_parts(status, words, request or {})
    if refused:
        return Fault(kind="unsupported", text=text, parts=refused)
    if status == 503 and wait is not None:
        return Fault(kind="limit", text=text, wait=wait)
    if status in (408, 409) or status >= 500:
        return Fault(kind="server", text=text, wait=wait)
    return Fault(kind="fatal", text=text)


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds that an endpoint asks to wait, by ``retry-after-ms`` or ``retry-after``; else None.

    Args:
        headers: by lower-case name.
        now: seconds since 1970, for a date; the clock's when None.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            seconds = _until(text, time.time() if now is None else now)
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _until(text: str, now: float) -> float:
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return -1.0


def _words(error: Any) -> str:
    """All that an error says, on one line: message, code, type and parameter."""
    if isinstance(error, Mapping):
        inner = error.get("error")
        if isinstance(inner, Mapping | str):
            return _words(inner)
        names = ("message", "detail", "code", "type", "param", "failed_generation")
        parts = [str(error[name]) for name in names if error.get(name) not in (None, "")]
        return " ".join(" ".join(parts or [repr(dict(error))]).split())
    return " ".join(str(error or "").split())
