"""Customers whose e-mail address stands in no record: found by name and zip code, or not."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tau_env.domains.retail.families._build import look_up, make_task
from tau_env.domains.retail.families._dialogue import EMAIL_QUESTIONS, Dialogue
from tau_env.domains.retail.families._jobs import Job, goal_of
from tau_env.domains.retail.families._records import Customer, order_ids
from tau_env.domains.retail.families._serve import (
    ACCEPT,
    Maker,
    make_cancel,
    make_change,
    make_payment,
    make_return,
    wishes,
)
from tau_env.families.build import must_call, word
from tau_env.families.draw import Pool, balanced_twins
from tau_env.family import Twins, family
from tau_env.schema import Fact, Requirement, Task
from tau_env.world.company import Company

KINDS: tuple[tuple[Maker, str], ...] = (
    (make_cancel, "pending"),
    (make_return, "delivered"),
    (make_change, "pending"),
    (make_payment, "pending"),
)
UNKNOWN = "unknown identity"
"""Tag of tasks in which what the customer says of themselves stands in no record."""


@family(rules=("R1.1", "R1.2"), seed=1, size=12)
def unverified(company: Company, rng: random.Random, *, twists: bool) -> Iterator[Twins]:
    """Twins: name and zip code find the customer, or they do not either."""
    del twists

    def pool(make: Maker, status: str) -> Pool[Job]:
        ids = order_ids(company, "o.status = ?", status)
        return Pool(rng, ids, lambda one: make(company, rng, one))

    known = {row["zip"] for row in company.rows("SELECT zip FROM customers")}
    pairs = [(pool(*kind), pool(*kind)) for kind in KINDS]
    for allowed, forbidden in balanced_twins(pairs):
        yield Twins(_found(company, rng, allowed), _not_found(company, rng, forbidden, known))


def _new_email(company: Company, rng: random.Random, customer: Customer) -> str:
    """An address of the customer that no record has."""
    while True:
        name = f"{customer.first_name}{rng.choice('._')}{customer.last_name}".lower()
        email = f"{name}{rng.randint(10, 99)}@example.org"
        if company.row("SELECT 1 FROM customers WHERE email = ?", email) is None:
            return email


def _try(rng: random.Random, job: Job, facts: dict[str, Fact]) -> Dialogue:
    """Ask for the e-mail address, then for name and zip code, and look up both."""
    talk = Dialogue(rng, job.customer)
    talk.say(*EMAIL_QUESTIONS)
    talk.call("find_user_id_by_email", email=facts["email"].value)
    talk.say(
        "I could not find an account with that e-mail address. May I have your first name, your "
        "last name and your zip code instead?",
        "Thank you. There is no account with that address; could you tell me your first and last "
        "name and your zip code?",
    )
    talk.call(
        "find_user_id_by_name_zip",
        first_name=facts["first_name"].value,
        last_name=facts["last_name"].value,
        zip=facts["zip"].value,
    )
    return talk


def _facts(customer: Customer, email: str, zip_code: str) -> dict[str, Fact]:
    known = {
        "email": email,
        "first_name": customer.first_name,
        "last_name": customer.last_name,
        "zip": zip_code,
    }
    return {name: Fact(value=value) for name, value in known.items()}


def _searches(facts: dict[str, Fact]) -> list[Requirement]:
    """Both ways to find somebody, tried in vain."""
    # Names may be written in another case, and are found all the same.
    tried = {
        "find_user_id_by_email": {"email": facts["email"].value},
        "find_user_id_by_name_zip": {"zip": facts["zip"].value},
    }
    return [
        must_call(f"try {tool}", tool, arguments, refused=True) for tool, arguments in tried.items()
    ]


def _found(company: Company, rng: random.Random, job: Job) -> Task:
    customer = job.customer
    facts = _facts(customer, _new_email(company, rng, customer), customer.address["zip"])
    talk = _try(rng, job, facts)
    talk.call("get_user_details", user_id=customer.id)
    job.look_up(talk)
    job.play(talk)
    return make_task(
        "fulfil",
        talk,
        opening=job.opening,
        wants=[job.want],
        facts=facts,
        instruction=wishes(job) + ACCEPT,
        goal=goal_of(job),
        outputs=job.outputs,
        required=look_up(job.order.id),
        rules=("R1.1", *job.rules),
        tags=(UNKNOWN,),
    )


def _not_found(company: Company, rng: random.Random, job: Job, known: set[str]) -> Task:
    customer = job.customer
    codes = (f"{number:05d}" for number in range(10_000, 99_999, 7))
    zip_code = rng.choice([code for code in codes if code not in known])
    facts = _facts(customer, _new_email(company, rng, customer), zip_code)
    talk = _try(rng, job, facts)
    talk.close(
        "I'm sorry, but I could not find you with your name and zip code either, so I cannot "
        f"{job.doing}.",
        "Unfortunately there is no account with that name and zip code either. As long as I cannot "
        f"find you, I cannot {job.doing}.",
    )
    return make_task(
        "refuse",
        talk,
        opening=job.opening,
        wants=[job.want],
        facts=facts,
        instruction=wishes(job) + ACCEPT,
        outputs=[word("verification", "not found")],
        required=_searches(facts),
        rules=("R1.1", "R1.2", "R7.3"),
        tags=(UNKNOWN,),
    )
