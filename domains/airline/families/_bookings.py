"""To book a trip: the customer's want, the rows that it leaves, what an agent says and calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tau_env.domains.airline.families._booking_records import MOST, MOST_GIFT_CARDS, Booking
from tau_env.domains.airline.families._build import BAG_FEE, number, passenger_rows
from tau_env.domains.airline.families._dialogue import Dialogue, flights_text, listed
from tau_env.domains.airline.families._jobs import Job, Refusal
from tau_env.domains.airline.families._records import Method, cabin_word
from tau_env.families.build import money, must_call, word
from tau_env.families.dialogue import dollars
from tau_env.schema import Requirement, RowChange, Want


def booking_job(booking: Booking, phrase: str) -> Job:
    """To book a trip.

    Args:
        booking: the situation.
        phrase: raises the want.
    """
    count = len(booking.passengers)
    return Job(
        customer=booking.customer,
        record="",
        want=Want(do="book", slots=booking.slots, say=phrase),
        opening=f"{phrase}_first",
        wish=_wish(booking, together=phrase.endswith("_together")),
        doing=f"book this trip from {booking.route} for {count} passengers"
        if count > 1
        else f"book this trip from {booking.route}",
        rows=tuple(_rows(booking)),
        flows=tuple(("$r", method, cents) for method, cents in booking.payments),
        seats=tuple((one, count) for one in booking.flights),
        outputs=tuple(money(cents) for _, cents in booking.payments[-1:]),
        rules=_rules(booking),
        reads=partial(_search, booking),
        ask=partial(_ask_rest, booking),
        perform=partial(_book, booking),
        refusal=_refusal(booking),
        needs=() if booking.problem == "number" else tuple(_needs(booking)),
    )


def _wish(booking: Booking, *, together: bool) -> str:
    """The booking in the instruction."""
    kind = "round trip" if booking.round_trip else "one way trip"
    named = ", ".join(str(value) for value in booking.said.values())
    if len(booking.stops) > 1:
        named += ", direct or with one stop"
    bags = _counted_bags(booking) if booking.bags else "no checked bags"
    insurance = "with" if booking.insured else "without"
    mixed = len(booking.payments) > 1
    paying = f"like this: {booking.paying}" if mixed else f"with your {booking.paying}"
    return (
        f"to book a {kind} from {booking.route} ({named}), in {cabin_word(booking.cabin)}"
        f"{', in one reservation for everybody' if together else ''}. The passengers are "
        f"{listed(one.text for one in booking.passengers)}. You have {bags}, want it {insurance} "
        f"travel insurance, and pay {paying}, in no other way. Say who flies, the cabin, the bags, "
        "the insurance and how you pay when you are asked"
    )


def _rules(booking: Booking) -> tuple[str, ...]:
    bags = ("R6.1",) if booking.bags else ()
    by_card = all(method.source == "credit_card" for method, _ in booking.payments)
    mixed = () if by_card else ("R4.4",)
    return ("R4.1", "R4.2", "R4.3", *mixed, *bags)


def _rows(booking: Booking) -> Iterator[RowChange]:
    """The new reservation with its flights and passengers."""
    yield RowChange(
        op="insert",
        table="reservations",
        key={"reservation_id": "$r"},
        fields={
            "user_id": booking.customer.id,
            "origin": booking.start.origin,
            "destination": booking.end.destination,
            "flight_type": "round_trip" if booking.round_trip else "one_way",
            "cabin": booking.cabin,
            "status": "active",
            "created_at": booking.now,
            "total_baggages": booking.bags,
            "nonfree_baggages": booking.paid_bags,
            "insurance": "yes" if booking.insured else "no",
        },
    )
    for one in booking.flights:
        yield RowChange(
            op="insert",
            table="reservation_flights",
            key={"reservation_id": "$r", "flight_number": one.number, "date": one.date},
            fields={"price_cents": one.fare},
        )
    yield from passenger_rows("$r", (), booking.passengers)


def _searches(booking: Booking) -> Iterator[tuple[str, dict[str, str]]]:
    """The searches that show what there is."""
    for way in booking.ways:
        asked = {
            "origin": way[0].origin,
            "destination": way[-1].destination,
            "date": way[0].date,
        }
        for stops in booking.stops:
            tool = "search_direct_flight" if stops == "direct" else "search_onestop_flight"
            yield tool, asked


def _needs(booking: Booking) -> Iterator[Requirement]:
    for tool, asked in _searches(booking):
        yield must_call(f"{tool} on {asked['date']}", tool, asked)


# What an agent says.


def _search(booking: Booking, talk: Dialogue) -> None:
    name = talk.customer.first_name
    if booking.problem == "number":
        who = "And who is flying? I need the full name and the date of birth of every passenger."
    else:
        who = "And who is flying? I need every passenger's full name and date of birth."
    talk.say(
        f"Thank you, {name}. In which cabin would you like to fly? {who}",
        f"Thanks, {name}. Which cabin would you like? {who}",
    )
    if booking.problem == "number":
        return
    for tool, asked in _searches(booking):
        talk.call(tool, **asked)


def _ask_rest(booking: Booking, talk: Dialogue) -> None:
    flights = flights_text(booking.flights)
    fare = dollars(sum(one.fare for one in booking.flights))
    preference = booking.said.get("preference")
    best = f"The {preference} {booking.which}" if preference else ""
    cabin = cabin_word(booking.cabin)
    talk.say(
        f"{f'{best} in {cabin} is' if best else f'In {cabin} there are seats on'} {flights}, for "
        f"{fare} a passenger. How many checked bags will you have, and would you like travel "
        "insurance for $30 a passenger?",
        f"{f'{best} is' if best else 'I have found'} {flights}; in {cabin} that is {fare} a "
        "passenger. How many checked bags do you need, and do you want travel insurance for $30 a "
        "passenger?",
    )
    talk.say(
        f"That comes to {dollars(booking.price)} in all. How would you like to pay?",
        f"The total is {dollars(booking.price)}. Which payment method would you like to use?",
    )


def _counted_bags(booking: Booking) -> str:
    return f"{booking.bags} checked {'bag' if booking.bags == 1 else 'bags'}"


def _bags_text(booking: Booking) -> str:
    if not booking.bags:
        return "without checked bags"
    bags = f"with {_counted_bags(booking)}"
    if not booking.paid_bags:
        return f"{bags} free of charge"
    fee = dollars(BAG_FEE * booking.paid_bags)
    return f"{bags} for {fee}"


def _paid_text(booking: Booking, auxiliary: str) -> str:
    total = f"the total of {dollars(booking.price)}"
    if len(booking.payments) == 1:
        return f"{total} {auxiliary} charged to {booking.text_of(booking.payments[0][0])}"
    parts = [f"{dollars(cents)} to {booking.text_of(method)}" for method, cents in booking.payments]
    return f"{total} {auxiliary} charged like this: {listed(parts)}"


def _lost_text(booking: Booking) -> str:
    """What becomes of the rest of a certificate (R4.4)."""
    lost = any(one.source == "certificate" and one.cents > cents for one, cents in booking.payments)
    return " What is left of your certificate is lost then." if lost else ""


def _book(booking: Booking, talk: Dialogue) -> None:
    kind = "a round trip" if booking.round_trip else "one way"
    people = listed(one.text for one in booking.passengers)
    insurance = "with" if booking.insured else "without"
    details = (
        f"{flights_text(booking.flights)}, {kind} in {cabin_word(booking.cabin)}, "
        f"{_bags_text(booking)} and {insurance} travel insurance. Passengers: {people}"
    )
    paid = _paid_text(booking, "would be")
    talk.propose(
        f"I would book for you: {details}. {paid[0].upper()}{paid[1:]}.{_lost_text(booking)}",
        f"This is what I would book: {details}. {paid[0].upper()}{paid[1:]}.{_lost_text(booking)}",
    )
    talk.write(
        "book_reservation",
        user_id=booking.customer.id,
        origin=booking.start.origin,
        destination=booking.end.destination,
        flight_type="round_trip" if booking.round_trip else "one_way",
        cabin=booking.cabin,
        flights=[one.argument for one in booking.flights],
        passengers=[one.argument for one in booking.passengers],
        payment_methods=[
            {"payment_id": method.id, "amount": cents / 100} for method, cents in booking.payments
        ],
        total_baggages=booking.bags,
        nonfree_baggages=booking.paid_bags,
        insurance="yes" if booking.insured else "no",
    )
    done = _paid_text(booking, "has been")
    talk.close(
        f"Your trip from {booking.route} is booked; {done}.",
        f"Done: I have booked your trip from {booking.route}; {done}.",
    )


def _refusal(booking: Booking) -> Refusal | None:
    cabin = cabin_word(booking.cabin)
    if booking.problem == "seats":
        flight = booking.said.get("flight_number")
        every, one = (
            (f"flight {flight}", f"flight {flight}")
            if flight
            else (f"every {booking.which}", f"any {booking.which}")
        )
        full = listed(way[0].date for way in booking.ways if not all(one.seats for one in way))
        return Refusal(
            because=(
                f"{every} on {full} is sold out in {cabin}",
                f"there is no seat available in {cabin} on {one} on {full}",
            ),
            outputs=(word("availability", "unavailable"),),
            rules=("R4.2",),
        )
    if booking.problem == "number":
        count = len(booking.passengers)
        return Refusal(
            because=(
                f"a reservation has at most {MOST} passengers, and you are {count}",
                f"no more than {MOST} passengers can be in one reservation",
            ),
            outputs=(number(MOST),),
            rules=("R4.1",),
        )
    if booking.problem == "certificates":
        return Refusal(
            because=(
                "a reservation takes at most one travel certificate, and you name two",
                "no more than one travel certificate can pay for a reservation",
            ),
            outputs=(word("payment_method", "certificate"),),
            rules=("R4.4",),
            asks=True,
        )
    if booking.problem == "gift cards":
        return Refusal(
            because=(
                f"a reservation takes at most {MOST_GIFT_CARDS} gift cards",
                f"no more than {MOST_GIFT_CARDS} gift cards can pay for a reservation",
            ),
            outputs=(number(MOST_GIFT_CARDS),),
            rules=("R4.4",),
            asks=True,
        )
    if booking.problem == "balance":
        method, wished = _short(booking)
        held, text = dollars(method.cents), booking.text_of(method)
        return Refusal(
            because=(
                f"{text} holds only {held}, which does not pay {dollars(wished)}",
                f"there are {held} on {text}, and {dollars(wished)} are needed",
            ),
            outputs=(money(method.cents),),
            rules=("R4.4",),
            asks=True,
        )
    return None


def _short(booking: Booking) -> tuple[Method, int]:
    """The method that does not hold what it is to pay."""
    return next((method, cents) for method, cents in booking.payments if not method.covers(cents))
