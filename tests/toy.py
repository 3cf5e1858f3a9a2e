"""A very small domain for tests of the machine: accounts with coins, and a log with made keys."""

from __future__ import annotations

import random
from typing import Any, Literal

import sqlite_utils

from tau_env.errors import Refused
from tau_env.schema import Lexicon
from tau_env.world.coerce import Money
from tau_env.world.company import Domain, Law
from tau_env.world.database import World
from tau_env.world.rules import Deed, RuleBook
from tau_env.world.tool import tool

SCHEMA = """
CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  email TEXT UNIQUE,
  coins INTEGER NOT NULL CHECK (coins >= 0)
) STRICT;
CREATE TABLE gifts (
  gift_id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  coins INTEGER NOT NULL,
  note TEXT
) STRICT;
CREATE TABLE pairs (a INTEGER, b TEXT, v INTEGER, PRIMARY KEY (a, b)) STRICT;
"""
RULES = RuleBook()
POLICY = "# Toy\n\n- **R1.1** Nobody gives more coins than an account has.\n"


@RULES.rule("R1.1", by=("tool:give",))
def enough_coins(deed: Deed) -> bool:
    """The account holds what is given."""
    if deed.tool != "give":
        return True
    row = deed.world.row(
        "SELECT coins FROM accounts WHERE account_id = ?", deed.arguments["account_id"]
    )
    return row is not None and row["coins"] >= deed.arguments["coins"]


@tool(kind="read")
def get_account(world: World, account_id: str) -> dict[str, Any]:
    """Look an account up.

    Args:
        account_id: its id.
    """
    row = world.row("SELECT * FROM accounts WHERE account_id = ?", account_id)
    if row is None:
        raise Refused("", f"there is no account {account_id}")
    world.about(account_id)
    return row


@tool(kind="write", needs_yes=True, rules=("R1.1",), verbs=("give",), identifies=("account_id",))
def give(
    world: World, account_id: str, coins: int, note: str = "", mood: Literal["glad", "sad"] = "glad"
) -> str:
    """Give coins away.

    Args:
        account_id: whose.
        coins: how many.
        note: free words.
        mood: how.
    """
    world.about(account_id)
    number = world.next_id("gifts")
    world.write("INSERT INTO gifts VALUES (?, ?, ?, ?)", number, account_id, coins, note or mood)
    row = world.row("SELECT coins FROM accounts WHERE account_id = ?", account_id)
    if row is None or row["coins"] < coins:
        raise Refused("R1.1", "there are not enough coins")
    world.write("UPDATE accounts SET coins = coins - ? WHERE account_id = ?", coins, account_id)
    return "given"


@tool(kind="other")
def price(world: World, amount: Money, many: list[int]) -> str:
    """Price something.

    Args:
        amount: dollars.
        many: numbers.
    """
    del world
    return f"{amount} {many}"


def build(database: sqlite_utils.Database, rng: random.Random, scale: int) -> None:
    """Ten accounts."""
    database["accounts"].insert_all(
        {"account_id": f"a{number}", "email": f"a{number}@x.org", "coins": rng.randrange(100, 200)}
        for number in range(10 * scale)
    )
    database["pairs"].insert_all({"a": n, "b": f"b{n}", "v": n} for n in range(5))


TOY = Domain(
    name="toy",
    version=1,
    now="2025-01-01T00:00:00",
    schema=SCHEMA,
    build=build,
    functions=(get_account, give, price),
    policy=POLICY,
    rulebook=RULES,
    lexicon=Lexicon(),
    identity=("get_account",),
    customers="accounts.account_id",
    generated={"gifts": "gift_id"},
    references={"gifts.account_id": "accounts"},
    laws=(Law("coins are never negative", "SELECT * FROM accounts WHERE coins < 0"),),
)
