"""One comparison: type and value, missing and extra and wrong, free columns, made keys."""

import copy
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_env.graders.compare import GONE, Cell, Change, bind, compare, compare_patches, same
from tau_env.graders.state import describe, write_gate
from tau_env.schema import DomainSpec, RowChange, sort_patch

SPEC = DomainSpec(
    name="toy",
    version=1,
    now="2025-01-01T00:00:00",
    generated={"gifts": "gift_id", "cards": "card_id"},
    references={
        "cards.gift_id": "gifts",
        "ribbons.gift_id": "gifts",
        "accounts.last_gift": "gifts",
        "gifts.account_id": "accounts",
    },
    free=("gifts.note", "accounts.note"),
)


def change(op, table, key, **fields):
    return RowChange(op=op, table=table, key=key, fields=fields)


def gift(number, **fields):
    return change("insert", "gifts", {"gift_id": number}, **fields)


def differs(actual, wanted, free=SPEC.free):
    """The difference, the other way round checked to be equally empty, and the gate to agree."""
    found = compare_patches(tuple(actual), tuple(wanted), free=free, spec=SPEC)
    gate = write_gate(tuple(actual), [tuple(wanted)], free=list(free), spec=SPEC)
    assert gate == (len(found) == 0)
    return found


UNEQUAL = [
    (1, True),
    (0, False),
    (1, 1.0),
    (1, "1"),
    (54.04, "54.04"),
    (None, ""),
    (None, 0),
    ("a", "A"),
    ("a", "a "),
    ([1], (1,)),
    ([1, 2], [2, 1]),
    ({"a": 1}, {"a": True}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ([1], [1, 1]),
    ("(gone)", GONE),
]


@pytest.mark.parametrize(("one", "two"), UNEQUAL)
def test_unequal_in_type_or_value_is_unequal(one, two):
    assert not same(one, two)
    assert not same(two, one)
    assert len(compare({"r": Change("update", {"f": one})}, {"r": Change("update", {"f": two})}))


@pytest.mark.parametrize("value", [1, 54.04, "é", None, True, float("nan"), [1, {"a": [2]}], ()])
def test_a_value_equals_its_copy(value):
    assert same(value, copy.deepcopy(value))


def test_missing_extra_and_wrong_are_told_apart():
    wanted = {
        "both": Change("update", {"a": 1, "b": 2, "c": 3}),
        "gone": Change("delete", {}),
        "not done": Change("update", {"a": 1}),
        "other op": Change("insert", {"a": 1}),
    }
    actual = {
        "both": Change("update", {"a": 1, "b": 9, "d": 4}),
        "other op": Change("update", {"a": 1}),
        "unasked": Change("update", {"x": 1, "y": 2}),
        "dropped": Change("delete", {}),
    }
    found = compare(actual, wanted)
    assert set(found.missing) == {
        Cell("both", "c", 3, None),
        Cell("gone", "", "delete", None),
        Cell("not done", "a", 1, None),
    }
    assert set(found.wrong) == {Cell("both", "b", 2, 9), Cell("other op", "", "insert", "update")}
    assert set(found.extra) == {
        Cell("both", "d", None, 4),
        Cell("unasked", "x", None, 1),
        Cell("unasked", "y", None, 2),
        Cell("dropped", "", None, "delete"),
    }
    assert len(found) == 9


# Free columns (F42, F43).

ROW = {"account_id": "a1"}


def account(**fields):
    return change("update", "accounts", ROW, **fields)


@pytest.mark.parametrize("said", [{}, {"note": "x"}, {"note": "y"}, {"note": None}])
def test_free_column_of_a_goal_row_may_hold_anything(said):
    """F42, F43."""
    for wanted in ({"coins": 1}, {"coins": 1, "note": "x"}):
        assert not len(differs([account(coins=1, **said)], [account(**wanted)]))


def test_free_column_of_another_row_is_extra():
    other = change("update", "accounts", {"account_id": "a2"}, note="x")
    found = differs([account(coins=1), other], [account(coins=1)])
    assert [cell.column for cell in found.extra] == ["note"]


def test_protected_column_beside_a_free_one_counts():
    found = differs([account(coins=2, note="x")], [account(coins=1, note="x")])
    assert [(cell.column, cell.wanted, cell.actual) for cell in found.wrong] == [("coins", 1, 2)]
    assert describe(found) == ["wrong: accounts a1 coins is 2, should be 1"]


def test_row_whose_other_columns_are_free_must_still_be_made_or_gone():
    found = differs([], [gift("$a", note="x")])
    assert [cell.column for cell in found.missing] == [""]
    assert len(differs([], [change("delete", "accounts", ROW)])) == 1


def test_free_means_its_own_table():
    assert len(differs([account(note="x")], [account(note="y")], free=("gifts.note",))) == 1


# Keys that a counter made.


def test_made_keys_are_compared_up_to_renaming():
    wanted = [gift("$a", coins=1), gift("$b", coins=2)]
    assert not len(differs([gift(7, coins=2), gift(8, coins=1)], wanted))
    assert len(differs([gift(7, coins=1), gift(8, coins=1)], wanted)) == 1
    assert len(differs([gift(7, coins=1)], wanted)) == 1
    assert len(differs([gift(7, coins=1), gift(8, coins=2), gift(9, coins=2)], wanted)) == 1


def test_one_made_row_serves_one_name_only():
    assert len(differs([gift(7, coins=1)], [gift("$a", coins=1), gift("$b", coins=1)]))


def test_two_names_are_two_keys():
    def pointing(one, two):
        rows = ({"account_id": "a1"}, one), ({"account_id": "a2"}, two)
        return [change("update", "accounts", key, last_gift=number) for key, number in rows]

    assert not len(differs(pointing(7, 8), pointing("$a", "$b")))
    assert not len(differs(pointing(7, 7), pointing("$a", "$a")))
    assert len(differs(pointing(7, 7), pointing("$a", "$b")))
    assert len(differs(pointing(7, 8), pointing("$a", "$a")))


def test_free_column_of_a_made_row_may_be_left_out_of_the_goal():
    """The match may not stumble over it either, or crossed references would be paired wrongly."""
    wanted = [gift("$a", coins=1), gift("$b", coins=1), account(last_gift="$b")]
    actual = [gift(7, coins=1, note="x"), gift(8, coins=1, note="y"), account(last_gift=7)]
    assert not len(differs(actual, wanted))


def test_references_hold_made_rows_together():
    wanted = [
        gift("$a", coins=1),
        gift("$b", coins=2),
        change("insert", "cards", {"card_id": "$c"}, gift_id="$a", text="x"),
        change("insert", "ribbons", {"gift_id": "$b", "colour": "red"}, length=1),
    ]
    straight = [
        gift(1, coins=1),
        gift(2, coins=2),
        change("insert", "cards", {"card_id": 5}, gift_id=1, text="x"),
        change("insert", "ribbons", {"gift_id": 2, "colour": "red"}, length=1),
    ]
    crossed = [
        gift(1, coins=1),
        gift(2, coins=2),
        change("insert", "cards", {"card_id": 5}, gift_id=2, text="x"),
        change("insert", "ribbons", {"gift_id": 1, "colour": "red"}, length=1),
    ]
    assert not len(differs(straight, wanted))
    assert len(differs(crossed, wanted))


def test_equal_rows_are_told_apart_by_who_refers_to_them():
    wanted = [gift("$a", coins=1), gift("$b", coins=1), account(last_gift="$a")]
    for referred in (1, 2):
        actual = [gift(1, coins=1), gift(2, coins=1), account(last_gift=referred)]
        assert not len(differs(actual, wanted))
    assert len(differs([gift(1, coins=1), gift(2, coins=1), account(last_gift=3)], wanted))


def test_dollar_text_in_a_plain_column_is_a_text():
    wanted = [gift("$a", text="$5 off")]
    assert not len(differs([gift(1, text="$5 off")], wanted))
    assert len(differs([gift(1, text="$9 off")], wanted)) == 1
    assert len(differs([account(text="$9 off")], [account(text="$5 off")])) == 1


def test_unmatched_name_shows_the_least_difference():
    wanted = (gift("$a", coins=1, text="x"), gift("$b", coins=2, text="y"))
    actual = (gift(1, coins=2, text="z"), gift(2, coins=1, text="x"))
    found = compare_patches(actual, wanted, spec=SPEC)
    assert [(cell.wanted, cell.actual) for cell in found.wrong] == [("y", "z")]
    assert bind(actual, wanted, free=(), spec=SPEC)[0].key == {"gift_id": 1}


def test_many_alike_rows_are_compared_within_a_moment():
    wanted = [gift(f"${n}", coins=1) for n in range(4)] + [gift("$z", coins=99)]
    actual = [gift(n, coins=1) for n in range(9)]
    start = time.perf_counter()
    assert len(differs(actual, wanted))
    assert time.perf_counter() - start < 2


# Properties.

cells = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from(["", "a", "b", "$a"]))
fields = st.dictionaries(st.sampled_from(["coins", "note", "text"]), cells, min_size=1)


