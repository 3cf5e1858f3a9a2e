"""Rows that only an airline can meet: seats, trips that have begun, days gone by."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from small_airline import CABINS, CUSTOMERS, call, date, fare, open_small

from tau_env import content
from tau_env.checks import fact_laws, task_laws
from tau_env.domains.airline import DOMAIN
from tau_env.env import TauEnv
from tau_env.registry import domain_names
from tau_env.schema import RowChange, Task
from tau_env.world.database import World

released = pytest.mark.skipif(
    "airline" not in domain_names(), reason="the airline has no released tasks yet"
)
SEATS = """
SELECT flight_number, date, cabin, available + (
    SELECT count(*) FROM reservations r JOIN reservation_flights f USING (reservation_id)
    JOIN reservation_passengers USING (reservation_id)
    WHERE r.status = 'active' AND r.cabin = s.cabin
    AND (f.flight_number, f.date) = (s.flight_number, s.date)) AS seats FROM seats s
"""


def all_seats(world: World) -> list[tuple[Any, ...]]:
    """Seats free and taken, by departure and cabin."""
    return sorted(tuple(row.values()) for row in world.rows(SEATS))


@pytest.mark.parametrize("seed", range(3))
def test_f20_seats_and_bookings_add_up_to_the_same_after_any_steps(seed: int) -> None:
    """100 times booked or cancelled: no seat is lost, none is sold twice."""
    rng = random.Random(seed)
    world = open_small()
    world.begin()
    before = all_seats(world)
    booked: list[str] = []
    full = 0
    for number in range(100):
        if booked and rng.random() < 0.4:
            trip = booked.pop(rng.randrange(len(booked)))
            assert call(world, "cancel_reservation", reservation_id=trip).error is None
        else:
            cabin, day = rng.choice(CABINS[1:]), rng.randrange(16, 19)
            people = rng.randrange(1, 4)
            made = call(
                world,
                "book_reservation",
                user_id=CUSTOMERS[0][0],
                origin="BOS",
                destination="SEA",
                flight_type="one_way",
                cabin=cabin,
                flights=[{"flight_number": "TST100", "date": date(day)}],
                passengers=[
                    {"first_name": f"P{number}", "last_name": f"Q{at}", "dob": "1990-01-01"}
                    for at in range(people)
                ],
                payment_methods=[
                    {
                        "payment_id": "credit_card_11",
                        "amount": people * fare("TST100", day, cabin) / 100,
                    }
                ],
                total_baggages=0,
                nonfree_baggages=0,
                insurance="no",
            )
            full += made.error == "refused"
            if made.error is None and cabin == "business":
                booked.append(new_reservation(made.changes))
        assert all_seats(world) == before
    assert full > 5
    world.close()


def new_reservation(changes: tuple[RowChange, ...]) -> str:
    """The id of the reservation that a booking made."""
    (made,) = [one for one in changes if (one.op, one.table) == ("insert", "reservations")]
    return str(made.key["reservation_id"])


def goal_rows() -> Iterator[tuple[Task, RowChange]]:
    """Every change that a released task wants of a reservation."""
    for task in content.tasks("airline").values():
        for goal in task.goals:
            yield from ((task, row) for row in goal if row.table.startswith("reservation"))


@released
def test_f02_no_goal_changes_a_trip_that_has_begun() -> None:
    """F03: whatever has left is refused or handed over, and nothing is changed in it."""
    seen = 0
    for task, row in goal_rows():
        world = DOMAIN.open()
        world.begin(task.setup)
        left = world.rows(
            "SELECT status FROM reservation_flights JOIN departures USING (flight_number, date)"
            " WHERE reservation_id = ? AND status IN ('flying', 'landed')",
            row.key["reservation_id"],
        )
        world.close()
        assert left == [], task.id
        seen += 1
    assert seen > 50


@released
def test_f13_no_goal_takes_a_trip_elsewhere() -> None:
    for task, row in goal_rows():
        if row.op == "update":
            assert not {"origin", "destination", "flight_type", "user_id"} & set(row.fields), (
                task.id
            )


@released
def test_f12_a_later_clock_makes_tasks_infeasible_that_name_a_day() -> None:
    """One setting moves it: the laws then list the tasks whose flights lie behind."""
    later = replace(DOMAIN, now="2025-07-12T15:00:00")
    tasks = content.tasks("airline")
    env = TauEnv("airline")
    listed, dated = set(), set()
    for name, task in tasks.items():
        here = task_laws.Subject(task=task, domain=DOMAIN, env=env, others=tasks)
        there = task_laws.Subject(task=task, domain=later, env=env, others=tasks)
        assert list(fact_laws.dates_lie_ahead(here)) == []
        if list(fact_laws.dates_lie_ahead(there)):
            listed.add(name)
        if any("2025-06-" in str(step.arguments.get("flights", "")) for step in task.reference):
            dated.add(name)
    assert dated
    assert dated <= listed
