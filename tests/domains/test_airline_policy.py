"""Policy and tools of the airline are read apart, and the tools allow what the policy allows."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from airline_calls import DRAW
from hypothesis import given, settings
from hypothesis import strategies as st
from small_airline import open_small

from tau_env.domains.airline import DOMAIN
from tau_env.domains.airline.policy import RULES
from tau_env.errors import Refused
from tau_env.world.database import World
from tau_env.world.rules import Deed


@pytest.fixture(scope="module")
def small() -> Iterator[World]:
    made = open_small()
    yield made
    made.close()


@pytest.fixture(scope="module")
def seeded() -> Iterator[World]:
    made = DOMAIN.open()
    yield made
    made.close()


@pytest.mark.parametrize("company", ["small", "seeded"])
@settings(max_examples=200, deadline=None)
@given(rng=st.randoms(use_true_random=False), tool=st.sampled_from(sorted(DRAW)))
def test_tool_refuses_what_the_policy_forbids(
    small: World, seeded: World, company: str, rng: random.Random, tool: str
) -> None:
    """F40, F127: policy and tools are read apart and allow the same.

    A refusal names the rule that the policy's predicate says is broken; refusals that name none are
    of calls that would do nothing or that speak of what does not exist.
    """
    world = small if company == "small" else seeded
    world.begin()
    arguments = DRAW[tool](rng, world)
    read = DOMAIN.toolbox.tools[tool].read(arguments)
    trip = world.row(
        "SELECT user_id FROM reservations WHERE reservation_id = ?",
        arguments.get("reservation_id", ""),
    )
    deed = Deed(
        world=world,
        customer=arguments["user_id"] if trip is None else trip["user_id"],
        tool=tool,
        arguments=read.model_dump(),
        looked_up=("get_reservation_details",),
    )
    held = [rule for rule in RULES.broken(deed) if f"tool:{tool}" in RULES.by[rule]]
    refusal: Refused | None = None
    with world.calling(writes=True) as calling:
        try:
            DOMAIN.toolbox.tools[tool].function(world, **dict(read))
        except Refused as error:
            refusal = error
            calling.undo()
    if refusal is not None:
        assert refusal.rule in ("", *held), (refusal.rule, held, refusal.text)
    elif tool != "cancel_reservation":
        assert not held, arguments
    else:
        # The reason for a cancellation is no argument, so the tool cannot know it.
        assert held in ([], ["R7.1"])
