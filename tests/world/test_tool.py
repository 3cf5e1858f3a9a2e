"""One definition gives schema, validation and call; whatever is wrong becomes a text."""

import json
from typing import Literal

import pytest
from pydantic import BaseModel
from toy import TOY, give

from tau_env.errors import BadDomain
from tau_env.schema import canonical_json
from tau_env.world.coerce import MAX_LENGTH, Money, to_cents
from tau_env.world.tool import Toolbox, tool


@pytest.fixture
def world():
    made = TOY.open()
    yield made
    made.close()


def call(world, name, arguments):
    return TOY.toolbox.call(world, name, arguments)


def test_schema_comes_from_signature_and_docstring():
    spec = TOY.toolbox.specs["give"]
    assert spec.description == "Give coins away."
    assert spec.parameters["required"] == ["account_id", "coins"]
    assert spec.parameters["properties"]["coins"] == {"description": "how many.", "type": "integer"}
    assert spec.parameters["properties"]["mood"]["enum"] == ["glad", "sad"]
    assert spec.parameters["additionalProperties"] is False
    assert "title" not in json.dumps(spec.parameters)
    assert spec.chat_schema()["type"] == "function"


@pytest.mark.parametrize("coins", [3, 3.0, "3", "3.0", " 3 "])
def test_integer_is_coerced_by_one_rule(world, coins):
    made = call(world, "give", {"account_id": "a1", "coins": coins})
    assert made.error is None
    assert made.arguments["coins"] == 3
    assert made.subjects == ("a1",)
    assert {change.table for change in made.changes} == {"accounts", "gifts"}


BAD = [
    ({"account_id": "a1"}, "'coins' is missing"),
    ({"account_id": "a1", "coins": 1, "x": 1}, "'x' is not an argument"),
    ({"account_id": 1, "coins": 1}, "'account_id' must be a text, not the number 1"),
    ({"account_id": "a1", "coins": True}, "'coins' must be an integer, not true"),
    ({"account_id": "a1", "coins": None}, "not null"),
    ({"account_id": "a1", "coins": 1.5}, "must be an integer, not 1.5"),
    ({"account_id": "a1", "coins": "three"}, "not 'three'"),
    ({"account_id": "a1", "coins": 2**63}, "64 bits"),
    ({"account_id": "a1", "coins": 10**400}, "64 bits"),
    (
        {"account_id": "a1", "coins": 1, "mood": "mad"},
        "must be 'glad' or 'sad', not the text 'mad'",
    ),
    ({"account_id": "a\x00", "coins": 1}, "NUL"),
    ('{"account_id": "\\ud800", "coins": 1}', "surrogate"),
    ({"account_id": "x" * 20_000, "coins": 1}, "longer than"),
    ("{", "no valid JSON"),
    ("[]", "must be a JSON object, not a list"),
    ("3", "must be a JSON object, not the number 3"),
    ('{"coins": NaN, "account_id": "a"}', "NaN is no JSON number"),
    ('{"coins": 1, "coins": 2, "account_id": "a"}', "'coins' occurs twice"),
    ('{"a":' * 40 + "1" + "}" * 40, "nested deeper"),
    ("[" * 90_000, "nested deeper"),
    (" " * (MAX_LENGTH + 1), "longer than"),
    ('{"coins": ' + "9" * 5000 + "}", "no valid JSON"),
    ({"account_id": "a1", "coins": float("inf")}, "Infinity is no JSON number"),
    ({"account_id": {1, 2}}, "no JSON object"),
    ({"account_id": "\ud800", "coins": 1}, "surrogate"),
    ({"\ud800": 1, "account_id": "a1"}, "surrogate"),
    ('{"account_id": "a1", "coins": 1e999}', "1e999 is beyond any JSON number"),
    ('{"account_id": "\ud800', "no valid JSON"),
]


@pytest.mark.parametrize(("arguments", "text"), BAD)
def test_bad_arguments_are_a_clear_text_and_change_nothing(world, arguments, text):
    made = call(world, "give", arguments)
    assert made.error == "bad_arguments"
    assert text in made.result
    assert "Nothing was changed" in made.result
    assert world.outcome() == ()


@pytest.mark.parametrize("name", ["give", "giv"])
@pytest.mark.parametrize("arguments", [arguments for arguments, _ in BAD])
def test_whatever_failed_can_be_written_down(world, name, arguments):
    """A record of half a character or of 1e999 would be a line that nobody can write or read."""
    made = call(world, name, arguments)
    canonical_json([made.arguments, made.raw, made.result]).encode("utf-8")


def test_unknown_tool_offers_the_nearest(world):
    made = call(world, "giv", {})
    assert made.error == "unknown_tool"
    assert "Did you mean 'give'?" in made.result


def test_refused_call_leaves_nothing(world):
    made = call(world, "give", {"account_id": "a1", "coins": 10_000})
    assert (made.error, made.result) == ("refused", "Error: there are not enough coins")
    assert made.changes == ()
    assert made.subjects == ("a1",)
    assert world.outcome() == ()


@pytest.mark.parametrize(
    ("value", "cents"), [("12.50", 1250), (12.5, 1250), (12, 1200), ("0.10", 10), (-3, -300)]
)
def test_money_is_dollars_outside_and_cents_inside(value, cents):
    assert to_cents(value) == cents


