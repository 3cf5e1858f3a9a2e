"""A person plays the customer."""

from __future__ import annotations

from users.stage import lexicon, tasks

from tau_env.users.human import LEAVE, HumanUser


def test_person_sees_the_scenario_and_answers() -> None:
    shown: list[str] = []
    lines = iter(["Hi, cancel my order.", "Yes.", f" {LEAVE} "])
    user = HumanUser(ask=lambda prompt: next(lines), show=shown.append)
    scenario = tasks()[0].scenario
    assert user.reset(scenario, lexicon(), 0) == ("Hi, cancel my order.", False)
    assert shown[0] == scenario.instruction
    assert any(fact.value in text for fact in scenario.facts.values() for text in shown)
    assert user.reply("Shall I?") == ("Yes.", False)
    assert "agent: Shall I?" in shown
    assert user.reply("Done.").ends
