"""A customer who can be identified, and one whose user id stands in no record."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.airline.families._build import identity_facts, make_task
from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._jobs import ACCEPT, Find, Job, carried_out, wishes
from tau_env.domains.airline.families._makers import canceller, mover, packer, renamer
from tau_env.domains.airline.families._query import reservation_ids
from tau_env.domains.airline.families._records import Customer
from tau_env.families.build import must_call, word
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Task
from tau_env.world.company import Company

KINDS: tuple[Find, ...] = (
    canceller("recent", "change of plan"),
    mover(),
    packer(),
    renamer("correct_name"),
)
UNKNOWN = "unknown identity"
"""Tag of tasks in which what the customer says of themselves stands in no record."""


@family(rules=("R1.1", "R1.2"), seed=1, size=8)
def unknown_user(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: the user id finds the customer, or it does not."""
    del twists

    def pool(find: Find) -> Pool[Job]:
        return Pool(rng, reservation_ids(company), lambda one: find(company, rng, one))

    pairs = [(pool(find), pool(find)) for find in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        found = carried_out(rng, allowed, rules=("R1.1", *allowed.rules))
        yield Twins(found, _not_found(company, rng, forbidden))


def _wrong_id(company: Company, rng: random.Random, customer: Customer) -> str:
    """The customer's name with a number that no customer has."""
    name = customer.id.rpartition("_")[0]
    while True:
        user_id = f"{name}_{rng.randint(1000, 9999)}"
        if not company.row("SELECT 1 FROM customers WHERE user_id = ?", user_id):
            return user_id


def _not_found(company: Company, rng: random.Random, job: Job) -> Task:
    user_id = _wrong_id(company, rng, job.customer)
    talk = Dialogue(rng, job.customer)
    talk.identify(user_id=user_id)
    talk.close(
        f"I'm sorry, but I could not find an account with this user id, so I cannot {job.doing}.",
        "Unfortunately there is no account with that user id. As long as I cannot find you, I "
        f"cannot {job.doing}.",
    )
    return make_task(
        "refuse",
        talk,
        opening=job.opening,
        wants=[job.want],
        facts=identity_facts(job.customer, user_id=user_id),
        instruction=wishes(job) + ACCEPT,
        outputs=[word("verification", "not found")],
        required=[
            must_call("try to find them", "get_user_details", {"user_id": user_id}, refused=True)
        ],
        rules=("R1.1", "R1.2", "R9.3"),
        tags=(UNKNOWN,),
    )
