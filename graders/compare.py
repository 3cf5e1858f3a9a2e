"""The one comparison of changes: what is missing, what is extra, what is wrong.

The state grader, `grade_state` and `write_gate` all stand on it. Values are equal if type and value
are: 54.04 is not "54.04" and True is not 1.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tau_env.schema import DomainSpec, Patch, RowChange, sort_patch


class Gone(Enum):
    """A value that no record can hold."""

    GONE = "(gone)"

    def __repr__(self) -> str:
        return self.value


GONE = Gone.GONE
"""Stands for a field that a record no longer has (plain dicts only; tables keep their columns)."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one row: the operation and its fields."""

    op: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell that is not as wanted; a whole row where `column` is empty."""

    row: Hashable
    column: str
    wanted: Any
    actual: Any


@dataclass(frozen=True, slots=True)
class Difference:
    """How actual changes differ from the wanted ones; nothing in it if they are equal."""

    missing: tuple[Cell, ...] = ()
    extra: tuple[Cell, ...] = ()
    wrong: tuple[Cell, ...] = ()

    def __len__(self) -> int:
        """How many cells or rows differ."""
        return len(self.missing) + len(self.extra) + len(self.wrong)


def same(one: Any, two: Any) -> bool:
    """Equal in type and value, all the way down; NaN is itself."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    return bool(one == two or (one != one and two != two))


def compare(
    actual: Mapping[Hashable, Change],
    wanted: Mapping[Hashable, Change],
    free: Collection[tuple[Hashable, str]] = (),
) -> Difference:
    """Compare changes row by row.

    Args:
        actual: row -> what became of it.
        wanted: row -> what should have.
        free: (row, column) pairs that may hold anything.

    Returns:
        Missing: wanted changes that did not happen. Extra: changes that nobody wanted. Wrong: a
        wanted change with another value or operation.
    """
    missing: list[Cell] = []
    extra: list[Cell] = []
    wrong: list[Cell] = []
    for row, want in wanted.items():
        have = actual.get(row)
        held = {name: value for name, value in want.fields.items() if (row, name) not in free}
        if have is None:
            missing += [Cell(row, name, value, None) for name, value in held.items()]
            if not held and want.op != "update":
                missing.append(Cell(row, "", want.op, None))
        elif have.op != want.op:
            wrong.append(Cell(row, "", want.op, have.op))
        else:
            for name, value in held.items():
                if name not in have.fields:
                    missing.append(Cell(row, name, value, None))
                elif not same(have.fields[name], value):
                    wrong.append(Cell(row, name, value, have.fields[name]))
            extra += [
                Cell(row, name, None, value)
                for name, value in have.fields.items()
                if name not in want.fields and (row, name) not in free
            ]
    for row, have in actual.items():
        if row not in wanted:
            extra += [Cell(row, name, None, value) for name, value in have.fields.items()] or [
                Cell(row, "", None, have.op)
            ]
    return Difference(tuple(missing), tuple(extra), tuple(wrong))


def compare_patches(
    actual: Patch, wanted: Patch, *, free: Collection[str] = (), spec: DomainSpec | None = None
) -> Difference:
    """Compare an outcome with a goal.

    Args:
        actual: the outcome.
        wanted: the goal; keys made by counters are names such as ``"$a"``.
        free: ``"table.column"`` that may hold anything on rows that the goal changes.
        spec: gives generated keys and references, where the goal has names.
    """
    if spec is not None and spec.generated:
        wanted = bind(actual, wanted, free=free, spec=spec)
    loose = {
        (change.row, column.partition(".")[2])
        for change in wanted
        for column in free
        if column.partition(".")[0] == change.table
    }
    return compare(_changes(actual), _changes(wanted), loose)


def _changes(patch: Patch) -> dict[Hashable, Change]:
    return {change.row: Change(change.op, change.fields) for change in patch}


Names = dict[tuple[str, str], Any]
"""(table, name) -> key."""


