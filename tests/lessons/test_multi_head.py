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


def test_the_diagonal_wins_by_luck_in_29_per_cent_and_always_if_queries_are_keys(fact: Facts) -> None:
    made_own, made_previous, made_first, random, twins, luck = fact["counts"]
    assert made_own[0] == made_first[2] == twins[0] == 1
    assert made_previous[1] == pytest.approx(0.9)
    assert round(100 * random[0]) == 28
    assert round(100 * luck[0]) == 29
    assert fact["random head by head"].mean() == pytest.approx(random[0])
    assert (fact["random head by head"].min(), fact["random head by head"].max()) == pytest.approx((0.2, 0.4))


def test_no_row_of_a_count_is_decided_by_a_tie() -> None:
    here = lesson("multi-head")
    for weights in here["kinds"]:
        top_two = np.sort(weights, axis=-1)[..., 1:, -2:]
        assert (top_two[..., 1] - top_two[..., 0] > 1e-3).all()


def test_entropy_lies_below_that_of_even_rows(fact: Facts) -> None:
    assert np.array_equal(fact["counts"][:, 3].round(2), [0.11, 0.11, 0.11, 1.81, 0.06, 2.18])
    assert round(fact["most bits"], 2) == 2.18


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
