"""Changes as a patch: triggers that note every row touched, and the full scan they must equal.

A journal row is (call, table, key, old row as JSON), written at the first touch of a row within a
call. The old row of a call against now is the call's patch; the old row of the first call that
touched it against now is the outcome's. The cost is that of the rows touched.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from tau_env.errors import BadDomain
from tau_env.schema import Patch, RowChange, Value, sort_patch

MARK = "/*tau_env*/"
"""Opens every statement of ours, so none shares its text with a tool's (see `database`)."""

BOOKKEEPING = f"""
{MARK} CREATE TABLE _clock (call INTEGER NOT NULL) STRICT;
{MARK} INSERT INTO _clock VALUES (0);
{MARK} CREATE TABLE _counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
{MARK} CREATE TABLE _journal (
  call INTEGER NOT NULL, tab TEXT NOT NULL, key TEXT NOT NULL, old TEXT,
  PRIMARY KEY (call, tab, key)
) STRICT, WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the company: its name, its key columns and its other columns, in order."""

    name: str
    key: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, keys first."""
        return self.key + self.others

    @property
    def select(self) -> str:
        """The statement that finds a row by its key; NULL keys do not occur."""
        where = " AND ".join(f'"{column}" = ?' for column in self.key)
        names = ", ".join(f'"{column}"' for column in self.columns)
        return f'{MARK} SELECT {names} FROM "{self.name}" WHERE {where}'


def read_tables(connection: sqlite3.Connection) -> dict[str, Table]:
    """The company's tables by name, bookkeeping left out.

    Raises:
        BadDomain: a table without a primary key, or not STRICT.
    """
    tables = {}
    for _, name, kind, _, _, strict in connection.execute(f"{MARK} PRAGMA table_list").fetchall():
        if kind != "table" or name.startswith(("_", "sqlite_")):
            continue
        info = connection.execute(f'{MARK} PRAGMA table_info("{name}")').fetchall()
        ranked = sorted((rank, column) for _, column, _, _, _, rank in info if rank)
        key = tuple(column for _, column in ranked)
        if not key or not strict:
            raise BadDomain(f"table {name!r} must be STRICT and have a primary key")
        others = tuple(column for _, column, _, _, _, rank in info if not rank)
        tables[name] = Table(name=name, key=key, others=others)
    return dict(sorted(tables.items()))


def install(connection: sqlite3.Connection) -> None:
    """Create the bookkeeping tables and the journal's triggers, once, in the snapshot."""
    connection.executescript(BOOKKEEPING)
    for table in read_tables(connection).values():
        for event, sides in (("INSERT", "N"), ("UPDATE", "ON"), ("DELETE", "O")):
            notes = "".join(_note(table, old=side == "O") for side in sides)
            connection.execute(
                f'{MARK} CREATE TRIGGER "_j_{event}_{table.name}" AFTER {event} ON "{table.name}" '
                f"BEGIN {notes} END"
            )


def _note(table: Table, *, old: bool) -> str:
    """One journal statement; NEW has no old row, so an update that moves a key is noted twice."""
    side = "OLD" if old else "NEW"
    key = "json_array(" + ", ".join(f'{side}."{column}"' for column in table.key) + ")"
    pairs = ", ".join(f"'{column}', OLD.\"{column}\"" for column in table.columns)
    row = f"json_object({pairs})" if old else "NULL"
    call = "(SELECT call FROM _clock)"
    # INSERT OR IGNORE would take the conflict rule of the outer statement (UPSERT, OR REPLACE).
    return (
        f"INSERT INTO _journal SELECT {call}, '{table.name}', {key}, {row} WHERE NOT EXISTS ("
        f"SELECT 1 FROM _journal WHERE call = {call} AND tab = '{table.name}' AND key = {key}); "
    )


CALL_NOTES = f"{MARK} SELECT tab, key, old FROM _journal WHERE call = ?"
# SQLite gives the bare columns of the row that holds the minimum.
FIRST_NOTES = f"{MARK} SELECT tab, key, old, min(call) FROM _journal GROUP BY tab, key"


def changes(
    connection: sqlite3.Connection, tables: dict[str, Table], *, call: int | None = None
) -> Patch:
    """The patch of one call, or of everything since the journal was emptied.

    Args:
        connection: the world's connection.
        tables: as from `read_tables`.
        call: number of the call; None for the whole episode.

    Returns:
        Row changes in canonical order; a row changed and changed back is not in it.
    """
    notes = (
        connection.execute(FIRST_NOTES) if call is None else connection.execute(CALL_NOTES, (call,))
    ).fetchall()
    found = []
    for name, key_text, old_text, *_ in notes:
        table = tables[name]
        key = dict(zip(table.key, json.loads(key_text), strict=True))
        now = connection.execute(table.select, tuple(key.values())).fetchone()
        change = row_change(
            table,
            key,
            None if old_text is None else json.loads(old_text),
            None if now is None else dict(zip(table.columns, now, strict=True)),
        )
        if change is not None:
            found.append(change)
    return sort_patch(found)


def row_change(
    table: Table,
    key: dict[str, Value],
    old: dict[str, Value] | None,
    now: dict[str, Value] | None,
) -> RowChange | None:
    """What became of one row; None if nothing did."""
    if now is None:
        if old is None:
            return None
        before = {column: old[column] for column in table.others}
        return RowChange(op="delete", table=table.name, key=key, before=before)
    if old is None:
        fields = {column: now[column] for column in table.others}
        return RowChange(op="insert", table=table.name, key=key, fields=fields)
    changed = [column for column in table.others if old[column] != now[column]]
    if not changed:
        return None
    return RowChange(
        op="update",
        table=table.name,
        key=key,
        fields={column: now[column] for column in changed},
        before={column: old[column] for column in changed},
    )


Scan = dict[str, dict[tuple[Value, ...], dict[str, Value]]]
"""Table -> key -> row."""


def scan(connection: sqlite3.Connection, tables: dict[str, Table]) -> Scan:
    """Every row of the company: the slow truth that the journal must agree with."""
    found: Scan = {}
    for table in tables.values():
        names = ", ".join(f'"{column}"' for column in table.columns)
        order = ", ".join(f'"{column}"' for column in table.key)
        rows = connection.execute(f'{MARK} SELECT {names} FROM "{table.name}" ORDER BY {order}')
        width = len(table.key)
        found[table.name] = {
            tuple(row)[:width]: dict(zip(table.columns, row, strict=True)) for row in rows
        }
    return found


def difference(tables: dict[str, Table], before: Scan, after: Scan) -> Patch:
    """The patch between two scans."""
    found = []
    for name, table in tables.items():
        for key in before[name].keys() | after[name].keys():
            change = row_change(
                table,
                dict(zip(table.key, key, strict=True)),
                before[name].get(key),
                after[name].get(key),
            )
            if change is not None:
                found.append(change)
    return sort_patch(found)
