"""What went wrong in an agent's trials: classes, lures, customers, families, tasks to read."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tau_env.harness.lures import lure_counts
from tau_env.report.reliability import collected
from tau_env.schema import Task, Trial
from tau_env.stats.horizon import LengthBin, success_by_length

CLASSES = ("wrong_value", "extra_effect", "missing_effect")


@dataclass(frozen=True)
class Share:
    """A count with what it is a share of.

    Attributes:
        name: what is counted.
        count: how many.
        of: of how many; 0 where nothing could be counted.
    """

    name: str
    count: int
    of: int

    @property
    def rate(self) -> float | None:
        """The count over its whole; None where nothing could be counted."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True)
class TaskLine:
    """One task of one agent.

    Attributes:
        task: its id.
        family: its family.
        kind: its kind.
        passes: passed trials.
        graded: trials with a verdict.
        planned: trials planned.
        length: steps of its reference solution; None where the task is not known.
        reason: the first reason why a trial failed.
        command: shows the first trial that failed; empty if none did.
    """

    task: str
    family: str
    kind: str
    passes: int
    graded: int
    planned: int
    length: int | None
    reason: str
    command: str

    @property
    def rate(self) -> float | None:
        """Share of graded trials that passed; None without one."""
        return self.passes / self.graded if self.graded else None


def classes(trials: Sequence[Trial]) -> tuple[Share, ...]:
    """Of the failed trials, how many show each failure class, failed each part, ended each way.

    A trial may be in several classes and parts, so shares do not add up to one.
    """
    failed = [trial for trial in trials if trial.passed is False]
    found: Counter[str] = Counter()
    for trial in failed:
        if trial.grade is None:
            continue
        found.update(f"class {name}" for name in CLASSES if trial.grade.scores.get(name, 0) > 0)
        found.update(f"part {name}" for name, one in trial.grade.parts.items() if not one.passed)
        found[f"end {trial.end_reason}"] += 1
    named = [f"class {name}" for name in CLASSES]
    others = sorted(set(found) - set(named), key=lambda name: (name.split()[0] != "part", name))
    return tuple(Share(name, found[name], len(failed)) for name in (*named, *others))


def lures(trials: Sequence[Trial], tasks: Mapping[str, Task]) -> tuple[Share, ...]:
    """How often each kind of lure was taken, over graded trials of tasks that hold one.

    Where a task holds several kinds, taking any counts for each of them.

    Args:
        trials: of one agent.
        tasks: tasks by id; trials of others are left out.
    """
    counts = lure_counts(trials, tasks)
    return tuple(Share(one.kind, one.taken, one.met) for one in counts)


def customers(trials: Sequence[Trial], tasks: Mapping[str, Task]) -> tuple[Share, ...]:
    """How often graded trials passed, by the customer's manner and by what it changes on the way.

    Args:
        trials: of one agent.
        tasks: tasks by id; of other trials only the manner is known.
    """
    groups: dict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        if trial.passed is None:
            continue
        groups[f"manner {trial.style or 'unknown'}"].append(trial.passed)
        task = tasks.get(trial.task)
        if task is not None:
            kinds = {f"twist {twist.kind}" for twist in task.scenario.twists}
            for name in kinds or {"no twist"}:
                groups[name].append(trial.passed)
    return tuple(Share(name, sum(passed), len(passed)) for name, passed in sorted(groups.items()))


def task_lines(
    trials: Sequence[Trial],
    tasks: Sequence[str],
    known: Mapping[str, Task],
    *,
    planned: int,
    file: str,
) -> tuple[TaskLine, ...]:
    """Every task, the worst first; tasks without a graded trial come before all.

    Args:
        trials: of one agent.
        tasks: ids of all tasks planned.
        known: tasks by id, where they are known.
        planned: trials a task.
        file: the study's file, for the commands.
    """
    own: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        own[trial.task].append(trial)
    lines = [_line(name, own[name], known.get(name), planned, file) for name in tasks]
    return tuple(sorted(lines, key=lambda one: (one.graded > 0, one.rate or 0.0, -one.graded)))


def _line(
    name: str, trials: Sequence[Trial], task: Task | None, planned: int, file: str
) -> TaskLine:
    graded = [trial for trial in trials if trial.passed is not None]
    failed = next((trial for trial in graded if not trial.passed), None)
    first = trials[0] if trials else None
    evidence = failed.grade.evidence if failed is not None and failed.grade is not None else ()
    command = ""
    if failed is not None:
        words = [file, name, str(failed.trial), "--agent", failed.agent]
        command = "tau-env show " + shlex.join(words)
    return TaskLine(
        task=name,
        family=task.family if task else first.family if first else "",
        kind=task.kind if task else first.kind if first else "",
        passes=sum(bool(trial.passed) for trial in graded),
        graded=len(graded),
        planned=planned,
        length=len(task.reference) if task and task.reference else None,
        reason=evidence[0].text if evidence else "",
        command=command,
    )


def twin_pairs(trials: Sequence[Trial], tasks: Mapping[str, Task]) -> Share:
    """Of the twin pairs with a graded trial of the same number, how often both passed.

    Args:
        trials: of one agent.
        tasks: tasks by id; a trial's own note of its twin serves for others.
    """
    verdicts = {(trial.task, trial.trial): trial.passed for trial in trials}
    both = met = 0
    for trial in trials:
        task = tasks.get(trial.task)
        twin = task.twin if task else trial.twin
        if twin is None or trial.task > twin:
            continue
        pair = (trial.passed, verdicts.get((twin, trial.trial)))
        if None not in pair:
            met += 1
            both += all(pair)
    return Share("both twins", both, met)


def by_group(lines: Sequence[TaskLine], name: str) -> tuple[tuple[str, int, float | None], ...]:
    """Tasks and mean rate of every family or kind; None where no task of it has a grade."""
    groups: dict[str, list[TaskLine]] = defaultdict(list)
    for line in lines:
        groups[getattr(line, name)].append(line)
    made = []
    for group, own in sorted(groups.items()):
        rates = [line.rate for line in own if line.rate is not None]
        made.append((group, len(own), sum(rates) / len(rates) if rates else None))
    return tuple(made)


def by_length(lines: Sequence[TaskLine]) -> tuple[LengthBin, ...]:
    """Success in up to four spans of reference steps, about equally filled."""
    used = [one for one in lines if one.length and one.graded]
    if not used:
        return ()
    lengths = np.array([one.length for one in used], dtype=np.float64)
    cuts = np.unique(np.ceil(np.quantile(lengths, [0.25, 0.5, 0.75])))
    low, high = float(lengths.min()), float(lengths.max()) + 1.0
    edges = [low, *(float(cut) for cut in cuts if low < cut < high - 1.0), high]
    with collected([]):
        return success_by_length(
            lengths, [one.passes for one in used], [one.graded for one in used], edges=edges
        )
