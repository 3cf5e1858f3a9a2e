"""The cheapest, first or last flight of a day under constraints: search, compare, choose, book."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from tau_env.domains.airline.families._booking_records import BookingProblem
from tau_env.domains.airline.families._bookings import booking_job
from tau_env.domains.airline.families._corrected import corrected
from tau_env.domains.airline.families._jobs import Plan, refused
from tau_env.domains.airline.families._query import (
    connections,
    days_ahead,
    flights_between,
    read_customer,
    user_ids,
)
from tau_env.domains.airline.families._records import CABINS, Flight
from tau_env.domains.airline.families._trips import (
    PARTIES,
    TRIES,
    draw_details,
    draw_payment,
    paid_alike,
)
from tau_env.families.build import Slots
from tau_env.families.draw import Pool, balanced_twins, maybe_twisted
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

Way = tuple[Flight, ...]
Stops = Literal["direct", "one stop"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What the customer makes of the flights of a day.

    Attributes:
        preference: ``cheapest``, ``earliest`` or ``latest``.
        stops: the kinds of ways that will do.
        after: the time of day after which it has to leave, if any.
    """

    preference: str
    stops: tuple[Stops, ...]
    after: str = ""

    @property
    def phrase(self) -> str:
        """Raises the want."""
        if len(self.stops) > 1:
            return "book_best_any"
        return "book_best_time" if self.after else "book_best"

    @property
    def said(self) -> Slots:
        """The slots that say which flight it is to be."""
        found: Slots = {"preference": self.preference}
        if len(self.stops) == 1:
            found["stops"] = self.stops[0]
        if self.after:
            found["time"] = f"after {self.after}"
        return found

    def ways(
        self, company: Company, origin: str, destination: str, date: str, cabin: str
    ) -> list[Way]:
        """All ways of a day that meet the constraints, seats or not."""
        found: list[Way] = []
        if "direct" in self.stops:
            found += [(one,) for one in flights_between(company, origin, destination, date, cabin)]
        if "one stop" in self.stops:
            found += connections(company, origin, destination, date, cabin)
        return [one for one in found if one[0].leaves[11:16] > self.after]

    def best(self, ways: list[Way], count: int) -> Way | None:
        """The one way that the customer prefers of those with room; None if several come first."""
        able = [way for way in ways if all(one.has_room(count) for one in way)]
        rank = _RANKS[self.preference]
        able.sort(key=rank)
        if len(able) < 2 or rank(able[0]) == rank(able[1]):
            return None
        return able[0]


def _minutes(way: Way) -> int:
    return int(way[0].leaves[11:13]) * 60 + int(way[0].leaves[14:16])


_RANKS: dict[str, Callable[[Way], int]] = {
    "cheapest": lambda way: sum(one.fare for one in way),
    "earliest": _minutes,
    "latest": lambda way: -_minutes(way),
}

WISHES = (
    Wish("cheapest", ("direct",)),
    Wish("cheapest", ("one stop",)),
    Wish("cheapest", ("direct",), "10:00"),
    Wish("latest", ("direct",)),
    Wish("earliest", ("direct",), "12:00"),
)
"""Wishes that have a twin in which nothing fits."""
ANY = Wish("cheapest", ("direct", "one stop"))


@family(rules=("R2.3", "R4.2", "R4.3"), seed=3, size=12)
def best_fare(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins | Task]:
    """Twins: a best flight that is there, and days on which none fits; the best of all ways."""

    def pool(wish: Wish, *, full: bool = False) -> Pool[Plan]:
        return Pool(rng, user_ids(company), partial(_plan, company, rng, wish, full=full))

    pairs = [(pool(wish), pool(wish, full=True)) for wish in WISHES]
    anyhow, taken = pool(ANY), set[str]()
    for place, (allowed, forbidden) in enumerate(balanced_twins(pairs)):
        if_refused = rng.choice(("accept", "insist"))
        build = partial(_chosen, rng, allowed, if_refused)
        granted = maybe_twisted(rng, build, share=0.4, twists=twists)
        yield Twins(granted, refused(rng, forbidden.first, insists=if_refused == "insist"))
        if place % 2:
            found = anyhow.take(taken)
            if found is None:
                return
            build = partial(_chosen, rng, found, if_refused)
            yield maybe_twisted(rng, build, share=0.4, twists=twists)


def _chosen(rng: random.Random, plan: Plan, if_refused: str, *, twisted: bool) -> Task:
    rules = ("R3.3", *plan.second.rules) if twisted else plan.first.rules
    return corrected(rng, plan, twisted=twisted, rules=rules, if_refused=if_refused)


def _plan(
    company: Company, rng: random.Random, wish: Wish, user_id: str, *, full: bool
) -> Plan | None:
    """The best way of a drawn day, and the best one in another cabin; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        wish: what the customer wants.
        user_id: the customer.
        full: whether all ways of the day are sold out instead; then there is no other cabin.
    """
    customer, count = read_customer(company, user_id), rng.choice(PARTIES)
    found = _draw_day(company, rng, wish, count=count, full=full)
    if found is None:
        return None
    booking = draw_details(company, rng, customer, found[0], count=count, said=wish.said)
    problem: BookingProblem = "seats" if full else ""
    paid = draw_payment(rng, replace(booking, stops=wish.stops, problem=problem))
    if paid is None:
        return None
    job = booking_job(paid, wish.phrase)
    if full:
        return Plan(job, job)
    others = [replace(paid, flights=way) for way in found[1:]]
    other = paid_alike(rng, paid, others)
    return None if other is None else Plan(job, booking_job(other, wish.phrase))


def _draw_day(
    company: Company, rng: random.Random, wish: Wish, *, count: int, full: bool
) -> list[Way] | None:
    """The best way of a drawn day, then those in other cabins; or a way that is sold out.

    Where all are sold out that leave late enough, there is room on an earlier one.
    """
    airports = [row["code"] for row in company.rows("SELECT code FROM airports ORDER BY 1")]
    days = days_ahead(company)
    for _ in range(TRIES):
        origin, destination = rng.sample(airports, 2)
        date = rng.choice(days)
        cabins = rng.sample(CABINS, len(CABINS))
        if full:
            day = (origin, destination, date, cabins[0])
            ways = wish.ways(company, *day)
            early = replace(wish, after="").ways(company, *day) if wish.after else []
            tempting = any(one.has_room(count) for way in early for one in way)
            if ways and all(map(_is_sold_out, ways)) and (tempting or not wish.after):
                return ways[:1]
            continue
        best = [_best(company, wish, origin, destination, date, cabin, count) for cabin in cabins]
        known = [way for way in best if way is not None]
        if best[0] is not None and len(known) > 1:
            return known
    return None


def _best(
    company: Company,
    wish: Wish,
    origin: str,
    destination: str,
    date: str,
    cabin: str,
    count: int,
) -> Way | None:
    """The best way, if every constraint matters: without the time it would be another one."""
    best = wish.best(wish.ways(company, origin, destination, date, cabin), count)
    if best is None or not wish.after:
        return best
    anytime = replace(wish, after="")
    other = anytime.best(anytime.ways(company, origin, destination, date, cabin), count)
    return best if other != best else None


def _is_sold_out(way: Way) -> bool:
    return all(one.status == "available" for one in way) and any(one.seats == 0 for one in way)
