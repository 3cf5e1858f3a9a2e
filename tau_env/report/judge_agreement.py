"""How far a judge agrees with labels by people, requirement by requirement and in all.

Here labels are read and put beside verdicts; kappa itself is in :mod:`tau_env.stats.agreement`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tau_env.errors import BadContent
from tau_env.report._rows import load_rows
from tau_env.schema.rubric import Judgement, Verdict
from tau_env.stats.agreement import Agreement, cohen_kappa

WORDS = {"met": True, "true": True, "yes": True, "pass": True, "passed": True, "1": True}
WORDS |= {"unmet": False, "false": False, "no": False, "fail": False, "failed": False, "0": False}
LABEL = ("label", "met", "verdict", "passed")
"""Names of the column with the label; the first that is there."""


@dataclass(frozen=True)
class Label:
    """What a person says of one requirement of one trial.

    Attributes:
        agent: the trial's agent; empty if the file does not say.
        task: its task.
        trial: its number.
        rubric: id of the rubric; empty if the file does not say.
        requirement: id of the requirement.
        met: what the person says.
    """

    agent: str
    task: str
    trial: int
    rubric: str
    requirement: str
    met: bool


@dataclass(frozen=True)
class JudgeAgreement:
    """Labels against verdicts of one requirement, or of all.

    Attributes:
        rubric: id of the rubric; empty for all.
        requirement: id of the requirement; empty for all.
        labels: labels that were given.
        compared: of these, with a verdict of met or unmet.
        not_reached: of these, not judged because a prerequisite failed.
        ungraded: of these, without a verdict.
        agreement: kappa and what it is made of; None if nothing could be compared.
    """

    rubric: str
    requirement: str
    labels: int
    compared: int
    not_reached: int
    ungraded: int
    agreement: Agreement | None


def read_labels(path: str | Path) -> tuple[Label, ...]:
    """Read labels: CSV, JSON or JSON lines with task, trial, requirement and label.

    Args:
        path: the file; agent and rubric are further columns, and needed only where verdicts are of
            several. A requirement may be written ``rubric/requirement``.

    Raises:
        BadContent: a column is missing, a label is none, or one is given twice.
    """
    found: dict[tuple[str, str, int, str, str], Label] = {}
    for number, row in enumerate(load_rows(Path(path)), 1):
        one = _label(path, number, row)
        key = (one.agent, one.task, one.trial, one.rubric, one.requirement)
        if key in found:
            raise BadContent(f"{path}, record {number}: this label is given twice; keep one")
        found[key] = one
    return tuple(found.values())


def _label(path: str | Path, number: int, row: Mapping[str, Any]) -> Label:
    name = next((one for one in LABEL if one in row), None)
    missing = [one for one in ("task", "trial", "requirement") if row.get(one) in (None, "")]
    if missing or name is None:
        raise BadContent(
            f"{path}, record {number}: has no {(*missing, 'label')[0]}; a label has task, trial, "
            "requirement and label (met or unmet)"
        )
    met = WORDS.get(str(row[name]).strip().lower())
    if met is None:
        raise BadContent(f"{path}, record {number}: label {row[name]!r} is neither met nor unmet")
    trial = str(row["trial"]).strip()
    if not trial.isdecimal():
        raise BadContent(f"{path}, record {number}: trial {trial!r} is no number")
    rubric, _, requirement = str(row["requirement"]).rpartition("/")
    return Label(
        agent=str(row.get("agent") or ""),
        task=str(row["task"]),
        trial=int(trial),
        rubric=str(row.get("rubric") or rubric),
        requirement=requirement,
        met=met,
    )


def judge_agreement(
    labels: Sequence[Label], judged: Iterable[Judgement], *, level: float = 0.95
) -> tuple[JudgeAgreement, ...]:
    """Compare labels with verdicts: all together first, then each requirement.

    Args:
        labels: from `read_labels`.
        judged: judgements, one a trial.
        level: coverage of the intervals; items of one trial are taken as one cluster.

    Raises:
        BadContent: a label of which no judgement tells, or that fits several.
    """
    verdicts: dict[tuple[str, int], list[tuple[str, Verdict]]] = {}
    for one in judged:
        own = verdicts.setdefault((one.task, one.trial), [])
        own += [(one.agent, said) for said in one.verdicts]
    pairs = [(label, _verdict_for(label, verdicts)) for label in labels]
    names = dict.fromkeys((said.rubric, said.requirement) for _, said in pairs)
    each = [
        _compared(
            name, [one for one in pairs if (one[1].rubric, one[1].requirement) == name], level
        )
        for name in names
    ]
    return (_compared(("", ""), pairs, level), *each)


def _verdict_for(
    label: Label, verdicts: Mapping[tuple[str, int], list[tuple[str, Verdict]]]
) -> Verdict:
    found = [
        said
        for agent, said in verdicts.get((label.task, label.trial), ())
        if said.requirement == label.requirement
        and label.rubric in ("", said.rubric)
        and label.agent in ("", agent)
    ]
    if len(found) == 1:
        return found[0]
    what = f"{label.requirement!r} of trial {label.trial} of {label.task}"
    if not found:
        raise BadContent(
            f"no verdict for the label of {what}: judge that trial, or drop the label (a verdict "
            "that is missing is in the file as ungraded)"
        )
    raise BadContent(f"{len(found)} verdicts for the label of {what}: say its agent and rubric")


def _compared(
    name: tuple[str, str], pairs: Sequence[tuple[Label, Verdict]], level: float
) -> JudgeAgreement:
    graded = [(label, said) for label, said in pairs if said.verdict in ("met", "unmet")]
    words = [said.verdict for _, said in pairs]
    agreement = None
    if graded:
        agreement = cohen_kappa(
            [label.met for label, _ in graded],
            [said.verdict == "met" for _, said in graded],
            clusters=[f"{one.agent}/{one.task}/{one.trial}" for one, _ in graded],
            level=level,
        )
    return JudgeAgreement(
        rubric=name[0],
        requirement=name[1],
        labels=len(pairs),
        compared=len(graded),
        not_reached=words.count("not_reached"),
        ungraded=words.count("ungraded"),
        agreement=agreement,
    )
