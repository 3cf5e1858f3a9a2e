"""Who holds each rule of policies/airline.md, and one predicate per rule over a call.

A predicate is False if the call, in its circumstances, breaks the rule. Rules about what is said
are broken by no call. Tools never use this module: the two must agree without sharing code.
"""

from __future__ import annotations

from collections import Counter

from tau_env.domains.airline.policy_facts import (
    BAG,
    DAY_AGO,
    cents,
    changeable,
    compensations,
    covers,
    difference,
    flights_of,
    free_bags,
    is_chain,
    is_compensated,
    is_for_a_colleague,
    legs,
    method,
    moved_to_business,
    passengers_of,
    pays_in_full,
    reasons,
    reservation,
    seat,
)
from tau_env.world.rules import Deed, RuleBook

RULES = RuleBook()

BOOK = "book_reservation"
CANCEL = "cancel_reservation"
FLIGHTS = "update_reservation_flights"
BAGS = "update_reservation_baggages"
PASSENGERS = "update_reservation_passengers"
CERTIFICATE = "send_certificate"
TRANSFER = "transfer_to_human_agents"
LOOK_UP = "get_reservation_details"
ON_A_RESERVATION = (CANCEL, FLIGHTS, BAGS, PASSENGERS)
WRITES = (BOOK, *ON_A_RESERVATION, CERTIFICATE)
IDENTITY = ("get_user_details",)
MOST_PASSENGERS = 5
MOST_METHODS = {"certificate": 1, "credit_card": 1, "gift_card": 3}


@RULES.rule("R1.1", by=("grader:conduct",))
@RULES.rule("R1.2", by=("grader:conduct",))
def _identity_first(deed: Deed) -> bool:
    return deed.identified or deed.tool not in WRITES


@RULES.rule("R1.3", by=("grader:conduct", "grader:state"))
def _own_records_only(deed: Deed) -> bool:
    if deed.tool not in WRITES:
        return True
    owner = deed.arguments.get("user_id") or reservation(deed)["user_id"]
    return owner in ("", deed.customer)


@RULES.rule("R1.4", by=("grader:conduct",))
@RULES.rule("R2.2", by=("grader:outputs", "grader:path"))
@RULES.rule("R2.3", by=("grader:outputs",))
@RULES.rule("R3.8", by=("grader:conduct",))
@RULES.rule("R7.2", by=("grader:state",))
@RULES.rule("R9.1", by=("grader:outputs",))
def _about_words_only(deed: Deed) -> bool:
    return True


@RULES.rule("R2.1", by=("grader:path",))
def _reservation_looked_up(deed: Deed) -> bool:
    return deed.tool not in ON_A_RESERVATION or LOOK_UP in deed.looked_up


@RULES.rule("R2.4", by=("grader:state", "grader:path"))
@RULES.rule("R3.1", by=("grader:confirmation",))
@RULES.rule("R3.2", by=("grader:confirmation",))
@RULES.rule("R3.3", by=("grader:confirmation",))
@RULES.rule("R3.4", by=("grader:confirmation",))
@RULES.rule("R3.5", by=("grader:confirmation",))
@RULES.rule("R3.6", by=("grader:confirmation",))
@RULES.rule("R3.7", by=("grader:state", "grader:conduct"))
@RULES.rule("R9.2", by=("grader:state",))
def _agreed(deed: Deed) -> bool:
    return deed.agreed or deed.tool not in WRITES


@RULES.rule("R4.1", by=(f"tool:{BOOK}", "grader:state"))
def _enough_is_known(deed: Deed) -> bool:
    if deed.tool != BOOK:
        return True
    return 1 <= len(deed.arguments["passengers"]) <= MOST_PASSENGERS


@RULES.rule("R4.2", by=(f"tool:{BOOK}",))
def _bookable_chain(deed: Deed) -> bool:
    if deed.tool != BOOK:
        return True
    asked, flights = deed.arguments, legs(deed)
    people = len(asked["passengers"])
    return is_chain(flights, asked["origin"], asked["destination"], asked["flight_type"]) and all(
        flight["status"] == "available"
        and seat(deed, flight, asked["cabin"])["available"] >= people
        for flight in flights
    )


@RULES.rule("R4.3", by=(f"tool:{BOOK}",))
def _paid_in_full(deed: Deed) -> bool:
    return deed.tool != BOOK or pays_in_full(deed)


@RULES.rule("R4.4", by=(f"tool:{BOOK}", "grader:state"))
def _payment_mix(deed: Deed) -> bool:
    if deed.tool != BOOK:
        return True
    amounts: Counter[str] = Counter()
    for one in deed.arguments["payment_methods"]:
        amounts[one["payment_id"]] += cents(one["amount"])
    kinds: Counter[str] = Counter()
    for payment_id, amount in amounts.items():
        found = method(deed, payment_id)
        if found is None or amount <= 0:
            return False
        if found["source"] != "credit_card" and found["balance_cents"] < amount:
            return False
        kinds[found["source"]] += 1
    return all(kinds[source] <= most for source, most in MOST_METHODS.items())


@RULES.rule("R5.1", by=(f"tool:{FLIGHTS}",))
def _change_before_it_leaves(deed: Deed) -> bool:
    return deed.tool != FLIGHTS or changeable(deed)


@RULES.rule("R5.2", by=(f"tool:{FLIGHTS}",))
def _flights_changed(deed: Deed) -> bool:
    if deed.tool != FLIGHTS:
        return True
    held, flights = reservation(deed), legs(deed)
    if not is_chain(flights, held["origin"], held["destination"], held["flight_type"]):
        return False
    fresh = _fresh(deed)
    if not fresh:
        return True
    people = passengers_of(deed, held["reservation_id"])
    return held["cabin"] != "basic_economy" and all(
        flights[place]["status"] == "available"
        and seat(deed, flights[place], deed.arguments["cabin"])["available"] >= people
        for place in fresh
    )


