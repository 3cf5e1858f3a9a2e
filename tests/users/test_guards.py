"""What a model-played customer may say and when it may leave: the reported faults, one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_chat import FakeChat, line
from users import stage

from tau_env.actions import Action, Observation, call, say
from tau_env.env import TauEnv
from tau_env.errors import UserFault
from tau_env.schema import Briefing, Task, Trial, Twist
from tau_env.trial import run_trial
from tau_env.users.base import Reply
from tau_env.users.guards import Guards
from tau_env.users.model import ModelUser
from tau_env.users.scripted import PATIENCE

CANCEL = stage.of_family("cancel_pending")[0]
RETURN = stage.of_family("return_items")[0]
CHANGE = stage.of_family("item_change")[0]
SLOTS = CANCEL.scenario.wants[0].slots
ORDER, REASON = str(SLOTS["order_id"]), str(SLOTS["reason"])
MAIL = CANCEL.scenario.facts["email"].value
OPENING = f"Hi, please cancel order {ORDER}."
PROPOSAL = f"I would cancel order {ORDER} with the reason '{REASON}'. Shall I go ahead?"
DONE = f"Order {ORDER} has been cancelled. Anything else?"
ASKS_MAIL = "Could you tell me your e-mail address, please?"
BYE = line("Thank you, that was all. Goodbye.", ends=True)


class Listens:
    """Says its lines and calls its tools in order."""

    def __init__(self, *actions: Action) -> None:
        self.actions = list(actions)

    def reset(self, briefing: Briefing, seed: int) -> None:
        del briefing, seed

    def act(self, observation: Observation) -> Action:
        del observation
        return self.actions.pop(0) if self.actions else {"type": "end"}


def talk(task: Task, replies: list[str], says: list[str], *, seed: int = 1) -> list[Reply]:
    """The customer's lines to these messages."""
    user = ModelUser(chat=FakeChat(replies))
    found = [user.reset(task.scenario, stage.lexicon(), seed)]
    return found + [user.reply(text) for text in says]


def complaints(task: Task, text: str, *heard: str, told: tuple[str, ...] = ()) -> str:
    """What keeps a line from being sent after these messages and answers."""
    guards = Guards(task.scenario, stage.lexicon())
    guards.tell(str(task.scenario.wants[0].slots.get("order_id", "Hello.")))
    for place, message in enumerate(heard):
        guards.hear(message)
        if place < len(told):
            guards.tell(told[place])
    return "; ".join(guards.complaints(text))


def play(task: Task, replies: list[str], *actions: Action) -> Trial:
    env = TauEnv("retail", tasks=[task], user=ModelUser(chat=FakeChat(replies)))
    return run_trial(env, Listens(*actions), task, seed=1)


TWO = stage.with_second(CANCEL)


def test_f45_it_leaves_only_when_every_request_was_said() -> None:
    user = ModelUser(chat=FakeChat([line(OPENING), line("Yes, please."), BYE]))
    user.reset(TWO.scenario, stage.lexicon(), 1)
    user.reply(PROPOSAL)
    with pytest.raises(UserFault, match=f"not asked for this yet: cancel .*{stage.SECOND}"):
        user.reply(DONE)
    chat = FakeChat(
        [line(OPENING), BYE, line(f"Please cancel {stage.SECOND} too.", ends=True), BYE]
    )
    user = ModelUser(chat=chat)
    user.reset(TWO.scenario, stage.lexicon(), 1)
    second = user.reply(DONE)
    assert stage.SECOND in second.text
    assert not second.ends, "what it has just asked for is yet to be answered"
    assert user.reply(f"{stage.SECOND} is cancelled as well.").ends


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("It is order #W7654321.", "#W7654321"),
        ("My e-mail is somebody.else@example.com.", "somebody.else@example.com"),
        ("I paid $12.50 for it.", "$12.50"),
        ("I ordered it on May 3rd.", "May 3rd"),
        ("We are 2 travellers.", "2"),
        ("There are two of us.", "two"),
        ("My zip code is 90210.", "90210"),
        ("Call me on 555-010-9999.", "555-010-9999"),
        ("Please book it for my wife Annabel as well.", "Annabel"),
        ("Send the refund to my paypal.", "paypal"),
    ],
)
def test_f46_a_value_from_nowhere_is_never_said(text: str, invented: str) -> None:
    assert invented in complaints(CANCEL, text, "How can I help?")


def test_f46_what_the_agent_or_the_scenario_said_may_be_repeated() -> None:
    heard = "Hello, I am Annabel. It cost $12.50, paid by paypal on 2024-05-03 (card 9725)."
    assert not complaints(
        CANCEL,
        f"So {ORDER} cost 12.50 dollars on May 3, Annabel, and paypal or the one ending in 9725?",
        heard,
    )


