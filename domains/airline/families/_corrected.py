"""Tasks in which the customer corrects a value when it comes to the yes."""

from __future__ import annotations

import random
from typing import Any

from tau_env.domains.airline.families._build import make_task
from tau_env.domains.airline.families._jobs import Plan, goal_of, start, wishes
from tau_env.schema import Task, Twist


def corrected(rng: random.Random, plan: Plan, *, twisted: bool, **more: Any) -> Task:
    """The task in which a request is carried out, with a value corrected at the yes or without.

    Args:
        rng: draws the wording.
        plan: the request as it is made first, and as it is meant.
        twisted: whether the customer corrects it; else the first one is meant.
        more: fields of the task that differ.
    """
    asked, meant = plan.first, plan.second if twisted else plan.first
    talk = start(rng, asked)
    asked.look_up(talk)
    if twisted:
        talk.until_yes(asked.play)
        talk.from_proposal(meant.play)
    else:
        asked.play(talk)
    slots = {
        name: str(value)
        for name, value in meant.want.slots.items()
        if value != asked.want.slots[name]
    }
    change = (
        f" When you are asked whether to go ahead, correct yourself: {', '.join(slots.values())}."
    )
    given: dict[str, Any] = {
        "opening": asked.opening,
        "wants": [asked.want],
        "twists": [Twist(kind="corrects", slots=slots)] if twisted else [],
        "instruction": wishes(asked) + (change if twisted else ""),
        "goal": goal_of(meant),
        "outputs": meant.outputs,
        "required": asked.required,
        "rules": ("R3.3", *meant.rules) if twisted else (),
    }
    return make_task("fulfil", talk, **(given | more))
