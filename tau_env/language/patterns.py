"""A small pattern language over plain words, and one pass that finds all families in a sentence.

A pattern is a line of elements parted by spaces:

- ``may|can`` one of these words;
- ``please?`` or ``now|just?`` may be missing (not the first); ``!find|see`` the next is none of
  these;
- ``~`` up to three words of any kind, ``~6`` up to six, never over ``? ; :``;
- ``^`` at the start of a clause, ``^^`` of the sentence; ``$`` before its end; ``QM`` a question
  mark;
- ``{NAME}`` one of the words of a named list;
- ``*ed`` any word with this ending and no "e" before it (not the first).

Patterns are tried only where their first word stands, so a pass costs little however many there
are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tau_env.language.words import word_set

_GAP = r"(?:[^\s?;:]+ ){{0,{n}}}?"
_JOINERS = word_set("and but or then")
_FILLERS = word_set(
    "and so but or then ok well now just also oh ah hi hello hey sure great perfect thanks alright "
    "right yes no certainly absolutely please first next finally therefore thus hence still "
    "um uh er erm hmm mm yeah"
)
_BREAKS = word_set(", ; : / ? because if once while")


@dataclass(frozen=True, slots=True)
class Hit:
    """A family's pattern found in a sentence: which words it covers."""

    family: str
    start: int
    end: int


class PatternSet:
    """Families of patterns, compiled together and indexed by their first words.

    Args:
        families: name -> lines of patterns.
        lists: name -> words, for ``{NAME}``.
    """

    def __init__(self, families: Mapping[str, str], lists: Mapping[str, str]) -> None:
        grouped: dict[tuple[str, str, int], list[str]] = {}
        for family, block in families.items():
            for line in _joined(block):
                anchored = len(line) - len(line.lstrip("^"))
                first, rest = _compile(line.lstrip("^ "), lists)
                for word in first:
                    grouped.setdefault((word, family, anchored), []).append(rest)
        self._by_word: dict[str, list[tuple[str, int, re.Pattern[str]]]] = {}
        for (word, family, anchored), rests in grouped.items():
            pattern = re.compile("|".join(rests))
            self._by_word.setdefault(word, []).append((family, anchored, pattern))

    def find(self, words: Sequence[str]) -> tuple[Hit, ...]:
        """All families' hits, at most one for a family and first word, in order of words."""
        text = " ".join(words) + " "
        found: list[Hit] = []
        offset = 0
        opening = 2
        for index, word in enumerate(words):
            offset += len(word) + 1
            for family, anchored, pattern in self._by_word.get(word, ()):
                if anchored > opening:
                    continue
                match = pattern.match(text, offset)
                if match:
                    length = 1 + match[0].count(" ")
                    found.append(Hit(family, index, index + length))
            if word in _BREAKS:
                opening = max(opening, 1)
            elif word not in _FILLERS:
                opening = 0
            elif word in _JOINERS:
                opening = max(opening, 1)
        return tuple(found)


def _joined(block: str) -> list[str]:
    """The patterns of a block; a line that ends with ``|`` goes on in the next."""
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    return "\n".join(lines).replace("|\n", "|").split("\n")


def _compile(line: str, lists: Mapping[str, str]) -> tuple[list[str], str]:
    """The first words of a pattern and the expression for what follows them."""
    first, *rest = line.split()
    words = _expand(first, lists)
    return words.split("|"), "".join(_element(one, lists) for one in rest)


def _expand(element: str, lists: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda name: "|".join(lists[name[1]].split()), element)


def _element(element: str, lists: Mapping[str, str]) -> str:
    if element.startswith("~"):
        return _GAP.format(n=element[1:] or 3)
    if element == "$":
        return r"(?=(?:[?,] )*$)"
    optional = element.endswith("?")
    negated = element.startswith("!")
    words = _expand(element.strip("!?"), lists).split("|")
    choice = "|".join(_word(word) for word in words)
    if negated:
        return f"(?!(?:{choice}) )"
    return f"(?:(?:{choice}) )" + ("?" if optional else "")


def _word(word: str) -> str:
    if word.startswith("*"):
        return rf"[a-z]*[^\W\de]{re.escape(word[1:])}"
    return re.escape(word.replace("QM", "?"))
