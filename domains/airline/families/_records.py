"""The company's records as families see them: customers, flights on a date, reservations.

How they are read is in `_query`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

CABINS = ("basic_economy", "economy", "business")
LEFT = frozenset({"flying", "landed"})
FREE_BAGS = {"regular": (0, 1, 2), "silver": (1, 2, 3), "gold": (2, 3, 4)}
"""Free checked bags a passenger by membership, in the order of `CABINS`."""


@dataclass(frozen=True, slots=True)
class Method:
    """A payment method; `cents` is what a gift card or a certificate holds."""

    id: str
    source: str
    brand: str
    last_four: str
    cents: int

    @property
    def word(self) -> str:
        """The lexicon's word for it."""
        return self.source.replace("_", " ")

    @property
    def text(self) -> str:
        """How an agent names it to its owner, where its kind alone identifies it."""
        if self.source == "credit_card":
            return f"credit card ({self.brand.capitalize()} ending in {self.last_four})"
        return self.word

    def covers(self, cents: int) -> bool:
        """Whether it can pay an amount."""
        return self.source == "credit_card" or self.cents >= cents


@dataclass(frozen=True, slots=True)
class Passenger:
    """Somebody who flies."""

    first_name: str
    last_name: str
    dob: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"

    @property
    def text(self) -> str:
        """Name and date of birth, as an agent says them."""
        return f"{self.name} (born {self.dob})"

    @property
    def argument(self) -> dict[str, str]:
        """The passenger as tools take one."""
        return {"first_name": self.first_name, "last_name": self.last_name, "dob": self.dob}


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer with payment methods, used up ones included, and saved passengers."""

    id: str
    first_name: str
    last_name: str
    dob: str
    email: str
    membership: str
    methods: tuple[Method, ...]
    saved: tuple[Passenger, ...]

    @property
    def clear_methods(self) -> tuple[Method, ...]:
        """Credit and gift cards that their kind alone identifies."""
        kinds = [method.source for method in self.methods]
        return tuple(
            method
            for method in self.methods
            if kinds.count(method.source) == 1 and method.source != "certificate"
        )

    @property
    def certificates(self) -> tuple[Method, ...]:
        """Certificates that are not used up."""
        return tuple(one for one in self.methods if one.source == "certificate" and one.cents)

    @property
    def oneself(self) -> Passenger:
        """The customer as a passenger."""
        return Passenger(self.first_name, self.last_name, self.dob)

    def method(self, method_id: str) -> Method:
        """One of the methods by its id."""
        return next(method for method in self.methods if method.id == method_id)

    def text_of(self, method: Method) -> str:
        """How an agent names one of the methods to them: by its id where its kind has several."""
        alike = [one for one in self.methods if one.source == method.source]
        if method.source == "credit_card" or len(alike) == 1:
            return method.text
        return f"{method.word} {method.id}"

    def free_bags(self, cabin: str) -> int:
        """Free checked bags a passenger in a cabin."""
        return FREE_BAGS[self.membership][CABINS.index(cabin)]


@dataclass(frozen=True, slots=True)
class Flight:
    """A flight on a date, with the seats of one cabin.

    Attributes:
        number: the flight number.
        date: the day on which it leaves.
        origin: code of the airport that it leaves from.
        destination: code of the airport that it goes to.
        origin_city: the city of `origin`.
        destination_city: the city of `destination`.
        leaves: when it leaves, ISO 8601.
        arrives: when it arrives, ISO 8601.
        status: its status on that date.
        cabin: the cabin.
        seats: how many seats can still be sold.
        fare: what one costs today, in cents.
        paid: in a reservation: what was paid for one passenger, in cents.
    """

    number: str
    date: str
    origin: str
    destination: str
    origin_city: str
    destination_city: str
    leaves: str
    arrives: str
    status: str
    cabin: str
    seats: int
    fare: int
    paid: int = 0

    @property
    def left(self) -> bool:
        """Whether it has left."""
        return self.status in LEFT

    @property
    def key(self) -> tuple[str, str]:
        """Number and date, which identify it."""
        return self.number, self.date

    @property
    def argument(self) -> dict[str, str]:
        """The flight as tools take one."""
        return {"flight_number": self.number, "date": self.date}

    @property
    def text(self) -> str:
        """The flight as an agent says it."""
        return f"{self.number} from {self.origin_city} to {self.destination_city} on {self.date}"

    def has_room(self, passengers: int) -> bool:
        """Whether it can be booked for so many."""
        return self.status == "available" and self.seats >= passengers


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reservation with its customer.

    Attributes:
        id: its id.
        customer: whose it is.
        origin: code of the airport where the trip begins.
        destination: code of the airport that it goes to.
        origin_city: the city of `origin`.
        destination_city: the city of `destination`.
        flight_type: ``one_way`` or ``round_trip``.
        cabin: the cabin of all flights.
        status: ``active`` or ``cancelled``.
        created_at: when it was booked, ISO 8601.
        bags: checked bags in all.
        paid_bags: those that are not free.
        insurance: ``yes`` or ``no``.
        flights: in the order in which they are flown.
        passengers: who flies.
        net: what each method has paid and not got back, in cents.
        now: the company's clock.
    """

    id: str
    customer: Customer
    origin: str
    destination: str
    origin_city: str
    destination_city: str
    flight_type: str
    cabin: str
    status: str
    created_at: str
    bags: int
    paid_bags: int
    insurance: str
    flights: tuple[Flight, ...]
    passengers: tuple[Passenger, ...]
    net: dict[str, int]
    now: str

    @property
    def shape(self) -> str:
        """All reservations are alike."""
        return ""

    @property
    def cabin_word(self) -> str:
        """The lexicon's word for the cabin."""
        return cabin_word(self.cabin)

    @property
    def booked_on(self) -> str:
        """The day of booking."""
        return self.created_at[:10]

    @property
    def is_recent(self) -> bool:
        """Whether it was booked within the last 24 hours."""
        age = datetime.fromisoformat(self.now) - datetime.fromisoformat(self.created_at)
        return age <= timedelta(hours=24)

    @property
    def is_open(self) -> bool:
        """Whether it is active and none of its flights has left: it can be changed (R5.1)."""
        return self.status == "active" and not any(one.left for one in self.flights)

    @property
    def is_flown(self) -> bool:
        """Whether it is active and all of its flights have left."""
        return self.status == "active" and all(one.left for one in self.flights)

    @property
    def is_partly_flown(self) -> bool:
        """Whether a flight has left and another has not (R9.4)."""
        return self.status == "active" and not self.is_open and not self.is_flown

    @property
    def statuses(self) -> frozenset[str]:
        """The statuses of its flights."""
        return frozenset(one.status for one in self.flights)

    @property
    def has_cancelled_flight(self) -> bool:
        """Whether the airline has cancelled one of its flights."""
        return "cancelled" in self.statuses

    @property
    def is_as_planned(self) -> bool:
        """Whether it is open and all of its flights lie ahead, on another day than today."""
        return self.is_open and self.statuses == {"available"}

    @property
    def standing(self) -> str:
        """What of it forbids any change: ``given up`` or ``flown``; empty if nothing does.

        ``other`` is left for what no family asks about: flights of today, cancelled or under way.
        """
        if self.status == "cancelled":
            return "given up"
        if self.is_flown and self.statuses == {"landed"}:
            return "flown"
        return "" if self.is_as_planned else "other"

    @property
    def refundable(self) -> dict[str, int]:
        """What goes back to each method if it is cancelled, in cents (R7.4)."""
        return {
            method: cents
            for method, cents in self.net.items()
            if self.customer.method(method).source != "certificate"
        }

    @property
    def free_bags(self) -> int:
        """How many of its bags may be free."""
        return len(self.passengers) * self.customer.free_bags(self.cabin)

    @property
    def route(self) -> str:
        """Where the trip goes, as an agent says it."""
        return f"{self.origin_city} to {self.destination_city}"


def cabin_word(cabin: str) -> str:
    """The lexicon's word for a cabin: ``basic economy``."""
    return cabin.replace("_", " ")
