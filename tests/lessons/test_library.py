"""The figures of chapter 4 are what its page says they are."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def library(facts: Callable[[str], Facts]) -> Facts:
    return facts("library")


def test_the_labels_score_95_40_0_and_88(fact: Facts) -> None:
    assert np.array_equal(fact["scores"], [95, 40, 0, 88])


def test_the_quantum_books_are_the_first_and_the_last(fact: Facts) -> None:
    here = lesson("library")
    assert ["quantum" in title for title in here["shelf"]] == [True, False, False, True]
    assert np.array_equal(np.argsort(-fact["scores"]), [0, 3, 1, 2])


def test_a_dict_knows_only_the_exact_title() -> None:
    shelf = lesson("library")["shelf"]
    assert shelf["quantum physics"] == [60, 40, 0, 0]
    assert "quantum" not in shelf


def test_raw_softmax_gives_99_909_and_0_091_per_cent(fact: Facts) -> None:
    assert np.array_equal((100 * fact["raw"]).round(3), [99.909, 0, 0, 0.091])
    assert round(fact["e^7"], 2) == 1096.63


def test_temperature_10_and_50_by_score(fact: Facts) -> None:
    _, ten, fifty = (100 * np.sort(fact["shares"])[:, ::-1]).round(1)
    assert np.array_equal(ten, [66.6, 33.1, 0.3, 0.0])
    assert np.array_equal(fifty, [42.5, 37.0, 14.2, 6.4])
    assert fact["shares at 50, rounded, added"] == pytest.approx(100.1)


def test_cold_is_argmax_and_hot_is_the_mean(fact: Facts) -> None:
    assert fact["cold error"] < 1e-12
    assert fact["hot error"] < 0.01
    assert np.array_equal(fact["carried"][0], fact["values"][0])
    assert np.array_equal(fact["carried"][-1], fact["values"].mean(axis=0))


def test_the_runner_up_rises_and_then_falls(fact: Facts) -> None:
    temperature, share = fact["peak"]
    assert 10 < temperature < 100
    assert fact["curves"][0, 3] < share > fact["curves"][-1, 3]


def test_the_blend_is_no_book_on_the_shelf(fact: Facts) -> None:
    assert np.array_equal(fact["soft"].round(1), [[50.0, 26.8, 0.0, 23.2]])
    assert not any(np.allclose(fact["soft"], book, atol=1) for book in fact["values"])


def test_one_book_stays_put_and_then_jumps_while_the_blend_glides(fact: Facts) -> None:
    one_book, blend = fact["code pages"]
    won = np.array(fact["scores of the labels"]) > 95
    assert np.array_equal(won, [False, False, False, False, True, True])
    assert np.array_equal(one_book, np.where(won, 70, 0))
    assert (np.diff(blend) > 0).all()
    assert np.diff(blend).max() < 10


def test_the_root_of_three_is_still_too_hard(fact: Facts) -> None:
    assert np.array_equal((100 * fact["scaled"]).round(1), [[98.3, 0.0, 0.0, 1.7]])


def test_only_the_labels_are_searched(fact: Facts) -> None:
    np.testing.assert_allclose(fact["swapped weights"][0], fact["shares"][1], rtol=1e-12, equal_nan=False)
    assert round(fact["swapped"][0, 2], 1) == 66.6


def test_two_copies_weigh_more_than_one(fact: Facts) -> None:
    assert np.array_equal((100 * fact["copies"]).round(1), [40.0, 40.0, 0.2, 0.0, 19.9])
    assert round(100 * fact["two copies together"], 1) == 80.0


def test_exercises_are_solved_and_wrong_answers_named(fact: Facts) -> None:
    here = lesson("library")
    assert fact["two to one"] == pytest.approx(7 / math.log(2))
    here["check_ratio"](fact["two to one"])
    here["check_hard"](here["hard"])
    here["check_label"]([-100, 0, 10])
    with pytest.raises(ValueError, match=r"temperature 10 gives 2\.014 : 1"):
        here["check_ratio"](10)
    with pytest.raises(ValueError, match=r"\[95, 40, 0, 95\]: given \[1. 0. 0. 0.\]"):
        here["check_hard"](lambda scores: np.eye(len(scores))[np.argmax(scores)])
    with pytest.raises(ValueError, match=r"label \[0, 0, 0\] still gets 6.36%"):
        here["check_label"]([0, 0, 0])
