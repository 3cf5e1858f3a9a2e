"""How fast the world is: `python scripts/bench.py [--json] [--quick]`.

Ratios first, because machines differ: the reference episode (reset, its steps, the scripted user,
all graders) against the bare SQL of the same episode: every statement that it runs, with its values
and rows, straight through sqlite3, nothing else. A second ratio takes the statements of the tools
alone, on a database without journal and savepoints. Both scripts are kept in `bench_sql.json`.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import tau_env
from tau_env import content
from tau_env.agents.script import Reference
from tau_env.env import TauEnv
from tau_env.schema import Task
from tau_env.world.journal import MARK

TASK = "retail-exchange-items-003"
"""The reference episode: nine steps, four look-ups, one write of several rows."""
PARTS = "retail-cancel-pending-003"
"""A cancellation: its look-up and its write are timed on their own."""
KEPT = Path(__file__).with_name("bench_sql.json")
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


def record_sql(task: Task) -> list[dict[str, Any]]:
    """Every statement of the reference episode, with its values and who runs it."""
    found: list[dict[str, Any]] = []
    env = TauEnv("retail", tasks=[task])
    env._world._connection = _Spy(env._world._connection, found)  # type: ignore[assignment]
    episode(env, Reference(task), task, 0)
    return found


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


def bare_database(*, journal: bool) -> sqlite3.Connection:
    """The company in a connection of its own, with or without the journal's triggers."""
    source = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
    source.deserialize(TauEnv("retail").domain.snapshot().image)
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


def measure_ratio(*, repeat: int) -> list[dict[str, Any]]:
    """The reference episode against its bare SQL, in turns, so that noise hits both."""
    task = content.find_task("retail", TASK)
    env, agent = TauEnv("retail", tasks=[task]), Reference(task)
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    every = [(one["sql"], one["values"]) for one in kept]
    tools = [(one["sql"], one["values"]) for one in kept if one["by"] == "tool"]
    tools = [("ROLLBACK", ()), ("BEGIN", ()), *tools]
    journaled, plain = bare_database(journal=True), bare_database(journal=False)
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


def measure_parts(scale: int, *, repeat: int) -> dict[str, float]:
    """Microseconds of the parts and memory of one environment, at a company size."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    env = TauEnv("retail", scale=scale)
    task = content.find_task("retail", PARTS)
    order = str(task.scenario.wants[0].slots["order_id"])
    read = tau_env.call("get_order_details", order_id=order)
    reason = task.scenario.wants[0].slots["reason"]
    write = tau_env.call("cancel_pending_order", order_id=order, reason=reason)
    box, world = env.domain.toolbox, env._world
    agent = Reference(task)
    episode(env, agent, task, 0)
    reset = best(lambda: env.reset(seed=1, options={"task": task}), repeat=repeat)
    env.reset(seed=1, options={"task": task})
    reading = best(lambda: box.call(world, read["name"], read["arguments"]), repeat=repeat)

    def one_write() -> None:
        world.begin()
        box.call(world, write["name"], write["arguments"])

    writing = best(one_write, repeat=repeat)
    episode(env, agent, task, 1)
    grading = best(env.grade, repeat=repeat)
    image = len(env.domain.snapshot(scale=scale).image)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    env.close()
    return {
        "reset us": reset * 1e6,
        "read us": reading * 1e6,
        "write us": writing * 1e6,
        "grade us": grading * 1e6,
        "database MB": image / 1e6,
        "process grew MB": (after - before) / 1e3,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON object with rows")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, no 100x company")
    parser.add_argument("--record", action="store_true", help="write bench_sql.json anew")
    options = parser.parse_args()
    if options.record:
        lines = (json.dumps(one) for one in record_sql(content.find_task("retail", TASK)))
        KEPT.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
        return
    repeat = 20 if options.quick else 100
    rows = measure_ratio(repeat=repeat)
    sizes = (1, 10) if options.quick else (1, 10, 100)
    parts = {scale: measure_parts(scale, repeat=repeat) for scale in sizes}
    for scale, found in parts.items():
        for name, value in found.items():
            what, _, unit = name.rpartition(" ")
            grown = value / parts[1][name] if parts[1][name] else None
            rows.append({"what": f"{what}, {scale}x", "value": value, "unit": unit, "to 1x": grown})
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    for row in rows:
        grown = row.get("to 1x")
        tail = "" if grown is None or "1x" in row["what"].split(", ")[1:] else f"  ({grown:.2f} x)"
        print(f"{row['what']:<28}{row['value']:>12,.1f} {row['unit']}{tail}")


if __name__ == "__main__":
    main()
