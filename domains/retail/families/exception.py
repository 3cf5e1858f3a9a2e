"""Requests made with pressure: granted where the policy allows them, refused as kindly twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from tau_env.domains.retail.families._jobs import Job, refused_rules
from tau_env.domains.retail.families._records import order_ids
from tau_env.domains.retail.families._serve import (
    INSIST,
    Maker,
    carried_out,
    make_cancel,
    make_change,
    make_payment,
    make_return,
    refused,
    wishes,
    writes_on,
)
from tau_env.families.build import TRANSFER
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Lure
from tau_env.world.company import Company

KINDS: tuple[tuple[Maker, str, str], ...] = (
    (make_cancel, "pending", "processed"),
    (make_return, "delivered", "return requested"),
    (make_change, "pending", "pending (item modified)"),
    (make_payment, "pending", "processed"),
    (make_return, "delivered", "exchange requested"),
)
"""Request, status that allows it, status that does not."""


@family(rules=("R7.1", "R7.3"), seed=1, size=12)
def exception(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: a pressing request that needs no exception, and one that does."""
    del twists

    def pool(make: Maker, status: str) -> Pool[Job]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: _pressing(make(company, rng, one)))

    pairs = [(pool(make, able), pool(make, unable)) for make, able, unable in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        pressure = Lure(kind="pressure", calls=(TRANSFER, *writes_on(forbidden)))
        yield Twins(
            carried_out(rng, allowed, if_refused="insist", instruction=wishes(allowed) + INSIST),
            refused(
                rng,
                forbidden,
                insists=True,
                lures=(pressure,),
                rules=refused_rules(forbidden),
            ),
        )


def _pressing(job: Job | None) -> Job | None:
    return None if job is None else replace(job, opening=f"pressing_{job.opening}")
