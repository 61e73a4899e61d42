"""Every exhibit of chapter 15 is wrong as its page says, and caught by what its page says."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sitekit.languages import languages
from tests.conftest import lesson
from tests.kernel.mutants import MUTANTS, killer

Facts = dict[str, Any]
LESSON = lesson("wrong-on-purpose")

# exhibit: (check, wrong version, right version, the same fault among tests/kernel/mutants.py)
EXHIBITS = {
    "axis": ("check_rows", "wrong_axis", "attend", "softmax over the queries"),
    "no-scale": ("check_width", "wrong_scale", "attend", "√d missing"),
    "d-model": ("check_head_width", "wrong_width", "by_heads", "√d_model instead of √d_head"),
    "after": ("check_first", "wrong_after", "attend", "mask after softmax"),
    "polarity": ("check_hidden", "wrong_polarity", "attend", "mask polarity"),
    "finite": ("check_leak", "wrong_finite", "attend", "-1e4 for minus infinity"),
    "empty": ("check_empty", "wrong_empty", "attend", "empty row divides by 0"),
    "top-left": ("check_cached", "wrong_corner", "causal_mask", "causal top-left"),
    "reshape": ("check_split", "wrong_split", "split", "split without transpose"),
    "tile": ("check_share", "wrong_share", "share", "heads tiled, not repeated"),
    "values": ("check_values", "wrong_values", "by_heads", "V through W_k"),
}


@pytest.fixture(name="fact")
def wrong_on_purpose(facts: Callable[[str], Facts]) -> Facts:
    return facts("wrong-on-purpose")


@pytest.mark.parametrize("name", EXHIBITS)
def test_the_check_catches_the_wrong_version_and_passes_the_right_one(name: str) -> None:
    check, wrong, right, _ = EXHIBITS[name]
    LESSON[check](LESSON[right])
    with pytest.raises(AssertionError, match=r"\w+ "):
        LESSON[check](LESSON[wrong])


def guards(language: str) -> dict[str, str]:
    """The table of the page: exhibit and test."""
    text = (languages()[language].docs / "wrong-on-purpose.md").read_text("utf-8")
    return dict(re.findall(r"^ *\| \[[^\]]*\]\(#([\w-]+)\) \| `(\S+)` \|$", text, re.M))


@pytest.mark.parametrize("language", languages())
def test_the_page_names_a_guard_for_every_exhibit(language: str) -> None:
    assert list(guards(language)) == list(EXHIBITS)
    assert guards(language) == guards("zh")


@pytest.mark.parametrize("name", EXHIBITS)
def test_the_guard_fails_when_the_fault_is_put_into_the_package(name: str) -> None:
    (mutant,) = [mutant for mutant in MUTANTS if mutant.name == EXHIBITS[name][3]]
    guard = guards("zh")[name]
    assert killer(mutant, [f"tests/kernel/{guard}"]).startswith(guard.partition("::")[2])


def test_the_worked_example_is_too_tidy_to_notice_the_wrong_axis() -> None:
    (mutant,) = [mutant for mutant in MUTANTS if mutant.name == "softmax over the queries"]
    assert killer(mutant, ["tests/kernel/test_by_loops.py::test_the_worked_example_has_its_exact_numbers"]) == ""


def test_the_right_version_is_the_package_s(fact: Facts) -> None:
    assert fact["off"] < 1e-14
    assert fact["heads off"] < 1e-13


def test_a_row_along_the_wrong_axis_does_not_sum_to_1(fact: Facts) -> None:
    assert np.array_equal((100 * fact["axis sums"]).round(1), [110.0, 100.0])


def test_without_root_d_one_key_takes_98_2_percent(fact: Facts) -> None:
    assert np.array_equal((100 * fact["no scale"].max(axis=-1)).round(1), [98.2, 48.0])
    assert fact["dot product of ones"] == 16
    assert fact["its score"] == 4


def test_root_d_model_flattens_by_root_12(fact: Facts) -> None:
    assert round(fact["too flat"], 2) == 3.46
    assert np.array_equal((100 * fact["√d_model"].max(axis=-1)).round(1), [36.7, 65.7])


def test_a_mask_after_softmax_leaves_5_5_percent_of_the_whole(fact: Facts) -> None:
    assert np.array_equal((100 * fact["after sums"]).round(1), [5.5, 100.0])


def test_a_mask_upside_down_attends_to_the_padding_alone(fact: Facts) -> None:
    assert np.array_equal(fact["polarity"][0], [0, 0, 0, 1])
    assert fact["polarity"][1, 3] == 0


def test_minus_ten_thousand_does_not_hide_a_score_of_25456(fact: Facts) -> None:
    assert round(fact["hidden score"]) == 25456
    assert fact["finite"][0, 3] == 1
    assert fact["finite"][1, 3] == 0


def test_an_empty_row_is_nan_or_unmasked_or_zeros(fact: Facts) -> None:
    formula, minus, right = fact["empty"]
    assert np.isnan(formula).all()
    assert round(100 * minus[1], 1) == 96.5
    assert minus[:3] == pytest.approx(fact["polarity"][1, :3]), "as if there were no mask"
    assert (right == 0).all()


def test_a_top_left_mask_shows_the_last_token_the_first_one_alone(fact: Facts) -> None:
    assert np.array_equal(fact["corner"][0], [1, 0, 0])
    assert (fact["corner"][1] > 0).all()


def test_reshaping_gives_a_head_one_token_instead_of_two(fact: Facts) -> None:
    assert fact["split"].tolist() == [[0, 1, 2, 3], [0, 1, 4, 5]]
    assert LESSON["back"].tolist() == LESSON["counted"].tolist(), "there and back, and nothing noticed"


def test_tile_sends_two_of_six_heads_to_the_wrong_keys(fact: Facts) -> None:
    assert fact["read"].tolist() == [[1, 2, 1, 2, 1, 2], [1, 1, 1, 2, 2, 2]]


def test_values_through_w_k_are_other_numbers(fact: Facts) -> None:
    assert np.abs(fact["values"][0] - fact["values"][1]).min() > 0.1


def test_shapes_catch_none_nan_one_sums_three_comparison_all(fact: Facts) -> None:
    assert fact["caught"].tolist() == [0, 1, 3, 11]
    assert list(LESSON["exhibits"]) == list(EXHIBITS)


def test_exercises_are_solved(capsys: pytest.CaptureFixture[str]) -> None:
    LESSON["check_breaks"](0, 1, 2)
    LESSON["check_breaks"](0, 1, 2000)
    LESSON["check_blind"](2)
    LESSON["check_blind"](1)
    LESSON["check_symmetric"]([[3, 1], [1, 3]], [[3, 1], [1, 3]])
    right, wrong, shows, hides, same = capsys.readouterr().out.splitlines()
    assert right.endswith("right")
    assert wrong.endswith("wrong")
    assert shows.endswith("True")
    assert hides.endswith("False")
    assert same == "the two axes differ by up to 0"
