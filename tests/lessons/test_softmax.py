"""The figures of chapter 6 are what its page says they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def softmax(facts: Callable[[str], Facts]) -> Facts:
    return facts("softmax")


def test_exponentials_and_their_sum(fact: Facts) -> None:
    assert np.array_equal(fact["exps"].round(3), [1.350, 1.822, 1.105, 1.105])
    assert round(fact["sum of exps"], 3) == 5.382
    assert fact["sum of rounded exps"] == pytest.approx(5.39)


def test_shares_are_25_1_33_9_and_twice_20_5(fact: Facts) -> None:
    assert np.array_equal((100 * fact["shares"]).round(1), [25.1, 33.9, 20.5, 20.5])
    assert fact["sum of shares rounded early"] == 101


def test_softmax_flattens_small_differences_and_sharpens_large_ones(fact: Facts) -> None:
    assert round(100 * fact["linear"][1], 1) == 54.5
    assert np.array_equal((100 * fact["stretched"][:, 1]).round(1), [33.9, 94.1, 100.0])
    assert round(fact["stretched"][2, 1], 3) == 1.000


def test_sharing_in_proportion_does_not_see_the_stretch(fact: Facts) -> None:
    np.testing.assert_allclose(fact["stretched linear"], np.tile(fact["linear"], (3, 1)), rtol=1e-12, equal_nan=False)


def test_a_shift_changes_nothing(fact: Facts) -> None:
    assert fact["shift error"] < 1e-12


def test_the_slope_vanishes(fact: Facts) -> None:
    assert [f"{slope:.1e}" for slope in fact["slopes"]] == ["1.8e-02", "3.4e-04", "4.2e-18"]
    assert f"{fact['slopes'][0]:.4f}" == "0.0177"
    assert fact["1 - p in float32"][2] == 0


def test_entropy_falls_from_nearly_two_bits_to_nothing(fact: Facts) -> None:
    assert np.array_equal(fact["entropy"].round(2), [1.97, 0.38, 0.00])


def test_checks_accept_the_right_answer_and_refuse_others(capsys: pytest.CaptureFixture[str]) -> None:
    here = lesson("softmax")
    here["check_gap"](np.log(9))
    here["check_row"](10)
    here["check_log"](here["my_log"])
    assert capsys.readouterr().out.count("right") == 3
    with pytest.raises(ValueError, match=r"a gap of 2 gives \[0.881 0.119\]"):
        here["check_gap"](2)
    with pytest.raises(ValueError, match="× 100 is off"):
        here["check_row"](100)
    with pytest.raises(ValueError, match=r"became \[0. 1.\], not \[-800.    0.\]"):
        here["check_log"](here["softmax"])


def test_exercises_are_solved(fact: Facts) -> None:
    assert round(fact["gap"], 3) == 2.197
    assert np.array_equal(fact["log_softmax"], [-800, 0])