@pytest.mark.parametrize(
    "value", ["12.505", 0.001, True, "twelve", float("nan"), None, "1e3", "$5", 1e300]
)
def test_money_refuses_what_is_no_amount(value):
    with pytest.raises(ValueError, match=r"amount|decimals|bounds"):
        to_cents(value)


def test_lists_are_coerced_inside(world):
    made = call(world, "price", {"amount": "1.20", "many": ["1", 2.0]})
    assert made.result == "120 [1, 2]"
    assert "must be a list" in call(world, "price", {"amount": 1, "many": "[1]"}).result


class Part(BaseModel):
    """A part.

    Attributes:
        name: its name.
        count: how many of them.
        cost: dollars for one.
        kind: what it is made of.
        tags: words.
    """

    name: str
    count: int
    cost: Money
    kind: Literal["wood", "iron"] = "wood"
    tags: list[str] = []


@tool(kind="other")
def assemble(world, parts: list[Part]) -> str:
    """Put parts together.

    Args:
        parts: the parts.
    """
    del world
    return " ".join(f"{part.count} {part.name} {part.kind} {part.cost}" for part in parts)


def test_objects_have_a_schema_from_their_docstring():
    schema = Toolbox([assemble]).specs["assemble"].parameters["properties"]["parts"]
    assert schema["items"] == {
        "additionalProperties": False,
        "description": "A part.",
        "properties": {
            "name": {"description": "its name.", "type": "string"},
            "count": {"description": "how many of them.", "type": "integer"},
            "cost": {"description": "dollars for one.", "type": "number"},
            "kind": {
                "default": "wood",
                "description": "what it is made of.",
                "enum": ["wood", "iron"],
                "type": "string",
            },
            "tags": {
                "default": [],
                "description": "words.",
                "items": {"type": "string"},
                "type": "array",
            },
        },
        "required": ["name", "count", "cost"],
        "type": "object",
    }


@pytest.mark.parametrize("count", [3, 3.0, "3"])
@pytest.mark.parametrize("cost", [2.5, "2.50"])
def test_objects_are_coerced_inside_and_recorded_as_they_can_be_called(world, count, cost):
    parts = [{"name": "leg", "count": count, "cost": cost}]
    made = Toolbox([assemble]).call(world, "assemble", {"parts": parts})
    assert made.result == "3 leg wood 250"
    again = Toolbox([assemble]).call(world, "assemble", made.arguments)
    assert again.result == made.result
    assert again.arguments == made.arguments
    assert made.arguments["parts"] == [
        {"name": "leg", "count": 3, "cost": 2.5, "kind": "wood", "tags": []}
    ]


def test_money_is_recorded_in_dollars(world):
    made = call(world, "price", {"amount": "12.50", "many": []})
    assert (made.result, made.arguments["amount"]) == ("1250 []", 12.5)


PART = {"name": "leg", "count": 1, "cost": 1}


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ({"name": "leg", "cost": 1}, "'parts.0.count' is missing"),
        (PART | {"size": 1}, "'parts.0.size' is not an argument of this tool"),
        (PART | {"name": 1}, "'parts.0.name' must be a text, not the number 1"),
        (PART | {"count": True}, "'parts.0.count' must be an integer, not true"),
        (PART | {"cost": "1.234"}, "'parts.0.cost' must be an amount in dollars"),
        (PART | {"kind": "gold"}, "'parts.0.kind' must be 'wood' or 'iron', not the text 'gold'"),
        (PART | {"tags": [1]}, "'parts.0.tags.0' must be a text"),
        (PART | {"name": "a\x00"}, "NUL"),
        ("leg", "'parts.0' must be an object, not the text 'leg'"),
        ([], "'parts.0' must be an object, not a list"),
        (None, "'parts.0' must be an object, not null"),
    ],
)
def test_bad_objects_are_a_clear_text(world, part, text):
    made = Toolbox([assemble]).call(world, "assemble", {"parts": [part]})
    assert made.error == "bad_arguments"
    assert text in made.result


def test_object_without_text_is_refused():
    class Bare(BaseModel):
        x: int

    def take(world, bare: Bare):
        """Take.

        Args:
            bare: it.
        """

    take.__annotations__["bare"] = Bare
    with pytest.raises(BadDomain, match="object 'Bare' has no docstring"):
        Toolbox([tool(kind="read")(take)])
    Bare.__doc__ = "Bare.\n\nAttributes:\n    y: it."
    with pytest.raises(BadDomain, match="object 'Bare': describe 'x'"):
        Toolbox([tool(kind="read")(take)])


def test_tool_without_text_or_annotation_is_refused():
    @tool(kind="read")
    def silent(world, x):
        return x

    with pytest.raises(BadDomain, match="no docstring"):
        Toolbox([silent])
    silent.__doc__ = "Says.\n\nArgs:\n    x: it."
    with pytest.raises(BadDomain, match="annotate and describe parameter 'x'"):
        Toolbox([silent])
    with pytest.raises(BadDomain, match="two tools"):
        Toolbox([give, give])
    with pytest.raises(BadDomain, match="@tool"):
        Toolbox([lambda world: 1])
