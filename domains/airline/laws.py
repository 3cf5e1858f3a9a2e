"""What holds of every seeded airline: SELECTs that return the rows which break it."""

from __future__ import annotations

from tau_env.domains.airline.situations import counts
from tau_env.domains.airline.timetable import NOW, TODAY
from tau_env.world.company import Law

# Arrivals on the day after are read without date functions, which no statement may call.
_TIMES = (
    "times AS (SELECT d.flight_number, d.date, d.status, f.origin, f.destination,"
    " d.date || 'T' || f.departure AS leaves, substr(d.date, 1, 8) ||"
    " printf('%02d', substr(d.date, 9) + f.arrival_day) || 'T' || f.arrival AS lands"
    " FROM departures d JOIN flights f USING (flight_number))"
)
_FLOWN = (
    f"{_TIMES}, flown AS (SELECT r.*, x.origin AS start, x.destination AS stop, x.leaves, x.lands,"
    " x.status AS flight, lag(x.destination) OVER w AS before, lag(x.lands) OVER w AS landed,"
    " row_number() OVER w AS rank, lead(1, 1, 0) OVER w AS follows"
    " FROM reservation_flights y JOIN times x USING (flight_number, date)"
    " JOIN reservations r USING (reservation_id)"
    " WINDOW w AS (PARTITION BY r.reservation_id ORDER BY x.leaves))"
)
_SEATED = (
    "(SELECT count(*) FROM reservation_passengers p WHERE p.reservation_id = r.reservation_id)"
)
_PRICE = (
    f"({_SEATED} * ((SELECT sum(price_cents) FROM reservation_flights f"
    " WHERE f.reservation_id = r.reservation_id) + 3000 * (r.insurance = 'yes'))"
    " + 5000 * r.nonfree_baggages)"
)
_PAID = (
    "(SELECT coalesce(sum(amount_cents), 0) FROM payments p JOIN payment_methods m"
    " USING (payment_id) WHERE p.reservation_id = r.reservation_id AND {})"
)
_FREE = (
    "(CASE c.membership WHEN 'regular' THEN 0 WHEN 'silver' THEN 1 ELSE 2 END"
    " + CASE r.cabin WHEN 'basic_economy' THEN 0 WHEN 'economy' THEN 1 ELSE 2 END)"
)

