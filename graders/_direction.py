"""Who gets an amount, as the words beside it say: the customer pays it, or gets it back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from tau_env.language.cache import per_text
from tau_env.language.literals import find_literals
from tau_env.language.sentences import split_sentences
from tau_env.schema import Lexicon

Direction = Literal["pays", "gets"]

_REACH = 60
"""So many characters on each side of an amount are beside it, within its clause."""
_CLAUSE = re.compile(r"[;?!()]|\.(?=\s|$)|,?\s(?:but|while|whereas)\s")
_NEGATED = re.compile(r"\b(?:not|no|never|nothing|neither|nor|without|instead of)\b|n['’]t\b")
_WORDS: dict[Direction, re.Pattern[str]] = {
    "pays": re.compile(
        r"(?i)\b(?:charg(?:e|es|ed|ing)|pay(?:s|ing|able)?|owe[sd]?|surcharges?|debit(?:s|ed)?"
        r"(?! card)|bill(?:s|ed)|extra|additional|top up|more|dearer|pricier|deduct(?:ed|s)?)\b"
    ),
    "gets": re.compile(
        r"(?i)\b(?:refund(?:s|ed|ing)?|back|credit(?:s|ed|ing)?(?! cards?\b)"
        r"|returned to|reimburs\w+|less|cheaper"
        r"|(?:get|gets|receive|receives)(?= (?:a |the |\S*\$)))\b"
    ),
}


@per_text
def directions_in(text: str, lexicon: Lexicon) -> Mapping[int, frozenset[Direction]]:
    """What a message says of each amount.

    Args:
        text: the message.
        lexicon: the domain's words.

    Returns:
        By amount in cents, without sign: the directions that stand beside it, negated ones left
        out. Amounts without any are missing.
    """
    found: dict[int, set[Direction]] = {}
    for sentence in split_sentences(text):
        for one in find_literals(sentence.text, lexicon):
            if one.kind == "money":
                beside = _beside(sentence.text, one.start, one.end)
                said = {way for way, words in _WORDS.items() if _says(words, beside)}
                if said:
                    found.setdefault(abs(int(one.value)), set()).update(said)
    return {cents: frozenset(ways) for cents, ways in found.items()}


def _beside(text: str, start: int, end: int) -> str:
    """The part of the amount's clause that is near to it."""
    before = _CLAUSE.split(text[max(0, start - _REACH) : start])[-1]
    after = _CLAUSE.split(text[end : end + _REACH])[0]
    return f"{before}{text[start:end]}{after}"


def _says(words: re.Pattern[str], beside: str) -> bool:
    return any(
        not _NEGATED.search(beside[max(0, match.start() - 20) : match.start()])
        for match in words.finditer(beside)
    )
