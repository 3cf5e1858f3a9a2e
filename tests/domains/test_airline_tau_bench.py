"""On the public τ-bench records our airline answers as that repository's, but for what is listed.

Intended differences:
- lists are compared as sets: ours are in an order that follows from the records;
- ours shows a flight's status and times, a reservation's status, and the price difference;
- a change of cabin changes the cabin, there it only changes fares;
- a connection leaves later than the first flight arrives, there in the same minute too; a
  second flight of the day after shows that day's seats and fares, there those of the day before;
- seats are taken and given back, a cancellation fills gift cards again, in one line a method, and
  gives nothing back to certificates;
- `REFUSED`: actions of reference solutions that a policy forbids;
- a new reservation has an id of its own, and the text about a new certificate is worded otherwise;
- the note to oneself, the calculator and error texts are worded otherwise.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tau_bench_company import tau_bench_airline

from tau_env.domains.airline import DOMAIN
from tau_env.schema import Call
from tau_env.world.database import World

SHARED = Path(os.environ.get("TAU_SHARED", Path(__file__).parents[3] / "shared"))
FOLDER = Path(os.environ.get("TAU_BENCH_DATA", SHARED / "tau_bench"))
pytestmark = pytest.mark.skipif(
    not (FOLDER / "airline").is_dir(), reason=f"no {FOLDER}/airline; set TAU_BENCH_DATA"
)
NOW = "2024-05-15T15:00:00"
ADDED = (
    "status",
    "price_difference",
    "scheduled_departure_time_est",
    "scheduled_arrival_time_est",
)
NEW_IDS = ("HATHAT", "HATHAU", "HATHAV")
REFUSED = {
    (2, "2FBBAH", "update_reservation_flights"): "the trip is a round_trip from DEN to DEN",
    (19, "VA5SGQ", "update_reservation_flights"): "the trip is a round_trip from DTW to LGA",
    (19, "VA5SGQ", "update_reservation_baggages"): "nonfree_baggages is 1, but must be 0",
    (23, "HXDUBJ", "update_reservation_baggages"): "nonfree_baggages is 2, but must be 0",
    (26, "NQNU5R", "cancel_reservation"): "flight HAT214 on 2024-05-13 is 'landed'",
    (27, "NQNU5R", "cancel_reservation"): "flight HAT214 on 2024-05-13 is 'landed'",
}
"""A trip of that data that ends where it began, another destination, free bags, a flown trip."""

READS = (
    "get_user_details",
    "get_reservation_details",
    "list_all_airports",
    "search_direct_flight",
    "search_onestop_flight",
)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World(tau_bench_airline(FOLDER), now=NOW)
    yield made
    made.close()


def tasks() -> list[dict[str, Any]]:
    lines = (FOLDER / "airline_test.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def refusal(task: int, action: dict[str, Any]) -> str:
    """The text of an intended refusal; empty if there is none."""
    return REFUSED.get((task, action["kwargs"].get("reservation_id", ""), action["name"]), "")


def replay(world: World, task: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Call, str]]:
    """The actions of a task with our call and that repository's observation."""
    world.begin()
    for action, wanted in zip(task["actions"], task["observations"], strict=True):
        yield action, DOMAIN.toolbox.call(world, action["name"], action["kwargs"]), wanted


def normal(value: Any, left_out: tuple[str, ...] = ADDED) -> Any:
    """A result with lists in one order, amounts in cents, added fields left out."""
    if isinstance(value, dict):
        return {key: normal(one, left_out) for key, one in value.items() if key not in left_out}
    if isinstance(value, list):
        found = [normal(one, left_out) for one in value]
        return sorted(found, key=lambda one: json.dumps(one, sort_keys=True))
    if isinstance(value, float | int) and not isinstance(value, bool):
        return round(value * 100)
    return value


def settled(history: list[dict[str, Any]]) -> Counter[tuple[str, bool]]:
    """What each method was charged and given back, in cents."""
    found: Counter[tuple[str, bool]] = Counter()
    for one in history:
        found[one["payment_id"], one["amount"] > 0] += round(one["amount"] * 100)
    return found


def same_record(ours: dict[str, Any], theirs: dict[str, Any], cabin: str) -> bool:
    """Whether two reservations agree; `cabin` is what ours must be."""
    apart = ("reservation_id", "cabin", "payment_history")
    return (
        normal(ours, (*ADDED, *apart)) == normal(theirs, (*ADDED, *apart))
        and ours["cabin"] == cabin
        and settled(ours["payment_history"]) == settled(theirs["payment_history"])
    )


