"""What the customer makes of messages: reports, refusals, checks, proposals, contradictions."""

from __future__ import annotations

import pytest
from users.stage import lexicon

from tau_env.schema import Fact, Scenario, Want
from tau_env.users import contradictions, hearing
from tau_env.users.agenda import Agenda
from tau_env.users.hearing import PROPOSING, hear

EMAIL = "mia.chen1@example.com"
FACTS = {
    "email": Fact(value=EMAIL),
    "first_name": Fact(value="Mia"),
    "last_name": Fact(value="Chen"),
    "zip": Fact(value="98105"),
}
CANCEL = Want(do="cancel", slots={"order_id": "#W1000001", "reason": "no longer needed"})
SECOND = Want(do="cancel", slots={"order_id": "#W1000002", "reason": "no longer needed"})
CHANGE = Want(
    do="modify_items",
    slots={
        "order_id": "#W1000003",
        "item": "Xylophone",
        "size": "large",
        "payment_method": "paypal",
    },
)
ADDRESS = Want(
    do="modify_address",
    slots={
        "order_id": "#W1000004",
        "address1": "1472 Cherry Lane",
        "address2": "Apt 124",
        "city": "Seattle",
        "state": "WA",
        "zip": "98116",
    },
)
RETURN = Want(
    do="return",
    slots={
        "order_id": "#W1000005",
        "item": "Night Lamp and the Hand Drum",
        "payment_method": "paypal",
    },
)


def agenda_of(*wants: Want, facts: dict[str, Fact] = FACTS) -> Agenda:
    scenario = Scenario(customer="mia_1", opening="cancel_order", wants=wants, facts=facts)
    return Agenda(scenario, lexicon())


def wrong(want: Want, text: str) -> set[str]:
    agenda = agenda_of(want)
    found = contradictions.objections(
        agenda.scenario, lexicon(), hear(text, lexicon()), agenda.items
    )
    return {one.slot for one in found}


def proposed(agenda: Agenda, text: str) -> list[str]:
    items = hearing.proposed_items(agenda, hear(text, lexicon()), None)
    return [str(item.want.slots["order_id"]) for item in items]


@pytest.mark.parametrize(
    "text",
    [
        "Is there anything else, or shall we leave it at that?",
        "Updated. Anything else I can do?",
        "Is there any other item that you want to change in this order?",
        "And why do you want to cancel it?",
        "What do you want to cancel?",
        "Do you want the refund on your credit card or on PayPal?",
        "Which of the two should I use?",
    ],
)
def test_question_of_another_kind_is_no_question_for_a_yes(text: str) -> None:
    assert not hear(text, lexicon()).has("asks_confirmation")


@pytest.mark.parametrize(
    "text",
    [
        "I would cancel order #W1000001. Shall I go ahead?",
        "How about I cancel order #W1000001 for you?",
        "I'd cancel order #W1000001. Is that okay?",
    ],
)
def test_question_for_a_yes_stays_one(text: str) -> None:
    assert hear(text, lexicon()).has(*PROPOSING)


def test_report_settles_what_was_agreed_to() -> None:
    agenda = agenda_of(CANCEL, SECOND)
    for item in agenda.items:
        item.state, item.raised = "agreed", True
    assert hearing.hear_report(agenda, hear("Order #W1000002 has been cancelled.", lexicon()))
    assert [item.state for item in agenda.items] == ["agreed", "done"]


def test_report_about_another_record_settles_nothing() -> None:
    agenda = agenda_of(CANCEL)
    agenda.items[0].state = "agreed"
    hearing.hear_report(agenda, hear("Order #W1000009 has been cancelled.", lexicon()))
    assert agenda.items[0].state == "agreed"


def test_refusal_of_one_record_leaves_the_other_open() -> None:
    agenda = agenda_of(CANCEL, SECOND)
    agenda.items[0].state, agenda.items[1].raised = "refused", True
    reading = hear("I'm sorry, order #W1000001 cannot be cancelled.", lexicon())
    assert hearing.refused_items(agenda, reading, []) == []


@pytest.mark.parametrize(
    "text",
    [
        "I can't cancel order #W1000001 until you tell me your e-mail.",
        "I cannot help you without your e-mail address. What is it?",
    ],
)
def test_condition_is_no_refusal(text: str) -> None:
    assert hearing.refused_items(agenda_of(CANCEL), hear(text, lexicon()), []) == []


def test_limit_with_a_question_for_a_detail_is_no_refusal() -> None:
    agenda = agenda_of(RETURN)
    reading = hear("I can't refund to a bank account. PayPal or gift card?", lexicon())
    assert hearing.refused_items(agenda, reading, []) == []


@pytest.mark.parametrize(
    "text",
    [
        f"Your e-mail is {EMAIL}, is that right?",
        "Your zip code is 98105, correct?",
        f"I have {EMAIL} here. Is this you?",
        "Your zip code is 11111, right?",
    ],
)
def test_f51_check_of_identity_proposes_nothing(text: str) -> None:
    assert hearing.checks_identity(agenda_of(CANCEL), hear(text, lexicon()))


def test_f51_check_of_values_alone_proposes_nothing() -> None:
    reading = hear(
        "And the new address is 1472 Cherry Lane, Seattle, WA 98116, correct?", lexicon()
    )
    assert hearing.proposal_in(agenda_of(ADDRESS), reading, None) is None


