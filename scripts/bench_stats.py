"""Time the three heavy paths of the statistics on one core.

    python scripts/bench_stats.py [--limit SECONDS]

Prints the best of five runs of each and exits 1 if one takes longer than the limit.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np

from tau_env.stats.beta_binomial import fit_beta_binomial
from tau_env.stats.bootstrap import bootstrap_mean
from tau_env.stats.estimators import curve, pass_hat_k

RUNS = 5


def counts_of(tasks: int, n: int) -> np.ndarray:
    """Return successes of ``n`` trials of tasks drawn from Beta(1.2, 0.8)."""
    rng = np.random.default_rng(1)
    return rng.binomial(n, rng.beta(1.2, 0.8, tasks))


def benches() -> dict[str, Callable[[], object]]:
    """Return what is timed, by the name that is printed."""
    small, large = counts_of(507, 20), counts_of(10_000, 20)

    def bootstrap() -> object:
        return bootstrap_mean(pass_hat_k(20, small, 4), rng=np.random.default_rng(2))

    return {
        "10,000 task-bootstrap replicates of pass^4, 507 tasks x 20 trials": bootstrap,
        "likelihood fit over 10,000 tasks": lambda: fit_beta_binomial(large, 20),
        "pass^k, pass@k and plug-in for k = 1..20 over 10,000 tasks": lambda: curve(
            large, 20, range(1, 21)
        ),
    }


def seconds(work: Callable[[], object]) -> float:
    """Return the best time of several runs."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main(arguments: Sequence[str] | None = None) -> int:
    """Time everything; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--limit", type=float, default=1.0, help="seconds that each may take")
    limit = parser.parse_args(arguments).limit
    times = {name: seconds(work) for name, work in benches().items()}
    for name, took in times.items():
        print(f"{1_000 * took:8.1f} ms  {name}")
    return int(any(took > limit for took in times.values()))


if __name__ == "__main__":
    sys.exit(main())
