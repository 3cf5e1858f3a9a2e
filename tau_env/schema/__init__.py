"""The nouns that modules hand to one another, as frozen models; no behaviour beyond checking.

Read in this order: `patch` (what changed), `domain` (what may be known of a domain without its
world), `task` (one problem), `trial` (what happened and how it was judged).
"""

from tau_env.schema.base import Frozen, Value, canonical_json, digest
from tau_env.schema.domain import DomainSpec, Lexicon, Rule, Slot, ToolSpec
from tau_env.schema.patch import Patch, RowChange, sort_patch
from tau_env.schema.task import (
    CallPattern,
    Fact,
    Lure,
    Output,
    Path,
    Requirement,
    Scenario,
    Step,
    Task,
    TaskFile,
    Twist,
    Want,
)
from tau_env.schema.trial import (
    VOLATILE,
    Attempt,
    Briefing,
    Budgets,
    Call,
    EndReason,
    Evidence,
    Grade,
    Outcome,
    Transcript,
    Trial,
    Turn,
    Usage,
    lasting,
)

__all__ = [
    "VOLATILE",
    "Attempt",
    "Briefing",
    "Budgets",
    "Call",
    "CallPattern",
    "DomainSpec",
    "EndReason",
    "Evidence",
    "Fact",
    "Frozen",
    "Grade",
    "Lexicon",
    "Lure",
    "Outcome",
    "Output",
    "Patch",
    "Path",
    "Requirement",
    "RowChange",
    "Rule",
    "Scenario",
    "Slot",
    "Step",
    "Task",
    "TaskFile",
    "ToolSpec",
    "Transcript",
    "Trial",
    "Turn",
    "Twist",
    "Usage",
    "Value",
    "Want",
    "canonical_json",
    "digest",
    "lasting",
    "sort_patch",
]