def test_question_for_a_yes_takes_up_the_last_proposal() -> None:
    agenda = agenda_of(CANCEL)
    details = hear("I can cancel order #W1000001, reason: no longer needed.", lexicon())
    content = hearing.proposal_in(agenda, hear("Shall I go ahead?", lexicon()), details)
    assert content is not None
    assert agenda.records(content) == {"W1000001"}
    assert hearing.proposal_in(agenda, hear("Shall I go ahead?", lexicon()), None) is None


def test_proposal_is_matched_by_action_and_record() -> None:
    agenda = agenda_of(CANCEL, SECOND)
    assert proposed(agenda, "Shall I cancel order #W1000002?") == ["#W1000002"]
    assert proposed(agenda, "Shall I cancel the orders #W1000001 and #W1000002?") == [
        "#W1000001",
        "#W1000002",
    ]
    assert proposed(agenda, "Shall I cancel order #W1000009?") == []
    assert proposed(agenda, "Shall I cancel it?") == ["#W1000001"]


def test_proposal_that_says_too_little_is_unclear() -> None:
    assert proposed(agenda_of(CHANGE), "Shall I change order #W1000003?") == []
    assert proposed(agenda_of(CHANGE), "Shall I change the Xylophone in #W1000003 to large?")
    assert proposed(agenda_of(CANCEL), "#W1000001: is that okay?") == []


def test_unwanted_is_what_no_want_names() -> None:
    agenda = agenda_of(CANCEL)
    for text in (
        "Shall I return the Jump Rope of order #W1000001?",
        "Shall I cancel order #W1000009?",
    ):
        assert hearing.unwanted(agenda, hear(text, lexicon()))
    assert not hearing.unwanted(agenda, hear("Shall I cancel it?", lexicon()))
    agenda.items[0].state = "dropped"
    assert hearing.unwanted(agenda, hear("Shall I cancel order #W1000001?", lexicon()))


@pytest.mark.parametrize(
    ("want", "text", "slots"),
    [
        (CANCEL, "I would cancel #W1000001 with the reason 'ordered by mistake'.", {"reason"}),
        (CANCEL, f"I would cancel #W1000001 and write to x{EMAIL}.", {"email"}),
        (CHANGE, "I would change the Xylophone to the medium one.", {"size"}),
        (CHANGE, "Xylophone, large, charged to your gift card.", {"payment_method"}),
        (ADDRESS, "I would send it to 1427 Cherry Lane, Apt 124.", {"address1"}),
        (ADDRESS, "I would send it to 1472 Cherry Street, Apt 124.", {"address1"}),
        (ADDRESS, "I would send it to 1472 Cherry Lane, Apt 142.", {"address2"}),
        (ADDRESS, "To 1472 Cherry Lane, Apt 124, Seattle, WA 98161.", {"zip"}),
        (RETURN, "I would return the Teddy Bear, refund to PayPal.", {"item"}),
        (RETURN, "I would return the Night Lamp, refund to PayPal.", {"item"}),
    ],
)
def test_f52_wrong_value_is_objected_to(want: Want, text: str, slots: set[str]) -> None:
    assert wrong(want, text) == slots


@pytest.mark.parametrize(
    ("want", "text"),
    [
        (CANCEL, "I would cancel order #W1000001 and refund $12.50 within 7 days."),
        (CHANGE, "From the Xylophone (medium) to the Xylophone (large), $3.00 to PayPal."),
        (CHANGE, "I would make the change in order #W1000003."),
        (ADDRESS, "From 12 Elm Street to 1472 cherry lane, apt 124, Seattle."),
        (ADDRESS, "I would change the address of order #W1000004."),
        (RETURN, "I would return the Night Lamp (solar) and the Hand Drum (red) to PayPal."),
        (RETURN, "I would return both items to your PayPal account."),
    ],
)
def test_silence_and_unknowns_are_no_contradiction(want: Want, text: str) -> None:
    assert wrong(want, text) == set()


def test_identity_is_compared_with_all_that_is_known() -> None:
    scenario = agenda_of(CANCEL).scenario

    def slots(text: str) -> list[str]:
        reading = hear(text, lexicon())
        found = contradictions.identity_objections(scenario, lexicon(), reading)
        return [one.slot for one in found]

    assert slots("Your zip code is 11111, right?") == ["zip"]
    assert slots("So your name is Mia Stone?") == ["name"]
    assert slots(f"So your name is Mia Chen, {EMAIL}, 98105?") == []


def test_wrong_email_is_noticed_in_statements_about_the_customer_only() -> None:
    scenario = agenda_of(CANCEL).scenario

    def noticed(text: str) -> bool:
        reading = hear(text, lexicon())
        return contradictions.wrong_email(scenario, lexicon(), reading) is not None

    assert noticed("I found your account under other@example.com.")
    assert not noticed(f"I found your account under {EMAIL}.")
    assert not noticed("Complaints go to office@example.com.")


def test_thing_too_many_is_named() -> None:
    agenda = agenda_of(RETURN)

    def extra(text: str) -> list[str]:
        return contradictions.things_too_many(lexicon(), hear(text, lexicon()), agenda.items)

    assert extra("The Night Lamp and the Hand Drum (red) and the Bead Kit.") == ["Bead Kit"]
    assert extra("The Night Lamp and the Hand Drum and a refund to PayPal.") == []
    assert extra("The Night Lamp, the Hand Drum and your Credit Card.") == []
