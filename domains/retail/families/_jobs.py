"""Requests about one order, each with its goal and how an agent carries it out or refuses it.

Families put them together; wishes about a profile or about facts are no jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tau_env.domains.retail.families._build import (
    REFUSAL_RULES,
    identity_facts,
    money_rows,
    order_row,
)
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import Customer, Method, Order
from tau_env.domains.retail.families._swap import Swap, ask_method, swap_want
from tau_env.domains.retail.families.cancel_pending import cancelled_row, refund_text, refunds
from tau_env.domains.retail.families.exchange_items import FURTHER as FURTHER_EXCHANGE
from tau_env.domains.retail.families.exchange_items import exchange_item, exchange_rows
from tau_env.domains.retail.families.item_change import FURTHER as FURTHER_CHANGE
from tau_env.domains.retail.families.item_change import change_item, item_rows
from tau_env.domains.retail.families.payment_method import Move, move_payment, payment_want
from tau_env.domains.retail.families.return_items import (
    Return,
    ask_refund_method,
    return_rows,
    return_want,
    send_back,
)
from tau_env.domains.retail.families.shipping_address import (
    Address,
    address_arguments,
    address_want,
    changed_fields,
    in_one_line,
    opening_for,
)
from tau_env.families.build import merged, money, word
from tau_env.families.dialogue import dollars
from tau_env.schema import Fact, Output, RowChange, Want

Flow = tuple[Order, Method, int]


@dataclass(frozen=True, slots=True)
class Job:
    """A request about one order.

    Attributes:
        order: the order.
        want: the customer's want.
        opening: the phrase that raises it as the first line.
        wish: it in plain words, after "you want".
        doing: it as an agent says it, after "I cannot".
        rows: what it leaves, money apart.
        flows: the money that moves.
        outputs: what must be told if it is done.
        rules: the rules that allow it.
        play: an agent's questions, proposal, call and report, the order being looked up.
        product: the product that has to be looked up as well, if any.
    """

    order: Order
    want: Want
    opening: str
    wish: str
    doing: str
    rows: tuple[RowChange, ...]
    flows: tuple[Flow, ...]
    outputs: tuple[Output, ...]
    rules: tuple[str, ...]
    play: Callable[[Dialogue], None]
    product: str = ""

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.order.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.opening

    @property
    def status_rule(self) -> str:
        """The rule that the order's status breaks."""
        status, do = self.order.status, self.want.do
        if status == "pending (item modified)" and do != "modify_address":
            return "R5.5"
        if status in ("return requested", "exchange requested") and do in ("return", "exchange"):
            return "R6.5"
        return self.rules[0]

    def refuse(self, talk: Dialogue, *more: str) -> None:
        """Refuse it because of the order's status.

        Args:
            talk: the dialogue.
            more: wordings that offer something else.
        """
        status, order = self.order.status, self.order.id
        extra = f" {talk.rng.choice(more)}" if more else ""
        talk.close(
            f"I'm sorry, but I cannot {self.doing}: the status of order {order} is "
            f"'{status}'.{extra}",
            f"Unfortunately I cannot {self.doing}. The status of order {order} is "
            f"'{status}', and so that is not possible.{extra}",
        )

    def look_up(self, talk: Dialogue) -> None:
        """Look up the order, and the product where a new variant has to be found."""
        talk.call("get_order_details", order_id=self.order.id)
        if self.product:
            talk.call("get_product_details", product_id=self.product)


def refused_rules(job: Job, *more: str) -> tuple[str, ...]:
    """The rules of a refusal because of an order's status."""
    return tuple(dict.fromkeys((job.status_rule, *more, *REFUSAL_RULES)))


def status_of(job: Job) -> Output:
    """The deciding fact of such a refusal."""
    return word("status", job.order.status)


def goal_of(*jobs: Job) -> Iterator[RowChange]:
    """The rows that several jobs leave together."""
    yield from merged(row for job in jobs for row in job.rows)
    yield from money_rows(*(flow for job in jobs for flow in job.flows))


def facts_of(*jobs: Job) -> dict[str, Fact]:
    """The identity facts; without the zip code where another one is spoken of."""
    address = any(job.want.do == "modify_address" for job in jobs)
    return identity_facts(jobs[0].customer, with_zip=not address)


def speaks_of_address(jobs: Iterable[Job]) -> bool:
    """Whether a job is about an address, so that a name with a zip code does not identify."""
    return any(job.want.do == "modify_address" for job in jobs)


