"""The seeded airline: customers with their payment methods, and reservations in every situation.

The flights are in `timetable` and the same at every scale, so that a search answers alike. The rest
grows in blocks of 500 customers and 2,000 reservations, and a larger company begins with the rows
of the smaller one.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import sqlite_utils

from tau_env.content import domain_json
from tau_env.domains.airline.reservation_ids import SEEDED, reservation_id
from tau_env.domains.airline.timetable import CABINS, NOW, Row, Timetable, odd
from tau_env.domains.airline.trips import Trip, Trips

CUSTOMERS = 500
RESERVATIONS = 2_000
MEMBERSHIPS = {"regular": 36, "silver": 32, "gold": 32}
CARD, GIFT, CERTIFICATE = "credit_card", "gift_card", "certificate"
METHODS = {
    (CARD,): 6,
    (CARD, CARD): 11,
    (CARD, GIFT): 10,
    (CARD, CERTIFICATE): 6,
    (CARD, GIFT, CERTIFICATE): 14,
    (CARD, CARD, GIFT): 7,
    (CARD, CERTIFICATE, CERTIFICATE): 14,
    (CARD, GIFT, GIFT, CERTIFICATE): 8,
    (CARD, GIFT, GIFT, GIFT, GIFT): 7,
    (GIFT, GIFT, GIFT, GIFT): 7,
    (GIFT, GIFT): 5,
    (GIFT, CERTIFICATE): 5,
}
SITUATIONS = {
    "ahead": 35,
    "today": 7,
    "delayed": 18,
    "cancelled": 17,
    "partly_flown": 8,
    "flown": 9,
    "given_up": 6,
}
"""What is true of a reservation's flights; one given up is itself cancelled."""
PASSENGERS = {1: 44, 2: 29, 3: 14, 4: 8, 5: 5}
CABIN_AND_INSURANCE = {
    ("basic_economy", "yes"): 3,
    ("basic_economy", "no"): 4,
    ("economy", "yes"): 4,
    ("economy", "no"): 5,
    ("business", "yes"): 2,
    ("business", "no"): 3,
}
RECENT = 0.26
"""Share of reservations booked within the last 24 hours, of those not flown yet."""
DAY_BEFORE = 0.15
"""Share booked in the 24 hours before those."""
RECENTLY = "2025-06-11T15:00:00"
CHANGED = 0.06
WITH_CERTIFICATE = 0.12
WITH_GIFTS = 0.15
BAG = 5_000
INSURANCE = 3_000
FREE_BAGS = {"regular": 0, "silver": 1, "gold": 2}
TABLES = (
    "customers",
    "payment_methods",
    "saved_passengers",
    "reservations",
    "reservation_flights",
    "reservation_passengers",
    "payments",
)


@dataclass
class _Customer:
    """A customer in the making, with what reservations need."""

    row: Row
    methods: list[Row]
    companions: list[Row] = field(default_factory=list)

    def of(self, source: str) -> list[Row]:
        return [method for method in self.methods if method["source"] == source]


