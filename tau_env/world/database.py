"""The world: one in-memory SQLite connection, an episode as a transaction that never commits.

A `Snapshot` is the seeded company as bytes, built once per process. A `World` is a connection made
from those bytes: `begin` rolls back and begins, `calling` wraps a tool call in a savepoint, `rows`
and `write` are all that tools get.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Any

from tau_env.errors import BadDomain, MissingDependency, StatementDenied
from tau_env.schema import Patch, RowChange, Value, digest
from tau_env.world import journal
from tau_env.world.journal import MARK, Table

OLDEST_SQLITE = (3, 37, 0)
READS = frozenset({"SELECT", "WITH", "VALUES"})
WRITES = frozenset({"INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"})
# A tool may not ask the wall clock or an unseeded generator.
DENIED_FUNCTIONS = frozenset(
    {"random", "randomblob", "load_extension"}
    | {"date", "time", "datetime", "julianday", "strftime", "unixepoch", "timediff"}
    | {"current_date", "current_time", "current_timestamp"}
)
ALLOWED_ACTIONS = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
CHANGING_ACTIONS = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})


def require_sqlite() -> None:
    """Refuse an SQLite without STRICT tables.

    Raises:
        MissingDependency: SQLite is older than 3.37.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise MissingDependency(
            f"SQLite {sqlite3.sqlite_version} is too old: tau_env needs 3.37 or newer; use a "
            "Python that is linked against one"
        )


@dataclass(frozen=True)
class Snapshot:
    """A seeded company with its journal, as the bytes of an SQLite database.

    Attributes:
        image: the bytes.
        tables: the company's tables.
        digest: name of the content (rows of all tables), the same for the same seed and scale.
    """

    image: bytes = field(repr=False)
    tables: dict[str, Table] = field(repr=False)
    digest: str

    @classmethod
    def take(cls, connection: sqlite3.Connection) -> Snapshot:
        """Install the journal in a seeded database and serialise it.

        Args:
            connection: a connection with the schema and all rows, nothing uncommitted.
        """
        require_sqlite()
        violations = connection.execute(f"{MARK} PRAGMA foreign_key_check").fetchall()
        if violations:
            raise BadDomain(f"the seeded company has broken references: {violations[:3]}")
        journal.install(connection)
        connection.commit()
        tables = journal.read_tables(connection)
        rows = {
            name: [list(row.values()) for row in found.values()]
            for name, found in journal.scan(connection, tables).items()
        }
        return cls(image=connection.serialize(), tables=tables, digest=digest(rows))


class Calling:
    """A tool call in a `with` block, and what became of it.

    Attributes:
        subjects: the customers whose records it concerned; known after the block.
        changes: what it changed; known after the block.
    """

    __slots__ = ("_undone", "_world", "_writes", "changes", "subjects")

    def __init__(self, world: World, *, writes: bool) -> None:
        """Made by `World.calling`."""
        self._world = world
        self._writes = writes
        self._undone = False
        self.subjects: tuple[str, ...] = ()
        self.changes: Patch = ()

    def undo(self) -> None:
        """Leave nothing of this call."""
        self._undone = True

    def __enter__(self) -> Calling:
        self._world._enter_call(writes=self._writes)
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.subjects, self.changes = self._world._leave_call(
            writes=self._writes, undone=self._undone or kind is not None
        )


