"""The seeded toy store: sound, reproducible, growing in blocks."""

from __future__ import annotations

import pytest

from tau_env.domains.retail import DOMAIN
from tau_env.family import split_of
from tau_env.world.company import Company, Law
from tau_env.world.database import World


@pytest.fixture(scope="module")
def company() -> Company:
    return Company(DOMAIN)


@pytest.mark.parametrize("law", DOMAIN.laws, ids=lambda law: law.name)
@pytest.mark.parametrize(("seed", "scale"), [(1, 1), (2, 1), (1, 3)])
def test_company_obeys(law: Law, seed: int, scale: int) -> None:
    """F15: orders, payments, items and statuses of every row fit together."""
    assert Company(DOMAIN, seed=seed, scale=scale).rows(law.sql) == []


SPOILING = {
    "payments less refunds": "UPDATE payments SET amount_cents = amount_cents + 1",
    "every order holds an item": "DELETE FROM order_items",
    "what a pending order holds": "UPDATE variants SET price_cents = price_cents + 1",
    "an order is paid with its": "UPDATE orders SET user_id = (SELECT min(user_id) FROM customers)",
    "an order has shipments": "UPDATE order_items SET tracking_id = NULL",
    "items are to come back": "DELETE FROM requested_items",
    "what is to come back is in": "UPDATE requested_items SET quantity = 9 WHERE role = 'return'",
    "an exchange's price": "UPDATE orders SET exchange_price_difference_cents = 1 "
    "WHERE status = 'exchange requested'",
    "a product has 3 to 12": "UPDATE variants SET available = 0",
    "two variants of a product": "UPDATE variant_options SET value = 'same'",
    "a customer has 1 to 3": "UPDATE payment_methods SET user_id = "
    "(SELECT min(user_id) FROM customers)",
    "name and zip code": "UPDATE customers SET zip = '00000', first_name = 'A', last_name = 'B'",
    "every status occurs": "UPDATE orders SET status = 'pending' WHERE status = 'processed'",
    "gift cards hold nothing": "UPDATE payment_methods SET balance_cents = 9000 "
    "WHERE source = 'gift_card'",
}


@pytest.mark.parametrize("name", SPOILING)
def test_law_sees_a_spoilt_company(name: str) -> None:
    (law,) = [one for one in DOMAIN.laws if one.name.startswith(name)]
    world = World(DOMAIN.snapshot(), now=DOMAIN.now)
    with world.calling(writes=True):
        world.write(SPOILING[name])
    assert world.rows(law.sql)
    world.close()


def test_sizes_are_as_promised(company: Company) -> None:
    def count(table: str) -> int:
        return int(company.rows(f"SELECT count(*) AS n FROM {table}")[0]["n"])

    assert (count("customers"), count("products"), count("orders")) == (500, 50, 1000)
    share = company.rows("SELECT avg(available) AS share FROM variants")[0]["share"]
    assert 0.78 < share < 0.88
    splits = {split_of(row["user_id"]) for row in company.rows("SELECT user_id FROM customers")}
    assert splits == {"train", "test"}


def test_larger_company_begins_with_the_smaller_one(company: Company) -> None:
    larger = Company(DOMAIN, scale=2)
    assert larger.rows("SELECT count(*) AS n FROM orders") == [{"n": 2000}]
    for table, key in (
        ("customers", "user_id"),
        ("orders", "order_id"),
        ("payments", "payment_id"),
    ):
        rows = {row[key]: row for row in larger.rows(f"SELECT * FROM {table}")}
        assert all(rows[row[key]] == row for row in company.rows(f"SELECT * FROM {table}"))


def test_another_seed_gives_another_company() -> None:
    one, two, again = (DOMAIN.snapshot(seed=seed).digest for seed in (5, 6, 5))
    assert one == again != two
