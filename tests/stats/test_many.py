"""Many agents at once."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from tau_env.errors import BadArgument
from tau_env.stats.many import adjust_p_values, compare_all


@pytest.mark.parametrize(("ours", "theirs"), [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")])
def test_corrections_agree_with_statsmodels(ours: str, theirs: str) -> None:
    rng = np.random.default_rng(81)
    for size in (1, 2, 15):
        p = rng.random(size) ** 3
        got = adjust_p_values(p, method=ours)  # type: ignore[arg-type]
        np.testing.assert_allclose(got, multipletests(p, method=theirs)[1], atol=1e-12)


def test_equal_agents_are_rarely_told_apart_among_all_pairs() -> None:
    rng = np.random.default_rng(82)
    false = 0
    for _ in range(100):
        p = rng.beta(1.2, 0.8, 40)
        counts = {name: rng.binomial(4, p) for name in "abcd"}
        pairs = compare_all(counts, 4, 1, rng=rng, permutations=400)
        false += min(pair.p_adjusted for pair in pairs) <= 0.05
    assert false <= 11


def test_all_pairs_come_in_order() -> None:
    rng = np.random.default_rng(83)
    counts = {"weak": [0] * 19 + [1], "strong": [4] * 19 + [3], "same": [4] * 18 + [3, 3]}
    pairs = compare_all(counts, 4, 1, rng=rng)
    assert [(p.first, p.second) for p in pairs] == [
        ("weak", "strong"),
        ("weak", "same"),
        ("strong", "same"),
    ]
    assert pairs[0].comparison.verdict == "second better"
    assert all(p.p_adjusted >= p.comparison.p_value for p in pairs)


def test_many_refuses() -> None:
    with pytest.raises(BadArgument, match="at least two"):
        compare_all({"a": [1]}, 4, 1, rng=np.random.default_rng(1))
    with pytest.raises(BadArgument, match="lie in"):
        adjust_p_values([0.1, float("nan")])
    with pytest.raises(BadArgument, match="one of"):
        adjust_p_values([0.1], method="none")  # type: ignore[arg-type]
