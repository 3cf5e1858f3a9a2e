"""The tools of every company: a calculator, a note, the hand-over; none changes anything."""

import pytest
from toy import TOY

from tau_env.domains.airline.tools import FUNCTIONS as AIRLINE
from tau_env.domains.retail.tools import FUNCTIONS as RETAIL
from tau_env.world.general import calculate, think, transfer_to_human_agents
from tau_env.world.tool import Toolbox

GENERAL = (calculate, think, transfer_to_human_agents)
TOOLBOX = Toolbox(GENERAL)


@pytest.fixture
def world():
    made = TOY.open()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("calculate", {"expression": "2 * (19.99 + 5)"}, "49.98"),
        ("think", {"thought": "well"}, ""),
        ("transfer_to_human_agents", {"summary": "a lost bag"}, "Transfer successful"),
    ],
)
def test_general_tool_answers_and_changes_nothing(world, name, arguments, result):
    made = TOOLBOX.call(world, name, arguments)
    assert (made.error, made.result, made.changes, made.subjects) == (None, result, (), ())
    assert TOOLBOX.specs[name].kind == "other"


def test_calculator_says_why_it_cannot(world):
    made = TOOLBOX.call(world, "calculate", {"expression": "1 / 0"})
    assert made.error == "refused"
    assert "divides by zero" in made.result


def test_every_company_has_the_same_ones():
    assert set(GENERAL) <= set(RETAIL)
    assert set(GENERAL) <= set(AIRLINE)
