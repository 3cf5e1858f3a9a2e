"""Spoiling edits: what each of them does to a reference, and where it does not apply."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tau_env import content
from tau_env.agents.mistakes import CLAIM
from tau_env.agents.site import Edited, Site
from tau_env.agents.spoiling import RECITED, SPOILING
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Step, Task

RETAIL = content.tasks("retail")
DOMAIN = find_domain("retail")
CANCEL = RETAIL["retail-cancel-pending-001"]
REFUSE = RETAIL["retail-cancel-pending-002"]
ADDRESS = RETAIL["retail-shipping-address-001"]

Make = Callable[[Task], Site]


@pytest.fixture
def site() -> Iterator[Make]:
    world = DOMAIN.open()
    yield lambda task: Site(task, DOMAIN.spec, tuple(RETAIL.values()), domain=DOMAIN, world=world)
    world.close()


def edits(site: Site, kind: str) -> list[Edited]:
    return list(SPOILING[kind](site))


def calls(edited: Edited) -> list[str]:
    return [step.call for step in edited.steps if step.call]


def added(edited: Edited, task: Task) -> list[Step]:
    bare = [step.model_copy(update={"after": ""}) for step in task.reference]
    return [step for step in edited.steps if step not in bare]


def test_write_is_dropped_or_made_twice(site: Make) -> None:
    (dropped,) = edits(site(CANCEL), "write dropped")
    assert "cancel_pending_order" not in calls(dropped)
    (twice,) = edits(site(CANCEL), "write repeated")
    assert calls(twice).count("cancel_pending_order") == 2
    assert [twice.steps[at].call for at in twice.must] == ["cancel_pending_order"] * 2


def test_every_argument_but_the_record_gets_a_wrong_value(site: Make) -> None:
    found = edits(site(ADDRESS), "wrong value")
    names = {one.note.split()[1].split("=")[0] for one in found}
    assert {"address1", "address2", "city", "state", "zip"} <= names
    assert "order_id" not in names
    for one in found:
        (wrong,) = [step for step in added(one, ADDRESS) if step.call]
        right = next(step for step in ADDRESS.reference if step.call == wrong.call)
        assert sum(wrong.arguments[name] != right.arguments[name] for name in right.arguments) == 1


def test_wrong_record_is_not_the_right_one(site: Make) -> None:
    found = edits(site(ADDRESS), "wrong record")
    assert found
    right = next(s for s in ADDRESS.reference if s.call == "modify_pending_order_address")
    for one in found:
        (wrong,) = [step for step in one.steps if step.call == right.call]
        assert wrong.arguments["order_id"] != right.arguments["order_id"]


def test_extra_write_concerns_another_customer_and_goes_through(site: Make) -> None:
    here = site(CANCEL)
    for one in edits(here, "extra write"):
        (extra,) = added(one, CANCEL)
        (call,) = here.tried(extra)
        assert call.error is None
        assert CANCEL.scenario.customer not in call.subjects


def test_undone_writes_leave_what_the_reference_leaves(site: Make) -> None:
    here = site(ADDRESS)
    goal = here.left(*ADDRESS.reference)
    undone = edits(here, "wrong write, undone") + edits(here, "extra write, undone")
    assert len(undone) > 3
    for one in undone:
        assert here.left(*one.steps) == goal


def test_identity_reads_and_questions_are_left_out(site: Make) -> None:
    here = site(CANCEL)
    for one in edits(here, "identity skipped"):
        assert not set(calls(one)) & set(DOMAIN.spec.identity)
    (blind,) = edits(here, "all reads skipped")
    assert "get_order_details" not in calls(blind)
    (skipped,) = edits(here, "required read skipped")
    assert "get_order_details" not in calls(skipped)
    (mute,) = edits(site(ADDRESS), "no question asked")
    assert not any("proceed?" in step.say for step in mute.steps)
    assert calls(mute)[-1] == "modify_pending_order_address"


def test_customer_says_no_or_drops_it(site: Make) -> None:
    found = edits(site(ADDRESS), "write after a no")
    kinds = [one.task.scenario.twists[0].kind for one in found]
    assert kinds == ["declines", "changes_mind"]
    assert all("modify_pending_order_address" in calls(one) for one in found)


def test_told_values_are_another_customers(site: Make) -> None:
    here = site(CANCEL)
    own = "".join(call.result for _, call in here.own_reads)
    found = edits(here, "another's data told")
    assert {one.note for one in found} >= {"id", "street", "amount", "whose it is"}
    for one in (one for one in found if one.note != "whose it is"):
        told = one.steps[one.must[0] + 1].say.rpartition("another customer has ")[2].rstrip(".")
        read = here.tried(one.steps[one.must[0]])[0]
        if told.startswith("$"):
            told = str(float(told[1:].replace(",", "")))  # as JSON has it
        assert told in read.result
        assert told not in own


def test_silence_claims_and_recitations(site: Make) -> None:
    here = site(CANCEL)
    (silent,) = edits(here, "no word after")
    assert silent.steps[-1].call == "cancel_pending_order"
    at_once, later = edits(here, "claim only")
    assert at_once.steps == (Step(say=CLAIM),)
    assert "cancel_pending_order" not in calls(later)
    beside, instead = edits(here, "numbers recited")
    assert RECITED in beside.steps[-1].say
    assert "$137.90" in beside.steps[-1].say
    assert not any("$137.90" in step.say for step in instead.steps)
    assert (RECITED.split()[0], RECITED.split()[-1]) == ("0", "9999")


def test_hand_over_is_forbidden_where_the_reference_has_none(site: Make) -> None:
    for task in (CANCEL, REFUSE):
        found = edits(site(task), "forbidden call")
        assert "transfer_to_human_agents" in {step for one in found for step in calls(one)}
    transfer = next(task for task in RETAIL.values() if task.kind == "transfer")
    assert edits(site(transfer), "forbidden call") == []


def test_kinds_that_need_a_write_do_not_apply_without_one(site: Make) -> None:
    here = site(REFUSE)
    for kind in (
        "write dropped",
        "write repeated",
        "wrong value",
        "wrong record",
        "wrong write, undone",
        "no question asked",
        "write after a no",
        "no word after",
    ):
        assert edits(here, kind) == []


@pytest.mark.parametrize("domain", domain_names())
def test_spoiled_steps_differ_from_the_reference_and_have_no_guard(domain: str) -> None:
    found = find_domain(domain)
    tasks = tuple(content.tasks(domain).values())
    world = found.open()
    for task in tasks[::9]:
        here = Site(task, found.spec, tasks, domain=found, world=world)
        bare = tuple(step.model_copy(update={"after": ""}) for step in task.reference)
        for kind in SPOILING:
            for one in edits(here, kind):
                assert one.steps != bare or one.task != task
                assert not any(step.after for step in one.steps)
                assert all(one.steps[at].call for at in one.must)
    world.close()
