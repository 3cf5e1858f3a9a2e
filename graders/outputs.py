"""Whether every required fact was told to the customer, and none of them by reciting numbers.

Facts are values: money, numbers, dates, ids, words of a closed vocabulary. How they are put is
not judged; the accept table is docs/what-counts.md.
"""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from tau_env.graders._facts import amounts_in, numbers_in, per_spec, plain
from tau_env.language.literals import find_literals
from tau_env.language.reading import Literal
from tau_env.schema import (
    DomainSpec,
    Evidence,
    Grade,
    Lexicon,
    Outcome,
    Output,
    Task,
    Transcript,
)

MAX_GUESSES = 20
"""So many told numbers and dates of unknown origin are borne; more are an enumeration."""
_DAY = re.compile(r"\b\d{4}-\d\d-\d\d")
_JOINED = re.compile(r"(?:[\s,;/'\"*_`()-]|\b(?:or|and|the|a|an|either|in)\b)*", re.IGNORECASE)
_SERIES = 3
"""So many words of one slot in a row are a series, which tells none of them."""

_KINDS = {
    "money": ("money", "number"),
    "number": ("number", "money"),
    "date": ("date",),
    "id": ("id",),
    "word": ("word",),
}


def grade_outputs(task: Task, transcript: Transcript, outcome: Outcome, spec: DomainSpec) -> Grade:
    """Judge whether the agent told the customer every required output.

    Args:
        task: its `outputs` are what must be told.
        transcript: only what the agent said counts, not text beside a call.
        outcome: not used; every grader has the same signature.
        spec: the lexicon and the rules, whose numbers an agent may quote.

    Returns:
        A grade that passes if every output was told in at least one message and at most
        `MAX_GUESSES` numbers came from nowhere, which is also asked where nothing must be told.
        Evidence names the turns, or the nearest text of an output that was not told.
    """
    failing: list[Evidence] = []
    found: list[Evidence] = []
    for output in task.outputs:
        turns = told(transcript, output, spec)
        if turns:
            found.append(Evidence(text=f"told {_shown(output)}", turns=turns))
        else:
            failing.append(_unmatched(transcript, output, spec))
    guesses = _guesses(transcript, spec)
    if len(guesses) > MAX_GUESSES:
        some = ", ".join(list(guesses)[:5])
        failing.append(
            Evidence(
                text=f"enumeration: {len(guesses)} numbers and dates come from no result, customer "
                f"text, rule or calculation, {MAX_GUESSES} are borne ({some}, ...)",
                turns=tuple(sorted(set(guesses.values()))),
            )
        )
    return Grade(
        grader="outputs",
        passed=not failing,
        checked=bool(task.outputs or failing),
        evidence=(*failing, *found),
    )


def told(transcript: Transcript, output: Output, spec: DomainSpec) -> tuple[int, ...]:
    """Find the turns in which the agent told an output.

    Args:
        transcript: the trial's turns.
        output: the fact.
        spec: for its lexicon.

    Returns:
        Numbers (1-based) of the agent's messages that state it, in order.
    """
    lexicon = spec.lexicon
    if output.kind == "id" or (output.kind == "word" and output.slot not in lexicon.slots):
        pattern = _written(output.kind, str(output.value))
        return tuple(
            number
            for number, turn in enumerate(transcript, start=1)
            if turn.who == "agent" and pattern.search(turn.text)
        )
    return tuple(
        number
        for number, turn in enumerate(transcript, start=1)
        if turn.who == "agent"
        and any(_states(one, output) for one in _single(turn.text, output, spec))
    )


def _single(text: str, output: Output, spec: DomainSpec) -> Sequence[Literal]:
    """The values in a text; words of the output's slot only where they are no series of all."""
    found = find_literals(text, spec.lexicon)
    if output.kind != "word":
        return found
    words = [one for one in found if one.kind == "word" and one.slot == output.slot]
    most = min(_SERIES, len(spec.lexicon.slots[output.slot].words))
    kept: list[Literal] = []
    for run in _runs(words, text):
        values = {one.value for one in run}
        kept += run if len(values) < max(2, most) else []
    return kept


def _runs(words: Sequence[Literal], text: str) -> list[list[Literal]]:
    """Words of one slot, those that only a comma or an "or" parts together."""
    runs: list[list[Literal]] = []
    for one in words:
        last = runs[-1][-1] if runs else None
        if last is not None and _JOINED.fullmatch(text, last.end, one.start):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


@lru_cache(maxsize=1024)
def _written(kind: str, value: str) -> re.Pattern[str]:
    if kind == "id":
        core = re.escape(value.removeprefix("#"))
        return re.compile(rf"(?<![\w#.-])#?{core}(?![\w@]|[.-]\w)")
    words = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", value)))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)


