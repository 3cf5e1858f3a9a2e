"""Write docs/coverage.md: how often intervals for pass^k cover, and how wide they are.

    python scripts/coverage_table.py [--replicates 10000] [--seed 20260101] [--out docs/coverage.md]

Takes about ten minutes on one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from tau_env.stats.coverage import Cell, table
from tau_env.stats.intervals import FRESH_TASKS, NEW_FAMILIES, THESE_TASKS

METHODS = ("in use", "Wilson", "one more", "t", "exact", "percentile", "BCa")
WANTED = 0.93

HEAD = """# How often the intervals cover

Written by `python scripts/coverage_table.py --replicates {replicates} --seed {seed}`; do not edit.

Each line simulates {replicates:,} runs of a population of tasks whose pass^k is known, and asks
how often a 95% interval holds it. The bootstraps, which cost more, get the first 2,000 of these
runs with 999 resamples each. The standard error of a coverage near 95% is {error:.1f} points
({error_boot:.1f} for the bootstraps). Entries are coverage and, in brackets, mean width, both in
points.

* **core**: M·truth and M·(1−truth) are at least 10. There the interval must cover at least 93%.
* **edge**: elsewhere. There a conservative bound is in use; it may cover more than it says.
* **in use**: what `pass_hat_k_interval` returns; *bound* is the share of runs in which it took its
  conservative bound, because fewer than ten tasks' worth of successes or failures were seen.
* **Wilson**: Wilson's interval on p(1−p)/variance tasks with a t quantile, without that bound.
* **one more**: the bound by itself: the data with one more task at the far end.
* **t**: estimate ± t · standard error. **exact**: Clopper–Pearson on M tasks (for new families on
  the number of equal families they are worth). **percentile**, **BCa**: bootstrap of tasks.

The rule: the narrowest method that covers at least 93% on every core line with room for two
standard errors of this table, so at least {floor:.1f}% ({floor_boot:.1f}% for the bootstraps). That
is Wilson. Percentile and BCa are a little narrower and cover less; and which lines are core
depends on the truth, which nobody knows who asks for an interval: beyond the core they fall far
below.

pass@k is one minus the pass^k of the failures, so the table speaks of it too.
"""

SUMMARY = """
## Summary

| population | lines | method | least coverage | lines below 93% | mean width |
|---|---|---|---:|---:|---:|
"""

POPULATIONS = {
    FRESH_TASKS: """
## Fresh tasks of these families

Without families, tasks are drawn from one law. With families (logit-normal: mean ± spread of
families ± spread of tasks) the families stay and the tasks within them are new; sizes are equal
or fall as 1, 1/2, 1/3, ….
""",
    THESE_TASKS: """
## These tasks

Only the trials are new; the truth is that of the very tasks drawn. n = k is missing: n trials say
nothing about the trial noise of pass^n. For n < 2k the noise is bounded rather than estimated.
""",
    NEW_FAMILIES: """
## New families

Families are drawn anew. The degrees of freedom are J_eff − 1, which is F − 1 for equal families;
with uneven ones F − 1 covers too little.
""",
}


def summary(cells: Sequence[Cell]) -> str:
    """Return the summary lines: per population, with families or without, core and edge."""
    lines = []
    for population, grouped, core in product(POPULATIONS, (False, True), (True, False)):
        some = [
            c
            for c in cells
            if (c.population, c.families > 0, c.core) == (population, grouped, core)
        ]
        kind = f"{population}{', in families' if grouped and population == FRESH_TASKS else ''}"
        for method in METHODS if some else ():
            covers = [c.coverage[method] for c in some if method in c.coverage]
            if covers:
                width = sum(c.width[method] for c in some) / len(some)
                lines.append(
                    f"| {kind} | {'core' if core else 'edge'} ({len(some)}) | {method} "
                    f"| {100 * min(covers):.1f} | {sum(x < WANTED for x in covers)} "
                    f"| {100 * width:.1f} |"
                )
    return "\n".join(lines) + "\n"


def section(cells: Sequence[Cell]) -> str:
    """Return one line per cell, with the methods that were measured."""
    methods = [m for m in METHODS if any(m in c.coverage for c in cells)]
    head = "| tasks | M | n | k | truth | | bound | " + " | ".join(methods) + " |"
    rule = "|---|---:|---:|---:|---:|---|---:|" + "---:|" * len(methods)
    lines = [head, rule]
    for c in cells:
        entries = [
            f"{100 * c.coverage[m]:.1f} ({100 * c.width[m]:.1f})" if m in c.coverage else "—"
            for m in methods
        ]
        lines.append(
            f"| {c.world} | {c.M} | {c.n} | {c.k} | {c.truth:.3f} | {'core' if c.core else 'edge'} "
            f"| {c.conservative:.0%} | " + " | ".join(entries) + " |"
        )
    return "\n".join(lines) + "\n"


def page(cells: Sequence[Cell], *, replicates: int, seed: int) -> str:
    """Return the whole page."""
    error = 100.0 * (0.95 * 0.05) ** 0.5
    text = HEAD.format(
        replicates=replicates,
        seed=seed,
        error=error / replicates**0.5,
        error_boot=error / min(replicates, 2_000) ** 0.5,
        floor=100.0 * WANTED + 2.0 * error / replicates**0.5,
        floor_boot=100.0 * WANTED + 2.0 * error / min(replicates, 2_000) ** 0.5,
    )
    text += SUMMARY + summary(cells)
    for population, words in POPULATIONS.items():
        text += words + "\n" + section([c for c in cells if c.population == population])
    return text


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--replicates", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--out", type=Path, default=Path("docs/coverage.md"))
    given = parser.parse_args(arguments)
    cells = list(table(replicates=given.replicates, seed=given.seed))
    given.out.write_text(page(cells, replicates=given.replicates, seed=given.seed), "utf-8")


if __name__ == "__main__":
    main()
