"""Recorded lines, played again."""

from __future__ import annotations

import pytest
from users.stage import tasks

from tau_env.errors import BadContent
from tau_env.schema import Lexicon, Turn
from tau_env.users.replay import ReplayUser


def test_replay_plays_the_customers_lines_and_leaves_with_the_last() -> None:
    transcript = (
        Turn(who="customer", text="Hi."),
        Turn(who="agent", text="Yes?"),
        Turn(who="customer", text="Bye."),
    )
    user = ReplayUser.of(transcript)
    for seed in (0, 1):
        assert user.reset(tasks()[0].scenario, Lexicon(), seed) == ("Hi.", False)
        assert user.reply("whatever") == ("Bye.", True)


def test_replay_of_one_line_leaves_at_once() -> None:
    assert ReplayUser(["Hi."]).reset(tasks()[0].scenario, Lexicon(), 0).ends


def test_replay_of_nothing_is_refused() -> None:
    with pytest.raises(BadContent, match="nothing to replay"):
        ReplayUser([])
