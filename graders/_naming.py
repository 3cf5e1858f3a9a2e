"""How the messages of an agreement name the thing that a call's value points to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._leaves import Leaf
from tau_env.graders._said import phrase
from tau_env.graders._things import Pool, Things, narrowed, recognised

State = Literal["said", "shared", "wrong", "silent"]


@dataclass(frozen=True, slots=True)
class _Mention:
    """What one message makes of the target: by id or description, alone or with others.

    Attributes:
        alone: the target is named, and nothing else could be meant.
        several: ids that the description of the target fits.
        others: other ids of its kind that the message names or describes.
        literal: whether one of the others stands there as an id.
    """

    alone: bool = False
    several: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Naming:
    """The question how an agreement names one value of a call.

    Attributes:
        leaf: the value, an id.
        agreement: the messages.
        things: what results have shown.
        record: whether it names the customer's record.
        strict: whether a proposal must identify it.
    """

    leaf: Leaf
    agreement: Agreement
    things: Things
    record: bool
    strict: bool

    def state(self, pool: Pool) -> State:
        """How the newest message that speaks of the kind takes the target.

        Args:
            pool: the things that could be meant.

        Returns:
            ``said``: it is meant. ``shared``: it or others of the pool. ``wrong``: another one.
            ``silent``: no message speaks of the kind.
        """
        found: State = "silent"
        listed = False
        recent = len(self.agreement.later) + 1 + len(self.agreement.window)
        for place, one in enumerate(self.agreement.everything(older=not self.strict)):
            if place >= recent and listed and self.leaf.many and self.leaf.top:
                return "wrong"
            answer = place <= len(self.agreement.later)
            if answer and self._is_excluded(one):
                return "wrong"
            if one.reply and one.reply.kind == "no":
                continue
            mention = self._mention(one, pool, answer=answer)
            if mention.alone:
                return "said"
            if mention.several:
                # What is listed has to be told where it is agreed to.
                found = "shared" if place < recent or not self.leaf.in_entry else found
                pool = narrowed(pool, mention.several)
                continue
            listed = listed or (one.agent and bool(mention.others))
            if self._contradicts(one, mention, answer=answer):
                return "wrong"
        return found

    def _is_excluded(self, one: Spoken) -> bool:
        return one.reply is not None and any(
            literal.value == self.leaf.value for literal in one.reply.excluded
        )

    def _mention(self, one: Spoken, pool: Pool, *, answer: bool) -> _Mention:
        target = str(self.leaf.value)
        said = one.said if self.leaf.many or self.record else one.said.aim
        if phrase(target) in said.whole:
            return _Mention(alone=True)
        named = self.things.written(said) & pool.ids
        named |= {value for slot, value in said.ids if slot == self.leaf.key}
        if answer and one.reply:
            named -= {str(literal.value) for literal in one.reply.excluded}
        if self.record and named:
            return _Mention(others=named, literal=True)
        alone, several = recognised(pool, said)
        if named and self.leaf.in_entry:
            # Beside ids that are written out, what fits several belongs to these.
            several = frozenset()
        if target in alone:
            return _Mention(alone=True)
        if target in several:
            return _Mention(several=several)
        others = named if self.record else named | alone | several
        return _Mention(others=others, literal=bool(named))

    def _contradicts(self, one: Spoken, mention: _Mention, *, answer: bool) -> bool:
        """Whether a message names others of the kind in a way that leaves the target out."""
        if not mention.others:
            return False
        name = self.things.get(str(self.leaf.value)).name
        alike = bool(name) and any(self.things.get(it).name == name for it in mention.others)
        if answer:
            changed = one.reply is not None and one.reply.kind == "yes_but"
            return not self.leaf.many or (changed and (alike or mention.literal))
        if not one.agent and one not in self.agreement.window:
            return False
        return alike or not self.leaf.many
