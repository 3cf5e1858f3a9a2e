"""The scripted customer over the released tasks: what it tells, agrees to, and when it leaves.

Names of the field reports (F16 ...) stand in the names of the tests that answer them.
"""

from __future__ import annotations

import re
from itertools import permutations

import pytest
from users import stage

from tau_env.agents.floors import ClaimDone, Parrot, RandomCalls, Refuser, Silent
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.errors import EpisodeNotStarted
from tau_env.schema import Task
from tau_env.trial import run_trial
from tau_env.users.scripted import PATIENCE, ScriptedUser
from tau_env.users.wording import COMMON, OWN, STYLES

CANCEL = stage.of_family("cancel_pending")[0]
CHANGE = stage.of_family("item_change")[0]
RETURN = stage.of_family("return_items")[-1]
ADDRESS = stage.of_family("shipping_address")[0]
WELL = [task for task in stage.tasks() if not task.scenario.twists]
GIVES_UP = {*COMMON["give_up"], *OWN["terse"]["give_up"]}
ASKING_NOTHING = (
    "One moment, please.",
    "",
    "I can help you with that.",
    "Thank you for your patience.",
    "I'm sorry, but that is not possible.",
    "Which order is it about?",
    "What is the reason?",
    "Is there anything else that I can do for you?",
)
REFUSAL = "I'm sorry, but I cannot cancel order {order_id}."
PROPOSAL = "I would cancel order {order_id} with the reason '{reason}'. Shall I go ahead?"


@pytest.fixture(scope="module")
def env() -> TauEnv:
    return TauEnv("retail")


def _filled(text: str, task: Task) -> str:
    return text.format(**stage.fields(task))


def _asked_facts(task: Task) -> set[str]:
    wanted = {str(value) for want in task.scenario.wants for value in want.slots.values()}
    facts = task.scenario.facts.values()
    return {fact.value for fact in facts if fact.tell == "asked" and fact.value not in wanted}


def _told(lines: list[str], facts: set[str]) -> list[str]:
    return [
        fact
        for fact in facts
        for line in lines
        if re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", line)
    ]


def test_reply_before_reset_is_an_error() -> None:
    with pytest.raises(EpisodeNotStarted):
        ScriptedUser().reply("Hello")


def test_customer_speaks_first_and_stays() -> None:
    for task in stage.tasks():
        for style in STYLES:
            _, first = stage.start(task, style=style)
            assert first.text
            assert not first.ends


def test_f59_no_fact_is_told_unasked_over_all_tasks() -> None:
    for task in stage.tasks():
        for style in STYLES:
            lines = [line.text for line in stage.play(task, ASKING_NOTHING, style=style)]
            assert _told(lines, _asked_facts(task)) == []


@pytest.mark.parametrize("style", STYLES)
def test_f46_every_number_and_address_comes_from_scenario_or_agent(style: str) -> None:
    for task in stage.tasks():
        known = task.scenario.model_dump_json()
        says = [*stage.reference_says(task), *ASKING_NOTHING]
        for seed in (0, 1):
            heard = known
            for number, line in enumerate(stage.play(task, says, seed=seed, style=style)):
                heard += says[number - 1] if number else ""
                for value in re.findall(r"\S+@\S+\w|#?\w*\d[\w-]*", line.text):
                    assert value in heard, (value, line.text)


@pytest.mark.parametrize(
    "question",
    [
        "What is your e-mail address?",
        "May I have the email on the account?",
        "Please tell me your e-mail.",
        "E-mail?",
        "I need your e-mail address to find you.",
    ],
)
def test_f46_asked_in_any_words_the_fact_is_the_same(question: str) -> None:
    for seed in range(20):
        line = stage.play(CANCEL, [question], seed=seed)[-1].text
        assert stage.fields(CANCEL)["email"] in line


def test_all_parts_of_a_question_are_answered() -> None:
    known = stage.fields(CANCEL)
    for style in STYLES:
        question = "What is your e-mail, your full name and zip code, and what is the reason?"
        line = stage.play(CANCEL, [question], style=style)[-1].text
        for slot in ("email", "first_name", "last_name", "zip", "reason"):
            assert known[slot].lower() in line.lower()


def test_unknown_identity_is_said_to_be_unknown() -> None:
    line = stage.play(CANCEL, ["What is your user id?"], style="plain")[-1].text
    assert "user id" in line
    assert stage.fields(CANCEL)["email"] not in line


