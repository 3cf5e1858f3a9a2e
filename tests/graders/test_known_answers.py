"""The graders against the known answers of the project's shared folder."""

import copy
import json

import pytest
from known_answers import SHARED, answer

from tau_env.graders import grade_state, grade_trajectory
from tau_env.graders.compare import Change, compare
from tau_env.graders.weak import grade_claim
from tau_env.registry import find_domain
from tau_env.schema import Outcome, Scenario, Task, Turn, Want

SPEC = find_domain("retail").spec
TASK = Task(
    id="toy-001",
    kind="fulfil",
    scenario=Scenario(customer="c", opening="x", wants=(Want(do="ask"),)),
    goals=(({"op": "delete", "table": "t", "key": {"id": 1}},),),
)
CLAIM, NO_CLAIM = "Order W1 has been cancelled.", "Hello."


def claims(message):
    return grade_claim(TASK, (Turn(who="agent", text=message),), Outcome(), SPEC).passed


def goal_fields(initial, final, goal):
    """The grader that looks at the goal's own fields, over plain dicts."""

    def changes(after):
        return {
            record: Change(
                "update",
                {
                    field: value
                    for field, value in fields.items()
                    if value != initial[record].get(field)
                },
            )
            for record, fields in after.items()
            if fields != initial.get(record)
        }

    wanted = {name: {**initial[name], **fields} for name, fields in goal.items()}
    found = compare(changes(final), changes(wanted))
    return not found.missing and not found.wrong


def test_toy_store_matrix():
    known = answer("grade-toy-store-matrix")
    given = known["inputs"]
    found = {
        name: {
            "claim": claims(CLAIM if agent["claims_success"] else NO_CLAIM),
            "goal_fields": goal_fields(given["initial"], agent["final"], given["goal"]),
            "full_state": grade_state(given["initial"], agent["final"], given["goal"]),
        }
        for name, agent in given["agents"].items()
    }
    assert found == known["expected"]


def test_refusal_task():
    known = answer("grade-refusal-task")
    given = known["inputs"]
    found = {
        name: grade_state(given["initial"], final, given["goal"])
        for name, final in given["finals"].items()
    }
    assert found == known["expected"]


def test_state_edge_cases():
    known = answer("grade-state-edge-cases")
    given = known["inputs"]
    found = {}
    for case in given["cases"]:
        initial = case.get("initial", given["initial"])
        before = copy.deepcopy(initial)
        found[case["name"]] = grade_state(
            initial,
            case["final"],
            given["goal"],
            case.get("ignore", ()),
            case.get("required_outputs", ()),
            case.get("messages", ()),
        )
        assert initial == before
    assert found == known["expected"]["passes"]


def test_three_runs():
    known = answer("grade-three-runs")
    store = answer("grade-toy-store-matrix")["inputs"]
    agents = {"also_cancels": "also_cancels_W2"}
    passes = [
        grade_state(store["initial"], store["agents"][agents.get(run, run)]["final"], store["goal"])
        for run in known["inputs"]["runs"]
    ]
    assert passes == known["expected"]["passes"]
    rate = sum(passes) / len(passes)
    assert rate == pytest.approx(known["expected"]["rate"], abs=known["tolerance"])


def test_reward_is_the_product_of_action_and_output():
    known = answer("grade-reward-product")
    store = answer("grade-toy-store-matrix")["inputs"]
    finals = {1: store["agents"]["correct"]["final"], 0: store["initial"]}
    messages = {1: ["You get 54.04 back."], 0: ["You get it back."]}
    rewards = [
        int(
            grade_state(
                store["initial"], finals[action], store["goal"], (), ["54.04"], messages[output]
            )
        )
        for action, output in known["inputs"]["cases"]
    ]
    assert rewards == known["expected"]


def test_two_sets_of_tests_must_all_pass():
    """A patch resolves an issue only if what failed passes and what passed still does."""
    known = answer("grade-swe-two-sets")
    found = []
    for case in known["inputs"]["cases"]:
        sizes = {"f2p": len(case["f2p"]), "p2p": len(case["p2p"])}
        before = {
            f"{kind}{at}": {"passes": kind == "p2p"} for kind in sizes for at in range(sizes[kind])
        }
        after = {
            f"{kind}{at}": {"passes": bool(case[kind][at])}
            for kind in sizes
            for at in range(sizes[kind])
        }
        goal = {f"f2p{at}": {"passes": True} for at in range(sizes["f2p"])}
        found.append(grade_state(before, after, goal))
    assert found == known["expected"]


def test_floor_of_doing_nothing():
    """The share of public tasks that an agent passes that changes nothing and says nothing."""
    known = answer("floor-do-nothing")
    for domain, wanted in known["inputs"].items():
        path = SHARED / "tau_bench" / f"{domain}_test.jsonl"
        if not path.exists():
            pytest.skip(f"no {path}")
        tasks = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        passed = 0
        for task in tasks:
            start = {str(one["path"]): {"value": one.get("before")} for one in task["changes"]}
            goal = {str(one["path"]): {"value": one.get("after")} for one in task["changes"]}
            passed += grade_state(start, start, goal, (), task["outputs"], [])
        assert f"{passed} of {len(tasks)}" == wanted
        floor = passed / len(tasks)
        assert floor == pytest.approx(known["expected"][domain], abs=known["tolerance"])


def test_partial_order():
    known = answer("traj-partial-order")
    given = known["inputs"]
    found = [
        grade_trajectory(one, given["required"], [tuple(pair) for pair in given["order"]])
        for one in given["trajectories"]
    ]
    assert [passed for passed, _ in found] == known["expected"]["passed"]
    progress = [share for _, share in found]
    assert progress == pytest.approx(known["expected"]["progress"], abs=known["tolerance"])


@pytest.mark.parametrize("ident", ["traj-forbidden", "traj-empty-required"])
def test_forbidden_and_empty(ident):
    known = answer(ident)
    given = known["inputs"]
    passed, progress = grade_trajectory(
        given["actions"], given["required"], forbidden=given.get("forbidden", ())
    )
    assert {"passed": passed, "progress": progress} == known["expected"]


def test_progress_ranks():
    known = answer("traj-progress-ranks")
    given = known["inputs"]
    for name, wanted in known["expected"].items():
        passed, progress = grade_trajectory(given[name], given["required"])
        assert not passed
        assert progress == pytest.approx(wanted, abs=known["tolerance"])
