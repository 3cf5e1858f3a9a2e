"""The file of a study as SQLite: opening, schema versions, and every fault by its name.

What is stored is decided in :mod:`tau_env.harness.store`.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlite_utils import Database

from tau_env.errors import BadContent, UserMistake

SUFFIXES = (".db", ".sqlite", ".sqlite3")
"""What a study's file may end in; anything else is a file of lines."""
MAGIC = b"SQLite format 3\x00"
Migration = Callable[[Database], None]


def _tables(db: Database) -> None:
    slot = {"study": str, "agent": str, "task": str, "trial": int}
    db.table("studies").create({"digest": str, "name": str, "json": str}, pk="digest")
    db.table("tasks").create({"digest": str, "id": str, "json": str}, pk="digest")
    db.table("specs").create({"digest": str, "domain": str, "json": str}, pk="digest")
    facts = {
        "family": str,
        "kind": str,
        "twin": str,
        "split": str,
        "insider": int,
        "seed": int,
        "status": str,
        "passed": int,
        "end_reason": str,
        "steps": int,
        "attempts": int,
        "agent_tokens": int,
        "user_tokens": int,
        "judge_tokens": int,
        "cost": float,
        "seconds": float,
    }
    key = ("study", "agent", "task", "trial")
    db.table("trials").create({**slot, **facts, "json": str}, pk=key)
    db.table("trials").create_index(["status"])
    db.table("attempts").create(
        {**slot, "attempt": int, "error": str, "json": str}, pk=(*key, "attempt")
    )


MIGRATIONS: tuple[Migration, ...] = (_tables,)
"""Step n takes a file of schema version n to n + 1; an empty file has version 0."""


def shell(path: str | Path) -> str:
    """A file's name as it is typed in a command, whatever stands in it."""
    name = str(path)
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def is_database(path: str | Path) -> bool:
    """Whether a file is an SQLite file, by its first bytes, or an empty one by its suffix.

    Raises:
        BadContent: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise BadContent(f"cannot read {path}: {error.strerror}") from None
    return start == MAGIC or (not start and Path(path).suffix in SUFFIXES)


@contextmanager
def faults_named(path: str | Path) -> Iterator[None]:
    """Turn SQLite's errors into what has happened to the file and what to do.

    Raises:
        UserMistake: the disk is full or the file cannot be written.
        BadContent: the file is damaged.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        if "malformed" in str(error):
            raise _damaged(path, error) from None
        raise UserMistake(
            f"cannot write {path}: {error}; what was finished before is kept. Make room or make "
            f"it writable, then go on with: tau-env run --study {shell(path)}"
        ) from None
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from None


def _damaged(path: str | Path, error: sqlite3.Error) -> BadContent:
    reason = " ".join(str(error).split())
    return BadContent(
        f"{path} is damaged ({reason}); nothing was changed. Save what can still be read with: "
        f"tau-env export {shell(path)} --out rescued.jsonl; then start a new study in another file"
    )


def open_to_write(path: Path) -> Database:
    """Open or create a study's file for its one writer, at the newest schema.

    WAL with synchronous NORMAL: a killed process loses nothing that was committed; a power cut
    may lose the last trials and never damages the file.

    Raises:
        UserMistake: it cannot be opened or written, or is of a newer version.
        BadContent: it is damaged, or an SQLite file of something else.
    """
    with faults_named(path):
        connection = sqlite3.connect(path, check_same_thread=False, timeout=10)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
        return Database(connection, execute_plugins=False)


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    version = schema_version(connection, path)
    db = Database(connection, execute_plugins=False)
    while version < len(MIGRATIONS):
        with db.atomic():
            MIGRATIONS[version](db)
            version += 1
            db.execute(f"PRAGMA user_version = {version}")


def schema_version(connection: sqlite3.Connection, path: str | Path) -> int:
    """The version of a file's schema; 0 for an empty file.

    Raises:
        UserMistake: it is newer than this package.
        BadContent: the file has tables but is no study.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise UserMistake(
            f"{path} has schema {version}, this tau-env knows {len(MIGRATIONS)}: it was written by "
            "a newer version; install that one"
        )
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and (not version or "studies" not in tables):
        raise BadContent(f"{path} is an SQLite file of something else; choose another file")
    return version


@contextmanager
def open_to_read(path: str | Path) -> Iterator[sqlite3.Connection]:
    """Open a study's file without changing it, also in a folder that cannot be written.

    Yields:
        A read-only connection; its rows are tuples.

    Raises:
        BadContent: it cannot be opened, is damaged, or is no study.
    """
    address = f"file:{quote(str(Path(path).absolute()))}?mode=ro"
    if not Path(f"{path}-wal").exists():
        # A file at rest: read as it is, so that no shared-memory file is needed beside it.
        address += "&immutable=1"
    try:
        connection = sqlite3.connect(address, uri=True)
        try:
            # Nothing is written here; it makes SQLite read what is left of a truncated file.
            connection.execute("PRAGMA writable_schema = ON")
            if schema_version(connection, path) == 0:
                raise BadContent(
                    f"{path} is empty: no study in it. `tau-env run --study {shell(path)}` with "
                    "--domain and --agent begins one there"
                )
            yield connection
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from None
