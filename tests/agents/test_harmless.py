"""Harmless edits: what each of them does to a reference, and that it stays right."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tau_env import content
from tau_env.agents.harmless import HARMLESS, proposals
from tau_env.agents.rewording import REWORDING, respelt, sentences_of
from tau_env.agents.site import Edited, Site
from tau_env.language.literals import find_literals
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task

RETAIL = content.tasks("retail")
DOMAIN = find_domain("retail")
CANCEL = RETAIL["retail-cancel-pending-001"]
REFUSE = RETAIL["retail-cancel-pending-002"]
EXCHANGE = RETAIL["retail-exchange-items-001"]

Make = Callable[[Task], Site]


@pytest.fixture
def site() -> Iterator[Make]:
    world = DOMAIN.open()
    yield lambda task: Site(task, DOMAIN.spec, tuple(RETAIL.values()), domain=DOMAIN, world=world)
    world.close()


def edits(site: Site, kind: str) -> list[Edited]:
    return list(HARMLESS[kind](site))


def calls(steps: Edited | Task) -> list[str]:
    found = steps.steps if isinstance(steps, Edited) else steps.reference
    return [step.call for step in found if step.call]


def said(edited: Edited) -> list[str]:
    return [step.say for step in edited.steps if step.say]


@pytest.mark.parametrize("domain", domain_names())
def test_calls_of_harmless_edits_leave_what_the_reference_leaves(domain: str) -> None:
    found = find_domain(domain)
    tasks = tuple(content.tasks(domain).values())
    world = found.open()
    for task in tasks[::9]:
        here = Site(task, found.spec, tasks, domain=found, world=world)
        here.tried(*task.reference)
        goal = here.world.outcome()
        for kind in HARMLESS:
            for one in edits(here, kind):
                here.tried(*one.steps)
                left = here.world.outcome()
                assert [change.row for change in left] == [change.row for change in goal], kind
    world.close()


def test_extra_reads_are_of_own_records_and_the_catalogue(site: Make) -> None:
    here = site(CANCEL)
    after, again = edits(here, "extra reads")
    more = [step for step in after.steps if step not in CANCEL.reference]
    for call in here.tried(*more):
        assert set(call.subjects) <= {CANCEL.scenario.customer}
    assert calls(again).count("get_order_details") == 2


def test_required_reads_stay(site: Make) -> None:
    for one in edits(site(EXCHANGE), "fewer reads"):
        assert "get_order_details" in calls(one)
        assert len(calls(one)) < len(calls(EXCHANGE))
    assert len(edits(site(EXCHANGE), "fewer reads")) == 3


def test_calls_change_places_only_where_nothing_depends_on_it(site: Make) -> None:
    here = site(EXCHANGE)
    orders = [calls(one) for one in edits(here, "other order of calls")]
    assert orders
    for order in orders:
        assert sorted(order) == sorted(calls(EXCHANGE))
        assert order[0] in DOMAIN.spec.identity


def test_pairs_stay_together_in_another_order(site: Make) -> None:
    found = [one for task in RETAIL.values() for one in edits(site(task), "other order of pairs")]
    assert found
    for one in found:
        right = next(s for s in RETAIL[one.task.id].reference if s.call == one.note)
        other = next(s for s in one.steps if s.call == one.note)
        for name, value in right.arguments.items():
            turned = value[::-1] if isinstance(value, list) else value
            assert other.arguments[name] == turned


def test_details_and_question_stand_apart(site: Make) -> None:
    (one,) = edits(site(CANCEL), "details in two messages")
    assert len(said(one)) == len([s for s in CANCEL.reference if s.say]) + len(
        proposals(site(CANCEL))
    )
    assert "Shall I go ahead?" in said(one)


def test_refused_calls_are_refused_for_their_form(site: Make) -> None:
    here = site(CANCEL)
    found = edits(here, "refused call corrected")
    assert len(found) == 3
    for one in found:
        errors = [call.error for call in here.tried(*one.steps)]
        assert errors.count("bad_arguments") == 1
        assert errors[-1] is None


def test_notes_and_look_ups_stand_between_yes_and_write(site: Make) -> None:
    notes, reads = edits(site(CANCEL), "notes before the write")
    assert calls(notes)[-3:] == ["calculate", "think", "cancel_pending_order"]
    assert set(calls(reads)[-3:-1]) <= {"get_user_details", "get_order_details"}


def test_closing_question_is_left_out_or_asked_by_itself(site: Make) -> None:
    none, alone, one = edits(site(CANCEL), "closing question")
    assert not said(none)[-1].endswith("?")
    assert len(said(alone)) == len(said(none)) + 1
    assert said(one)[-1].count("?") == 1


def test_foreign_record_is_asked_for_looked_up_and_refused(site: Make) -> None:
    (one,) = edits(site(CANCEL), "foreign record refused")
    twist = one.task.scenario.twists[-1]
    assert twist.added is not None
    number = twist.added.slots["order_id"]
    assert number in said(one)[-1]
    assert one.steps[-2].arguments == {"order_id": number}
    assert one.task.goals == CANCEL.goals


def test_identity_is_found_by_the_other_tool(site: Make) -> None:
    (one,) = edits(site(CANCEL), "identity by the other tool")
    assert calls(one)[0] == "find_user_id_by_name_zip"
    assert "zip" in said(one)[0]
    assert "mail" not in said(one)[0]


def test_values_are_respelt_and_mean_the_same(site: Make) -> None:
    here = site(CANCEL)
    spelt = {one.note: " ".join(said(one)) for one in edits(here, "amounts respelt")}
    assert "137.90 dollars" in spelt["{} dollars"]
    assert "USD 137.90" in spelt["USD {}"]
    before = [one.value for step in CANCEL.reference for one in money(step.say)]
    for text in spelt.values():
        assert [one.value for one in money(text)] == before
    bare = edits(here, "ids respelt")[0]
    assert "W1000881" in " ".join(said(bare))
    assert "#W1000881" not in " ".join(said(bare))


def money(text: str) -> list:
    return [one for one in find_literals(text, DOMAIN.lexicon) if one.kind == "money"]


def test_of_overlapping_values_the_longest_is_respelt(site: Make) -> None:
    text = respelt(site(CANCEL), "The 250-piece one, $5.00.", lambda one: f"<{one.text}>")
    assert text == "The <250-piece> one, <$5.00>."


@pytest.mark.parametrize("kind", sorted(REWORDING))
def test_rewording_changes_no_call(site: Make, kind: str) -> None:
    for task in (CANCEL, REFUSE, EXCHANGE):
        for one in edits(site(task), kind):
            assert calls(one) == calls(task)
            assert one.task == task
            assert said(one) != [step.say for step in task.reference if step.say]


def test_sentences_end_where_the_next_begins() -> None:
    text = "Thank you. It is $5.00 at no. 7. Shall I?"
    assert sentences_of(text) == ["Thank you.", "It is $5.00 at no. 7.", "Shall I?"]
