"""An episode is a transaction; tools reach rows only; traps of SQLite stay shut."""

import sqlite3
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import TOY

from tau_env.errors import BadArgument, BadDomain, MissingDependency, StatementDenied
from tau_env.schema import RowChange
from tau_env.world import database, journal
from tau_env.world.database import World

SNAPSHOT = TOY.snapshot()
KEYS = [f"a{n}" for n in range(12)]


@pytest.fixture
def world():
    made = TOY.open()
    yield made
    made.close()


def change(world: World, sql: str, *values) -> tuple[RowChange, ...]:
    with world.calling(writes=True) as told:
        world.write(sql, *values)
    return told.changes


def test_same_seed_gives_same_bytes_and_another_seed_other_rows():
    again = database.Snapshot.take(_seeded())
    assert again.image == SNAPSHOT.image
    assert again.digest == SNAPSHOT.digest
    assert TOY.snapshot(seed=2).digest != SNAPSHOT.digest


def _seeded():
    import random

    import sqlite_utils

    connection = sqlite3.connect(":memory:")
    connection.executescript(TOY.schema)
    TOY.build(sqlite_utils.Database(connection), random.Random("toy/company/1"), 1)
    connection.commit()
    return connection


def test_call_patch_and_outcome_patch(world):
    first = change(world, "UPDATE accounts SET coins = 1 WHERE account_id = 'a1'")
    second = change(world, "UPDATE accounts SET coins = 2 WHERE account_id = 'a1'")
    assert first[0].fields == {"coins": 1}
    assert second[0].fields == {"coins": 2}
    assert second[0].before == {"coins": 1}
    assert [one.fields for one in world.outcome()] == [{"coins": 2}]


def test_row_changed_and_changed_back_is_not_in_the_outcome(world):
    before = world.row("SELECT coins FROM accounts WHERE account_id = 'a1'")["coins"]
    change(world, "UPDATE accounts SET coins = 1 WHERE account_id = 'a1'")
    change(world, "UPDATE accounts SET coins = ? WHERE account_id = 'a1'", before)
    assert world.outcome() == ()


def test_setup_belongs_to_s0(world):
    setup = (
        RowChange(op="update", table="accounts", key={"account_id": "a1"}, fields={"coins": 7}),
    )
    world.begin(setup)
    assert world.outcome() == ()
    assert world.row("SELECT coins FROM accounts WHERE account_id = 'a1'") == {"coins": 7}


@pytest.mark.parametrize(
    "fields", [{"nothing": 1}, {"coins": 1, "account_id": "a2"}], ids=["no column", "key as field"]
)
def test_setup_that_does_not_fit_is_refused(world, fields):
    setup = (RowChange(op="update", table="accounts", key={"account_id": "zz"}, fields=fields),)
    with pytest.raises(BadDomain, match="setup change"):
        world.begin(setup)


DENIED = [
    "COMMIT",
    "SAVEPOINT x",
    "PRAGMA foreign_keys = OFF",
    "ATTACH ':memory:' AS other",
    "DROP TABLE accounts",
    "CREATE TABLE t (x)",
    "VACUUM",
    "UPDATE _clock SET call = 0",
    "DELETE FROM _journal",
    "INSERT INTO accounts SELECT random(), NULL, 1",
    "INSERT INTO accounts VALUES (datetime('now'), NULL, 1)",
    "UPDATE sqlite_master SET sql = ''",
    "/*tau_env*/ SAVEPOINT tau_call",
    "",
]


@pytest.mark.parametrize("sql", DENIED)
def test_write_takes_row_statements_only(world, sql):
    digest = world.digest()
    with pytest.raises(StatementDenied), world.calling(writes=True):
        world.write(sql)
    assert world.digest() == digest


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM _journal", "SELECT * FROM sqlite_master", "DELETE FROM pairs", "PRAGMA x"],
)
def test_rows_reads_the_company_only(world, sql):
    with pytest.raises(StatementDenied):
        world.rows(sql)


def test_rows_cannot_change_anything(world):
    with pytest.raises(StatementDenied), world.calling(writes=True):
        world.rows("WITH x AS (SELECT 1) INSERT INTO pairs SELECT 9, 'x', 1 FROM x RETURNING a")
    with pytest.raises(StatementDenied, match="kind='write'"), world.calling(writes=False):
        world.write("DELETE FROM pairs")


@pytest.mark.parametrize("value", [True, 5.0, float("nan"), b"x", [1]])
def test_only_cells_reach_the_database(world, value):
    with pytest.raises(StatementDenied, match="only int, str and None"), world.calling(writes=True):
        world.write("UPDATE accounts SET coins = ?", value)


def test_call_that_raises_leaves_nothing_and_gives_its_numbers_back(world):
    def failing():
        with world.calling(writes=True):
            assert world.next_id("gifts") == 1
            world.write("DELETE FROM pairs")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert world.outcome() == ()
    with world.calling(writes=True):
        assert world.next_id("gifts") == 1


