"""The figures of chapter 10 are what its page says they are."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import MODELS, attention_flops, layer_flops
from tests.conftest import ROOT, lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def cost(facts: Callable[[str], Facts]) -> Facts:
    return facts("cost")


def test_ten_times_the_tokens_are_a_hundred_times_the_scores(fact: Facts) -> None:
    assert fact["squares"].tolist() == [10_000, 1_000_000, 100_000_000]
    ratios = fact["seen"][1:] / fact["seen"][:-1]
    assert np.allclose(ratios, 100, rtol=0.01)
    assert fact["seen"].tolist() == [5_050, 500_500, 50_005_000]


def test_scores_of_ten_thousand_tokens_are_200_mb_a_head_2_4_gb_a_layer_28_8_gb_in_all(fact: Facts) -> None:
    assert fact["one head, MB"] == 200
    assert round(fact["one head, MiB"], 1) == 190.7
    assert fact["one layer, GB"] == 2.4
    assert fact["all layers, GB"] == 28.8


def test_gpt2s_own_window_takes_2_1_mb_a_head_and_302_in_all(fact: Facts) -> None:
    assert np.array_equal(fact["scores in MB"][0].round(1), [2.1, 25.2, 302.0])


def test_the_loop_counts_what_the_formula_says(fact: Facts) -> None:
    assert fact["counted"] == [48, 48]


@pytest.mark.parametrize("name", ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"])
@pytest.mark.parametrize("n", [1, 128, 1024, 4608, 10_000])
def test_a_layer_takes_24_n_d2_and_4_n2_d(name: str, n: int) -> None:
    d = MODELS[name].d_model
    assert layer_flops(MODELS[name], n) == 24 * n * d**2 + 4 * n**2 * d
    assert attention_flops(MODELS[name], n) == 4 * n**2 * d


def test_the_items_of_a_layer_add_up(fact: Facts) -> None:
    assert fact["steps"][:4].sum(axis=0) == pytest.approx(fact["steps"][4])
    assert fact["steps"][2:4, 1].sum() == pytest.approx(100 * fact["share at"][1024])


def test_the_quadratic_share_is_2_7_18_2_50_and_68_per_cent(fact: Facts) -> None:
    shares = [100 * fact["share at"][n] for n in (128, 1024, 4608, 10_000)]
    assert [round(share, 1) for share in shares] == [2.7, 18.2, 50.0, 68.5]
    assert int(shares[3]) == 68
    assert fact["crossings"].tolist() == [4608, 6144, 7680, 9600]


def test_slopes_fitted_to_counts_are_one_and_two(fact: Facts) -> None:
    assert fact["slopes of counts"] == pytest.approx([1, 2], abs=1e-9)
    assert fact["slopes of memory"] == pytest.approx([2, 1], abs=1e-9)
    low, high = fact["slopes of the total"]
    assert 1 < low < 1.1
    assert 1.8 < high < 2


def test_twelve_heads_take_the_operations_of_one_and_twelve_times_the_scores(fact: Facts) -> None:
    ratio, megabytes = fact["one wide head"]
    assert ratio == 1
    assert fact["scores in MB"][0, 1] == pytest.approx(12 * megabytes)


def test_the_times_in_the_lesson_are_those_of_the_record() -> None:
    here = lesson("cost")
    record = json.loads((ROOT / "snippets" / "lessons" / "data" / "cost-times.json").read_text("utf-8"))
    assert here["timed"].tolist() == record["tokens"]
    assert here["pairs_ms"].tolist() == record["pairs_ms"]
    assert here["rest_ms"].tolist() == record["rest_ms"]
    assert "/" not in json.dumps({key: record[key] for key in ("machine", "system", "python", "numpy")})


def test_recorded_times_grow_roughly_as_counted_and_meet_earlier(fact: Facts) -> None:
    rest, pairs = fact["slopes of times"]
    assert rest == pytest.approx(1, abs=0.15)
    assert pairs == pytest.approx(2, abs=0.25)
    assert 1024 < fact["crossing of times"] < 2048


def test_exercises_are_solved_and_wrong_answers_are_named(fact: Facts) -> None:
    here = lesson("cost")
    here["check_share"](here["share"])
    with pytest.raises(ValueError, match=r"gpt2, 128 tokens: given 1\.0000, counted"):
        here["check_share"](lambda n, d: 1.0)
    assert round(100 * fact["skipping the hidden half"][0], 1) == 10.0
    assert fact["longest"] == 25_819
    with pytest.raises(ValueError, match="need"):
        here["check_longest"](25_820)
    with pytest.raises(ValueError, match="one more"):
        here["check_longest"](25_818)
    assert fact["half way"] == 26_624
    with pytest.raises(ValueError, match="at 24576 tokens"):
        here["check_half"](6 * 4096)
