"""A message that offers several options, cut into them: "1. ... 2. ...", "option A:", "a or b?"."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

_NUMBERED = re.compile(
    r"(?im)^[ \t>*#-]*(?:\**option|choice|alternative)?\s*\**(?P<a>[1-9]|[a-d](?=[.):]))\**[.):]\s"
    r"|(?:^|[\s(])\**(?:option|choice|alternative)\s+(?P<b>[1-9a-d])\**\s*(?:[.):-]|is\b)"
    r"|\((?P<c>[1-9a-d])\)\s"
)
_TAIL = re.compile(r"\n\s*\n(?=[^\n]*$)|\n(?=[A-Z][^\n]*\?\s*$)")
_OR = re.compile(r",?\s+or\s+(?=\w)", re.IGNORECASE)
_LAST_SENTENCE = re.compile(r"[^.!?\n]+\?\s*$")


@dataclass(frozen=True, slots=True)
class Options:
    """A message in parts.

    Attributes:
        head: what stands before all options.
        each: the options; empty where the message has none.
        tail: what stands behind them.
    """

    head: str
    each: tuple[str, ...]
    tail: str


@lru_cache(maxsize=4096)
def split_options(text: str) -> Options:
    """Cut a message into its options: numbered or lettered ones, else those of an "or" question."""
    marks: list[re.Match[str]] = []
    for match in _NUMBERED.finditer(text):
        mark = (match["a"] or match["b"] or match["c"]).lower()
        number = int(mark) if mark.isdigit() else ord(mark) - ord("a") + 1
        if number == len(marks) + 1:
            marks.append(match)
    if len(marks) >= 2:
        starts = [mark.start() for mark in marks]
        body = text[starts[-1] :]
        tail = _TAIL.search(body)
        end = starts[-1] + (tail.start() if tail else len(body))
        bounds = [*starts, end]
        options = [text[one:two] for one, two in itertools.pairwise(bounds)]
        return Options(text[: starts[0]], tuple(options), text[end:])
    question = _LAST_SENTENCE.search(text)
    if question is None:
        return Options(text, (), "")
    return Options(text[: question.start()], tuple(_OR.split(question.group())), "")
