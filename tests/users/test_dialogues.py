"""Agents of many manners against the customer of released tasks; the scripts are in a data file."""

from __future__ import annotations

from typing import Any

import pytest
from users import stage

from tau_env.env import TauEnv
from tau_env.schema import Task
from tau_env.users.wording import STYLES

DIALOGUES = stage.dialogues()


@pytest.fixture(scope="module")
def env() -> TauEnv:
    return TauEnv("retail")


def _met(expected: str, talk: stage.Talk, known: dict[str, str]) -> bool:
    line, answer = talk.lines[-1], talk.answer
    verb, _, what = expected.partition(" ")
    if verb == "tells":
        return known[what].lower() in line.lower()
    if verb == "hides":
        return known[what] not in line
    if verb == "says":
        return what.format(**known) in line
    return {
        "any": True,
        "yes": answer == "yes" and not talk.ended,
        "no": answer == "no" and not talk.ended,
        "not no": answer != "no" and not talk.ended,
        "not yes": answer not in ("yes", "yes_but"),
        "not whole yes": answer != "yes" and not talk.ended,
        "goes on": not talk.ended,
        "ends": talk.ended,
        "open": "agreed" not in talk.states,
    }[expected]


def _tasks(dialogue: dict[str, Any]) -> list[Task]:
    found = stage.of_family(dialogue["family"], kind=dialogue.get("kind", "fulfil"))[:3]
    return [stage.with_second(task) if dialogue.get("second") else task for task in found]


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=[one["manner"] for one in DIALOGUES])
def test_dialogue_is_never_misread(env: TauEnv, dialogue: dict[str, Any]) -> None:
    for number, task in enumerate(_tasks(dialogue)):
        for style in STYLES[number::3]:
            known = stage.fields(task)
            talk = stage.Talk(env, stage.with_scenario(task, style=style), seed=number)
            for line, *expected in dialogue["lines"]:
                if talk.ended:
                    assert expected == ["any"], f"left before {line!r}: {talk.lines}"
                    break
                before = talk.states
                talk.say(line.format(**known))
                for one in expected:
                    assert _met(one, talk, known), f"{one!r} after {line!r}: {talk.lines}"
                if talk.ended:
                    assert not {"open", "agreed"} & set(talk.states), talk.lines
                    assert talk.states.count("agreed") <= before.count("agreed")


def test_dialogues_are_of_many_manners() -> None:
    assert len({one["manner"] for one in DIALOGUES}) == len(DIALOGUES) >= 40
    assert len({one["family"] for one in DIALOGUES}) >= 5
