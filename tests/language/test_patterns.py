"""The pattern notation: words, gaps, choices, anchors, lists."""

from __future__ import annotations

import pytest

from tau_env.language.patterns import PatternSet


def families(patterns: str, text: str) -> set[str]:
    found = PatternSet({"it": patterns}, {"US": "me us"}).find(text.split())
    return {hit.family for hit in found}


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("may|can i", "well can i go", True),
        ("may|can i", "can you go", False),
        ("say ~1 yes", "say just yes", True),
        ("say ~1 yes", "say it once more yes", False),
        ("say ~ yes", "say ? yes", False),
        ("do please? tell", "do tell", True),
        ("go now|then? home", "go home", True),
        ("can not !find|see ", "can not find", False),
        ("can not !find|see", "can not move", True),
        ("tell {US}", "tell us", True),
        ("tell {US}", "tell them", False),
        ("^ is it", "so is it", True),
        ("^ is it", "where is it", False),
        ("^ is it", "now , is it", True),
        ("^^ is it", "now , is it", True),
        ("^^ is it", "here , is it", False),
        ("ok QM", "that ok ?", True),
        ("ok QM", "that ok", False),
        ("only $", "cash only ?", True),
        ("only $", "only cash", False),
        ("a|\n  b c", "b c", True),
    ],
)
def test_pattern_is_found_where_its_notation_says(pattern: str, text: str, found: bool) -> None:
    assert (families(pattern, text) == {"it"}) is found


def test_hit_covers_the_words_that_matched() -> None:
    (hit,) = PatternSet({"it": "say ~2 yes"}, {}).find(
        ["now", "say", "a", "clear", "yes", "please"]
    )
    assert (hit.start, hit.end) == (1, 5)
