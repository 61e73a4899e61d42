"""The laboratory's figures are what its page says, and its tables come from the package alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lessonkit import Table
from tests.conftest import lesson

Facts = dict[str, Any]
STATE = ("tokens", "asking", "q", "k", "v", "root_d", "temperature", "causal", "window", "heads")


@pytest.fixture(name="fact")
def laboratory(facts: Callable[[str], Facts]) -> Facts:
    return facts("lab")


def tables(**changes: Any) -> list[Table]:
    """The tables for the sentence, the last example of the lesson, with something changed."""
    here = lesson("lab") | {"q": SENTENCE_Q, "k": SENTENCE_K} | changes
    heads = here["laboratory"](*(here[name] for name in STATE)).parts
    return [table for head in heads for table in head.parts]


SENTENCE_Q = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [2.0, 1.0]])
SENTENCE_K = np.array([[2.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]])
SCORES, WEIGHTS, OUTPUT, ENTROPY = 3, 4, 5, 6


def test_apple_goes_from_98_2_to_94_4_divided_and_to_73_1_at_temperature_4(fact: Facts) -> None:
    shares = [100 * fact[name][0, 0] for name in ("apple", "apple divided", "apple at 4")]
    assert np.round(shares, 1).tolist() == [98.2, 94.4, 73.1]


def test_three_times_the_numbers_saturate_and_temperature_9_undoes_it(fact: Facts) -> None:
    assert np.round(fact["saturated"], 12).tolist() == [[1, 0], [0, 1]]
    assert np.allclose(fact["saturated at 9"], fact["apple"], rtol=1e-15)


def test_the_sentence_s_apple_looks_at_buy_with_54_9_percent(fact: Facts) -> None:
    assert round(100 * fact["sentence"][3, 0], 1) == 54.9
    assert np.allclose(fact["sentence"], tables()[WEIGHTS].values, rtol=1e-12)
    assert np.allclose(fact["bits"][:, None], tables()[ENTROPY].values, rtol=1e-12)


def test_with_a_window_of_2_apple_sees_itself_and_the_one_before() -> None:
    seen = np.isfinite(tables(window=2)[SCORES].values[3])
    assert seen.tolist() == [False, False, True, True]


def test_of_two_heads_the_first_favours_buy_and_the_second_has_a_tie() -> None:
    shown = tables(heads=2)
    first, second = (shown[at + SCORES].values[3] for at in (0, 7))
    assert len(shown) == 14
    assert first.argmax() == 0
    assert second[2] == second[3] == second.max()


def test_without_the_mask_buy_has_an_entropy_of_1_79_bits(fact: Facts) -> None:
    assert tables()[ENTROPY].values[0] == 0
    assert tables(causal=False)[ENTROPY].values[0].round(2) == 1.79
    assert fact["bits, no mask"][0].round(2) == 1.79


def test_an_empty_query_makes_the_library_s_weights_equal() -> None:
    four = np.ones((4, 2)) * [[1], [2], [3], [4]]
    shown = tables(q=np.zeros((1, 2)), asking=["?"], v=four, causal=False)
    assert shown[WEIGHTS].values.tolist() == [[0.25] * 4]
    assert shown[OUTPUT].values.tolist() == [[2.5, 2.5]]


def test_a_query_about_cooking_puts_cooking_first() -> None:
    keys = np.array([[10.0, 5.0, 0.0], [8.0, 0.0, 0.0], [0.0, 0.0, 10.0], [5.0, 7.0, 0.0]])
    shown = tables(q=np.array([[0.0, 0.0, 9.0]]), k=keys, asking=["?"], root_d=True, causal=False)
    assert shown[WEIGHTS].values.argmax() == 2