def test_f46_a_customer_that_goes_on_inventing_is_a_fault_of_the_user() -> None:
    with pytest.raises(UserFault, match="second passenger"):
        talk(CANCEL, [line(OPENING), line("Add a second passenger, Bob Smith.")], ["Who travels?"])


def test_f47_an_answer_to_a_question_for_a_yes_never_ends() -> None:
    for text in ("Yes, please go ahead. Goodbye!", "Sure, do it.", "Option 1, please."):
        replies = [line(OPENING), line(text, ends=True)]
        assert talk(CANCEL, replies, [f"Option 1: {PROPOSAL}"])[-1] == Reply(text, ends=False)
    own_word = line("Whatever you think is best.", "agrees", ends=True)
    assert not talk(CANCEL, [line(OPENING), own_word], [PROPOSAL])[-1].ends


def test_f48_after_consent_and_stop_in_one_turn_the_write_is_done_and_passes() -> None:
    task = stage.with_scenario(CANCEL, twists=())
    replies = [line(OPENING), line(f"It is {MAIL}."), line("Yes, go ahead. Bye.", ends=True), BYE]
    trial = play(
        task,
        replies,
        say(ASKS_MAIL),
        call("find_user_id_by_email", email=MAIL),
        call("get_order_details", order_id=ORDER),
        say(PROPOSAL),
        call("cancel_pending_order", order_id=ORDER, reason=REASON),
        say(stage.reference_says(CANCEL)[-1]),
    )
    assert trial.end_reason == "customer_ended"
    assert trial.passed, trial.grade
    assert any("wished to leave" in text for text in trial.warnings["user"])


def test_f50_an_insistent_customer_gives_up_and_wants_nothing_new() -> None:
    refusal = "I am sorry, this is not possible."
    replies = [line(OPENING)]
    replies += [line(f"Please, make an exception{'!' * times}") for times in range(12)]
    found = talk(CANCEL, replies, [refusal] * (PATIENCE + 1))
    assert [one.ends for one in found] == [False] * (PATIENCE + 1) + [True]
    assert "not ask for what the agent proposes" in complaints(
        CANCEL,
        "Yes, please do that.",
        "I could return order #W9999999 to your credit card instead. Shall I go ahead?",
    )


def test_f51_checks_of_identity_and_address_play_no_twist() -> None:
    task = stage.with_scenario(CANCEL, twists=(Twist(kind="declines"),))
    heard = [ASKS_MAIL, f"Your e-mail is {MAIL}, is that right?"]
    for order in (heard, heard[::-1], heard[:1] * 2):
        told = (f"It is {MAIL}.", "No, that is not right.")
        guards = Guards(task.scenario, stage.lexicon())
        guards.tell(OPENING)
        for message, answer in zip(order, told, strict=True):
            guards.hear(message)
            guards.tell(answer)
        guards.hear(PROPOSAL)
        assert "no yes" in "; ".join(guards.complaints("Yes, please."))
        guards.tell("No, hold on, please don't do that yet.")
        guards.hear(PROPOSAL)
        assert not guards.complaints("Yes, please.")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (CANCEL, "Your e-mail is wrong.person@example.com, is that right?"),
        (CANCEL, f"I would cancel order {ORDER} because you no longer need it. Shall I go ahead?"),
        (CANCEL, "I would cancel order #W9999999 with the reason 'no longer needed'. Shall I?"),
        (RETURN, "I would return the Velvet Harp to your credit card. Shall I go ahead?"),
    ],
)
def test_f52_a_wrong_read_back_is_not_agreed_to(task: Task, message: str) -> None:
    assert "must not agree" in complaints(task, "Yes, that's right, please go ahead.", message)
    assert "must not agree" not in complaints(task, "No, that is not right.", message)


def test_f53_a_farewell_of_the_agent_does_not_spare_the_customer_its_line() -> None:
    replies = [line(OPENING), BYE, line(f"Wait, {stage.SECOND} has to be cancelled too.")]
    found = talk(TWO, replies, ["The case is closed, goodbye."])
    assert stage.SECOND in found[-1].text
    assert not found[-1].ends


def test_f53_a_correction_that_never_met_its_moment_is_said_before_leaving() -> None:
    task = stage.with_scenario(CANCEL, twists=(Twist(kind="corrects", slots={"order_id": "#W42"}),))
    replies = [line(OPENING), BYE, line("Wait, I meant #W42.", ends=True), BYE]
    user = ModelUser(chat=FakeChat(replies))
    user.reset(task.scenario, stage.lexicon(), 1)
    assert user.reply(DONE).text == "Wait, I meant #W42."
    assert user.reply("I see.").ends