class _Seeder:
    """Draws rows into tables; every draw comes from `rng`."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.people = cast(dict[str, Any], domain_json("airline", "people.json"))
        self.timetable = Timetable(rng, cast(Row, domain_json("airline", "catalog.json")))
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.taken: set[object] = set()
        self.decks: dict[object, list[Any]] = {}
        self.payments = 0
        self.trips = Trips(self.timetable, rng)

    def new(self, draw: Callable[[], Any]) -> Any:
        """Draw until something new comes."""
        while (found := draw()) in self.taken:
            pass
        self.taken.add(found)
        return found

    def deal(self, shares: dict[Any, int], *among: object) -> Any:
        """The next card of a shuffled deck that holds the shares exactly, one deck for each group.

        Drawn one by one, the rarer cases would be missing among some members of some seeds.
        """
        deck = self.decks.setdefault((tuple(shares), *among), [])
        if not deck:
            deck += [card for card, count in shares.items() for _ in range(count)]
            self.rng.shuffle(deck)
        return deck.pop()

    def person(self, *, youngest: int = 2022) -> Row:
        born = datetime(self.rng.randint(1948, youngest), 1, 1) + timedelta(self.rng.randrange(365))
        return {
            "first_name": self.rng.choice(self.people["first_names"]),
            "last_name": self.rng.choice(self.people["last_names"]),
            "dob": born.date().isoformat(),
        }

    def address(self) -> Row:
        place = self.rng.choice(self.people["cities"])
        second = ["", f"Apt {self.rng.randint(1, 99)}", f"Floor {self.rng.randint(2, 40)}"]
        return {
            "address1": f"{self.rng.randint(1, 999)} {self.rng.choice(self.people['streets'])}",
            "address2": self.rng.choice(second),
            "city": place["city"],
            "state": place["state"],
            "country": "USA",
            "zip": f"{place['zip']}{self.rng.randint(1, 99):02d}",
        }

    def customer(self, number: int) -> _Customer:
        person = self.person(youngest=2004)
        plain = f"{person['first_name']}.{person['last_name']}".lower()
        row = {
            "user_id": f"{plain.replace('.', '_')}_{number}",
            **person,
            "email": self.new(lambda: f"{plain}{self.rng.randint(10, 9999)}@example.org"),
            **self.address(),
            "membership": self.deal(MEMBERSHIPS, number % 2),
        }
        methods = [self.method(row["user_id"], source) for source in self.deal(METHODS, number % 2)]
        companions: dict[tuple[str, str], Row] = {}
        for _ in range(self.rng.randint(0, 4)):
            family = {"last_name": person["last_name"]} if self.rng.random() < 0.5 else {}
            other = self.person() | family
            companions[other["first_name"], other["last_name"]] = other
        companions.pop((person["first_name"], person["last_name"]), None)
        customer = _Customer(row, methods, list(companions.values()))
        self.rows["customers"].append(row)
        self.rows["payment_methods"] += methods
        self.rows["saved_passengers"] += [
            {"user_id": row["user_id"], **other} for other in customer.companions
        ]
        return customer

    def method(self, user_id: str, source: str) -> Row:
        rng = self.rng
        number = self.new(lambda: rng.randrange(1_000_000, 10_000_000))
        card = source == CARD
        balance = None
        if source == GIFT:
            low, high = rng.choice([(500, 9_000), (9_000, 45_000), (45_000, 250_000)])
            balance = rng.randint(low, high)
        elif source == CERTIFICATE:
            balance = 2_500 * rng.randint(2, 20)
        return {
            "payment_id": f"{source}_{number}",
            "user_id": user_id,
            "source": source,
            "brand": rng.choice(["visa", "mastercard"]) if card else None,
            "last_four": f"{rng.randrange(10_000):04d}" if card else None,
            "balance_cents": balance,
        }

    def reservation(self, customer: _Customer) -> None:
        group = (customer.row["membership"], int(customer.row["user_id"][-1]) % 2)
        situation = self.deal(SITUATIONS, *group)
        cabin, insurance = self.deal(CABIN_AND_INSURANCE, *group, situation)
        trip = self.trip(situation)
        passengers = self.passengers(customer)
        row = {
            "reservation_id": reservation_id(self.new(lambda: self.rng.randrange(SEEDED))),
            "user_id": customer.row["user_id"],
            "origin": trip.there[0][0].origin,
            "destination": trip.there[-1][0].destination,
            "flight_type": "round_trip" if trip.back else "one_way",
            "cabin": cabin,
            "status": "cancelled" if situation == "given_up" else "active",
            "created_at": self.created(trip),
            **self.bags(customer, cabin, len(passengers)),
            "insurance": insurance,
        }
        flights = self.flights(row, trip)
        price = len(passengers) * (
            sum(flight["price_cents"] for flight in flights)
            + (INSURANCE if row["insurance"] == "yes" else 0)
        )
        self.rows["reservations"].append(row)
        self.rows["reservation_flights"] += flights
        self.rows["reservation_passengers"] += [
            {"reservation_id": row["reservation_id"], **one} for one in passengers
        ]
        self.pay(row, customer, price + BAG * row["nonfree_baggages"])

    def trip(self, situation: str) -> Trip:
        if situation == "given_up":
            return self.trips.flown() if self.rng.random() < 0.3 else self.trips.ahead()
        drawn: Trip = getattr(self.trips, situation)()
        return drawn

    def passengers(self, customer: _Customer) -> list[Row]:
        """One to five people, the customer on most trips, then companions, then strangers."""
        me = {key: customer.row[key] for key in ("first_name", "last_name", "dob")}
        known = self.rng.sample(customer.companions, len(customer.companions))
        found: dict[tuple[str, str], Row] = {}
        waiting = [me, *known] if self.rng.random() < 0.85 else known
        count = self.deal(PASSENGERS)
        while len(found) < count:
            one = waiting.pop(0) if waiting else self.person()
            found.setdefault((one["first_name"], one["last_name"]), one)
        return list(found.values())

    def bags(self, customer: _Customer, cabin: str, count: int) -> Row:
        free = count * (FREE_BAGS[customer.row["membership"]] + CABINS.index(cabin))
        some = [0, count, free + 1, free + self.rng.randint(1, 3)]
        # Nobody travels with three bags a head, free or not.
        total = self.rng.choice([bags for bags in some if bags <= 2 * count + 1])
        return {"total_baggages": total, "nonfree_baggages": max(0, total - free)}

    def created(self, trip: Trip) -> str:
        """Since April; not close to a day ago, so that nobody need count the minutes."""
        rng, now = self.rng, datetime.fromisoformat(NOW)
        latest = min(now, datetime.fromisoformat(trip.leaves)) - timedelta(hours=1)
        chance = rng.random()
        if chance < RECENT and latest > now - timedelta(hours=22):
            first, last = now - timedelta(hours=23), latest
        elif chance < RECENT + DAY_BEFORE and latest > now - timedelta(hours=25):
            first, last = now - timedelta(hours=47), now - timedelta(hours=25)
        else:
            first, last = datetime(2025, 4, 14, 7), min(latest, now - timedelta(hours=25))
        seconds = int((last - first).total_seconds())
        return (first + timedelta(seconds=rng.randrange(seconds))).isoformat()

    def flights(self, reservation: Row, trip: Trip) -> list[Row]:
        """The flights with the fares paid: today's, if booked a short time ago."""
        recent = reservation["created_at"] > RECENTLY
        found = []
        for flight, date in trip.flights:
            fare = self.timetable.fares[flight.number, date, reservation["cabin"]]
            if not recent:
                fare = odd(fare * self.rng.uniform(0.75, 1.15))
            found.append(
                {
                    "reservation_id": reservation["reservation_id"],
                    "flight_number": flight.number,
                    "date": date,
                    "price_cents": 100 * fare,
                }
            )
        return found

    def pay(self, reservation: Row, customer: _Customer, price: int) -> None:
        """The payments of a reservation, and the refunds of a cancelled one."""
        paid = self.shares(customer, price)
        entries = list(paid)
        if len(paid) == 1 and paid[0][0]["source"] != CERTIFICATE and self.rng.random() < CHANGED:
            # The flights were changed once, and the same method settled the difference.
            difference = (
                100 * self.rng.choice([-1, 1]) * self.rng.randint(price // 800, price // 250)
            )
            entries = [(paid[0][0], price - difference), (paid[0][0], difference)]
        if reservation["status"] == "cancelled":
            entries += [(m, -cents) for m, cents in paid if m["source"] != CERTIFICATE]
        for method, cents in entries:
            self.payments += 1
            self.rows["payments"].append(
                {
                    "entry_id": f"pay_{self.payments:08d}",
                    "reservation_id": reservation["reservation_id"],
                    "payment_id": method["payment_id"],
                    "amount_cents": cents,
                }
            )

    def shares(self, customer: _Customer, price: int) -> list[tuple[Row, int]]:
        """What each method paid, within the limits of one certificate, one card, three gifts."""
        rng = self.rng
        cards, gifts = customer.of(CARD), customer.of(GIFT)
        last = rng.choice(cards) if cards and rng.random() < 0.8 else rng.choice(gifts or cards)
        chance = rng.random()
        others: list[Row] = []
        if chance < WITH_CERTIFICATE:
            used = self.method(customer.row["user_id"], CERTIFICATE)
            worth = min(price, used["balance_cents"])
            used["balance_cents"] = 0
            self.rows["payment_methods"].append(used)
            rest = price - worth
            return [(used, worth), (last, rest)] if rest else [(used, worth)]
        if chance < WITH_CERTIFICATE + WITH_GIFTS:
            able = [gift for gift in gifts if gift is not last]
            others = rng.sample(able, min(len(able), rng.randint(1, 2)))
        shares = [(gift, 100 * rng.randint(price // 1000, price // 400)) for gift in others]
        return [*shares, (last, price - sum(cents for _, cents in shares))]


def build(db: sqlite_utils.Database, rng: random.Random, scale: int) -> None:
    """Fill the tables of `schema.sql`.

    Args:
        db: an empty database with the schema.
        rng: the only source of chance.
        scale: how many blocks of 500 customers and 2,000 reservations.
    """
    seeder = _Seeder(rng)
    for name, rows in seeder.timetable.rows().items():
        db.table(name).insert_all(rows, batch_size=500)
    for block in range(scale):
        first = 1_000 + 9_000 * block
        numbers = rng.sample(range(first, first + 9_000), CUSTOMERS)
        customers = [seeder.customer(number) for number in numbers]
        holders = customers + rng.choices(customers, k=RESERVATIONS - CUSTOMERS)
        rng.shuffle(holders)
        for customer in holders:
            seeder.reservation(customer)
        for name in TABLES:
            db.table(name).insert_all(seeder.rows[name], batch_size=500)
            seeder.rows[name] = []
