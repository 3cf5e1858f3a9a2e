"""The journal of tables without row ids, with keys of several columns that others refer to."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_env.world import journal
from tau_env.world.database import Snapshot, World

SCHEMA = """
CREATE TABLE departures (
  number TEXT NOT NULL, date TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (number, date)
) STRICT, WITHOUT ROWID;
CREATE TABLE seats (
  number TEXT NOT NULL, date TEXT NOT NULL, cabin TEXT NOT NULL,
  available INTEGER NOT NULL CHECK (available >= 0), label TEXT UNIQUE,
  PRIMARY KEY (number, date, cabin),
  FOREIGN KEY (number, date) REFERENCES departures (number, date)
) STRICT, WITHOUT ROWID;
CREATE TABLE people (
  trip TEXT NOT NULL, name TEXT NOT NULL, born TEXT NOT NULL, PRIMARY KEY (trip, name, born)
) STRICT, WITHOUT ROWID;
"""
NUMBERS, DATES, CABINS = ("A1", "A2", "A3"), ("06-01", "06-02"), ("low", "high")


def _snapshot() -> Snapshot:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    for number in NUMBERS[:2]:
        for date in DATES:
            connection.execute("INSERT INTO departures VALUES (?, ?, 'ready')", (number, date))
            connection.execute("INSERT INTO seats VALUES (?, ?, 'low', 3, NULL)", (number, date))
    connection.execute("INSERT INTO people VALUES ('T', 'Ann', '1990'), ('T', 'Bob', '1991')")
    connection.commit()
    found = Snapshot.take(connection)
    connection.close()
    return found


SNAPSHOT = _snapshot()

place = st.tuples(st.sampled_from(NUMBERS), st.sampled_from(DATES))
seat = st.tuples(st.sampled_from(NUMBERS), st.sampled_from(DATES), st.sampled_from(CABINS))
person = st.tuples(st.sampled_from(("Ann", "Bob", "Cy")), st.sampled_from(("1990", "1991")))


def _making(sql: str):
    return lambda values: (sql, values)


statements = st.one_of(
    seat.map(
        _making(
            "UPDATE seats SET available = available - 2 WHERE number = ? AND date = ? AND cabin = ?"
        )
    ),
    seat.map(_making("INSERT OR REPLACE INTO seats VALUES (?, ?, ?, 7, 'window')")),
    seat.map(
        _making(
            "INSERT INTO seats VALUES (?, ?, ?, 1, NULL)"
            " ON CONFLICT DO UPDATE SET available = available + 1"
        )
    ),
    place.map(_making("UPDATE OR REPLACE seats SET number = ? WHERE date = ?")),
    place.map(_making("REPLACE INTO departures VALUES (?, ?, 'late')")),
    place.map(_making("DELETE FROM seats WHERE number = ? AND date = ?")),
    person.map(_making("INSERT INTO people VALUES ('T', ?, ?)")),
    st.tuples(person, person).map(
        lambda two: (
            "UPDATE OR REPLACE people SET name = ?, born = ? WHERE name = ? AND born = ?",
            (*two[0], *two[1]),
        )
    ),
    person.map(_making("DELETE FROM people WHERE name = ? AND born = ?")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(statements, st.booleans()), max_size=12))
def test_journal_equals_full_scan_over_keyed_tables(script):
    world = World(SNAPSHOT, now="2025-06-01T12:00:00")
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
        assert told.changes == journal.difference(world.tables, before, world.scan())
    assert world.outcome() == journal.difference(world.tables, start, world.scan())
    world.begin()
    assert world.digest() == SNAPSHOT.digest
    world.close()


@pytest.fixture
def world():
    made = World(SNAPSHOT, now="2025-06-01T12:00:00")
    yield made
    made.close()


def test_row_whose_whole_key_moved_is_a_delete_and_an_insert(world):
    with world.calling(writes=True) as told:
        world.write("UPDATE people SET name = 'Anne', born = '1989' WHERE name = 'Ann'")
    assert {(one.op, one.key["name"]) for one in told.changes} == {
        ("delete", "Ann"),
        ("insert", "Anne"),
    }
    with world.calling(writes=True):
        world.write("UPDATE people SET name = 'Ann', born = '1990' WHERE name = 'Anne'")
    assert world.outcome() == ()


def test_row_of_a_key_alone_that_is_replaced_by_itself_is_no_change(world):
    with world.calling(writes=True) as told:
        world.write("DELETE FROM people WHERE name = 'Bob'")
        world.write("INSERT INTO people VALUES ('T', 'Bob', '1991')")
    assert told.changes == world.outcome() == ()


def test_reference_of_two_columns_is_enforced(world):
    with pytest.raises(sqlite3.IntegrityError), world.calling(writes=True):
        world.write("INSERT INTO seats VALUES ('A1', '07-01', 'low', 1, NULL)")
    assert world.outcome() == ()
