"""A strict reading of the chat-completions shapes: nothing beside what the interface names."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

SCHEMA_KEYS = frozenset(
    [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "enum",
        "items",
        "default",
        "anyOf",
    ]
)
TYPES = frozenset(["object", "array", "string", "integer", "number", "boolean", "null"])


def check_schema(schema: Any) -> Any:
    """Refuse a key or a type that JSON schemas of tools do not have."""
    assert isinstance(schema, dict)
    assert set(schema) <= SCHEMA_KEYS, set(schema) - SCHEMA_KEYS
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            check_schema(one)
    else:
        assert schema["type"] in TYPES
    if schema.get("type") == "object":
        assert set(schema["required"]) <= set(schema["properties"])
        assert schema["additionalProperties"] is False
        for one in schema["properties"].values():
            check_schema(one)
    if schema.get("type") == "array":
        check_schema(schema["items"])
    return schema


def check_object(text: str) -> str:
    """Refuse arguments that are not the text of a JSON object."""
    assert isinstance(json.loads(text), dict)
    return text


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


Name = Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]


class Function(Strict):
    name: Name
    description: Annotated[str, Field(min_length=1, max_length=1024)]
    parameters: Annotated[dict[str, Any], AfterValidator(check_schema)]


class Tool(Strict):
    type: Literal["function"]
    function: Function


class CalledFunction(Strict):
    name: Name
    arguments: Annotated[str, AfterValidator(check_object)]


class ToolCall(Strict):
    id: str
    type: Literal["function"]
    function: CalledFunction


class AssistantMessage(Strict):
    role: Literal["assistant"]
    content: str | None
    tool_calls: Annotated[list[ToolCall], Field(min_length=1)] | None = None
