"""The agenda: what the customer still wants, and what a reading of the agent means for it.

After the agenda-based user of Schatzmann et al. 2007 (NAACL-HLT, 149-152): wants are settled one by
one; what the agent says pushes and pops them. No wording here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tau_env.language.reading import Reading
from tau_env.schema import Lexicon, Scenario, Slot, Want

State = Literal["open", "agreed", "done", "refused", "dropped"]
SETTLED: frozenset[State] = frozenset({"done", "refused", "dropped"})
_STREET = re.compile(
    r"\b\d{1,5}\s+(?:[A-Z][\w.'-]*\s+){1,4}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|"
    r"Boulevard|Blvd|Way|Place|Pl|Terrace|Circle)\b"
)


@dataclass
class Item:
    """A want on the agenda.

    Attributes:
        want: the want; a twist may put another in its place.
        state: how far it is.
        raised: whether the customer has said it.
        insisted: whether the customer has insisted after a refusal.
    """

    want: Want
    state: State = "open"
    raised: bool = False
    insisted: bool = False

    @property
    def is_write(self) -> bool:
        """Whether it asks for something to be done, not for information."""
        return self.want.do != "ask"


@dataclass(frozen=True, slots=True)
class Objection:
    """A value of the agent that contradicts what the customer knows."""

    slot: str
    right: str


def values_of(want: Want, slot: str) -> tuple[str, ...]:
    """The values that a want has for a slot."""
    found = want.slots.get(slot, ())
    return (found,) if isinstance(found, str) else found


class Agenda:
    """The customer's wants in order, matched against readings."""

    def __init__(self, scenario: Scenario, lexicon: Lexicon) -> None:
        """Put the scenario's wants on the agenda; the opening raises the first."""
        self.scenario = scenario
        self.lexicon = lexicon
        self.items = [Item(want) for want in scenario.wants]
        self.items[0].raised = True
        self._records = [name for name, slot in lexicon.slots.items() if slot.role == "record"]

    def add(self, want: Want) -> None:
        """Put one more want at the end."""
        self.items.append(Item(want))

    def in_state(self, *states: State) -> list[Item]:
        """Items in these states, in order."""
        return [item for item in self.items if item.state in states]

    @property
    def settled(self) -> bool:
        """Whether nothing is open or waiting to be done."""
        return all(item.state in SETTLED for item in self.items)

    @property
    def unraised(self) -> Item | None:
        """The next want that the customer has not said yet."""
        return next((item for item in self.items if not item.raised and item.state == "open"), None)

    def matching(self, reading: Reading, actions: Iterable[str], items: list[Item]) -> list[Item]:
        """The items that a message with these actions speaks of.

        An item matches if its action is among them (or none is named) and the message names its
        record (or none). Where several match and a record is named, the record decides.
        """
        wanted = set(actions)
        records = self.records(reading)
        return [
            item
            for item in items
            if (not wanted or item.want.do in wanted)
            and (not records or not self.records_of(item) or self.records_of(item) & records)
        ]

    def records(self, reading: Reading) -> set[str]:
        """Ids of records that a message names."""
        return {
            str(one.value)
            for one in reading.literals
            if one.kind == "id" and one.slot in self._records
        }

    def records_of(self, item: Item) -> frozenset[str]:
        """Ids of the records that a want speaks of."""
        return frozenset(value for slot in self._records for value in values_of(item.want, slot))

    def foreign_records(self, reading: Reading) -> list[str]:
        """Records that a message names and no want speaks of."""
        own = {record for item in self.items for record in self.records_of(item)}
        facts = {fact.value for fact in self.scenario.facts.values()}
        return sorted(self.records(reading) - own - facts)

    def objections(self, reading: Reading, items: list[Item]) -> Iterator[Objection]:
        """Values in a message that contradict the scenario; silence and unknowns do not."""
        slots: dict[str, list[str]] = {}
        for item in items:
            for name in item.want.slots:
                slots.setdefault(name, []).extend(values_of(item.want, name))
        for name, fact in self.scenario.facts.items():
            slot = self.lexicon.slots.get(name)
            if name not in slots and slot is not None and slot.kind in ("email", "money"):
                slots[name] = [fact.value]
        for name, right in slots.items():
            slot = self.lexicon.slots.get(name)
            if slot is not None and name not in self._records:
                if slot.kind == "text" and not all(_STREET.search(value) for value in right):
                    continue
                said = _said(reading, name, slot)
                if said and not said & {_fold(value, slot) for value in right}:
                    yield Objection(name, right[0])

    def answered(self, reading: Reading, item: Item) -> bool:
        """Whether a message answers an ``ask`` want: it holds a value of the expected kind."""
        expects = item.want.expects
        records = self.records(reading)
        own = self.records_of(item)
        if records and own and not records & own:
            return False
        known = {fact.value for fact in self.scenario.facts.values()}
        known |= {value for name in item.want.slots for value in values_of(item.want, name)}
        for one in reading.literals:
            if str(one.value) in known or one.text in known:
                continue
            money = expects == "money" and one.kind == "number" and "." in str(one.value)
            if one.kind == expects or (one.kind == "word" and one.slot == expects) or money:
                return True
        return False


def _said(reading: Reading, name: str, slot: Slot) -> set[str]:
    if slot.kind == "word":
        return {str(value) for value in reading.values("word", name)}
    if slot.kind == "email":
        return {str(value).lower() for value in reading.values("email")}
    if slot.kind == "zip":
        return {str(value) for value in reading.values("zip")}
    if slot.kind == "money":
        return {str(value) for value in reading.values("money")}
    if slot.kind == "id":
        return {str(value) for value in reading.values("id", name)}
    if slot.kind == "text":
        # Only what has the form of a street address can be recognised in free text.
        return {" ".join(found.split()).lower() for found in _STREET.findall(reading.text)}
    return set()


def _fold(value: str, slot: Slot) -> str:
    if slot.kind == "money":
        digits = re.sub(r"[^\d.]", "", value)
        return str(round(float(digits) * 100)) if digits else value
    if slot.kind == "text":
        # Compared as a street: what follows the street's name is not in the match.
        found = _STREET.search(value)
        return " ".join((found.group() if found else value).split()).lower()
    return value.lower() if slot.kind == "email" else value
