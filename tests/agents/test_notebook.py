"""What a blind baseline picks up: values by the name under which it saw them."""

import random

import pytest

from tau_env.agents.notebook import Notebook


def read(*texts, source="customer"):
    notes = Notebook()
    for text in texts:
        notes.read({"source": source, "text": text})
    return notes


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("I am at mara.lopez1@example.com.", "email", "mara.lopez1@example.com"),
        ("the zip is 60614", "zip", "60614"),
        ("I'm Mara Lopez.", "first_name", "Mara"),
        ("I'm Mara Lopez.", "last_name", "Lopez"),
        ("My first name is Mara", "first_name", "Mara"),
        ("Lopez is my last name", "last_name", "Lopez"),
        ("it is order #W1000123", "order_id", "#W1000123"),
        ("reservation ZFA04Y, please", "reservation_id", "ZFA04Y"),
        ("My user id is mara_lopez_77.", "user_id", "mara_lopez_77"),
    ],
)
def test_customer_lines_give_values(text, name, value):
    assert value in read(text).known(name)


def test_a_part_of_an_order_number_is_no_zip_code():
    assert read("order #W60614 and 606145").known("zip") == []


def test_results_give_values_under_their_keys():
    notes = read(
        '{"order_id": "#W1", "items": [{"item_id": "1", "price": 2.5}], "orders": ["#W2"],'
        ' "variants": {"77": {"available": true}}}',
        source="tool",
    )
    assert notes.known("order_id") == ["#W1", "#W2"]
    assert notes.known("item_id") == ["1"]
    assert notes.known("price") == [2.5]
    assert notes.known("variant_id") == ["77"]
    assert read("mara_lopez_7", source="tool").known("user_id") == ["mara_lopez_7"]
    assert read("Error: no such thing", source="tool").values == {}


def test_values_are_noted_once():
    notes = read("#W1000123", "#W1000123 again, a@x.org a@x.org")
    assert notes.known("order_id") == ["#W1000123"]
    assert notes.known("email") == ["a@x.org"]


PARAMETERS = {
    "required": ["order_id", "item_ids", "reason", "note"],
    "properties": {
        "order_id": {"type": "string"},
        "item_ids": {"type": "array", "items": {"type": "string"}},
        "reason": {"type": "string", "enum": ["a", "b"]},
        "note": {"type": "string"},
        "spare": {"type": "string"},
    },
}


def test_arguments_are_filled_when_everything_is_known():
    rng = random.Random(1)
    notes = read('{"order_id": "#W1"}', source="tool")
    assert notes.fill(PARAMETERS, rng) is None
    notes.read({"source": "tool", "text": '{"items": [{"item_id": "1"}]}'})
    filled = notes.fill(PARAMETERS, rng)
    assert filled == {
        "order_id": "#W1",
        "item_ids": ["1"],
        "reason": filled["reason"],
        "note": "1 + 1",
    }
    assert filled["reason"] in ("a", "b")


def test_objects_in_a_list_are_filled_from_their_own_fields():
    flight = {"type": "object", "required": ["date"], "properties": {"date": {"type": "string"}}}
    flights = {"type": "array", "items": flight}
    notes = read('{"flights": [{"date": "2025-06-20"}]}', source="tool")
    parameters = {"required": ["flights"], "properties": {"flights": flights}}
    assert notes.fill(parameters, random.Random(1)) == {"flights": [{"date": "2025-06-20"}]}


@pytest.mark.parametrize(
    "schema", [{"type": "integer"}, {"type": "array", "items": {"type": "object"}}]
)
def test_what_cannot_be_filled_gives_no_call(schema):
    parameters = {"required": ["x"], "properties": {"x": schema}}
    assert read("#W1").fill(parameters, random.Random(1)) is None
