"""Caches for readings: a text is parsed once for a lexicon, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Generic, TypeVar

from tau_env.schema.domain import Lexicon

T = TypeVar("T")
LEXICONS = 16
TEXTS = 32_768


class _ByIdentity(Generic[T]):
    """What belongs to a lexicon, found by identity: a lexicon holds dicts and does not hash."""

    def __init__(self, build: Callable[[Lexicon], T]) -> None:
        self._build = build
        # The entry holds its lexicon, so the id stays its own.
        self._entries: dict[int, tuple[Lexicon, T]] = {}

    def get(self, lexicon: Lexicon) -> T:
        entry = self._entries.get(id(lexicon))
        if entry is None:
            entry = (lexicon, self._build(lexicon))
            if len(self._entries) >= LEXICONS:
                self._entries.clear()
            self._entries[id(lexicon)] = entry
        return entry[1]


def per_lexicon(build: Callable[[Lexicon], T]) -> Callable[[Lexicon], T]:
    """Cache what is compiled from a lexicon (up to 16 lexicons, by identity)."""
    built = _ByIdentity(build)

    @wraps(build)
    def compiled(lexicon: Lexicon) -> T:
        return built.get(lexicon)

    return compiled


def per_text(read: Callable[[str, Lexicon], T]) -> Callable[[str, Lexicon], T]:
    """Cache a reading by text and lexicon (the last 32,768 texts); results must be immutable."""

    def readings(lexicon: Lexicon) -> Callable[[str], T]:
        return lru_cache(maxsize=TEXTS)(partial(_swapped, read, lexicon))

    readers = _ByIdentity(readings)

    @wraps(read)
    def reading(text: str, lexicon: Lexicon) -> T:
        return readers.get(lexicon)(text)

    return reading


def _swapped(read: Callable[[str, Lexicon], T], lexicon: Lexicon, text: str) -> T:
    return read(text, lexicon)