LAWS = (
    Law(
        "every flight leaves on every day of the month",
        "SELECT flight_number FROM flights LEFT JOIN departures USING (flight_number)"
        " GROUP BY flight_number HAVING count(*) <> 30 OR min(date) <> '2025-06-01'"
        " OR max(date) <> '2025-06-30'",
    ),
    Law(
        "every departure has seats in three cabins, the better one dearer",
        "SELECT flight_number, date FROM departures d LEFT JOIN seats s USING (flight_number, date)"
        " GROUP BY flight_number, date HAVING count(*) <> 3"
        " OR max(price_cents) <> max(price_cents * (cabin = 'business'))"
        " OR min(price_cents) <> max(price_cents * (cabin = 'basic_economy'))",
    ),
    Law(
        "a fare is in whole dollars and no multiple of ten",
        "SELECT flight_number, date FROM seats WHERE price_cents % 100 OR price_cents % 1000 = 0"
        " UNION ALL SELECT flight_number, date FROM reservation_flights"
        " WHERE price_cents % 100 OR price_cents % 1000 = 0",
    ),
    Law(
        "on no day two flights of a route cost the same in a cabin",
        "SELECT date FROM flights f JOIN seats s USING (flight_number)"
        " GROUP BY f.origin, f.destination, date, cabin"
        " HAVING count(*) > count(DISTINCT price_cents)",
    ),
    Law(
        "a departure's status fits the clock",
        f"WITH {_TIMES} SELECT flight_number, date FROM times WHERE status <> 'cancelled'"
        " AND status <> (CASE"
        f" WHEN lands <= '{NOW}' THEN 'landed' WHEN leaves <= '{NOW}' THEN 'flying'"
        f" WHEN date > '{TODAY}' THEN 'available' WHEN status = 'delayed' THEN 'delayed'"
        " ELSE 'on time' END)",
    ),
    Law(
        "in every cabin some flights are sold out, and most are not",
        "SELECT cabin FROM seats"
        f" WHERE date > '{TODAY}' GROUP BY cabin HAVING sum(available = 0) * 4 > count(*)"
        " OR sum(available = 0) = 0",
    ),
    Law(
        "flights of a reservation chain, and each leaves after the one before has arrived",
        f"WITH {_FLOWN} SELECT reservation_id FROM flown"
        " WHERE rank > 1 AND (before <> start OR landed >= leaves)",
    ),
    Law(
        "a reservation begins at its origin; a round trip ends there, others at the destination",
        f"WITH {_FLOWN} SELECT reservation_id FROM flown WHERE (rank = 1 AND start <> origin) OR"
        " (NOT follows AND stop <> iif(flight_type = 'round_trip', origin, destination))",
    ),
    Law(
        "a reservation comes to its destination exactly once",
        f"WITH {_FLOWN} SELECT reservation_id FROM reservations r LEFT JOIN flown x"
        " USING (reservation_id) GROUP BY reservation_id"
        " HAVING coalesce(sum(x.stop = r.destination), 0) <> 1",
    ),
    Law(
        "payments less refunds are an active reservation's price",
        f"SELECT reservation_id FROM reservations r WHERE status = 'active'"
        f" AND {_PAID.format('1')} IS NOT {_PRICE}",
    ),
    Law(
        "a cancelled reservation has given back everything that no certificate paid",
        "SELECT reservation_id FROM reservations r WHERE status = 'cancelled' AND"
        f" ({_PAID.format('''m.source <> 'certificate' ''')} <> 0 OR {_PAID.format('1')} <>"
        f" {_PAID.format('''m.source = 'certificate' AND p.amount_cents > 0''')}"
        f" OR {_PAID.format('p.amount_cents > 0')} < {_PRICE})",
    ),
    Law(
        "a reservation is paid with its customer's payment methods",
        "SELECT p.entry_id FROM payments p JOIN reservations r USING (reservation_id)"
        " JOIN payment_methods m USING (payment_id) WHERE m.user_id <> r.user_id",
    ),
    Law(
        "at most one certificate, one credit card and three gift cards pay a reservation",
        "SELECT reservation_id FROM payments JOIN payment_methods m USING (payment_id)"
        " GROUP BY reservation_id, m.source"
        " HAVING count(DISTINCT payment_id) > iif(m.source = 'gift_card', 3, 1)",
    ),
    Law(
        "a certificate that has paid is used up, and paid for one reservation only",
        "SELECT payment_id FROM payments JOIN payment_methods m USING (payment_id)"
        " WHERE m.source = 'certificate' GROUP BY payment_id"
        " HAVING max(m.balance_cents) > 0 OR count(*) > 1",
    ),
    Law(
        "no payment method gets back more than it paid",
        "SELECT reservation_id FROM payments GROUP BY reservation_id, payment_id"
        " HAVING sum(amount_cents) < 0",
    ),
    Law(
        "bags that are paid for are those beyond the free ones",
        "SELECT reservation_id FROM reservations r JOIN customers c USING (user_id) WHERE"
        f" nonfree_baggages <> max(0, total_baggages - {_SEATED} * {_FREE})",
    ),
    Law(
        "a reservation has one to five passengers",
        f"SELECT reservation_id FROM reservations r WHERE {_SEATED} NOT BETWEEN 1 AND 5",
    ),
    Law(
        "a reservation was made before its first flight, an hour ago or longer",
        f"WITH {_FLOWN} SELECT reservation_id FROM flown WHERE rank = 1"
        f" AND (created_at >= leaves OR created_at > '{TODAY}T14:00:00')",
    ),
    Law(
        "no reservation is about a day old",
        "SELECT reservation_id FROM reservations"
        " WHERE created_at BETWEEN '2025-06-11T14:00:01' AND '2025-06-11T15:59:59'",
    ),
    Law(
        "a reservation's id begins with a letter and a digit",
        "SELECT reservation_id FROM reservations WHERE reservation_id NOT GLOB '[A-Z][0-9]*'",
    ),
    Law(
        "a customer can pay: with a credit card or a gift card, and with at most five things",
        "SELECT user_id FROM customers LEFT JOIN payment_methods m USING (user_id)"
        " GROUP BY user_id HAVING coalesce(sum(m.source <> 'certificate'), 0) = 0"
        " OR sum(coalesce(balance_cents, 1) > 0) > 5",
    ),
    Law(
        "a user id is the customer's name and a number of its own",
        "SELECT min(user_id) FROM customers GROUP BY"
        " substr(user_id, length(first_name) + length(last_name) + 3) HAVING count(*) > 1"
        " UNION ALL SELECT user_id FROM customers"
        " WHERE user_id NOT LIKE first_name || '!_' || last_name || '!_%' ESCAPE '!'",
    ),
    Law(
        "nobody has saved themselves as a passenger, or two of one name",
        "SELECT user_id FROM saved_passengers s JOIN customers c USING (user_id)"
        " WHERE (s.first_name, s.last_name) = (c.first_name, c.last_name)"
        " UNION ALL SELECT user_id FROM saved_passengers"
        " GROUP BY user_id, first_name, last_name HAVING count(*) > 1",
    ),
    Law(
        "two passengers of a reservation differ in name",
        "SELECT reservation_id FROM reservation_passengers"
        " GROUP BY reservation_id, first_name, last_name HAVING count(*) > 1",
    ),
    Law(
        "in every situation are ten customers or more of either split",
        f"SELECT * FROM ({counts()}) WHERE customers < 10",
    ),
)
