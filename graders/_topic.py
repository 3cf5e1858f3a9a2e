"""What a proposal is about where its verb leaves that open: "New address in your profile: ..."."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from tau_env.graders._agreement import Spoken
from tau_env.graders._facts import per_spec
from tau_env.graders._said import phrase, said_by_customer
from tau_env.language.tagging import tagger
from tau_env.schema import DomainSpec, Lexicon, ToolSpec

_STAYS = re.compile(
    r"\b(?:stays?|remains?|keeps?|leaves?|kept|left)\b.*\b(?:as (?:it|they) (?:is|are)|the same|put"
    r"|unchanged|unaffected|untouched|unaltered|where (?:it|they))\b"
    r"|\b(?:not|never|without) (?:be )?(?:chang|touch|affect|alter)\w*"
    r"|\bn['’]t (?:be )?(?:chang|touch|affect|alter)\w*"
    r"|^\W*(?:no|none|nothing|neither)\b.*\b(?:chang|touch|affect|alter)\w*",
    re.IGNORECASE,
)


def says_it_stays(line: str) -> bool:
    """Whether a sentence tells what is left alone: "Your profile stays as it is."."""
    return _STAYS.search(line) is not None


def only_stays(value: object, messages: Iterable[Spoken]) -> bool:
    """Whether agents name a value, and only to say that it is left alone."""
    wanted = phrase(value)
    naming = [line for line in _lines(messages) if wanted in phrase(line)]
    return bool(naming) and all(says_it_stays(line) for line in naming)


def clear_actions(one: Spoken, record: str, lexicon: Lexicon) -> frozenset[str]:
    """The clear actions of a message; where it speaks of several records, those of this one.

    A sentence belongs to the record that it names; of a list, else to the one before, and where it
    is of none, to all.
    """
    named = {value for slot, value in one.said.ids if lexicon.slots[slot].role == "record"}
    if len(named) < 2 or record not in named:
        return one.said.clear
    found: set[str] = set()
    here: list[str] = []
    for place, line in enumerate(one.said.lines):
        own = [value for value in named if value in line]
        here = own or (here if place in one.said.items else [])
        if not here or record in here:
            found.update(tagger(lexicon).tag(line).clear_actions())
    return frozenset(found)


def part_about(one: Spoken, tool: ToolSpec, record: str, spec: DomainSpec) -> Spoken:
    """A message without its list items, and sentences about other records, that name other actions.

    Each item of a list may propose something of its own.
    """
    said, lexicon = one.said, spec.lexicon
    if not one.agent or not said.clear or len(said.lines) < 2:
        return one
    named = {value for slot, value in said.ids if lexicon.slots[slot].role == "record"}
    kept: list[str] = []
    here: list[str] = []
    for place, line in enumerate(said.lines):
        here = [value for value in named if value in line] or here
        clear = tagger(lexicon).tag(line).clear_actions()
        other = clear and not set(clear) & set(tool.verbs)
        away = len(named) > 1 and record in named and here and record not in here
        if not (other and (away or (place in said.items and len(said.items) > 1))):
            kept.append(line)
    if len(kept) == len(said.lines):
        return one
    return replace(one, said=said_by_customer("\n".join(kept), lexicon))


def names_object(tool: ToolSpec, messages: Iterable[Spoken], spec: DomainSpec) -> bool:
    """Whether agents name what a tool changes, as its verbs do: "profile" of "change profile"."""
    wanted = _objects(spec)[tool.name]
    return any(
        all(f" {word} " in phrase(line) for word in words)
        for line in _lines(messages)
        if not says_it_stays(line)
        for words in wanted
    )


def _lines(messages: Iterable[Spoken]) -> list[str]:
    return [line for one in messages if one.agent for line in one.said.lines]


@per_spec
def _objects(spec: DomainSpec) -> dict[str, list[tuple[str, ...]]]:
    """By tool: the words that follow the heads of its verbs."""
    return {
        name: [
            words
            for verb in tool.verbs
            for way in spec.lexicon.verbs.get(verb, ())
            if (words := tuple(way.split()[1:]))
        ]
        for name, tool in spec.tools.items()
    }
