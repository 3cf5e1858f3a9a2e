"""The words of the toy store: lexicon.json, the customer's phrases, options of the catalogue."""

from __future__ import annotations

from typing import Any, cast

from tau_env.content import domain_json
from tau_env.schema import Lexicon


def build_lexicon() -> Lexicon:
    """Put the lexicon together.

    Every option name of a product becomes a slot of closed words. A phrase of the part
    ``with_option`` becomes one phrase an option name, ``change_item`` for example
    ``change_item_color``, with ``{color}`` in the place of ``{option}``.
    """
    words = cast(dict[str, Any], domain_json("retail", "lexicon.json"))
    told = cast(dict[str, Any], domain_json("retail", "phrases.json"))
    catalog = cast(dict[str, Any], domain_json("retail", "catalog.json"))
    options = {name: {"kind": "word", **option} for name, option in catalog["options"].items()}
    phrases = told["phrases"] | {
        f"{name}_{option}": [one.replace("{option}", f"{{{option}}}") for one in templates]
        for name, templates in told["with_option"].items()
        for option in options
    }
    slots = words["slots"] | options
    return Lexicon.model_validate(words | {"phrases": phrases, "slots": slots})
