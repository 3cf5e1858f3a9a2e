"""A message cut into sentences and list items, and each of them into plain words.

Purely typographic: what the words mean is decided elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tau_env.language.words import word_set

_BULLET = re.compile(r"\s*(?:[-*•–—▪◦‣·►→>]+|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)](?=\s))\s+")
_MARKUP = re.compile(r"\*\*|__|`+|^\s*#{1,6}\s+|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)")
_LABEL = re.compile(r"""\s*["']?([^\W\d][^:?!.\n"]{0,40}?)["']?\s*:(?=\s|$|["'\[{])\s*(.*)""", re.S)
_BLANK = re.compile(r"[\s_.\u2026\[\]()<>-]*[_\u2026\[<][\s_.\u2026\[\]()<>-]*")
"""A place to fill in: ``____``, ``[ ]``, ``< >``."""
_ASKING_LABELS = word_set("question prompt query ask asking")
_LONGEST = 1_000
"""Characters of a sentence; what is longer is cut, so that work grows with length only."""
_PICTURE = "\u2190-\u2bff\u3000-\u303f\ufe0f\u200d\U0001f000-\U0001faff"
_PICTURES = re.compile(f"[{_PICTURE}]+")
_END = re.compile(
    rf"""(?:[.!?…]+["'”’)\]]*(?=\s|$|[{_PICTURE}])|[{_PICTURE}]+(?=\s*(?:[A-Z][a-z']|I\b|$)))\s*"""
)
_ABBREVIATIONS = word_set(
    "mr mrs ms dr st no nos vs e.g i.e approx etc a.m p.m dept ref acct inc ave blvd apt jr sr"
)
_QUESTION = re.compile(r"""\?!*[)\]"'”’ ]*$""")
_FIELDS = re.compile(r"""(?<=["\]}\w]),\s*(?="[\w ]+"\s*:)""")
_PAIRS = re.compile(r"(?:^|(?<=[\s,;{(]))(\w[\w-]{0,30})=(?=\S)", re.MULTILINE)
_RUN_ON = re.compile(
    r"\s+(?=(?:(?:and|so|but|ok|okay|um|uh)\s+)?"
    r"(?:(?:do|did|would|could|can|will|are|have) (?:you|ya|u)\b|(?:can|could|may|should|shall) i\b"
    r"|is (?:there (?:any|some)|(?:that|this|it|all that) (?:ok|right|correct|good|fine|cool|all))"
    r"|(?:what|which|where|when|how)(?:'s| is| are| do| would| can| was)\b))",
    re.IGNORECASE,
)
"""Where a question begins in text that has no marks."""
_RUNS = 12
"""So many words without a mark are more than one sentence."""
_JSON_MARKS = re.compile(r"^[\s{\[]+|[\s}\]]+,?$|,$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence or a list item.

    Attributes:
        text: as written, without bullet and markup.
        label: what stands before the colon of a ``Label: value`` line, else empty.
        value: what stands after that colon.
        item: True for an element of a list (a bullet, a number, a labelled line).
        question: True if it ends with a question mark.
        opens_list: True if it ends with a colon and a list follows.
    """

    text: str
    label: str = ""
    value: str = ""
    item: bool = False
    question: bool = False
    opens_list: bool = False


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Cut a message into sentences, list items and ``Label: value`` lines, in order.

    A last line that ends with a colon waits for an answer and counts as a question.
    """
    found: list[Sentence] = []
    for raw in _PAIRS.sub(r"\n\1: ", _FIELDS.sub("\n", text)).splitlines():
        line = _MARKUP.sub("", raw)
        bullet = _BULLET.match(line)
        line = _JSON_MARKS.sub("", line[bullet.end() :] if bullet else line).strip()
        if line:
            found += _line(line, bullet=bullet is not None)
    if found and found[-1].opens_list:
        found[-1] = replace(found[-1], opens_list=False, question=True)
    return tuple(found)


def _line(line: str, *, bullet: bool) -> list[Sentence]:
    label = _LABEL.fullmatch(line)
    short = len(line) <= _LONGEST
    if label and short and len(label[1].split()) <= 5 and not _has_end(label[2]):
        name, value = label[1].strip(), label[2].strip()
        if _BLANK.fullmatch(value):
            return [Sentence(f"{name}?", item=bullet, question=True)]
        asks = _QUESTION.search(value) is not None or name.lower() in _ASKING_LABELS
        if value or bullet:
            return [Sentence(line, label=name, value=value, item=True, question=asks)]
    parts = _cut(line)
    if len(parts) == 1 and line[-1].isalnum() and len(line.split()) >= _RUNS:
        parts = _RUN_ON.split(line)
    return [
        Sentence(
            part,
            item=bullet,
            question=_QUESTION.search(part) is not None,
            opens_list=part.endswith(":"),
        )
        for part in parts
    ]


def _has_end(value: str) -> bool:
    """Whether more than one sentence follows the colon."""
    return len(_cut(value)) > 1


def _cut(line: str) -> list[str]:
    """The sentences of a line; the marks at their ends stay, pictures become spaces."""
    parts: list[str] = []
    start = 0
    for end in _END.finditer(line):
        before = line[start : end.start()].rsplit(None, 1)
        shortened = end[0].strip() == "." and before and _abbreviated(before[-1])
        if shortened and end.end() < len(line):
            continue
        _keep(parts, line[start : end.end()])
        start = end.end()
    _keep(parts, line[start:])
    return parts


def _abbreviated(word: str) -> bool:
    word = word.lower().lstrip("(\"'")
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")


def _keep(parts: list[str], piece: str) -> None:
    piece = _PICTURES.sub(" ", piece).strip()
    if not any(char.isalnum() for char in piece):
        if parts and "?" in piece:
            parts[-1] += " ?"
        return
    while len(piece) > _LONGEST:
        end = piece.rfind(" ", 0, _LONGEST)
        end = end if end > 0 else _LONGEST
        parts.append(piece[:end])
        piece = piece[end:].strip()
    parts.append(piece)
