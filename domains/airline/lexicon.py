"""The words of the airline: lexicon.json, the customer's phrases, airports of the catalogue."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from tau_env.content import domain_json
from tau_env.schema import Lexicon

_ANSWERS = ("fact.", "detail.")
_STAYS = ("I ", "I'")
"""A sentence that begins so keeps its capital behind a greeting."""


@lru_cache(maxsize=1)
def build_lexicon() -> Lexicon:
    """Put the lexicon together, once.

    Origin and destination are the airports of the catalogue: a code, or its city. Of every phrase
    that raises a want there are further ones, by name: ``NAME_first`` greets and is an opening,
    ``MANNER_NAME`` and ``MANNER_NAME_first`` add a sentence for each of the manners
    (``pressing``, ``or_else``).
    """
    words = cast(dict[str, Any], domain_json("airline", "lexicon.json"))
    told = cast(dict[str, Any], domain_json("airline", "phrases.json"))
    catalog = cast(dict[str, Any], domain_json("airline", "catalog.json"))
    airports = {one["code"]: [one["city"]] for one in catalog["airports"]}
    slots = {
        name: slot | {"words": airports} if name in ("origin", "destination") else slot
        for name, slot in words["slots"].items()
    }
    phrases = _with_manners(told["phrases"], told["manners"])
    phrases |= _openings(phrases, told["greetings"])
    return Lexicon.model_validate(words | {"slots": slots, "phrases": phrases})


def _with_manners(
    phrases: dict[str, list[str]], manners: dict[str, list[str]]
) -> dict[str, list[str]]:
    """The phrases, and those that raise a want once more in every manner."""
    made = dict(phrases)
    for manner, additions in manners.items():
        for name, templates in phrases.items():
            if not name.startswith(_ANSWERS):
                made[f"{manner}_{name}"] = [
                    template + additions[place % len(additions)]
                    for place, template in enumerate(templates)
                ]
    return made


def _openings(phrases: dict[str, list[str]], greetings: list[str]) -> dict[str, list[str]]:
    """The phrases that raise a want, behind a greeting."""
    return {
        f"{name}_first": [
            greetings[place % len(greetings)] + _inside(template)
            for place, template in enumerate(templates)
        ]
        for name, templates in phrases.items()
        if not name.startswith(_ANSWERS)
    }


def _inside(sentence: str) -> str:
    """A sentence as it continues after a comma."""
    return sentence if sentence.startswith(_STAYS) else sentence[:1].lower() + sentence[1:]
