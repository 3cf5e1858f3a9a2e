"""Every exception of the package, one line each, with its exit code.

User mistakes exit 2 and are shown as one line that says what to do; failures of what was checked
exit 1. A bug is none of these and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name: `` Did you mean 'x'?``, or nothing."""
    near = get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


class TauEnvError(Exception):
    """Base of every error that this package raises on purpose."""

    exit_code = 1


class UserMistake(TauEnvError):
    """Something the caller can mend: the message names the value, the rule and the next step."""

    exit_code = 2


class UnknownName(UserMistake):
    """No domain, task, agent, tool, user or grader of that name; the nearest match is offered."""


class BadTask(UserMistake):
    """A task or task file that breaks the schema, or in which nothing would be graded."""


class BadContent(UserMistake):
    """A policy, catalogue or record file that is missing, torn or not what it claims to be."""


class BadDomain(UserMistake):
    """A domain whose parts do not fit together: spec, tools, schema, policy."""


class BadAction(UserMistake):
    """An action that is not a say, call or end action, with the shape that was expected."""


class EpisodeOver(UserMistake):
    """A step after the end of an episode: call reset first."""


class EpisodeNotStarted(UserMistake):
    """A step before the first reset."""


class BadArgument(UserMistake, ValueError):
    """A call of ours with a value outside its range: the argument, the value and the rule."""


class MissingDependency(UserMistake):
    """An optional part that is not installed: what to install."""


class StatementDenied(TauEnvError):
    """A tool tried SQL that tools may not use (transactions, PRAGMA, ATTACH, DDL, bookkeeping)."""


class Refused(Exception):
    """A tool declines a call: raised inside tools as ``Refused(rule_id, text)``; not an error.

    Args:
        rule: the policy rule that forbids it, or ``""`` for a plain impossibility (no such id).
        text: what the agent is told.
    """

    def __init__(self, rule: str, text: str) -> None:
        super().__init__(text)
        self.rule = rule
        self.text = text


class Crash(TauEnvError):
    """A trial died of infrastructure, not of the agent; an agent's client raises it to say so."""


class ContextOverflow(TauEnvError):
    """The conversation no longer fits the agent's model: the trial ends so, no crash, no rerun."""


class UserFault(TauEnvError):
    """The simulated customer did not keep to its scenario: the trial is ungraded, nobody's loss."""


class Locked(UserMistake):
    """Another process is writing this study: the message says which."""


class StudyAborted(TauEnvError):
    """The first trials of a run all crashed: nothing would come of the others."""


class NotEnoughData(UserWarning):
    """Data that cannot answer the question; the result is NaN, never a comforting number."""