class World:
    """One episode's database. Make one per environment; it shares nothing that can be written."""

    def __init__(self, snapshot: Snapshot, *, now: str) -> None:
        """Open a world on a company.

        Args:
            snapshot: the company.
            now: the domain's fixed clock, ISO 8601.
        """
        require_sqlite()
        self.now = now
        self.tables = snapshot.tables
        self._mode = ""
        self._subjects: dict[str, None] = {}
        self._vetted: set[tuple[str, str]] = set()
        self._calls = 0
        self._outcome: Patch | None = ()
        self._connection = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=512
        )
        self._connection.deserialize(snapshot.image)
        # Both are off after deserialize, and inside a transaction they cannot be set.
        self._own("PRAGMA foreign_keys = ON")
        self._own("PRAGMA recursive_triggers = ON")
        self._connection.set_authorizer(self._authorize)
        self._own("BEGIN")

    def close(self) -> None:
        """Close the connection; the episode is lost, as it always is."""
        self._connection.close()

    def begin(self, setup: Patch = ()) -> None:
        """Start an episode: undo everything, lay the task's setup over the company.

        Args:
            setup: changes that belong to s0.

        Raises:
            BadDomain: a change of the setup does not fit the company.
        """
        self._own("ROLLBACK")
        self._own("BEGIN")
        self._calls = 0
        self._outcome = ()
        self._subjects = {}
        if setup:
            for change in setup:
                self._apply(change)
            self._own("DELETE FROM _journal")

    def rows(self, sql: str, *values: Value) -> list[dict[str, Any]]:
        """Read rows.

        Args:
            sql: one SELECT (or WITH) statement with ``?`` for values.
            values: integers, texts or None.

        Returns:
            Rows as dicts, column name -> value.

        Raises:
            StatementDenied: anything but a read of the company's tables.
        """
        cursor = self._execute("rows", sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def row(self, sql: str, *values: Value) -> dict[str, Any] | None:
        """Read the first row, None if there is none."""
        cursor = self._execute("rows", sql, values)
        found = cursor.fetchone()
        if found is None:
            return None
        return dict(zip([column[0] for column in cursor.description], found, strict=True))

    def write(self, sql: str, *values: Value) -> int:
        """Insert, update or delete rows; only inside a call of a writing tool.

        Args:
            sql: one row statement with ``?`` for values.
            values: integers, texts or None; nothing else reaches the database.

        Returns:
            How many rows it changed.

        Raises:
            StatementDenied: anything but a row statement on the company's tables.
        """
        return self._execute("write", sql, values).rowcount

    def next_id(self, name: str) -> int:
        """The next number of a counter, from 1; a refused call gives its numbers back."""
        self._own(
            "INSERT INTO _counter VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
            name,
        )
        number: int = self._own("SELECT value FROM _counter WHERE name = ?", name).fetchone()[0]
        return number

    def about(self, customer: str) -> None:
        """Note that the running call concerns this customer's records."""
        self._subjects[customer] = None

    def calling(self, *, writes: bool) -> Calling:
        """A tool call as a context: a savepoint that an exception, or `Calling.undo`, rolls back.

        Args:
            writes: False for tools that may only read: `write` is denied inside.

        Returns:
            What becomes of the call; its subjects and changes are there after the block.
        """
        return Calling(self, writes=writes)

    def _enter_call(self, *, writes: bool) -> None:
        self._subjects = {}
        if writes:
            self._calls += 1
            self._own("UPDATE _clock SET call = ?", self._calls)
            self._own("SAVEPOINT tau_call")
        self._mode = "write" if writes else "read"

    def _leave_call(self, *, writes: bool, undone: bool) -> tuple[tuple[str, ...], Patch]:
        self._mode = ""
        subjects = tuple(self._subjects)
        if not writes:
            return subjects, ()
        if undone:
            self._own("ROLLBACK TO tau_call")
        self._own("RELEASE tau_call")
        if undone:
            return subjects, ()
        changes = journal.changes(self._connection, self.tables, call=self._calls)
        if changes:
            # The first call that changes anything is the whole outcome so far.
            self._outcome = changes if self._outcome == () else None
        return subjects, changes

    def outcome(self) -> Patch:
        """Everything that the episode changed, as a patch on s0."""
        if self._outcome is None:
            self._outcome = journal.changes(self._connection, self.tables)
        return self._outcome

    def scan(self) -> journal.Scan:
        """Every row: for tests and laws, its cost grows with the company."""
        return journal.scan(self._connection, self.tables)

    def digest(self) -> str:
        """Name of the whole present state; its cost grows with the company."""
        return digest(
            {
                name: [list(row.values()) for row in found.values()]
                for name, found in self.scan().items()
            }
        )

    def _own(self, sql: str, *values: Value) -> sqlite3.Cursor:
        mode, self._mode = self._mode, ""
        try:
            return self._connection.execute(f"{MARK} {sql}", values)
        finally:
            self._mode = mode

    def _apply(self, change: RowChange) -> None:
        table = self.tables.get(change.table)
        names = [*change.key, *change.fields]
        if table is None or set(change.key) != set(table.key) or set(names) - set(table.columns):
            raise BadDomain(f"setup change does not fit the schema: {change.table} {change.key}")
        where = " AND ".join(f'"{column}" = ?' for column in change.key)
        if change.op == "insert":
            columns = ", ".join(f'"{name}"' for name in names)
            marks = ", ".join("?" * len(names))
            sql = f'INSERT INTO "{change.table}" ({columns}) VALUES ({marks})'
            values = [*change.key.values(), *change.fields.values()]
        elif change.op == "update":
            sets = ", ".join(f'"{column}" = ?' for column in change.fields)
            sql = f'UPDATE "{change.table}" SET {sets} WHERE {where}'
            values = [*change.fields.values(), *change.key.values()]
        else:
            sql = f'DELETE FROM "{change.table}" WHERE {where}'
            values = [*change.key.values()]
        if self._own(sql, *values).rowcount != 1:
            raise BadDomain(f"setup change finds no row: {change.table} {change.key}")

    def _execute(self, kind: str, sql: str, values: tuple[Value, ...]) -> sqlite3.Cursor:
        if (kind, sql) not in self._vetted:
            self._vet(kind, sql)
        if kind == "write" and self._mode != "write":
            raise StatementDenied("write() outside a call of a writing tool; declare kind='write'")
        for value in values:
            # STRICT would take True, 5.0 and "5" for 5, and NaN for NULL.
            if value is not None and type(value) is not int and type(value) is not str:
                raise StatementDenied(
                    f"value {value!r} is a {type(value).__name__}: only int, str and None are cells"
                )
        mode = self._mode
        self._mode = "read" if kind == "rows" else mode
        try:
            return self._connection.execute(sql, values)
        except sqlite3.DatabaseError as error:
            refusals = ("not authorized", "prohibited", "may not be modified")
            if any(one in str(error) for one in refusals):
                raise StatementDenied(f"tools may not run: {sql.strip()[:200]}") from error
            raise
        finally:
            self._mode = mode

    def _vet(self, kind: str, sql: str) -> None:
        first = sql.split(None, 1)[0].upper() if sql.strip() else ""
        if first not in (READS if kind == "rows" else WRITES) or MARK in sql:
            raise StatementDenied(f"{kind}() takes row statements only, not: {sql.strip()[:200]}")
        self._vetted.add((kind, sql))

    def _authorize(
        self, action: int, one: str | None, two: str | None, _base: str | None, inner: str | None
    ) -> int:
        # Called when a statement is prepared; inner names the trigger that prepares it.
        if not self._mode or (inner is not None and inner.startswith("_j_")):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            denied = (two or "").lower() in DENIED_FUNCTIONS
            return sqlite3.SQLITE_DENY if denied else sqlite3.SQLITE_OK
        own = one is not None and one.startswith(("_", "sqlite_"))
        if action in CHANGING_ACTIONS and self._mode == "write" and not own:
            return sqlite3.SQLITE_OK
        if action in ALLOWED_ACTIONS and not own:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY
