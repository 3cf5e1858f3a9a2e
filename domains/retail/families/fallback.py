"""If not this, then that: a second wish that comes up only where the first is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tau_env.domains.retail.families._build import REFUSAL_RULES, look_up, make_task
from tau_env.domains.retail.families._jobs import (
    Job,
    change_job,
    exchange_job,
    facts_of,
    goal_of,
    payment_job,
    return_job,
    status_of,
)
from tau_env.domains.retail.families._records import Customer, order_ids
from tau_env.domains.retail.families._serve import (
    carried_out,
    make_cancel,
    make_change,
    make_exchange,
    make_return,
    start,
    wishes,
)
from tau_env.domains.retail.families._swap import Swap, find_swap
from tau_env.domains.retail.families.gift_card_limit import uncovered_move
from tau_env.domains.retail.families.payment_method import Move, find_move
from tau_env.domains.retail.families.return_items import Return
from tau_env.families.build import money, word
from tau_env.families.dialogue import dollars
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Output, Task
from tau_env.world.company import Company


@dataclass(frozen=True, slots=True)
class Choice:
    """A first wish, and what the customer wants where it is refused.

    Attributes:
        first: the first wish.
        second: the other one; the first itself where it is never needed.
        why: the fact that decides against the first.
        because: it in the agent's words.
        rule: the rule that decides.
    """

    first: Job
    second: Job
    why: Output | None = None
    because: str = ""
    rule: str = ""

    @property
    def customer(self) -> Customer:
        """Whose order it is."""
        return self.first.customer

    @property
    def shape(self) -> str:
        """Twins open with the same phrase."""
        return self.first.shape


Finder = Callable[[Company, random.Random, str], Choice | None]


@family(rules=("R7.2",), seed=1, size=12)
def fallback(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a first wish that can be granted, and one that cannot, but a second one can."""
    del twists

    def pool(status: str, find: Finder) -> Pool[Choice]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: find(company, rng, one))

    pairs = [
        (pool("pending", _cancelling), pool("delivered", _returning_instead)),
        (pool("pending", _moving), pool("pending", _moving_elsewhere)),
        (pool("delivered", _exchanging), pool("delivered", _exchanging_nothing)),
        (pool("pending", _changing), pool("pending", _changing_nothing)),
    ]
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(_first(rng, allowed), _second(rng, forbidden))


def _choice(first: Job | None, second: Job | None = None, **why: Any) -> Choice | None:
    """A choice whose first wish is raised with the hint that there is another one."""
    if first is None:
        return None
    return Choice(replace(first, opening=f"or_else_{first.opening}"), second or first, **why)


def _cancelling(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    return _choice(make_cancel(company, rng, order_id))


def _returning_instead(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    first, second = make_cancel(company, rng, order_id), make_return(company, rng, order_id)
    if second is None:
        return None
    status = first.order.status
    because = f"the status of order {order_id} is '{status}'"
    return _choice(first, second, why=status_of(first), because=because, rule="R4.1")


def _moving(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    move = find_move(company, rng, order_id, source="gift_card")
    return None if move is None else _choice(payment_job(move))


def _moving_elsewhere(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    """To a gift card that holds too little, else to a card or to PayPal."""
    move = uncovered_move(company, order_id)
    if move is None:
        return None
    payer = move.order.payer
    others = [one for one in move.customer.clear_methods if one not in (move.method, payer)]
    if not others:
        return None
    held = move.method.cents
    because = f"your gift card holds only {dollars(held)}"
    second = payment_job(Move(move.order, rng.choice(others)))
    return _choice(payment_job(move), second, why=money(held), because=because, rule="R5.6")


def _exchanging(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    return _choice(make_exchange(company, rng, order_id))


def _exchanging_nothing(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    """For a version that is not available, else a return."""
    swap = find_swap(company, rng, order_id, problem="unavailable")
    if swap is None or len(swap.order.items) < 2:
        return None
    methods = [
        method
        for method in swap.customer.clear_methods
        if method.source == "gift_card" or method.id in swap.order.net
    ]
    if not methods:
        return None
    second = return_job(Return(swap.order, (swap.item,), rng.choice(methods), elsewhere=False))
    return _choice(exchange_job(swap), second, **_unavailable(swap), rule="R6.3")


def _changing(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    return _choice(make_change(company, rng, order_id))


def _changing_nothing(company: Company, rng: random.Random, order_id: str) -> Choice | None:
    """To a version that is not available, else a cancellation."""
    swap = find_swap(company, rng, order_id, problem="unavailable")
    if swap is None:
        return None
    second = make_cancel(company, rng, order_id)
    return _choice(change_job(swap), second, **_unavailable(swap), rule="R5.3")


def _unavailable(swap: Swap) -> dict[str, Any]:
    return {
        "why": word("availability", "unavailable"),
        "because": f"the {swap.new.text} is not available",
    }


def _first(rng: random.Random, choice: Choice) -> Task:
    job = choice.first
    return carried_out(
        rng,
        job,
        instruction=wishes(job) + " If it is not possible, say that you will leave it then.",
    )


def _second(rng: random.Random, choice: Choice) -> Task:
    first, second = choice.first, choice.second
    talk = start(rng, first)
    first.look_up(talk)
    talk.close(
        f"I'm sorry, but I cannot {first.doing}: {choice.because}.",
        f"Unfortunately I cannot {first.doing}, because {choice.because}.",
    )
    second.play(talk)
    return make_task(
        "partial",
        talk,
        opening=first.opening,
        wants=[first.want, second.want],
        facts=facts_of(first, second),
        instruction=f"You want {first.wish}. Only if that is refused, you want {second.wish}. You "
        "want nothing else changed.",
        goal=goal_of(second),
        outputs=[output for output in (choice.why, *second.outputs) if output is not None],
        required=look_up(first.order.id),
        rules=(choice.rule, *second.rules, "R7.2", *REFUSAL_RULES),
    )
