"""What a message means for the agenda: reports, answers, proposals. It says nothing itself."""

from __future__ import annotations

from tau_env.language.reading import ActKind, Reading
from tau_env.users.agenda import Agenda, Item, State, values_of

ASKING: tuple[ActKind, ...] = ("asks_identity", "asks_record", "asks_detail")
PROPOSING: tuple[ActKind, ...] = ("proposes", "asks_confirmation")


def hear_report(agenda: Agenda, reading: Reading) -> None:
    """Settle what the agent says is done.

    What the customer agreed to comes first. Something that it never agreed to counts as done only
    if the report names the action and asks for no yes.
    """
    if not reading.has("reports_done"):
        return
    actions = reading.actions("reports_done")
    waiting = agenda.in_state("agreed")
    done = agenda.matching(reading, actions, waiting)
    if not done and not actions:
        done = waiting
    if not done and actions and not reading.has("asks_confirmation"):
        raised = [item for item in agenda.in_state("open") if item.raised and item.is_write]
        done = agenda.matching(reading, actions, raised)
    for item in done:
        item.state = "done"


def hear_information(agenda: Agenda, reading: Reading) -> None:
    """Settle the questions that a message answers."""
    for item in agenda.in_state("open"):
        if not item.is_write and item.raised and agenda.answered(reading, item):
            item.state = "done"


def refused_items(agenda: Agenda, reading: Reading, agreed: list[Item]) -> list[Item]:
    """The items that a message refuses.

    A refusal beside a question for identity or record is a condition, not a refusal.
    """
    if not reading.has("refuses") or reading.has("asks_identity", "asks_record"):
        return []
    raised = [item for item in agenda.in_state("open", "agreed") if item.raised]
    items = agenda.matching(reading, reading.actions("refuses"), raised)
    if not items and len(raised) == 1 and not agenda.foreign_records(reading):
        items = raised
    return [item for item in items if item not in agreed]


def reads_back_identity(agenda: Agenda, reading: Reading) -> bool:
    """Whether a message only checks who the customer is, and proposes nothing."""
    if reading.has("proposes") or reading.actions("asks_confirmation"):
        return False
    if reading.values("email"):
        return True
    if agenda.records(reading):
        return False
    text = reading.text.lower()
    slots = agenda.lexicon.slots
    return any(
        name in slots and slots[name].role == "identity" and fact.value.lower() in text
        for name, fact in agenda.scenario.facts.items()
    )


def proposal_in(agenda: Agenda, reading: Reading, pending: Reading | None) -> Reading | None:
    """What is proposed: this message, or the last proposal where it only asks for a yes.

    Returns:
        None where the question for a yes is about nothing that was proposed.
    """
    if reading.has("proposes") or reading.actions("asks_confirmation"):
        return reading
    if reads_back_identity(agenda, reading):
        return None
    if agenda.records(reading):
        return reading
    if pending is None:
        return None
    return Reading(
        text=f"{pending.text}\n{reading.text}",
        sentences=pending.sentences + reading.sentences,
        acts=pending.acts + reading.acts,
        literals=pending.literals + reading.literals,
    )


def proposed_items(agenda: Agenda, content: Reading) -> list[Item]:
    """The items that a proposal speaks of; none if that is unclear.

    A refused want may be proposed after all.
    """
    actions = content.actions(*PROPOSING)
    groups: tuple[tuple[State, ...], ...] = (("open", "agreed"), ("refused",))
    for states in groups:
        writes = [item for item in agenda.in_state(*states) if item.is_write]
        items = agenda.matching(content, actions, writes)
        if len(items) > 1 and not agenda.records(content):
            items = _unambiguous(agenda, items, actions)
        if items:
            return items
    return []


def _unambiguous(agenda: Agenda, items: list[Item], actions: tuple[str, ...]) -> list[Item]:
    """Several items without a named record: those raised, if they are about one record."""
    raised = [item for item in items if item.raised]
    if not actions and len(raised) != 1:
        return []
    return raised if len({agenda.records_of(item) for item in raised}) <= 1 else []


def asks_before_yes(agenda: Agenda, reading: Reading, items: list[Item]) -> bool:
    """Whether a proposal still asks for something that the customer can tell, and for no yes."""
    if reading.has("asks_confirmation") or not reading.has("asks_detail"):
        return False
    asked = {slot for act in reading.acts if act.kind in ASKING for slot in act.slots}
    known = {slot for item in items for slot in item.want.slots} | set(agenda.scenario.facts)
    return bool(asked & known) or not asked


def unwanted(agenda: Agenda, content: Reading) -> bool:
    """Whether a proposal that no want matches is clearly about something else."""
    actions = set(content.actions(*PROPOSING))
    wanted = {item.want.do for item in agenda.items}
    return bool(actions) and (not actions & wanted or bool(agenda.foreign_records(content)))


def values_wanted(items: list[Item], slot: str) -> str:
    """The values of items for a slot, joined as the customer would; empty if there are none."""
    values = [value for item in items for value in values_of(item.want, slot)]
    return " and ".join(dict.fromkeys(values))
