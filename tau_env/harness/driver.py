"""Runs a study: hands out slots, reruns crashes, and is the only one that writes."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tau_env.errors import StudyAborted
from tau_env.harness.backends import Answer, Backend, choose_backend
from tau_env.harness.player import Played, Player
from tau_env.harness.store import Kept, attempt_of
from tau_env.harness.study import Slot, Study
from tau_env.schema import Attempt, Task, Trial

ABORT_AFTER = 10
"""Crashes in a row, with nothing else before, after which a run is given up."""


class Sink(Protocol):
    """Where trials go, each as it ends."""

    def keep(self, slot: Slot, trial: Trial, *, played: Task | None = None) -> None:
        """Keep what became of a slot."""
        ...

    def keep_attempt(self, slot: Slot, trial: Trial) -> None:
        """Keep a crashed attempt of a slot that is tried again."""
        ...


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes:
        total: slots of the study.
        passed: slots with a trial that passed.
        failed: slots with a trial that failed.
        crashed: slots whose attempts all crashed.
        ungraded: slots whose trial could not be graded.
        ran: slots finished in this run.
        reruns: crashed attempts of this run that were run again.
        seconds: since the run began.
        interrupted: it was stopped before the end.
    """

    total: int
    passed: int = 0
    failed: int = 0
    crashed: int = 0
    ungraded: int = 0
    ran: int = 0
    reruns: int = 0
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def done(self) -> int:
        """Slots that are finished."""
        return self.passed + self.failed + self.crashed + self.ungraded

    @property
    def rate(self) -> float | None:
        """Slots a second of this run; None at its start."""
        return self.ran / self.seconds if self.ran and self.seconds > 0 else None

    @property
    def eta(self) -> float | None:
        """Seconds to the end at this rate; None at the start."""
        return None if self.rate is None else (self.total - self.done) / self.rate

    def __str__(self) -> str:
        text = f"{self.done} of {self.total}: {self.passed} passed, {self.failed} failed, "
        text += f"{self.crashed} crashed, {self.ungraded} ungraded"
        if self.rate is None or self.eta is None:
            return text
        return f"{text}; {self.rate:.1f} a second, {self.eta:.0f} s to go"

    def plus(self, trial: Trial) -> Progress:
        """One more finished slot."""
        word = _word(trial.status, passed=trial.passed)
        return replace(
            self,
            passed=self.passed + (word == "passed"),
            failed=self.failed + (word == "failed"),
            crashed=self.crashed + (word == "crashed"),
            ungraded=self.ungraded + (word == "ungraded"),
        )


def run_study(
    study: Study,
    tasks: Sequence[Task],
    sink: Sink,
    *,
    kept: Kept | None = None,
    workers: int = 1,
    slots: Iterable[Slot] | None = None,
    rerun_crashed: bool = False,
    abort_after: int = ABORT_AFTER,
    told: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Play every slot that has no trial yet.

    A crashed attempt is run again, at the end of the queue, up to ``study.retries`` times; a failed
    trial never is. Ctrl-C ends the run: finished trials are kept.

    Args:
        study: the plan.
        tasks: its tasks in full.
        sink: where trials go.
        kept: what is there already, from `Store.kept`.
        workers: slots played at once.
        slots: those to play, in this order; all of the study in its own order when None.
        rerun_crashed: give slots whose attempts all crashed another round.
        abort_after: give up after so many crashes in a row at the start of the run.
        told: called at the start and after every slot.

    Returns:
        How far the study is.

    Raises:
        StudyAborted: the first attempts all crashed.
        UserMistake: the plan cannot be carried out, or a trial cannot be written.
    """
    before = kept or Kept({}, {}, {}, ())
    done = {
        slot
        for slot, status in before.status.items()
        if not (rerun_crashed and status == "crashed")
    }
    order = study.slots() if slots is None else slots
    run = _Run(
        study=study,
        sink=sink,
        progress=_so_far(study, before, done),
        queue=deque(slot for slot in order if slot not in done),
        attempts=dict(before.attempts),
        clerk=Player(study, tasks, worker="driver"),
        abort_after=abort_after,
    )
    run.allow(again=set(before.status) - done)
    told(run.progress)
    if not run.queue:
        return run.progress
    backend = choose_backend(study, tasks, workers)
    try:
        run.loop(backend, told)
    except KeyboardInterrupt:
        run.progress = replace(run.progress, interrupted=True)
    finally:
        backend.stop()
        run.clerk.close()
    return run.progress


def _so_far(study: Study, kept: Kept, done: set[Slot]) -> Progress:
    found = Counter(_word(kept.status[slot], passed=kept.passed[slot]) for slot in done)
    return Progress(
        total=study.size,
        passed=found["passed"],
        failed=found["failed"],
        crashed=found["crashed"],
        ungraded=found["ungraded"],
    )


def _word(status: str, *, passed: bool | None) -> str:
    return status if status != "graded" else "passed" if passed else "failed"


@dataclass
class _Run:
    """The state of a running study."""

    study: Study
    sink: Sink
    progress: Progress
    queue: deque[Slot]
    attempts: dict[Slot, tuple[Attempt, ...]]
    clerk: Player
    abort_after: int
    allowed: dict[Slot, int] = field(default_factory=dict)
    crashes_in_a_row: int | None = 0
    started: float = field(default_factory=time.monotonic)

    def allow(self, *, again: set[Slot]) -> None:
        """Set how many attempts each slot may have; those begun before count."""
        rounds = self.study.retries + 1
        for slot in self.queue:
            used = len(self.attempts.get(slot, ()))
            self.allowed[slot] = used + rounds if slot in again else max(rounds, used + 1)

    def loop(self, backend: Backend, told: Callable[[Progress], None]) -> None:
        """Hand out and take in until nothing is left."""
        out = 0
        while self.queue or out:
            while self.queue and out < backend.capacity:
                backend.submit(self.queue.popleft())
                out += 1
            answer = backend.wait()
            out -= 1
            self.take(answer)
            seconds = time.monotonic() - self.started
            self.progress = replace(self.progress, seconds=seconds)
            told(self.progress)

    def take(self, answer: Answer) -> None:
        """Keep an answer, or put its slot back into the queue."""
        found = self._played(answer)
        slot = found.slot
        earlier = self.attempts.get(slot, ())
        trial = found.trial.model_copy(update={"attempts": earlier})
        again = trial.status == "crashed" and len(earlier) + 1 < self.allowed[slot]
        if again:
            self.sink.keep_attempt(slot, trial)
            self.attempts[slot] = (*earlier, attempt_of(trial))
            self.progress = replace(self.progress, reruns=self.progress.reruns + 1)
            self.queue.append(slot)
        else:
            self.sink.keep(slot, trial, played=found.played)
            self.progress = replace(self.progress.plus(trial), ran=self.progress.ran + 1)
        self._check_crashes(trial)

    def _played(self, answer: Answer) -> Played:
        if answer.error is not None:
            raise answer.error
        if answer.stuck:
            return self.clerk.stopped(answer.slot, "max_seconds")
        return answer.played or self.clerk.lost(answer.slot, answer.lost)

    def _check_crashes(self, trial: Trial) -> None:
        if trial.status != "crashed":
            self.crashes_in_a_row = None
        if self.crashes_in_a_row is None:
            return
        self.crashes_in_a_row += 1
        if self.crashes_in_a_row >= self.abort_after:
            raise StudyAborted(
                f"the first {self.crashes_in_a_row} attempts all crashed, so the run is given up: "
                f"{trial.error.splitlines()[0]}. Mend that (key, address, limits), then run again"
            )
