"""Closed words and counted things of a call against what was said: the newest message decides.

What the record has already needs no word, and neither does what is left out: no insurance, no bag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._leaves import Leaf
from tau_env.graders._said import phrase
from tau_env.language.cache import per_lexicon
from tau_env.schema import Lexicon

Slots = Mapping[str, set[str]]
"""Slots with those of their canonical words that a value is."""


@per_lexicon
def _vocabulary(lexicon: Lexicon) -> dict[str, dict[str, set[str]]]:
    """Closed words by their phrase: slot -> canonical forms."""
    words: dict[str, dict[str, set[str]]] = {}
    for name, slot in lexicon.slots.items():
        for word in slot.words:
            words.setdefault(phrase(word), {}).setdefault(name, set()).add(word)
    return words


def word_slots(leaf: Leaf, lexicon: Lexicon) -> Slots:
    """Slots whose vocabulary holds a value, with its canonical forms."""
    named = lexicon.slots.get(leaf.key)
    slots = _vocabulary(lexicon).get(phrase(leaf.value), {})
    if named is None or not named.words:
        return slots
    return {leaf.key: slots[leaf.key]} if leaf.key in slots else {}


@dataclass(frozen=True, slots=True)
class Stated:
    """The words and numbers of one call held against one agreement.

    Attributes:
        agreement: the proposal and the yes.
        lexicon: the domain's words.
        own: the record that the call changes, as it was shown last.
        strict: arguments that have to be stated whatever they are.
    """

    agreement: Agreement
    lexicon: Lexicon
    own: Mapping[str, Any]
    strict: tuple[str, ...]

    def word_failure(self, leaf: Leaf, slots: Slots, found: Sequence[Leaf]) -> str:
        """Why a closed word is not what was agreed to; empty if it is.

        Args:
            leaf: the value.
            slots: its slots.
            found: all values of the call.
        """
        words = _vocabulary(self.lexicon)
        # "From A to B" leaves A behind, unless the call wants a value for each of them.
        twofold = any(
            one.key != leaf.key
            and one.top
            and not slots.keys().isdisjoint(words.get(phrase(one.value), {}))
            for one in found
        )

        def takes(one: Spoken) -> bool | None:
            said = one.said if twofold else one.said.aim
            words = [word for word in said.words if word[0] in slots]
            return any(value in slots[slot] for slot, value in words) if words else None

        return self._newest(leaf, takes)

    def number_failure(self, leaf: Leaf) -> str:
        """The same of a number of things that messages count; other numbers follow from rules."""
        slot = self.lexicon.slots.get(leaf.key)
        if slot is None or slot.kind != "number":
            return ""
        before = self.own.get(leaf.key)

        def takes(one: Spoken) -> bool | None:
            counted = one.said.counted.get(leaf.key)
            return None if counted is None else counted.fits(leaf.value, before)

        return self._newest(leaf, takes)

    def _newest(self, leaf: Leaf, takes: Callable[[Spoken], bool | None]) -> str:
        """Let the newest message that speaks of a value decide.

        Args:
            leaf: the value.
            takes: whether a message has it; None where it speaks of nothing of the kind.
        """
        for one in (*self.agreement.answers(), *self.agreement.window):
            taken = takes(one)
            if taken is not None:
                return "" if taken else f"{leaf.key} {leaf.value!r} is not what was proposed"
        earlier = list(self.agreement.everything(older=True))
        before = self.own.get(leaf.key)
        if before == leaf.value or any(takes(one) for one in earlier):
            return ""
        wished = any(takes(one) is False for one in earlier if not one.agent)
        adds = leaf.value == "yes" or (isinstance(leaf.value, int) and leaf.value > 0)
        if adds or wished or before is not None or leaf.key in self.strict:
            return f"{leaf.key} {leaf.value!r} was not stated"
        return ""
