"""An exchange of one item of a delivered order, once, if the new variant is there and paid."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.retail.families._build import look_up, make_task, order_row
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

FURTHER = "And is there anything else in this order to exchange? An order allows only one exchange."
FORBIDDEN: tuple[tuple[str, Problem], ...] = (
    ("exchange requested", "status"),
    ("delivered", "unavailable"),
    ("processed", "status"),
    ("delivered", "balance"),
    ("return requested", "status"),
)


@family(rules=("R6.3", "R6.4", "R6.5"), seed=1, size=16)
def exchange_items(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: an exchange that can be made, and one that status, stock or gift card forbids."""
    del twists

    def pool(status: str, problem: Problem = "") -> Pool[Swap]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find_swap(company, rng, one, problem=problem))

    able = pool("delivered")
    for allowed, forbidden in twin_pairs([(able, pool(*kind)) for kind in FORBIDDEN]):
        yield Twins(_allowed(rng, allowed), _forbidden(rng, forbidden))


def exchange_rows(swap: Swap) -> Iterator[RowChange]:
    """The rows that an exchange leaves."""
    yield order_row(
        swap.order,
        status="exchange requested",
        exchange_payment_method_id=swap.method.id,
        exchange_price_difference_cents=swap.difference,
    )
    for role, variant in (("exchange", swap.item.variant), ("replacement", swap.new)):
        yield RowChange(
            op="insert",
            table="requested_items",
            key={"order_id": swap.order.id, "role": role, "item_id": variant.item_id},
            fields={"quantity": 1},
        )


def exchange_item(talk: Dialogue, swap: Swap) -> None:
    """Propose the exchange, request it and report."""
    order, old, new = swap.order, swap.item.variant, swap.new
    talk.propose(
        f"I would request the exchange of the {old.text} from order {order.id} for the "
        f"{new.text}, and {swap.settled('would be')}.",
        f"Then I would exchange the {old.text} from order {order.id} for the {new.text}; "
        f"{swap.settled('would be')}.",
    )
    talk.write(
        "exchange_delivered_order_items",
        order_id=order.id,
        item_ids=[old.item_id],
        new_item_ids=[new.item_id],
        payment_method_id=swap.method.id,
    )
    talk.close(
        f"Done: I have registered the exchange of the {old.text} from order {order.id} for the "
        f"{new.text}, and {swap.settled('will be')}.",
        f"I have submitted the exchange in order {order.id}: the {old.text} for the {new.text}, "
        f"and {swap.settled('will be')}.",
    )


def _allowed(rng: random.Random, swap: Swap) -> Task:
    talk = Dialogue(rng, swap.customer)
    look_into(talk, swap)
    ask_method(talk, swap, further=FURTHER)
    exchange_item(talk, swap)
    return make_task(
        "fulfil",
        talk,
        opening=f"exchange_item_{swap.option}",
        wants=[swap_want(swap, "exchange")],
        instruction=swap_instruction(swap, "exchange"),
        goal=exchange_rows(swap),
        outputs=[money(swap.difference)],
        required=look_up(swap.order.id),
    )


def _forbidden(rng: random.Random, swap: Swap) -> Task:
    rules = ("R6.3", "R6.3", "R6.4")
    if swap.order.status in ("exchange requested", "return requested"):
        rules = ("R6.5", "R6.3", "R6.4")
    return refuse_swap(
        rng,
        swap,
        opening=f"exchange_item_{swap.option}",
        want=swap_want(swap, "exchange"),
        instruction=swap_instruction(swap, "exchange"),
        doing="exchange",
        needed="delivered",
        further=FURTHER,
        rules=rules,
    )
