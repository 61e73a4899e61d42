"""The figures of chapter 1 are what its page says they are."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def same_word(facts: Callable[[str], Facts]) -> Facts:
    return facts("same-word")


def test_one_word_has_one_id_in_both_sentences(fact: Facts) -> None:
    first, second = fact["ids"]
    assert first[-1] == second[0] == 6


def test_looked_up_twice_and_subtracted_nothing_is_left(fact: Facts) -> None:
    assert np.array_equal(fact["token rows, subtracted"], np.zeros(6))


def test_related_words_are_close_and_unrelated_ones_are_not(fact: Facts) -> None:
    assert np.array_equal(np.round(fact["closeness"], 2), [0.98, 0.98, 0.14, 0.71, 0.69, 0.00])


def test_the_row_is_the_sum_of_its_uses(fact: Facts) -> None:
    assert np.array_equal(sum(fact["uses"]), fact["row of 苹果"])


def test_inputs_to_layer_1_differ_by_the_positions_and_nothing_else(fact: Facts) -> None:
    apart = fact["inputs, subtracted"]
    assert np.abs(apart).max() > 0.1
    np.testing.assert_allclose(apart, fact["positions, subtracted"], rtol=0, atol=1e-12, equal_nan=False)


def test_other_neighbours_in_the_same_place_change_no_bit_of_the_input(fact: Facts) -> None:
    assert np.array_equal(fact["among strangers"], np.zeros(6))


def test_after_attention_the_two_differ(fact: Facts) -> None:
    assert np.abs(fact["after attention, subtracted"]).max() > 0.1


def test_bought_moves_to_the_banana_and_released_to_microsoft(fact: Facts) -> None:
    assert np.array_equal(fact["pull"].round(2), [[0.71, 0.69], [0.71, 0.69], [0.76, 0.62], [0.39, 0.87]])


def test_in_a_real_model_the_word_is_one_id_and_one_row_in_both_sentences(fact: Facts) -> None:
    assert (fact["id of 苹果"], fact["same row"]) == (64046, True)
    assert fact["e5"] == [12, 12]


def test_in_a_real_model_the_two_part_and_all_words_crowd_together(fact: Facts) -> None:
    cosines = [round(c, 3) for c in fact["cosines"]]
    assert (cosines[0], cosines[7], cosines[12]) == (0.954, 0.8, 0.935)
    assert min(cosines) == cosines[7]
    assert [round(fact["any two words"][layer], 3) for layer in (0, 12)] == [0.112, 0.749]


def test_bank_does_the_same(fact: Facts) -> None:
    assert np.array_equal(fact["bank"].round(2), [[0.66, 0.74], [0.90, 0.43], [0.38, 0.92]])


def test_a_first_token_that_sees_itself_alone_stays_what_it_was(fact: Facts) -> None:
    assert np.array_equal(fact["first token, causal"], np.zeros(6))


def test_a_plain_average_comes_close_to_toy_attention_in_one_of_the_sentences(fact: Facts) -> None:
    assert np.abs(fact["plain average"] - fact["pull"][2:, 0]).round(2).tolist() == [0.01, 0.11]


def test_sizes(fact: Facts) -> None:
    assert fact["numbers in GPT-2's table"] == 38_597_376
    assert fact["GPT-2's vocabulary"] == 50257
    assert fact["GPT-2's ids"][" Apple"] == [4196]
    assert fact["GPT-2's ids"][" apple"] == [17180]
    assert len(fact["GPT-2's ids"]["苹果"]) == 6
    assert fact["bytes of 苹果"] == 6


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["another order"] < 1e-12
    assert np.array_equal(np.round(fact["fooled"], 2), [0.77, 0.62])


def test_the_checks_refuse_wrong_answers_and_say_what_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    here = lesson("same-word")
    with pytest.raises(ValueError, match=re.escape("[3. 4.], [4. 3.]: you 24.0, right 0.96")):
        here["check_cosine"](lambda a, b: a @ b)
    with pytest.raises(ValueError, match=re.escape("unknown ['梨']")):
        here["check_fooled"](["苹果", "发布", "梨"])
    with pytest.raises(ValueError, match="发布 missing"):
        here["check_fooled"](["苹果"])
    capsys.readouterr()
    here["check_fooled"](["苹果", "发布"])
    here["check_order"](0.5)
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "banana 0.557, Microsoft 0.813: not fooled",
        "you 0.5, computed 0.0: not quite",
    ]