@pytest.mark.parametrize("seed", range(20))
def test_f45_second_want_is_raised_before_leaving(seed: int) -> None:
    task = stage.with_second(CANCEL)
    done = _filled("Order {order_id} has been cancelled. Is there anything else?", task)
    lines = stage.play(task, [_filled(PROPOSAL, task), done, "Goodbye!", "Bye."], seed=seed)
    assert not any(line.ends for line in lines[:3])
    assert stage.SECOND in lines[2].text


def test_f47_f48_customer_never_leaves_in_the_turn_in_which_it_agrees() -> None:
    agreed = 0
    for task in stage.tasks():
        for style in STYLES:
            user, _ = stage.start(task, seed=3, style=style)
            for text in stage.reference_says(task):
                before = [item.state for item in user.agenda.items]
                line = user.reply(text)
                after = [item.state for item in user.agenda.items]
                if after.count("agreed") > before.count("agreed"):
                    agreed += 1
                    assert not line.ends
                    assert stage.kind(line.text) in ("yes", "yes_but")
                if line.ends:
                    break
    assert agreed > len(STYLES) * 40


def test_f48_f54_agent_gets_the_yes_and_the_step_after_it(env: TauEnv) -> None:
    for number, task in enumerate(stage.of_family("cancel_pending")):
        played = stage.with_style(task, STYLES[number % len(STYLES)])
        trial = run_trial(env, Reference(played), played, seed=number)
        assert trial.grade is not None
        assert trial.grade.passed
        assert trial.style == played.scenario.style


def test_f49_customer_ends_no_failed_trial_with_open_wants(env: TauEnv) -> None:
    for number, task in enumerate(stage.tasks()[::9]):
        for agent in (Silent, Parrot, ClaimDone, Refuser, RandomCalls):
            trial = run_trial(env, agent(), task, seed=number)
            last = [turn.text for turn in trial.transcript if turn.who == "customer"][-1]
            user = env.user
            assert isinstance(user, ScriptedUser)
            gave_up = any(last.endswith(line) for line in GIVES_UP)
            assert trial.end_reason != "customer_ended" or gave_up or user.agenda.settled


@pytest.mark.parametrize("style", STYLES)
def test_f50_customer_refused_six_times_gives_up_and_opens_nothing(style: str) -> None:
    for task in stage.of_family("cancel_pending", kind="refuse"):
        lines = stage.play(task, [_filled(REFUSAL, task)] * 6, style=style)
        assert lines[-1].ends
        assert len(lines) <= PATIENCE + 2
        assert not any(stage.kind(line.text) == "yes" for line in lines)


def test_f16_refusal_of_either_request_leaves_the_other_alive() -> None:
    task = stage.with_second(CANCEL)
    known = stage.fields(task)
    for refused, other in permutations((known["order_id"], stage.SECOND)):
        says = [
            f"I would cancel order {other}, reason '{known['reason']}'. OK?",
            f"Order {other} has been cancelled.",
        ]
        no = [f"I'm sorry, order {refused} cannot be cancelled. Anything else?"] * 2
        for script in ([*no, *says], [*says, *no]):
            user, _ = stage.start(task)
            for text in [*script, "Anything else?", "Goodbye!"]:
                if user.reply(text).ends:
                    break
            states = {item.want.slots["order_id"]: item.state for item in user.agenda.items}
            assert states == {other: "done", refused: "refused"}


WRONG = [
    (CANCEL, "I would cancel order {order_id} with the reason '{wrong_reason}'. OK?"),
    (CANCEL, "I have other@example.com as your e-mail address, is that right?"),
    (CANCEL, "I would cancel order #W1999999 with the reason '{reason}'. OK?"),
    (
        CHANGE,
        "I would change the {item} in {order_id} to the {wrong_new} one ({payment_method}). OK?",
    ),
    (CHANGE, "I'd change the {item} in {order_id} to {new} and use your {wrong_payment}. OK?"),
    (RETURN, "I would return the Garden Gnome of {order_id}, refund to your {payment_method}. OK?"),
    (RETURN, "I would return the {item} of {order_id}, refund to your {wrong_payment}. OK?"),
    (ADDRESS, "I would change the address of order {order_id} to {wrong_street}. OK?"),
    (ADDRESS, "I would change the address of order {order_id} to {wrong_zip}. OK?"),
]


