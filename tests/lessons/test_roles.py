"""The figures of chapter 5 are what its page says they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def roles(facts: Callable[[str], Facts]) -> Facts:
    return facts("roles")


def test_three_lines_equal_the_loops(fact: Facts) -> None:
    assert 0 < fact["largest difference from loops"] < 1e-13


def test_one_vector_scores_itself_highest_and_both_ways_alike(fact: Facts) -> None:
    scores = fact["one vector"]
    assert np.array_equal(fact["length squared"], [5, 5, 5])
    assert np.array_equal(scores, scores.T)
    assert np.array_equal(scores.argmax(axis=1), [0, 1, 2])


def test_two_vectors_let_a_need_b_without_b_needing_a(fact: Facts) -> None:
    scores = fact["two vectors"]
    assert (scores[1, 0], scores[0, 1]) == (6, 0)
    assert np.array_equal(scores.argmax(axis=1), [0, 0, 1])
    assert np.array_equal((100 * fact["weights"][1]).round(1), [70.7, 22.3, 7.0])
    assert np.array_equal((100 * fact["weights"][2]).round(1), [22.3, 70.7, 7.0])


def test_equal_lengths_symmetric_always_and_the_diagonal_always_wins(fact: Facts) -> None:
    equal, free, two = fact["counts"]
    assert np.array_equal(equal, [1, 1])
    assert free[0] == 1
    assert 0.9 < free[1] < 0.95
    assert two[0] == 0
    assert two[1] == pytest.approx(1 / 8, abs=0.02)


def test_the_longest_vector_never_loses_its_own_row(fact: Facts) -> None:
    assert fact["longest wins"] == 1000


def test_a_loser_loses_to_a_longer_vector() -> None:
    scores = lesson("roles")["ways"][1]
    lengths = np.diagonal(scores, axis1=1, axis2=2)
    winners = np.take_along_axis(lengths, scores.argmax(axis=-1), axis=1)
    assert (winners >= lengths).all()


def test_one_direction_no_longer_tells_the_other(fact: Facts) -> None:
    equal, free, two = fact["back and forth"]
    assert (round(equal, 6), round(free, 6)) == (1, 1)
    assert abs(two) < 0.2


def test_random_matrices_leave_the_diagonal_to_chance(fact: Facts) -> None:
    np.testing.assert_allclose(fact["own"][:, 2], fact["own exactly"], rtol=0.15, equal_nan=False)
    assert (fact["own"][:, 0] == 100).all()
    assert (np.diff(fact["own"][:, 1]) < 0).all()


def test_without_w_v_the_output_is_an_average_of_the_inputs(fact: Facts) -> None:
    assert fact["stays inside"] == 1000
    assert fact["leaves"] == 806
    low, high = fact["bounds"]
    assert ((low <= fact["output"]) & (fact["output"] <= high)).all()


def test_symmetric_scores_give_weights_that_are_not(fact: Facts) -> None:
    weights = (100 * fact["one vector, weights"]).round(1)
    assert (weights[1, 2], weights[2, 1]) == (32.3, 33.8)


def test_averages_of_averages_grow_alike(fact: Facts) -> None:
    assert np.array_equal(np.array(fact["spread"][:3]).round(2), [2, 1.45, 0.57])
    assert round(fact["spread"][3], 3) == 0.035
    assert fact["spread"][-1] < 0.0005


def test_exercises_are_solved_and_wrong_answers_named(fact: Facts) -> None:
    here = lesson("roles")
    here["check_needs"]([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    here["check_symmetric"](-here["some"], here["some"])
    here["check_leaves"]([[0, 0, 2], [0, 0, 0], [0, 0, 0]])
    assert round(fact["leaves the range"], 2) == 2.83
    with pytest.raises(ValueError, match="我 → 我, 感冒 → 感冒"):
        here["check_needs"](np.eye(3))
    with pytest.raises(ValueError, match="are the same"):
        here["check_symmetric"](here["some"], here["some"])
    with pytest.raises(ValueError, match="not symmetric"):
        here["check_symmetric"](here["some"], np.roll(here["some"], 1, axis=1))
    with pytest.raises(ValueError, match="none above 2"):
        here["check_leaves"](np.eye(3))
