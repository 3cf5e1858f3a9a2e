"""Samples that share no tasks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from known_answers import answer
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats._arrays import NoSpread
from tau_env.stats.unpaired import fisher_exact, unpaired_difference


def test_known_test_fisher() -> None:
    entry = answer("test-fisher")
    (a, rest_a), (b, rest_b) = entry["inputs"]["table"]
    got = fisher_exact(a, a + rest_a, b, b + rest_b)
    assert got.p_value == pytest.approx(entry["expected"], abs=entry["tolerance"])
    assert got.difference == pytest.approx(7 / 120)
    assert math.isnan(got.low)


def test_unpaired_interval_agrees_with_scipy() -> None:
    rng = np.random.default_rng(71)
    a, b = rng.random(30), rng.random(45) ** 2
    got = unpaired_difference(a, b, level=0.9)
    want = stats.ttest_ind(a, b, equal_var=False)
    ends = want.confidence_interval(0.9)
    assert (got.low, got.high) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert got.p_value == pytest.approx(want.pvalue, rel=1e-9)


def test_samples_that_do_not_vary_have_no_interval() -> None:
    with pytest.warns(NoSpread):
        got = unpaired_difference([1, 1, 1], [0, 0])
    assert got.difference == 1
    assert math.isnan(got.se)
    assert math.isnan(got.low)
    assert math.isnan(got.p_value)


def test_unpaired_refuses() -> None:
    with pytest.raises(BadArgument, match="two or more"):
        unpaired_difference([1], [0, 1])
    with pytest.raises(BadArgument, match="5 of 4"):
        fisher_exact(5, 4, 1, 4)
    with pytest.raises(BadArgument, match="0 of 0"):
        fisher_exact(0, 0, 1, 4)
