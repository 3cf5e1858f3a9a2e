"""Tasks of two requests: both carried out, or one of them refused."""

from __future__ import annotations

import random
from typing import Any

from tau_env.domains.airline.families._build import identity_facts, make_task
from tau_env.domains.airline.families._dialogue import Dialogue
from tau_env.domains.airline.families._jobs import (
    ACCEPT,
    INSIST,
    Job,
    Plan,
    goal_of,
    refused_rules,
    required_by,
    start,
    wishes,
)
from tau_env.schema import Task, Twist


def together(
    rng: random.Random, plan: Plan, *, insists: bool = False, adds: bool = False, **more: Any
) -> Task:
    """The task in which each of two requests is carried out or refused, one after the other.

    Args:
        rng: draws the wording.
        plan: the requests; at least one can be carried out.
        insists: whether the customer asks once more after a refusal.
        adds: whether the second request comes up only when the first is done (a twist).
        more: fields of the task that differ.
    """
    jobs = (plan.first, plan.second)
    done = [job for job in jobs if job.refusal is None]
    barred = [job for job in jobs if job.refusal is not None]
    talk = start(rng, plan.first)
    seen: list[str] = []
    for job in jobs:
        _serve(talk, job, seen)
        if insists and job in barred:
            talk.close(
                f"I understand, and I'm sorry, but I cannot {job.doing}. There is no exception.",
                f"I'm sorry, I know that this matters to you, but I cannot {job.doing}.",
            )
    rules = [rule for job in done for rule in job.rules]
    if barred:
        rules += ["R9.2", *(rule for job in barred for rule in refused_rules(job))]
    given: dict[str, Any] = {
        "opening": plan.first.opening,
        "wants": [plan.first.want] if adds else [job.want for job in jobs],
        "twists": [Twist(kind="adds", added=plan.second.want)] if adds else [],
        "facts": identity_facts(plan.customer),
        "instruction": wishes(*jobs) + (INSIST if insists else ACCEPT),
        "goal": goal_of(*done),
        "outputs": [
            output
            for job in jobs
            for output in (job.outputs if job.refusal is None else job.barred.outputs)
        ],
        "required": required_by(*jobs),
        "if_refused": "insist" if insists else "accept",
        "rules": tuple(dict.fromkeys(rules)),
    }
    return make_task("partial" if barred else "fulfil", talk, **(given | more))


def _serve(talk: Dialogue, job: Job, seen: list[str]) -> None:
    if job.record in seen:
        job.reads(talk)
    else:
        job.look_up(talk)
        seen.append(job.record)
    if job.refusal is None:
        job.play(talk)
    else:
        job.refuse(talk)


def all_possible(plan: Plan) -> bool:
    """Whether both requests can be carried out."""
    return plan.first.refusal is None and plan.second.refusal is None
