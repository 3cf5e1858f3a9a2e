"""What a reading of a text is: acts, literals and replies, as plain frozen records.

No parsing here; `literals`, `acts` and `replies` fill these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Choice

ActKind = Choice[
    "asks_identity",
    "asks_record",
    "asks_detail",
    "proposes",
    "asks_confirmation",
    "reports_done",
    "refuses",
    "offers_transfer",
    "informs",
    "asks_more",
    "holding",
]
LiteralKind = Choice["id", "email", "name", "zip", "money", "number", "date", "word"]


@dataclass(frozen=True, slots=True)
class Literal:
    """A value found in a text.

    Attributes:
        kind: what it is.
        value: canonical: money in cents (int), a number as a decimal text without trailing
            zeros, a date as ISO text (``--07-04`` where no year is given), ids, e-mails and zips
            as written, a name in lower case, a closed word as its vocabulary value.
        text: as it stands in the text.
        start: offset of its first character.
        end: offset after its last character.
        slot: for ids and closed words: the lexicon slot; empty otherwise.
    """

    kind: LiteralKind
    value: int | str
    text: str
    start: int
    end: int
    slot: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that an agent's message does.

    Attributes:
        kind: the act.
        sentence: index of the sentence (or list item) that does it.
        slots: for the asking acts: lexicon slots that are asked for (may be empty: unclear).
        actions: for ``proposes``, ``asks_confirmation``, ``reports_done`` and ``refuses``: lexicon
            verbs that it speaks of (may be empty).
        maybe: for ``proposes`` and ``asks_confirmation`` whose words leave open which action is
            meant ("change it"): all that may be.
    """

    kind: ActKind
    sentence: int
    slots: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One parse of an agent's message, for users and graders alike.

    Attributes:
        text: the message.
        sentences: its sentences and list items, in order.
        acts: what it does, in order.
        literals: the values in it, in order.
        kinds: the kinds of its acts.
    """

    text: str
    sentences: tuple[str, ...]
    acts: tuple[Act, ...]
    literals: tuple[Literal, ...]
    kinds: frozenset[ActKind] = field(init=False)

    def __post_init__(self) -> None:
        """Work out the kinds once: they are asked for many times."""
        object.__setattr__(self, "kinds", frozenset(act.kind for act in self.acts))

    def has(self, *kinds: ActKind) -> bool:
        """Whether it does any of these acts."""
        return not self.kinds.isdisjoint(kinds)

    def actions(self, *kinds: ActKind) -> tuple[str, ...]:
        """Lexicon verbs of its acts of these kinds, each once, in order."""
        found = (verb for act in self.acts if act.kind in kinds for verb in act.actions)
        return tuple(dict.fromkeys(found))

    def possible_actions(self, *kinds: ActKind) -> tuple[str, ...]:
        """Lexicon verbs that its acts of these kinds may mean besides `actions`."""
        found = (verb for act in self.acts if act.kind in kinds for verb in act.maybe)
        return tuple(dict.fromkeys(found))

    def asked(self) -> tuple[str, ...]:
        """Slots that it asks for, each once, in order."""
        found = (slot for act in self.acts for slot in act.slots)
        return tuple(dict.fromkeys(found))

    def values(self, kind: LiteralKind, slot: str | None = None) -> tuple[int | str, ...]:
        """Values of a kind (and slot), each once, in order."""
        found = (
            one.value
            for one in self.literals
            if one.kind == kind and (slot is None or one.slot == slot)
        )
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Reply:
    """One parse of a customer's message as an answer to a proposal.

    Attributes:
        kind: ``yes`` (agrees to all of it), ``yes_but`` (agrees, with a changed value or to a part
            only), ``no`` (refuses), ``withdrawn`` (a counter-question or a new request instead of
            an answer), ``none`` (nothing of the kind: thanks, a fact, silence).
        option: the chosen option's number, from 1, where it chose one of several; 0 otherwise.
        literals: the values that it names.
        excluded: literals that it says it does not want ("yes, but not #W2").
    """

    kind: Choice["yes", "yes_but", "no", "withdrawn", "none"]
    option: int = 0
    literals: tuple[Literal, ...] = ()
    excluded: tuple[Literal, ...] = ()
