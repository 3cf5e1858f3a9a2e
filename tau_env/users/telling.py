"""What the customer tells: its wants, and answers to every part of a question.

A fact marked ``asked`` is told only for an act that asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tau_env.language.reading import Act, Reading
from tau_env.schema import Want
from tau_env.users.agenda import Agenda, Item, values_of
from tau_env.users.choosing import choose
from tau_env.users.hearing import ASKING, values_wanted
from tau_env.users.values import in_words
from tau_env.users.wording import Wording

PARTS: dict[str, tuple[str, ...]] = {"name": ("first_name", "last_name")}
"""Slots that are told by their parts."""
WHOLE = 3
"""So many details of one want asked at once are told by saying the want again."""


class Telling:
    """The customer's side of questions in one trial."""

    def __init__(self, agenda: Agenda, words: Wording) -> None:
        """Take what is wanted and how it is said."""
        self._agenda = agenda
        self._words = words
        self._facts = agenda.scenario.facts
        self._slots = agenda.lexicon.slots
        self._transfers = 0

    def opening(self) -> str:
        """The first line."""
        scenario = self._agenda.scenario
        return self._words.say(scenario.opening, self._values(self._agenda.items[0]))

    def raise_want(self, item: Item) -> str:
        """A want in the customer's words; asked again and again, with all that is still unsaid."""
        line = self._words.say(item.want.say or item.want.do, self._values(item))
        item.restated += item.raised
        item.raised = True
        if item.restated < 2:
            return line
        told = [slot for slot in item.want.slots if self._is_told_alone(slot)]
        return " ".join([line, *self._unsaid(item, told, line)])

    def _say_again(self, item: Item, asked: Iterable[str]) -> str:
        """A want once more, with what was asked of it and is not in its phrase."""
        line = self.raise_want(item)
        details = [slot for slot in asked if slot in item.want.slots and self._is_told_alone(slot)]
        return " ".join([line, *self._unsaid(item, details, line)])

    def _unsaid(self, item: Item, slots: Iterable[str], line: str) -> list[str]:
        """The values of these slots that a line does not hold, each in a sentence."""
        return [
            self._detail(slot, value)
            for slot in slots
            for value in values_of(item.want, slot)
            if not _holds(line, in_words(self._agenda.lexicon, slot, value), value)
        ]

    def _is_told_alone(self, slot: str) -> bool:
        """Whether a value of a slot makes a sentence: a closed word, or what has a phrase."""
        return self._slots[slot].kind == "word" or f"detail.{slot}" in self._agenda.lexicon.phrases

    def answers(self, reading: Reading, *, said: list[str]) -> list[str]:
        """Lines that answer every question of a message.

        Args:
            reading: the message.
            said: what the customer says already in this turn.
        """
        choice = self._choice(reading)
        if choice:
            return [choice]
        told: set[str] = set()
        lines: list[str] = []
        for act in reading.acts:
            if act.kind in ASKING:
                lines += self._tell(act, reading, told)
        open_question = any(act.kind == "asks_detail" for act in reading.acts)
        if not lines and not said and not told and open_question:
            lines += self._on_open_question()
        if reading.has("offers_transfer") and not lines and not said:
            lines += self._on_transfer()
        return lines

    def _tell(self, act: Act, reading: Reading, told: set[str]) -> list[str]:
        """Lines that answer one asking act; ``told`` notes what was answered in this turn."""
        identity = act.kind == "asks_identity"
        slots = self._asked(act, reading)
        known = {slot: self._knows(slot, identity=identity) for slot in slots}
        fresh = {slot: value for slot, value in known.items() if value and slot not in told}
        current = self._agenda.current
        wanted = () if current is None or identity else current.want.slots
        told.update(fresh)
        if current is not None and sum(slot in wanted for slot in fresh) >= WHOLE:
            return [self._say_again(current, fresh)]
        lines = self._names(fresh) if identity else []
        for slot, value in fresh.items():
            lines.append(self._fact(slot, value) if identity else self._detail(slot, value))
        if (identity and act.slots) or act.kind == "asks_record":
            unknown = [slot for slot in slots if not known[slot] and slot not in told]
            lines += [self._unknown(slot) for slot in unknown]
            told.update(unknown)
        return lines

    def _on_open_question(self) -> list[str]:
        """The answer to a question about something that the customer has no value for."""
        current = self._agenda.current
        if current is None:
            return [self._words.say("unknown")]
        return [self.raise_want(current)]

    def _choice(self, reading: Reading) -> str:
        """The option that the customer takes, where the agent lists some and asks which one.

        Empty where a question is about a detail that the customer knows: that is answered.
        """
        current = self._agenda.current
        if current is None or not reading.has("asks_detail") or reading.has("asks_identity"):
            return ""
        if any(_asks_for(act, reading, current.want) for act in reading.acts):
            return ""
        choice = choose(reading.text, self._agenda.lexicon, current.want)
        if choice is None:
            return ""
        if choice.slot:
            return self._detail(choice.slot, choice.value)
        return self._words.say("choose", {"option": str(choice.number)})

    def _asked(self, act: Act, reading: Reading) -> list[str]:
        """The slots that an act asks for; where it is unclear, all of its kind.

        Of details those of which the message names any word: "card or PayPal?".
        """
        slots = [part for slot in act.slots for part in PARTS.get(slot, (slot,))]
        role = act.kind.removeprefix("asks_")
        current = self._agenda.current
        if not slots and role != "detail":
            slots = [name for name, slot in self._slots.items() if slot.role == role]
        elif not slots and current is not None:
            slots = self._agenda.details_open(current, reading)
        return list(dict.fromkeys(slots))

    def _knows(self, slot: str, *, identity: bool) -> str:
        """What the customer says for a slot; wants before facts unless it is about identity."""
        fact = self._facts.get(slot)
        if identity:
            return "" if fact is None else fact.value
        live = [item for item in self._agenda.in_state("open", "agreed") if item.raised]
        return values_wanted(live, slot) or ("" if fact is None else fact.value)

    def _names(self, fresh: dict[str, str]) -> list[str]:
        """Both names in one line, taken out of what is still to be told."""
        parts = PARTS["name"]
        if not all(part in fresh for part in parts):
            return []
        return [self._words.say("name", {"name": " ".join(fresh.pop(part) for part in parts)})]

    def _fact(self, slot: str, value: str) -> str:
        name = self._phrase("fact", slot, value)
        if name:
            return self._words.say(name, {slot: value})
        return self._words.say("fact", {"noun": self._noun(slot), "value": value})

    def _detail(self, slot: str, value: str) -> str:
        name = self._phrase("detail", slot, value)
        if name:
            return self._words.say(name, {slot: value})
        known = self._slots.get(slot)
        if known is not None and known.kind == "word":
            # A word of a closed vocabulary may begin a sentence; other values stay as they are.
            value = value[:1].upper() + value[1:]
        return self._words.say("detail", {"value": value})

    def _phrase(self, act: str, slot: str, value: str) -> str:
        """The domain's phrase for a value, or for any of its slot; empty if it has none."""
        phrases = self._agenda.lexicon.phrases
        own = (f"{act}.{slot}.{value}", f"{act}.{slot}")
        return next((name for name in own if name in phrases), "")

    def _unknown(self, slot: str) -> str:
        return self._words.say("unknown_fact", {"noun": self._noun(slot)})

    def _noun(self, slot: str) -> str:
        known = self._slots.get(slot)
        return known.nouns[0] if known is not None and known.nouns else slot.replace("_", " ")

    def _on_transfer(self) -> list[str]:
        self._transfers += 1
        if any(item.want.do == "transfer" for item in self._agenda.in_state("open", "agreed")):
            return [self._words.say("yes")]
        if self._agenda.settled:
            return []
        return [self._words.say("stay" if self._transfers == 1 else "noted")]

    def _values(self, item: Item) -> dict[str, str]:
        """What a phrase about a want may contain: its slots and the open facts."""
        values = {name: fact.value for name, fact in self._facts.items() if fact.tell == "open"}
        for slot in item.want.slots:
            values[slot] = " and ".join(values_of(item.want, slot))
        return values


def _asks_for(act: Act, reading: Reading, want: Want) -> bool:
    """Whether a question, not a list, is about a detail of the want."""
    return (
        act.kind in ASKING
        and "?" in reading.sentences[act.sentence]
        and not want.slots.keys().isdisjoint(act.slots)
    )


def _holds(line: str, *values: str) -> bool:
    """Whether a line has one of these values, as words of their own."""
    return any(
        len(value) > 1 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", line) for value in values
    )
