"""The figures of chapter 11 are what its page says they are, and every "equal" on it is equal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import MODELS, cache_bytes
from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def efficient(facts: Callable[[str], Facts]) -> Facts:
    return facts("efficient")


def test_the_example_is_the_one_worked_by_hand(fact: Facts) -> None:
    assert np.array_equal((100 * fact["weights"]).round(1), [[70.0, 1.3, 28.7]])
    assert np.array_equal(fact["kept"].round(2), [[10.00, 1.02, 5.90, 0.60], [9.11, 1.00, 2.00, 2.00]])


def test_two_blocks_merge_into_the_whole_and_their_average_does_not(fact: Facts) -> None:
    assert np.array_equal((100 * fact["shares"]).round(1), [71.3, 28.7])
    assert np.array_equal(fact["merged"].round(2), [[4.78, 1.00]])
    assert fact["merge error"] < 1e-14
    assert np.array_equal(fact["averaged"].round(2), [[3.95, 1.30]])


def test_blocks_of_any_size_give_the_plain_answer_to_rounding(fact: Facts) -> None:
    assert fact["sizes"] == [1000, 100, 10, 1]
    assert max(fact["stream errors"]) < 1e-14
    assert fact["tiled error"] < 1e-14


def test_memory_grows_as_tokens_times_block_not_as_tokens_squared(fact: Facts) -> None:
    assert fact["held"] == [8_000_000, 800_000, 80_000, 8_000]
    growth = [np.diff(np.log10(fact[name])).round(9).tolist() for name in ("all scores", "strip, MB", "tile, MB")]
    assert growth == [[2, 2, 2], [1, 1, 1], [0, 0, 0]]
    assert fact["all scores, TB"] == 2
    assert round(fact["tile, MB"][-1], 2) == 0.26
    assert fact["q, k, v and output, MB"][-1] == pytest.approx(512)


def test_the_cache_gives_what_all_tokens_at_once_give(fact: Facts) -> None:
    assert fact["cache error"] < 1e-14
    assert fact["again"] == [500_500, 333_833_500]
    assert fact["with cache"] == [1000, 500_500]
    assert fact["times fewer scores"] == pytest.approx(667)


def test_cache_bytes_per_token(fact: Facts) -> None:
    expected = {"gpt2": 36_864, "llama-2-7b": 524_288, "llama-3-8b": 131_072, "falcon-7b": 8_192}
    assert {name: fact["per token"][name] for name in expected} == expected
    assert fact["per token"] == {name: cache_bytes(config, 1) for name, config in MODELS.items()}
    assert [row[-1] for row in fact["sizes of models"]] == list(fact["per token"].values())


def test_shared_keys_are_copied_keys_and_leave_less_to_choose_from(fact: Facts) -> None:
    assert fact["group error"] == 0
    assert fact["shared"] == [[12, 1536, 3072], [4, 512, 1024], [1, 128, 256]]
    assert fact["ranks"] == [48, 16, 4]


def test_a_window_stops_the_cache_from_growing(fact: Facts) -> None:
    rounded = {name: np.round(sizes, 2).tolist() for name, sizes in fact["GB"].items()}
    assert rounded["mistral-7b"] == [0.54, 0.54]
    assert rounded["llama-3-8b"] == [0.54, 4.29]
    assert rounded["llama-3-8b"][1] < rounded["gemma-2-9b"][1] < rounded["llama-2-7b"][1]
    assert 2 * fact["windowed layers of gemma-2-9b"] == MODELS["gemma-2-9b"].n_layers


def test_stacked_windows_relay_what_each_of_them_cuts_off(fact: Facts) -> None:
    assert fact["farthest"] == [3, 6, 9, 12]
    assert fact["left after four layers"] == pytest.approx((1 / 4) ** 4)


def test_blocks_merge_in_any_order(fact: Facts) -> None:
    assert len(fact["order errors"]) == 4
    assert max(fact["order errors"]) < 1e-14


def test_bytes_that_a_machine_moves(fact: Facts) -> None:
    assert fact["moved"].tolist() == [[128, 264, 29_360_128], [14_680_064, 30_277_632, 29_360_128]]
    assert fact["numbers in a block"] == 64 + 2
    assert fact["ring over results"] > 100_000


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["one byte"] == 262_144
    assert fact["fitting"] == {"llama-2-7b": 16_384, "llama-3-8b": 65_536}
    assert fact["span of mistral-7b"] == 131_040


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        ("check_merge", lambda out_a, lse_a, out_b, lse_b: (out_a + out_b) / 2),
        ("check_fit", lambda config, n_bytes: n_bytes // (4 * config.n_layers * config.n_heads * config.d_head)),
        ("check_reach", lambda n_layers, window: n_layers * window),
    ],
)
def test_checks_refuse_a_plausible_wrong_answer(check: str, wrong: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"given|off by"):
        lesson("efficient")[check](wrong)
