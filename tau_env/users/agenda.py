"""The agenda: what the customer still wants, and what a reading of the agent means for it.

After the agenda-based user of Schatzmann et al. 2007 (NAACL-HLT, 149-152): wants are settled one by
one; what the agent says pushes and pops them. No wording here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tau_env.language.cache import per_lexicon
from tau_env.language.reading import Reading
from tau_env.schema import Lexicon, Scenario, Want
from tau_env.users.values import names

State = Literal["open", "agreed", "done", "refused", "dropped"]
SETTLED: frozenset[State] = frozenset({"done", "refused", "dropped"})


@dataclass
class Item:
    """A want on the agenda.

    Attributes:
        want: the want; a twist may put another in its place.
        state: how far it is.
        raised: whether the customer has said it.
        insisted: whether the customer has insisted after a refusal.
        consented: whether the customer ever agreed to it.
        restated: how often the customer has said it again because it was asked what it wants.
    """

    want: Want
    state: State = "open"
    raised: bool = False
    insisted: bool = False
    consented: bool = False
    restated: int = 0

    @property
    def is_write(self) -> bool:
        """Whether it asks for something to be done, not for information."""
        return self.want.do != "ask"


def values_of(want: Want, slot: str) -> tuple[str, ...]:
    """The values that a want has for a slot."""
    found = want.slots.get(slot, ())
    return (found,) if isinstance(found, str) else found


@per_lexicon
def record_slots(lexicon: Lexicon) -> tuple[str, ...]:
    """Names of the slots that say which record is meant."""
    return tuple(name for name, slot in lexicon.slots.items() if slot.role == "record")


@per_lexicon
def part_slots(lexicon: Lexicon) -> frozenset[str]:
    """Names of the slots that say which thing of a record is meant."""
    parts = set(lexicon.nouns.get("part", ()))
    return frozenset(
        name
        for name, slot in lexicon.slots.items()
        if slot.kind == "text" and parts.intersection(slot.nouns)
    )


def _bare(value: int | str) -> str:
    """An id as it is compared: "#W1" and "W1" are the same record."""
    return str(value).lstrip("#")


@per_lexicon
def place_slots(lexicon: Lexicon) -> frozenset[str]:
    """Names of the slots that share their words with another: from one place to another."""
    slots = [(name, slot.words) for name, slot in lexicon.slots.items() if slot.words]
    return frozenset(
        name for name, words in slots for other, same in slots if name != other and words == same
    )


class Agenda:
    """The customer's wants in order, matched against readings."""

    def __init__(self, scenario: Scenario, lexicon: Lexicon) -> None:
        """Put the scenario's wants on the agenda; the opening raises the first."""
        self.scenario = scenario
        self.lexicon = lexicon
        self.items = [Item(want) for want in scenario.wants]
        self.items[0].raised = True
        self._records = record_slots(lexicon)

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

    @property
    def current(self) -> Item | None:
        """The want that the conversation is about: the first one said and still open."""
        return next((item for item in self.items if item.raised and item.state == "open"), None)

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
        """Ids of records that a message names, without marks around them."""
        return {
            _bare(one.value)
            for one in reading.literals
            if one.kind == "id" and one.slot in self._records
        }

    def records_of(self, item: Item) -> frozenset[str]:
        """Ids of the records that a want speaks of."""
        return frozenset(
            _bare(value) for slot in self._records for value in values_of(item.want, slot)
        )

    def details_of(self, item: Item) -> list[str]:
        """Slots of a want that are no record."""
        return [slot for slot in item.want.slots if slot not in self._records]

    def details_named(self, item: Item, reading: Reading) -> list[str]:
        """Slots of a want, records aside, of which a message names a value of the customer's."""
        return [
            slot
            for slot in self.details_of(item)
            if any(
                names(self.lexicon, reading, slot, value) for value in values_of(item.want, slot)
            )
        ]

    def details_open(self, item: Item, reading: Reading) -> list[str]:
        """Slots of a want, records aside, of which a message names any word: "card or PayPal?"."""
        spoken_of = {one.slot for one in reading.literals if one.kind == "word"}
        return [slot for slot in self.details_of(item) if slot in spoken_of]

    def foreign_records(self, reading: Reading) -> list[str]:
        """Records that a message names and no want speaks of, as written.

        To a customer who only describes the record of a want, by what it holds, none is foreign.
        """
        if any(self._described(item) for item in self.items):
            return []
        own = {record for item in self.items for record in self.records_of(item)}
        own |= {_bare(fact.value) for fact in self.scenario.facts.values()}
        named = (str(one.value) for one in reading.literals if one.slot in self._records)
        return list(dict.fromkeys(value for value in named if _bare(value) not in own))

    def _described(self, item: Item) -> bool:
        """Whether a want names no record, but a thing that is part of one, or places."""
        parts = part_slots(self.lexicon) | place_slots(self.lexicon)
        return item.is_write and not self.records_of(item) and not parts.isdisjoint(item.want.slots)

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