TRAPS = {
    "or ignore": "INSERT OR IGNORE INTO accounts VALUES ('a1', NULL, 5)",
    "replace": "REPLACE INTO accounts VALUES ('a1', NULL, 5)",
    "replace on a secondary unique": "REPLACE INTO accounts VALUES ('new', 'a1@x.org', 5)",
    "upsert": "INSERT INTO accounts VALUES ('a1', NULL, 5) "
    "ON CONFLICT (account_id) DO UPDATE SET coins = coins + 1",
    "upsert of a new row": "INSERT INTO accounts VALUES ('b1', NULL, 5) "
    "ON CONFLICT (account_id) DO UPDATE SET coins = coins + 1",
    "update or replace": "UPDATE OR REPLACE accounts SET email = 'a2@x.org' "
    "WHERE account_id = 'a1'",
    "update or ignore": "UPDATE OR IGNORE accounts SET email = 'a2@x.org' WHERE account_id < 'a4'",
    "moved keys": "UPDATE pairs SET a = a + 10",
    "swapped keys": "UPDATE OR REPLACE pairs SET a = a + 1, b = 'b' || (a + 1)",
}


@pytest.mark.parametrize("sql", TRAPS.values(), ids=TRAPS.keys())
def test_journal_sees_what_the_full_scan_sees(world, sql):
    before = world.scan()
    patch = change(world, sql)
    assert patch == journal.difference(world.tables, before, world.scan())
    assert world.outcome() == patch


statements = st.one_of(
    st.tuples(
        st.sampled_from(["INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE"]),
        st.sampled_from(KEYS),
        st.sampled_from([None, "a1@x.org", "a3@x.org", "n@x.org"]),
        st.integers(0, 9),
    ).map(lambda t: (f"{t[0]} INTO accounts VALUES (?, ?, ?)", t[1:])),
    st.tuples(st.integers(0, 9), st.sampled_from(KEYS)).map(
        lambda t: ("UPDATE accounts SET coins = ? WHERE account_id = ?", t)
    ),
    st.tuples(st.sampled_from(KEYS)).map(
        lambda t: ("DELETE FROM accounts WHERE account_id = ?", t)
    ),
    st.tuples(st.integers(0, 6), st.integers(0, 6)).map(
        lambda t: ("UPDATE OR REPLACE pairs SET a = ? WHERE a = ?", t)
    ),
    st.tuples(st.integers(0, 6), st.sampled_from("xyz")).map(
        lambda t: ("INSERT INTO pairs VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET v = v + 1", t)
    ),
    st.tuples(st.sampled_from(KEYS), st.integers(1, 5)).map(
        lambda t: ("INSERT INTO gifts (account_id, coins) VALUES (?, ?)", t)
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(statements, st.booleans()), max_size=12))
def test_journal_equals_full_scan_over_random_statements(script):
    world = World(SNAPSHOT, now=TOY.now)
    start = world.scan()
    for (sql, values), undone in script:
        before = world.scan()
        try:
            with world.calling(writes=True) as told:
                world.write(sql, *values)
                if undone:
                    told.undo()
        except sqlite3.IntegrityError:
            pass
        after = world.scan()
        assert told.changes == journal.difference(world.tables, before, after)
    assert world.outcome() == journal.difference(world.tables, start, world.scan())
    world.begin()
    assert world.digest() == SNAPSHOT.digest
    assert world.scan() == start
    world.close()


def test_foreign_keys_are_on(world):
    with pytest.raises(sqlite3.IntegrityError), world.calling(writes=True):
        world.write("INSERT INTO gifts VALUES (1, 'nobody', 1, NULL)")
    assert world.outcome() == ()


def test_world_made_in_one_thread_works_in_another(world):
    found = []
    thread = threading.Thread(
        target=lambda: found.append(change(world, "UPDATE accounts SET coins = 3"))
    )
    thread.start()
    thread.join()
    assert len(found[0]) == 10


def test_two_worlds_share_nothing(world):
    other = TOY.open()
    change(world, "DELETE FROM pairs")
    assert len(other.rows("SELECT * FROM pairs")) == 5
    other.close()


def test_old_sqlite_is_named(monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    with pytest.raises(MissingDependency, match=r"3\.37"):
        TOY.open()


@pytest.mark.parametrize("scale", [0, 101])
def test_scale_out_of_bounds_is_refused(scale):
    with pytest.raises(BadArgument, match="1 to 100"):
        TOY.snapshot(scale=scale)


@pytest.mark.parametrize(
    "table", ["CREATE TABLE t (x TEXT) STRICT", "CREATE TABLE t (x TEXT PRIMARY KEY)"]
)
def test_table_without_key_or_not_strict_is_refused(table):
    connection = sqlite3.connect(":memory:")
    connection.execute(table)
    with pytest.raises(BadDomain, match="STRICT and have a primary key"):
        database.Snapshot.take(connection)
    connection.close()
