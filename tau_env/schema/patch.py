"""A patch: a set of row changes, in one canonical order; what a goal is and what an outcome is."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from tau_env.schema.base import Frozen, Value

Row = tuple[str, tuple[tuple[str, Value], ...]]
"""A row's identity."""


class RowChange(Frozen):
    """One row's change.

    Attributes:
        op: insert, update or delete.
        table: name of the table.
        key: all primary-key columns with their values; in goals a key made by a counter is
            written as a name, ``"$a"``.
        fields: insert: all other columns; update: the changed ones with their new values;
            delete: none.
        before: outcomes only: the old values of `fields` (update) or of the row (delete); never
            compared.
    """

    op: Literal["insert", "update", "delete"]
    table: str
    key: dict[str, Value]
    fields: dict[str, Value] = Field(default_factory=dict)
    before: dict[str, Value] = Field(default_factory=dict)

    @property
    def row(self) -> Row:
        """The row's identity: its table and its key's columns with their values."""
        return self.table, tuple(sorted(self.key.items()))


Patch = tuple[RowChange, ...]
"""Row changes sorted by (table, key), one a row."""


def _place(change: RowChange) -> tuple[str, list[str]]:
    # As texts: a goal may name one key of a table ("$a") and give another as a number.
    return change.table, [f"{column}={value}" for column, value in sorted(change.key.items())]


def sort_patch(changes: Iterable[RowChange]) -> Patch:
    """Put changes in canonical order.

    Raises:
        ValueError: two changes of one row.
    """
    ordered = tuple(sorted(changes, key=_place))
    for one, two in itertools.pairwise(ordered):
        if one.row == two.row:
            raise ValueError(f"two changes of one row of {one.table!r}: {one.key}; merge them")
    return ordered
