"""A proposed value of which the customer's yes replaces a part: "yes, but number 14"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tau_env.graders._agreement import Agreement, Spoken
from tau_env.graders._said import phrase


def is_corrected(value: object, agreement: Agreement) -> bool:
    """Whether a value is the proposed one with a part replaced as the customer said.

    Token by token: the parts that differ from what was proposed stand in the customer's answer,
    and at least one part stays.

    Args:
        value: of the call.
        agreement: the proposal and the answers to it.

    Returns:
        True for ``14 Elm Street`` after "12 Elm Street" and "yes, but number 14".
    """
    wanted = phrase(value).split()
    answered = {word for one in agreement.answers() if _changes(one) for word in _kept(one)}
    if len(wanted) < 2 or answered.isdisjoint(wanted):
        return False
    for proposed in _proposed(agreement, len(wanted)):
        pairs = list(zip(wanted, proposed, strict=True))
        changed = {new for new, old in pairs if new != old}
        if changed and len(changed) < len(wanted) and changed <= answered:
            return True
    return False


def missed_correction(values: Iterable[object], agreement: Agreement) -> str:
    """A number that the customer's answer puts in place of a proposed one and the call leaves out.

    Args:
        values: all values of the call.
        agreement: the proposal and the answers to it.

    Returns:
        The number, where a value of the call begins with another one that was proposed and is
        written alike; empty if there is none.
    """
    called = [phrase(value).split() for value in values]
    words = {word for value in called for word in value}
    numbers = {value[0] for value in called if len(value) > 1 and value[0].isdigit()}
    proposed = {word for one in agreement.window for word in one.said.whole.split()}
    for one in agreement.answers():
        if not _changes(one):
            continue
        for word in _kept(one):
            alike = any(len(word) == len(number) for number in numbers & proposed)
            if word.isdigit() and alike and word not in words | proposed:
                return word
    return ""


def _changes(one: Spoken) -> bool:
    return one.reply is not None and one.reply.kind == "yes_but"


def _kept(one: Spoken) -> list[str]:
    """The words of an answer without what it says it does not want."""
    excluded = {
        word
        for literal in (one.reply.excluded if one.reply else ())
        for word in phrase(literal.text).split()
    }
    return [word for word in one.said.whole.split() if word not in excluded]


def _proposed(agreement: Agreement, size: int) -> Iterator[list[str]]:
    for one in agreement.window:
        if one.agent:
            words = one.said.aim.whole.split()
            for start in range(len(words) - size + 1):
                yield words[start : start + size]