def test_reference_actions_have_the_same_results(world: World) -> None:
    compared: Counter[str] = Counter()
    refused = set()
    for task in tasks():
        cabins: dict[str, str] = {}
        for action, made, wanted in replay(world, task):
            where = f"task {task['task_id']}, {action['name']} {action['kwargs']}: {made.result}"
            assert not wanted.startswith("Error")
            compared[action["name"]] += 1
            if text := refusal(task["task_id"], action):
                assert made.error == "refused", where
                assert text in made.result
                refused.add(text)
                continue
            assert made.error is None, where
            if action["name"] in ("calculate", "send_certificate", "transfer_to_human_agents"):
                continue
            ours, theirs = json.loads(made.result), json.loads(wanted)
            if isinstance(ours, dict) and "reservation_id" in ours:
                record = ours["reservation_id"]
                if "cabin" in action["kwargs"]:
                    cabins[record] = action["kwargs"]["cabin"]
                assert same_record(ours, theirs, cabins.get(record, theirs["cabin"])), where
            else:
                assert normal(ours) == normal(theirs), where
    assert refused == set(REFUSED.values())
    assert sum(compared.values()) == 158
    assert compared["update_reservation_flights"] == 20


def test_plain_results_say_the_same(world: World) -> None:
    seen: Counter[str] = Counter()
    for task in tasks():
        for action, made, wanted in replay(world, task):
            if action["name"] == "calculate":
                assert float(made.result) == float(wanted)
            elif action["name"] == "send_certificate":
                assert re.findall(r"certificate_\d+", made.result)
                assert f"${action['kwargs']['amount']}.00" in made.result
                assert action["kwargs"]["user_id"] in made.result
            elif action["name"] == "transfer_to_human_agents":
                assert made.result
            else:
                continue
            seen[action["name"]] += 1
    assert seen == {"calculate": 5, "send_certificate": 3, "transfer_to_human_agents": 4}


def test_reference_actions_leave_the_same_changes(world: World) -> None:
    """Every changed field of their database is so in ours, and no further record is touched."""
    compared = 0
    for task in tasks():
        done = Done()
        for action, made, _ in replay(world, task):
            done.note(action["name"], made)
        unlike = {record for number, record, *_ in REFUSED if number == task["task_id"]}
        named = set()
        for change in task["changes"]:
            kind, record, *field = change["path"]
            named.add((kind, done.ours.get(record, record)))
            if not unlike:
                where = f"task {task['task_id']}: {change['path']}"
                assert is_so(world, change, done), (where, field)
                compared += 1
        touched = {found for found in touched_records(world) if found[1] not in unlike}
        assert touched - named <= {("users", user) for user in done.refunded_users}
    assert compared > 60


class Done:
    """What became of a task in ours: new ids, and what cancellations gave back to gift cards."""

    def __init__(self) -> None:
        self.ours: dict[str, str] = {}
        self.refunded: Counter[str] = Counter()
        self.refunded_users: set[str] = set()

    def note(self, name: str, made: Call) -> None:
        if made.error is None and name == "book_reservation":
            self.ours[NEW_IDS[len(self.ours)]] = json.loads(made.result)["reservation_id"]
        for change in made.changes if name == "cancel_reservation" else ():
            card = str(change.fields.get("payment_id", ""))
            if change.table == "payments" and card.startswith("gift_card"):
                self.refunded[card] -= int(str(change.fields["amount_cents"]))
                self.refunded_users |= set(made.subjects)


def is_so(world: World, change: dict[str, Any], done: Done) -> bool:
    """Whether a change of their database is in ours."""
    kind, record, *field = change["path"]
    tool = "get_user_details" if kind == "users" else "get_reservation_details"
    argument = "user_id" if kind == "users" else "reservation_id"
    asked = {argument: done.ours.get(record, record)}
    shown = json.loads(DOMAIN.toolbox.call(world, tool, asked).result)
    if kind == "reservations" and not field:
        return same_record(shown, change["after"], change["after"]["cabin"])
    if field == ["payment_history"]:
        return settled(shown["payment_history"]) == settled(change["after"])
    if field == ["reservations"]:
        return set(shown["reservations"]) == {done.ours.get(one, one) for one in change["after"]}
    if kind == "reservations":
        return bool(normal(shown[field[0]]) == normal(change["after"]))
    methods = shown["payment_methods"]
    if change.get("removed"):
        return field[1] not in methods
    if change.get("added"):
        return any(one.get("amount") == change["after"]["amount"] for one in methods.values())
    cents = round(methods[field[1]]["amount"] * 100)
    return bool(cents == change["after"] * 100 + done.refunded[field[1]])


