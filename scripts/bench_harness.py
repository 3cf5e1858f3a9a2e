"""What the harness costs: per trial over the bare episode, with 1 and 2 processes, on disk.

Run from the repository: ``python scripts/bench_harness.py``. Ratios travel between machines, times
do not. Processor time with warm caches is measured, but for trials a second: wall time from a cold
start.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tau_env.harness.driver import run_study
from tau_env.harness.grid import Entry, choose_tasks, run_grid
from tau_env.harness.material import read_material
from tau_env.harness.records import read_trials
from tau_env.harness.regrade import regrade_trial
from tau_env.harness.replay import replay_trial
from tau_env.harness.store import Store
from tau_env.harness.study import Study, plan_agent, plan_study
from tau_env.registry import domain_names, find_domain
from tau_env.schema import Task

AGENT = "reference"


def timed(work: Callable[[], object], *, clock: Callable[[], float]) -> float:
    """Seconds of the quickest of three."""
    best = float("inf")
    for _ in range(3):
        started = clock()
        work()
        best = min(best, clock() - started)
    return best


def stored(study: Study, tasks: list[Task], folder: Path, workers: int) -> Path:
    """Run the study into a new file."""
    path = folder / f"{time.monotonic_ns()}.db"
    with Store(path) as store:
        store.begin(study, tasks, find_domain(study.domain).spec)
        run_study(study, tasks, store, workers=workers)
    return path


def fresh(study: Study, tasks: list[Task], folder: Path, workers: int) -> float:
    """Seconds of a run whose driver and workers all start cold, their start included."""
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=stored, args=(study, tasks, folder, workers))
    started = time.monotonic()
    process.start()
    process.join()
    return time.monotonic() - started


def main() -> None:
    """Measure and print one line a quantity."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", default=domain_names()[0])
    parser.add_argument("--trials", type=int, default=16, help="trials a task")
    asked = parser.parse_args()
    tasks = choose_tasks(asked.domain)
    plan = plan_agent(AGENT)
    study = plan_study(asked.domain, [plan], tasks, trials=asked.trials)
    entry = Entry.named(AGENT)
    n = study.size

    def bare() -> None:
        for _ in run_grid(asked.domain, entry, tasks, trials=asked.trials):
            pass

    bare()  # warms the caches of both
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        episode = timed(bare, clock=time.process_time) / n
        whole = timed(lambda: stored(study, tasks, folder, 1), clock=time.process_time) / n
        print(f"{n} trials of {AGENT} on {len(tasks)} tasks of {asked.domain}")
        print(f"bare episode          {episode * 1e3:8.2f} ms")
        print(f"trial in a study      {whole * 1e3:8.2f} ms")
        print(
            f"the harness adds      {(whole - episode) * 1e3:8.2f} ms = {whole / episode - 1:.0%}"
        )
        alone = fresh(study, tasks, folder, 1)
        both = fresh(study, tasks, folder, 2)
        print(f"trials a second, 1 process   {n / alone:8.0f}")
        print(f"trials a second, 2 processes {n / both:8.0f}, {alone / both:.2f} times as many")
        path = stored(study, tasks, folder, 1)
        trials, material = read_trials(path).trials, read_material(path)
        print(f"size of a trial       {path.stat().st_size / n / 1024:8.1f} KiB on disk")
        reading = timed(lambda: read_trials(path), clock=time.process_time) / n
        print(f"reading a trial       {reading * 1e3:8.2f} ms")
        judging = timed(
            lambda: [regrade_trial(one, material) for one in trials], clock=time.process_time
        )
        print(f"judging it again      {judging / n * 1e3:8.2f} ms")
        playing = timed(
            lambda: [replay_trial(one, material) for one in trials], clock=time.process_time
        )
        print(f"playing it again      {playing / n * 1e3:8.2f} ms")


if __name__ == "__main__":
    main()
