"""A domain with its world: what a domain folder declares, and the seeded company made from it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import sqlite_utils

from tau_env.errors import BadArgument
from tau_env.schema import DomainSpec, Lexicon, Value, digest
from tau_env.world.database import Snapshot, World
from tau_env.world.rules import RuleBook
from tau_env.world.tool import Toolbox

Build = Callable[[sqlite_utils.Database, random.Random, int], None]


@dataclass(frozen=True, slots=True)
class Law:
    """An invariant of a company.

    Attributes:
        name: what holds, as a sentence.
        sql: a SELECT that returns the rows that break it; none in a sound company.
    """

    name: str
    sql: str


@dataclass(frozen=True, eq=False)
class Domain:
    """A domain: pure declarations of its folder, put together.

    Attributes:
        name: the folder's name.
        version: of the environment id.
        now: the fixed clock, ISO 8601.
        schema: the text of `schema.sql`.
        build: fills the tables, ``build(db, rng, scale)``.
        functions: the declared tools.
        policy: the text that agents read.
        rulebook: who holds each rule.
        lexicon: words and phrases.
        identity: tools that identify the customer.
        customers: ``"table.column"`` that holds the customers' ids.
        generated: table -> key column made by a counter.
        references: ``"table.column"`` -> table.
        free: ``"table.column"`` of free speech.
        laws: invariants of the company.
    """

    name: str
    version: int
    now: str
    schema: str = field(repr=False)
    build: Build = field(repr=False)
    functions: tuple[Callable[..., Any], ...] = field(repr=False)
    policy: str = field(repr=False)
    rulebook: RuleBook = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    identity: tuple[str, ...]
    customers: str
    generated: dict[str, str] = field(default_factory=dict, repr=False)
    references: dict[str, str] = field(default_factory=dict, repr=False)
    free: tuple[str, ...] = ()
    laws: tuple[Law, ...] = field(default=(), repr=False)

    @cached_property
    def toolbox(self) -> Toolbox:
        """The compiled tools."""
        return Toolbox(self.functions)

    @cached_property
    def spec(self) -> DomainSpec:
        """All that agents, users and graders may know of the domain."""
        return DomainSpec(
            name=self.name,
            version=self.version,
            now=self.now,
            rules=self.rulebook.read(self.policy),
            tools=self.toolbox.specs,
            identity=self.identity,
            generated=self.generated,
            references=self.references,
            free=self.free,
            lexicon=self.lexicon,
        )

    @cached_property
    def digests(self) -> dict[str, str]:
        """Names of the contents that decide a grade: policy, tools and spec."""
        tools = {name: spec.chat_schema() for name, spec in self.spec.tools.items()}
        return {"policy": digest(self.policy), "tools": digest(tools), "spec": digest(self.spec)}

    def snapshot(self, *, seed: int = 1, scale: int = 1) -> Snapshot:
        """The seeded company, built once per process.

        Args:
            seed: the company's seed; the released tasks belong to seed 1.
            scale: 1 to 100 times the size.

        Raises:
            BadArgument: scale out of bounds.
        """
        if not 1 <= scale <= 100:
            raise BadArgument(f"scale {scale} is out of bounds: choose 1 to 100")
        return _snapshot(self, seed, scale)

    def open(self, *, seed: int = 1, scale: int = 1) -> World:
        """A fresh world on the company."""
        return World(self.snapshot(seed=seed, scale=scale), now=self.now)


@lru_cache(maxsize=8)
def _snapshot(domain: Domain, seed: int, scale: int) -> Snapshot:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(domain.schema)
        database = sqlite_utils.Database(connection)
        domain.build(database, random.Random(f"{domain.name}/company/{seed}"), scale)
        connection.commit()
        return Snapshot.take(connection)
    finally:
        connection.close()


class Company:
    """A seeded company opened for reading: what families draw from and rules decide on."""

    def __init__(self, domain: Domain, *, seed: int = 1, scale: int = 1) -> None:
        """Open the company of a domain."""
        self.domain = domain
        self.now = domain.now
        self._world = domain.open(seed=seed, scale=scale)

    def rows(self, sql: str, *values: Value) -> list[dict[str, Any]]:
        """Read rows as dicts."""
        return self._world.rows(sql, *values)

    def row(self, sql: str, *values: Value) -> dict[str, Any] | None:
        """Read the first row; None if there is none."""
        return self._world.row(sql, *values)
