"""Confirmation of calls with lists: flights, passengers and payments; the dialogues are data.

Written by hand from section 3 of policies/airline.md; the spec is the domain's own.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tau_env.domains.airline import DOMAIN
from tau_env.graders.confirmation import confirmed_writes
from tau_env.schema import Call, Transcript, Turn

TABLE = json.loads((Path(__file__).parent / "confirmation_cases_airline.json").read_text("utf-8"))
SHOWN = {"user": "get_user_details", "search": "search_direct_flight"}


def turn(row: list[Any]) -> Turn:
    if row[0] in ("agent", "customer"):
        return Turn(who=row[0], text=row[1])
    if row[0] == "see":
        name = SHOWN.get(row[1], "get_reservation_details")
        return Turn(who="call", call=Call(name=name, result=json.dumps(TABLE["results"][row[1]])))
    more = row[3] if len(row) > 3 else {}
    return Turn(who="call", call=Call(name=row[1], arguments=row[2], **more))


def dialogue(case: dict[str, Any]) -> Transcript:
    return tuple(turn(row) for row in case["turns"])


def test_the_table_is_long_and_has_as_many_bad_cases_as_good_ones() -> None:
    names = [case["name"] for case in TABLE["cases"]]
    assert len(names) == len(set(names)) >= 40
    good = sum(all(case["confirmed"]) for case in TABLE["cases"])
    assert min(good, len(names) - good) >= 20


def test_every_call_of_the_table_fits_its_tool() -> None:
    for case in TABLE["cases"]:
        for row in case["turns"]:
            if row[0] == "call":
                DOMAIN.toolbox.tools[row[1]].read(row[2])


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_a_write_is_confirmed_as_the_table_says(case: dict[str, Any]) -> None:
    verdicts = confirmed_writes(dialogue(case), DOMAIN.spec)
    assert [one.confirmed for one in verdicts] == case["confirmed"], [one.why for one in verdicts]
