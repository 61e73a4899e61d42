"""The figures of chapter 9 are what its page says they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import MODELS
from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def multi_head(facts: Callable[[str], Facts]) -> Facts:
    return facts("multi-head")


def test_one_even_head_cannot_tell_who_chases_whom_and_two_can(fact: Facts) -> None:
    assert np.array_equal(fact["one head"], [[3, 3], [3, 3]])
    assert np.array_equal(fact["two heads"], [[6, 6], [0, 0]])


def test_twelve_heads_of_64_make_768(fact: Facts) -> None:
    assert fact["GPT-2 small"] == [12, 64, 768, 768]
    assert fact["shapes"] == [(12, 5, 64), (12, 5, 5), (5, 768), (5, 768)]


def test_the_four_sizes_of_gpt2_have_12_16_20_and_25_heads_of_64(fact: Facts) -> None:
    assert fact["sizes"].tolist() == [[12, 768, 12, 64], [24, 1024, 16, 64], [36, 1280, 20, 64], [48, 1600, 25, 64]]
    assert fact["heads in all"].tolist() == [144, 384, 720, 1200]


def test_head_by_head_is_what_all_heads_at_once_give(fact: Facts) -> None:
    assert fact["steps off"] < 1e-12
    assert fact["loop off"] < 1e-12


def test_without_the_transpose_the_shape_is_right_and_the_numbers_are_not(fact: Facts) -> None:
    right = lesson("multi-head")["right_split"]
    assert right.shape == fact["wrong split"].shape
    assert right[1].tolist() == [[13, 14], [23, 24], [33, 34]]
    assert fact["wrong split"][0, 1].tolist() == [13, 14]


def test_three_tests_pass_the_wrong_split_and_the_fourth_does_not(fact: Facts) -> None:
    assert (fact["tests"][:3] < 1e-12).all()
    moved, stood = fact["tests"][3]
    assert round(moved, 3) == 1.815
    assert stood < 1e-12


def test_random_heads_look_at_themselves_by_luck_and_always_if_queries_are_keys(fact: Facts) -> None:
    random, twins = fact["by chance"]
    assert [f"{share:.0%}" for share in random] == ["9%", "0%", "20%"]
    assert twins == [1, 1, 1]
    assert fact["one row in ten"] == 0.1


def test_no_row_of_a_count_is_decided_by_a_tie() -> None:
    here = lesson("multi-head")
    for name in ("random", "twins"):
        top_two = np.sort(here[name].weights, axis=-1)[..., -2:]
        assert (top_two[..., 1] - top_two[..., 0] > 1e-5).all()


def test_the_ruler_knows_each_habit() -> None:
    winners = lesson("multi-head")["winners"]
    for at, habit in enumerate([np.eye(4), np.eye(4, k=-1), np.eye(4, k=1), np.eye(4)[[0] * 4], np.eye(4)[[3] * 4]]):
        assert winners(habit)[at] == (0.75 if at in (1, 2) else 1)


def test_in_minilm_the_diagonal_wins_2_per_cent_of_rows_and_the_opening_token_74(fact: Facts) -> None:
    assert fact["heads of MiniLM"] == [6, 12, 72]
    assert (fact["rows counted"], fact["sentences counted"]) == (123, 12)
    itself, _, _, opening, _ = fact["largest on average"]
    assert (round(100 * itself, 1), round(100 * opening, 1)) == (2.4, 74.2)
    assert round(100 * fact["luck here"], 1) == 8.1
    assert round(100 * fact["largest in one head"][0], 1) == 15.4
    assert fact["mostly [CLS]"] == 60


def test_one_head_looks_at_the_previous_token_one_at_the_next_and_none_at_itself(fact: Facts) -> None:
    here = lesson("multi-head")
    assert (here["largest"] > 0.5).sum(axis=(1, 2)).tolist() == [0, 1, 1, 60, 0]
    assert here["most_in"][1:3] == ["L0·H2", "L1·H8"]
    assert fact["largest in one head"][1] == 1
    assert round(100 * fact["largest in one head"][2], 1) == 77.2


def test_four_heads_differ_as_the_page_says(fact: Facts) -> None:
    assert round(100 * fact["previous"], 1) == 99.9
    assert [round(100 * share, 1) for share in fact["to [CLS]"]] == [86.8, 96.2]
    assert round(100 * fact["to iphone"], 1) == 97.6
    most, _, even = fact["bits"]
    assert fact["bits of the four"][2] == most
    assert (round(most, 2), round(even, 2)) == (3.36, 3.65)
    assert [round(bits, 2) for bits in fact["bits on this sentence"]] == [2.61, 3.00]
    assert fact["bits by layer"].round(2).tolist()[:2] == [2.79, 1.71]
    assert fact["bits by layer"].argmax() == 0
    assert fact["four heads"][0, 1] == fact["four heads"][1, 3] == 1


def test_the_head_that_looks_at_iphone_does_nothing_of_the_sort_in_the_other_sentence(fact: Facts) -> None:
    other = lesson("multi-head")["other"]
    shares = dict(zip(other["tokens"], other["apple in 0.1"], strict=True))
    assert max(shares, key=shares.__getitem__) == "[CLS]"
    assert (round(100 * shares["[CLS]"], 1), round(100 * shares["bought"], 1)) == (38.3, 14.7)
    assert round(100 * fact["four heads"][3, 3], 1) == 47.2


def test_a_head_64_wide_has_scores_of_rank_64(fact: Facts) -> None:
    assert fact["rank"] == 64
    assert fact["tokens of the rank test"] == 200


def test_four_matrices_hold_the_same_weights_for_any_number_of_heads(fact: Facts) -> None:
    assert fact["weights of four matrices"] == 4 * MODELS["gpt2"].d_model ** 2 == 2_359_296


def test_exercises_are_solved_and_wrong_answers_are_named(fact: Facts) -> None:
    here = lesson("multi-head")
    here["check_merge"](here["my_merge"])
    with pytest.raises(ValueError, match=r"became \[\[11, 12, 21, 22\]"):
        here["check_merge"](here["merge_wrong"])
    assert np.array_equal(np.round(fact["luck"], 3), [0.750, 0.293, 0.107])
    with pytest.raises(ValueError, match=r"2 tokens: given 0.500"):
        here["check_luck"](lambda n: 1 / n)
    matrices = [here[name] for name in ("w_q", "w_k", "w_v", "w_o")]
    with pytest.raises(ValueError, match="keep their order"):
        here["check_order"](*matrices)
    order = here["order"]
    with pytest.raises(ValueError, match="has moved by"):
        here["check_order"](*(w[:, order] for w in matrices[:3]), matrices[3])


def test_in_the_sentence_about_a_cold_heads_look_at_the_next_word_and_most_at_marks(fact: Facts) -> None:
    assert fact["cold: heads"][:4] == ["L2·H6", "L2·H6", "L2·H6", "L11·H0"]
    assert round(fact["cold: links"][3], 3) == 0.639
    assert [round(share, 2) for share in fact["cold: to marks"]] == [0.67, 0.80]