def _fresh(deed: Deed) -> list[int]:
    """Places of the flights that the reservation has not yet."""
    old = {
        (one["flight_number"], one["date"])
        for one in flights_of(deed, deed.arguments["reservation_id"])
    }
    return [
        place
        for place, one in enumerate(legs(deed))
        if (one["flight_number"], one["date"]) not in old
    ]


@RULES.rule("R5.3", by=(f"tool:{FLIGHTS}",))
def _cabin_has_seats(deed: Deed) -> bool:
    held = reservation(deed)
    if deed.tool != FLIGHTS or deed.arguments["cabin"] == held["cabin"]:
        return True
    people = passengers_of(deed, held["reservation_id"])
    return all(
        flight["status"] == "available"
        and seat(deed, flight, deed.arguments["cabin"])["available"] >= people
        for flight in legs(deed)
    )


@RULES.rule("R5.4", by=(f"tool:{FLIGHTS}", "grader:state"))
def _difference_covered(deed: Deed) -> bool:
    return deed.tool != FLIGHTS or covers(deed, difference(deed))


@RULES.rule("R6.1", by=(f"tool:{BOOK}", f"tool:{BAGS}"))
def _free_bags_counted(deed: Deed) -> bool:
    if deed.tool not in (BOOK, BAGS):
        return True
    if deed.tool == BOOK:
        cabin, people = deed.arguments["cabin"], len(deed.arguments["passengers"])
    else:
        held = reservation(deed)
        cabin, people = held["cabin"], passengers_of(deed, held["reservation_id"])
    free = free_bags(deed, cabin) * people
    total = deed.arguments["total_baggages"]
    return bool(deed.arguments["nonfree_baggages"] == max(0, total - free))


@RULES.rule("R6.2", by=(f"tool:{BAGS}", "grader:state"))
def _bags_added(deed: Deed) -> bool:
    if deed.tool != BAGS:
        return True
    held = reservation(deed)
    more = deed.arguments["total_baggages"] > held["total_baggages"]
    fee = BAG * (deed.arguments["nonfree_baggages"] - held["nonfree_baggages"])
    return changeable(deed) and more and covers(deed, fee)


@RULES.rule("R6.3", by=(f"tool:{PASSENGERS}", "grader:state"))
def _passengers_changed(deed: Deed) -> bool:
    if deed.tool != PASSENGERS:
        return True
    people = passengers_of(deed, deed.arguments["reservation_id"])
    return changeable(deed) and len(deed.arguments["passengers"]) == people


@RULES.rule("R6.4", by=("grader:state",))
def _insurance_with_the_booking(deed: Deed) -> bool:
    return deed.tool == BOOK or "insurance" not in deed.arguments


@RULES.rule("R7.1", by=(f"tool:{CANCEL}", "grader:state"))
def _cancelled_for_cause(deed: Deed) -> bool:
    if deed.tool != CANCEL:
        return True
    return changeable(deed) and (reservation(deed)["cabin"] == "business" or _has_cause(deed))


def _has_cause(deed: Deed) -> bool:
    """Whether a cause other than the cabin allows a cancellation."""
    held = reservation(deed)
    return (
        held["created_at"] >= DAY_AGO
        or any(one["status"] == "cancelled" for one in flights_of(deed, held["reservation_id"]))
        or (held["insurance"] == "yes" and not reasons(deed).isdisjoint(("health", "weather")))
    )


@RULES.rule("R7.3", by=("grader:state",))
def _not_by_way_of_business(deed: Deed) -> bool:
    return deed.tool != CANCEL or not moved_to_business(deed) or _has_cause(deed)


@RULES.rule("R7.4", by=(f"tool:{CANCEL}", "grader:outputs"))
def _refund_where_it_came_from(deed: Deed) -> bool:
    # The tool takes no destination, so there is none to get wrong.
    return deed.tool != CANCEL or "payment_id" not in deed.arguments


@RULES.rule("R8.1", by=("grader:state",))
def _compensation_on_request(deed: Deed) -> bool:
    if deed.tool != CERTIFICATE:
        return True
    return (
        any(want.do == CERTIFICATE for want in deed.wants)
        and LOOK_UP in deed.looked_up
        and bool(compensations(deed))
    )


@RULES.rule("R8.2", by=("grader:state",))
def _compensation_is_due(deed: Deed) -> bool:
    return deed.tool != CERTIFICATE or any(
        is_compensated(deed, held) for held, _ in compensations(deed)
    )


@RULES.rule("R8.3", by=("grader:state",))
def _compensation_once(deed: Deed) -> bool:
    if deed.tool != CERTIFICATE:
        return True
    due = [amount for held, amount in compensations(deed) if is_compensated(deed, held)]
    sent = [cents(one["amount"]) for tool, one in deed.earlier if tool == CERTIFICATE]
    amount = cents(deed.arguments["amount"])
    return due.count(amount) > sent.count(amount)


@RULES.rule("R9.3", by=("grader:path",))
@RULES.rule("R9.4", by=("grader:path",))
def _hand_over_with_cause(deed: Deed) -> bool:
    if deed.tool != TRANSFER:
        return True
    return deed.identified and LOOK_UP in deed.looked_up and is_for_a_colleague(deed)


@RULES.rule("R9.5", by=("grader:state",))
def _nothing_after_hand_over(deed: Deed) -> bool:
    return all(tool != TRANSFER for tool, _ in deed.earlier)
