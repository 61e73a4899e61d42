"""The figures of chapter 7 are what its page says they are."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def scaling(facts: Callable[[str], Facts]) -> Facts:
    return facts("scaling")


def test_coins_give_a_variance_of_exactly_d(fact: Facts) -> None:
    assert fact["variance of two coins"] == 2
    assert fact["variance of four coins"] == 4
    assert fact["cases of four coins"] == 16


def test_the_variance_of_bare_scores_is_d(fact: Facts) -> None:
    measured = dict(zip(fact["widths"], fact["variance"], strict=True))
    assert [round(measured[d], 2) for d in (2, 16, 64, 256, 1024)] == [1.98, 16.01, 64.33, 255.83, 1029.16]
    np.testing.assert_allclose(fact["variance"], fact["widths"], rtol=0.03, equal_nan=False)


def test_divided_by_root_d_the_variance_is_one_at_every_width(fact: Facts) -> None:
    np.testing.assert_allclose(fact["variance divided"], 1, rtol=0.03, equal_nan=False)


def test_entropy_collapses_without_the_division_and_stays_with_it(fact: Facts) -> None:
    assert [round(bits, 2) for bits in (fact["entropy"][0], fact["entropy"][-1])] == [3.98, 0.16]
    assert all(np.diff(fact["entropy"]) < 0)
    assert np.ptp(fact["entropy divided"]) < 0.1
    assert fact["most entropy"] == 5


def test_the_jacobian_of_the_typical_row_vanishes_and_the_mean_falls_more_slowly(fact: Facts) -> None:
    slopes = dict(zip(fact["widths"], fact["slopes"], strict=True))
    assert (round(slopes[256], 3), f"{slopes[1024]:.1e}") == (0.014, "8.2e-05")
    assert round(max(slopes.values()), 2) == 0.34
    assert round(fact["mean slopes"][-1], 3) == 0.061
    assert fact["slopes divided"].min().round(2) == 0.22
    assert fact["slopes divided"].max().round(2) == 0.24


def test_the_norm_of_the_jacobian_is_that_of_the_matrix_written_out() -> None:
    w = np.array([0.7, 0.2, 0.1])
    expected = math.sqrt(sum(((w[i] * (i == j)) - w[i] * w[j]) ** 2 for i in range(3) for j in range(3)))
    assert lesson("scaling")["slope"](w[None])[0] == pytest.approx(expected, rel=1e-12)


def test_in_float32_three_in_ten_winners_are_exactly_one(fact: Facts) -> None:
    assert round(fact["stuck"][-1], 3) == pytest.approx(0.306, abs=2e-3)  # exp differs in the last bit between machines
    assert not fact["stuck divided"].any()


def test_the_width_of_the_model_instead_of_the_head_flattens_the_weights(fact: Facts) -> None:
    assert fact["d_head, d_model"] == [64, 768]
    assert np.array_equal(fact["slip"].round(3), [[8.021, 1.003, 0.289], [0.714, 4.344, 4.942], [0.816, 0.165, 0.055]])


def test_with_the_slip_a_perfect_match_is_barely_found(fact: Facts) -> None:
    assert np.array_equal((100 * fact["match"][2]).round(1), [100.0, 96.8, 24.4])
    np.testing.assert_allclose(fact["own key against the others"], 8, rtol=0.01, equal_nan=False)
    assert round(100 * fact["lost"], 1) == 8.1


def test_doubling_every_component_gives_a_variance_of_sixteen(fact: Facts) -> None:
    assert fact["doubled"] == pytest.approx(16, rel=0.03)


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["divisor"] == pytest.approx(8 / 3, rel=1e-12)
    assert fact["variance of uniform entries"] == pytest.approx(64 / 9, rel=0.05)
    assert fact["repair"] == pytest.approx(math.sqrt(12), rel=1e-12)


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [
        ("check_scale", lambda d_model, n_heads: 1 / math.sqrt(d_model), "gpt2: given 0.0361, not 0.1250"),
        ("check_divisor", 8, "divided by 8, variance is 0.1"),
        ("check_repair", 12, r"with 12\.000 it is off by"),
    ],
)
def test_a_wrong_answer_is_named(check: str, wrong: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lesson("scaling")[check](wrong)
