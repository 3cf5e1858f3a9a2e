"""Tools: one typed function gives the schema that a model reads, the validation and the call."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from tau_env.errors import BadDomain, Refused, nearest
from tau_env.schema import Call, ToolSpec
from tau_env.schema.trial import CallError
from tau_env.world.coerce import PLAIN, Malformed, json_name, read_arguments, to_json
from tau_env.world.database import World

Function = TypeVar("Function", bound=Callable[..., Any])
_MARK = "_tau_tool"
_WANTED = {
    "string_type": "a text",
    "list_type": "a list",
    "bool_type": "true or false",
    "model_type": "an object",
}


@dataclass(frozen=True)
class _Declared:
    kind: Literal["read", "write", "other"]
    needs_yes: bool
    rules: tuple[str, ...]
    verbs: tuple[str, ...]
    identifies: tuple[str, ...]
    amounts: tuple[str, ...]
    public: bool


def tool(
    *,
    kind: Literal["read", "write", "other"],
    needs_yes: bool = False,
    rules: tuple[str, ...] = (),
    verbs: tuple[str, ...] = (),
    identifies: tuple[str, ...] = (),
    amounts: tuple[str, ...] = (),
    public: bool = False,
) -> Callable[[Function], Function]:
    """Declare a function as a tool; see `tau_env.schema.ToolSpec` for what the words mean.

    The function's first parameter is the `World` and is hidden from the agent; every other one is
    annotated (str, int, bool, `Money`, Literal, a pydantic model of these, or a list) and described
    in an ``Args:`` section, a model's fields in its ``Attributes:`` section. The docstring's first
    part is what the model reads.
    """

    def declare(function: Function) -> Function:
        declared = _Declared(kind, needs_yes, rules, verbs, identifies, amounts, public)
        setattr(function, _MARK, declared)
        return function

    return declare


class Tool:
    """A declared tool, compiled: its spec, and `run`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Compile a function that `tool` declared.

        Raises:
            BadDomain: no declaration, no docstring, or a parameter without annotation or text.
        """
        declared: _Declared | None = getattr(function, _MARK, None)
        self.name: str = getattr(function, "__name__", repr(function))
        if declared is None:
            raise BadDomain(f"{self.name} is no tool: decorate it with @tool(...)")
        self.function = function
        summary, described = _read_docstring(
            f"tool {self.name!r}", inspect.getdoc(function) or "", section="Args"
        )
        self.model = _arguments_model(self.name, function, described)
        self.spec = ToolSpec(
            name=self.name,
            description=summary,
            parameters=_plain_schema(self.model),
            kind=declared.kind,
            needs_yes=declared.needs_yes,
            rules=declared.rules,
            verbs=declared.verbs,
            identifies=declared.identifies,
            amounts=declared.amounts,
            public=declared.public,
        )

    def read(self, arguments: dict[str, Any]) -> BaseModel:
        """Validate and coerce arguments.

        Returns:
            A model with one attribute an argument, money in cents; its dump has dollars again.

        Raises:
            Malformed: an unknown, missing or ill-typed argument; the message names it.
        """
        try:
            return self.model.model_validate(arguments)
        except ValidationError as error:
            raise Malformed("; ".join(_explain(one) for one in error.errors()[:5])) from None


class Toolbox:
    """The tools of a domain, by name."""

    def __init__(self, functions: Iterable[Callable[..., Any]]) -> None:
        """Compile the tools.

        Raises:
            BadDomain: two tools of one name, or one that does not compile.
        """
        self.tools: dict[str, Tool] = {}
        for function in functions:
            one = Tool(function)
            if one.name in self.tools:
                raise BadDomain(f"two tools are called {one.name!r}")
            self.tools[one.name] = one

    @cached_property
    def specs(self) -> dict[str, ToolSpec]:
        """Name -> spec."""
        return {name: one.spec for name, one in self.tools.items()}

    def call(
        self, world: World, name: str, arguments: str | Mapping[str, Any], *, aside: str = ""
    ) -> Call:
        """Carry out an agent's call; whatever is wrong with it becomes a text for the agent.

        Args:
            world: the episode's world.
            name: the tool asked for.
            arguments: JSON text or an object.
            aside: text that came beside the call.

        Returns:
            The call with its result, its changes and, if nothing was done, why.
        """
        found = self.tools.get(name)
        if found is None:
            return _failed(name, arguments, "unknown_tool", self._unknown(name), aside)
        try:
            raw, given = read_arguments(arguments)
            read = found.read(given)
        except Malformed as error:
            text = f"Error: bad arguments for {name}: {error}. Nothing was changed."
            return _failed(name, arguments, "bad_arguments", text, aside)
        error_kind: CallError | None = None
        calling = world.calling(writes=found.spec.kind == "write")
        with calling as told:
            try:
                result = found.function(world, **dict(read))
            except Refused as refusal:
                result, error_kind = f"Error: {refusal.text}", "refused"
                told.undo()
        return Call(
            name=name,
            arguments=read.model_dump(),
            raw=raw,
            result=result if isinstance(result, str) else to_json(result),
            error=error_kind,
            subjects=told.subjects,
            changes=told.changes,
            aside=aside,
        )

    def _unknown(self, name: str) -> str:
        return (
            f"Error: there is no tool {name[:80]!r}.{nearest(name, self.tools)} "
            f"Tools: {', '.join(self.tools)}. Nothing was changed."
        )


def _failed(
    name: str, arguments: str | Mapping[str, Any], kind: CallError, text: str, aside: str
) -> Call:
    try:
        raw, given = read_arguments(arguments)
    except Malformed:
        raw, given = (_writable(arguments[:2000]) if isinstance(arguments, str) else ""), {}
    return Call(name=name, arguments=given, raw=raw, result=text, error=kind, aside=aside)


def _writable(text: str) -> str:
    """The text without halves of surrogate pairs, so that a record can hold it."""
    return text.encode("utf-8", "replace").decode()


def _read_docstring(name: str, text: str, *, section: str) -> tuple[str, dict[str, str]]:
    """The text before ``Args:`` or ``Attributes:``, and the descriptions in that section."""
    if not text:
        raise BadDomain(f"{name} has no docstring: the agent reads it")
    head, _, rest = text.partition(f"\n{section}:\n")
    described: dict[str, str] = {}
    current = ""
    for line in rest.splitlines():
        if line and not line.startswith(" "):
            break
        stripped = line.strip()
        if line.startswith("    ") and not line.startswith("     ") and ":" in stripped:
            current, _, first = stripped.partition(":")
            described[current] = first.strip()
        elif stripped and current:
            described[current] += " " + stripped
    for section in ("\nReturns:", "\nRaises:"):
        head = head.partition(section)[0]
    return " ".join(head.split()), described


def _arguments_model(
    name: str, function: Callable[..., Any], described: dict[str, str]
) -> type[BaseModel]:
    hints = typing.get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.name not in hints or parameter.name not in described:
            raise BadDomain(f"tool {name!r}: annotate and describe parameter {parameter.name!r}")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (
            _coerced(hints[parameter.name]),
            Field(default, description=described[parameter.name]),
        )
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def _coerced(annotation: Any) -> Any:
    """A plain annotation with the package's rule of coercion in it."""
    if get_origin(annotation) is list:
        return list[_coerced(get_args(annotation)[0])]  # type: ignore[misc]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _object_model(annotation)
    if annotation in PLAIN:
        return PLAIN[annotation]
    return annotation


