"""The pace at which an endpoint is asked (F67, F77)."""

import threading

import pytest

from tau_env.limiter import FIRST_GAP, Limiter


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_open_limiter_lets_everybody_start(clock):
    limiter = Limiter(clock=clock)
    assert [limiter.ask() for _ in range(5)] == [0.0] * 5


def test_rate_keeps_calls_apart(clock):
    limiter = Limiter(rate=2, clock=clock)
    assert limiter.ask() == 0
    assert limiter.ask() == pytest.approx(0.5)
    clock.now += 0.5
    assert limiter.ask() == 0


def test_slowest_of_several_rates_holds(clock):
    limiter = Limiter(rate=10, clock=clock)
    limiter.limit(2)
    limiter.limit(5)
    limiter.limit(None)
    assert limiter.gap == 0.5


def test_refusal_closes_the_endpoint_for_everybody(clock):
    limiter = Limiter(clock=clock)
    limiter.ask()
    limiter.refused(started=clock.now, wait=3.0)
    assert limiter.ask() == pytest.approx(3.0)
    clock.now += 3.0
    assert limiter.ask() == 0


def test_gap_doubles_once_for_calls_that_were_out_together(clock):
    limiter = Limiter(clock=clock)
    started = clock.now
    clock.now += 0.1
    for _ in range(8):
        limiter.refused(started=started, wait=0.0)
    assert limiter.gap == FIRST_GAP
    clock.now += 0.1
    limiter.refused(started=clock.now, wait=0.0)
    assert limiter.gap == 2 * FIRST_GAP


def test_calls_that_go_through_close_the_gap_again(clock):
    limiter = Limiter(clock=clock)
    limiter.refused(started=clock.now, wait=0.0)
    gaps = []
    for _ in range(60):
        limiter.passed()
        gaps.append(limiter.gap)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0
    assert gaps[-1] == 0


def test_stated_rate_stays_whatever_goes_through(clock):
    limiter = Limiter(rate=4, clock=clock)
    for _ in range(60):
        limiter.passed()
    assert limiter.gap == 0.25


def test_threads_never_start_together_within_the_gap():
    limiter = Limiter(rate=0.001)
    places = []
    threads = [
        threading.Thread(target=lambda: places.append(limiter.ask() == 0)) for _ in range(16)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(places) == [False] * 15 + [True]
