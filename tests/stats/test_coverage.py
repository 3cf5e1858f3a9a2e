"""The coverage table: its populations, its claims, its page."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tau_env.errors import BadArgument
from tau_env.stats.coverage import Cell, World, measure, worlds
from tau_env.stats.intervals import FRESH_TASKS, NEW_FAMILIES, THESE_TASKS

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
WANTED = 0.93


def name_of(world: World) -> str:
    return f"{world.name}-{world.population}"


def cells_of(world: World, *, tasks: int, n: int, replicates: int, seed: int) -> list[Cell]:
    return measure(
        world,
        tasks=tasks,
        n=n,
        ks=(1, 2, 4),
        replicates=replicates,
        rng=np.random.default_rng(seed),
        bootstrapped=1,
    )


def least(replicates: int) -> float:
    """The least coverage that chance still allows an interval that covers 93%: three errors."""
    return WANTED - 3 * math.sqrt(WANTED * (1 - WANTED) / replicates)


@pytest.mark.parametrize("world", worlds(), ids=name_of)
def test_the_interval_in_use_covers(world: World) -> None:
    for cell in cells_of(world, tasks=50, n=8, replicates=1_000, seed=51):
        assert cell.coverage["in use"] >= least(1_000), cell


@pytest.mark.heavy
@pytest.mark.parametrize("tasks", [50, 200])
@pytest.mark.parametrize("n", [4, 8])
@pytest.mark.parametrize("world", worlds(), ids=name_of)
def test_the_interval_in_use_covers_at_every_size(world: World, n: int, tasks: int) -> None:
    for cell in cells_of(world, tasks=tasks, n=n, replicates=10_000, seed=52):
        assert cell.coverage["in use"] >= least(10_000), cell


@pytest.mark.parametrize("world", worlds(), ids=name_of)
def test_truths_are_the_means_of_the_populations(world: World) -> None:
    family = np.arange(4_000) % max(world.families, 1)
    rng = np.random.default_rng(53)
    rates, truths = world.draw(4_000, (1, 4), 100, rng, family)
    for i, k in enumerate((1, 4)):
        means = (rates**k).mean(axis=1)
        error = means.std() / 10 if world.population == NEW_FAMILIES else 0.001
        assert means.mean() == pytest.approx(truths[:, i].mean(), abs=4 * error)


def test_these_tasks_leave_out_n_equal_k() -> None:
    (world, *_) = [w for w in worlds() if w.population == THESE_TASKS]
    cells = cells_of(world, tasks=20, n=4, replicates=10, seed=54)
    assert [cell.k for cell in cells] == [1, 2]


def test_bootstraps_are_measured_for_plain_populations_only() -> None:
    for world in (worlds()[0], next(w for w in worlds() if w.families)):
        (cell, *_) = cells_of(world, tasks=20, n=4, replicates=10, seed=55)
        assert ("BCa" in cell.coverage) == (world.families == 0)


def test_measure_refuses_k_above_n() -> None:
    with pytest.raises(BadArgument, match="at most n"):
        measure(worlds()[0], tasks=5, n=2, ks=(3,), replicates=2, rng=np.random.default_rng(1))


def rows() -> list[list[str]]:
    """The lines of the page that stand for one cell."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        parts = [part.strip() for part in line.strip("|").split("|")]
        if len(parts) > 7 and parts[5] in ("core", "edge"):
            found.append(parts)
    return found


def test_the_page_says_what_made_it_and_how_often() -> None:
    found = re.search(r"coverage_table.py --replicates (\d+) --seed \d+", PAGE.read_text("utf-8"))
    assert found is not None
    assert int(found[1]) >= 2_000


def test_the_page_holds_every_cell() -> None:
    counted = {FRESH_TASKS: 12, NEW_FAMILIES: 12, THESE_TASKS: 10}
    assert len(rows()) == sum(counted[w.population] for w in worlds())


def test_the_page_shows_coverage_of_at_least_93_percent_everywhere() -> None:
    in_use = [float(parts[7].split()[0]) for parts in rows()]
    assert min(in_use) >= 100 * WANTED


def test_the_page_shows_that_the_method_in_use_is_narrower_than_t() -> None:
    core = [parts for parts in rows() if parts[5] == "core" and parts[6] == "0%"]
    width = [[float(parts[i].split("(")[1].strip(")")) for parts in core] for i in (7, 10)]
    assert np.mean(width[0]) < np.mean(width[1])
