"""A chat without an endpoint: replies are written in the test, or made by a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tau_env.chat import Chat, Completion, Endpoint
from tau_env.errors import ContextOverflow, Crash
from tau_env.schema import Usage

Answer = Callable[[list[dict[str, Any]]], str | None]
URL = "http://127.0.0.1:9/v1"


class FakeChat(Chat):
    """Answers from a list, then with the last entry again; an exception in it is raised."""

    def __init__(self, replies: Iterable[str | Exception | None] | Answer) -> None:
        super().__init__(Endpoint(model="fake", base_url=URL, parameters={"temperature": 0}))
        self._replies = replies if callable(replies) else list(replies)
        self.asked: list[list[dict[str, Any]]] = []
        self.formats: list[Any] = []
        self.seeds: list[int | None] = []

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> Completion:
        self.asked.append([dict(one) for one in messages])
        self.formats.append(response_format)
        self.seeds.append(seed)
        found: str | Exception | None
        if callable(self._replies):
            found = self._replies(self.asked[-1])
        else:
            found = self._replies[min(len(self.asked), len(self._replies)) - 1]
        if isinstance(found, Crash | ContextOverflow):
            raise found
        assert found is None or isinstance(found, str)
        self.usage = self.usage.plus(Usage(calls=1, input_tokens=10, output_tokens=2, cost=0.5))
        return Completion(text=found, has_text=found is not None)


def line(text: str, *acts: str, ends: bool = False) -> str:
    """A reply of a model that plays the customer."""
    return json.dumps({"line": text, "ends": ends, "acts": list(acts)})
