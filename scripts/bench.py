"""How fast the world is: `python scripts/bench.py [--domain NAME] [--json] [--quick]`.

Ratios first, because machines differ: a domain's reference episode (reset, its steps, the scripted
user, all graders) against the bare SQL of the same episode: every statement that it runs, with its
values and rows, straight through sqlite3, nothing else. A second ratio takes the statements of the
tools alone, on a database without journal and savepoints. The statements are kept in `bench_sql/`;
--record writes them anew, after a change of the tools or of the tasks below.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tau_env import content
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.registry import find_domain
from tau_env.schema import Step, Task
from tau_env.world.journal import MARK


@dataclass(frozen=True)
class Work:
    """The released tasks that a domain is measured with.

    Attributes:
        episode: the reference episode: look-ups, and one write of several rows.
        parts: a task whose first look-up of a record and first write are timed on their own.
    """

    episode: str
    parts: str


WORK = {
    "airline": Work(episode="airline-change-flights-001", parts="airline-cancel-trip-001"),
    "retail": Work(episode="retail-exchange-items-003", parts="retail-cancel-pending-003"),
}
"""Every domain that is measured, with its tasks."""
RESIDENT = Path("/proc/self/statm")
KEPT = Path(__file__).with_name("bench_sql")
SEEDS = 32


def episode(env: TauEnv, agent: Reference, task: Task, seed: int) -> float:
    """One episode from reset to grade; its reward."""
    observation, _ = env.reset(seed=seed, options={"task": task})
    agent.reset(env.briefing, seed)
    over = False
    while not over:
        observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
        over = terminated or truncated
    return float(reward)


def record_sql(domain: str) -> None:
    """Keep every statement of the reference episode, with its values and who runs it."""
    task = content.find_task(domain, WORK[domain].episode)
    found: list[dict[str, Any]] = []
    env = TauEnv(domain, tasks=[task])
    env._world._connection = _Spy(env._world._connection, found)  # type: ignore[assignment]
    episode(env, Reference(task), task, 0)
    lines = ",\n".join(json.dumps(one) for one in found)
    (KEPT / f"{domain}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


class _Spy:
    """A connection that notes what it executes."""

    def __init__(self, real: sqlite3.Connection, found: list[dict[str, Any]]) -> None:
        self._real = real
        self._found = found

    def execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Note and execute."""
        by = "machine" if sql.startswith(MARK) else "tool"
        self._found.append({"by": by, "sql": sql, "values": list(values)})
        return self._real.execute(sql, values)


def bare_database(domain: str, *, journal: bool) -> sqlite3.Connection:
    """The company in a connection of its own, with or without the journal's triggers."""
    source = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
    source.deserialize(find_domain(domain).snapshot().image)
    names = source.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for (name,) in [] if journal else names:
        source.execute(f'DROP TRIGGER "{name}"')
    source.execute("PRAGMA foreign_keys = ON")
    source.execute("PRAGMA recursive_triggers = ON")
    source.execute("BEGIN")
    return source


def play(database: sqlite3.Connection, script: Sequence[tuple[str, Sequence[Any]]]) -> None:
    """Run a script of statements; the rows are fetched and dropped."""
    for sql, values in script:
        database.execute(sql, values).fetchall()


def best(function: Callable[[], object], *, repeat: int, rounds: int = 7) -> float:
    """Seconds of processor time per call: the median round of the fastest half."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(repeat):
            function()
        times.append((time.process_time() - start) / repeat)
    return statistics.median(sorted(times)[: (rounds + 1) // 2])


def measure_ratio(domain: str, *, repeat: int) -> list[dict[str, Any]]:
    """The reference episode against its bare SQL, in turns, so that noise hits both."""
    task = content.find_task(domain, WORK[domain].episode)
    env, agent = TauEnv(domain, tasks=[task]), Reference(task)
    kept = json.loads((KEPT / f"{domain}.json").read_text(encoding="utf-8"))
    every = [(one["sql"], one["values"]) for one in kept]
    tools = [(one["sql"], one["values"]) for one in kept if one["by"] == "tool"]
    tools = [("ROLLBACK", ()), ("BEGIN", ()), *tools]
    journaled, plain = (bare_database(domain, journal=one) for one in (True, False))
    seeds = iter(range(10**9))

    def whole() -> None:
        if episode(env, agent, task, next(seeds) % SEEDS) != 1.0:
            raise SystemExit("the reference failed: the bench measures nothing")

    for _ in range(SEEDS):
        whole()
    rounds = [
        (
            best(whole, repeat=repeat, rounds=1),
            best(lambda: play(journaled, every), repeat=repeat * 4, rounds=1),
            best(lambda: play(plain, tools), repeat=repeat * 4, rounds=1),
        )
        for _ in range(9)
    ]
    seconds, sql, alone = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(one / two for one, two, _ in rounds)
    other = statistics.median(one / three for one, _, three in rounds)
    return [
        {"what": "episode / its bare SQL", "value": ratio, "unit": "times"},
        {"what": "episode / its tools' SQL", "value": other, "unit": "times"},
        {"what": "episodes, one core", "value": 1 / seconds, "unit": "per second"},
        {"what": "episode", "value": seconds * 1e6, "unit": "us"},
        {"what": "its bare SQL", "value": sql * 1e6, "unit": "us"},
        {"what": "its tools' SQL", "value": alone * 1e6, "unit": "us"},
        {"what": "steps of the episode", "value": env.steps, "unit": ""},
    ]


def first_call(domain: str, task: Task, kind: str) -> Step:
    """The first call of a kind in a task's reference, the identification left out."""
    spec = find_domain(domain).spec
    return next(
        step
        for step in task.reference
        if step.call and step.call not in spec.identity and spec.tools[step.call].kind == kind
    )


