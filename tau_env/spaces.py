"""The action and observation spaces: they sample, they contain, they know no domain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gymnasium.spaces import Space

from tau_env.actions import check_action

SOURCES = ("customer", "tool", "system")
_SAMPLES = "abcdefghijklmnopqrstuvwxyz ABCÄÖÜéñ0123456789 #@.,?!'\"{}[]:-_\n日本語🙂"


class _Messages(Space[Any]):
    """A space of small dicts; vector environments keep its elements as a tuple."""

    def _text(self, length: int) -> str:
        picks = self.np_random.integers(0, len(_SAMPLES), size=length)
        return "".join(_SAMPLES[pick] for pick in picks)

    @property
    def is_np_flattenable(self) -> bool:
        """Texts are not flattened to arrays."""
        return False

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self).keys() == vars(other).keys()

    def __hash__(self) -> int:
        return hash(type(self))

    def to_jsonable(self, sample_n: Iterable[Any]) -> list[Any]:
        """The samples themselves: they are JSON."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[Any]:
        """The samples themselves."""
        return list(sample_n)


class ActionSpace(_Messages):
    """Say, call and end actions with any text, any name and any JSON object."""

    def __init__(self, tools: Sequence[str] = (), seed: int | None = None) -> None:
        """Make the space.

        Args:
            tools: names that samples call.
            seed: of the samples.
        """
        super().__init__(seed=seed)
        self.tools = tuple(tools) or ("think",)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A random action; masks do not apply."""
        del mask, probability
        kind = int(self.np_random.integers(0, 10))
        if kind == 0:
            return {"type": "end"}
        if kind < 6:
            return {"type": "say", "text": self._text(int(self.np_random.integers(0, 80)))}
        name = self.tools[int(self.np_random.integers(0, len(self.tools)))]
        return {"type": "call", "name": name, "arguments": {self._text(4): self._text(8)}}

    def contains(self, x: Any) -> bool:
        """Whether it is a well-formed action; a tool of that name need not exist."""
        return check_action(x) is None

    def __repr__(self) -> str:
        return f"ActionSpace(say | call of {len(self.tools)} tools | end)"


class ObservationSpace(_Messages):
    """``{"source": "customer" | "tool" | "system", "text": any text}``."""

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A random observation; masks do not apply."""
        del mask, probability
        source = SOURCES[int(self.np_random.integers(0, len(SOURCES)))]
        return {"source": source, "text": self._text(int(self.np_random.integers(0, 80)))}

    def contains(self, x: Any) -> bool:
        """Whether it has exactly a known source and a text."""
        return (
            isinstance(x, Mapping)
            and set(x) == {"source", "text"}
            and x["source"] in SOURCES
            and isinstance(x["text"], str)
        )

    def __repr__(self) -> str:
        return "ObservationSpace(source, text)"
