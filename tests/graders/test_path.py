"""The path grader: required with alternatives, order, forbidden; only calls without error count."""

import pytest

from tau_env.graders import grade_trajectory
from tau_env.graders.path import grade_path
from tau_env.schema import Call, DomainSpec, Outcome, Path, Scenario, Task, Turn, Want

SPEC = DomainSpec(name="toy", version=1, now="2025-01-01T00:00:00")


def calls(*made):
    """Turns of calls: names, or (name, arguments, error)."""
    found = []
    for one in made:
        name, arguments, error = one if isinstance(one, tuple) else (one, {}, None)
        found.append(Turn(who="call", call=Call(name=name, arguments=arguments, error=error)))
    return tuple(found)


def grade(path, transcript, spec=SPEC):
    task = Task(
        id="toy-001",
        kind="fulfil",
        scenario=Scenario(customer="c", opening="x", wants=(Want(do="ask"),)),
        goals=(({"op": "delete", "table": "t", "key": {"id": 1}},),),
        path=Path.model_validate(path),
    )
    return grade_path(task, transcript, Outcome(), spec)


LOOK = {"as": "look", "any": [{"tool": "look", "arguments": {"id": "a"}}, {"tool": "scan"}]}
WRITE = {"as": "write", "any": [{"tool": "write"}]}
ORDERED = {"required": [LOOK, WRITE], "order": [["look", "write"]]}
RIGHT = ("look", {"id": "a", "more": 1}, None)


@pytest.mark.parametrize(
    ("made", "passed", "progress"),
    [
        ([RIGHT, "write"], True, 1.0),
        (["scan", "write"], True, 1.0),
        ([RIGHT, "other", "write", RIGHT], True, 1.0),
        ([RIGHT], False, 0.5),
        ([], False, 0.0),
        (["write", RIGHT], False, 1.0),
        (["write", RIGHT, "write"], False, 1.0),
        (["write"], False, 0.5),
        ([("look", {"id": "b"}, None), "write"], False, 0.5),
        ([("look", {}, None), "write"], False, 0.5),
        ([("look", {"id": "a"}, "refused"), "write"], False, 0.5),
    ],
)
def test_required_and_order(made, passed, progress):
    found = grade(ORDERED, calls(*made))
    assert (found.passed, found.scores["progress"]) == (passed, progress)
    assert bool(found.evidence) is not passed


def test_order_counts_from_the_first_of_each_and_names_the_turns():
    found = grade(ORDERED, (Turn(who="customer", text="x"), *calls("write", RIGHT)))
    assert [one.turns for one in found.evidence] == [(2, 3)]
    assert "'write' came before 'look'" in found.evidence[0].text


def test_argument_must_be_equal_in_type_and_value():
    path = {"required": [{"as": "n", "any": [{"tool": "n", "arguments": {"n": 1, "l": ["a"]}}]}]}
    assert grade(path, calls(("n", {"n": 1, "l": ["a"]}, None))).passed
    assert not grade(path, calls(("n", {"n": True, "l": ["a"]}, None))).passed
    assert not grade(path, calls(("n", {"n": 1, "l": ["a", "b"]}, None))).passed


def test_forbidden_call_fails_even_if_undone_and_a_refused_one_does_not():
    path = {"required": [WRITE], "forbidden": [{"tool": "drop", "arguments": {"id": 1}}]}
    found = grade(path, calls(("drop", {"id": 1}, None), "undo", "write"))
    assert (found.passed, found.scores["progress"]) == (False, 1.0)
    assert found.evidence[0].turns == (1,)
    assert "drop(id=1)" in found.evidence[0].text
    assert grade(path, calls(("drop", {"id": 1}, "refused"), "write")).passed
    assert grade(path, calls(("drop", {"id": 2}, None), "write")).passed


def test_what_was_only_said_is_no_call():
    assert not grade({"required": [WRITE]}, (Turn(who="agent", text="write"),)).passed


def test_path_with_nothing_to_check_says_so():
    found = grade({}, calls("anything"))
    assert (found.passed, found.checked, found.scores) == (True, False, {"progress": 1.0})
    assert grade({"forbidden": [{"tool": "x"}]}, ()).checked


@pytest.mark.parametrize(
    ("actions", "order", "forbidden", "passed"),
    [
        ("ab", [("a", "b")], "", True),
        ("aab", [("a", "b")], "", True),
        ("bab", [("a", "b")], "", False),
        ("ba", [("a", "b")], "", False),
        ("ab", [("a", "c")], "", True),
        ("ab", [("c", "a")], "", False),
        ("abc", [], "c", False),
        ("abx", [], "c", True),
    ],
)
def test_plain_function_reads_order_strictly(actions, order, forbidden, passed):
    """A late check does not heal an early act; a pair whose second is absent does not apply."""
    assert grade_trajectory(list(actions), ["a", "b"], order, list(forbidden)) == (passed, 1.0)


def test_plain_function_counts_a_repeated_requirement_once():
    assert grade_trajectory(["a"], ["a", "a", "b"]) == (False, 0.5)


def handing_over():
    tools = {
        "hand_over": {"kind": "other", "verbs": ["transfer"]},
        "look": {"kind": "read"},
    }
    return SPEC.model_validate(
        SPEC.model_dump()
        | {
            "tools": {
                name: {"name": name, "description": "", "parameters": {}, **more}
                for name, more in tools.items()
            }
        }
    )


@pytest.mark.parametrize(
    ("required", "error", "passed"),
    [([LOOK], None, False), ([LOOK], "refused", True), ([LOOK, "hand_over"], None, True)],
)
def test_hand_over_that_the_path_does_not_ask_for_fails(required, error, passed):
    """A transfer in place of, or after, what the agent can do itself breaks every policy here."""
    needed = [
        {"as": one, "any": [{"tool": one}]} if isinstance(one, str) else one for one in required
    ]
    made = calls(RIGHT, ("hand_over", {"summary": "x"}, error))
    found = grade({"required": needed}, made, handing_over())
    assert found.passed is passed
    assert [one.turns for one in found.evidence] == ([] if passed else [(2,)])


def test_hand_over_fails_where_the_path_asks_for_nothing():
    found = grade({}, calls("hand_over"), handing_over())
    assert (found.passed, found.checked) == (False, True)
