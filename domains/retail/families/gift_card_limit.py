"""A gift card that is to pay for an order or for another variant, if it holds enough."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from tau_env.domains.retail.families._build import REFUSAL_RULES, look_up, make_task
from tau_env.domains.retail.families._jobs import (
    Job,
    change_job,
    exchange_job,
    payment_job,
)
from tau_env.domains.retail.families._records import Method, order_ids, read_order
from tau_env.domains.retail.families._serve import ACCEPT, carried_out, start, wishes
from tau_env.domains.retail.families._swap import Problem, Swap, find_swap
from tau_env.domains.retail.families.payment_method import Move, find_move
from tau_env.families.build import money
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

CARD = "gift_card"


@family(rules=("R5.4", "R5.6", "R6.4"), seed=1, size=12)
def gift_card_limit(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a gift card that holds enough for what it is to pay, and one that does not."""
    del twists

    def pool(status: str, make: Callable[[str], Job | None]) -> Pool[Job]:
        return Pool(rng, order_ids(company, "o.status = ?", status), make)

    def swaps(to_job: Callable[[Swap], Job], problem: Problem) -> Callable[[str], Job | None]:
        def make(order_id: str) -> Job | None:
            swap = find_swap(company, rng, order_id, problem=problem, source=CARD)
            return None if swap is None or swap.difference < 0 else to_job(swap)

        return make

    def moves(order_id: str) -> Job | None:
        move = find_move(company, rng, order_id, source=CARD)
        return None if move is None else payment_job(move)

    def failing_moves(order_id: str) -> Job | None:
        move = uncovered_move(company, order_id)
        return None if move is None else payment_job(move)

    pairs = [
        (pool("pending", moves), pool("pending", failing_moves)),
        (
            pool("pending", swaps(change_job, "")),
            pool("pending", swaps(change_job, "balance")),
        ),
        (
            pool("delivered", swaps(exchange_job, "")),
            pool("delivered", swaps(exchange_job, "balance")),
        ),
    ]
    for allowed, forbidden in balanced_twins(pairs):
        one = replace(allowed, rules=_rules(allowed))
        yield Twins(carried_out(rng, one), _forbidden(rng, forbidden))


def uncovered_move(company: Company, order_id: str) -> Move | None:
    """A move of an order's payment to a gift card that holds too little; None if there is none."""
    order = read_order(company, order_id)
    for card in order.customer.clear_methods:
        if card.source == CARD and card.id not in order.net and 0 < card.cents < order.total:
            return Move(order, card) if order.payments == 1 else None
    return None


def card_of(job: Job) -> Method:
    """The gift card of the job's customer."""
    return next(one for one in job.customer.methods if one.source == CARD)


def _rules(job: Job) -> tuple[str, ...]:
    """The rule about the balance first."""
    rule = {"modify_payment": "R5.6", "modify_items": "R5.4", "exchange": "R6.4"}[job.want.do]
    return tuple(dict.fromkeys((rule, *job.rules)))


def _forbidden(rng: random.Random, job: Job) -> Task:
    talk = start(rng, job)
    job.look_up(talk)
    held = dollars(card_of(job).cents)
    needed = sum(max(cents, 0) for _, _, cents in job.flows) or job.outputs[0].value
    talk.close(
        f"I'm sorry, but I cannot {job.doing} with your gift card: it holds only {held}, and "
        f"{dollars(int(needed))} would be needed.",
        f"Unfortunately I cannot {job.doing} that way. There are {held} on your gift card, which "
        f"does not pay {dollars(int(needed))}.",
    )
    return make_task(
        "refuse",
        talk,
        opening=job.opening,
        wants=[job.want],
        instruction=wishes(job) + ACCEPT,
        outputs=[money(card_of(job).cents)],
        required=look_up(job.order.id),
        rules=(_rules(job)[0], *REFUSAL_RULES),
    )
