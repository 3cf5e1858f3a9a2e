"""A return of items of a delivered order, once, with the money where the policy lets it go."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tau_env.domains.retail.families._build import REFUSAL_RULES, look_up, make_task, order_row
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import (
    Customer,
    Item,
    Method,
    Order,
    order_ids,
    read_order,
)
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, twin_pairs
from tau_env.family import Twins, family
from tau_env.schema import RowChange, Task, Want
from tau_env.world.company import Company

FORBIDDEN = (
    ("return requested", False),
    ("delivered", True),
    ("pending", False),
    ("exchange requested", False),
)


@dataclass(frozen=True, slots=True)
class Return:
    """Items of an order that are to come back, and where the customer wants the money.

    Attributes:
        order: the order.
        items: the items.
        method: the payment method that the customer names.
        elsewhere: True if the policy lets no refund go there.
    """

    order: Order
    items: tuple[Item, ...]
    method: Method
    elsewhere: bool

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.order.customer

    @property
    def shape(self) -> str:
        """Twins return the same number of items."""
        return str(len(self.items))

    @property
    def refund(self) -> int:
        """The price paid for the items, in cents."""
        return sum(item.paid for item in self.items)

    @property
    def names(self) -> str:
        """The items by name."""
        return " and the ".join(item.variant.name for item in self.items)

    @property
    def opening(self) -> str:
        """The phrase of the first line."""
        return "return_item" if len(self.items) == 1 else "return_items"


@family(rules=("R6.1", "R6.2", "R6.5"), seed=1, size=16)
def return_items(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a return that can be made, and one that status or destination forbids."""
    del twists

    def pool(status: str, *, elsewhere: bool = False) -> Pool[Return]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find_return(company, rng, one, elsewhere=elsewhere))

    able = pool("delivered")
    pairs = [(able, pool(status, elsewhere=elsewhere)) for status, elsewhere in FORBIDDEN]
    for allowed, forbidden in twin_pairs(pairs):
        yield Twins(_allowed(rng, allowed), _forbidden(rng, forbidden))


def find_return(
    company: Company, rng: random.Random, order_id: str, *, elsewhere: bool = False
) -> Return | None:
    """A return of one or two items of an order, drawn; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        order_id: the order.
        elsewhere: whether the customer wants the money where the policy lets no refund go.
    """
    order = read_order(company, order_id)
    methods = [
        method
        for method in order.customer.clear_methods
        if (method.source == "gift_card" or method.id in order.net) != elsewhere
    ]
    if elsewhere and order.payer not in order.customer.clear_methods:
        return None
    # To return everything, "the whole order" would be said.
    most = min(2, len(order.plain_items), len(order.items) - 1)
    if not methods or most < 1:
        return None
    items = rng.sample(order.plain_items, rng.randint(1, most))
    return Return(order, tuple(items), rng.choice(methods), elsewhere)


def return_want(found: Return) -> Want:
    """What the customer wishes."""
    return Want(
        do="return",
        slots={
            "order_id": found.order.id,
            "item": found.names,
            "payment_method": found.method.word,
        },
    )


def _look_into(talk: Dialogue, found: Return) -> None:
    talk.identify()
    talk.call("get_user_details", user_id=found.customer.id)
    talk.call("get_order_details", order_id=found.order.id)


def ask_refund_method(talk: Dialogue, found: Return) -> None:
    """Ask where the refund is to go, and whether more items are to go back."""
    name, amount = found.customer.first_name, dollars(found.refund)
    further = "And is there anything else in this order to return? An order allows only one return."
    talk.say(
        f"Thank you, {name}. For the {found.names} from order {found.order.id} you would get "
        f"{amount}. To which payment method should the refund go? {further}",
        f"Thanks, {name}. The {found.names} in order {found.order.id} cost {amount}. Which "
        f"payment method should the money go to? {further}",
    )


def send_back(talk: Dialogue, found: Return) -> None:
    """Propose the return, request it and report."""
    order, amount, method = found.order, dollars(found.refund), found.method.text
    texts = " and the ".join(item.variant.text for item in found.items)
    talk.propose(
        f"I would request the return of the {texts} from order {order.id}; the refund of "
        f"{amount} goes to your {method}.",
        f"Then I would return the {texts} of order {order.id} and have {amount} refunded to your "
        f"{method}.",
    )
    talk.write(
        "return_delivered_order_items",
        order_id=order.id,
        item_ids=[item.variant.item_id for item in found.items],
        payment_method_id=found.method.id,
    )
    talk.close(
        f"Done: I have registered the return of the {found.names} from order {order.id}, and "
        f"{amount} will be refunded to your {method}.",
        f"The return of the {found.names} from order {order.id} is now registered, and {amount} "
        f"will be refunded to your {method}.",
    )


def return_rows(found: Return) -> Iterator[RowChange]:
    """The rows that a return leaves."""
    order = found.order
    yield order_row(order, status="return requested", return_payment_method_id=found.method.id)
    for item in found.items:
        yield RowChange(
            op="insert",
            table="requested_items",
            key={"order_id": order.id, "role": "return", "item_id": item.variant.item_id},
            fields={"quantity": 1},
        )


def _allowed(rng: random.Random, found: Return) -> Task:
    talk = Dialogue(rng, found.customer)
    _look_into(talk, found)
    ask_refund_method(talk, found)
    send_back(talk, found)
    return make_task(
        "fulfil",
        talk,
        opening=found.opening,
        wants=[return_want(found)],
        instruction=_instruction(found),
        goal=return_rows(found),
        outputs=[money(found.refund)],
        required=look_up(found.order.id),
    )


def _forbidden(rng: random.Random, found: Return) -> Task:
    talk = Dialogue(rng, found.customer)
    order, name = found.order, found.customer.first_name
    if found.elsewhere:
        _look_into(talk, found)
        ask_refund_method(talk, found)
        payer = order.payer
        talk.close(
            f"I'm sorry, {name}, but I cannot refund that to your {found.method.word}: order "
            f"{order.id} was paid with your {payer.text}, and a refund can only go there or to a "
            "gift card in your profile.",
            f"Unfortunately a refund to your {found.method.word} is not possible. Order "
            f"{order.id} was paid with your {payer.text}; the money can only go back there or to "
            "a gift card in your profile.",
        )
        output, rule = word("payment_method", payer.word), "R6.2"
    else:
        talk.identify()
        talk.call("get_order_details", order_id=order.id)
        talk.close(
            f"I'm sorry, {name}, but I cannot take the {found.names} back: the status of order "
            f"{order.id} is '{order.status}', and a return needs the status 'delivered'.",
            f"Unfortunately nothing in order {order.id} can be returned. Its status is "
            f"'{order.status}', and it would have to be 'delivered'.",
        )
        output = word("status", order.status)
        rule = "R6.1" if order.status == "pending" else "R6.5"
    return make_task(
        "refuse",
        talk,
        opening=found.opening,
        wants=[return_want(found)],
        instruction=_instruction(found),
        outputs=[output],
        required=look_up(order.id),
        rules=(rule, *REFUSAL_RULES),
    )


def _instruction(found: Return) -> str:
    return (
        f"You want to return the {found.names} of your order {found.order.id}, and nothing else. "
        f"If you are asked where the refund is to go: to your {found.method.word}, and nowhere "
        "else; otherwise you would rather keep everything. If it is not possible, accept that."
    )
