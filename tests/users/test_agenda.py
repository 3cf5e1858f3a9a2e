"""The agenda: order of wants, what a message speaks of, what answers a question."""

from __future__ import annotations

from users.stage import lexicon

from tau_env.schema import Fact, Scenario, Want
from tau_env.users.agenda import Agenda, values_of
from tau_env.users.hearing import hear

CANCEL = Want(do="cancel", slots={"order_id": "#W1000001", "reason": "no longer needed"})
RETURN = Want(do="return", slots={"order_id": "#W1000002", "item": "Jump Rope"})
TOTAL = Want(do="ask", slots={"order_id": "#W1000001"}, expects="money", say="ask_total")


def _agenda(*wants: Want) -> Agenda:
    facts = {"email": Fact(value="mia@example.com"), "amount": Fact(value="$5.00")}
    scenario = Scenario(customer="mia_1", opening="cancel_order", wants=wants, facts=facts)
    return Agenda(scenario, lexicon())


def test_opening_raises_the_first_want_only() -> None:
    agenda = _agenda(CANCEL, RETURN)
    assert [item.raised for item in agenda.items] == [True, False]
    assert agenda.current is agenda.items[0]
    assert agenda.unraised is agenda.items[1]


def test_agenda_is_settled_when_nothing_is_open_or_agreed() -> None:
    agenda = _agenda(CANCEL, RETURN)
    agenda.items[0].state = "done"
    assert not agenda.settled
    agenda.items[1].state = "agreed"
    assert not agenda.settled
    agenda.items[1].state = "refused"
    assert agenda.settled


def test_matching_takes_the_action_and_the_record() -> None:
    agenda = _agenda(CANCEL, RETURN)
    reading = hear("About order #W1000002.", lexicon())
    assert agenda.matching(reading, ("return",), agenda.items) == [agenda.items[1]]
    assert agenda.matching(reading, ("cancel",), agenda.items) == []
    assert agenda.matching(reading, (), agenda.items) == [agenda.items[1]]
    assert agenda.matching(hear("Hello.", lexicon()), (), agenda.items) == agenda.items


def test_record_without_its_mark_is_the_same_record() -> None:
    agenda = _agenda(CANCEL)
    reading = hear("About order W1000001.", lexicon())
    assert agenda.matching(reading, ("cancel",), agenda.items) == agenda.items
    assert agenda.foreign_records(reading) == []


def test_foreign_records_are_given_as_written_and_once() -> None:
    agenda = _agenda(CANCEL)
    reading = hear("#W1000009 and #W1000001 and again #W1000009", lexicon())
    assert agenda.foreign_records(reading) == ["#W1000009"]


def test_details_named_reads_synonyms_and_single_things() -> None:
    slots: dict[str, str | tuple[str, ...]] = {
        "order_id": "#W1000002",
        "item": "Jump Rope and the Bead Kit",
        "payment_method": "credit card",
    }
    agenda = _agenda(Want(do="return", slots=slots))
    item = agenda.items[0]
    named = agenda.details_named(item, hear("The jump rope, money to your Visa.", lexicon()))
    assert set(named) == {"item", "payment_method"}
    assert agenda.details_named(item, hear("Order #W1000002.", lexicon())) == []
    assert agenda.details_open(item, hear("PayPal or gift card?", lexicon())) == ["payment_method"]


def test_question_is_answered_by_a_new_value_of_its_kind() -> None:
    agenda = _agenda(TOTAL)
    item = agenda.items[0]
    assert agenda.answered(hear("It comes to $12.50.", lexicon()), item)
    assert not agenda.answered(hear("It has 3 items.", lexicon()), item)
    assert not agenda.answered(hear("Order #W1000009 comes to $12.50.", lexicon()), item)
    assert not agenda.answered(hear("You said $5.00.", lexicon()), item)


def test_values_of_is_always_several() -> None:
    assert values_of(CANCEL, "reason") == ("no longer needed",)
    assert values_of(CANCEL, "city") == ()
    assert values_of(Want(do="x", slots={"a": ("1", "2")}), "a") == ("1", "2")
