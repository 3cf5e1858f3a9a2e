"""The seeded airline: sound, reproducible, growing in blocks, with every case of the policy."""

from __future__ import annotations

import pytest

from tau_env.domains.airline import DOMAIN
from tau_env.domains.airline.reservation_ids import SEEDED, SPACE, reservation_id
from tau_env.domains.airline.situations import SITUATIONS, counts, members
from tau_env.domains.airline.timetable import NOW
from tau_env.errors import BadArgument
from tau_env.family import split_of
from tau_env.world.company import Company, Law
from tau_env.world.database import World


@pytest.fixture(scope="module")
def company() -> Company:
    return Company(DOMAIN)


def count(company: Company, table: str) -> int:
    return int(company.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"])


@pytest.mark.parametrize("law", DOMAIN.laws, ids=lambda law: law.name)
@pytest.mark.parametrize(("seed", "scale"), [(1, 1), (2, 1), (1, 3)])
def test_company_obeys(law: Law, seed: int, scale: int) -> None:
    assert Company(DOMAIN, seed=seed, scale=scale).rows(law.sql) == []


SPOILING = {
    "every flight leaves on every day": "INSERT INTO departures SELECT flight_number,"
    " '2025-07-01', 'available' FROM flights",
    "every departure has seats": "UPDATE seats SET price_cents = 100 WHERE cabin = 'business'",
    "a fare is in whole dollars": "UPDATE reservation_flights SET price_cents = price_cents + 1",
    "on no day two flights": "UPDATE seats SET price_cents = 10100",
    "a departure's status": "UPDATE departures SET status = 'available' WHERE status = 'flying'",
    "in every cabin some flights": "UPDATE seats SET available = 1 WHERE available = 0",
    "flights of a reservation chain": "UPDATE flights SET arrival_day = 1",
    "a reservation begins at its origin": "UPDATE reservations SET flight_type = 'one_way'",
    "a reservation comes to its destination": "UPDATE reservations SET destination = 'TPA'"
    " WHERE origin <> 'TPA'",
    "payments less refunds": "UPDATE reservations SET nonfree_baggages = nonfree_baggages + 1,"
    " total_baggages = total_baggages + 1",
    "a cancelled reservation has given": "DELETE FROM payments WHERE amount_cents < 0",
    "a reservation is paid with its": "UPDATE reservations SET user_id ="
    " (SELECT min(user_id) FROM customers)",
    "at most one certificate": "UPDATE payments SET payment_id = (SELECT min(payment_id)"
    " FROM payment_methods WHERE source = 'credit_card') WHERE rowid % 2",
    "a certificate that has paid": "UPDATE payment_methods SET balance_cents = 100"
    " WHERE source = 'certificate'",
    "no payment method gets back": "UPDATE payments SET amount_cents = -1",
    "bags that are paid for": "UPDATE customers SET membership = 'gold'",
    "a reservation has one to five": "DELETE FROM reservation_passengers",
    "a reservation was made before": "UPDATE reservations SET created_at = '2025-06-12T14:30:00'",
    "no reservation is about a day old": "UPDATE reservations SET"
    " created_at = '2025-06-11T15:30:00'",
    "a customer can pay": "UPDATE payment_methods SET user_id ="
    " (SELECT min(user_id) FROM customers)",
    "a user id is the customer's": "UPDATE customers SET last_name = 'Other'",
    "nobody has saved themselves": "INSERT INTO saved_passengers"
    " SELECT user_id, first_name, last_name, dob FROM customers",
    "two passengers of a reservation": "INSERT INTO reservation_passengers"
    " SELECT reservation_id, first_name, last_name, '2000-02-29' FROM reservation_passengers",
    "in every situation are": "UPDATE customers SET membership = 'silver'"
    " WHERE membership = 'gold'",
}


@pytest.mark.parametrize("name", SPOILING)
def test_law_sees_a_spoilt_company(name: str) -> None:
    (law,) = [one for one in DOMAIN.laws if one.name.startswith(name)]
    world = World(DOMAIN.snapshot(), now=DOMAIN.now)
    with world.calling(writes=True):
        world.write(SPOILING[name])
    assert world.rows(law.sql)
    world.close()


def test_every_law_is_spoilt_once() -> None:
    unseen = [
        law.name for law in DOMAIN.laws if not any(law.name.startswith(name) for name in SPOILING)
    ]
    assert unseen == ["a reservation's id begins with a letter and a digit"]


def test_seed_and_domain_have_one_clock() -> None:
    assert DOMAIN.now == NOW


def test_sizes_are_as_promised(company: Company) -> None:
    sizes = {
        "airports": 20,
        "flights": 300,
        "departures": 9_000,
        "seats": 27_000,
        "customers": 500,
        "reservations": 2_000,
    }
    assert {table: count(company, table) for table in sizes} == sizes
    splits = [split_of(row["user_id"]) for row in company.rows("SELECT user_id FROM customers")]
    assert 220 < splits.count("test") < 280


def test_larger_company_begins_with_the_smaller_one(company: Company) -> None:
    larger = Company(DOMAIN, scale=2)
    assert count(larger, "reservations") == 2 * count(company, "reservations")
    for table in DOMAIN.snapshot().tables:
        rows = {str(row) for row in larger.rows(f"SELECT * FROM {table}")}
        assert rows.issuperset(str(row) for row in company.rows(f"SELECT * FROM {table}")), table


@pytest.mark.parametrize("table", ["flights", "departures", "seats"])
def test_searches_answer_alike_in_a_larger_company(company: Company, table: str) -> None:
    assert count(Company(DOMAIN, scale=2), table) == count(company, table)


def test_another_seed_gives_another_company() -> None:
    one, two, again = (DOMAIN.snapshot(seed=seed).digest for seed in (5, 6, 5))
    assert one == again != two


def test_route_has_one_to_three_direct_flights_and_some_only_connections(company: Company) -> None:
    routes = company.rows("SELECT count(*) AS n FROM flights GROUP BY origin, destination")
    daily = [row["n"] for row in routes]
    assert set(daily) == {1, 2, 3}
    assert daily.count(2) + daily.count(3) > 80
    connected = company.rows(
        "SELECT DISTINCT one.origin, two.destination FROM flights one JOIN flights two"
        " ON two.origin = one.destination AND two.destination <> one.origin"
        " AND one.arrival_day = 0 AND two.departure > one.arrival WHERE NOT EXISTS (SELECT 1"
        " FROM flights f WHERE f.origin = one.origin AND f.destination = two.destination)"
    )
    assert len(connected) > 150


def test_members_of_a_situation_are_those_counted(company: Company) -> None:
    counted = {(row["situation"], row["odd"]): row["customers"] for row in company.rows(counts())}
    for situation in SITUATIONS:
        found = {row["user_id"] for row in company.rows(members(situation))}
        for odd, split in enumerate(("train", "test")):
            there = [customer for customer in found if split_of(customer) == split]
            assert counted.pop((situation, odd)) == len(there), situation
    assert not counted


def test_reservation_ids_are_new_for_every_number() -> None:
    numbers = [*range(3_000), *range(SEEDED, SEEDED + 3_000), SPACE - 1]
    assert len({reservation_id(number) for number in numbers}) == len(numbers)


@pytest.mark.parametrize("number", [-1, SPACE])
def test_reservation_number_out_of_bounds_is_refused(number: int) -> None:
    with pytest.raises(BadArgument, match="out of bounds"):
        reservation_id(number)
