"""Several requests about one order: address, payment, item or return, one after the other."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import partial

from tau_env.domains.retail.families._build import (
    REFUSAL_RULES,
    identity_facts,
    look_up,
    make_task,
    money_rows,
    order_row,
)
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import (
    Method,
    Order,
    order_ids,
)
from tau_env.domains.retail.families._swap import Swap, ask_method, find_swap, swap_want
from tau_env.domains.retail.families.item_change import FURTHER, change_item, item_rows
from tau_env.domains.retail.families.payment_method import (
    Move,
    find_move,
    move_payment,
    payment_want,
)
from tau_env.domains.retail.families.return_items import (
    Return,
    ask_refund_method,
    find_return,
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
    new_address,
    opening_for,
)
from tau_env.families.build import money, word
from tau_env.families.draw import Pool, Splits, maybe_twisted
from tau_env.family import family
from tau_env.schema import RowChange, Task, Twist
from tau_env.world.company import Company


@family(rules=("R3.5", "R5.1", "R5.2"), seed=1, size=15)
def several_requests(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Task]:
    """Five kinds in turn; the last is an order that has been delivered, where a part is refused."""
    ids = order_ids(company, "o.status = 'pending'")
    delivered = order_ids(company, "o.status = 'delivered'")
    swaps = Pool(rng, ids, lambda one: find_swap(company, rng, one))
    paid_anew = Pool(rng, ids, lambda one: _swap_with_move(company, rng, one))
    moves = Pool(rng, ids, lambda one: find_move(company, rng, one))
    returns = Pool(rng, delivered, lambda one: find_return(company, rng, one))
    taken: set[str] = set()
    splits = Splits()
    for kind in itertools.cycle(range(5)):
        address = new_address(company, rng, rng.random() < 0.5)
        task: Task | None = None
        if kind in (0, 1) and (swap := swaps.take(taken, split=splits.wanted)):
            task = (_address_then_item if kind == 0 else _item_then_address)(rng, swap, address)
        elif kind == 2 and (swap := paid_anew.take(taken, split=splits.wanted)):
            task = _payment_then_item(rng, swap)
        elif kind == 3 and (move := moves.take(taken, split=splits.wanted)):
            build = partial(_address_then_payment, rng, move, address)
            task = maybe_twisted(rng, build, share=0.5, twists=twists)
        elif kind == 4 and (found := returns.take(taken, split=splits.wanted)):
            task = _address_refused(rng, found, address)
        if task is None:
            return
        splits.count(task.scenario.customer)
        yield task


def _swap_with_move(company: Company, rng: random.Random, order_id: str) -> Swap | None:
    """A swap whose difference is settled with a method that takes over the whole order before."""
    swap = find_swap(company, rng, order_id)
    if swap is None or swap.order.payments != 1 or swap.method.id in swap.order.net:
        return None
    able = swap.method.covers(swap.order.total + max(0, swap.difference))
    return swap if able else None


# What the agent does, request by request.


def _look_into(talk: Dialogue, order: Order) -> None:
    talk.identify(by_email=True)
    talk.call("get_user_details", user_id=order.customer.id)
    talk.call("get_order_details", order_id=order.id)


def _change_address(talk: Dialogue, order: Order, address: Address) -> None:
    line = in_one_line(address)
    talk.propose(
        f"I would change the shipping address of order {order.id} to {line}, USA.",
        f"Order {order.id} can still go elsewhere: I would change its shipping address to {line}, "
        "USA.",
    )
    talk.write("modify_pending_order_address", **address_arguments(order, address))
    talk.close(
        f"Done: the shipping address of order {order.id} has been changed to {line}.",
        f"I have changed the shipping address of order {order.id} to {line}.",
    )


def _wish_address(order: Order, address: Address) -> str:
    return f"that your order {order.id} is sent to {in_one_line(address)}, USA"


def _wish_item(swap: Swap) -> str:
    return (
        f"that the {swap.item.variant.name} in it is changed to the one with the {swap.option} "
        f"{swap.new.options[swap.option]}, everything else the same "
        f"({', '.join(swap.new.options.values())}); a price difference is paid or refunded with "
        f"your {swap.method.word}, if you are asked"
    )


def _wish_payment(order: Order, method: Method) -> str:
    return f"that your order {order.id} is paid with your {method.word} instead"


def _instruction(*wishes: str) -> str:
    return (
        f"You want {wishes[0]}. Then you also want {wishes[1]}. Ask for both before you leave, "
        "and want nothing else. If a part is not possible, accept that and go on with the rest."
    )


# The tasks.


def _address_then_item(rng: random.Random, swap: Swap, address: Address) -> Task:
    talk, order = Dialogue(rng, swap.customer), swap.order
    _look_into(talk, order)
    _change_address(talk, order, address)
    talk.call("get_product_details", product_id=swap.new.product_id)
    ask_method(talk, swap, further=FURTHER)
    change_item(talk, swap)
    talk.close(
        f"Done: order {order.id} now has the {swap.new.text}, and {swap.settled('has been')}."
    )
    return make_task(
        "fulfil",
        talk,
        opening=opening_for(address),
        wants=[address_want(order.id, address), swap_want(swap, "modify_items")],
        facts=identity_facts(order.customer, with_zip=False),
        instruction=_instruction(_wish_address(order, address), _wish_item(swap)),
        goal=_address_and_item_rows(swap, address),
        outputs=[money(swap.difference)],
        required=look_up(order.id),
    )


def _item_then_address(rng: random.Random, swap: Swap, address: Address) -> Task:
    talk, order, line = Dialogue(rng, swap.customer), swap.order, in_one_line(address)
    _look_into(talk, order)
    talk.call("get_product_details", product_id=swap.new.product_id)
    # Asked whether there is more to change, the customer brings the address up here.
    ask_method(talk, swap, further=FURTHER)
    talk.propose(
        f"In order {order.id} I would change the {swap.item.variant.text} to the "
        f"{swap.new.text}, and {swap.settled('would be')}. I would also change the shipping "
        f"address of order {order.id} to {line}, USA."
    )
    talk.write("modify_pending_order_address", **address_arguments(order, address))
    talk.write(
        "modify_pending_order_items",
        order_id=order.id,
        item_ids=[swap.item.variant.item_id],
        new_item_ids=[swap.new.item_id],
        payment_method_id=swap.method.id,
    )
    talk.close(
        f"Done: I have changed the {swap.item.variant.name} to the {swap.new.text}, and "
        f"{swap.settled('has been')}. I have also changed the shipping address of order "
        f"{order.id} to {line}."
    )
    return make_task(
        "fulfil",
        talk,
        opening=f"change_item_{swap.option}",
        wants=[swap_want(swap, "modify_items"), address_want(order.id, address)],
        facts=identity_facts(order.customer, with_zip=False),
        instruction=_instruction(_wish_item(swap), _wish_address(order, address)),
        goal=_address_and_item_rows(swap, address),
        outputs=[money(swap.difference)],
        required=look_up(order.id),
    )


def _address_and_item_rows(swap: Swap, address: Address) -> Iterator[RowChange]:
    own, *lines = item_rows(swap)
    yield own.model_copy(update={"fields": own.fields | changed_fields(swap.order, address)})
    yield from lines
    yield from money_rows((swap.order, swap.method, swap.difference))


def _payment_then_item(rng: random.Random, swap: Swap) -> Task:
    talk, order = Dialogue(rng, swap.customer), swap.order
    _look_into(talk, order)
    move_payment(talk, Move(order, swap.method))
    talk.call("get_product_details", product_id=swap.new.product_id)
    ask_method(talk, swap, further=FURTHER)
    change_item(talk, swap)
    talk.close(
        f"Done: order {order.id} now has the {swap.new.text}, and {swap.settled('has been')}."
    )
    total = order.total
    return make_task(
        "fulfil",
        talk,
        opening="change_payment",
        wants=[payment_want(Move(order, swap.method)), swap_want(swap, "modify_items")],
        instruction=_instruction(_wish_payment(order, swap.method), _wish_item(swap)),
        goal=[
            *item_rows(swap),
            *money_rows(
                (order, swap.method, total),
                (order, order.payer, -total),
                (order, swap.method, swap.difference),
            ),
        ],
        outputs=[money(swap.difference)],
        required=look_up(order.id),
        rules=("R5.2", "R5.5", "R5.6"),
    )


def _address_then_payment(
    rng: random.Random, move: Move, address: Address, *, twisted: bool
) -> Task:
    talk, order = Dialogue(rng, move.customer), move.order
    _look_into(talk, order)
    _change_address(talk, order, address)
    move_payment(talk, move)
    second = payment_want(move)
    return make_task(
        "fulfil",
        talk,
        opening=opening_for(address),
        wants=[address_want(order.id, address), *([] if twisted else [second])],
        twists=[Twist(kind="adds", added=second)] if twisted else [],
        facts=identity_facts(order.customer, with_zip=False),
        instruction=_instruction(_wish_address(order, address), _wish_payment(order, move.method)),
        goal=[
            order_row(order, **changed_fields(order, address)),
            *money_rows((order, move.method, order.total), (order, order.payer, -order.total)),
        ],
        required=look_up(order.id),
        rules=("R5.1", "R5.6"),
    )


def _address_refused(rng: random.Random, found: Return, address: Address) -> Task:
    talk, order = Dialogue(rng, found.customer), found.order
    _look_into(talk, order)
    talk.close(
        f"I'm sorry, but I cannot change the shipping address of order {order.id}: its status is "
        f"'{order.status}'."
    )
    ask_refund_method(talk, found)
    send_back(talk, found)
    wish = (
        f"to return the {found.names} of that order and have the money on your "
        f"{found.method.word}, if you are asked"
    )
    return make_task(
        "partial",
        talk,
        opening=opening_for(address),
        wants=[address_want(order.id, address), return_want(found)],
        facts=identity_facts(order.customer, with_zip=False),
        instruction=_instruction(_wish_address(order, address), wish),
        goal=return_rows(found),
        outputs=[word("status", order.status), money(found.refund)],
        required=look_up(order.id),
        rules=("R5.1", "R6.1", "R7.2", *REFUSAL_RULES),
    )
