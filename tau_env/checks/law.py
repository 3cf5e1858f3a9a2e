"""What a law's verdict is, and how laws are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """One law on one subject.

    Attributes:
        subject: a domain, a task or an environment id.
        law: what must hold, in words.
        ok: whether it does.
        reason: the first thing that breaks it; empty if it holds.
    """

    subject: str
    law: str
    ok: bool
    reason: str = ""


def judge(subject: str, law: str, reasons: Iterable[str]) -> Verdict:
    """The verdict of a law that yields its reasons; the first one is told."""
    reason = next(iter(reasons), None)
    return Verdict(subject=subject, law=law, ok=reason is None, reason=reason or "")


def first_line(check: Callable[..., Iterator[str]]) -> str:
    """A law's sentence: the first line of its docstring, without the full stop."""
    return (check.__doc__ or check.__name__).strip().splitlines()[0].rstrip(".")
