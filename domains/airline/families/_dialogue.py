"""How an agent of the airline talks: identifies by user id, and puts records into words."""

from __future__ import annotations

from collections.abc import Iterable

from tau_env.domains.airline.families._records import Customer, Flight, Method, Reservation
from tau_env.families import dialogue
from tau_env.families.dialogue import dollars

USER_ID_QUESTIONS = (
    "I'm happy to help. May I have your user id, please?",
    "Of course. What is your user id?",
    "Sure, let me look into that. Could you tell me your user id first?",
    "Gladly. Before I do anything, please tell me your user id.",
)


class Dialogue(dialogue.Dialogue[Customer]):
    """A reference solution, with the one way to identify a customer."""

    def identify(self, *, user_id: str = "") -> None:
        """Ask for the user id and look the customer up.

        Args:
            user_id: what the customer answers, where that is not their id.
        """
        self.say(*USER_ID_QUESTIONS)
        self.call("get_user_details", user_id=user_id or self.customer.id)

    def look_up(self, *reservation_ids: str) -> None:
        """Look up reservations."""
        for one in reservation_ids:
            self.call("get_reservation_details", reservation_id=one)

    def search(self, flight: Flight) -> None:
        """Look for the direct flights of a flight's route and date."""
        self.call(
            "search_direct_flight",
            origin=flight.origin,
            destination=flight.destination,
            date=flight.date,
        )


def listed(texts: Iterable[str]) -> str:
    """Texts as a list in a sentence: ``a, b and c``."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def flights_text(flights: Iterable[Flight]) -> str:
    """Flights as an agent says them."""
    return listed(one.text for one in flights)


def when_back(method: Method) -> str:
    """When a refund is there (R7.4)."""
    return "at once" if method.source == "gift_card" else "within 5 to 7 business days"


def refund_text(reservation: Reservation) -> str:
    """What goes back to each method if a reservation is cancelled, and when."""
    parts = []
    for method_id, cents in reservation.refundable.items():
        method = reservation.customer.method(method_id)
        parts.append(
            f"{dollars(cents)} to your {reservation.customer.text_of(method)} {when_back(method)}"
        )
    return listed(parts)


def settled(cents: int, method: Method, auxiliary: str) -> str:
    """What becomes of a price difference.

    Args:
        cents: what the customer pays; negative if they get it back.
        method: the payment method.
        auxiliary: ``would be``, ``will be`` or ``has been``.
    """
    verb = "charged" if cents > 0 else "refunded"
    return f"the price difference of {dollars(cents)} {auxiliary} {verb} to your {method.text}"
