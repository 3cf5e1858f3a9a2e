"""What a blind baseline picks up on the way: values by the name under which it saw them."""

from __future__ import annotations

import json
import random
import re
from typing import Any

from tau_env.actions import Observation

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]*\w")
_ZIP = re.compile(r"(?<![\w#])\d{5}(?!\w)")
_USER = re.compile(r"\b[a-z]+(?:_[a-z]+)+_\d+\b")
_ID = re.compile(r"#?\b(?=\w*\d)[A-Z][A-Z0-9]{4,}\b")
_NAME = re.compile(r"\b([A-Z][a-z]+) ([A-Z][a-z]+)\b")
_TOLD = re.compile(
    r"\b(first|last) name(?: is|:)? ([A-Z][a-z]+)|\b([A-Z][a-z]+) is my (first|last)"
)


class Notebook:
    """Values that may fill arguments, by argument name."""

    def __init__(self) -> None:
        """Start empty."""
        self.values: dict[str, list[Any]] = {}
        self._loose: list[str] = []

    def read(self, observation: Observation) -> None:
        """Note what a line or a tool result holds."""
        text = observation["text"]
        if observation["source"] == "tool":
            self._read_result(text)
            return
        for name, pattern in (("email", _EMAIL), ("zip", _ZIP), ("user_id", _USER)):
            for value in pattern.findall(text):
                self._note(name, value)
        for value in _ID.findall(text):
            if value not in self._loose:
                self._loose.append(value)
        for first, last in _NAME.findall(text):
            self._note("first_name", first)
            self._note("last_name", last)
        for which, value, other, kind in _TOLD.findall(text):
            self._note(f"{which or kind}_name", value or other)

    def _read_result(self, text: str) -> None:
        try:
            data = json.loads(text)
        except ValueError:
            if re.fullmatch(r"\w+", text):
                self._note("user_id", text)
            return
        self._walk("", data)

    def _walk(self, key: str, value: Any) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                if key and isinstance(inner, dict):
                    self._note(f"{key.removesuffix('s')}_id", name)
                self._walk(name, inner)
        elif isinstance(value, list):
            for inner in value:
                self._walk(f"{key.removesuffix('s')}_id" if isinstance(inner, str) else key, inner)
        elif isinstance(value, str | int | float):
            self._note(key, value)

    def _note(self, name: str, value: Any) -> None:
        found = self.values.setdefault(name, [])
        if value not in found:
            found.append(value)

    def known(self, name: str) -> list[Any]:
        """Values for an argument, the newest knowledge last."""
        found = list(self.values.get(name, ()))
        if name.endswith("_id"):
            found += [value for value in self._loose if value not in found]
        return found

    def fill(self, parameters: dict[str, Any], rng: random.Random) -> dict[str, Any] | None:
        """Arguments for a schema from what is known; None where something is missing."""
        filled: dict[str, Any] = {}
        for name in parameters["required"]:
            filled[name] = self._fill_one(name, parameters["properties"][name], rng)
            if filled[name] is None:
                return None
        return filled

    def _fill_one(self, name: str, schema: dict[str, Any], rng: random.Random) -> Any:
        """A value for one argument; None if nothing is known."""
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if schema.get("type") == "array":
            items = schema.get("items", {})
            if "required" in items:
                one = self.fill(items, rng)
                return None if one is None else [one]
            pool = self.known(name.removesuffix("s").removeprefix("new_"))
            return [str(rng.choice(pool))] if pool and items.get("type") == "string" else None
        if pool := self.known(name):
            return rng.choice(pool)
        return "1 + 1" if schema.get("type") == "string" and not name.endswith("_id") else None
