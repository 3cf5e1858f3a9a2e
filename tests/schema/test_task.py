"""What a task must state before it can be loaded: something graded, and names that fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tau_env.content import parse_task_file
from tau_env.errors import BadTask

LOOK = {"as": "look", "any": [{"tool": "get_order_details"}]}
CHANGE = {"op": "update", "table": "orders", "key": {"order_id": "#W1"}, "fields": {"status": "x"}}
TOLD = {"kind": "number", "value": 3}


def load(**fields: Any) -> None:
    """Read a family of one task that has nothing but a scenario and these fields."""
    scenario = {"customer": "mia_7", "opening": "hello", "wants": [{"do": "ask"}]}
    task = {"id": "toy-001", "kind": "fulfil", "scenario": scenario, **fields}
    parse_task_file(json.dumps({"family": "toy", "tasks": [task]}), source="toy.json")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"goals": [[]]},
        {"outputs": [], "goals": [[]], "path": {}},
        {"path": {"forbidden": [{"tool": "think"}]}},
    ],
)
def test_f23_task_that_grades_nothing_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(BadTask, match=r"toy\.json: tasks\.0: .*grades nothing"):
        load(**fields)


@pytest.mark.parametrize(
    "fields", [{"goals": [[CHANGE]]}, {"outputs": [TOLD]}, {"path": {"required": [LOOK]}}]
)
def test_f23_any_one_condition_makes_it_a_task(fields: dict[str, Any]) -> None:
    load(**fields)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"goals": []}, "at least 1 item"),
        ({"goals": [[CHANGE], []]}, "cannot be one of several goals"),
        ({"goals": [[CHANGE]], "free": ["orders.status"]}, "both goal and free"),
        ({"path": {"required": [LOOK, LOOK]}}, "two required steps are called 'look'"),
        ({"path": {"required": [LOOK], "order": [["look", "ask"]]}}, "'ask', but .* 'look'"),
        ({"path": {"order": [["a", "b"]]}, "outputs": [TOLD]}, "'a', but .* are none"),
        ({"path": {"required": [{"as": "look", "any": []}]}}, "at least 1 item"),
        ({"outputs": [TOLD], "grader": "full"}, "Extra inputs"),
    ],
)
def test_task_whose_parts_do_not_fit_is_refused(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadTask, match=reason):
        load(**fields)
