"""Flights of the seeded airline: routes, departures of a month, seats, and trips through them.

Who flies is in `seed`. All times are of one time zone, as the policy has it.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field
from typing import Any

NOW = "2025-06-12T15:00:00"
TODAY = NOW[:10]
DATES = tuple(f"2025-06-{day:02d}" for day in range(1, 31))
CABINS = ("basic_economy", "economy", "business")
FLIGHTS = 300
# A route has one flight in the first of these windows, or in two of them, or in all.
WINDOWS = ((6 * 60, 11 * 60), (11 * 60 + 30, 16 * 60 + 30), (17 * 60, 22 * 60))
CANCELLED = 0.025
DELAYED = 0.3
SOLD_OUT = 0.1
MOST_SEATS = {"basic_economy": 20, "economy": 24, "business": 10}
BETWEEN = (45, 360)
"""Minutes between the flights of a connection in a seeded reservation."""
DETOUR = (500, 1.4)
"""Kilometres that it may be longer than, and times the direct way."""

Row = dict[str, Any]
Departure = tuple[str, str]
"""Flight number and date."""


@dataclass(frozen=True)
class Flight:
    """A connection flown every day: its row, its economy fare in dollars, its minutes."""

    number: str
    origin: str
    destination: str
    departs: int
    arrives: int
    fare: int

    @property
    def route(self) -> tuple[str, str]:
        """Where it goes from and to."""
        return self.origin, self.destination

    @property
    def row(self) -> Row:
        """The row of table flights."""
        return {
            "flight_number": self.number,
            "origin": self.origin,
            "destination": self.destination,
            "departure": _clock(self.departs),
            "arrival": _clock(self.arrives % 1440),
            "arrival_day": self.arrives // 1440,
        }

    def left(self, date: str) -> str:
        """When it leaves on that date, ISO 8601."""
        return f"{date}T{_clock(self.departs)}"

    def landed(self, date: str) -> str:
        """When it has arrived that left on that date; beyond the month's last day: that day's."""
        day = int(date[8:]) + self.arrives // 1440
        return f"{date[:8]}{day:02d}T{_clock(self.arrives % 1440)}"


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}:00"


@dataclass
class Timetable:
    """The seeded flights, drawn from `rng`, and what a trip needs to know of them."""

    rng: random.Random
    catalog: Row
    flights: dict[str, Flight] = field(default_factory=dict)
    status: dict[Departure, str] = field(default_factory=dict)
    fares: dict[tuple[str, str, str], int] = field(default_factory=dict)
    seats: dict[tuple[str, str, str], int] = field(default_factory=dict)
    ways: dict[tuple[str, str], list[tuple[Flight, ...]]] = field(default_factory=dict)
    """Origin and destination -> direct flights and connections on one day."""

    def __post_init__(self) -> None:
        """Draw everything."""
        self._routes()
        self._departures()
        self._connections()

    def _routes(self) -> None:
        """Every hub is served from everywhere, with one to three flights a day each way."""
        airports = {one["code"]: one for one in self.catalog["airports"]}
        hubs = self.catalog["hubs"]
        pairs = [
            pair
            for pair in itertools.permutations(airports, 2)
            if pair[0] in hubs or pair[1] in hubs
        ]
        daily = {pair: 3 if set(pair) <= set(hubs) else 1 for pair in pairs}
        others = [pair for pair in pairs if daily[pair] == 1]
        for pair in self.rng.sample(others + others, FLIGHTS - sum(daily.values())):
            daily[pair] += 1
        routes = [pair for pair, count in daily.items() for _ in range(count)]
        numbers = self.rng.sample(range(100, 1000), len(routes))
        windows = {pair: sorted(self.rng.sample(WINDOWS, count)) for pair, count in daily.items()}
        for number, pair in zip(numbers, routes, strict=True):
            window = windows[pair].pop(0)
            departs = self.rng.randrange(window[0], window[1], 5)
            kilometres = _distance(airports[pair[0]], airports[pair[1]])
            flight = Flight(
                number=f"{self.catalog['airline']}{number}",
                origin=pair[0],
                destination=pair[1],
                departs=departs,
                arrives=departs + 35 + 5 * round(kilometres / 70),
                fare=round((70 + kilometres / 18) * self.rng.uniform(0.8, 1.25)),
            )
            self.flights[flight.number] = flight

    def _departures(self) -> None:
        rng = self.rng
        offered: set[object] = set()
        for flight in self.flights.values():
            shares = {
                "basic_economy": rng.uniform(0.5, 0.75),
                "economy": 1.0,
                "business": rng.uniform(2.0, 3.2),
            }
            for date in DATES:
                self.status[flight.number, date] = self._status(flight, date)
                today = rng.uniform(0.85, 1.3)
                for cabin, share in shares.items():
                    key = (flight.number, date, cabin)
                    fare = odd(flight.fare * today * share)
                    # One flight of a route is the cheapest of a day.
                    while (offer := (flight.route, date, cabin, fare)) in offered:
                        fare = odd(fare + 1)
                    offered.add(offer)
                    self.fares[key] = fare
                    sold_out = rng.random() < SOLD_OUT
                    self.seats[key] = 0 if sold_out else rng.randint(1, MOST_SEATS[cabin])

    def _status(self, flight: Flight, date: str) -> str:
        if self.rng.random() < CANCELLED:
            return "cancelled"
        if flight.left(date) <= NOW:
            return "landed" if flight.landed(date) <= NOW else "flying"
        if date > TODAY:
            return "available"
        return "delayed" if self.rng.random() < DELAYED else "on time"

    def _connections(self) -> None:
        airports = {one["code"]: one for one in self.catalog["airports"]}
        leaving: dict[str, list[Flight]] = {}
        for flight in self.flights.values():
            leaving.setdefault(flight.origin, []).append(flight)
            self.ways.setdefault(flight.route, []).append((flight,))
        for first in self.flights.values():
            for second in leaving[first.destination]:
                stops = [airports[code] for code in (first.origin, *second.route)]
                if second.destination != first.origin and _sensible(first, second, stops):
                    way = (first, second)
                    self.ways.setdefault((first.origin, second.destination), []).append(way)

    def rows(self) -> dict[str, list[Row]]:
        """The rows of the tables airports, flights, departures and seats."""
        return {
            "airports": [
                {"code": one["code"], "city": one["city"]} for one in self.catalog["airports"]
            ],
            "flights": [flight.row for flight in self.flights.values()],
            "departures": [
                {"flight_number": number, "date": date, "status": status}
                for (number, date), status in self.status.items()
            ],
            "seats": [
                {
                    "flight_number": number,
                    "date": date,
                    "cabin": cabin,
                    "available": self.seats[number, date, cabin],
                    "price_cents": 100 * fare,
                }
                for (number, date, cabin), fare in self.fares.items()
            ],
        }


def odd(dollars: float) -> int:
    """A fare in whole dollars that is no multiple of ten, so that no fee looks like it."""
    fare = round(dollars)
    return fare + 1 if fare % 10 == 0 else fare


def _sensible(first: Flight, second: Flight, stops: list[Row]) -> bool:
    """Whether somebody would book these two as a connection: no long wait, no long detour."""
    start, stop, end = stops
    direct = _distance(start, end)
    along = _distance(start, stop) + _distance(stop, end)
    longest = max(direct + DETOUR[0], direct * DETOUR[1])
    return BETWEEN[0] <= second.departs - first.arrives <= BETWEEN[1] and along <= longest


def _distance(one: Row, two: Row) -> float:
    """Kilometres along the great circle."""
    lat1, lat2 = math.radians(one["latitude"]), math.radians(two["latitude"])
    along = math.radians(one["longitude"] - two["longitude"])
    cosine = math.sin(lat1) * math.sin(lat2) + math.cos(lat1) * math.cos(lat2) * math.cos(along)
    return 6371 * math.acos(cosine)
