"""Manners of speaking: words change, values and answers do not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from users import stage

from tau_env.errors import BadTask
from tau_env.schema import Lexicon
from tau_env.users.wording import AFTER, BARE, BEFORE, COMMON, OWN, STYLES, Wording, fields_of

FILLED = {"right": "1327 Cottage Lane", "excluded": "#W1999999", "noun": "e-mail"}
FILLED |= {"value": "credit card", "name": "Mia Chen"}
YES = ("yes", "right")
NO = ("no", "decline", "drop", "correct", "amend")
NEITHER: tuple[str, ...] = (
    "no_hurry",
    "noted",
    "only",
    "check",
    "already",
    "unknown",
    "unknown_fact",
)
NEITHER += ("name", "fact", "detail", "unclear")


def _ways(act: str) -> list[tuple[str, str]]:
    return [
        (style, template.format_map(FILLED))
        for style in STYLES
        for template in OWN.get(style, {}).get(act) or COMMON[act]
    ]


@pytest.mark.parametrize("act", YES)
def test_yes_reads_as_yes_in_every_style(act: str) -> None:
    assert {stage.kind(line) for _, line in _ways(act)} == {"yes"}


@pytest.mark.parametrize("act", NO)
def test_no_reads_as_no_in_every_style(act: str) -> None:
    assert {stage.kind(line) for _, line in _ways(act)} == {"no"}


def test_partial_yes_reads_as_yes_but_in_every_style() -> None:
    assert {stage.kind(line) for _, line in _ways("part")} == {"yes_but"}


@pytest.mark.parametrize("act", NEITHER)
def test_filler_is_neither_agreement_nor_withdrawal(act: str) -> None:
    assert {stage.kind(line) for _, line in _ways(act)} == {"none"}


@pytest.mark.parametrize("style", STYLES)
def test_what_a_style_adds_answers_nothing(style: str) -> None:
    for before in BEFORE.get(style, ("",)):
        for after in AFTER.get(style, ("",)):
            assert stage.kind(f"{before}It's mia@example.com.{after}") == "none"


def test_styles_add_nothing_to_answers() -> None:
    assert {"yes", "part", "no", "decline", "drop", "correct", "amend", "right"} <= BARE


def test_styles_reword_acts_that_exist_and_need_no_other_values() -> None:
    for own in OWN.values():
        for act, templates in own.items():
            known = frozenset().union(*map(fields_of, COMMON[act]))
            assert all(fields_of(template) <= known for template in templates), act


@pytest.mark.parametrize("style", STYLES)
@given(
    value=st.text(min_size=1, max_size=40).filter(lambda text: text.strip()), seed=st.integers(0, 9)
)
@settings(max_examples=40, deadline=None)
def test_f56_values_are_never_altered(style: str, value: str, seed: int) -> None:
    for act, field in (("correct", "right"), ("part", "excluded"), ("detail", "value")):
        words = Wording(stage.lexicon(), seed=seed, style=style)
        assert value in words.line([words.say(act, {field: value})])


@pytest.mark.parametrize("style", STYLES)
def test_values_stand_unaltered_in_every_domain_phrase(style: str) -> None:
    values = dict.fromkeys(stage.lexicon().slots, "Brightleaf-AX3000 model prompt")
    for seed in range(3):
        words = Wording(stage.lexicon(), seed=seed, style=style)
        for act, templates in stage.lexicon().phrases.items():
            line = words.say(act, values)
            fields = sum(len(re.findall(r"\{\w+\}", one)) for one in templates[:1])
            assert line.count("Brightleaf-AX3000 model prompt") == fields, line


def test_typos_make_no_number() -> None:
    lexicon = Lexicon(phrases={"x": ("there there there",)})
    said = {Wording(lexicon, seed=seed, style="typos").say("x") for seed in range(60)}
    assert len(said) > 1
    assert not any("three" in line for line in said)


def test_terse_takes_the_shortest_phrase() -> None:
    lexicon = Lexicon(phrases={"x": ("a long way to say it", "short")})
    assert {Wording(lexicon, seed=seed, style="terse").say("x") for seed in range(9)} == {"short"}


def test_draws_are_keyed_by_act_and_occurrence() -> None:
    for style in STYLES:
        one = Wording(stage.lexicon(), seed=5, style=style)
        other = Wording(stage.lexicon(), seed=5, style=style)
        other.say("noted")
        other.say("unknown")
        first, second = one.say("yes"), one.say("yes")
        assert other.say("yes") == first
        other.say("wait")
        assert other.say("yes") == second


def test_style_is_drawn_from_the_seed_unless_given() -> None:
    drawn = [Wording(stage.lexicon(), seed=seed).style for seed in range(60)]
    assert set(drawn) == set(STYLES)
    assert drawn == [Wording(stage.lexicon(), seed=seed).style for seed in range(60)]


def test_unknown_style_phrase_and_field_are_refused() -> None:
    with pytest.raises(BadTask, match="no style 'rude'"):
        Wording(stage.lexicon(), seed=0, style="rude")
    with pytest.raises(BadTask, match="no phrase 'sing'"):
        Wording(stage.lexicon(), seed=0).say("sing")
    with pytest.raises(BadTask, match="needs a value for 'order_id'"):
        Wording(stage.lexicon(), seed=0).say("cancel")
