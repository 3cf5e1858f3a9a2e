"""The company's records as families see them: orders with items, customers with methods.

Read with statements of their own, so that goals and outputs do not rest on the tools' code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tau_env.schema import Value
from tau_env.world.company import Company

ADDRESS = ("address1", "address2", "city", "state", "country", "zip")


@dataclass(frozen=True, slots=True)
class Method:
    """A payment method; `cents` is a gift card's balance."""

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
        """How an agent names it to its owner."""
        if self.source == "credit_card":
            return f"credit card ({self.brand.capitalize()} ending in {self.last_four})"
        return "PayPal account" if self.source == "paypal" else "gift card"

    def covers(self, cents: int) -> bool:
        """Whether it can pay an amount."""
        return self.source != "gift_card" or self.cents >= cents


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer with their payment methods."""

    id: str
    first_name: str
    last_name: str
    email: str
    address: dict[str, str]
    methods: tuple[Method, ...]

    @property
    def clear_methods(self) -> tuple[Method, ...]:
        """Methods that their kind alone identifies."""
        kinds = [method.source for method in self.methods]
        return tuple(method for method in self.methods if kinds.count(method.source) == 1)

    def method(self, method_id: str) -> Method:
        """One of the methods by its id."""
        return next(method for method in self.methods if method.id == method_id)


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a product: what can be in an order, or replace what is; `cents` is today's."""

    item_id: str
    product_id: str
    name: str
    options: dict[str, str]
    cents: int
    available: bool

    @property
    def text(self) -> str:
        """Name and options, as an agent says them."""
        return f"{self.name} ({', '.join(self.options.values())})"


@dataclass(frozen=True, slots=True)
class Item:
    """A line of an order; `paid` is the price paid for one piece, in cents."""

    variant: Variant
    quantity: int
    paid: int


@dataclass(frozen=True, slots=True)
class Order:
    """An order with its customer.

    Attributes:
        id: its id.
        status: its status.
        customer: who placed it.
        address: where it goes.
        items: what it holds.
        net: what each method has paid and not got back, in cents.
        payments: how many payments and refunds there were.
        tracking: the numbers of its shipments.
    """

    id: str
    status: str
    customer: Customer
    address: dict[str, str]
    items: tuple[Item, ...]
    net: dict[str, int]
    payments: int
    tracking: tuple[str, ...]

    @property
    def shape(self) -> str:
        """All orders are alike."""
        return ""

    @property
    def total(self) -> int:
        """What its items cost, in cents."""
        return sum(item.quantity * item.paid for item in self.items)

    @property
    def plain_items(self) -> tuple[Item, ...]:
        """Items that their name alone identifies, held once."""
        names = [item.variant.name for item in self.items]
        return tuple(
            item
            for item in self.items
            if names.count(item.variant.name) == 1 and item.quantity == 1
        )

    @property
    def payer(self) -> Method:
        """The method that has paid for it."""
        return self.customer.method(next(iter(self.net)))


def read_customer(company: Company, user_id: str) -> Customer:
    """A customer by id, who must exist."""
    row = company.rows("SELECT * FROM customers WHERE user_id = ?", user_id)[0]
    methods = company.rows(
        "SELECT * FROM payment_methods WHERE user_id = ? ORDER BY payment_method_id", user_id
    )
    return Customer(
        id=user_id,
        first_name=row["first_name"],
        last_name=row["last_name"],
        email=row["email"],
        address={part: row[part] for part in ADDRESS},
        methods=tuple(
            Method(
                id=method["payment_method_id"],
                source=method["source"],
                brand=method["brand"] or "",
                last_four=method["last_four"] or "",
                cents=method["balance_cents"] or 0,
            )
            for method in methods
        ),
    )


def read_order(company: Company, order_id: str) -> Order:
    """An order by id, which must exist."""
    row = company.rows("SELECT * FROM orders WHERE order_id = ?", order_id)[0]
    lines = company.rows("SELECT * FROM order_items WHERE order_id = ? ORDER BY item_id", order_id)
    payments = company.rows(
        "SELECT * FROM payments WHERE order_id = ? ORDER BY payment_id", order_id
    )
    net: dict[str, int] = {}
    for payment in payments:
        sign = 1 if payment["transaction_type"] == "payment" else -1
        method_id = payment["payment_method_id"]
        net[method_id] = net.get(method_id, 0) + sign * payment["amount_cents"]
    return Order(
        id=order_id,
        status=row["status"],
        customer=read_customer(company, row["user_id"]),
        address={part: row[part] for part in ADDRESS},
        items=tuple(
            Item(read_variant(company, line["item_id"]), line["quantity"], line["price_cents"])
            for line in lines
        ),
        net={method_id: cents for method_id, cents in net.items() if cents > 0},
        payments=len(payments),
        tracking=tuple(sorted({line["tracking_id"] for line in lines if line["tracking_id"]})),
    )


def read_variant(company: Company, item_id: str) -> Variant:
    """A variant by item id, which must exist."""
    row = company.rows(
        "SELECT * FROM variants JOIN products USING (product_id) WHERE item_id = ?", item_id
    )[0]
    options = company.rows(
        "SELECT name, value FROM variant_options WHERE item_id = ? ORDER BY name", item_id
    )
    return Variant(
        item_id=item_id,
        product_id=row["product_id"],
        name=row["name"],
        options={option["name"]: option["value"] for option in options},
        cents=row["price_cents"],
        available=bool(row["available"]),
    )


def siblings(company: Company, variant: Variant) -> Iterator[tuple[str, Variant]]:
    """The variants that differ from one in exactly one option, with that option's name."""
    for row in company.rows(
        "SELECT item_id FROM variants WHERE product_id = ? ORDER BY item_id", variant.product_id
    ):
        other = read_variant(company, row["item_id"])
        changed = [name for name, value in variant.options.items() if other.options[name] != value]
        if len(changed) == 1:
            yield changed[0], other


def order_ids(company: Company, where: str, *values: Value) -> list[str]:
    """Ids of the orders that a condition on the table ``orders`` (as ``o``) picks, in order."""
    rows = company.rows(f"SELECT o.order_id FROM orders o WHERE {where} ORDER BY 1", *values)
    return [row["order_id"] for row in rows]