def _object_model(declared: type[BaseModel]) -> type[BaseModel]:
    """A model that stands among the arguments, with the rule of coercion in its fields."""
    name = declared.__name__
    text = inspect.cleandoc(declared.__doc__ or "")
    summary, described = _read_docstring(f"object {name!r}", text, section="Attributes")
    hints = typing.get_type_hints(declared, include_extras=True)
    fields: dict[str, Any] = {}
    for field, found in declared.model_fields.items():
        if field not in described:
            raise BadDomain(f"object {name!r}: describe {field!r} under Attributes")
        default = ... if found.is_required() else found.default
        fields[field] = (_coerced(hints[field]), Field(default, description=described[field]))
    made: type[BaseModel] = create_model(
        name, __base__=declared, __doc__=summary, __cls_kwargs__={"extra": "forbid"}, **fields
    )
    return made


def _plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON schema without titles and with definitions written out in place."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(one) for one in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return walk(definitions[node["$ref"].rpartition("/")[2]])
        return {
            key: {name: walk(one) for name, one in value.items()}
            if key == "properties"
            else walk(value)
            for key, value in node.items()
            if key != "title"
        }

    plain: dict[str, Any] = walk(schema)
    plain.setdefault("properties", {})
    plain.setdefault("required", [])
    return plain


def _explain(error: Any) -> str:
    """One pydantic error as a sentence that an agent can act on."""
    where = ".".join(str(part) for part in error["loc"]) or "arguments"
    kind = error["type"]
    if kind == "missing":
        return f"'{where}' is missing"
    if kind == "extra_forbidden":
        return f"'{where}' is not an argument of this tool"
    if kind == "value_error":
        return f"'{where}' {error['ctx']['error']}"
    if kind == "literal_error":
        return f"'{where}' must be {error['ctx']['expected']}, not {json_name(error['input'])}"
    if kind in _WANTED:
        return f"'{where}' must be {_WANTED[kind]}, not {json_name(error['input'])}"
    return f"'{where}': {error['msg']}"
