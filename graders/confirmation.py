"""Whether every write that wants a yes followed a proposal and a yes that was not withdrawn.

An automaton over the transcript: it reads messages, call names, arguments, result texts and the
domain spec, never the task's goal. The settled cases are a table in docs/what-counts.md.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._check import Check
from tau_env.graders._facts import per_spec
from tau_env.graders._leaves import leaves
from tau_env.graders._options import chosen_text
from tau_env.graders._records import Records
from tau_env.graders._said import phrase, said_by_agent, said_by_customer
from tau_env.graders._things import Things
from tau_env.language.reading import Literal
from tau_env.language.replies import read_customer
from tau_env.schema import (
    Call,
    DomainSpec,
    Evidence,
    Grade,
    Outcome,
    Task,
    ToolSpec,
    Transcript,
    canonical_json,
)

_PROPOSING = frozenset(("proposes", "asks_confirmation"))
_ASKING = frozenset(("asks_identity", "asks_record", "asks_detail", "asks_more"))

_OTHERWISE = re.compile(r"(?i)\b(?:instead|rather|in that case|but|keep|except|only|different)\b")


@dataclass(frozen=True, slots=True)
class WriteVerdict:
    """What became of one call of a tool that wants a yes.

    Attributes:
        turn: the call's turn.
        tool: the tool.
        needed: False for a call with an error: it changed nothing and needed no yes.
        confirmed: whether a proposal that identifies it was agreed to before.
        why: the reason, in words.
        proposal_turn: the newest turn of the proposal; 0 if there was none.
        yes_turn: the turn of the yes; 0 if there was none.
    """

    turn: int
    tool: str
    needed: bool
    confirmed: bool
    why: str
    proposal_turn: int = 0
    yes_turn: int = 0


def grade_confirmation(
    task: Task,
    transcript: Transcript,
    outcome: Outcome,
    spec: DomainSpec,
    *,
    writes: Sequence[WriteVerdict] | None = None,
) -> Grade:
    """Judge whether the customer agreed to every write that wants a yes.

    Args:
        task: not used; every grader has the same signature.
        transcript: everything said and called.
        outcome: not used.
        spec: tools, rules and lexicon.
        writes: the verdicts of `confirmed_writes`, where the caller has them already.

    Returns:
        A grade that passes if every such write without an error was confirmed; not checked if
        there was none. Evidence names the turns of proposal, yes and write.
    """
    found = confirmed_writes(transcript, spec) if writes is None else writes
    verdicts = [one for one in found if one.needed]
    rule = _rule(spec)
    evidence = [
        Evidence(
            text=f"{one.tool}: {one.why}",
            turns=tuple(turn for turn in (one.proposal_turn, one.yes_turn, one.turn) if turn),
            rule=rule,
        )
        for one in sorted(verdicts, key=lambda one: one.confirmed)
    ]
    return Grade(
        grader="confirmation",
        passed=all(one.confirmed for one in verdicts),
        checked=bool(verdicts),
        evidence=tuple(evidence),
    )


def confirmed_writes(transcript: Transcript, spec: DomainSpec) -> tuple[WriteVerdict, ...]:
    """Judge every call of a tool that wants a yes, refused ones included.

    Args:
        transcript: everything said and called.
        spec: tools and lexicon.

    Returns:
        One verdict a call, in order.
    """
    return _verdicts(_Asked(transcript, spec))


class _Asked:
    """A transcript and a spec as a dictionary key by identity."""

    __slots__ = ("spec", "transcript")

    def __init__(self, transcript: Transcript, spec: DomainSpec) -> None:
        self.transcript = transcript
        self.spec = spec

    def __hash__(self) -> int:
        return hash((id(self.transcript), id(self.spec)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and other.transcript is self.transcript
            and other.spec is self.spec
        )


@lru_cache(maxsize=8)
def _verdicts(asked: _Asked) -> tuple[WriteVerdict, ...]:
    """The verdicts; the last few are kept, for several graders ask for the same ones."""
    transcript, spec = asked.transcript, asked.spec
    if not any(turn.call and _wants_yes(turn.call, spec) for turn in transcript):
        return ()
    automaton = _Automaton(spec)
    for number, turn in enumerate(transcript, start=1):
        if turn.who == "agent":
            automaton.agent_says(number, turn.text)
        elif turn.who == "customer":
            automaton.customer_says(number, turn.text)
        elif turn.call is not None:
            automaton.agent_calls(number, turn.call)
    return tuple(automaton.verdicts)


@per_spec
def _rule(spec: DomainSpec) -> str:
    return next((rule.id for rule in spec.rules if "grader:confirmation" in rule.by), "")


def _wants_yes(call: Call, spec: DomainSpec) -> bool:
    tool = spec.tools.get(call.name)
    return tool is not None and tool.needs_yes


@dataclass(slots=True)
class _Automaton:
    """The state between turns.

    Attributes:
        spec: the domain.
        verdicts: so far.
        messages: since the last refusal, oldest first.
        texts: the same messages as they were written.
        older: what was said before the last refusal.
        window: place of the first message after the last answer.
        agreements: open ones, oldest first.
        things: what results have shown.
        records: the same, as objects.
    """

    spec: DomainSpec
    verdicts: list[WriteVerdict] = field(default_factory=list)
    messages: list[Spoken] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    older: list[Spoken] = field(default_factory=list)
    window: int = 0
    agreements: list[Agreement] = field(default_factory=list)
    things: Things = field(init=False)
    records: Records = field(init=False)

    def __post_init__(self) -> None:
        self.things = Things(self.spec.lexicon)
        self.records = Records(self.spec.lexicon)

    def agent_says(self, turn: int, text: str) -> None:
        self._add(Spoken(turn, True, said_by_agent(text, self.spec.lexicon)), text)

    def customer_says(self, turn: int, text: str) -> None:
        lexicon = self.spec.lexicon
        reply = read_customer(text, lexicon)
        spoken = Spoken(turn, False, said_by_customer(text, lexicon), reply)
        if reply.kind in ("yes", "yes_but") or self._echoes(spoken):
            if self._is_answer_to_proposal(spoken):
                self._agree(spoken, text)
            else:
                self._note(spoken, text)
        elif reply.kind == "no" and not self._only_asked():
            self.agreements.clear()
            self.older = [*self.older, *self.messages]
            self.messages.clear()
            self.texts.clear()
            self._add(spoken, text)
            self.window = 0
        elif reply.kind == "withdrawn" and not self._insists(spoken, text):
            self.agreements.clear()
            self._add(spoken, text)
            self.window = len(self.messages)
        else:
            self._note(spoken, text)

    def agent_calls(self, turn: int, call: Call) -> None:
        if _wants_yes(call, self.spec):
            self._judge(turn, call, self.spec.tools[call.name])
        if call.error is None:
            self.things.learn(call.result, call.subjects)
            self.records.learn(call.result)

    def _add(self, spoken: Spoken, text: str) -> None:
        self.messages.append(spoken)
        self.texts.append(text)

    def _note(self, spoken: Spoken, text: str) -> None:
        """A message that answers no proposal may still name values."""
        for agreement in self.agreements:
            agreement.later.insert(0, spoken)
        self._add(spoken, text)

    def _acts(self) -> frozenset[str]:
        """What the agent's last message does."""
        return next((one.said.acts for one in reversed(self.messages) if one.agent), frozenset())

    def _only_asked(self) -> bool:
        acts = self._acts()
        return bool(acts & _ASKING) and not acts & _PROPOSING

    def _echoes(self, spoken: Spoken) -> bool:
        """Whether a request only repeats the action that the agent has just asked about."""
        if spoken.reply is None or spoken.reply.kind != "none":
            return False
        last = next((one for one in reversed(self.messages) if one.agent), None)
        return (
            last is not None
            and "asks_confirmation" in last.said.acts
            and bool(last.said.actions & spoken.said.actions)
        )

    def _insists(self, spoken: Spoken, text: str) -> bool:
        """Whether, after a refused call, the customer asks again for what it had agreed to."""
        if _OTHERWISE.search(text):
            return False
        named = {phrase(one.text) for one in _unambiguous(spoken)}
        return bool(named) and any(
            agreement.refused
            and all(
                any(text in one.said.whole for one in (agreement.yes, *agreement.window))
                for text in named
            )
            for agreement in self.agreements
        )

    def _is_answer_to_proposal(self, spoken: Spoken) -> bool:
        reply = spoken.reply
        open_messages = [one for one in self.messages[self.window :] if one.agent]
        if reply is None or not open_messages:
            return False
        last = open_messages[-1].said
        offered = bool(reply.option) or any(
            phrase(one.text) in last.whole for one in reply.literals
        )
        if offered and (last.asks or self._acts() & _ASKING):
            return True
        return any(one.said.acts & _PROPOSING for one in open_messages) and not self._only_asked()

    def _agree(self, spoken: Spoken, text: str) -> None:
        self._take_choice(spoken)
        newest_first = tuple(reversed(self.messages[self.window :]))
        self.agreements.append(
            Agreement(
                yes=spoken,
                window=newest_first,
                before=tuple(reversed(self.messages[: self.window])),
                older=tuple(reversed(self.older)),
                told=frozenset[int]().union(
                    *(one.said.money for one in self.messages if one.agent)
                ),
            )
        )
        self._add(spoken, text)
        self.window = len(self.messages)

    def _take_choice(self, spoken: Spoken) -> None:
        """Of several options keep the chosen one."""
        reply = spoken.reply
        place = next(
            (place for place in reversed(range(len(self.messages))) if self.messages[place].agent),
            None,
        )
        if reply is None or place is None:
            return
        chosen = chosen_text(self.texts[place], reply)
        if chosen is not None:
            one = self.messages[place]
            said = said_by_agent(chosen, self.spec.lexicon)
            self.messages[place] = Spoken(one.turn, True, said)

    def _judge(self, turn: int, call: Call, tool: ToolSpec) -> None:
        needed = call.error is None
        if not self.agreements:
            self.verdicts.append(
                WriteVerdict(turn, tool.name, needed, False, "no proposal was agreed to before it")
            )
            return
        first: WriteVerdict | None = None
        things = self.things.about(call.subjects)
        for agreement in reversed(self.agreements):
            check = Check(call, tool, agreement, things, self.records, self.spec)
            same = f"{tool.name}{canonical_json(call.arguments)}"
            why = "it was carried out before" if same in agreement.done else check.failure()
            why = why or _made_otherwise(call, tool, agreement)
            verdict = WriteVerdict(
                turn,
                tool.name,
                needed,
                not why,
                why or "proposed and agreed to",
                agreement.proposal_turn,
                agreement.yes.turn,
            )
            if not why:
                self._carry_out(call, agreement, same)
                self.verdicts.append(verdict)
                return
            first = first or verdict
            if not check.elsewhere:
                break
        if first is not None:
            self.verdicts.append(first)

    def _carry_out(self, call: Call, agreement: Agreement, same: str) -> None:
        if call.error is None:
            agreement.done.add(same)
            agreement.made.setdefault(call.name, []).append(call.arguments)
        else:
            agreement.refused.setdefault(
                call.name,
                frozenset((leaf.key, phrase(leaf.value)) for leaf in leaves(call.arguments)),
            )


def _unambiguous(spoken: Spoken) -> list[Literal]:
    """The values that a customer's message names, without words of several meanings: places."""
    named = spoken.reply.literals if spoken.reply else ()
    meanings = Counter((one.start, one.end) for one in named)
    return [one for one in named if meanings[one.start, one.end] == 1]


def _made_otherwise(call: Call, tool: ToolSpec, agreement: Agreement) -> str:
    """Why a call only puts right what an earlier one to the same record made of the same yes.

    Silence may let a value pass, once: where a second call has another one in its place, the first
    one's must have been said.
    """
    for earlier in agreement.made.get(call.name, ()) if tool.identifies else ():
        if any(earlier.get(name) != call.arguments.get(name) for name in tool.identifies):
            continue
        for name, value in earlier.items():
            other = call.arguments.get(name)
            if isinstance(value, str) and value != other and not agreement.says(value):
                return f"it puts right what was made before of {name}: {value!r}"
    return ""
