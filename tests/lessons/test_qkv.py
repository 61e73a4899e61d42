"""The figures of chapter 2 are what its page says they are."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import split_qkv
from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def qkv(facts: Callable[[str], Facts]) -> Facts:
    return facts("qkv")


def test_the_small_example_by_hand(fact: Facts) -> None:
    assert np.array_equal(fact["small"], [[2, 1], [1, 2], [6, 0]])


def test_768_numbers_become_64_for_each_of_n_tokens(fact: Facts) -> None:
    assert fact["shapes"] == [(1, 768), (768, 64), (1, 64), (5, 768), (5, 64)]


def test_three_matrices_give_three_results(fact: Facts) -> None:
    q, k, v = fact["q, k, v"]
    assert min(np.abs(q - k).max(), np.abs(k - v).max(), np.abs(v - q).max()) > 1


def test_tokens_at_once_equal_one_at_a_time(fact: Facts) -> None:
    assert fact["one by one"] < 1e-13


def test_a_changed_token_changes_its_own_row_alone(fact: Facts) -> None:
    assert [list(rows) for rows in fact["rows that change"]] == [[2], [2], [2]]


def test_the_fused_matrix_is_768_by_2304_with_a_bias(fact: Facts) -> None:
    assert fact["fused"] == [(768, 2304), (2304,), (1, 768), (12, 1, 64)]
    assert fact["weights"] == [49_152, 147_456, 1_769_472, 1_771_776]
    assert fact["columns"][2, 11] + 64 - 1 == fact["last column"]


def test_slicing_the_fused_matrix_gives_the_same_q_k_v(fact: Facts) -> None:
    for sliced, split in zip(fact["head 3 by slicing"], fact["head 3 by splitting"], strict=True):
        assert sliced.shape == (1, 64)
        np.testing.assert_allclose(sliced, split, rtol=0, atol=1e-12, equal_nan=False)


def test_every_head_of_the_fused_matrix_starts_where_the_table_says() -> None:
    here = lesson("qkv")
    fused = here["x"] @ here["W_qkv"] + here["b_qkv"]
    for part, starts in zip(split_qkv(fused, 12), here["columns"], strict=True):
        for head, start in enumerate(starts):
            assert np.array_equal(part[:, 64 * head : 64 * head + 64], fused[:, start : start + 64])


def test_heads_share_the_width_by_convention_only(fact: Facts) -> None:
    model, _, _, together = fact["widths"].T
    assert list(model == together) == [True, True, True, True, False]
    assert list(fact["widths"][-1]) == [3584, 16, 256, 4096]


def test_a_matrix_is_blind_to_704_directions(fact: Facts) -> None:
    assert fact["directions that q cannot see"] == 704
    assert fact["length of the change"] > 0.9 * fact["length of x"]
    assert fact["q moves"] < 1e-12
    assert fact["k moves"] > 0.5


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["exercise: shape"] == [1024, 3072]
    assert fact["exercise: columns"] == [1216, 1280]


def test_the_checks_refuse_wrong_answers_and_say_what_was_given() -> None:
    here = lesson("qkv")
    with pytest.raises(ValueError, match="768 rows"):
        here["check_shape"](768, 2304)
    with pytest.raises(ValueError, match="1024 columns"):
        here["check_shape"](1024, 1024)
    with pytest.raises(ValueError, match="columns 448 to 512 are not head 7's key"):
        here["check_columns"](448, 512)
    with pytest.raises(ValueError, match=re.escape("q: you [  0   1   2 100 101 102], right [0 1 2 3 4 5]")):
        here["check_interleaved"](split_qkv)
