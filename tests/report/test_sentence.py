"""Sentences for slides: said with everything beside them, or not at all."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from tau_env.errors import BadArgument
from tau_env.report.reliability import reliability
from tau_env.report.results import Problem, Results
from tau_env.report.sentence import sentence


def results(passes: list[int], n: int, **more: Any) -> Results:
    names = tuple(f"t{i}" for i in range(len(passes)))
    return Results(
        task=tuple(name for name in names for _ in range(n)),
        trial=tuple(j for _ in names for j in range(n)),
        passed=np.array([j < c for c in passes for j in range(n)], dtype=bool),
        problems=(),
        tasks=names,
        families=None,
        planned=n,
        **more,
    )


RUN = reliability(results([4, 4, 3, 2, 1, 0, 4, 2] * 12, 4, agent="shop-bot"))


def test_a_sentence_carries_interval_population_estimator_and_sizes() -> None:
    row = RUN.rows[3]
    assert sentence(RUN, 4) == (
        f"shop-bot passes all of 4 trials on {row.pass_hat_k:.0%} of tasks (95% interval "
        f"{row.low:.0%} to {row.high:.0%}, fresh tasks of these families; unbiased pass^4 from 4 "
        "trials of each of 96 tasks)."
    )


def test_a_conservative_bound_is_called_so() -> None:
    found = reliability(results([4] * 30, 4))
    assert "(conservative 95% interval" in sentence(found, 4)
    assert sentence(found, 4).startswith("The agent passes all of 4 trials on 100% of tasks")


def test_a_file_with_faults_gives_no_sentence() -> None:
    faulty = dataclasses.replace(RUN, problems=(Problem("duplicate", "t0", "trial 1"),))
    assert sentence(faulty, 4).startswith("No sentence: the file has 1 faults (duplicate)")


def test_an_insider_gives_no_sentence() -> None:
    insider = reliability(results([4, 2, 3, 1] * 10, 4, agent="reference", insider=True))
    assert sentence(insider, 4).startswith("No sentence: the agent is an insider")


def test_an_unknown_interval_gives_no_sentence() -> None:
    found = reliability(results([4], 4))
    assert sentence(found, 1).startswith("No sentence for pass^1 (no interval: one task")


def test_a_k_that_was_not_asked_for_is_refused() -> None:
    with pytest.raises(BadArgument, match="k = 9 was not asked for"):
        sentence(RUN, 9)
