"""What a request leaves out for an endpoint that does not take it: seed, form, thoughts.

Pure functions. Anything else that an endpoint refuses is refused: to leave it out would measure
another setting than the one that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

REASONING = ("reasoning", "thinking")
"""How the names of a message's fields begin that hold what a model thought and not what it said."""
UNSUPPORTED = re.compile(
    r"unsupported|not supported|does not support|unrecognized|unknown|not permitted|not allowed"
    r"|unexpected|extra inputs|invalid (parameter|argument)|no longer supported|not be included",
    re.IGNORECASE,
)
FORM = re.compile(
    r"response[ _]?format|json[ _]?(schema|object)|structured output|grammar", re.IGNORECASE
)
NAMES = {
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "reasoning": re.compile(r"\breasoning(_content|_details)?\b|\bthinking", re.IGNORECASE),
}
"""How errors name what may be left out."""
INSTEAD = {
    "json_schema": "json_schema is not taken by the endpoint and was replaced by json_object",
    "json_object": "json_object is not taken by the endpoint and was left out",
    "reasoning": "the model's reasoning is not taken back by the endpoint and was left out",
}


def refused_parts(status: int, words: str, request: Mapping[str, Any]) -> tuple[str, ...]:
    """Parts of a request that an error says are not taken and that may be left out.

    Args:
        status: the HTTP status.
        words: all that the error says.
        request: what was asked.

    Returns:
        Of ``json_schema``, ``json_object``, ``seed``, ``temperature`` and ``reasoning`` (in the
        messages handed back), those that are in the request.
    """
    if status not in (400, 404, 422, 500, 501):
        return ()
    form = request.get("response_format", {}).get("type")
    if form in ("json_schema", "json_object") and FORM.search(words):
        return (form,)
    if status in (404, 500) or not UNSUPPORTED.search(words):
        return ()
    there = {name for name in request if name in NAMES}
    if any(map(_thoughts, request.get("messages", ()))):
        there.add("reasoning")
    return tuple(name for name, said in NAMES.items() if name in there and said.search(words))


def without_parts(request: Mapping[str, Any], refused: Collection[str]) -> dict[str, Any]:
    """A request without the parts that were refused.

    Args:
        request: what is to be asked.
        refused: as from `refused_parts`; what is not in the request does not matter.
    """
    found = {name: value for name, value in request.items() if name not in refused}
    form = found.get("response_format", {}).get("type")
    if form == "json_schema" and form in refused:
        form = "json_object"
        found["response_format"] = {"type": form}
    if form == "json_object" and form in refused:
        del found["response_format"]
    if "reasoning" in refused:
        found["messages"] = [
            {name: value for name, value in one.items() if name not in _thoughts(one)}
            for one in found["messages"]
        ]
    return found


def warnings_of(request: Mapping[str, Any], refused: Mapping[str, str]) -> list[str]:
    """What the record of a request says of the parts that it leaves out.

    Args:
        request: as it was to be asked.
        refused: why each part is not taken.
    """
    left = []
    for name, why in refused.items():
        rest = {part: text for part, text in refused.items() if part != name}
        if without_parts(request, rest) != without_parts(request, refused):
            default = f"{name} is not taken by the endpoint and was left out"
            left.append(f"{INSTEAD.get(name, default)}: {why}")
    return left


def _thoughts(message: Mapping[str, Any]) -> list[str]:
    return [name for name in message if name.startswith(REASONING)]
