"""The scripted customer: an agenda, a reading of every message, and seeded wording.

It sees only what the agent says. Where it does not understand it asks, and never agrees, refuses
or leaves on a guess.
"""

from __future__ import annotations

from tau_env.errors import EpisodeNotStarted
from tau_env.language.acts import read_agent
from tau_env.language.reading import Act, Reading
from tau_env.schema import Lexicon, Scenario, Twist
from tau_env.users.agenda import SETTLED, Agenda, Item, values_of
from tau_env.users.base import Reply
from tau_env.users.wording import Wording

PATIENCE = 4
"""Fruitless turns in a row after which the customer gives up."""

ASKING = ("asks_identity", "asks_record", "asks_detail")
ANY_SLOT: dict[str, tuple[str, ...]] = {"name": ("first_name", "last_name")}


class ScriptedUser:
    """A customer who plays a scenario by rules; equal seeds and messages give equal lines."""

    name = "scripted"

    def __init__(self) -> None:
        """Make a user; `reset` starts it."""
        self._agenda: Agenda | None = None

    @property
    def style(self) -> str:
        """The manner of speaking of the running trial."""
        return self._words.style

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Start a trial; see `User`."""
        self._lexicon = lexicon
        self._scenario = scenario
        self._words = Wording(lexicon, seed=seed, style=scenario.style)
        self._agenda = Agenda(scenario, lexicon)
        self._twists = list(scenario.twists)
        self._pending: Reading | None = None
        self._seen: set[object] = set()
        self._fruitless = 0
        self._transfers = 0
        return Reply(self._words.say(scenario.opening, self._values(self._agenda.items[0])))

    def reply(self, text: str) -> Reply:
        """Answer a message; see `User`.

        Raises:
            EpisodeNotStarted: before `reset`.
        """
        if self._agenda is None:
            raise EpisodeNotStarted("the customer was not reset: call reset(scenario, ...) first")
        reading = read_agent(text, self._lexicon)
        before = [item.state for item in self._agenda.items]
        lines: list[str] = []
        agreed = self._hear_proposal(reading, lines)
        self._hear_report(reading, agreed)
        refused = self._hear_refusal(reading, agreed, lines)
        self._hear_information(reading)
        self._answer(reading, lines, spoken=bool(agreed))
        self._add_requests()
        progress = before != [item.state for item in self._agenda.items] or bool(lines)
        if self._tired(reading, progress=progress):
            return self._leave_or_raise("give_up", lines)
        return self._close(reading, lines, agreed=bool(agreed), refused=refused)

    # Hearing: each notes what a message means for the agenda.

    def _hear_proposal(self, reading: Reading, lines: list[str]) -> list[Item]:
        """Decide on a proposal; returns the items that the customer agrees to in this turn."""
        assert self._agenda is not None
        if not reading.has("proposes", "asks_confirmation"):
            return []
        content = self._content(reading)
        if content is None:
            lines.append(self._on_check(reading))
            return []
        if reading.has("proposes"):
            self._pending = content
        items = self._proposed(content)
        if not items:
            lines.append(self._on_unwanted(content))
            return []
        objections = list(self._agenda.objections(content, items))
        if objections:
            self._pending = None
            right = " and ".join(dict.fromkeys(one.right for one in objections))
            lines.append(self._words.say("correct", {"right": right}))
            return []
        if self._open_question(reading, items):
            return []
        twist = self._take_twist(items)
        if twist is not None:
            self._pending = None
            lines.append(self._play(twist, items))
            return []
        foreign = self._agenda.foreign_records(content)
        if foreign:
            lines.append(self._words.say("part", {"excluded": " and ".join(foreign)}))
        else:
            lines.append(self._words.say("yes"))
        for item in items:
            item.state, item.raised = "agreed", True
        return items

    def _content(self, reading: Reading) -> Reading | None:
        """What is proposed: this message, or the last proposal where it only asks for a yes."""
        assert self._agenda is not None
        own = reading.has("proposes") or reading.actions("asks_confirmation")
        if own or (self._agenda.records(reading) and not self._mentions_identity(reading)):
            return reading
        if self._pending is None or self._mentions_identity(reading):
            return None
        both = self._pending
        return Reading(
            text=f"{both.text}\n{reading.text}",
            sentences=both.sentences + reading.sentences,
            acts=both.acts + reading.acts,
            literals=both.literals + reading.literals,
        )

    def _proposed(self, content: Reading) -> list[Item]:
        """The items that a proposal speaks of; none if that is unclear."""
        assert self._agenda is not None
        actions = content.actions("proposes", "asks_confirmation")
        for states in (("open", "agreed"), ("refused",)):
            writes = [item for item in self._agenda.in_state(*states) if item.want.do != "ask"]  # type: ignore[arg-type]
            items = self._agenda.matching(content, actions, writes)
            named = self._agenda.records(content)
            if len(items) > 1 and not named:
                raised = [item for item in items if item.raised]
                items = raised if len(raised) == 1 or actions else []
                records = {
                    values_of(item.want, slot)
                    for item in items
                    for slot in item.want.slots
                    if self._lexicon.slots.get(slot) is not None
                    and self._lexicon.slots[slot].role == "record"
                }
                if len(records) > 1:
                    items = []
            if items:
                return items
        return []

    def _on_unwanted(self, content: Reading) -> str:
        """The answer to a proposal that no want matches."""
        assert self._agenda is not None
        actions = content.actions("proposes", "asks_confirmation")
        wanted = {item.want.do for item in self._agenda.in_state("open", "agreed")}
        self._pending = None
        if actions and (not set(actions) & wanted or self._agenda.foreign_records(content)):
            return self._words.say("no")
        return self._words.say("unsure")

    def _on_check(self, reading: Reading) -> str:
        """The answer to a question for a yes that is not about a proposal."""
        assert self._agenda is not None
        if self._mentions_identity(reading):
            objections = list(self._agenda.objections(reading, []))
            if objections:
                return self._words.say("correct", {"right": objections[0].right})
            return self._words.say("yes")
        return self._words.say("unsure")

    def _mentions_identity(self, reading: Reading) -> bool:
        """Whether a message only reads back who the customer is."""
        assert self._agenda is not None
        if reading.has("proposes") or reading.actions("asks_confirmation", "proposes"):
            return False
        if reading.values("email"):
            return True
        text = reading.text.lower()
        return not self._agenda.records(reading) and any(
            fact.value.lower() in text
            for name, fact in self._scenario.facts.items()
            if (slot := self._lexicon.slots.get(name)) is not None and slot.role == "identity"
        )

    def _open_question(self, reading: Reading, items: list[Item]) -> bool:
        """Whether a proposal still asks for something that the customer can tell, and no yes."""
        if reading.has("asks_confirmation"):
            return False
        asked = {slot for act in reading.acts if act.kind in ASKING for slot in act.slots}
        told = {slot for item in items for slot in item.want.slots} | set(self._scenario.facts)
        return reading.has("asks_detail") and bool(asked & told or not asked)

    def _hear_report(self, reading: Reading, agreed: list[Item]) -> None:
        assert self._agenda is not None
        if not reading.has("reports_done"):
            return
        actions = reading.actions("reports_done")
        waiting = [item for item in self._agenda.in_state("agreed") if item not in agreed]
        done = self._agenda.matching(reading, actions, waiting)
        if not done and not reading.has("asks_confirmation") and actions:
            raised = [item for item in self._agenda.in_state("open") if item.raised]
            done = [
                item
                for item in self._agenda.matching(reading, actions, raised)
                if item.want.do != "ask"
            ]
        if not done and not actions:
            done = waiting
        for item in done:
            item.state = "done"

    def _hear_refusal(self, reading: Reading, agreed: list[Item], lines: list[str]) -> bool:
        """Note refusals; returns whether something was refused in this turn."""
        assert self._agenda is not None
        if not reading.has("refuses") or reading.has("asks_identity", "asks_record"):
            return False
        raised = [item for item in self._agenda.in_state("open", "agreed") if item.raised]
        items = self._agenda.matching(reading, reading.actions("refuses"), raised)
        if not items and len(raised) == 1 and not self._agenda.foreign_records(reading):
            items = raised
        items = [item for item in items if item not in agreed]
        for item in items:
            if self._scenario.if_refused == "insist" and not item.insisted:
                item.insisted = True
                lines.append(self._words.say("insist"))
            else:
                item.state = "refused"
        return bool(items)

    def _hear_information(self, reading: Reading) -> None:
        assert self._agenda is not None
        for item in self._agenda.in_state("open"):
            if item.want.do == "ask" and item.raised and self._agenda.answered(reading, item):
                item.state = "done"

    # Speaking.

    def _answer(self, reading: Reading, lines: list[str], *, spoken: bool) -> None:
        """Answer every question of the message."""
        told: set[str] = set()
        for act in reading.acts:
            if act.kind in ASKING:
                for line in self._tell(act, told):
                    if line not in lines:
                        lines.append(line)
        if reading.has("offers_transfer") and not spoken and not lines:
            lines += self._on_transfer(reading)

    def _tell(self, act: Act, told: set[str]) -> list[str]:
        """Lines that answer one asking act."""
        assert self._agenda is not None
        slots = [part for slot in act.slots for part in ANY_SLOT.get(slot, (slot,))]
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
        assert self._agenda is not None
        fact = self._scenario.facts.get(slot)
        if identity:
            return None if fact is None else fact.value
        current = [item for item in self._agenda.items if item.raised and item.state not in SETTLED]
        values = [value for item in current for value in values_of(item.want, slot)]
        if values:
            return " and ".join(dict.fromkeys(values))
        return None if fact is None else fact.value

    def _fact(self, slot: str, value: str, *, identity: bool) -> str:
        name = f"fact.{slot}"
        if identity and name in self._lexicon.phrases:
            return self._words.say(name, {slot: value})
        known = self._lexicon.slots.get(slot)
        noun = known.nouns[0] if known is not None and known.nouns else slot.replace("_", " ")
        return self._words.say("fact" if identity else "detail", {"noun": noun, "value": value})

    def _current(self) -> Item | None:
        """The want that the conversation is about."""
        assert self._agenda is not None
        raised = [item for item in self._agenda.items if item.raised and item.state == "open"]
        return raised[0] if raised else None

    def _on_transfer(self, reading: Reading) -> list[str]:
        assert self._agenda is not None
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
        assert self._agenda is not None
        for twist in self._twists:
            concerned = self._agenda.items[twist.want]
            if twist.kind != "adds" and concerned in items and concerned.state == "open":
                self._twists.remove(twist)
                return twist
        return None

    def _play(self, twist: Twist, items: list[Item]) -> str:
        assert self._agenda is not None
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
        assert self._agenda is not None
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

    def _leave_or_raise(self, act: str, lines: list[str]) -> Reply:
        """Leave, but not before every request was said."""
        assert self._agenda is not None
        unraised = self._agenda.unraised
        if unraised is not None:
            return Reply(" ".join([*lines, self._raise(unraised)]))
        return Reply(" ".join([*lines, self._words.say(act)]), ends=True)

    def _close(self, reading: Reading, lines: list[str], *, agreed: bool, refused: bool) -> Reply:
        """What is left to say when the message was heard and answered."""
        assert self._agenda is not None
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
            return self._leave_or_raise("bye_refused" if all_refused else "bye", lines)
        if lines:
            return Reply(" ".join(lines))
        return Reply(self._otherwise(reading, waiting=bool(waiting)))

    def _free(self, waiting: list[Item]) -> bool:
        """Whether nothing raised is still being worked on."""
        assert self._agenda is not None
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