def _states(one: Literal, output: Output) -> bool:
    """Whether a literal states an output: the accept table."""
    wanted = output.value
    if output.kind == "money":
        if one.kind == "money":
            return abs(int(one.value)) == abs(int(wanted))
        return (
            one.kind == "number"
            and bool(re.search(r"\.[0-9]{2}$", one.text))
            and abs(Decimal(one.value)) * 100 == abs(int(wanted))
        )
    if output.kind == "number":
        return one.kind in ("number", "money") and abs(_amount(one)) == abs(Decimal(str(wanted)))
    if output.kind == "date":
        return one.kind == "date" and (
            one.value == wanted
            or (str(one.value).startswith("--") and one.value == f"--{str(wanted)[5:]}")
        )
    return one.kind == "word" and one.slot == output.slot and one.value == wanted


def _amount(one: Literal) -> Decimal:
    return Decimal(one.value) / 100 if one.kind == "money" else Decimal(one.value)


def _shown(output: Output) -> str:
    if output.kind == "money":
        return f"${abs(int(output.value)) / 100:,.2f}"
    return f"{output.kind} {output.value}"


def _unmatched(transcript: Transcript, output: Output, spec: DomainSpec) -> Evidence:
    """Report an output that was not told, with the nearest thing that was."""
    near = [
        (_distance(one, output), number, one.text)
        for number, turn in enumerate(transcript, start=1)
        if turn.who == "agent"
        for one in find_literals(turn.text, spec.lexicon)
        if one.kind in _KINDS[output.kind]
    ]
    text = f"unmatched: no message of the agent says {_shown(output)}"
    if not near:
        return Evidence(text=f"{text}; nothing of its kind was told")
    _, number, nearest = min(near)
    return Evidence(text=f"{text}; nearest is {nearest!r}", turns=(number,))


def _distance(one: Literal, output: Output) -> float:
    wanted = str(output.value)
    if output.kind == "money":
        return float(abs(abs(_amount(one)) * 100 - abs(int(output.value))))
    try:
        if output.kind == "number":
            return float(abs(abs(_amount(one)) - abs(Decimal(wanted))))
        if output.kind == "date":
            there = datetime.date.fromisoformat(str(one.value).replace("--", wanted[:5], 1))
            return float(abs((there - datetime.date.fromisoformat(wanted)).days))
    except (InvalidOperation, ValueError):
        pass
    return 1.0 - difflib.SequenceMatcher(None, str(one.value).lower(), wanted.lower()).ratio()


@per_spec
def _rule_numbers(spec: DomainSpec) -> frozenset[str]:
    """Numbers that the policy's rules give; number words too."""
    texts = [rule.text for rule in spec.rules]
    words = {
        plain(_amount(one))
        for text in texts
        for one in find_literals(text, spec.lexicon)
        if one.kind in ("number", "money")
    }
    return frozenset(words).union(*(numbers_in(text) for text in texts))


def _guesses(transcript: Transcript, spec: DomainSpec) -> dict[str, int]:
    """Numbers and dates that the agent told before anything gave them, with their first turns."""
    lexicon = spec.lexicon
    firsts: dict[str, int] = {}
    for number, turn in enumerate(transcript, start=1):
        if turn.who == "agent":
            for one in find_literals(turn.text, lexicon):
                if one.kind in ("number", "money"):
                    firsts.setdefault(plain(_amount(one)), number)
                elif one.kind == "date":
                    firsts.setdefault(str(one.value), number)
    if len(firsts) <= MAX_GUESSES:
        return {}
    known: set[str] = set(_rule_numbers(spec))
    amounts: set[Decimal] = set()
    guesses: dict[str, int] = {}
    derived = 0
    for number, turn in enumerate(transcript, start=1):
        if turn.who == "customer":
            known |= numbers_in(turn.text)
            known |= {
                plain(_amount(one))
                for one in find_literals(turn.text, lexicon)
                if one.kind in ("number", "money")
            }
            known |= _days_in(turn.text, lexicon)
        elif turn.call is not None:
            known |= numbers_in(turn.call.result)
            known.update(_DAY.findall(turn.call.result))
            amounts |= amounts_in(turn.call.result)
        for told_here in [value for value, first in firsts.items() if first == number]:
            if told_here in known or told_here.startswith("--"):
                continue
            if _DAY.fullmatch(told_here):
                guesses[told_here] = number
                continue
            if Decimal(told_here) in amounts:
                continue
            if derived < MAX_GUESSES and _is_calculated(Decimal(told_here), amounts):
                derived += 1
                continue
            guesses[told_here] = number
    return guesses


def _days_in(text: str, lexicon: Lexicon) -> set[str]:
    return {str(one.value) for one in find_literals(text, lexicon) if one.kind == "date"}


def _is_calculated(value: Decimal, amounts: set[Decimal]) -> bool:
    """Whether it is the sum or difference of two amounts that tools gave."""
    return any(value - one in amounts or value + one in amounts for one in amounts)