def bind(actual: Patch, wanted: Patch, *, free: Collection[str], spec: DomainSpec) -> Patch:
    """Put generated keys in the place of a goal's names: one to one, and the same everywhere.

    Where no renaming makes goal and outcome equal, the one that is nearest row by row is taken, so
    that the comparison shows the least difference.
    """
    plain: list[RowChange] = []
    named: list[RowChange] = []
    for change in wanted:
        (named if _has_names(change, spec) else plain).append(change)
    if not named:
        return wanted
    names = _search(named, actual, {}, free, spec)
    if names is None:
        names = _nearest(named, actual, spec)
    return sort_patch((*plain, *(_rename(change, names, spec) for change in named)))


def _has_names(change: RowChange, spec: DomainSpec) -> bool:
    """Whether a goal's row names keys that a counter makes.

    Only a made key, or a column that refers to one, can hold a name: "$5" elsewhere is a text.
    """
    return any(
        _is_name(value) and _table_of_key(change.table, column, spec)
        for column, value in (*change.key.items(), *change.fields.items())
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("$")


def _table_of_key(table: str, column: str, spec: DomainSpec) -> str:
    """The table whose made key a column holds; empty if it holds none."""
    if column == spec.generated.get(table):
        return table
    target = spec.references.get(f"{table}.{column}", "")
    return target if target in spec.generated else ""


def _search(
    wanted: Sequence[RowChange],
    actual: Sequence[RowChange],
    names: Names,
    free: Collection[str],
    spec: DomainSpec,
) -> Names | None:
    """Names with which every wanted row is an actual one of its own; None if there are none."""
    if not wanted:
        return names
    for position, have in enumerate(actual):
        more = _match(wanted[0], have, names, free, spec)
        if more is not None:
            left = [*actual[:position], *actual[position + 1 :]]
            found = _search(wanted[1:], left, more, free, spec)
            if found is not None:
                return found
    return None


def _match(
    want: RowChange, have: RowChange, names: Names, free: Collection[str], spec: DomainSpec
) -> Names | None:
    """The names with this row's added, None if it does not fit."""
    if (want.op, want.table, want.key.keys()) != (have.op, have.table, have.key.keys()):
        return None
    more = dict(names)
    wanted, cells = {**want.key, **want.fields}, {**have.key, **have.fields}
    for column in {**wanted, **cells}:
        if f"{want.table}.{column}" in free:
            continue
        if column not in wanted or column not in cells:
            return None
        value, actual = wanted[column], cells[column]
        table = _table_of_key(want.table, column, spec) if _is_name(value) else ""
        if table:
            taken = any(
                (of, key) == (table, actual) and name != value for (of, name), key in more.items()
            )
            if taken or more.setdefault((table, str(value)), actual) != actual:
                return None
        elif not same(value, actual):
            return None
    return more


def _nearest(wanted: Iterable[RowChange], actual: Sequence[RowChange], spec: DomainSpec) -> Names:
    """Names from pairing each row that makes a key with the made row most like it."""
    names: Names = {}
    left = [change for change in actual if change.op == "insert"]
    for want in wanted:
        column = spec.generated.get(want.table, "")
        fitting = [have for have in left if have.table == want.table]
        if want.op != "insert" or column not in want.key or not fitting:
            continue
        best = max(
            fitting,
            key=lambda have: sum(
                same(have.fields.get(name), value) for name, value in want.fields.items()
            ),
        )
        left.remove(best)
        names[want.table, str(want.key[column])] = best.key[column]
    return names


def _rename(change: RowChange, names: Names, spec: DomainSpec) -> RowChange:
    def new(column: str, value: Any) -> Any:
        table = _table_of_key(change.table, column, spec) if _is_name(value) else ""
        return names.get((table, value), value) if table else value

    return change.model_copy(
        update={
            "key": {column: new(column, value) for column, value in change.key.items()},
            "fields": {column: new(column, value) for column, value in change.fields.items()},
        }
    )
