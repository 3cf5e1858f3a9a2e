"""Bookings that a customer has in mind: what they cost, and how each side names what pays.

How one is drawn is in `_trips`, the request that it makes in `_bookings`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tau_env.domains.airline.families._build import BAG_FEE, INSURANCE_FEE
from tau_env.domains.airline.families._dialogue import listed
from tau_env.domains.airline.families._records import (
    Customer,
    Flight,
    Method,
    Passenger,
    cabin_word,
)
from tau_env.families.build import Slots
from tau_env.families.dialogue import dollars

BookingProblem = Literal["", "seats", "number", "balance", "certificates", "gift cards"]
MOST = 5
"""So many passengers a reservation may have."""
MOST_GIFT_CARDS = 3
"""So many gift cards a reservation takes."""


@dataclass(frozen=True, slots=True)
class Booking:
    """A trip that a customer wants to book.

    Attributes:
        customer: who books.
        flights: in the order in which they are flown; those that the customer would take, where
            there are no seats.
        round_trip: whether it leads back.
        passengers: who flies.
        bags: checked bags in all.
        insured: whether it is booked with insurance.
        payments: what each method is to pay, in cents, in the customer's order.
        problem: the fact that forbids it, if any.
        said: further slots of the want: which flight it is to be.
        stops: the searches that show it: ``direct``, ``one stop`` or both.
        now: the company's clock.
    """

    customer: Customer
    flights: tuple[Flight, ...]
    round_trip: bool
    passengers: tuple[Passenger, ...]
    bags: int
    insured: bool
    payments: tuple[tuple[Method, int], ...]
    now: str
    problem: BookingProblem = ""
    said: Slots = field(default_factory=dict)
    stops: tuple[str, ...] = ("direct",)

    @property
    def cabin(self) -> str:
        """The cabin of all flights."""
        return self.flights[0].cabin

    @property
    def ways(self) -> tuple[tuple[Flight, ...], ...]:
        """The flights there, and those back on a round trip."""
        if not self.round_trip:
            return (self.flights,)
        half = len(self.flights) // 2
        return self.flights[:half], self.flights[half:]

    @property
    def start(self) -> Flight:
        """The first flight."""
        return self.flights[0]

    @property
    def end(self) -> Flight:
        """The flight that arrives at the destination."""
        return self.ways[0][-1]

    @property
    def paid_bags(self) -> int:
        """How many bags are not free."""
        free = len(self.passengers) * self.customer.free_bags(self.cabin)
        return max(0, self.bags - free)

    @property
    def price(self) -> int:
        """What it costs, in cents."""
        each = sum(one.fare for one in self.flights) + (INSURANCE_FEE if self.insured else 0)
        return len(self.passengers) * each + BAG_FEE * self.paid_bags

    @property
    def paying(self) -> str:
        """How the customer says what pays: a method, or amounts."""
        if len(self.payments) == 1:
            return self.payments[0][0].word
        *first, last = self.payments
        parts = [f"{dollars(cents)} from {self._own(method)}" for method, cents in first]
        return listed([*parts, f"the rest from {self._own(last[0])}"])

    def _own(self, method: Method) -> str:
        """A method as its owner names it: by its id where they have several of its kind."""
        alike = [
            one
            for one in self.customer.methods
            if one.source == method.source and (one.cents or one.source == "credit_card")
        ]
        return f"my {method.word}" if len(alike) == 1 else method.id

    def text_of(self, method: Method) -> str:
        """A method as an agent names it."""
        own = self._own(method)
        if method.source == "credit_card":
            return f"your {method.text}"
        return f"your {method.word}" if own.startswith("my ") else f"your {method.word} {method.id}"

    @property
    def which(self) -> str:
        """Which flights it is to be, of those of the day, as an agent says it."""
        stops = self.said.get("stops", "")
        kind = "connection with one stop" if stops == "one stop" else f"{stops} flight".lstrip()
        return f"{kind} that leaves {self.said['time']}" if "time" in self.said else kind

    @property
    def slots(self) -> Slots:
        """What the customer has in mind."""
        found: Slots = {
            "origin": self.start.origin_city,
            "destination": self.end.destination_city,
            "date": self.start.date,
            "flight_type": "round trip" if self.round_trip else "one way",
            "cabin": cabin_word(self.cabin),
            "passengers": listed(one.text for one in self.passengers),
            "total_baggages": str(self.bags),
            "insurance": "yes" if self.insured else "no",
        }
        if self.round_trip:
            found["return_date"] = self.ways[1][0].date
        found["payment_method" if len(self.payments) == 1 else "payment_methods"] = self.paying
        return found | self.said

    @property
    def route(self) -> str:
        """Where and when it goes, as an agent says it."""
        text = f"{self.start.origin_city} to {self.end.destination_city} on {self.start.date}"
        return f"{text} and back on {self.ways[1][0].date}" if self.round_trip else text
