"""Whether a proposal that names no action says what a record is to have that it has not.

"Order: #W1, new address: ..." needs no verb; where an action is named clearly, that one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._corrected import is_corrected
from tau_env.graders._entries import ISO_DATE
from tau_env.graders._leaves import Leaf
from tau_env.graders._said import phrase
from tau_env.graders._stated import Slots, word_slots
from tau_env.graders._things import Things
from tau_env.graders._topic import names_object, only_stays, part_about
from tau_env.schema import DomainSpec, ToolSpec


@dataclass(frozen=True, slots=True)
class Novelty:
    """One call's values held against what the agreement says without a clear verb.

    Attributes:
        tool: the tool that is called.
        agreement: the proposal and the yes.
        things: what results have shown.
        spec: the domain.
        writing: verbs of all tools that want a yes.
        before: the changed record as it was shown last.
        is_said: whether the agreement names the id of a value.
    """

    tool: ToolSpec
    agreement: Agreement
    things: Things
    spec: DomainSpec
    writing: frozenset[str]
    before: Mapping[str, Any]
    is_said: Callable[[Leaf], bool]

    def is_stated(self, changed: Leaf, values: Sequence[Leaf], *, own: bool) -> bool:
        """Whether any value of the call is new to the record and stated.

        Args:
            changed: names what is changed: a record, or the customer.
            values: the values that the record does not hold.
            own: whether it is the customer, whose profile then has to be named.
        """
        record = "" if own else str(changed.value)
        scope = self._scope()
        window = [part_about(one, self.tool, record, self.spec) for one in scope]
        near = (*self.agreement.answers(), *window)
        proposals = [new for new, old in zip(window, scope, strict=True) if _proposes(old)]
        if any(map(self._names_another, (*self.agreement.answers(), *proposals))):
            return False
        if only_stays(changed.value, near):
            return False
        if own and not names_object(self.tool, near, self.spec):
            return False
        traits = self.things.get(str(changed.value)).traits
        return any(self._is_new(leaf, near, traits, own=own) for leaf in values)

    def _scope(self) -> tuple[Spoken, ...]:
        """The proposal; with what came before where it only points back: "as described"."""
        window = self.agreement.window
        asked = [one.said for one in window if one.agent]
        if any(said.actions or said.ids or said.money or said.dates for said in asked):
            return window
        return (*window, *self.agreement.before)

    def _names_another(self, one: Spoken) -> bool:
        clear = one.said.clear
        return bool(clear & self.writing) and clear.isdisjoint(self.tool.verbs)

    def _is_new(
        self, leaf: Leaf, near: Sequence[Spoken], traits: frozenset[str], *, own: bool
    ) -> bool:
        slots = word_slots(leaf, self.spec.lexicon)
        if slots:
            changes = self.before.get(leaf.key, leaf.value) != leaf.value
            return changes and _is_aimed(slots, near)
        if self.things.is_id(leaf.value):
            # What pays may be named beside any change.
            verbless = not any(one.said.actions & self.writing for one in near)
            return verbless and self.is_said(leaf)
        if isinstance(leaf.value, int | float):
            number, cents = int(leaf.value), round(leaf.value * 100)
            counted = [one.said.counted.get(leaf.key) for one in near]
            told = own and any(one.agent and cents in one.said.money for one in near)
            return told or any(one is not None and one.fits(number) for one in counted)
        if not isinstance(leaf.value, str):
            return False
        text = phrase(leaf.value)
        said = any(one.agent and text in one.said.aim.whole for one in near)
        known = text.strip()[5:] if ISO_DATE.fullmatch(leaf.value) else text.strip()
        new = len(text.split()) > 1 and known not in traits
        return new and (said or is_corrected(leaf.value, self.agreement))


def _proposes(one: Spoken) -> bool:
    """Whether a message is an agent's and proposes something."""
    return not one.said.acts.isdisjoint(("proposes", "asks_confirmation"))


def _is_aimed(slots: Slots, near: Sequence[Spoken]) -> bool:
    """Whether the agent proposes a word: as what is to come, not as what is left."""
    return any(
        one.agent and any(word in slots.get(slot, ()) for slot, word in one.said.aim.words)
        for one in near
    )