@st.composite
def patches(draw, *, named=False):
    """Outcomes, or goals in which some keys are names and others refer to them."""
    changes = []
    for number in range(draw(st.integers(0, 3))):
        key = f"${number}" if named else 100 + number
        changes.append(gift(key, **draw(fields)))
        if draw(st.booleans()):
            changes.append(change("insert", "cards", {"card_id": key}, gift_id=key))
    for number in draw(st.sets(st.integers(0, 3))):
        op = draw(st.sampled_from(["update", "delete", "insert"]))
        own = {} if op == "delete" else draw(fields)
        changes.append(change(op, "accounts", {"account_id": f"a{number}"}, **own))
    return sort_patch(changes)


@given(patches())
def test_a_patch_equals_itself(patch):
    assert not len(compare_patches(patch, patch, spec=SPEC))
    assert write_gate(patch, [(), patch], spec=SPEC)


@given(patches(), st.data())
def test_any_one_changed_cell_is_found(patch, data):
    at = data.draw(st.integers(0, max(len(patch) - 1, 0)))
    spots = [column for column in (patch[at].fields if patch else {}) if column != "gift_id"]
    if not spots:
        return
    column = data.draw(st.sampled_from(spots))
    old = patch[at].fields[column]
    new = data.draw(cells.filter(lambda value: not same(value, old)))
    spoilt = patch[at].model_copy(update={"fields": patch[at].fields | {column: new}})
    other = (*patch[:at], spoilt, *patch[at + 1 :])
    found = compare_patches(other, patch, spec=SPEC)
    assert [(cell.column, cell.wanted, cell.actual) for cell in found.wrong] == [(column, old, new)]
    assert (found.missing, found.extra) == ((), ())


@given(patches(), st.data())
def test_any_one_dropped_row_is_found_on_either_side(patch, data):
    if not patch:
        return
    at = data.draw(st.integers(0, len(patch) - 1))
    less = (*patch[:at], *patch[at + 1 :])
    assert compare_patches(less, patch, spec=SPEC).missing
    assert compare_patches(patch, less, spec=SPEC).extra


@given(patches(named=True), st.randoms(use_true_random=False))
def test_order_and_names_of_made_keys_do_not_matter(goal, rng):
    numbers = rng.sample(range(1, 50), 8)

    def made(value, table):
        known = isinstance(value, str) and value[1:].isdigit() and value.startswith("$")
        return numbers[int(value[1:]) + (4 if table == "cards" else 0)] if known else value

    actual = [
        change.model_copy(
            update={
                "key": {name: made(value, change.table) for name, value in change.key.items()},
                "fields": {
                    name: made(value, "gifts") if name == "gift_id" else value
                    for name, value in change.fields.items()
                },
            }
        )
        for change in goal
    ]
    rng.shuffle(actual)
    wanted = list(goal)
    random.Random(1).shuffle(wanted)
    assert not len(compare_patches(tuple(actual), tuple(wanted), spec=SPEC))
