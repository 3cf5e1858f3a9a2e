"""The records that results have shown, as they stood last: what a change leaves as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tau_env.graders._facts import parsed
from tau_env.graders._leaves import Fields
from tau_env.graders._things import id_pattern
from tau_env.language.cache import per_text
from tau_env.schema import Lexicon


@per_text
def _dicts_in(result: str, lexicon: Lexicon) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Every object of a result with the id that it begins with; empty if it has none."""
    pattern = id_pattern(lexicon)
    found = []
    for one in _walk(parsed(result)):
        texts = (value for value in one.values() if isinstance(value, str))
        found.append((next((text for text in texts if pattern.fullmatch(text)), ""), one))
    return tuple(found)


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a JSON value, outer ones first."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _walk(inner)


class Records:
    """The objects that results have shown so far."""

    def __init__(self, lexicon: Lexicon) -> None:
        """Begin with none."""
        self._lexicon = lexicon
        self._results: dict[str, None] = {}
        self._owner: dict[str, Any] = {}

    def learn(self, result: str) -> None:
        """Take in a result text; what it shows replaces what was shown before."""
        self._results.pop(result, None)
        self._results[result] = None

    def get(self, identifier: str) -> Mapping[str, Any]:
        """The object of an id as it was shown last; empty if none was."""
        for result in reversed(self._results):
            for begins, one in _dicts_in(result, self._lexicon):
                if begins == identifier and len(one) > 1:
                    return one
        return {}

    def with_fields(self, fields: Fields) -> Iterator[Mapping[str, Any]]:
        """The objects that have all of these values, in themselves or one level below."""
        for result in self._results:
            for _, one in _dicts_in(result, self._lexicon):
                if fields.items() <= _flat(one).items():
                    yield one

    def has_list(self, name: str, wanted: list[Fields]) -> bool:
        """Whether an object has exactly this list, in any order."""
        for result in self._results:
            for _, one in _dicts_in(result, self._lexicon):
                listed = one.get(name)
                if not isinstance(listed, list) or len(listed) != len(wanted):
                    continue
                if all(entry in listed for entry in wanted):
                    return True
        return False

    def with_names(self, *names: str) -> Iterator[Fields]:
        """For each object with all of these fields: their values."""
        for result in self._results:
            for _, one in _dicts_in(result, self._lexicon):
                flat = _flat(one)
                if all(name in flat for name in names):
                    yield {name: flat[name] for name in names}


def _flat(one: Mapping[str, Any]) -> Fields:
    """The single values of an object and of the objects right below it."""
    found: Fields = {}
    for name, value in one.items():
        if isinstance(value, dict):
            found.update({key: inner for key, inner in value.items() if _is_single(inner)})
        elif _is_single(value):
            found[name] = value
    return found


def _is_single(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)
