"""Tools of every company, beside its records: a calculator, a note to oneself, the hand-over."""

# ruff: noqa: D417 - agents read these docstrings, and the world is not among their arguments.
from __future__ import annotations

from tau_env.errors import Refused
from tau_env.world.arithmetic import BadExpression, evaluate, two_decimals
from tau_env.world.database import World
from tau_env.world.tool import tool


@tool(kind="other", public=True)
def calculate(world: World, expression: str) -> str:
    """Work out an arithmetic expression, rounded to two decimals.

    Args:
        expression: Numbers with + - * / and parentheses, such as '2 * (19.99 + 5)'.
    """
    try:
        return two_decimals(evaluate(expression))
    except BadExpression as error:
        raise Refused("", f"the expression cannot be worked out: {error}") from None


@tool(kind="other")
def think(world: World, thought: str) -> str:
    """Note a thought; the customer does not see it and nothing happens.

    Args:
        thought: The thought.
    """
    return ""


@tool(kind="other", verbs=("transfer",))
def transfer_to_human_agents(world: World, summary: str) -> str:
    """Hand the conversation over to a human colleague, which ends it.

    Args:
        summary: What the customer wants and what has been done.
    """
    return "Transfer successful"
