"""pass^k and pass@k from counts."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_answers import answer
from scipy import stats

from tau_env.errors import BadArgument
from tau_env.stats.estimators import (
    benchmark_pass_at_k,
    benchmark_pass_hat_k,
    curve,
    pass_at_k,
    pass_hat_k,
    plug_in_pass_at_k,
    plug_in_pass_hat_k,
    summarize,
)


def per_k(values: dict[str, float]) -> list[float]:
    return list(values.values())


def test_known_est_6of8() -> None:
    entry = answer("est-6of8")
    n, c, ks = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    np.testing.assert_allclose(pass_hat_k(n, c, ks), per_k(want["pass_hat_k"]), atol=tol)
    np.testing.assert_allclose(pass_at_k(n, c, ks), per_k(want["pass_at_k"]), atol=tol)
    outcomes = {"task": [True] * c + [False] * (n - c)}
    got = summarize(outcomes, 4)
    assert got == {
        "pass@4": pytest.approx(want["pass_at_k"]["4"], abs=tol),
        "pass^4": pytest.approx(want["pass_hat_k"]["4"], abs=tol),
    }


def test_known_est_3of4_k2() -> None:
    entry = answer("est-3of4-k2")
    n, c, k = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    assert pass_hat_k(n, c, k) == pytest.approx(want["unbiased"], abs=tol)
    assert plug_in_pass_hat_k(n, c, k) == pytest.approx(want["plug_in"], abs=tol)


def test_known_est_six_tasks() -> None:
    entry = answer("est-six-tasks")
    n, counts, ks = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    got = curve(counts, n, ks)
    np.testing.assert_allclose(got.pass_hat, per_k(want["pass_hat_k"]), atol=tol)
    np.testing.assert_allclose(got.pass_at, per_k(want["pass_at_k"]), atol=tol)
    np.testing.assert_allclose(got.plug_in, per_k(want["plug_in_hat"]), atol=tol)
    assert (got.M, got.n, got.ks) == (len(counts), n, tuple(ks))


def test_known_est_equal_at_k1() -> None:
    entry = answer("est-equal-at-k1")
    n, c = np.meshgrid(np.arange(1, entry["inputs"]["n_max"] + 1), np.arange(13))
    n, c = n[c <= n], c[c <= n]
    np.testing.assert_allclose(pass_hat_k(n, c, 1), c / n, atol=entry["tolerance"])
    np.testing.assert_allclose(pass_at_k(n, c, 1), c / n, atol=entry["tolerance"])


@pytest.mark.parametrize("ident", ["est-extremes", "est-k0"])
def test_known_cases(ident: str) -> None:
    entry = answer(ident)
    n, c, k = np.array(entry["inputs"]["cases"]).T
    want, tol = entry["expected"], entry["tolerance"]
    np.testing.assert_allclose(pass_hat_k(n, c, k), want["pass_hat_k"], atol=tol)
    np.testing.assert_allclose(pass_at_k(n, c, k), want["pass_at_k"], atol=tol)


@pytest.mark.parametrize("estimator", [pass_hat_k, pass_at_k])
def test_known_est_n_less_than_k_is_error(estimator: Any) -> None:
    entry = answer("est-n-less-than-k-is-error")
    assert entry["expected"] == "ValueError"
    for n, c, k in entry["inputs"]["cases"]:
        with pytest.raises(ValueError, match=f"n={n} trials are fewer than k={k}"):
            estimator(n, c, k)


def test_known_est_product_form() -> None:
    entry = answer("est-product-form")
    got = pass_hat_k(**entry["inputs"])
    assert got == pytest.approx(entry["expected"]["pass_hat_k"], abs=entry["tolerance"])


def test_known_est_benchmark_three_runs() -> None:
    entry = answer("est-benchmark-three-runs")
    got = benchmark_pass_hat_k(entry["inputs"]["trials"], 1)
    assert got == pytest.approx(entry["expected"]["score"], abs=entry["tolerance"])


def test_known_est_macro_average_unequal_n() -> None:
    entry = answer("est-macro-average-unequal-n")
    trials, k = entry["inputs"].values()
    want, tol = entry["expected"], entry["tolerance"]
    assert benchmark_pass_hat_k(trials, k) == pytest.approx(want["macro"], abs=tol)
    assert benchmark_pass_at_k(trials, k) == pytest.approx(want["macro"], abs=tol)
    assert want["pooled"] != pytest.approx(want["macro"])


def test_known_est_mvue_unbiased_by_enumeration() -> None:
    entry = answer("est-mvue-unbiased-by-enumeration")
    ns, ks, rates = entry["inputs"].values()
    p = np.array(rates)[:, None]
    for n in ns:
        c = np.arange(n + 1)
        law = stats.binom.pmf(c, n, p)
        for k in ks:
            hat, at = law @ pass_hat_k(n, c, k), law @ pass_at_k(n, c, k)
            np.testing.assert_allclose(hat, p[:, 0] ** k, atol=entry["tolerance"])
            np.testing.assert_allclose(at, 1 - (1 - p[:, 0]) ** k, atol=entry["tolerance"])


def test_known_est_56_triples() -> None:
    entry = answer("est-56-triples")
    n, k = entry["inputs"]["n"], entry["inputs"]["k"]
    assert pass_hat_k(n, k, k) == pytest.approx(1 / entry["expected"], rel=1e-14)


def test_known_bias_thinkingbox_published() -> None:
    entry = answer("bias-thinkingbox-published")
    tasks, tolerance = entry["inputs"]["tasks"], entry["tolerance"]
    for model, passed in entry["inputs"]["passed_all"].items():
        counts = np.repeat([20, 19], [passed, tasks - passed])
        share = 100 * float(pass_hat_k(20, counts, 20).mean())
        assert share == pytest.approx(entry["expected"]["share_percent"][model], abs=tolerance)


def test_known_pub_thinkingbox_counts() -> None:
    entry = answer("pub-thinkingbox-counts")
    tasks, runs = entry["inputs"]["tasks"], entry["inputs"]["runs"]
    want, tol = entry["expected"], entry["tolerance"]
    always, once = want["all20_kimi"], want["at_least_once_kimi"]
    counts = np.repeat([runs, 1, 0], [always, once - always, tasks - once])
    got = curve(counts, runs, [runs])
    assert 100 * got.pass_hat[0] == pytest.approx(want["pct20"], abs=tol)
    assert 100 * got.pass_at[0] == pytest.approx(want["pct"], abs=tol)


def test_four_trials_with_three_successes_give_the_one_convention() -> None:
    np.testing.assert_allclose(pass_hat_k(4, 3, [1, 2, 3, 4]), [0.75, 0.5, 0.25, 0.0], atol=1e-15)


def test_one_success_in_two_is_any_but_not_all() -> None:
    assert pass_hat_k(2, 1, 2) == 0.0
    assert pass_at_k(2, 1, 2) == 1.0


@given(st.data())
def test_estimators_equal_binomial_ratios(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 400))
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    hat = Fraction(comb(c, k), comb(n, k))
    at = 1 - Fraction(comb(n - c, k), comb(n, k))
    assert pass_hat_k(n, c, k) == pytest.approx(float(hat), rel=1e-12, abs=1e-300)
    assert pass_at_k(n, c, k) == pytest.approx(float(at), rel=1e-12)


def test_estimators_keep_their_digits_at_a_hundred_thousand_trials() -> None:
    n = 100_000
    for c, k in ((99_999, 50_000), (50_000, 3), (1, 99_999), (99_990, 99_000)):
        hat = float(Fraction(comb(c, k), comb(n, k))) if c >= k else 0.0
        assert pass_hat_k(n, c, k) == pytest.approx(hat, rel=1e-11)
    assert pass_at_k(n, 1, 1) == pytest.approx(1e-5, rel=1e-14)
    assert pass_hat_k(n, n, n) == 1.0


def test_estimators_agree_with_hypergeometric() -> None:
    n, c, k = 20, np.arange(21), 6
    np.testing.assert_allclose(pass_hat_k(n, c, k), stats.hypergeom.pmf(k, n, c, k), atol=1e-13)
    np.testing.assert_allclose(pass_at_k(n, c, k), stats.hypergeom.sf(0, n, c, k), atol=1e-13)


def test_estimators_broadcast_and_keep_scalars() -> None:
    assert isinstance(pass_hat_k(4, 3, 2), float)
    assert isinstance(pass_at_k(4, 3, 2), float)
    grid = pass_hat_k(4, np.array([0, 3, 4]), np.array([[1], [2]]))
    assert grid.shape == (2, 3)
    assert pass_hat_k(np.array([4]), 3, 2).shape == (1,)
    assert pass_hat_k([], [], 1).shape == (0,)


@pytest.mark.parametrize(
    "estimator", [pass_hat_k, pass_at_k, plug_in_pass_hat_k, plug_in_pass_at_k]
)
@pytest.mark.parametrize(
    ("n", "c", "k", "words"),
    [
        (4, 5, 2, "c=5 successes out of n=4"),
        (4, -1, 2, "c=-1"),
        (4, 2, -1, "k=-1"),
        (4, 2.5, 2, "c=2.5"),
        (4, float("nan"), 2, "c=nan"),
        (4, "many", 2, "c='many'"),
        ([4, 4], [2, 5], 2, "task at position 1"),
    ],
)
def test_estimators_refuse(estimator: Any, n: Any, c: Any, k: Any, words: str) -> None:
    with pytest.raises(BadArgument, match=words.replace("(", r"\(")):
        estimator(n, c, k)


def test_too_few_trials_name_the_position() -> None:
    with pytest.raises(BadArgument, match=r"n=3 trials \(task at position 1\)"):
        pass_hat_k([8, 3], [8, 3], 4)


def test_too_few_trials_name_the_task() -> None:
    with pytest.raises(BadArgument, match="task 'refund'"):
        summarize({"cancel": [1, 1], "refund": [1]}, 2)


def test_summaries_refuse_nothing_and_rewards() -> None:
    rewards: Any = [0.5, 0.5]
    with pytest.raises(BadArgument, match="empty"):
        summarize({}, 1)
    with pytest.raises(BadArgument, match=r"outcome 0.5 of task 'a'"):
        benchmark_pass_hat_k({"a": rewards}, 1)
    with pytest.raises(BadArgument, match="n=0"):
        benchmark_pass_hat_k([[]], 1)
    with pytest.raises(BadArgument, match="ks is empty"):
        curve([1], 2, [])


def test_plug_ins_have_a_value_beyond_n() -> None:
    assert plug_in_pass_hat_k(4, 2, 8) == 0.5**8
    assert plug_in_pass_at_k(4, 2, 8) == 1 - 0.5**8
