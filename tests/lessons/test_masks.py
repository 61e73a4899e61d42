"""What chapter 8 says of masks is what its lesson computes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lessonkit.labels import text
from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def masks(facts: Callable[[str], Facts]) -> Facts:
    return facts("masks")


def test_apple_at_the_start_cannot_see_what_was_released(fact: Facts) -> None:
    words = lesson("masks")["words"]
    assert [text(word, "zh") for word in words] == ["苹果", "发布", "了", "新款", "iPhone"]
    assert [text(word, "en") for word in words] == ["Apple", "released", "a", "new", "iPhone"]
    assert np.array_equal(fact["causal"][0], [True, False, False, False, False])
    assert fact["causal"][-1].all()


def test_a_hidden_score_leaves_the_shares_of_the_others_whole(fact: Facts) -> None:
    assert np.array_equal((100 * fact["hidden"]).round(1), [73.1, 26.9, 0])


def test_rows_before_a_changed_word_stay_bit_identical(fact: Facts) -> None:
    here = lesson("masks")
    same = here["read"](here["x"], causal=True) == here["read"](here["after"], causal=True)
    assert np.array_equal(same.all(axis=-1), [True, True, True, False, False])
    assert not (here["read"](here["x"]) == here["read"](here["after"])).all(axis=-1).any()


def test_who_knows_of_whom_is_the_causal_mask_after_one_layer_and_after_twelve(fact: Facts) -> None:
    assert np.array_equal(fact["measured"], np.tri(5, dtype=bool))
    assert np.array_equal(fact["deep"], np.tri(5, dtype=bool))
    assert len(lesson("masks")["matrices"]) == fact["layers"] == 12


def test_the_first_word_of_a_decoder_is_the_same_whatever_follows(fact: Facts) -> None:
    here = lesson("masks")
    assert here["company"][0] == here["fruit"][0]
    assert here["company"][-1] == here["fruit"][-1]
    (first, last), (encoder_first, _) = fact["two endings"]
    assert first == 0
    assert last > 0.1
    assert encoder_first > 0.1


def test_masks_combine_by_and(fact: Facts) -> None:
    assert np.array_equal(fact["padding"][:, 0].sum(axis=-1), [5, 3])
    assert np.array_equal(fact["causal and padding"].sum(axis=-1), [1, 2, 3, 3, 3])


def test_two_windowed_layers_reach_twice_as_far(fact: Facts) -> None:
    assert np.array_equal(fact["one windowed layer"], fact["window"])
    assert np.array_equal(fact["two windowed layers"], np.tri(6, dtype=bool) & ~np.tri(6, k=-5, dtype=bool))


def test_pairs_are_counted(fact: Facts) -> None:
    assert fact["all, causal, window"] == [1024, 528, 228]
    assert fact["kept"] == 450


def test_with_more_keys_than_queries_only_bottom_right_agrees_with_the_whole(fact: Facts) -> None:
    assert np.array_equal(fact["bottom-right"].sum(axis=-1), [4, 5])
    right, left = fact["off by"]
    assert right < 1e-14
    assert left > 1


def test_a_row_with_nothing_to_see_gives_zeros(fact: Facts) -> None:
    assert not fact["empty"].any()
    assert not fact["left padding"][:2].any()
    assert not lesson("masks")["out"].output[:2].any()


def test_minus_a_billion_shares_evenly_among_the_hidden(fact: Facts) -> None:
    assert np.array_equal(fact["large negative"], [[0.25, 0.25, 0.25, 0.25]])


def test_near_a_billion_float32_has_no_room_for_a_few_points(fact: Facts) -> None:
    assert fact["float32 steps near a billion"] == 64


def test_a_nan_in_a_hidden_value_changes_nothing() -> None:
    here = lesson("masks")
    assert np.array_equal(here["before"][:4], here["after_nan"][:4])


def test_a_mask_added_as_a_bias_hides_nobody(fact: Facts) -> None:
    assert (fact["wrong bias"] > 0).all()
    assert round(1 - fact["wrong bias"][0, 0], 3) == 0.652


def test_a_word_hidden_from_itself_still_knows_itself(fact: Facts) -> None:
    assert fact["shifted"].diagonal().all()


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["pairs"] == 95050
    assert fact["leaks of centred"] == 10
    lesson("masks")["check_leak"](lesson("masks")["mended"])
    lesson("masks")["check_prefix"](lesson("masks")["prefix_mask"])


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [
        ("check_prefix", lambda n, prefix: np.tri(n, dtype=bool), "n=5, prefix=2, row 0, column 1: given False"),
        ("check_pairs", 100_000, "given 100000, off by 4950"),
        ("check_leak", lambda x: x - x.mean(axis=0), "row 0 knows of 1; 10 such pairs"),
    ],
)
def test_a_wrong_answer_is_named(check: str, wrong: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lesson("masks")[check](wrong)
