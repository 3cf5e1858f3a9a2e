"""Stored trials judged by a rubric, and the file in which the verdicts stand, one line a trial.

The trials themselves are not touched. A judge that is out of reach leaves no line, so that going on
with the file asks for what is missing and for nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event, local
from typing import Any

from pydantic import ValidationError

from tau_env.errors import BadContent, Crash, UserMistake
from tau_env.harness.material import Foreign
from tau_env.harness.records import slot_of
from tau_env.harness.study import Slot
from tau_env.judge import Judge
from tau_env.registry import find_domain
from tau_env.schema import Trial, digest
from tau_env.schema.rubric import Judgement, Rubric, evidence_of

ABORT_AFTER = 5
"""Trials in a row, with nothing before, at which the judge was out of reach."""


class JudgementFile:
    """Appends judgements to a file of lines, each safe on disk before the next."""

    def __init__(self, path: str | Path) -> None:
        """Read what is there; the file is created with the first judgement."""
        self.path = Path(path)
        self.problems: list[str] = []
        self.judgements: dict[Slot, Judgement] = {}
        self._torn = False
        if self.path.exists():
            for one in self._read():
                # A later line for the same trial stands for another try at it.
                self.judgements[Slot(one.agent, one.task, one.trial)] = one

    def _read(self) -> Iterator[Judgement]:
        try:
            body = self.path.read_bytes()
        except OSError as error:
            raise BadContent(f"cannot read {self.path}: {error.strerror}") from None
        self._torn = bool(body) and not body.endswith(b"\n")
        for number, line in enumerate(body.splitlines(), 1):
            try:
                yield Judgement.model_validate_json(line)
            except ValidationError:
                self.problems.append(f"{self.path}, line {number}: no judgement; left out")

    def check(self, rubrics: Sequence[Rubric], settings: dict[str, Any]) -> None:
        """Let only the same rubrics and judge go on with the file.

        Raises:
            UserMistake: it holds verdicts of others.
        """
        for one in self.judgements.values():
            for what, stored, asked in (
                ("rubric", one.rubrics, digest(list(rubrics))),
                ("judge", one.settings, settings),
            ):
                if stored != asked:
                    raise UserMistake(
                        f"{self.path} holds verdicts by another {what}: {stored} there, {asked} "
                        "asked for; verdicts of two are never mixed: choose another --verdicts"
                    )

    def append(self, one: Judgement) -> None:
        """Add a judgement.

        Raises:
            UserMistake: the disk refused it; what was there is kept.
        """
        try:
            with self.path.open("a", encoding="utf-8") as lines:
                lines.write("\n" * self._torn + one.model_dump_json() + "\n")
                lines.flush()
                os.fsync(lines.fileno())
        except OSError as error:
            raise UserMistake(f"cannot write to {self.path}: {error.strerror}") from None
        self._torn = False
        self.judgements[Slot(one.agent, one.task, one.trial)] = one


@dataclass(frozen=True)
class Judging:
    """What became of a run of a judge.

    Attributes:
        judged: judgements by slot, those that were there before among them.
        asked: trials that this run asked about.
        unreached: slots for which the judge was out of reach, with the error.
        interrupted: it was stopped before the end.
    """

    judged: dict[Slot, Judgement]
    asked: int
    unreached: dict[Slot, str]
    interrupted: bool = False


def judge_trials(
    trials: Iterable[Trial],
    rubrics: Sequence[Rubric],
    make: Callable[[], Judge],
    kept: JudgementFile,
    *,
    workers: int = 1,
    again: bool = False,
    told: Callable[[str], None] = lambda task: None,
) -> Judging:
    """Judge every trial that a rubric is for and that has no judgement yet.

    Args:
        trials: those to judge; crashed ones have nothing to judge and are left out.
        rubrics: from `read_rubrics`.
        make: makes a judge; called once a worker.
        kept: where judgements stand.
        workers: trials judged at once.
        again: judge once more what a verdict is missing of.
        told: called with the task of every trial that is done.

    Returns:
        What there is now. After `ABORT_AFTER` trials in a row at which the judge was out of reach,
        and none before, the others are not tried and count as unreached too.

    Raises:
        UserMistake: the file holds verdicts of another rubric or judge, or no rubric is for any
            trial.
        Foreign: a rubric asks for the policy, and it is no longer the one of a trial.
    """
    chosen = to_judge(trials, rubrics)
    kept.check(rubrics, make().settings)
    policies = {slot_of(one): policy_of(one, covering(rubrics, one)) for one in chosen}
    stored = {slot_of(one): kept.judgements.get(slot_of(one)) for one in chosen}
    todo = [one for one in chosen if not _is_done(one, stored[slot_of(one)], again=again)]
    missing = {slot_of(one) for one in todo}
    judged = {slot: one for slot, one in stored.items() if one and slot not in missing}
    unreached: dict[Slot, str] = {}
    asked = 0
    interrupted = False
    for slot in judged:
        told(slot.task)
    with _Askers(rubrics, make, policies, workers) as askers:
        try:
            for slot, found in askers.ask(todo):
                asked += 1
                if isinstance(found, Crash):
                    unreached[slot] = str(found)
                else:
                    kept.append(found)
                    judged[slot] = found
                if asked == len(unreached) >= ABORT_AFTER:
                    askers.stop.set()
                told(slot.task)
        except KeyboardInterrupt:
            interrupted = True
            askers.stop.set()
    return Judging(judged, asked, unreached, interrupted)


class _Askers:
    """Threads that ask judges, one judge a thread, until they are told to stop."""

    def __init__(
        self,
        rubrics: Sequence[Rubric],
        make: Callable[[], Judge],
        policies: dict[Slot, str],
        workers: int,
    ) -> None:
        self.stop = Event()
        self._rubrics = rubrics
        self._make = make
        self._policies = policies
        self._own = local()
        self._pool = ThreadPoolExecutor(max_workers=workers)

    def __enter__(self) -> _Askers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def ask(self, trials: Sequence[Trial]) -> Iterator[tuple[Slot, Judgement | Crash]]:
        """The answers, in the order of the trials."""
        return self._pool.map(self._ask, trials)

    def _ask(self, trial: Trial) -> tuple[Slot, Judgement | Crash]:
        slot = slot_of(trial)
        if self.stop.is_set():
            return slot, Crash("not asked: the judge was out of reach from the start")
        if not hasattr(self._own, "judge"):
            self._own.judge = self._make()
        try:
            judge: Judge = self._own.judge
            return slot, judge_trial(trial, self._rubrics, judge, policy=self._policies[slot])
        except Crash as crash:
            return slot, crash


def to_judge(trials: Iterable[Trial], rubrics: Sequence[Rubric]) -> list[Trial]:
    """The trials that can be judged and are of a task that a rubric is for.

    Raises:
        UserMistake: there is none.
    """
    chosen = [one for one in trials if one.status != "crashed" and covering(rubrics, one)]
    if not chosen:
        names = ", ".join(one.id for one in rubrics)
        raise UserMistake(f"no trial to judge: none is of a task that {names} is for")
    return chosen


def _is_done(trial: Trial, stored: Judgement | None, *, again: bool) -> bool:
    if stored is None:
        return False
    missing = any(one.verdict == "ungraded" for one in stored.verdicts)
    return stored.evidence == evidence_of(trial.transcript) and not (again and missing)


def covering(rubrics: Sequence[Rubric], trial: Trial) -> list[Rubric]:
    """The rubrics that are for a trial's task."""
    return [one for one in rubrics if one.covers(trial)]


