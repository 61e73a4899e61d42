"""The figures of chapter 13 are what its page says they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def apple_again(facts: Callable[[str], Facts]) -> Facts:
    return facts("apple-again")


@pytest.fixture(name="here")
def everything() -> Facts:
    return lesson("apple-again")


def test_the_vectors_are_identical_going_in(fact: Facts) -> None:
    assert fact["difference going in"] == 0


def test_the_two_part_layer_by_layer(fact: Facts) -> None:
    assert np.array_equal(fact["cosines"].round(2), [1, 0.84, 0.55])
    assert np.array_equal(fact["苹果, bought"][2].round(2), [1.89, 0.11])
    assert np.array_equal(fact["苹果, launched"][2].round(2), [-0.15, 2.15])


def test_apple_takes_from_the_cues_in_each_sentence(fact: Facts) -> None:
    assert np.array_equal((100 * fact["weights, bought"][0]).round(1), [4.0, 4.0, 67.6, 4.0, 16.4, 4.0])
    assert np.array_equal((100 * fact["weights, launched"][0]).round(1), [2.5, 42.3, 2.5, 10.3, 42.3])


def test_causally_a_first_word_stays_what_it_was(fact: Facts, here: Facts) -> None:
    assert fact["causal change"] == 0
    deeper, _ = here["run"](here["launched"], n_layers=12, causal=True)
    assert np.array_equal(deeper[12, 0], deeper[0, 0])


def test_a_later_word_carries_the_sense(fact: Facts) -> None:
    carriers = fact["carriers"]
    assert np.array_equal(carriers["苹果, causal"], [0, 0, 0])
    assert carriers["它, causal"][2].round(2) == 1.60
    assert carriers["它, encoder"][2].round(2) == 1.82
    assert np.array_equal((100 * fact["weights of 它"]).round(1), [29.8, 29.8, 1.8, 7.2, 29.8, 1.8])


def test_it_can_take_the_sense_from_apple_only_where_apple_has_it(fact: Facts) -> None:
    assert fact["它 from 苹果, causal"] == [0, 0]
    assert fact["它 from 苹果, encoder"][0] == 0
    assert round(fact["它 from 苹果, encoder"][1], 2) == 0.26


def test_what_words_hand_over_adds_up_to_the_change(fact: Facts) -> None:
    assert fact["gifts"].sum() == pytest.approx(fact["reading, launched"][1], rel=1e-12)
    assert np.array_equal(fact["gifts"][1], np.zeros(5))


def test_the_largest_weight_has_no_effect_on_what_is_read(fact: Facts) -> None:
    largest = fact["weights, launched"].argmax()
    assert largest == 5 + 2  # head B, 了
    assert fact["reading without 了 in B"] == fact["reading, launched"][2]
    assert fact["vector moved"].round(2) == 2.05


def test_one_cue_stands_in_for_another(fact: Facts) -> None:
    after = dict(
        zip(["none", "了", "发布", "iPhone", "both", "all"], fact["readings, words hidden"][:, 2], strict=True)
    )
    assert {name: reading.round(2) for name, reading in after.items()} == {
        "none": 2.31,
        "了": 2.48,
        "发布": 2.04,
        "iPhone": 2.04,
        "both": 0.87,
        "all": 0,
    }


def test_bank_is_settled_by_river_or_money_on_the_visible_side(fact: Facts) -> None:
    assert np.array_equal(fact["bank"][:, 2].round(2), [-1.85, 0, 1.98, 2.63])


def test_exercises_are_solved_and_their_checks_refuse(fact: Facts, here: Facts) -> None:
    assert fact["undecided"] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match=r"too easy"):
        here["check_undecided"](["我", "苹果"])
    with pytest.raises(ValueError, match=r"give a reading of -"):
        here["check_undecided"](["买", "苹果"])
    with pytest.raises(ValueError, match=r"give 0\.00"):
        here["check_order"](here["launched"])
    with pytest.raises(ValueError, match=r"are not the words"):
        here["check_order"](["苹果"])
    with pytest.raises(ValueError, match=r"still hands over"):
        here["check_zero"](lambda w: w)
    with pytest.raises(ValueError, match=r"head B"):
        here["check_zero"](lambda w: 0 * w)


def test_the_trained_toy_parts_apple_where_it_sees_the_cue_and_needs_it(fact: Facts) -> None:
    rows = np.round(fact["toy: cosines"], 2).tolist()
    masked_verb, masked_first, causal_verb, causal_first, causal_it_verb, causal_it_first = rows
    assert (masked_verb, masked_first) == ([1, 0.96, 0.60], [1, 0.67, 0.49])
    assert (causal_verb, causal_first) == ([1, 0.98, 0.97], [1, 1, 1])
    assert (causal_it_verb, causal_it_first) == ([1, 0.47, 0.29], [0.86, 0.55, 0.15])


def test_hiding_the_toy_s_only_cue_takes_the_difference_away_and_one_of_many_does_not(fact: Facts) -> None:
    bought, bought_hidden, visited, visited_hidden = np.array(fact["toy: one word tells"])
    assert np.abs(bought_hidden - visited_hidden).max() <= 1e-3
    assert bought[0] > 0.97 > 0.3 > bought_hidden[0]
    assert visited[1] > 0.96 > 0.75 > visited_hidden[1]
    many = np.array(fact["toy: several words tell"])
    assert many[:-1].min() > 0.98
    assert np.round(many[-1], 3).tolist() == [0.971, 0.572]


def test_the_toy_says_much(fact: Facts) -> None:
    assert fact["toy: much"] >= 0.99
