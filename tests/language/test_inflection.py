"""Forms of English words, regular and not."""

from __future__ import annotations

import pytest

from tau_env.language.inflection import plural, verb_forms


@pytest.mark.parametrize(
    ("verb", "past", "gerund"),
    [
        ("cancel", "cancelled", "cancelling"),
        ("cancel", "canceled", "canceling"),
        ("return", "returned", "returning"),
        ("exchange", "exchanged", "exchanging"),
        ("modify", "modified", "modifying"),
        ("swap", "swapped", "swapping"),
        ("transfer", "transferred", "transferring"),
        ("send", "sent", "sending"),
        ("take", "taken", "taking"),
        ("put", "put", "putting"),
    ],
)
def test_verb_has_its_past_and_gerund(verb: str, past: str, gerund: str) -> None:
    forms = verb_forms(verb)
    assert verb in forms.base
    assert past in forms.past
    assert gerund in forms.gerund


@pytest.mark.parametrize(
    ("noun", "many"),
    [("zip code", "zip codes"), ("address", "addresses"), ("city", "cities"), ("day", "days")],
)
def test_noun_has_its_plural(noun: str, many: str) -> None:
    assert plural(noun) == many