def building_seconds(domain: str, scale: int) -> float:
    """Seconds of processor time until a company is built, once per process."""
    start = time.process_time()
    find_domain(domain).snapshot(scale=scale)
    return time.process_time() - start


def environment_bytes(domain: str, scale: int) -> float:
    """Memory that one more environment takes; NaN where the system does not tell."""
    if not RESIDENT.exists():
        return math.nan
    # Many of the small ones: the first go where something was freed.
    count = max(3, 60 // scale)
    held = [TauEnv(domain, scale=scale)]
    before = int(RESIDENT.read_text(encoding="ascii").split()[1])
    held += [TauEnv(domain, scale=scale) for _ in range(count)]
    pages = int(RESIDENT.read_text(encoding="ascii").split()[1]) - before
    for env in held:
        env.close()
    return pages * resource.getpagesize() / count


def measure_parts(domain: str, scale: int, *, repeat: int) -> dict[str, float]:
    """Microseconds of the parts and memory of one environment, at a company size."""
    memory = environment_bytes(domain, scale)
    env = TauEnv(domain, scale=scale)
    task = content.find_task(domain, WORK[domain].parts)
    read, write = (first_call(domain, task, kind) for kind in ("read", "write"))
    box, world = env.domain.toolbox, env._world
    agent = Reference(task)
    episode(env, agent, task, 0)
    reset = best(lambda: env.reset(seed=1, options={"task": task}), repeat=repeat)
    env.reset(seed=1, options={"task": task})
    reading = best(lambda: box.call(world, read.call, read.arguments), repeat=repeat)

    def one_write() -> None:
        world.begin()
        box.call(world, write.call, write.arguments)

    writing = best(one_write, repeat=repeat)
    episode(env, agent, task, 1)
    grading = best(env.grade, repeat=repeat)
    env.close()
    return {
        "reset us": reset * 1e6,
        "read us": reading * 1e6,
        "write us": writing * 1e6,
        "grade us": grading * 1e6,
        "database MB": len(env.domain.snapshot(scale=scale).image) / 1e6,
        "environment MB": memory / 1e6,
    }


def measure(domain: str, *, quick: bool) -> list[dict[str, Any]]:
    """All rows of a domain."""
    repeat = 20 if quick else 100
    sizes = (1, 10) if quick else (1, 10, 100)
    # First of all: later the company is there already.
    building = {scale: {"building s": building_seconds(domain, scale)} for scale in sizes}
    rows = measure_ratio(domain, repeat=repeat)
    parts = {
        scale: measure_parts(domain, scale, repeat=repeat) | building[scale] for scale in sizes
    }
    for scale, found in parts.items():
        for name, value in found.items():
            what, _, unit = name.rpartition(" ")
            grown = value / parts[1][name] if parts[1][name] else None
            rows.append({"what": f"{what}, {scale}x", "value": value, "unit": unit, "to 1x": grown})
    return [{"domain": domain, **row} for row in rows]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--domain", action="append", choices=sorted(WORK), help="one domain; all by default"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with rows")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no 100x company")
    parser.add_argument("--record", action="store_true", help="write bench_sql/ anew")
    options = parser.parse_args()
    domains = options.domain or sorted(WORK)
    if options.record:
        for domain in domains:
            record_sql(domain)
        return
    rows = [row for domain in domains for row in measure(domain, quick=options.quick)]
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    for row in rows:
        grown = row.get("to 1x")
        tail = "" if grown is None or "1x" in row["what"].split(", ")[1:] else f"  ({grown:.2f} x)"
        what = f"{row['domain']}: {row['what']}" if len(domains) > 1 else row["what"]
        print(f"{what:<34}{row['value']:>12,.1f} {row['unit']}{tail}")


if __name__ == "__main__":
    main()
