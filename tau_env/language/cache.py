"""Caches for readings: a text is parsed once for a lexicon, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

from tau_env.schema.domain import Lexicon

T = TypeVar("T")


class _Same:
    """A lexicon as a dictionary key by identity; it holds the lexicon, so its id stays its own."""

    __slots__ = ("lexicon",)

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def __hash__(self) -> int:
        return id(self.lexicon)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.lexicon is self.lexicon


def per_lexicon(build: Callable[[Lexicon], T]) -> Callable[[Lexicon], T]:
    """Cache what is compiled from a lexicon (the last 16 lexicons, by identity)."""
    cached = lru_cache(maxsize=16)(lambda same: build(same.lexicon))

    @wraps(build)
    def compiled(lexicon: Lexicon) -> T:
        return cached(_Same(lexicon))

    return compiled


def per_text(read: Callable[[str, Lexicon], T]) -> Callable[[str, Lexicon], T]:
    """Cache a reading by text and lexicon (the last 32,768 texts); results must be immutable."""
    cached = lru_cache(maxsize=32_768)(lambda text, same: read(text, same.lexicon))

    @wraps(read)
    def reading(text: str, lexicon: Lexicon) -> T:
        return cached(text, _Same(lexicon))

    return reading
