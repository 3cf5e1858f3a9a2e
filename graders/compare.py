"""The one comparison of changes: what is missing, what is extra, what is wrong.

The state grader, `grade_state` and `write_gate` all stand on it. Values are equal if type and value
are: 54.04 is not "54.04" and True is not 1.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tau_env.schema import DomainSpec, Patch, RowChange, sort_patch

GONE = "(gone)"
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
    """Equal in type and value, all the way down."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    return bool(one == two)


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
        if have is None:
            missing += [
                Cell(row, column, value, None) for column, value in want.fields.items()
            ] or [Cell(row, "", want.op, None)]
        elif have.op != want.op:
            wrong.append(Cell(row, "", want.op, have.op))
        else:
            for column, value in want.fields.items():
                if column not in have.fields:
                    missing.append(Cell(row, column, value, None))
                elif not same(have.fields[column], value) and (row, column) not in free:
                    wrong.append(Cell(row, column, value, have.fields[column]))
            extra += [
                Cell(row, column, None, value)
                for column, value in have.fields.items()
                if column not in want.fields and (row, column) not in free
            ]
    for row, have in actual.items():
        if row not in wanted:
            extra += [Cell(row, column, None, value) for column, value in have.fields.items()] or [
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
    if spec is not None and spec.generated and any(_named(change) for change in wanted):
        wanted = bind(actual, wanted, free=free, spec=spec)
    rows = _changes(wanted)
    loose = {
        (change.row, column.partition(".")[2])
        for change in wanted
        for column in free
        if column.partition(".")[0] == change.table
    }
    return compare(_changes(actual), rows, loose)


def _changes(patch: Patch) -> dict[Hashable, Change]:
    return {change.row: Change(change.op, change.fields) for change in patch}


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("$")


def _named(change: RowChange) -> bool:
    return any(map(_is_name, change.key.values())) or any(map(_is_name, change.fields.values()))


def bind(actual: Patch, wanted: Patch, *, free: Collection[str], spec: DomainSpec) -> Patch:
    """Put generated keys in the place of a goal's names: one to one, and the same everywhere.

    Where no renaming makes goal and outcome equal, the one that is nearest row by row is taken, so
    that the comparison shows the least difference.
    """
    made = [change for change in actual if change.op == "insert" and change.table in spec.generated]
    open_rows = [
        change
        for change in wanted
        if change.op == "insert" and _is_name(change.key.get(spec.generated.get(change.table, "")))
    ]
    names = _search(open_rows, made, {}, free, spec) or _nearest(open_rows, made, free, spec)
    return sort_patch(_rename(change, names, spec) for change in wanted)


Names = dict[tuple[str, str], Any]
"""(table, name) -> key."""


def _search(
    open_rows: Sequence[RowChange],
    made: Sequence[RowChange],
    names: Names,
    free: Collection[str],
    spec: DomainSpec,
) -> Names | None:
    if not open_rows:
        return names
    want, rest = open_rows[0], open_rows[1:]
    for position, have in enumerate(made):
        more = _match(want, have, names, free, spec)
        if more is not None:
            left = [*made[:position], *made[position + 1 :]]
            found = _search(rest, left, more, free, spec)
            if found is not None:
                return found
    return None


def _match(
    want: RowChange, have: RowChange, names: Names, free: Collection[str], spec: DomainSpec
) -> Names | None:
    """The names with this row's added, None if it does not fit."""
    if want.table != have.table or want.fields.keys() != have.fields.keys():
        return None
    more = dict(names)
    for column, value in (*want.key.items(), *want.fields.items()):
        actual = have.key[column] if column in have.key else have.fields[column]
        target = spec.references.get(f"{want.table}.{column}", want.table)
        if _is_name(value) and (column == spec.generated[want.table] or target in spec.generated):
            taken = any(
                table == target and key == actual and name != value
                for (table, name), key in more.items()
            )
            if taken or more.setdefault((target, str(value)), actual) != actual:
                return None
        elif not same(value, actual) and f"{want.table}.{column}" not in free:
            return None
    return more


def _nearest(
    open_rows: Iterable[RowChange],
    made: Sequence[RowChange],
    free: Collection[str],
    spec: DomainSpec,
) -> Names:
    names: Names = {}
    left = list(made)
    for want in open_rows:
        fitting = [have for have in left if have.table == want.table]
        if not fitting:
            continue
        best = max(
            fitting,
            key=lambda have: sum(
                same(have.fields.get(column), value) for column, value in want.fields.items()
            ),
        )
        left.remove(best)
        column = spec.generated[want.table]
        names[want.table, str(want.key[column])] = best.key[column]
    return names


def _rename(change: RowChange, names: Names, spec: DomainSpec) -> RowChange:
    def new(column: str, value: Any) -> Any:
        own = column == spec.generated.get(change.table)
        table = change.table if own else spec.references.get(f"{change.table}.{column}", "")
        return names.get((table, value), value) if _is_name(value) else value

    return change.model_copy(
        update={
            "key": {column: new(column, value) for column, value in change.key.items()},
            "fields": {column: new(column, value) for column, value in change.fields.items()},
        }
    )
