"""Situations in which an item becomes another variant, and what an agent says in them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tau_env.domains.retail.families._build import REFUSAL_RULES, look_up, make_task
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import (
    Customer,
    Item,
    Method,
    Order,
    Variant,
    read_order,
    siblings,
)
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.schema import Output, Task, Want
from tau_env.world.company import Company

Problem = Literal["", "status", "unavailable", "balance"]


@dataclass(frozen=True, slots=True)
class Swap:
    """One item of an order, the variant that is to replace it, and who pays the difference.

    Attributes:
        order: the order.
        item: the item, which its name identifies in the order.
        option: the only option in which the two differ.
        new: the new variant.
        method: the payment method that the customer names.
        problem: the fact that forbids it, if any.
    """

    order: Order
    item: Item
    option: str
    new: Variant
    method: Method
    problem: Problem

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.order.customer

    @property
    def shape(self) -> str:
        """Twins change the same option."""
        return self.option

    @property
    def difference(self) -> int:
        """What the customer pays in cents; negative if they get it back."""
        return self.new.cents - self.item.paid

    @property
    def costs(self) -> str:
        """The price difference in words."""
        word = "more" if self.difference > 0 else "less"
        return f"{dollars(self.difference)} {word}"

    def settled(self, auxiliary: str) -> str:
        """What becomes of the difference.

        Args:
            auxiliary: ``would be``, ``will be`` or ``has been``.
        """
        verb = "charged" if self.difference > 0 else "refunded"
        amount, method = dollars(self.difference), self.method.text
        return f"the price difference of {amount} {auxiliary} {verb} to your {method}"


def find_swap(
    company: Company,
    rng: random.Random,
    order_id: str,
    *,
    problem: Problem = "",
    source: str = "",
) -> Swap | None:
    """A swap in an order, drawn from all that fit; None if none fits.

    Args:
        company: the company.
        rng: draws it.
        order_id: the order.
        problem: ``unavailable`` and ``balance`` choose the new variant and the method so that this
            stands in the way; otherwise they do not.
        source: only with payment methods of this source.
    """
    order = read_order(company, order_id)
    found = []
    for item in order.plain_items:
        for option, new in siblings(company, item.variant):
            for method in order.customer.clear_methods:
                swap = Swap(order, item, option, new, method, problem)
                if source in ("", method.source) and _fits(swap):
                    found.append(swap)
    return rng.choice(found) if found else None


def _fits(swap: Swap) -> bool:
    if swap.difference == 0 or swap.new.available == (swap.problem == "unavailable"):
        return False
    covered = swap.method.covers(swap.difference)
    if swap.problem == "balance":
        return not covered and swap.method.cents > 0
    return covered


def swap_want(swap: Swap, do: str) -> Want:
    """The want: the new variant with all its options, so that a wrong one is noticed."""
    return Want(
        do=do,
        slots={
            "order_id": swap.order.id,
            "item": swap.item.variant.name,
            **swap.new.options,
            "payment_method": swap.method.word,
        },
        say=f"{do}_{swap.option}",
    )


def look_into(talk: Dialogue, swap: Swap) -> None:
    """Identify the customer and look up all that a swap needs."""
    talk.identify()
    talk.call("get_user_details", user_id=swap.customer.id)
    talk.call("get_order_details", order_id=swap.order.id)
    talk.call("get_product_details", product_id=swap.new.product_id)


def ask_method(talk: Dialogue, swap: Swap, *, further: str) -> None:
    """Ask for the payment method, and whether more items are to go with it."""
    name = swap.customer.first_name
    use = "pay that" if swap.difference > 0 else "get that back"
    talk.say(
        f"Thank you, {name}. The {swap.new.text} costs {swap.costs} than you paid for the one in "
        f"order {swap.order.id}. Which payment method would you like to use to {use}? {further}",
        f"Thanks, {name}. I have found it: the {swap.new.text} is {swap.costs} than the one in "
        f"order {swap.order.id}. With which payment method do you want to {use}? {further}",
    )


def refuse_swap(
    rng: random.Random,
    swap: Swap,
    *,
    opening: str,
    want: Want,
    instruction: str,
    doing: str,
    needed: str,
    further: str,
    rules: Sequence[str],
) -> Task:
    """The task in which a swap is refused, with the fact that decides.

    Args:
        rng: draws the wording.
        swap: the situation.
        opening: phrase of the first line.
        want: what the customer wishes.
        instruction: the same in plain words.
        doing: the action as a verb, ``"exchange"``.
        needed: the status that it needs.
        further: the question whether more items are to go with it.
        rules: the rules for the status, the new variant and the balance.
    """
    talk = Dialogue(rng, swap.customer)
    item, order = swap.item.variant.name, swap.order
    output: Output
    if swap.problem == "status":
        talk.identify()
        talk.call("get_order_details", order_id=order.id)
        talk.close(
            f"I'm sorry, {swap.customer.first_name}, but I cannot {doing} the {item}: the status "
            f"of order {order.id} is '{order.status}', and it would have to be '{needed}'.",
            f"Unfortunately I cannot {doing} anything in order {order.id}. Its status is "
            f"'{order.status}', and that is only possible while it is '{needed}'.",
        )
        output = word("status", order.status)
    elif swap.problem == "unavailable":
        look_into(talk, swap)
        talk.close(
            f"I'm sorry, {swap.customer.first_name}, but the {swap.new.text} is not available, so "
            f"I cannot {doing} the {item} in order {order.id}.",
            f"Unfortunately I cannot {doing} the {item} of order {order.id} as you wish: the "
            f"{swap.new.text} is out of stock.",
        )
        output = word("availability", "unavailable")
    else:
        look_into(talk, swap)
        ask_method(talk, swap, further=further)
        talk.close(
            f"I'm sorry, but I cannot {doing} the {item} then: your gift card holds only "
            f"{dollars(swap.method.cents)}, which does not pay {dollars(swap.difference)}.",
            f"Unfortunately that is not possible: there are {dollars(swap.method.cents)} on your "
            f"gift card, and {dollars(swap.difference)} are needed to {doing} the {item}.",
        )
        output = money(swap.method.cents)
    kinds = ("status", "unavailable", "balance")
    return make_task(
        "refuse",
        talk,
        opening=opening,
        wants=[want],
        instruction=instruction,
        outputs=[output],
        required=look_up(order.id),
        rules=(rules[kinds.index(swap.problem)], *REFUSAL_RULES),
    )


def swap_instruction(swap: Swap, doing: str) -> str:
    """What the customer wishes, in plain words."""
    return (
        f"You want to {doing} the {swap.item.variant.name} in your order {swap.order.id} for the "
        f"same with another {swap.option}: {swap.new.options[swap.option]}. Everything else stays "
        f"the same: {', '.join(swap.new.options.values())}. If you are asked how a price "
        f"difference is to be paid or refunded: with your {swap.method.word}, and with nothing "
        "else. You want nothing else changed. If it is not possible, accept that."
    )
