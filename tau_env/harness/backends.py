"""Workers: who plays slots, here, in threads or in processes. None of them writes a record.

A backend takes slots and gives back what became of them, in any order. A process that dies takes
one attempt with it, never the run; one that does not answer within its time is stopped.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Protocol

from tau_env.errors import BadArgument
from tau_env.harness.player import Played, Player
from tau_env.harness.study import Slot, Study
from tau_env.schema import Task

AHEAD = 2
"""Slots a process has at hand, so that it need not wait for the driver."""
GRACE = 60.0
"""Seconds beyond thrice the time budget after which a silent process is stopped."""


@dataclass(frozen=True)
class Answer:
    """What a backend has to tell of a slot.

    Attributes:
        slot: the place.
        played: the attempt, if there is one.
        lost: why there is none: the worker died.
        stuck: the worker was stopped because it did not answer in time.
        error: the worker could not go on; to be raised by the driver.
        last: the worker ends with this answer.
    """

    slot: Slot
    played: Played | None = None
    lost: str = ""
    stuck: bool = False
    error: Exception | None = None
    last: bool = False


class Backend(Protocol):
    """Plays slots."""

    capacity: int

    def submit(self, slot: Slot) -> None:
        """Take a slot; never more than `capacity` unanswered ones."""
        ...

    def wait(self) -> Answer:
        """The next answer, in any order."""
        ...

    def stop(self) -> None:
        """Drop everything that is not answered."""
        ...


def choose_backend(study: Study, tasks: Sequence[Task], workers: int) -> Backend:
    """One worker here, threads if every agent waits for a model, else processes.

    Args:
        study: the plan.
        tasks: its tasks in full.
        workers: how many slots are played at once.

    Raises:
        BadArgument: workers below 1.
    """
    if workers < 1:
        raise BadArgument(f"workers {workers}: at least 1")
    if workers == 1:
        return Here(study, tasks)
    if all(one.waits for one in study.agents):
        return Threads(study, tasks, workers)
    return Processes(study, tasks, workers)


def _play(player: Player, slot: Slot) -> Answer:
    try:
        return Answer(slot, player.play(slot))
    except Exception as error:
        # Raised again by the driver: the plan cannot be carried out.
        return Answer(slot, error=error)


class Here:
    """Plays in the calling thread."""

    capacity = 1

    def __init__(self, study: Study, tasks: Sequence[Task]) -> None:
        """Take the plan."""
        self._player = Player(study, tasks)
        self._slots: deque[Slot] = deque()

    def submit(self, slot: Slot) -> None:
        """Take a slot."""
        self._slots.append(slot)

    def wait(self) -> Answer:
        """Play it."""
        return _play(self._player, self._slots.popleft())

    def stop(self) -> None:
        """Close the environment."""
        self._player.close()


class Threads:
    """Plays in threads, each with its own environment: for agents that wait."""

    def __init__(self, study: Study, tasks: Sequence[Task], workers: int) -> None:
        """Start the threads."""
        self.capacity = workers
        self._slots: queue.SimpleQueue[Slot | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        for number in range(workers):
            # Daemons: an agent that never answers must not keep the run from ending.
            threading.Thread(
                target=self._serve, args=(study, tasks, f"thread-{number}"), daemon=True
            ).start()

    def _serve(self, study: Study, tasks: Sequence[Task], name: str) -> None:
        player = Player(study, tasks, worker=name)
        while (slot := self._slots.get()) is not None:
            self._answers.put(_play(player, slot))
        player.close()

    def submit(self, slot: Slot) -> None:
        """Take a slot."""
        self._slots.put(slot)

    def wait(self) -> Answer:
        """The next answer."""
        return self._answers.get()

    def stop(self) -> None:
        """Tell the threads to end with the trial that they are at."""
        for _ in range(self.capacity):
            self._slots.put(None)


class _Process:
    """One process and what it has at hand; the first of `slots` is the one that it plays."""

    def __init__(self, study: Study, tasks: Sequence[Task], name: str) -> None:
        # Spawned, not forked: no lock, connection or thread of the driver is taken along.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=serve, args=(theirs, study, list(tasks), name), daemon=True, name=name
        )
        self.process.start()
        theirs.close()
        self.slots: deque[Slot] = deque()
        self.since = time.monotonic()

    def submit(self, slot: Slot) -> None:
        if not self.slots:
            self.since = time.monotonic()
        self.slots.append(slot)
        # If it has died, `wait` finds that out and tells.
        with suppress(OSError):
            self.connection.send(slot)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Processes:
    """Plays in processes: for agents that compute."""

    def __init__(self, study: Study, tasks: Sequence[Task], workers: int) -> None:
        """Take the plan; a process starts with its first slot."""
        self.capacity = workers * AHEAD
        self._workers = workers
        self._plan = (study, tasks)
        self._started = 0
        self._running: list[_Process] = []
        limit = study.budgets.max_seconds
        self._limit = None if limit is None else 3 * limit + GRACE

    def submit(self, slot: Slot) -> None:
        """Give the slot to the process with the fewest, or to a new one."""
        free = min(self._running, key=lambda one: len(one.slots), default=None)
        if free is None or (free.slots and len(self._running) < self._workers):
            free = _Process(*self._plan, f"process-{self._started}")
            self._started += 1
            self._running.append(free)
        free.submit(slot)

    def wait(self) -> Answer:
        """The next answer; the death of a process is one."""
        while True:
            busy = {one.connection: one for one in self._running if one.slots}
            first = min(busy.values(), key=lambda one: one.since)
            for connection in wait(list(busy), timeout=self._left(first)):
                return self._receive(next(one for key, one in busy.items() if key is connection))
            if self._left(first) == 0:
                return self._renew(first, Answer(first.slots.popleft(), stuck=True))

    def _left(self, one: _Process) -> float | None:
        if self._limit is None:
            return None
        return max(0.0, one.since + self._limit - time.monotonic())

    def _receive(self, one: _Process) -> Answer:
        try:
            answer: Answer = one.connection.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            one.process.join(timeout=5)
            code = one.process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            return self._renew(one, Answer(one.slots.popleft(), lost=f"worker died ({how})"))
        one.slots.popleft()
        one.since = time.monotonic()
        return self._renew(one, answer) if answer.last else answer

    def _renew(self, one: _Process, answer: Answer) -> Answer:
        """Part with a process; what it had at hand goes to others and counts as not begun."""
        self._running.remove(one)
        one.end()
        for slot in one.slots:
            self.submit(slot)
        return answer

    def stop(self) -> None:
        """Stop the processes."""
        for one in self._running:
            one.end()
        self._running.clear()


def serve(connection: Connection, study: Study, tasks: Sequence[Task], name: str) -> None:
    """The life of a worker process: play what comes until the driver is gone.

    Args:
        connection: slots come in, answers go out.
        study: the plan.
        tasks: its tasks in full.
        name: the worker's name in the records.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's to answer
    sys.stdout = sys.stderr  # what an agent prints must not mix with the results
    player = Player(study, tasks, worker=name)
    while True:
        try:
            slot: Slot = connection.recv()
        except (EOFError, OSError):
            break
        answer = _play(player, slot)
        # An agent left alone in its thread may go on computing; a new process is clean of it.
        last = answer.played is not None and answer.played.trial.end_reason == "max_seconds"
        try:
            connection.send(Answer(slot, answer.played, error=answer.error, last=last))
        except OSError:
            break
        if last:
            break
    os._exit(0)
