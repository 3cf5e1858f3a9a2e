"""The scripted customer: an agenda, a reading of every message, and seeded wording.

It sees only what the agent says. Where it does not understand it asks, and never agrees, refuses
or leaves on a guess.
"""

from __future__ import annotations

from tau_env.errors import EpisodeNotStarted
from tau_env.language.acts import read_agent
from tau_env.language.reading import Act, Reading
from tau_env.schema import Lexicon, Scenario, Twist
from tau_env.users import hearing
from tau_env.users.agenda import SETTLED, Agenda, Item, values_of
from tau_env.users.base import Reply
from tau_env.users.hearing import ASKING, PROPOSING
from tau_env.users.wording import Wording

PATIENCE = 4
"""Fruitless turns in a row after which the customer gives up."""

PARTS: dict[str, tuple[str, ...]] = {"name": ("first_name", "last_name")}
"""Slots that are told by their parts."""


class ScriptedUser:
    """A customer who plays a scenario by rules; equal seeds and messages give equal lines."""

    name = "scripted"

    def __init__(self) -> None:
        """Make a user; `reset` starts it."""
        self._started = False

    @property
    def style(self) -> str:
        """The manner of speaking of the running trial."""
        return self._words.style

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Start a trial; see `User`."""
        self._started = True
        self._lexicon = lexicon
        self._scenario = scenario
        self._words = Wording(lexicon, seed=seed, style=scenario.style)
        self._agenda = Agenda(scenario, lexicon)
        self._twists = list(scenario.twists)
        self._pending: Reading | None = None
        self._seen: set[object] = set()
        self._fruitless = 0
        self._transfers = 0
        self._last = self._words.say(scenario.opening, self._values(self._agenda.items[0]))
        return Reply(self._last)

    def reply(self, text: str) -> Reply:
        """Answer a message; see `User`.

        Raises:
            EpisodeNotStarted: before `reset`.
        """
        if not self._started:
            raise EpisodeNotStarted("the customer was not reset: call reset(scenario, ...) first")
        # The customer's own words, echoed, say nothing.
        reply = self._answer_to("" if text.strip() == self._last.strip() else text)
        self._last = reply.text
        return reply

    def _answer_to(self, text: str) -> Reply:
        reading = read_agent(text, self._lexicon)
        before = [item.state for item in self._agenda.items]
        lines: list[str] = []
        hearing.hear_report(self._agenda, reading)
        agreed = self._decide(reading, lines)
        refused = self._hear_refusal(reading, agreed, lines)
        hearing.hear_information(self._agenda, reading)
        self._answer(reading, lines)
        self._add_requests()
        settled = before != [item.state for item in self._agenda.items]
        if self._tired(reading, progress=settled or bool(lines)):
            return self._leave("give_up", lines)
        return self._close(reading, lines, agreed=bool(agreed), refused=refused)

    def _decide(self, reading: Reading, lines: list[str]) -> list[Item]:
        """Answer a proposal; returns the items that the customer agrees to in this turn."""
        if not reading.has(*PROPOSING):
            return []
        agenda = self._agenda
        content = hearing.proposal_in(agenda, reading, self._pending)
        if content is None:
            lines.append(self._on_check(reading))
            return []
        self._pending = content
        items = hearing.proposed_items(agenda, content)
        if not items:
            lines += self._on_unwanted(reading, content)
            return []
        objections = list(agenda.objections(content, items))
        if objections:
            self._pending = None
            right = " and ".join(dict.fromkeys(one.right for one in objections))
            lines.append(self._words.say("correct", {"right": right}))
            return []
        if hearing.asks_before_yes(agenda, reading, items):
            return []
        twist = self._take_twist(items)
        if twist is not None:
            self._pending = None
            lines.append(self._play(twist))
            return []
        foreign = agenda.foreign_records(content)
        excluded = {"excluded": " and ".join(foreign)}
        lines.append(self._words.say("part" if foreign else "yes", excluded))
        for item in items:
            item.state, item.raised = "agreed", True
        return items

    def _on_unwanted(self, reading: Reading, content: Reading) -> list[str]:
        """The answer to a proposal that no open want matches."""
        self._pending = None
        if self._agenda.settled and not reading.has("asks_confirmation"):
            return []
        clear = hearing.unwanted(self._agenda, content)
        return [self._words.say("no" if clear else "unsure")]

    def _on_check(self, reading: Reading) -> str:
        """The answer to a question for a yes that is about no proposal."""
        if not hearing.reads_back_identity(self._agenda, reading):
            return self._words.say("unsure")
        objections = list(self._agenda.objections(reading, []))
        if objections:
            return self._words.say("correct", {"right": objections[0].right})
        return self._words.say("yes")

    def _hear_refusal(self, reading: Reading, agreed: list[Item], lines: list[str]) -> bool:
        """Note refusals; returns whether something was refused in this turn."""
        items = hearing.refused_items(self._agenda, reading, agreed)
        for item in items:
            if self._scenario.if_refused == "insist" and not item.insisted:
                item.insisted = True
                lines.append(self._words.say("insist"))
            else:
                item.state = "refused"
        return bool(items)

    # Speaking.

    def _answer(self, reading: Reading, lines: list[str]) -> None:
        """Answer every question of the message."""
        told: set[str] = set()
        for act in reading.acts:
            if act.kind in ASKING:
                for line in self._tell(act, told):
                    if line not in lines:
                        lines.append(line)
        if reading.has("offers_transfer") and not lines:
            lines += self._on_transfer()

    def _tell(self, act: Act, told: set[str]) -> list[str]:
        """Lines that answer one asking act."""
        slots = [part for slot in act.slots for part in PARTS.get(slot, (slot,))]
        if not slots:
            slots = [
                name
                for name, slot in self._lexicon.slots.items()
                if slot.role == act.kind.removeprefix("asks_") and slot.role != "detail"
            ]
        lines: list[str] = []
        unknown = False
        for slot in dict.fromkeys(slots):
            if slot in told:
                continue
            value = self._knows(slot, identity=act.kind == "asks_identity")
            if value is None:
                unknown = True
                continue
            told.add(slot)
            lines.append(self._fact(slot, value, identity=act.kind == "asks_identity"))
        if lines or told & set(slots):
            return lines
        current = self._current()
        if act.kind == "asks_detail" and current is not None:
            return [self._raise(current)]
        return [self._words.say("unknown")] if unknown else []

    def _knows(self, slot: str, *, identity: bool) -> str | None:
        """What the customer says for a slot; wants before facts unless it is about identity."""
        fact = self._scenario.facts.get(slot)
        if identity:
            return None if fact is None else fact.value
        current = [item for item in self._agenda.items if item.raised and item.state not in SETTLED]
        wanted = hearing.values_wanted(current, slot)
        return wanted or (None if fact is None else fact.value)

    def _fact(self, slot: str, value: str, *, identity: bool) -> str:
        name = f"fact.{slot}"
        if identity and name in self._lexicon.phrases:
            return self._words.say(name, {slot: value})
        known = self._lexicon.slots.get(slot)
        noun = known.nouns[0] if known is not None and known.nouns else slot.replace("_", " ")
        return self._words.say("fact" if identity else "detail", {"noun": noun, "value": value})

    def _current(self) -> Item | None:
        """The want that the conversation is about."""
        raised = [item for item in self._agenda.items if item.raised and item.state == "open"]
        return raised[0] if raised else None

    def _on_transfer(self) -> list[str]:
        self._transfers += 1
        if any(item.want.do == "transfer" for item in self._agenda.in_state("open", "agreed")):
            return [self._words.say("yes")]
        if self._agenda.settled:
            return []
        return [self._words.say("stay" if self._transfers == 1 else "noted")]

    def _raise(self, item: Item) -> str:
        item.raised = True
        return self._words.say(item.want.say or item.want.do, self._values(item))

    def _values(self, item: Item) -> dict[str, str]:
        """What a phrase about a want may contain: its slots and the open facts."""
        values = {
            name: fact.value for name, fact in self._scenario.facts.items() if fact.tell == "open"
        }
        for slot in item.want.slots:
            values[slot] = " and ".join(values_of(item.want, slot))
        return values

    # Twists.

    def _take_twist(self, items: list[Item]) -> Twist | None:
        for twist in self._twists:
            concerned = self._agenda.items[twist.want]
            if twist.kind != "adds" and concerned in items and concerned.state == "open":
                self._twists.remove(twist)
                return twist
        return None

    def _play(self, twist: Twist) -> str:
        item = self._agenda.items[twist.want]
        if twist.kind == "declines":
            return self._words.say("decline")
        if twist.kind == "changes_mind":
            item.state = "dropped"
            return self._words.say("drop")
        slots = {**item.want.slots, **twist.slots}
        item.want = item.want.model_copy(update={"slots": slots})
        return self._words.say("correct", {"right": " and ".join(twist.slots.values())})

    def _add_requests(self) -> None:
        """A twist may add a request once the first is settled."""
        for twist in [one for one in self._twists if one.kind == "adds"]:
            if twist.added is not None and self._agenda.items[twist.want].state in SETTLED:
                self._twists.remove(twist)
                self._agenda.add(twist.added)

    # Ending.

    def _tired(self, reading: Reading, *, progress: bool) -> bool:
        """Count fruitless turns: nothing new was said, asked or settled."""
        news: set[object] = {one.value for one in reading.literals}
        news |= {(act.kind, act.slots, act.actions) for act in reading.acts}
        fresh = bool(news - self._seen) or (progress and not reading.has(*ASKING))
        self._seen |= news
        holding = reading.has("holding") and bool(reading.text.strip())
        self._fruitless = 0 if fresh or holding else self._fruitless + 1
        return self._fruitless >= PATIENCE

    def _leave(self, act: str, lines: list[str]) -> Reply:
        """Leave, but not before every request was said."""
        unraised = self._agenda.unraised
        if unraised is not None:
            return Reply(" ".join([*lines, self._raise(unraised)]))
        return Reply(" ".join([*lines, self._words.say(act)]), ends=True)

    def _close(self, reading: Reading, lines: list[str], *, agreed: bool, refused: bool) -> Reply:
        """What is left to say when the message was heard and answered."""
        if agreed:
            return Reply(" ".join(lines))
        waiting = self._agenda.in_state("agreed")
        unraised = self._agenda.unraised
        if unraised is not None and (reading.has("asks_more") or self._free(waiting)):
            return Reply(" ".join([*lines, self._raise(unraised)]))
        if self._agenda.settled and not reading.has(*ASKING, "asks_confirmation", "holding"):
            all_refused = all(item.state == "refused" for item in self._agenda.items)
            if refused and not reading.has("asks_more"):
                return Reply(" ".join([*lines, self._words.say("noted")]))
            return self._leave("bye_refused" if all_refused else "bye", lines)
        if lines:
            return Reply(" ".join(lines))
        return Reply(self._otherwise(reading, waiting=bool(waiting)))

    def _free(self, waiting: list[Item]) -> bool:
        """Whether nothing raised is still being worked on."""
        return not waiting and self._current() is None

    def _otherwise(self, reading: Reading, *, waiting: bool) -> str:
        """A line for a message that asked, offered and settled nothing."""
        if not reading.text.strip():
            return self._words.say("hello")
        if reading.has("holding"):
            return self._words.say("wait")
        if reading.has("asks_more"):
            current = self._current()
            return self._words.say("check") if waiting or current is None else self._raise(current)
        if reading.has("informs", "reports_done", "refuses"):
            return self._words.say("noted")
        current = self._current()
        line = self._words.say("unclear")
        return line if current is None else f"{line} {self._raise(current)}"
