"""The numbers of one run: what is asked, what is not estimable, what is noted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tau_env.errors import BadArgument
from tau_env.report.reliability import default_ks, reliability
from tau_env.report.results import Results
from tau_env.stats.estimators import pass_hat_k
from tau_env.stats.intervals import NEW_FAMILIES
from tau_env.stats.pass_intervals import pass_hat_k_interval


def results(
    passes: list[int],
    trials: list[int],
    *,
    planned: int | None = None,
    families: tuple[str, ...] | None = None,
) -> Results:
    """Records with so many passes and graded trials of each task."""
    names = tuple(f"t{i}" for i in range(len(passes)))
    pairs = [
        (name, j, j < c) for name, c, n in zip(names, passes, trials, strict=True) for j in range(n)
    ]
    return Results(
        task=tuple(name for name, _, _ in pairs),
        trial=tuple(j for _, j, _ in pairs),
        passed=np.array([passed for _, _, passed in pairs], dtype=bool),
        problems=(),
        tasks=names,
        families=families,
        planned=planned or max(trials),
    )


PASSES = [4, 4, 3, 2, 2, 1, 0, 0, 4, 3] * 4


def test_rows_are_what_the_statistics_say() -> None:
    found = reliability(results(PASSES, [4] * 40))
    assert [row.k for row in found.rows] == [1, 2, 3, 4]
    for row in found.rows:
        interval = pass_hat_k_interval(PASSES, 4, row.k)
        assert row.pass_hat_k == pytest.approx(np.mean(pass_hat_k(4, np.array(PASSES), row.k)))
        assert (row.low, row.high) == (interval.low, interval.high)
        assert row.plug_in >= row.pass_hat_k
        assert row.pass_at_k >= row.pass_hat_k
    assert (found.M, found.n, found.planned, found.trials) == (40, 4, 4, 160)


def test_predictions_go_beyond_the_trials_and_say_so() -> None:
    found = reliability(results(PASSES, [4] * 40))
    assert [p.k for p in found.predictions] == [1, 2, 4, 8, 16, 32]
    assert [p.beyond_n for p in found.predictions] == [False] * 3 + [True] * 3
    assert "model" in found.predictions[-1].method


def test_the_planted_bad_task_comes_first() -> None:
    passes = [4] * 30
    passes[17] = 0
    found = reliability(results(passes, [4] * 30))
    assert [(t.task, t.passes, t.trials) for t in found.worst] == [("t17", 0, 4)]


def test_f102_one_survivor_gives_no_pass_hat_4_but_bounds() -> None:
    found = reliability(results([1], [1], planned=4))
    last = found.rows[-1]
    assert last.k == 4
    assert math.isnan(last.pass_hat_k)
    assert last.method == "not estimable: task t0 has n = 1 of 4"
    assert (found.bounds[-1].low, found.bounds[-1].high) == (0.0, 1.0)
    assert found.rows[0].pass_hat_k == 1.0
    assert math.isnan(found.rows[0].low)


def test_f102_a_task_without_a_trial_spoils_every_k_and_is_noted() -> None:
    found = reliability(results([4, 2, 0], [4, 4, 0]))
    assert all(math.isnan(row.pass_hat_k) for row in found.rows)
    assert found.M == 3
    assert any("1 tasks without a graded trial" in note for note in found.notes)


def test_f103_three_of_four_by_the_one_formula() -> None:
    found = reliability(results([3, 3], [4, 4]))
    assert [row.pass_hat_k for row in found.rows] == [0.75, 0.5, 0.25, 0.0]


def test_f132_one_of_two_is_none_of_all_and_all_of_any() -> None:
    found = reliability(results([1, 1], [2, 2]), ks=[2])
    assert (found.rows[0].pass_hat_k, found.rows[0].pass_at_k) == (0.0, 1.0)


def test_new_families_need_families() -> None:
    with pytest.raises(BadArgument, match="family label"):
        reliability(results(PASSES, [4] * 40), population=NEW_FAMILIES)
    families = tuple(f"f{i % 8}" for i in range(40))
    found = reliability(results(PASSES, [4] * 40, families=families), population=NEW_FAMILIES)
    assert {row.population for row in found.rows} == {NEW_FAMILIES}


def test_warnings_become_notes_once() -> None:
    found = reliability(results([4, 4, 4], [4, 4, 4]))
    assert len(found.notes) == len(set(found.notes)) > 0


@pytest.mark.parametrize(
    ("given", "ks", "words"),
    [
        (([2, 2], [4, 4]), [5], "k = 5 is beyond the 4 trials"),
        (([0, 0], [0, 0]), None, "No trial of the file has a grade"),
    ],
)
def test_questions_without_an_answer_are_refused(
    given: tuple[list[int], list[int]], ks: Any, words: str
) -> None:
    with pytest.raises(BadArgument, match=words):
        reliability(results(*given, planned=4), ks=ks)


@pytest.mark.parametrize(
    ("n", "ks"),
    [(1, (1,)), (4, (1, 2, 3, 4)), (8, tuple(range(1, 9))), (20, (*range(1, 9), 16, 20))],
)
def test_default_ks_end_with_n(n: int, ks: tuple[int, ...]) -> None:
    assert default_ks(n) == ks