def policy_of(trial: Trial, rubrics: Sequence[Rubric]) -> str:
    """The policy that the agent of a trial had, if a rubric asks for it; else empty.

    Raises:
        Foreign: the installed one is another.
    """
    if not any(one.policy for one in rubrics):
        return ""
    found = find_domain(trial.domain)
    then, now = trial.digests.get("policy"), found.digests["policy"]
    if then != now:
        raise Foreign(
            f"trial {trial.trial} of {trial.task} was played under policy {then}, {now} is "
            "installed; a rubric that reads the policy cannot judge it"
        )
    return found.policy


def judge_trial(
    trial: Trial, rubrics: Sequence[Rubric], judge: Judge, *, policy: str = "", draw: int = 0
) -> Judgement:
    """Judge one trial by the rubrics that are for its task.

    Args:
        trial: any trial with a transcript.
        rubrics: all rubrics of the run.
        judge: the judge.
        policy: see `policy_of`.
        draw: number of the call, for another draw of the same.

    Raises:
        Crash: the judge is out of reach.
    """
    found = judge.judge(
        trial.transcript, covering(rubrics, trial), policy=policy, seed=trial.seed, draw=draw
    )
    return Judgement(
        agent=trial.agent,
        task=trial.task,
        trial=trial.trial,
        family=trial.family,
        evidence=evidence_of(trial.transcript),
        rubrics=digest(list(rubrics)),
        settings=judge.settings,
        verdicts=found.verdicts,
        usage=found.usage,
        served=found.served,
        warnings=found.warnings,
    )


def with_judgement(trial: Trial, found: Judgement) -> Trial:
    """A trial that tells what judging it has cost; its grade stays as it is."""
    more: dict[str, Any] = {"usage": {**trial.usage, "judge": found.usage}}
    if found.served:
        more["served"] = {**trial.served, "judge": found.served}
    if found.warnings:
        more["warnings"] = {**trial.warnings, "judge": found.warnings}
    return trial.model_copy(update=more)
