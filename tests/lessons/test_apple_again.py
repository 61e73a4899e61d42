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
    assert (fact["reading, bought"][2].round(2), fact["reading, launched"][2].round(2)) == (1.79, -2.31)


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
    assert carriers["它, causal"][2].round(2) == -1.60
    assert carriers["它, encoder"][2].round(2) == -1.82


def test_what_words_hand_over_adds_up_to_the_change(fact: Facts) -> None:
    assert fact["gifts"].sum() == pytest.approx(fact["reading, launched"][1], rel=1e-12)
    assert np.array_equal(fact["gifts"][1], np.zeros(5))


def test_the_largest_weight_has_no_effect_on_what_is_read(fact: Facts) -> None:
    largest = fact["weights, launched"].argmax()
    assert largest == 5 + 2  # head B, 了
    assert fact["reading without 了 in B"] == fact["reading, launched"][2]
    assert fact["vector moved"].round(2) == 2.05


def test_one_cue_stands_in_for_another(fact: Facts) -> None:
    after = dict(zip(["none", "发布", "iPhone", "both", "all"], fact["readings, words hidden"][:, 2], strict=True))
    assert {name: reading.round(2) for name, reading in after.items()} == {
        "none": -2.31,
        "发布": -2.04,
        "iPhone": -2.04,
        "both": -0.87,
        "all": 0,
    }


def test_apple_is_the_same_row_in_every_sentence(fact: Facts) -> None:
    assert (fact["same row"], fact["id of 苹果"]) == (True, 64046)
    assert (fact["layers, heads"], fact["heads in all"]) == ([12, 12], 144)
    assert fact["sentences"] == [44, 44]


def test_one_sense_is_closer_than_two_and_any_two_words_are_close_at_the_end(fact: Facts) -> None:
    alike = fact["alike"]
    kinds = ("fruit", "company", "across", "any two words")
    assert [alike[kind][7].round(3) for kind in kinds] == [0.913, 0.909, 0.854, 0.355]
    assert [alike[kind][0].round(3) for kind in kinds[:3]] == [0.966, 0.966, 0.967]
    assert alike["any two words"][12].round(3) == 0.749
    assert (np.minimum(alike["fruit"], alike["company"]) > alike["across"])[2:].all()


def test_some_heads_look_as_the_story_has_it_and_most_look_at_the_start(fact: Facts) -> None:
    assert fact["names of heads"] == ["L7·H4", "L7·H4", "L2·H6", "L2·H1"]
    assert fact["looks"].round(3).tolist() == [0.699, 0.407, 0.990, 0.568]
    assert (fact["looks, mean"].min().round(3), fact["looks, mean"].max().round(3)) == (0.037, 0.070)
    assert (min(fact["most on <s>"]), max(fact["most on <s>"])) == (115, 117)


def test_the_ruler_is_right_where_it_is_read(fact: Facts) -> None:
    zh, en = fact["right"]["zh"], fact["right"]["en"]
    assert (round(zh[1], 3), round(min(zh[2:]), 3), round(zh[12], 3)) == (0.580, 0.909, 0.955)
    assert max(en[:4]) < fact["limit"] == 0.85 < round(min(en[4:]), 3) == 0.966


def test_ate_is_fruit_released_the_company_and_bought_neither(fact: Facts) -> None:
    assert [round(value, 2) for value in fact["readings"]] == [1.05, -0.23, -1.03]
    assert [round(value, 2) for value in fact["interval of bought"]] == [-0.39, -0.05]


@pytest.mark.parametrize(
    ("verb", "word", "reading"),
    [("bought", "买了", 0.20), ("bought", "。", -0.79), ("ate", "吃", 0.19), ("released", "iPhone", -1.27)],
)
def test_hiding_a_word_takes_the_reading_so_far(fact: Facts, verb: str, word: str, reading: float) -> None:
    assert round(fact["hidden"][verb][word], 2) == reading


def test_hiding_bought_moves_the_reading_towards_fruit_whatever_the_sentences(fact: Facts) -> None:
    assert fact["shift of bought"][0] > 0.3
    assert round(fact["without the link"], 2) == 0.26


def test_a_measure_word_or_an_article_turns_the_reading(fact: Facts) -> None:
    assert [round(row[0], 2) for row in fact["measured"]] == [1.27, 1.18, -0.23, -0.85]
    assert (round(fact["English, bought"], 2), round(fact["English, hidden"]["an"], 2)) == (0.28, -0.73)


def test_each_language_is_judged_by_the_other_s_ruler(fact: Facts) -> None:
    lent = fact["by the other's ruler"]
    assert [round(lent[name][0], 3) for name in ("zh", "en")] == [0.523, 0.489]
    assert [round(lent[name][7], 3) for name in ("zh", "en")] == [0.943, 0.989]
    assert round(fact["cosine of the rulers"][7], 2) == 0.94
    assert [round(fact["pairs across"][pair], 2) for pair in ("fruit fruit", "fruit company")] == [0.25, -0.27]


def test_exercises_are_solved_and_their_checks_refuse(fact: Facts, here: Facts) -> None:
    assert [round(share, 2) for share in fact["share of the link"]] == [0.77, 0.90]
    with pytest.raises(ValueError, match=r"gave 4\.0, not 0\.25"):
        here["check_share"](lambda part, whole: whole)
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
