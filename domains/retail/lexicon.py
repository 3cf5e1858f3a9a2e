"""The words of the toy store: lexicon.json, the customer's phrases, options of the catalogue."""

from __future__ import annotations

from typing import Any, cast

from tau_env.content import domain_json
from tau_env.schema import Lexicon


def build_lexicon() -> Lexicon:
    """Put the lexicon together: one slot of closed words for every option name of a product."""
    words = cast(dict[str, Any], domain_json("retail", "lexicon.json"))
    phrases = cast(dict[str, Any], domain_json("retail", "phrases.json"))
    catalog = cast(dict[str, Any], domain_json("retail", "catalog.json"))
    options = {name: {"kind": "word", **option} for name, option in catalog["options"].items()}
    return Lexicon.model_validate(words | phrases | {"slots": words["slots"] | options})
