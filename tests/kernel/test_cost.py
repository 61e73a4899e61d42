"""Costs are counted right: against formulas written out by hand, published figures, and arrays that really exist."""

import dataclasses

import numpy as np
import pytest

from attention import (
    MODELS,
    Config,
    attention_flops,
    attention_scores,
    cache_bytes,
    causal_mask,
    layer_cache_bytes,
    layer_flops,
    matmul_flops,
    score_bytes,
    sliding_window_mask,
)

GPT2 = MODELS["gpt2"]


def counted_flops(m: int, k: int, n: int) -> int:
    """Multiply two matrices by hand and count: one multiplication and one addition for each step."""
    flops = 0
    for _ in range(m * n):
        for _ in range(k):
            flops += 2
    return flops


@pytest.mark.parametrize("sizes", [(7, 5, 3), (1, 1, 1), (0, 3, 2), (4, 2, 9)])
def test_a_product_costs_what_counting_says(sizes: tuple[int, int, int]) -> None:
    assert matmul_flops(*sizes) == counted_flops(*sizes)


@pytest.mark.parametrize("n", [1, 128, 1024, 4608, 10_000])
@pytest.mark.parametrize("name", ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"])
def test_a_gpt2_layer_costs_24nd2_and_4n2d(name: str, n: int) -> None:
    d = MODELS[name].d_model
    assert attention_flops(MODELS[name], n) == 4 * n**2 * d
    assert layer_flops(MODELS[name], n) == 24 * n * d**2 + 4 * n**2 * d


@pytest.mark.parametrize(("n", "percent"), [(128, 2.7), (1024, 18.2), (4608, 50.0), (10_000, 68.5)])
def test_the_quadratic_share_grows_as_n_over_6d_plus_n(n: int, percent: float) -> None:
    share = attention_flops(GPT2, n) / layer_flops(GPT2, n)
    assert abs(share - n / (6 * 768 + n)) < 1e-15
    assert round(100 * share, 1) == percent


def test_grouped_heads_and_gates_are_counted_matrix_by_matrix() -> None:
    model, n = MODELS["llama-3-8b"], 10
    matrices = [(4096, 4096), (4096, 1024), (4096, 1024), (4096, 4096)] + 3 * [(4096, 14336)]
    assert layer_flops(model, n) == sum(2 * n * a * b for a, b in matrices) + 4 * n * n * 4096


def test_a_new_token_after_a_cache_pays_for_one_row() -> None:
    assert attention_flops(GPT2, 1, 1000) * 1000 == attention_flops(GPT2, 1000)
    total = sum(layer_flops(GPT2, 1, seen) for seen in range(1, 11))
    assert total < sum(layer_flops(GPT2, seen) for seen in range(1, 11)) / 5


def test_score_bytes_are_those_of_the_array() -> None:
    q = np.ones((12, 5, 64), np.float32)
    assert score_bytes(GPT2, 5, bytes_per_number=4) == attention_scores(q, q).nbytes
    assert score_bytes(GPT2, 1, 7, bytes_per_number=4) == attention_scores(q[:, :1], np.ones((7, 64), "f4")).nbytes


def test_ten_thousand_tokens_cost_what_the_chapter_says() -> None:
    layer = score_bytes(GPT2, 10_000)
    assert layer // 12 == 200_000_000  # one head: 200 MB
    assert round(layer / 12 / 2**20, 1) == 190.7  # in MiB
    assert layer == 2_400_000_000
    assert layer * GPT2.n_layers == 28_800_000_000


def test_per_layer_and_per_model_are_kept_apart() -> None:
    for model in MODELS.values():
        assert cache_bytes(model, 1) == model.n_layers * layer_cache_bytes(model, 1)
    assert cache_bytes(MODELS["llama-2-7b"], 4096) == 2 * 2**30  # 2 GiB in half precision
    assert cache_bytes(MODELS["smollm2-135m"], 1) == 2 * 30 * 3 * 64 * 2


def test_fewer_key_value_heads_make_the_cache_smaller_by_the_group() -> None:
    for model in MODELS.values():
        ungrouped = dataclasses.replace(model, n_kv_heads=model.n_heads)
        group = model.n_heads // model.n_kv_heads
        assert cache_bytes(ungrouped, 100) == group * cache_bytes(model, 100)


def test_a_windowed_layer_stops_growing_and_the_others_do_not() -> None:
    mistral, gemma = MODELS["mistral-7b"], MODELS["gemma-2-9b"]
    assert cache_bytes(mistral, 4096) == cache_bytes(mistral, 1_000_000)
    assert cache_bytes(mistral, 4095) < cache_bytes(mistral, 4096)
    grown = cache_bytes(gemma, 8192) / cache_bytes(gemma, 4096)
    assert grown == 1.5
    assert layer_cache_bytes(gemma, 100, window=10) == layer_cache_bytes(gemma, 10)
    assert cache_bytes(gemma, 0) == 0


def test_presets_are_whole_and_say_where_they_come_from() -> None:
    for name, model in MODELS.items():
        assert model.source, name
        assert model.n_heads % model.n_kv_heads == 0
        if name != "gemma-2-9b":  # the one whose heads together are wider than the model
            assert model.n_heads * model.d_head == model.d_model, name
    assert [MODELS[name].n_heads for name in ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl")] == [12, 16, 20, 25]


def test_a_configuration_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        GPT2.n_layers = 13  # type: ignore[misc]


def test_the_docs_say_what_a_flop_is() -> None:
    import attention.cost

    assert "One multiply-add counts as 2 FLOPs" in str(attention.cost.__doc__)


def test_sizes_from_numpy_do_not_overflow() -> None:
    sizes = (32, 4096, 32, 8, 128, 14336)
    plain, narrow = Config(*sizes, gated=True), Config(*map(np.int32, sizes), gated=True)  # type: ignore[arg-type]
    assert narrow == plain
    assert layer_flops(narrow, np.int32(4096)) == layer_flops(plain, 4096)  # type: ignore[arg-type]
    assert layer_cache_bytes(narrow, 1_000_000) == 4_096_000_000
    assert matmul_flops(*map(np.int32, (50_000, 50_000, 1))) == 5_000_000_000  # type: ignore[arg-type]


@pytest.mark.parametrize("n_q", [0, 1, 3, 6])
@pytest.mark.parametrize("n_k", [0, 1, 4, 6])
def test_pairs_that_a_mask_hides_are_not_counted(n_q: int, n_k: int) -> None:
    pair = attention_flops(GPT2, 1, 1)
    assert attention_flops(GPT2, n_q, n_k, causal=True) == pair * causal_mask(n_q, n_k).sum()
    for window in range(1, 9):
        for causal in (True, False):
            pairs = sliding_window_mask(n_q, n_k, window=window, causal=causal).sum()
            assert attention_flops(GPT2, n_q, n_k, causal=causal, window=window) == pair * pairs


def test_a_layer_saves_what_its_attention_saves() -> None:
    saved = attention_flops(GPT2, 1024) - attention_flops(GPT2, 1024, causal=True)
    assert saved == 4 * 768 * 1024 * 1023 // 2
    assert layer_flops(GPT2, 1024) - layer_flops(GPT2, 1024, causal=True) == saved
    assert layer_flops(GPT2, 1024, window=2) - layer_flops(GPT2, 1024, 0) == 4 * 768 * (3 * 1024 - 2)


def test_numbers_of_half_a_byte_are_counted_and_begun_bytes_are_whole() -> None:
    assert score_bytes(GPT2, 10, bytes_per_number=0.5) == 600
    assert layer_cache_bytes(GPT2, 10, bytes_per_number=0.5625) == 2 * 10 * 768 * 9 // 16  # Q4_0: 18 bytes for 32
    assert cache_bytes(GPT2, 10, bytes_per_number=np.float32(0.5)) * 4 == cache_bytes(GPT2, 10)
    odd = dataclasses.replace(GPT2, n_heads=1, n_kv_heads=1, d_head=1)
    assert score_bytes(odd, 3, bytes_per_number=0.5) == 5
    assert score_bytes(GPT2, 10**12, bytes_per_number=2) == 24 * 10**24


def test_a_flag_from_numpy_is_a_flag() -> None:
    assert dataclasses.replace(MODELS["llama-3-8b"], gated=np.bool_(True)) == MODELS["llama-3-8b"]
