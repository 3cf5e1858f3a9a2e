"""The domain spec: all that may be known of a domain without its world, as pure data."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from tau_env.schema.base import Frozen


class Rule(Frozen):
    """A numbered sentence of the policy and who holds it.

    Attributes:
        id: as in the policy, ``"R3.2"``.
        text: the sentence.
        by: ``"tool:NAME"`` or ``"grader:NAME"`` for each that enforces or checks it.
    """

    id: str
    text: str
    by: tuple[str, ...]


class ToolSpec(Frozen):
    """What is constant about a tool.

    Attributes:
        name: as the agent calls it.
        description: what the agent reads.
        parameters: JSON schema of the arguments (an object schema).
        kind: ``read`` changes nothing, ``write`` changes the world, ``other`` does neither
            (a calculator, a note, a transfer).
        needs_yes: whether the customer must agree first.
        rules: policy rules that the tool enforces.
        verbs: actions of the lexicon that this tool carries out.
        identifies: arguments that name the record, so a proposal must identify them.
        public: True if results concern no customer (a catalogue).
        amounts: amounts that a proposal must state, as paths into ``arguments`` or ``result``
            (JSON), ``*`` for every element: ``"result.exchange_price_difference"``.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    kind: Literal["read", "write", "other"]
    needs_yes: bool = False
    rules: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    identifies: tuple[str, ...] = ()
    public: bool = False
    amounts: tuple[str, ...] = ()

    def chat_schema(self) -> dict[str, Any]:
        """The tool in the chat-completions form: ``{"type": "function", "function": {...}}``."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.parameters,
            },
        }


YES_OR_NO = frozenset(("yes", "no"))
"""Values of slots that are true or not: insurance, a gift wrapping."""

SlotKind = Literal["id", "email", "name", "zip", "money", "number", "date", "word", "text"]


class Slot(Frozen):
    """Something that a conversation fills in: an order id, an e-mail address, a reason.

    Attributes:
        kind: the kind of its values.
        role: ``identity`` (who the customer is), ``record`` (which order or reservation) or
            ``detail`` (everything else).
        nouns: how people speak of it, lower case, singular: ``("e-mail", "email address")``.
        pattern: for ids: regular expression of a value as written, matched with word boundaries.
        words: for closed vocabularies: value -> other ways to say it, lower case. The value itself
            is a way too, except that ``yes`` and ``no`` alone say nothing of this slot. What is
            in capitals, such as an airport's code, is read in capitals only.
    """

    kind: SlotKind
    role: Literal["identity", "record", "detail"] = "detail"
    nouns: tuple[str, ...] = ()
    pattern: str = ""
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def ways(self, value: str) -> tuple[str, ...]:
        """All ways to say a value of the closed vocabulary."""
        others = self.words.get(value, ())
        return others if value in YES_OR_NO else (value, *others)


class Lexicon(Frozen):
    """The words of a domain, for users and graders.

    Attributes:
        slots: name -> slot; tool arguments and scenario facts use these names.
        verbs: action -> how people say it, as infinitives, lower case:
            ``"cancel": ("cancel", "call off")``. Inflection is the reader's task.
        nouns: concept -> its words; ``"record"`` has the words for the customer's record
            ("order"), ``"part"`` those for what it holds ("item"), ``"human"`` those for a human
            colleague.
        phrases: what the customer says: name -> templates with ``{slot}`` fields. Every action
            that a want can name has one, every opening has one, ``fact.NAME`` tells a fact.
    """

    slots: dict[str, Slot] = Field(default_factory=dict)
    verbs: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    nouns: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    phrases: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class DomainSpec(Frozen):
    """A domain without its world, stored once per study by digest.

    Attributes:
        name: folder name of the domain.
        version: number of the environment id, raised when a change can alter a grade.
        now: the fixed clock, ISO 8601.
        rules: the policy's rules in order.
        tools: by name.
        identity: tools that identify the customer.
        generated: table -> key column made by a counter.
        references: ``"table.column"`` -> table that the column points to.
        free: ``"table.column"`` that hold free speech, outside state grading.
        lexicon: the words.
    """

    name: str
    version: int
    now: str
    rules: tuple[Rule, ...] = ()
    tools: dict[str, ToolSpec] = Field(default_factory=dict)
    identity: tuple[str, ...] = ()
    generated: dict[str, str] = Field(default_factory=dict)
    references: dict[str, str] = Field(default_factory=dict)
    free: tuple[str, ...] = ()
    lexicon: Lexicon = Lexicon()