def cancel_job(order: Order, reason: str) -> Job:
    """To cancel an order, for a reason that the customer says at once."""

    def play(talk: Dialogue) -> None:
        amount, where = dollars(order.total), refund_text(order.payer)
        talk.propose(
            f"I can cancel order {order.id} with the reason '{reason}'. The {amount} would be "
            f"refunded {where}.",
            f"Order {order.id} is pending, so I would cancel it with the reason '{reason}' and "
            f"refund {amount} {where}.",
        )
        talk.write("cancel_pending_order", order_id=order.id, reason=reason)
        talk.close(
            f"Order {order.id} has been cancelled, and {amount} will be refunded {where}.",
            f"Done: order {order.id} is cancelled, and you get {amount} back {where}.",
        )

    return Job(
        order=order,
        want=Want(do="cancel", slots={"order_id": order.id, "reason": reason}, say="cancel_reason"),
        opening="cancel_order_reason",
        wish=f"to cancel order {order.id}, because: {reason}",
        doing=f"cancel order {order.id}",
        rows=(cancelled_row(order, reason),),
        flows=tuple(refunds(order)),
        outputs=(money(order.total),),
        rules=("R4.1", "R4.2", "R4.3"),
        play=play,
    )


def address_job(order: Order, address: Address) -> Job:
    """To send an order elsewhere."""
    line = in_one_line(address)

    def play(talk: Dialogue) -> None:
        talk.propose(
            f"I would change the shipping address of order {order.id} to {line}, USA.",
            f"Order {order.id} can still go elsewhere: I would change its shipping address to "
            f"{line}, USA.",
        )
        talk.write("modify_pending_order_address", **address_arguments(order, address))
        talk.close(
            f"Done: the shipping address of order {order.id} has been changed to {line}.",
            f"I have changed the shipping address of order {order.id} to {line}.",
        )

    return Job(
        order=order,
        want=address_want(order.id, address),
        opening=opening_for(address),
        wish=f"order {order.id} to be sent to {line}, USA",
        doing=f"change the shipping address of order {order.id}",
        rows=(order_row(order, **changed_fields(order, address)),),
        flows=(),
        outputs=(),
        rules=("R5.1", "R5.7"),
        play=play,
    )


def payment_job(move: Move) -> Job:
    """To pay for an order with another method."""
    order = move.order
    return Job(
        order=order,
        want=payment_want(move),
        opening="change_payment",
        wish=f"order {order.id} to be paid with your {move.method.word} instead",
        doing=f"change the payment of order {order.id}",
        rows=(),
        flows=((order, move.method, order.total), (order, order.payer, -order.total)),
        outputs=(),
        rules=("R5.6", "R3.5"),
        play=lambda talk: move_payment(talk, move),
    )


def return_job(found: Return) -> Job:
    """To return items."""

    def play(talk: Dialogue) -> None:
        ask_refund_method(talk, found)
        send_back(talk, found)

    return Job(
        order=found.order,
        want=return_want(found),
        opening=found.opening,
        wish=(
            f"to return the {found.names} of order {found.order.id} and have the money on your "
            f"{found.method.word}, if you are asked"
        ),
        doing=f"return the {found.names} of order {found.order.id}",
        rows=tuple(return_rows(found)),
        flows=(),
        outputs=(money(found.refund),),
        rules=("R6.1", "R6.2", "R6.5"),
        play=play,
    )


def change_job(swap: Swap) -> Job:
    """To change an item of an order that is pending."""

    def play(talk: Dialogue) -> None:
        ask_method(talk, swap, further=FURTHER_CHANGE)
        change_item(talk, swap)
        talk.close(
            f"Done: order {swap.order.id} now has the {swap.new.text}, and "
            f"{swap.settled('has been')}."
        )

    return Job(
        order=swap.order,
        want=swap_want(swap, "modify_items"),
        opening=f"change_item_{swap.option}",
        wish=_swap_wish(swap, "changed to"),
        doing=f"change the {swap.item.variant.name} in order {swap.order.id}",
        rows=tuple(item_rows(swap)),
        flows=((swap.order, swap.method, swap.difference),),
        outputs=(money(swap.difference),),
        rules=("R5.2", "R5.3", "R5.4"),
        play=play,
        product=swap.new.product_id,
    )


def exchange_job(swap: Swap) -> Job:
    """To exchange an item of an order that has been delivered."""

    def play(talk: Dialogue) -> None:
        ask_method(talk, swap, further=FURTHER_EXCHANGE)
        exchange_item(talk, swap)

    return Job(
        order=swap.order,
        want=swap_want(swap, "exchange"),
        opening=f"exchange_item_{swap.option}",
        wish=_swap_wish(swap, "exchanged for"),
        doing=f"exchange the {swap.item.variant.name} from order {swap.order.id}",
        rows=tuple(exchange_rows(swap)),
        flows=(),
        outputs=(money(swap.difference),),
        rules=("R6.3", "R6.4", "R6.5"),
        play=play,
        product=swap.new.product_id,
    )


def _swap_wish(swap: Swap, becomes: str) -> str:
    return (
        f"the {swap.item.variant.name} in order {swap.order.id} to be {becomes} the one with the "
        f"{swap.option} {swap.new.options[swap.option]}, everything else the same "
        f"({', '.join(swap.new.options.values())}); a price difference is paid or refunded with "
        f"your {swap.method.word}, if you are asked"
    )
