"""Whether a call does what the customer agreed to: its values against what was said.

What was said is searched from the customer's last word backwards through the proposal to the last
refusal; the newest message that speaks of a value decides. A silent value is one that nobody
spoke of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._amounts import amount_failure, charged_for_nothing, pays_nothing
from tau_env.graders._corrected import is_corrected, missed_correction
from tau_env.graders._entries import ISO_DATE, Entries
from tau_env.graders._facts import per_spec
from tau_env.graders._leaves import Leaf, entries_of, leaves
from tau_env.graders._naming import Naming
from tau_env.graders._novelty import Novelty
from tau_env.graders._records import Records
from tau_env.graders._said import phrase
from tau_env.graders._stated import Stated, word_slots
from tau_env.graders._things import Pool, Things, narrowed, recognised
from tau_env.graders._topic import clear_actions
from tau_env.schema import Call, DomainSpec, ToolSpec

_OWN_PAYMENT = re.compile(r" (?:original|same) (?:\w+ ){0,3}(?:payment|method|card|account|way) ")
_OWN_ADDRESS = re.compile(
    r" (?:default|profile|current|existing|usual|home|same) (?:\w+ ){0,2}(?<!mail )address "
    r"|(?<! mail) address (?:on|in) (?:file|your|the) "
)
_STATE = re.compile(r" (?!is |to |of |in |us |at )([a-z]{2}) (?=[0-9]{5} )")


@per_spec
def _writing(spec: DomainSpec) -> frozenset[str]:
    """Verbs of all tools that want a yes."""
    return frozenset(verb for tool in spec.tools.values() if tool.needs_yes for verb in tool.verbs)


@dataclass(slots=True)
class Check:
    """One call held against one agreement.

    `failure` gives the first reason why the call is not what was agreed to, empty if it is;
    `elsewhere` is True if the agreement was about another action or record.
    """

    call: Call
    tool: ToolSpec
    agreement: Agreement
    things: Things
    records: Records
    spec: DomainSpec
    elsewhere: bool = False

    def failure(self) -> str:
        """Compare action, record, values and amounts."""
        self.elsewhere = True
        found = list(leaves(self.call.arguments))
        records = [one for one in found if self._role(one.key) == "record"]
        if not self._speaks_of_action(records) and not self._states_what_is_new(records, found):
            return f"the proposal does not speak of {self.tool.name}"
        for leaf in records:
            reason = self._id_failure(leaf, records)
            if reason:
                return reason
        self.elsewhere = False
        for leaf in found:
            if leaf in records or leaf.in_entry or self._is_customer(leaf) or self._is_idle(leaf):
                continue
            reason = self._leaf_failure(leaf, records, found)
            if reason:
                return reason
        reason = self._entries(records).failure()
        if reason:
            return reason
        missed = missed_correction((leaf.value for leaf in found), self.agreement)
        if missed:
            return f"the customer's correction {missed!r} is not in the call"
        return (
            amount_failure(self.call, self.tool, self.agreement)
            or charged_for_nothing(self.call, self.tool, self.agreement, self.spec.lexicon)
            or self._change_failure(found)
        )

    def _own(self, records: list[Leaf]) -> Mapping[str, Any]:
        """The record that the call changes, as it was shown last."""
        return self.records.get(str(records[0].value)) if records else {}

    def _stated(self, records: list[Leaf]) -> Stated:
        own, strict = self._own(records), self.tool.identifies
        return Stated(self.agreement, self.spec.lexicon, own, strict)

    def _entries(self, records: list[Leaf]) -> Entries:
        return Entries(
            entries_of(self.call.arguments, self._own(records)),
            self.agreement,
            self.things,
            self.records,
            self.spec.lexicon,
            lambda leaf: self._id_failure(leaf, records),
        )

    def _role(self, key: str) -> str:
        slot = self.spec.lexicon.slots.get(key)
        return slot.role if slot else ""

    def _is_customer(self, leaf: Leaf) -> bool:
        return self._role(leaf.key) == "identity" and self.things.is_id(leaf.value)

    def _is_idle(self, leaf: Leaf) -> bool:
        """Whether it names what would pay, and there is nothing to be paid."""
        slot = self.spec.lexicon.slots.get(leaf.key)
        payment = slot is not None and any("payment" in noun for noun in slot.nouns)
        return payment and pays_nothing(self.call, self.tool)

    def _is_date_slot(self, leaf: Leaf) -> bool:
        slot = self.spec.lexicon.slots.get(leaf.key)
        return slot is not None and slot.kind == "date"

    def _speaks_of_action(self, records: list[Leaf]) -> bool:
        verbs = set(self.tool.verbs)
        if not verbs:
            return True
        writing = _writing(self.spec)
        proposals = [one for one in self.agreement.window if one.agent]
        spoken = set[str]().union(*(one.said.actions for one in proposals))
        # Of several records each has its own actions.
        about = self._clear_actions(proposals, records)
        about = about.union(*(one.said.actions - one.said.clear for one in proposals))
        if self.agreement.yes.said.actions & verbs:
            earlier = (*self.agreement.before, *self.agreement.older)
            if any(one.agent and one.said.actions & verbs for one in earlier):
                return True
        if spoken & writing:
            return bool(about & verbs)
        return any(one.said.actions & verbs for one in self.agreement.everything(older=True))

    def _clear_actions(self, messages: Iterable[Spoken], records: list[Leaf]) -> set[str]:
        record, lexicon = str(records[0].value) if records else "", self.spec.lexicon
        return set[str]().union(*(clear_actions(one, record, lexicon) for one in messages))

    def _states_what_is_new(self, records: list[Leaf], found: list[Leaf]) -> bool:
        """Whether the proposal, without a verb, says what the record is to have that it has not."""
        changed = records or [leaf for leaf in found if self._is_customer(leaf)]
        if not changed:
            return False
        owned = self._owned(changed)
        values = [
            leaf
            for leaf in found
            if leaf not in records and leaf.value not in owned and not self._is_customer(leaf)
        ]
        novelty = Novelty(
            self.tool,
            self.agreement,
            self.things,
            self.spec,
            _writing(self.spec),
            self._own(changed),
            lambda leaf: self._naming(leaf).state(self.things.kind(leaf.value)) == "said",
        )
        return novelty.is_stated(changed[0], values, own=not records)

    def _leaf_failure(self, leaf: Leaf, records: list[Leaf], found: list[Leaf]) -> str:
        value = leaf.value
        if self.things.is_id(value):
            return self._id_failure(leaf, records)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._stated(records).number_failure(leaf)
        if not isinstance(value, str) or not phrase(value).strip():
            return ""
        slots = word_slots(leaf, self.spec.lexicon)
        if slots:
            return self._stated(records).word_failure(leaf, slots, found)
        if not leaf.top and self.things.has_trait(value) and not self._is_date_slot(leaf):
            return ""
        if ISO_DATE.fullmatch(value):
            return self._date_failure(leaf, records)
        return self._text_failure(leaf, records, found)

    # ids

    def _id_failure(self, leaf: Leaf, records: list[Leaf]) -> str:
        target = str(leaf.value)
        owned = self._owned(records) if leaf not in records else frozenset[str]()
        pool = self.things.kind(target)
        part = leaf.many and target in owned
        if part:
            pool = narrowed(pool, owned)
        state = self._naming(leaf).state(pool)
        strict = leaf.key in self.tool.identifies or (leaf.top and leaf.many)
        if state == "said":
            return ""
        if part:
            whole = any(one.said.everything for one in (self.agreement.yes, *self.agreement.window))
            if whole or len(pool.ids) == 1 or not (leaf.top or strict):
                return ""
        if state == "wrong":
            return f"{leaf.key} {target} is not what was proposed"
        if not strict and (state == "shared" or target in owned):
            return ""
        if self._only_choice(target, pool, in_entry=leaf.in_entry) or (
            target in owned and self._says(_OWN_PAYMENT)
        ):
            return ""
        return f"{leaf.key} {target} was not identified"

    def _naming(self, leaf: Leaf) -> Naming:
        return Naming(
            leaf,
            self.agreement,
            self.things,
            record=self._role(leaf.key) == "record",
            strict=leaf.key in self.tool.identifies,
        )

    def _owned(self, records: list[Leaf]) -> frozenset[str]:
        """Ids that stand inside the records of the call."""
        holds = [self.things.get(str(one.value)).holds for one in records]
        return holds[0] if len(holds) == 1 else frozenset[str]().union(*holds)

    def _only_choice(self, target: str, pool: Pool, *, in_entry: bool) -> bool:
        """Whether nothing else of its kind is known from results or messages."""
        unseen = in_entry and not self.things.get(target).keys
        known = [one.id for one in pool.things if one.traits or one.holds]
        if known == [target]:
            return True
        texts = [one.said.whole for one in self.agreement.everything()]
        named = [one.id for one in pool.things if any(phrase(one.id) in text for text in texts)]
        return (len(pool.ids) == 1 and not unseen) or named == [target]

    def _says(self, pattern: re.Pattern[str]) -> bool:
        near = (*self.agreement.answers(), *self.agreement.window)
        return any(pattern.search(one.said.whole) for one in near)

    # dates and texts

    def _date_failure(self, leaf: Leaf, records: list[Leaf]) -> str:
        wanted = {leaf.value, f"--{leaf.value[5:]}"}
        if any(wanted & one.said.dates for one in self.agreement.everything(older=True)):
            return ""
        trait = phrase(leaf.value).strip()[5:]
        if any(trait in self.things.get(str(one.value)).traits for one in records):
            return ""
        if any(one.said.dates for one in self.agreement.window if one.agent):
            return f"{leaf.key} {leaf.value} is not what was proposed"
        return ""

    def _text_failure(self, leaf: Leaf, records: list[Leaf], found: list[Leaf]) -> str:
        wanted = phrase(leaf.value)
        near = [*self.agreement.answers(), *self.agreement.window]
        if len(wanted.strip()) <= 3:
            states = {state for one in near for state in _STATE.findall(one.said.whole)}
            wrong = len(wanted.strip()) == 2 and states and wanted.strip() not in states
            return f"{leaf.key} {leaf.value!r} is not what was proposed" if wrong else ""
        if any(wanted in one.said.whole for one in near) or is_corrected(
            leaf.value, self.agreement
        ):
            return ""
        if not leaf.top and any(
            wanted in one.said.whole for one in self.agreement.everything(older=True)
        ):
            return ""
        own = self.things.get(str(records[0].value)) if records else None
        if (
            own
            and wanted.strip() in own.traits
            and (not leaf.top or not any(c.isdigit() for c in wanted))
        ):
            return ""
        if self._says(_OWN_ADDRESS) and self.things.has_trait(leaf.value):
            return ""
        others = [
            phrase(one.value)
            for one in found
            if one.top
            and isinstance(one.value, str)
            and one is not leaf
            and len(one.value) > 3
            and not self.things.is_id(one.value)
        ]
        spoken_of = any(other in one.said.whole for one in near for other in others)
        if not spoken_of and any(wanted in one.said.whole for one in self.agreement.before):
            return ""
        return f"{leaf.key} {leaf.value!r} is not what was proposed"

    # changes

    def _change_failure(self, found: list[Leaf]) -> str:
        """A call that was refused may be corrected in form, not in what was not agreed to.

        An argument that was missing is form: it had no other value.
        """
        refused = self.agreement.refused.get(self.tool.name)
        if refused is None:
            return ""
        names, before = {name for name, _ in refused}, {value for _, value in refused}
        near = (*self.agreement.answers(), *self.agreement.window)
        owned = self._owned([one for one in found if self._role(one.key) == "record"])
        for leaf in found:
            if leaf.key not in names or phrase(leaf.value) in before:
                continue
            if leaf.value in owned and not leaf.top:
                continue
            if not self._is_said(leaf, near):
                return f"{leaf.key} {leaf.value!r} was changed after a refused call"
        return ""

    def _is_said(self, leaf: Leaf, near: tuple[Spoken, ...]) -> bool:
        """Whether a value stands in one of these messages, in any form."""
        if isinstance(leaf.value, int | float) and not isinstance(leaf.value, bool):
            cents = round(abs(leaf.value) * 100)
            return cents == 0 or any(cents in one.said.money for one in near)
        text, slots = phrase(leaf.value), word_slots(leaf, self.spec.lexicon)
        if any(
            text in one.said.whole
            or any(word in slots.get(slot, ()) for slot, word in one.said.words)
            for one in near
        ):
            return True
        if not self.things.is_id(leaf.value):
            return False
        pool = self.things.kind(leaf.value)
        return any(leaf.value in recognised(pool, one.said)[0] for one in near)
