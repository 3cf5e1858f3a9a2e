"""A message with several options, cut down to the one that the customer chose."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

from tau_env.language.reading import Reply

_NUMBERED = re.compile(
    r"(?im)^[ \t>*#-]*(?:\**option|choice|alternative)?\s*\**(?P<a>[1-9]|[a-d](?=[.):]))\**[.):]\s"
    r"|(?:^|[\s(])\**(?:option|choice|alternative)\s+(?P<b>[1-9a-d])\**\s*(?:[.):-]|is\b)"
    r"|\((?P<c>[1-9a-d])\)\s"
)
_TAIL = re.compile(r"\n\s*\n(?=[^\n]*$)|\n(?=[A-Z][^\n]*\?\s*$)")
_OR = re.compile(r",?\s+or\s+(?=\w)", re.IGNORECASE)
_LAST_SENTENCE = re.compile(r"[^.!?\n]+\?\s*$")


def chosen_text(text: str, reply: Reply) -> str | None:
    """Cut a message down to the chosen option with what stands before and after all options.

    Args:
        text: the agent's message.
        reply: the customer's, with an option's number or with values that only one option has.

    Returns:
        The message without the other options; None if it has no options or none was chosen.
    """
    head, options, tail = _split(text)
    if len(options) < 2:
        return None
    number = reply.option
    if not number:
        named = [str(one.value) for one in reply.literals] + [one.text for one in reply.literals]
        fitting = [
            place for place, one in enumerate(options, start=1) if any(it in one for it in named)
        ]
        number = fitting[0] if len(fitting) == 1 else 0
    if not 1 <= number <= len(options):
        return None
    return f"{head}\n{options[number - 1]}\n{tail}"


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[str, list[str], str]:
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
        return text[: starts[0]], options, text[end:]
    question = _LAST_SENTENCE.search(text)
    if question is None:
        return text, [], ""
    return text[: question.start()], _OR.split(question.group()), ""
