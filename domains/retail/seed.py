"""The seeded toy store: products, customers and orders drawn from one stream.

The company grows in blocks of 500 customers and 1,000 orders, and a larger company begins with the
rows of the smaller one, so a task finds its records at every scale.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import sqlite_utils

from tau_env.content import domain_json

CUSTOMERS = 500
ORDERS = 1_000
UNAVAILABLE = 1 / 6
OTHER_ADDRESS = 0.1
STATUSES = {
    "pending": 36,
    "pending (item modified)": 5,
    "processed": 11,
    "delivered": 33,
    "cancelled": 8,
    "return requested": 4,
    "exchange requested": 3,
}
ITEMS_IN_ORDER = {1: 22, 2: 28, 3: 24, 4: 15, 5: 11}
METHODS = {1: 30, 2: 45, 3: 25}
REASONS = ("no longer needed", "ordered by mistake")
TABLES = (
    "products",
    "variants",
    "variant_options",
    "customers",
    "payment_methods",
    "orders",
    "shipments",
    "order_items",
    "requested_items",
    "payments",
)

Row = dict[str, Any]


@dataclass
class _Order:
    """An order in the making: its row and the rows that hang on it."""

    row: Row
    items: list[Row]
    methods: list[Row]
    payments: list[tuple[str, int, str]] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(item["quantity"] * item["price_cents"] for item in self.items)


class _Seeder:
    """Draws rows into tables; every draw comes from `rng`."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.people = cast(dict[str, Any], domain_json("retail", "people.json"))
        self.catalog = cast(dict[str, Any], domain_json("retail", "catalog.json"))
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.by_product: dict[str, list[Row]] = {}
        self.taken: set[object] = set()
        self.payments = 0

    def new(self, draw: Callable[[], Any]) -> Any:
        """Draw until something new comes."""
        while (found := draw()) in self.taken:
            pass
        self.taken.add(found)
        return found

    def digits(self, count: int) -> str:
        """A new number of that many digits."""
        low = 10 ** (count - 1)
        return cast(str, self.new(lambda: str(self.rng.randrange(low, 10 * low))))

    def weighted(self, shares: dict[Any, int]) -> Any:
        return self.rng.choices(list(shares), weights=list(shares.values()))[0]

    def products(self) -> None:
        for product in self.catalog["products"]:
            product_id = self.digits(10)
            self.rows["products"].append({"product_id": product_id, "name": product["name"]})
            names = list(product["options"])
            combinations = list(itertools.product(*product["options"].values()))
            variants = []
            for values in self.rng.sample(combinations, product["variants"]):
                variant = {
                    "item_id": self.digits(10),
                    "product_id": product_id,
                    "price_cents": self.rng.randint(*product["price"]),
                    "available": int(self.rng.random() >= UNAVAILABLE),
                }
                variants.append(variant)
                self.rows["variant_options"] += [
                    {"item_id": variant["item_id"], "name": name, "value": value}
                    for name, value in zip(names, values, strict=True)
                ]
            for variant in self.rng.sample(variants, 2):
                variant["available"] = 1
            self.rows["variants"] += variants
            self.by_product[product_id] = variants

    def address(self) -> Row:
        place = self.rng.choice(self.people["cities"])
        street = f"{self.rng.randint(1, 999)} {self.rng.choice(self.people['streets'])}"
        second = self.rng.choice(
            ["", f"Apt {self.rng.randint(1, 99)}", f"Suite {self.rng.randint(100, 999)}"]
        )
        return {
            "address1": street,
            "address2": second,
            "city": place["city"],
            "state": place["state"],
            "country": "USA",
            "zip": f"{place['zip']}{self.rng.randint(1, 99):02d}",
        }

    def customer(self, number: int) -> tuple[Row, list[Row]]:
        address = self.address()

        def name() -> tuple[str, str, str]:
            first = self.rng.choice(self.people["first_names"])
            return first, self.rng.choice(self.people["last_names"]), address["zip"]

        first, last, _ = self.new(name)
        plain = f"{first}.{last}".lower()
        email = self.new(lambda: f"{plain}{self.rng.randint(10, 9999)}@example.com")
        user_id = f"{first}_{last}_{number}".lower()
        names = {"user_id": user_id, "first_name": first, "last_name": last, "email": email}
        customer = names | address
        sources = self.rng.sample(
            ["credit_card", "gift_card", "paypal", "credit_card"], self.weighted(METHODS)
        )
        methods = [self.method(user_id, source) for source in sources]
        self.rows["customers"].append(customer)
        self.rows["payment_methods"] += methods
        return customer, methods

    def method(self, user_id: str, source: str) -> Row:
        card = source == "credit_card"
        balance = self.rng.choice([self.rng.randint(0, 2_500), self.rng.randint(2_500, 30_000)])
        return {
            "payment_method_id": f"{source}_{self.digits(7)}",
            "user_id": user_id,
            "source": source,
            "brand": self.rng.choice(["visa", "mastercard"]) if card else None,
            "last_four": f"{self.rng.randrange(10_000):04d}" if card else None,
            "balance_cents": balance if source == "gift_card" else None,
        }

    def order(self, number: int, customer: Row, methods: list[Row]) -> None:
        rng = self.rng
        address = {
            key: customer[key]
            for key in ("address1", "address2", "city", "state", "country", "zip")
        }
        if rng.random() < OTHER_ADDRESS:
            address = self.address()
        status = self.weighted(STATUSES)
        row = {
            "order_id": f"#W{1_000_000 + number}",
            "user_id": customer["user_id"],
            "status": status,
            **address,
            "cancel_reason": rng.choice(REASONS) if status == "cancelled" else None,
            "return_payment_method_id": None,
            "exchange_payment_method_id": None,
            "exchange_price_difference_cents": None,
        }
        order = _Order(row, self.items(row), methods)
        paid_with = rng.choice(methods)["payment_method_id"]
        order.payments.append(("payment", order.total, paid_with))
        self.consequences(order, paid_with)
        self.rows["orders"].append(row)
        self.rows["order_items"] += order.items
        for kind, cents, method in order.payments:
            self.payments += 1
            self.rows["payments"].append(
                {
                    "payment_id": f"pay_{self.payments:08d}",
                    "order_id": row["order_id"],
                    "transaction_type": kind,
                    "amount_cents": cents,
                    "payment_method_id": method,
                }
            )

    def items(self, order: Row) -> list[Row]:
        rng = self.rng
        count = self.weighted(ITEMS_IN_ORDER)
        variants = [
            rng.choice(self.by_product[product])
            for product in rng.sample(list(self.by_product), count)
        ]
        if rng.random() < 0.08:
            # Two variants of one product: an item's name alone does not identify it.
            first = variants[0]
            siblings = [v for v in self.by_product[first["product_id"]] if v is not first]
            variants.append(rng.choice(siblings))
        settled = not order["status"].startswith("pending")
        found = []
        for variant in variants:
            price = variant["price_cents"]
            if settled and rng.random() < 0.2:
                price = price * rng.randint(90, 110) // 100
            found.append(
                {
                    "order_id": order["order_id"],
                    "item_id": variant["item_id"],
                    "quantity": 2 if rng.random() < 0.03 else 1,
                    "price_cents": price,
                    "tracking_id": None,
                }
            )
        return found

    def consequences(self, order: _Order, paid_with: str) -> None:
        """What the order's status entails: refunds, shipments, requests."""
        status = order.row["status"]
        others = [m["payment_method_id"] for m in order.methods]
        others.remove(paid_with)
        if status == "cancelled":
            order.payments.append(("refund", order.total, paid_with))
        elif status == "pending" and others and self.rng.random() < 0.05:
            order.payments.append(("payment", order.total, self.rng.choice(others)))
            order.payments.append(("refund", order.total, paid_with))
        elif status == "pending (item modified)":
            self.modified(order, paid_with)
        if status in ("processed", "delivered", "return requested", "exchange requested"):
            self.ship(order)
        if status == "return requested":
            self.returned(order, paid_with)
        elif status == "exchange requested":
            self.exchanged(order)

    def modified(self, order: _Order, paid_with: str) -> None:
        """The history of an order in which one item was changed for a sibling."""
        item = self.rng.choice(order.items)
        before = self.rng.choice(self.siblings(item))
        difference = item["price_cents"] - before["price_cents"]
        order.payments[0] = ("payment", order.total - difference * item["quantity"], paid_with)
        if difference:
            kind = "payment" if difference > 0 else "refund"
            order.payments.append((kind, abs(difference) * item["quantity"], paid_with))

    def siblings(self, item: Row, *, available: bool = False) -> list[Row]:
        """The other variants of an item's product."""
        for variants in self.by_product.values():
            if any(variant["item_id"] == item["item_id"] for variant in variants):
                return [
                    variant
                    for variant in variants
                    if variant["item_id"] != item["item_id"] and variant["available"] >= available
                ]
        raise AssertionError(f"item {item['item_id']} belongs to no product")

    def ship(self, order: _Order) -> None:
        parcels = 2 if len(order.items) > 2 and self.rng.random() < 0.2 else 1
        tracking = [self.digits(12) for _ in range(parcels)]
        for position, item in enumerate(order.items):
            item["tracking_id"] = tracking[position % parcels]
        order_id = order.row["order_id"]
        self.rows["shipments"] += [{"tracking_id": t, "order_id": order_id} for t in tracking]

    def returned(self, order: _Order, paid_with: str) -> None:
        gift_cards = [
            method["payment_method_id"]
            for method in order.methods
            if method["source"] == "gift_card"
        ]
        order.row["return_payment_method_id"] = self.rng.choice([paid_with, *gift_cards])
        for item in self.rng.sample(order.items, self.rng.randint(1, len(order.items))):
            self.request(order, "return", item["item_id"], item["quantity"])

    def exchanged(self, order: _Order) -> None:
        item = self.rng.choice(order.items)
        new = self.rng.choice(self.siblings(item, available=True))
        difference = (new["price_cents"] - item["price_cents"]) * item["quantity"]
        able = [
            method["payment_method_id"]
            for method in order.methods
            if method["balance_cents"] is None or method["balance_cents"] >= difference
        ]
        if not able:
            order.row["status"] = "delivered"
            return
        order.row["exchange_payment_method_id"] = self.rng.choice(able)
        order.row["exchange_price_difference_cents"] = difference
        self.request(order, "exchange", item["item_id"], item["quantity"])
        self.request(order, "replacement", new["item_id"], item["quantity"])

    def request(self, order: _Order, role: str, item_id: str, quantity: int) -> None:
        row = {"order_id": order.row["order_id"], "role": role}
        self.rows["requested_items"].append(row | {"item_id": item_id, "quantity": quantity})


def build(db: sqlite_utils.Database, rng: random.Random, scale: int) -> None:
    """Fill the tables of `schema.sql`.

    Args:
        db: an empty database with the schema.
        rng: the only source of chance.
        scale: how many blocks of 500 customers and 1,000 orders.
    """
    seeder = _Seeder(rng)
    seeder.products()
    for block in range(scale):
        first = 1_000 + 9_000 * block
        numbers = rng.sample(range(first, first + 9_000), CUSTOMERS)
        customers = [seeder.customer(number) for number in numbers]
        buyers = customers + rng.choices(customers, k=ORDERS - CUSTOMERS)
        rng.shuffle(buyers)
        for position, (customer, methods) in enumerate(buyers, start=1):
            seeder.order(block * ORDERS + position, customer, methods)
        for name in TABLES:
            db.table(name).insert_all(seeder.rows[name], batch_size=500)
            seeder.rows[name] = []