def touched_records(world: World) -> set[tuple[str, str]]:
    """The reservations and customers of which something is changed."""
    found = set()
    for change in world.outcome():
        values = {**change.key, **change.fields}
        if "reservation_id" in values:
            found.add(("reservations", str(values["reservation_id"])))
        elif change.table == "payment_methods":
            sql = "SELECT user_id FROM payment_methods WHERE payment_id = ?"
            (row,) = world.rows(sql, change.key["payment_id"])
            found.add(("users", row["user_id"]))
    return found


def recorded_calls() -> Iterator[tuple[str, dict[str, Any], str]]:
    """Calls of recorded trials with their results, up to the first write of each trial."""
    for trial in json.loads((FOLDER / "gpt-4o-airline.json").read_text(encoding="utf-8")):
        asked: dict[str, tuple[str, dict[str, Any]]] = {}
        for message in trial["traj"]:
            for one in message.get("tool_calls") or []:
                function = one["function"]
                asked[one["id"]] = function["name"], json.loads(function["arguments"])
            if message["role"] == "tool":
                name, arguments = asked[message["tool_call_id"]]
                if DOMAIN.spec.tools[name].kind == "write":
                    break
                # The trials ran on an older version of the data, which says province.
                yield name, arguments, message["content"].replace('"province"', '"state"')


def test_look_ups_of_recorded_trials_have_the_same_results(world: World) -> None:
    """Searches, profiles and reservations, in hundreds of calls of a model."""
    world.begin()
    compared: Counter[str] = Counter()
    for name, arguments, wanted in recorded_calls():
        if name not in READS:
            continue
        made = DOMAIN.toolbox.call(world, name, arguments)
        where = f"{name} {arguments}: {made.result[:300]} | {wanted[:300]}"
        if wanted.startswith("Error") or not json.loads(wanted):
            # Where they find nothing we find nothing, or say what does not exist.
            assert made.error is not None or json.loads(made.result) == [], where
            continue
        assert made.error is None, where
        ours, theirs = json.loads(made.result), json.loads(wanted)
        if name == "search_onestop_flight":
            theirs = [pair for pair in theirs if not leaves_at_once(*pair)]
            ours, theirs = without_next_days_offers(ours), without_next_days_offers(theirs)
        if name == "list_all_airports":
            assert ours.keys() == theirs.keys()
        elif name.startswith("search_"):
            assert normal(ours, ()) == normal(theirs, ()), where
        else:
            assert normal(ours) == normal(theirs), where
        compared[name] += 1
    assert compared.keys() == set(READS)
    assert sum(compared.values()) > 400


def leaves_at_once(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether a flight leaves in the minute in which the one before arrives."""
    arrives = str(first["scheduled_arrival_time_est"])
    return arrives.removesuffix("+1") == str(second["scheduled_departure_time_est"])


def without_next_days_offers(pairs: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """The pairs, without seats and fares of second flights that leave a day later."""
    offer = ("available_seats", "prices")
    return [
        [first, {k: v for k, v in second.items() if k not in offer}]
        if first["date"] != second["date"]
        else [first, second]
        for first, second in pairs
    ]


def shape(value: Any) -> Any:
    """Keys all the way down, the first of a list for all."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return None


def holds(ours: Any, theirs: Any) -> bool:
    """Whether ours has every key that theirs has."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(
            key in ours and holds(ours[key], inner) for key, inner in theirs.items()
        )
    if isinstance(theirs, list):
        return isinstance(ours, list) and (not theirs or not ours or holds(ours[0], theirs[0]))
    return not isinstance(ours, dict | list)


def test_results_have_every_key_of_theirs(world: World) -> None:
    """Of all fourteen tools, so that agents that read them find what they look for."""
    seen = set()
    for task in tasks():
        for action, made, wanted in replay(world, task):
            if made.error is None and wanted.startswith(("{", "[")):
                assert holds(shape(json.loads(made.result)), shape(json.loads(wanted)))
            seen.add(action["name"])
    world.begin()
    for name, arguments, wanted in recorded_calls():
        made = DOMAIN.toolbox.call(world, name, arguments)
        if made.error is None and wanted.startswith(("{", "[")) and name != "list_all_airports":
            assert holds(shape(json.loads(made.result)), shape(json.loads(wanted)))
        seen.add(name)
    assert seen == set(DOMAIN.spec.tools)
