"""A message in its turn, and an agreement: a proposal with the yes to it and what came before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tau_env.graders._said import Said, phrase
from tau_env.language.reading import Reply


@dataclass(frozen=True, slots=True, eq=False)
class Spoken:
    """A message in its turn.

    Attributes:
        turn: its number.
        agent: whether the agent said it.
        said: what it says.
        reply: for customers: what it answers.
    """

    turn: int
    agent: bool
    said: Said
    reply: Reply | None = None


@dataclass(slots=True)
class Agreement:
    """A proposal and the yes to it, open until it is withdrawn.

    Attributes:
        yes: the customer's message.
        window: messages from the proposal up to the yes, newest first.
        before: older messages since the last refusal, newest first.
        older: what was said before that refusal, newest first; it may still give a detail that
            nobody has spoken of since.
        later: what the customer said after the yes, newest first.
        told: cents that the agent stated before the yes.
        done: calls already carried out under it.
        made: arguments of the calls carried out under it, by tool.
        refused: names and values of a refused call, by tool.
    """

    yes: Spoken
    window: tuple[Spoken, ...]
    before: tuple[Spoken, ...]
    older: tuple[Spoken, ...]
    told: frozenset[int]
    later: list[Spoken] = field(default_factory=list)
    done: set[str] = field(default_factory=set)
    made: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    refused: dict[str, frozenset[tuple[str, str]]] = field(default_factory=dict)

    @property
    def proposal_turn(self) -> int:
        """The turn of the newest agent message that was agreed to."""
        return next((one.turn for one in self.window if one.agent), self.yes.turn)

    def answers(self) -> Iterator[Spoken]:
        """The customer's words from the newest back to the yes."""
        yield from self.later
        yield self.yes

    def says(self, value: object) -> bool:
        """Whether the proposal or the answer holds a value, as it is written."""
        wanted = phrase(value)
        near = (*self.answers(), *self.window)
        return bool(wanted.strip()) and any(wanted in one.said.whole for one in near)

    def everything(self, *, older: bool = False) -> Iterator[Spoken]:
        """All that counts, newest first."""
        yield from self.answers()
        yield from self.window
        yield from self.before
        if older:
            yield from self.older
