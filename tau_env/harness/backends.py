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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Protocol

from tau_env.errors import BadArgument
from tau_env.harness.player import Played, Player
from tau_env.harness.study import Slot, Study
from tau_env.registry import find_user
from tau_env.schema import Task, Trial

AHEAD = 2
"""Slots a process has at hand, so that it need not wait for the driver."""
ROOM = 32
"""Slots a process more that wait here, so that each finds some of its own tasks among them."""
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
    """One worker here, threads if an agent or the customer waits for a model, else processes.

    Threads share the pace of an endpoint, which processes would not.

    Args:
        study: the plan.
        tasks: its tasks in full.
        workers: how many slots are played at once; in processes no more than `most_processes`.

    Raises:
        BadArgument: workers below 1.
    """
    if workers < 1:
        raise BadArgument(f"workers {workers}: at least 1")
    if workers == 1:
        return Here(study, tasks)
    user_waits = bool(getattr(find_user(study.user), "waits", False))
    if user_waits or any(one.waits for one in study.agents):
        return Threads(study, tasks, workers)
    return Processes(study, tasks, min(workers, most_processes()))


def most_processes() -> int:
    """Processes beyond which a machine only gets slower, each with its own copy of everything."""
    return max(8, 4 * (os.cpu_count() or 1))


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

    def __init__(self, study: Study, tasks: Mapping[str, Task], name: str) -> None:
        # Spawned, not forked: no lock, connection or thread of the driver is taken along. Little
        # is handed over, for more than a pipe holds would keep the next process from starting
        # until this one has imported everything.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        few = study.model_copy(update={"tasks": ()})
        self.process = context.Process(target=serve, args=(theirs, few, name), daemon=True)
        self.process.start()
        theirs.close()
        self.slots: deque[Slot] = deque()
        self.since = time.monotonic()
        self._unsent = dict(tasks)

    def submit(self, slot: Slot) -> None:
        if not self.slots:
            self.since = time.monotonic()
        self.slots.append(slot)
        # If it has died, `wait` finds that out and tells.
        with suppress(OSError):
            self.connection.send((slot, self._unsent.pop(slot.task, None)))

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class Processes:
    """Plays in processes: for agents that compute.

    Every task has its own process, which has read its texts already; only a process that would
    have nothing to do takes what is another's.
    """

    def __init__(self, study: Study, tasks: Sequence[Task], workers: int) -> None:
        """Take the plan; a process starts with its first slot."""
        self.capacity = workers * (AHEAD + ROOM)
        self._workers = workers
        self._plan = (study, {task.id: task for task in tasks})
        self._started = 0
        self._running: dict[int, _Process] = {}
        self._homes: dict[str, int] = {}
        self._waiting: deque[Slot] = deque()
        limit = study.budgets.max_seconds
        self._limit = None if limit is None else 3 * limit + GRACE

    def submit(self, slot: Slot) -> None:
        """Take a slot and give it to its task's process, if that has room."""
        self._homes.setdefault(slot.task, len(self._homes) % self._workers)
        self._waiting.append(slot)
        self._deal()

    def _deal(self) -> None:
        for place in range(self._workers):
            while self._count(place) < AHEAD and (slot := self._next(place)) is not None:
                self._give(place, slot)
        for place in range(self._workers):
            if self._waiting and self._count(place) == 0:
                self._give(place, self._waiting[0])

    def _count(self, place: int) -> int:
        return len(self._running[place].slots) if place in self._running else 0

    def _next(self, place: int) -> Slot | None:
        return next((slot for slot in self._waiting if self._homes[slot.task] == place), None)

    def _give(self, place: int, slot: Slot) -> None:
        self._waiting.remove(slot)
        if place not in self._running:
            self._running[place] = _Process(*self._plan, f"process-{self._started}")
            self._started += 1
        self._running[place].submit(slot)

    def wait(self) -> Answer:
        """The next answer; the death of a process is one."""
        while True:
            self._deal()
            busy = {one.connection: place for place, one in self._running.items() if one.slots}
            first = min(busy.values(), key=lambda place: self._running[place].since)
            for connection in wait(list(busy), timeout=self._left(first)):
                return self._receive(next(busy[key] for key in busy if key is connection))
            if self._left(first) == 0:
                return self._renew(first, Answer(self._running[first].slots[0], stuck=True))

    def _left(self, place: int) -> float | None:
        if self._limit is None:
            return None
        return max(0.0, self._running[place].since + self._limit - time.monotonic())

    def _receive(self, place: int) -> Answer:
        one = self._running[place]
        try:
            answer = unpacked(*one.connection.recv())
        except (EOFError, OSError, pickle.UnpicklingError):
            one.process.join(timeout=5)
            code = one.process.exitcode
            how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
            return self._renew(place, Answer(one.slots[0], lost=f"worker died ({how})"))
        if answer.last:
            return self._renew(place, answer)
        one.slots.popleft()
        one.since = time.monotonic()
        return answer

    def _renew(self, place: int, answer: Answer) -> Answer:
        """Part with a process; what else it had at hand counts as not begun and is dealt anew."""
        one = self._running.pop(place)
        one.end()
        one.slots.popleft()
        self._waiting.extendleft(reversed(one.slots))
        return answer

    def stop(self) -> None:
        """Stop the processes."""
        for one in self._running.values():
            one.end()
        self._running.clear()


def serve(connection: Connection, study: Study, name: str) -> None:
    """The life of a worker process: play what comes until the driver is gone.

    Args:
        connection: slots come in, each with its task if that is new here; answers go out.
        study: the plan; its tasks may be left out.
        name: the worker's name in the records.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the driver's to answer
    sys.stdout = sys.stderr  # what an agent prints must not mix with the results
    player = Player(study, (), worker=name)
    while True:
        try:
            slot, task = connection.recv()
        except (EOFError, OSError):
            break
        if task is not None:
            player.add(task)
        answer = _play(player, slot)
        # An agent left alone in its thread may go on computing; a new process is clean of it.
        last = answer.played is not None and answer.played.trial.end_reason == "max_seconds"
        try:
            connection.send(packed(replace(answer, last=last)))
        except OSError:
            break
        if last:
            break
    os._exit(0)


def packed(answer: Answer) -> tuple[Answer, str, Task | None]:
    """An answer for sending: the trial as JSON, which is read several times faster than a pickle.

    Returns:
        The answer without its trial, the trial (empty if there is none), the task as played.
    """
    played = answer.played
    if played is None:
        return answer, "", None
    return replace(answer, played=None), played.trial.model_dump_json(), played.played


def unpacked(answer: Answer, trial: str, task: Task | None) -> Answer:
    """The answer that was `packed`."""
    if not trial:
        return answer
    return replace(answer, played=Played(answer.slot, Trial.model_validate_json(trial), task))