@pytest.mark.parametrize(
    "marked",
    [
        "Please go ahead and cancel it. <stop>",
        "Please go ahead and cancel it. ###STOP###",
        "Please go ahead and cancel it. [END]",
        "Please go ahead and cancel it.\n\nTERMINATE",
        "```Please go ahead and cancel it.```",
    ],
)
def test_f54_a_line_with_a_marker_is_asked_for_anew_and_not_lost(marked: str) -> None:
    clean = "Please go ahead and cancel it."
    for ends in (False, True):
        replies = [line(OPENING), line(marked, ends=ends), line(clean, ends=ends)]
        user = ModelUser(chat=FakeChat(replies))
        user.reset(CANCEL.scenario, stage.lexicon(), 1)
        assert user.reply(PROPOSAL) == Reply(clean, ends=False)
        assert any("no word of a customer" in text for text in user.warnings)


@pytest.mark.parametrize("marker", ["###STOP###", "<stop>", "[END]", '{"ends": true}', "Goodbye."])
def test_f36_a_marker_of_the_agent_ends_nothing(marker: str) -> None:
    for text in (marker, f"{ASKS_MAIL} {marker}"):
        assert not talk(CANCEL, [line(OPENING), line("What do you mean?")], [text])[-1].ends


def test_f55_the_opening_is_not_said_again_once_something_is_settled() -> None:
    again = OPENING.replace("Hi", "Hey")
    guards = Guards(CANCEL.scenario, stage.lexicon())
    guards.tell(OPENING)
    guards.hear("Could you repeat that, please?")
    assert not guards.complaints(again)
    guards.hear(DONE)
    assert "said that before" in "; ".join(guards.complaints(again))


@pytest.mark.parametrize(
    "text",
    [
        "My router model is not what I ordered, the prompt on the screen says so.",
        "I'd like to instruct you to stop the shipment; the system is slow  ☹",
        "Is a user account needed? The script of the play came with it.",
    ],
)
def test_f56_ordinary_words_reach_the_agent_byte_for_byte(text: str) -> None:
    assert talk(CANCEL, [line(OPENING), line(text)], ["Hello."])[-1].text == text


@pytest.mark.parametrize(
    "text",
    [
        "<think>The agent wants a yes.</think> Yes, please.",
        "As the customer I should now confirm.",
        "My instruction says that I want it cancelled.",
        "The user wants to cancel the order.",
        "I am an AI and cannot have an order.",
        "How can I help you today?",
        "I have cancelled your order. Is there anything else I can help you with?",
        "Would you like me to proceed with the cancellation?",
        "Could I please have your order number?",
        "Thank you for contacting us!",
        "I'm happy to help, I'm happy to help, I'm happy to help.",
    ],
)
def test_f57_thoughts_and_the_agents_part_are_not_delivered(text: str) -> None:
    found = complaints(CANCEL, text, "Hello.")
    assert any(told in found for told in ("customer", "role"))


@pytest.mark.parametrize(
    "text",
    [
        "The conversation begins. Write your first message: ",
        "the agent brings nothing new any more",
        "I write one short message at a time, the words of a customer and nothing else.",
    ],
)
def test_f57_what_the_director_wrote_is_not_repeated_to_the_agent(text: str) -> None:
    assert "director" in complaints(CANCEL, text, "Hello.")


def test_f57_a_complaint_is_not_repeated_to_the_agent() -> None:
    replies = [line("Goodbye.", ends=True), line("You have not asked for this yet."), line(OPENING)]
    assert talk(CANCEL, replies, [])[0].text == OPENING


def test_f58_the_same_line_three_times_in_a_row_is_a_fault() -> None:
    replies = [line(OPENING), line("Please do."), line("Please do."), line("Please do.")]
    with pytest.raises(UserFault, match="said that before"):
        talk(CANCEL, replies, ["Hm.", "Well.", "So."])


def test_f58_a_tool_call_of_the_customers_model_is_no_line() -> None:
    with pytest.raises(UserFault, match="JSON object"):
        talk(CANCEL, [line(OPENING), '{"name": "cancel", "arguments": {}}'], ["Hm."])


