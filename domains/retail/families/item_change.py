"""Another variant for an item of an order: while it is pending, once, if available and paid."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.retail.families._build import look_up, make_task, money_rows, order_row
from tau_env.domains.retail.families._dialogue import Dialogue
from tau_env.domains.retail.families._records import order_ids
from tau_env.domains.retail.families._swap import (
    Problem,
    Swap,
    ask_method,
    find_swap,
    look_into,
    refuse_swap,
    swap_instruction,
    swap_want,
)
from tau_env.families.build import money
from tau_env.families.draw import Pool, twin_pairs
from tau_env.family import Twins, family
from tau_env.schema import RowChange, Task
from tau_env.world.company import Company

FURTHER = "And is there anything else to change in this order? Its items can be changed only once."
FORBIDDEN: tuple[tuple[str, Problem], ...] = (
    ("pending (item modified)", "status"),
    ("pending", "unavailable"),
    ("processed", "status"),
    ("pending", "balance"),
)


@family(rules=("R5.2", "R5.3", "R5.4"), seed=1, size=16)
def item_change(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a swap that can be made, and one that its status, stock or gift card forbids."""
    del twists

    def pool(status: str, problem: Problem = "") -> Pool[Swap]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find_swap(company, rng, one, problem=problem))

    able = pool("pending")
    for allowed, forbidden in twin_pairs([(able, pool(*kind)) for kind in FORBIDDEN]):
        yield Twins(_allowed(rng, allowed), _forbidden(rng, forbidden))


def item_rows(swap: Swap) -> Iterator[RowChange]:
    """The rows that a change of one item leaves, money apart."""
    order, new = swap.order, swap.new
    yield order_row(order, status="pending (item modified)")
    yield RowChange(
        op="delete",
        table="order_items",
        key={"order_id": order.id, "item_id": swap.item.variant.item_id},
    )
    yield RowChange(
        op="insert",
        table="order_items",
        key={"order_id": order.id, "item_id": new.item_id},
        fields={"quantity": 1, "price_cents": new.cents, "tracking_id": None},
    )


def change_item(talk: Dialogue, swap: Swap) -> None:
    """Propose the change and make it."""
    order, old, new = swap.order, swap.item.variant, swap.new
    talk.propose(
        f"In order {order.id} I would change the {old.text} to the {new.text}, and "
        f"{swap.settled('would be')}.",
        f"Then I would change the {old.text} in order {order.id} to the {new.text}; "
        f"{swap.settled('would be')}.",
    )
    talk.write(
        "modify_pending_order_items",
        order_id=order.id,
        item_ids=[old.item_id],
        new_item_ids=[new.item_id],
        payment_method_id=swap.method.id,
    )


def _allowed(rng: random.Random, swap: Swap) -> Task:
    talk = Dialogue(rng, swap.customer)
    look_into(talk, swap)
    ask_method(talk, swap, further=FURTHER)
    change_item(talk, swap)
    talk.close(
        f"Done: order {swap.order.id} now has the {swap.new.text}, and {swap.settled('has been')}.",
        f"I have changed the {swap.item.variant.name} in order {swap.order.id} to the "
        f"{swap.new.text}; {swap.settled('has been')}.",
    )
    return make_task(
        "fulfil",
        talk,
        opening=f"change_item_{swap.option}",
        wants=[swap_want(swap, "modify_items")],
        instruction=swap_instruction(swap, "change"),
        goal=[*item_rows(swap), *money_rows((swap.order, swap.method, swap.difference))],
        outputs=[money(swap.difference)],
        required=look_up(swap.order.id),
    )


def _forbidden(rng: random.Random, swap: Swap) -> Task:
    return refuse_swap(
        rng,
        swap,
        opening=f"change_item_{swap.option}",
        want=swap_want(swap, "modify_items"),
        instruction=swap_instruction(swap, "change"),
        doing="change",
        needed="pending",
        further=FURTHER,
        rules=(
            "R5.5" if swap.order.status == "pending (item modified)" else "R5.2",
            "R5.3",
            "R5.4",
        ),
    )
