"""The cases of the policy, as conditions on reservations, and how many customers are in each.

A family can draw from them; a law of the company wants enough of each in both splits.
"""

from __future__ import annotations

from tau_env.domains.airline.timetable import NOW

DAY_AGO = "2025-06-11T15:00:00"
TWO_DAYS_AGO = "2025-06-10T15:00:00"

FACTS = """
flown AS (
  SELECT reservation_id, count(*) AS flights,
    sum(status IN ('flying', 'landed')) AS gone,
    sum(status = 'available') AS bookable,
    sum(status = 'cancelled') AS cancelled,
    sum(status = 'delayed') AS delayed,
    sum(status = 'on time') AS punctual,
    min(date || 'T' || departure) AS leaves
  FROM reservation_flights JOIN departures USING (flight_number, date)
  JOIN flights USING (flight_number) GROUP BY reservation_id
),
free AS (
  SELECT reservation_id, cabin, min(available) AS seats
  FROM reservation_flights JOIN seats USING (flight_number, date) GROUP BY reservation_id, cabin
),
seated AS (
  SELECT reservation_id, count(*) AS passengers FROM reservation_passengers GROUP BY reservation_id
),
purse AS (
  SELECT user_id,
    sum(source = 'credit_card') AS cards,
    sum(source = 'gift_card') AS gifts,
    sum(source = 'certificate' AND balance_cents > 0) AS certificates,
    min(CASE WHEN source = 'gift_card' THEN balance_cents END) AS least_gift_cents,
    max(CASE WHEN source = 'gift_card' THEN balance_cents END) AS most_gift_cents
  FROM payment_methods GROUP BY user_id
),
facts AS MATERIALIZED (
  SELECT r.*, membership, flights, gone, bookable, cancelled, delayed, punctual, leaves, passengers,
    cards, gifts, certificates, least_gift_cents, most_gift_cents,
    (SELECT seats FROM free WHERE free.reservation_id = r.reservation_id
      AND free.cabin = 'economy') AS economy_seats,
    (SELECT seats FROM free WHERE free.reservation_id = r.reservation_id
      AND free.cabin = 'business') AS business_seats
  FROM reservations r JOIN customers USING (user_id) JOIN flown USING (reservation_id)
  JOIN seated USING (reservation_id) JOIN purse USING (user_id)
)
"""
"""Table expressions that end in `facts`: each reservation with what the rules ask about it.

`gone`, `bookable`, `cancelled`, `delayed` and `punctual` count its flights, `economy_seats` and
`business_seats` are the fewest seats on any of them, `leaves` is when the first one leaves.
"""

_HELD = "status = 'active' AND gone = 0"
_OLD = f"created_at < '{DAY_AGO}'"
_CHEAP = "cabin <> 'business'"
_UNINSURED = f"{_CHEAP} AND insurance = 'no'"
_PLAIN = f"{_HELD} AND bookable = flights"
_WAITING = f"status = 'active' AND leaves > '{NOW}'"

