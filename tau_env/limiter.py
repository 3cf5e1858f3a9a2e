"""The pace at which an endpoint is asked, shared by all who ask it: roles, workers, trials.

A limiter decides when a call may start; it never sleeps and knows no HTTP. It is for the threads of
one process, which is where agents that wait are played.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FIRST_GAP = 0.1
"""Seconds between two calls after the first refusal."""
LONGEST_GAP = 60.0
SHORTEST_GAP = 0.01
CALMER = 0.9
"""What a call that goes through leaves of the gap."""


class Limiter:
    """Keeps calls apart: by a stated rate, and by what the endpoint's refusals teach.

    A refusal closes the endpoint for everybody for a while and doubles the gap between calls; every
    call that goes through shortens the gap a little. Refusals of calls that had started before the
    gap was last widened widen it no further.
    """

    def __init__(
        self, *, rate: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start open.

        Args:
            rate: calls a second at most; None for no limit.
            clock: seconds that only grow.
        """
        self._clock = clock
        self._lock = threading.Lock()
        self._least = 0.0
        self._gap = 0.0
        self._next = 0.0
        self._widened = float("-inf")
        self.limit(rate)

    @property
    def gap(self) -> float:
        """Seconds between the starts of two calls, as of now."""
        return max(self._gap, self._least)

    def limit(self, rate: float | None) -> None:
        """Allow no more than so many calls a second; a higher rate than before changes nothing."""
        if rate is not None:
            with self._lock:
                self._least = max(self._least, 1 / rate)

    def ask(self) -> float:
        """Ask to start a call.

        Returns:
            0 if it may start now (its place is taken then), else seconds after which to ask again.
        """
        with self._lock:
            now = self._clock()
            if now < self._next:
                return self._next - now
            self._next = now + self.gap
            return 0.0

    def refused(self, *, started: float, wait: float) -> None:
        """The endpoint said that it is asked too often.

        Args:
            started: when the refused call started, by the clock.
            wait: seconds for which nobody should ask.
        """
        with self._lock:
            now = self._clock()
            self._next = max(self._next, now + wait)
            if started >= self._widened:
                self._gap = min(LONGEST_GAP, max(2 * self._gap, FIRST_GAP))
                self._widened = now

    def passed(self) -> None:
        """A call went through."""
        with self._lock:
            self._gap = self._gap * CALMER if self._gap > SHORTEST_GAP else 0.0