@pytest.mark.parametrize("task", stage.tasks()[::9], ids=lambda task: task.id)
def test_f59_no_fact_for_asking_is_in_the_first_line(task: Task) -> None:
    scenario = task.scenario
    wanted = str([want.slots for want in scenario.wants])
    for name, fact in scenario.facts.items():
        guards = Guards(scenario, stage.lexicon())
        found = "; ".join(guards.complaints(f"Hello, it is about {fact.value}."))
        identity = stage.lexicon().slots[name].role == "identity"
        volunteered = identity and fact.tell == "asked" and fact.value not in wanted
        assert (f"keep it to yourself: {name}" in found) == volunteered


def test_f59_each_fact_is_told_only_for_its_own_question() -> None:
    both = f"{MAIL}, and my zip code is {CANCEL.scenario.facts['zip'].value}."
    assert complaints(CANCEL, both, ASKS_MAIL).endswith("keep it to yourself: zip")
    assert not complaints(CANCEL, both, "May I have your e-mail address and zip code?")
    assert not complaints(CANCEL, both, "Could you verify your identity?")


def test_f60_the_manner_is_chosen_recorded_and_part_of_the_prompt() -> None:
    systems = set()
    for style in ("plain", "terse", "pushy"):
        chat = FakeChat([line(OPENING), line("Hm.")])
        env = TauEnv("retail", tasks=[CANCEL], user=ModelUser(chat=chat, style=style))
        trial = run_trial(env, Listens(say("Hello.")), CANCEL, seed=1)
        assert trial.style == style
        systems.add(chat.asked[0][0]["content"])
    assert len(systems) == 3


def test_f49_it_does_not_leave_while_nothing_is_settled_unless_it_insists() -> None:
    chat = FakeChat([line(OPENING), BYE, line("It is fine, I have time."), BYE])
    user = ModelUser(chat=chat)
    user.reset(CANCEL.scenario, stage.lexicon(), 1)
    assert user.reply(ASKS_MAIL) == Reply("It is fine, I have time.")
    assert "wait until the agent has settled this: cancel" in chat.asked[2][-1]["content"]
    assert user.reply(DONE).ends
    found = talk(CANCEL, [line(OPENING), BYE, BYE, BYE], [ASKS_MAIL, "Hello?"])
    assert [one.ends for one in found] == [False, False, True], (
        "it may know better than we can read"
    )
    agreed = [line(OPENING), line("Yes, please.", ends=True), BYE, BYE]
    assert [one.ends for one in talk(CANCEL, agreed, [PROPOSAL, "One moment.", DONE])] == [
        *(False, False, False),
        True,
    ]


def test_twists_come_before_the_yes_that_they_change() -> None:
    task = stage.with_scenario(CANCEL, twists=(Twist(kind="changes_mind"),))
    assert "changed your mind" in complaints(task, "Yes, please.", PROPOSAL)
    replies = [line(OPENING), BYE, line("No, I changed my mind, leave it as it is."), BYE]
    found = talk(task, replies, ["One moment.", "All right."])
    assert found[-1].ends


def test_what_stays_is_told_to_the_model_as_staying() -> None:
    chat = FakeChat([line(OPENING), line("Yes, please.", ends=True), BYE])
    user = ModelUser(chat=chat)
    user.reset(CANCEL.scenario, stage.lexicon(), 1)
    user.reply(PROPOSAL)
    assert user.reply(DONE).ends
    last, before = json.loads(chat.asked[-1][-1]["content"]), chat.asked[-1][-2]["content"]
    assert "did not leave" in last["note"]
    assert json.loads(before)["ends"] is False


OWN_CLAIMS = ("My order #W1000487, I don't need it any more. It is still pending. Cancel.",)
"""A status that neither the scenario nor the agent has named: the guard is right to stop it."""


def test_lines_of_people_who_never_saw_the_guards_trip_none() -> None:
    lines = Path(__file__).parent.with_name("dialogues") / "retail.jsonl"
    tasks = {task.id: task for task in stage.tasks()}
    said, stays = 0, 0
    for text in lines.read_text(encoding="utf-8").splitlines():
        dialogue = json.loads(text)
        guards = Guards(tasks[dialogue["task"]].scenario, stage.lexicon())
        turns = [turn for turn in dialogue["turns"] if "who" in turn]
        for turn in turns:
            if turn["who"] == "agent":
                guards.hear(turn["text"])
                continue
            if turn["text"] not in OWN_CLAIMS and "heard" not in dialogue:
                assert guards.complaints(turn["text"]) == (), (dialogue["id"], turn["text"])
            said += 1
            if turn is turns[-1] and dialogue["label"] == "good":
                assert not guards.unsaid(turn["text"])
                stays += bool(guards.keeps(turn["text"], ()))
            guards.tell(turn["text"])
    assert said > 100
    assert stays <= 2, "who has said all may leave"
