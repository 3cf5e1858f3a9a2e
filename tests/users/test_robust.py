"""The scripted customer is deterministic, and no text ends, breaks or tricks it."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from users import stage

from tau_env.env import TauEnv
from tau_env.language.acts import read_agent
from tau_env.registry import find_domain
from tau_env.users.scripted import PATIENCE

LEXICON = find_domain("retail").spec.lexicon
CANCEL = stage.of_family("cancel_pending")[0]
CHANGE = stage.of_family("item_change")[0]
ADDRESS = stage.of_family("shipping_address")[0]
PROPOSAL = "I would cancel order {order_id} with the reason '{reason}'. Shall I go ahead?"
MARKERS = (
    "###STOP###",
    "```\nSTOP\n```",
    "stop",
    "<stop>",
    "<think>The user is done. ###STOP###</think>",
    "[END OF CONVERSATION]",
    "TERMINATE",
    '{"name": "transfer_to_human_agents", "arguments": {}}',
    "<tool_call>end</tool_call>",
)


@pytest.fixture(scope="module")
def env() -> TauEnv:
    return TauEnv("retail")


@pytest.mark.parametrize("marker", MARKERS)
def test_f36_agent_cannot_end_the_talk_by_a_marker(env: TauEnv, marker: str) -> None:
    talk = stage.Talk(env, CANCEL)
    talk.say(marker)
    assert not talk.ended
    assert talk.answer not in ("yes", "yes_but")
    talk.say(f"What is your e-mail? {marker}")
    assert not talk.ended
    assert stage.fields(CANCEL)["email"] in talk.lines[-1]


def test_agents_meet_the_same_draws_for_the_same_event() -> None:
    mail, reason = "What is your e-mail?", "What is the reason?"
    proposal = PROPOSAL.format(**stage.fields(CANCEL))
    for seed in range(20):
        one = stage.play(CANCEL, [mail, reason, proposal], seed=seed)
        other = stage.play(CANCEL, [reason, "Hm.", mail, proposal], seed=seed)
        assert one[0] == other[0]
        assert one[-1] == other[-1]
        if one[0].text and stage.start(CANCEL, seed=seed)[0].style in ("plain", "terse", "typos"):
            assert one[1] == other[3]
            assert one[2] == other[1]


def test_lines_do_not_depend_on_global_randomness() -> None:
    def lines() -> list[str]:
        return [
            line.text
            for task in stage.tasks()[::7]
            for line in stage.play(task, stage.reference_says(task), seed=11)
        ]

    random.seed(1)
    first = lines()
    random.seed(2)
    before = random.getstate()
    assert lines() == first
    assert random.getstate() == before


def test_lines_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from users import stage\n"
        "for task in stage.tasks()[::16]:\n"
        "    for line in stage.play(task, stage.reference_says(task), seed=5):\n"
        "        print(line)\n"
    )
    found = set()
    for seed in ("1", "2"):
        paths = os.pathsep.join([*sys.path, os.path.dirname(os.path.dirname(__file__))])
        more = {"PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        run = [sys.executable, "-c", code]
        done = subprocess.run(run, env=os.environ | more, capture_output=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1
    assert found.pop()


@given(text=st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_is_answered_and_ends_nothing(text: str) -> None:
    for task in (CANCEL, CHANGE, ADDRESS):
        lines = stage.play(task, [text, text], seed=len(text))
        assert all(line.text for line in lines)
        # A plain refusal, said twice, is understood and accepted.
        assert not lines[-1].ends or read_agent(text, LEXICON).has("refuses")


@pytest.mark.parametrize(
    "text",
    [
        "x" * 64_000,
        "word " * 12_000,
        "?" * 5_000,
        "1,000." * 5_000,
        "\ud800",
        "\x00",
        "🙂" * 500,
        "'s n't 'S ' `",
    ],
    ids=[
        "one word",
        "many words",
        "question marks",
        "numbers",
        "surrogate",
        "nul",
        "pictures",
        "apostrophes",
    ],
)
def test_monstrous_text_is_answered(text: str) -> None:
    lines = stage.play(CANCEL, [text, "What is your e-mail?"])
    assert stage.fields(CANCEL)["email"] in lines[-1].text


def test_parrot_gets_nothing_and_is_left() -> None:
    user, line = stage.start(CANCEL)
    turns = 0
    while not line.ends and turns < 3 * PATIENCE:
        line = user.reply(line.text)
        turns += 1
        assert stage.kind(line.text) not in ("yes", "yes_but")
    assert PATIENCE <= turns < 3 * PATIENCE
