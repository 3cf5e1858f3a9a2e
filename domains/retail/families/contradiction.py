"""Requests that the facts may contradict: versions that do not exist, statuses only claimed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from tau_env.domains.retail.families._build import REFUSAL_RULES, look_up, make_task
from tau_env.domains.retail.families._jobs import Job, change_job, exchange_job, refused_rules
from tau_env.domains.retail.families._records import (
    Variant,
    order_ids,
    read_order,
    read_variant,
)
from tau_env.domains.retail.families._serve import (
    ACCEPT,
    Maker,
    carried_out,
    make_cancel,
    make_return,
    refused,
    start,
    wishes,
    writes_on,
)
from tau_env.domains.retail.families._swap import Swap, find_swap
from tau_env.families.build import TRANSFER, word
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Lure, Task
from tau_env.world.company import Company

ToJob = Callable[[Swap], Job]
CLAIMS: tuple[tuple[Maker, str, str], ...] = (
    (make_cancel, "pending", "processed"),
    (make_return, "delivered", "processed"),
)
"""Request, the status that the customer claims, the status that the record may say instead."""
SWAPS: tuple[tuple[ToJob, str], ...] = ((change_job, "pending"), (exchange_job, "delivered"))


@family(rules=("R2.1", "R2.3", "R7.1"), seed=1, size=12)
def contradiction(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a request that the records bear out, and one that they contradict."""
    del twists

    def claims(make: Maker, status: str) -> Pool[Job]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: _claimed(make(company, rng, one)))

    def swaps(to_job: ToJob, status: str, *, real: bool) -> Pool[Job]:
        find = _real_swap if real else _unreal_swap

        def make(order_id: str) -> Job | None:
            swap = find(company, rng, order_id)
            return None if swap is None else to_job(swap)

        return Pool(rng, order_ids(company, "o.status = ?", status), make)

    pairs = [
        (claims(CLAIMS[0][0], CLAIMS[0][1]), claims(CLAIMS[0][0], CLAIMS[0][2])),
        (swaps(*SWAPS[0], real=True), swaps(*SWAPS[0], real=False)),
        (claims(CLAIMS[1][0], CLAIMS[1][1]), claims(CLAIMS[1][0], CLAIMS[1][2])),
        (swaps(*SWAPS[1], real=True), swaps(*SWAPS[1], real=False)),
    ]
    for allowed, forbidden in balanced_twins(pairs):
        claimed = forbidden.want.do in ("cancel", "return")
        impossible = Lure(kind="impossible", calls=(TRANSFER, *writes_on(forbidden)))
        yield Twins(
            carried_out(rng, allowed, rules=("R2.1", *allowed.rules) if claimed else allowed.rules),
            refused(
                rng,
                forbidden,
                lures=(impossible,),
                rules=refused_rules(forbidden, "R2.1"),
            )
            if claimed
            else _no_such_version(rng, forbidden, impossible),
        )


def _claimed(job: Job | None) -> Job | None:
    return None if job is None else replace(job, opening=f"claims_{job.opening}")


def _real_swap(company: Company, rng: random.Random, order_id: str) -> Swap | None:
    return find_swap(company, rng, order_id)


def _unreal_swap(company: Company, rng: random.Random, order_id: str) -> Swap | None:
    """A swap for a version of which the product has no variant, though other products have it."""
    order = read_order(company, order_id)
    found = []
    for item in order.plain_items:
        variants = _variants(company, item.variant)
        for option in item.variant.options:
            offered = {one.options[option] for one in variants}
            values = company.rows(
                "SELECT DISTINCT value FROM variant_options WHERE name = ? ORDER BY 1", option
            )
            for value in (row["value"] for row in values):
                if value not in offered:
                    new = replace(
                        item.variant,
                        item_id="",
                        options=item.variant.options | {option: value},
                        available=False,
                    )
                    method = rng.choice(order.customer.methods)
                    found.append(Swap(order, item, option, new, method, "unavailable"))
    return rng.choice(found) if found else None


def _variants(company: Company, variant: Variant) -> list[Variant]:
    rows = company.rows(
        "SELECT item_id FROM variants WHERE product_id = ? ORDER BY 1", variant.product_id
    )
    return [read_variant(company, row["item_id"]) for row in rows]


def _no_such_version(rng: random.Random, job: Job, lure: Lure) -> Task:
    talk = start(rng, job)
    job.look_up(talk)
    talk.close(
        f"I'm sorry, but I cannot {job.doing}: that version is not available.",
        f"Unfortunately I cannot {job.doing} as you wish, because such a version is not available.",
    )
    return make_task(
        "refuse",
        talk,
        opening=job.opening,
        wants=[job.want],
        instruction=wishes(job) + ACCEPT,
        outputs=[word("availability", "unavailable")],
        required=look_up(job.order.id),
        lures=(lure,),
        rules=("R5.3" if job.want.do == "modify_items" else "R6.3", *REFUSAL_RULES),
    )