SITUATIONS = {
    # Cancelling: one cause, no cause, too late.
    "booked within a day, no other cause": f"{_PLAIN} AND {_UNINSURED} AND NOT {_OLD}",
    "business, no other cause": f"{_PLAIN} AND {_OLD} AND cabin = 'business' AND insurance = 'no'",
    "insured, no other cause": f"{_PLAIN} AND {_OLD} AND {_CHEAP} AND insurance = 'yes'",
    "cancelled by the airline, no other cause": f"{_HELD} AND {_OLD} AND {_UNINSURED}"
    " AND cancelled",
    "no cause, economy": f"{_PLAIN} AND {_OLD} AND insurance = 'no' AND cabin = 'economy'",
    "no cause, basic economy": f"{_PLAIN} AND {_OLD} AND insurance = 'no'"
    " AND cabin = 'basic_economy'",
    "no cause, booked a day before": f"{_HELD} AND cancelled = 0 AND {_OLD} AND {_UNINSURED}"
    f" AND created_at > '{TWO_DAYS_AGO}'",
    "cancelled already": "status = 'cancelled'",
    "partly flown": "status = 'active' AND gone AND gone < flights",
    "wholly flown, with bags": "status = 'active' AND gone = flights AND total_baggages > 0",
    # Compensation: who, for what.
    **{
        f"{membership}, {thing}, uninsured, not business": f"{_HELD} AND {_UNINSURED} AND {column}"
        f" AND {other} = 0 AND membership = '{membership}'"
        for membership in ("regular", "silver", "gold")
        for thing, column, other in (
            ("cancelled", "cancelled", "delayed"),
            ("delayed", "delayed", "cancelled"),
        )
    },
    "regular, cancelled, insured": f"{_HELD} AND {_CHEAP} AND cancelled AND insurance = 'yes'"
    " AND membership = 'regular'",
    "regular, delayed, insured": f"{_HELD} AND {_CHEAP} AND delayed AND insurance = 'yes'"
    " AND membership = 'regular'",
    "regular, cancelled or delayed, business": f"{_HELD} AND (cancelled OR delayed)"
    " AND cabin = 'business' AND membership = 'regular'",
    "silver or gold, on time today": f"{_WAITING} AND punctual AND NOT delayed AND NOT cancelled"
    " AND membership <> 'regular'",
    # Changing: flights, cabin, what pays the difference.
    "economy, one way direct": f"{_PLAIN} AND cabin = 'economy' AND flight_type = 'one_way'"
    " AND flights = 1",
    "economy, connection": f"{_PLAIN} AND cabin = 'economy' AND flight_type = 'one_way'"
    " AND flights = 2",
    "economy or business, round trip": f"{_PLAIN} AND cabin <> 'basic_economy'"
    " AND flight_type = 'round_trip'",
    "basic economy, economy has seats": f"{_PLAIN} AND cabin = 'basic_economy'"
    " AND economy_seats >= passengers",
    "basic economy, economy has too few": f"{_PLAIN} AND cabin = 'basic_economy'"
    " AND economy_seats < passengers",
    "economy, business has seats": f"{_PLAIN} AND cabin = 'economy'"
    " AND business_seats >= passengers",
    "economy, business has too few": f"{_PLAIN} AND cabin = 'economy'"
    " AND business_seats < passengers",
    "to change, a gift card that holds under $50": f"{_PLAIN} AND least_gift_cents < 5000",
    "to change, a gift card that holds over $400": f"{_PLAIN} AND most_gift_cents > 40000",
    "to change, no credit card": f"{_PLAIN} AND cards = 0",
    "to change, a certificate": f"{_PLAIN} AND certificates",
    "to change, two credit cards": f"{_PLAIN} AND cards > 1",
    # Booking: the limits of a mix of payments.
    "two certificates": "certificates > 1",
    "four gift cards": "gifts > 3",
    "a gift card and a certificate": "gifts AND certificates",
    # Bags and passengers.
    **{f"{count} to fly": f"{_PLAIN} AND passengers = {count}" for count in (1, 2, 3)},
    "four or five to fly": f"{_PLAIN} AND passengers > 3",
    "no free bag left": f"{_PLAIN} AND nonfree_baggages > 0",
    "no bags": f"{_PLAIN} AND total_baggages = 0",
}
"""Name of a situation -> condition on a row of `facts`."""


def members(situation: str) -> str:
    """The SELECT of the reservations in a situation, as rows of `facts`, in a fixed order."""
    return f"WITH {FACTS} SELECT * FROM facts WHERE {SITUATIONS[situation]} ORDER BY reservation_id"


def counts() -> str:
    """The SELECT of situation, split (0 train, 1 test) and its number of customers."""
    sides = " UNION ALL ".join(
        f"SELECT '{name}' AS situation, {odd} AS odd, count(DISTINCT user_id) AS customers"
        f" FROM facts WHERE ({condition}) AND substr(user_id, -1) % 2 = {odd}"
        for name, condition in SITUATIONS.items()
        for odd in (0, 1)
    )
    return f"WITH {FACTS} {sides}"
