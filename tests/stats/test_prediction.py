"""Predictions beyond the trials made."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tau_env.errors import BadArgument
from tau_env.stats._arrays import BoundaryFit
from tau_env.stats.beta_binomial import (
    fit_beta_binomial,
    fit_beta_moments,
    pass_at_curve,
    pass_hat_curve,
)
from tau_env.stats.prediction import predict


def test_prediction_is_the_fitted_curve_and_says_that_it_is_a_model() -> None:
    fit = fit_beta_binomial(np.repeat([0, 1, 2, 3, 4], [17, 19, 21, 25, 33]), 4)
    got = predict(fit, [1, 4, 16])
    np.testing.assert_allclose([p.pass_hat for p in got], pass_hat_curve(fit.a, fit.b, [1, 4, 16]))
    np.testing.assert_allclose([p.pass_at for p in got], pass_at_curve(fit.a, fit.b, [1, 4, 16]))
    assert [p.beyond_n for p in got] == [False, False, True]
    assert all("model" in p.method for p in got)
    for p in got:
        assert 0 < p.low < p.pass_hat < p.high < 1
        assert 0 < p.pass_at_low < p.pass_at < p.pass_at_high < 1


def test_prediction_at_k1_is_the_interval_of_the_mean_for_both() -> None:
    fit = fit_beta_binomial(np.repeat([0, 1, 2, 3], [76, 16, 15, 13]), 3)
    (got,) = predict(fit, [1])
    assert (got.pass_at, got.pass_at_low, got.pass_at_high) == pytest.approx(
        (got.pass_hat, got.low, got.high), rel=1e-9
    )


def test_prediction_covers_when_the_model_is_right() -> None:
    rng = np.random.default_rng(7)
    a, b, ks = 1.224, 0.776, [4, 16]
    hat, at = pass_hat_curve(a, b, ks), pass_at_curve(a, b, ks)
    held = np.zeros((2, 2))
    runs = 600
    for _ in range(runs):
        fit = fit_beta_binomial(rng.binomial(4, rng.beta(a, b, 115)), 4)
        for i, p in enumerate(predict(fit, ks)):
            held[0, i] += p.low <= hat[i] <= p.high
            held[1, i] += p.pass_at_low <= at[i] <= p.pass_at_high
    assert (held / runs > 0.92).all()
    assert (held / runs < 0.985).all()


def test_prediction_on_a_boundary_is_nan() -> None:
    with pytest.warns(BoundaryFit):
        fit = fit_beta_binomial([0, 4, 0, 4], 4)
    (got,) = predict(fit, [8])
    assert all(math.isnan(x) for x in (got.pass_hat, got.low, got.high, got.pass_at))


def test_prediction_refuses() -> None:
    fit = fit_beta_binomial([0, 1, 3, 4], 4)
    with pytest.raises(BadArgument, match="at least one k"):
        predict(fit, [0])
    with pytest.raises(BadArgument, match="at least one k"):
        predict(fit, [])
    with pytest.raises(BadArgument, match="level=95"):
        predict(fit, [2], level=95)
    with pytest.raises(BadArgument, match="no covariance"):
        predict(fit_beta_moments([0, 1, 3, 4], 4), [2])
