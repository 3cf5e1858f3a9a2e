"""Trips through the seeded timetable: which flights a reservation holds in which situation."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tau_env.domains.airline.timetable import DATES, NOW, TODAY, Flight, Timetable

Leg = tuple[tuple[Flight, str], ...]
"""Flights with their date, in the order in which they are flown."""

AHEAD = frozenset({"available"})
FLOWN = frozenset({"landed"})
NOT_LEFT = frozenset({"available", "on time", "delayed", "cancelled"})
TROUBLES = ("delayed", "cancelled")
ROUND = 0.45
CONNECTING = 0.3
LONGEST_STAY = 9


@dataclass(frozen=True)
class Trip:
    """The way there, and the way back of a round trip."""

    there: Leg
    back: Leg = ()

    @property
    def flights(self) -> Leg:
        """All flights in the order in which they are flown."""
        return self.there + self.back

    @property
    def leaves(self) -> str:
        """When the first flight leaves, ISO 8601."""
        flight, date = self.there[0]
        return flight.left(date)


class Trips:
    """Draws trips in which a wanted thing has happened, or nothing."""

    def __init__(self, timetable: Timetable, rng: random.Random) -> None:
        """Sort the timetable by what happens today and later."""
        self.timetable = timetable
        self.rng = rng
        self.routes = sorted(timetable.ways)
        self.through: dict[str, list[tuple[Flight, ...]]] = {}
        for ways in timetable.ways.values():
            for way in ways:
                for flight in way:
                    self.through.setdefault(flight.number, []).append(way)
        self.departures: dict[str, list[tuple[str, str]]] = {}
        for (number, date), status in timetable.status.items():
            if date >= TODAY:
                self.departures.setdefault(status, []).append((number, date))

    def ahead(self) -> Trip:
        """Nothing has left and everything is as planned."""
        return self._with_return(self._leg(DATES[12:28], AHEAD))

    def flown(self) -> Trip:
        """Every flight has landed."""
        there = self._leg(DATES[:12], FLOWN)
        if self.rng.random() < ROUND:
            date = there[-1][1]
            later = DATES[DATES.index(date) + 1 : 12]
            if later and (back := self._back(there, later, FLOWN)):
                return Trip(there, back)
        return Trip(there)

    def today(self) -> Trip:
        """The first leg is today, on time, and has not left."""
        return self._with_return(self._leg_with("on time", allowed=frozenset({"on time"})))

    def delayed(self) -> Trip:
        """A flight of today's first leg is delayed."""
        return self._with_return(self._leg_with("delayed", allowed=NOT_LEFT - {"cancelled"}))

    def cancelled(self) -> Trip:
        """The airline has cancelled a flight of today or later; none has left."""
        leg = self._leg_with("cancelled", allowed=NOT_LEFT)
        start = DATES.index(leg[0][1])
        earlier = DATES[max(12, start - LONGEST_STAY) : start]
        if earlier and self.rng.random() < ROUND / 2 and (there := self._back(leg, earlier, AHEAD)):
            return Trip(there, leg)
        return self._with_return(leg)

    def partly_flown(self) -> Trip:
        """A flight has left and another has not; now and then the other is in trouble."""
        chance = self.rng.random()
        if chance < 0.12:
            return self._under_way()
        while chance < 0.35:
            back = self._leg_with(self.rng.choice(TROUBLES), allowed=NOT_LEFT)
            first = DATES.index(back[0][1])
            earlier = DATES[max(3, first - LONGEST_STAY) : min(first, 12)]
            if earlier and (there := self._back(back, earlier, FLOWN)):
                return Trip(there, back)
        while True:
            there = self._leg(DATES[3:12], FLOWN)
            if back := self._back(there, DATES[11:22], AHEAD):
                return Trip(there, back)

    def _under_way(self) -> Trip:
        """The first flight of a connection of today has left, the second has not."""
        while True:
            leg = self._leg_with("on time", allowed=NOT_LEFT | {"landed", "flying"})
            if leg[0][0].left(TODAY) < NOW and "cancelled" not in self._statuses(leg):
                return self._with_return(leg)

    def _statuses(self, leg: Leg) -> set[str]:
        return {self.timetable.status[flight.number, date] for flight, date in leg}

    def _on(self, way: tuple[Flight, ...], date: str) -> Leg:
        return tuple((flight, date) for flight in way)

    def _way(self, route: tuple[str, str]) -> tuple[Flight, ...]:
        """A way of the route: a direct one, or a connection now and then, if there are both."""
        ways = self.timetable.ways[route]
        flights = 2 if self.rng.random() < CONNECTING else 1
        return self.rng.choice([way for way in ways if len(way) == flights] or ways)

    def _leg(self, dates: tuple[str, ...], statuses: frozenset[str]) -> Leg:
        """A leg on some route, on one of the dates, all flights in one of the statuses."""
        while True:
            way = self._way(self.rng.choice(self.routes))
            leg = self._on(way, self.rng.choice(dates))
            if self._statuses(leg) <= statuses:
                return leg

    def _leg_with(self, status: str, *, allowed: frozenset[str]) -> Leg:
        """A leg with a flight in the status, its other flights in allowed ones."""
        while True:
            number, date = self.rng.choice(self.departures[status])
            ways = self.through[number]
            way = ways[0] if self.rng.random() >= CONNECTING else self.rng.choice(ways)
            leg = self._on(way, date)
            if self._statuses(leg) <= allowed:
                return leg

    def _back(self, leg: Leg, dates: tuple[str, ...], statuses: frozenset[str]) -> Leg:
        """A leg between the same airports the other way round; empty if a few draws find none."""
        route = (leg[-1][0].destination, leg[0][0].origin)
        for _ in range(4 if route in self.timetable.ways else 0):
            back = self._on(self._way(route), self.rng.choice(dates))
            if self._statuses(back) <= statuses and self._apart(leg, back):
                return back
        return ()

    def _apart(self, one: Leg, two: Leg) -> bool:
        """Whether one leg has arrived before the other leaves, whichever is first."""
        first, second = sorted((one, two), key=lambda leg: leg[0][0].left(leg[0][1]))
        return first[-1][0].landed(first[-1][1]) < second[0][0].left(second[0][1])

    def _with_return(self, there: Leg) -> Trip:
        """The leg, on half of the trips with a way back some days later."""
        first = DATES.index(there[-1][1]) + 1
        dates = DATES[first : first + LONGEST_STAY]
        if dates and self.rng.random() < ROUND:
            return Trip(there, self._back(there, dates, AHEAD))
        return Trip(there)