@pytest.mark.parametrize(("task", "text"), WRONG)
def test_f52_wrong_read_back_is_never_accepted(task: Task, text: str) -> None:
    for seed in range(20):
        user, _ = stage.start(task, seed=seed)
        line = user.reply(_filled(text, task))
        assert stage.kind(line.text) == "no"
        assert not line.ends
        assert user.agenda.items[0].state == "open"


def test_part_that_is_not_wanted_is_left_out() -> None:
    text = _filled("I would cancel the orders {order_id} and #W1999999, '{reason}'. OK?", CANCEL)
    for style in STYLES:
        line = stage.play(CANCEL, [text], style=style)[-1].text
        assert stage.kind(line) == "yes_but"
        assert "#W1999999" in line


def test_customer_asks_where_it_is_unsure() -> None:
    for text in ("Shall I go ahead?", "Do you agree to that?"):
        for style in STYLES:
            user, _ = stage.start(CANCEL, style=style)
            line = user.reply(text)
            assert line.text.rstrip().endswith("?")
            assert stage.kind(line.text) == "withdrawn"
            assert user.agenda.items[0].state == "open"


def test_f53_closed_case_does_not_end_what_is_open() -> None:
    for style in STYLES:
        task = stage.with_second(CANCEL)
        closed = _filled("Order {order_id} is cancelled. Case closed, goodbye!", task)
        lines = stage.play(task, [_filled(PROPOSAL, task), closed], style=style)
        assert stage.SECOND in lines[-1].text
        assert not lines[-1].ends


def test_f55_opening_is_not_said_again_after_success() -> None:
    for task in WELL:
        lines = stage.play(task, [*stage.reference_says(task), "Hello, how can I help?"] * 2)
        assert lines[0].text not in [line.text for line in lines[1:]]


def test_f55_what_is_done_is_not_agreed_to_a_second_time() -> None:
    user, _ = stage.start(stage.with_second(CANCEL), style="plain")
    user.reply(_filled(PROPOSAL, CANCEL))
    user.reply(_filled("Order {order_id} has been cancelled.", CANCEL))
    assert stage.kind(user.reply(_filled(PROPOSAL, CANCEL)).text) == "none"


def test_f57_agents_thoughts_and_tags_are_not_taken_over() -> None:
    thought = "<think>As the user I should say yes.</think> As an AI I will now be the customer."
    for task in WELL[::10]:
        lines = [line.text for line in stage.play(task, [thought] * 3)]
        assert not any("<think>" in line or "As the user" in line for line in lines)


def test_f58_same_unanswerable_message_is_given_up() -> None:
    lines = stage.play(CANCEL, ['{"tool": "x"}'] * 10)
    assert lines[-1].ends
    assert len(lines) == PATIENCE + 2


def test_f60_manners_are_on_the_record(env: TauEnv) -> None:
    for style in STYLES:
        task = stage.with_style(CANCEL, style)
        assert run_trial(env, Silent(), task, seed=0).style == style


def test_holding_line_gets_a_sure_and_is_not_fruitless() -> None:
    for style in STYLES:
        lines = stage.play(CANCEL, ["One moment, please."] * 3 * PATIENCE, style=style)
        assert all("sure" in line.text.lower() for line in lines[1:])
        assert not lines[-1].ends


def test_filler_after_a_yes_does_not_take_it_back() -> None:
    for style in STYLES:
        for text in ("One moment, please.", "Thank you.", "Anything else?", "I see it here."):
            says = [_filled(PROPOSAL, CANCEL), text]
            lines = stage.play(CANCEL, says, style=style)
            assert stage.kind(lines[-1].text) in ("none", "yes"), lines[-1].text
            assert not lines[-1].ends


def test_filler_before_a_yes_is_none() -> None:
    details = "I can change the {item} in order {order_id} to {new}. Which payment method?"
    for style in STYLES:
        lines = stage.play(
            CHANGE, [_filled(details, CHANGE), "One moment, please.", "I see it."], style=style
        )
        assert [stage.kind(line.text) for line in lines[2:]] == ["none", "none"]


def test_patience_counts_fruitless_turns_and_news_resets_it() -> None:
    dull = ["Hm."] * PATIENCE
    assert not stage.play(CANCEL, dull)[-1].ends
    assert stage.play(CANCEL, [*dull, "Hm."])[-1].ends
    assert not stage.play(CANCEL, [*dull, "It weighs 12.5 pounds.", *dull[1:]])[-1].ends
