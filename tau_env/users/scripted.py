"""The scripted customer: an agenda, a reading of every message, and seeded wording.

It sees only what the agent says. Where it does not understand it asks, and never agrees, refuses
or leaves on a guess.
"""

from __future__ import annotations

from tau_env.errors import EpisodeNotStarted
from tau_env.language.reading import Reading
from tau_env.schema import Lexicon, Scenario, Twist
from tau_env.users import contradictions, hearing
from tau_env.users.agenda import SETTLED, Agenda, Item
from tau_env.users.base import Reply
from tau_env.users.hearing import ASKING, PROPOSING
from tau_env.users.telling import Telling
from tau_env.users.values import in_words
from tau_env.users.wording import Wording

PATIENCE = 4
"""Fruitless turns in a row after which the customer gives up."""


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

    @property
    def agenda(self) -> Agenda:
        """What the customer of the running trial still wants; for tests and inspection."""
        return self._agenda

    def reset(self, scenario: Scenario, lexicon: Lexicon, seed: int) -> Reply:
        """Start a trial; see `User`."""
        self._started = True
        self._lexicon = lexicon
        self._scenario = scenario
        self._words = Wording(lexicon, seed=seed, style=scenario.style)
        self._agenda = Agenda(scenario, lexicon)
        self._telling = Telling(self._agenda, self._words)
        self._twists = list(scenario.twists)
        self._pending: Reading | None = None
        self._seen: set[object] = set()
        self._fruitless = 0
        self._asked_if_done = self._thanked = False
        return self._send([self._telling.opening()])

    def reply(self, text: str) -> Reply:
        """Answer a message; see `User`.

        Raises:
            EpisodeNotStarted: before `reset`.
        """
        if not self._started:
            raise EpisodeNotStarted("the customer was not reset: call reset(scenario, ...) first")
        # The customer's own words, echoed, say nothing.
        return self._answer_to("" if text.strip() == self._last.strip() else text)

    def _answer_to(self, text: str) -> Reply:
        reading = hearing.hear(text, self._lexicon)
        before = [item.state for item in self._agenda.items]
        lines: list[str] = []
        reported = self._hear_report(reading)
        agreed = self._decide(reading, lines)
        refused = self._hear_refusal(reading, agreed, lines)
        hearing.hear_information(self._agenda, reading)
        lines += self._telling.answers(reading, said=lines)
        self._add_requests()
        settled = before != [item.state for item in self._agenda.items]
        if self._tired(reading, progress=settled):
            return self._leave("give_up", lines)
        if agreed:
            return self._send(lines)
        return self._close(reading, lines, reported=reported and not refused)

    # Hearing.

    def _hear_report(self, reading: Reading) -> bool:
        """Note what is done; returns whether the report was clear."""
        clear = hearing.hear_report(self._agenda, reading)
        if self._asked_if_done and hearing.raises_nothing(reading):
            # Whatever answers "tell me when it's done" and names no obstacle says that it is.
            for item in self._agenda.in_state("agreed"):
                item.state = "done"
        self._asked_if_done = False
        return clear

    def _decide(self, reading: Reading, lines: list[str]) -> list[Item]:
        """Answer a proposal; returns the items that the customer agrees to in this turn."""
        agenda = self._agenda
        if hearing.checks_identity(agenda, reading):
            lines.append(self._on_identity(reading))
            return []
        if not reading.has(*PROPOSING):
            wrong = contradictions.wrong_email(self._scenario, self._lexicon, reading)
            lines += [] if wrong is None else [self._words.say("correct", {"right": wrong.right})]
            return []
        content = hearing.proposal_in(agenda, reading, self._pending)
        if content is None:
            lines += self._on_values(reading)
            return []
        items = hearing.proposed_items(agenda, content, self._pending)
        self._pending = content
        if not items:
            lines += self._on_unwanted(reading, content)
            return []
        wrong_values = contradictions.objections(self._scenario, self._lexicon, content, items)
        if wrong_values:
            self._pending = None
            lines.append(self._correct(wrong_values))
            return []
        if hearing.asks_before_yes(agenda, reading, items):
            return []
        twist = self._take_twist(items)
        if twist is not None:
            self._pending = None
            lines.append(self._play(twist))
            return []
        lines.append(self._agree(content, items))
        return items

    def _agree(self, content: Reading, items: list[Item]) -> str:
        """Agree to items, and leave out what else the proposal names."""
        extra = self._agenda.foreign_records(content)
        extra += contradictions.things_too_many(self._lexicon, content, items)
        for item in items:
            item.state, item.raised, item.consented = "agreed", True, True
        if extra:
            return self._words.say("part", {"excluded": " and ".join(extra)})
        return self._words.say("yes")

    def _correct(self, objections: list[contradictions.Objection]) -> str:
        right = " and ".join(dict.fromkeys(one.right for one in objections))
        return self._words.say("correct", {"right": right})

    def _on_identity(self, reading: Reading) -> str:
        """The answer to a check of who the customer is; it agrees to no proposal."""
        raised = [item for item in self._agenda.in_state("open", "agreed") if item.raised]
        wrong = contradictions.identity_objections(self._scenario, self._lexicon, reading)
        wrong += [
            one
            for one in contradictions.objections(self._scenario, self._lexicon, reading, raised)
            if one.slot not in self._scenario.facts
        ]
        return self._correct(wrong) if wrong else self._words.say("right")

    def _on_values(self, reading: Reading) -> list[str]:
        """The answer to a question for a yes that is about values, and no proposal."""
        if not reading.has("asks_confirmation"):
            return []
        raised = [item for item in self._agenda.in_state("open", "agreed") if item.raised]
        wrong = contradictions.objections(self._scenario, self._lexicon, reading, raised)
        if wrong:
            return [self._correct(wrong)]
        known = contradictions.known_values(self._scenario, self._lexicon, raised, reading)
        return [self._words.say("right" if known else "unsure")]

    def _on_unwanted(self, reading: Reading, content: Reading) -> list[str]:
        """The answer to a proposal that no open want matches."""
        self._pending = None
        if self._agenda.settled and not reading.has("asks_confirmation"):
            return []
        again = hearing.already_done(self._agenda, content)
        if again:
            for item in again:
                item.state = "agreed"
            return [self._words.say("already")]
        if hearing.unwanted(self._agenda, content):
            return [self._words.say("no")]
        if reading.has(*ASKING) and not reading.has("asks_confirmation"):
            return []
        return [self._words.say("unsure")]

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

    # Twists.

    def _take_twist(self, items: list[Item]) -> Twist | None:
        for twist in self._twists:
            concerned = self._agenda.items[twist.want]
            if twist.kind != "adds" and concerned in items and concerned.state == "open":
                self._twists.remove(twist)
                return twist
        return None

    def _play(self, twist: Twist, *, late: bool = False) -> str:
        """Say what a twist says; late ones meet a want that may be settled."""
        item = self._agenda.items[twist.want]
        if twist.kind == "declines":
            return self._words.say("late_decline" if late else "decline")
        if twist.kind == "changes_mind":
            item.state = "dropped"
            return self._words.say("late_drop" if late else "drop")
        slots = {**item.want.slots, **twist.slots}
        item.want = item.want.model_copy(update={"slots": slots})
        if item.state == "done":
            item.state, item.consented = "open", False
        words = (in_words(self._lexicon, name, one) for name, one in twist.slots.items())
        right = {"right": " and ".join(words)}
        return self._words.say("late_amend" if late else "amend", right)

    def _add_requests(self) -> None:
        """A twist may add a request once the first is settled."""
        for twist in [one for one in self._twists if one.kind == "adds"]:
            if self._agenda.items[twist.want].state in SETTLED:
                self._add(twist)

    def _add(self, twist: Twist) -> None:
        self._twists.remove(twist)
        if twist.added is not None:
            self._agenda.add(twist.added)

    def _late_twist(self) -> list[str]:
        """What a twist that never met its trigger makes the customer say before it leaves."""
        for twist in [one for one in self._twists if one.kind == "adds"]:
            self._add(twist)
        if self._twists:
            return [self._play(self._twists.pop(0), late=True)]
        return []

    # Ending.

    def _tired(self, reading: Reading, *, progress: bool) -> bool:
        """Count fruitless turns: nothing new was said, asked or settled."""
        news = hearing.news_in(reading.text, self._lexicon)
        fresh = progress or not news <= self._seen
        self._seen |= news
        holding = reading.has("holding") and bool(reading.text.strip())
        self._fruitless = 0 if fresh or holding else self._fruitless + 1
        return self._fruitless >= PATIENCE

    def _leave(self, act: str, lines: list[str]) -> Reply:
        """Leave, but not before every twist was played and every request was said."""
        late = self._late_twist()
        if not late and self._agenda.unraised is not None:
            late = [self._telling.raise_want(self._agenda.unraised)]
        if late:
            self._fruitless, self._thanked = 0, False
            return self._send([*lines, *late])
        return self._send([*lines, self._words.say(act)], ends=True)

    def _close(self, reading: Reading, lines: list[str], *, reported: bool) -> Reply:
        """What is left to say when the message was heard and answered."""
        agenda = self._agenda
        more = reading.has("asks_more")
        free = not agenda.in_state("agreed") and agenda.current is None
        if agenda.unraised is not None and (more or free):
            return self._send([*lines, self._telling.raise_want(agenda.unraised)])
        if agenda.settled and not reading.has(*ASKING, "asks_confirmation", "holding"):
            if (more or reported or self._thanked) and not hearing.is_busy(reading):
                refused = all(item.state == "refused" for item in agenda.items)
                return self._leave("bye_refused" if refused else "bye", lines)
            self._thanked = True
            return self._send(lines or [self._words.say("noted")])
        if lines:
            extra = more and reading.has(*ASKING) and not agenda.settled
            return self._send([*lines, self._words.say("only")] if extra else lines)
        return self._send(self._otherwise(reading))

    def _otherwise(self, reading: Reading) -> list[str]:
        """A line for a message that asked, offered and settled nothing."""
        if not reading.text.strip():
            return [self._words.say("hello")]
        current = self._agenda.current
        if reading.has("holding"):
            # While a proposal is open, nothing that could be taken for a yes.
            open_proposal = self._pending is not None and current is not None
            return [self._words.say("no_hurry" if open_proposal else "wait")]
        if self._agenda.in_state("agreed") and reading.has("asks_more"):
            self._asked_if_done = True
            return [self._words.say("check")]
        if reading.has("asks_more") and current is not None:
            return [self._telling.raise_want(current)]
        if current is None or reading.has("informs", "reports_done", "refuses"):
            return [self._words.say("noted")]
        return [self._words.say("unclear"), self._telling.raise_want(current)]

    def _send(self, lines: list[str], *, ends: bool = False) -> Reply:
        self._last = self._words.line(lines)
        return Reply(self._last, ends)
