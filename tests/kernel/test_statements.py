"""What the reports say in words, each as a test whose name begins with the report's."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import (
    KVCache,
    attention,
    attention_backward,
    embed,
    multi_head_attention,
    padding_mask,
    real_positions,
    softmax,
    split_heads,
)
from tests.kernel.reports import REPORTS, Array, close, inputs, right

NAN, INF = np.nan, np.inf


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def test_k01_huge_scores_neither_warn_nor_overflow() -> None:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        weights = softmax(inputs("K01")["x"])
    assert np.isfinite(weights).all()
    assert abs(weights.sum() - 1) < 1e-15


def test_k04_a_row_with_infinity_is_nan_as_the_docs_say_and_spares_its_neighbours() -> None:
    weights = softmax(inputs("K04")["x"])
    assert np.isnan(weights[0]).all()
    assert np.isfinite(weights[1]).all()
    assert "a row with NaN or +inf gives NaN" in str(softmax.__doc__)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint64, bool])
def test_k06_integers_give_floating_weights(dtype: type) -> None:
    weights = softmax(np.array([[7, 4], [2, 2]]).astype(dtype))
    assert weights.dtype == np.float64
    assert close(weights.sum(axis=-1), [1, 1], 1e-15)


def test_k10_temperature_zero_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"temperature is 0\.0; it must be positive"):
        softmax([1.0, 2.0], temperature=0.0)


def test_k14_half_precision_keeps_what_its_own_scores_would_round_away() -> None:
    output = attention(**inputs("K14")).output
    assert output.dtype == np.float16
    assert abs(float(output[0, 0]) - 0.5) > 0.4


def test_k17_an_empty_batch_passes_through() -> None:
    shapes = REPORTS["K17"]["input"]
    options: dict[str, Any]
    for options in ({}, {"causal": True}, {"mask": np.ones((5, 3), bool)}, {"softcap": 2.0}):
        output = attention(*(np.zeros(shapes[f"{x}_shape"]) for x in "qkv"), **options).output
        assert output.shape == (0, 2, 5, 6)
        assert output.dtype == np.float64


def test_k19_strides_do_not_matter() -> None:
    arguments = inputs("K19")
    permuted: dict[str, Any] = {
        x: np.ascontiguousarray(a.transpose(1, 0, 2)).transpose(1, 0, 2) for x, a in arguments.items()
    }
    assert not any(a.flags.c_contiguous for a in permuted.values())
    assert close(attention(**permuted).output, right("K19"), 1e-12)
    backwards: dict[str, Any] = {x: a[..., ::-1] for x, a in arguments.items()}
    copies: dict[str, Any] = {x: a.copy() for x, a in backwards.items()}
    assert close(attention(**backwards).output, attention(**copies).output, 1e-12)


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_m11_zeros_and_ones_are_no_mask(dtype: type) -> None:
    q, k, v, mask = inputs("M11").values()
    with pytest.raises(TypeError, match=r"mask has dtype .*; it must be boolean"):
        attention(q, k, v, mask=mask.astype(dtype))
    assert close(attention(q, k, v, mask=mask.astype(dtype).astype(bool)).output, right("M11"), 1e-12)
    assert "A mask of 0 and 1 is no bias" in str(attention.__doc__)


def test_m13_lowest_numbers_added_up_hide_like_a_mask() -> None:
    q, k, v, _ = inputs("M13").values()
    lowest = np.full((1, 2), np.finfo(np.float32).min)
    with np.errstate(over="ignore"):
        twice = lowest + lowest
    assert close(attention(q, k, v, bias=np.where([True, False], 0, twice)).output, right("M13"), 2e-6)
    assert (attention(q, k, v, bias=twice).output == 0).all()
    assert np.isfinite(attention(q * 1e30, k, v, bias=lowest).output).all()


@pytest.mark.parametrize("garbage", [NAN, INF, -INF, 1e3])
@pytest.mark.parametrize("window", [None, 2])
def test_m21_the_future_does_not_change_the_past(garbage: float, window: int | None) -> None:
    q, k, v, _ = inputs("M21").values()
    before = attention(q, k, v, causal=True, window=window)
    changed = [np.vstack([x[:2], np.full_like(x[2:], garbage)]) for x in (q, k, v)]
    after = attention(*changed, causal=True, window=window)
    for was, now in zip(before, after, strict=True):
        np.testing.assert_array_equal(was[:2], now[:2])
    assert close(before.output[:2], right("M21")[:2], 1e-12)


@pytest.mark.parametrize("garbage", [NAN, INF, -INF])
def test_m03_garbage_in_a_value_shows_in_the_rows_that_see_it_and_in_no_other(garbage: float) -> None:
    q, k, v = drawn(3, 2), drawn(4, 2, seed=1), drawn(4, 2, seed=2)
    seen = np.array([[True, False, True, True], [True, True, False, True], [False, False, True, False]])
    clean = attention(q, k, v, mask=seen).output
    v[1, 0], v[3, 1] = garbage, garbage
    affected = np.stack([seen[:, 1], seen[:, 3]], axis=-1)
    output = attention(q, k, v, mask=seen).output
    assert not np.isfinite(output[affected]).any()
    np.testing.assert_allclose(output[~affected], clean[~affected], rtol=1e-14, equal_nan=False)
    np.testing.assert_array_equal(output[affected], np.full(affected.sum(), garbage))


@pytest.mark.parametrize("garbage", [NAN, INF, 1e3])
def test_m21_nor_through_several_heads(garbage: float) -> None:
    x, w = drawn(4, 6), [drawn(6, 6, seed=seed) for seed in range(1, 5)]
    before = multi_head_attention(x, *w, n_heads=3, n_kv_heads=3, causal=True)
    x_after = np.vstack([x[:3], np.full((1, 6), garbage)])
    with np.errstate(invalid="ignore"):
        after = multi_head_attention(x_after, *w, n_heads=3, causal=True)
    np.testing.assert_array_equal(before.output[:3], after.output[:3])
    np.testing.assert_array_equal(before.weights[:, :3], after.weights[:, :3])


def test_a01_what_is_added_to_a_whole_row_changes_nothing() -> None:
    arguments = inputs("A01")
    triangular = attention(**arguments).output
    one_row = attention(**(arguments | {"bias": [[-2, -1, 0]]})).output
    assert close(triangular, one_row, 1e-12)


def test_a_bias_that_drowns_every_score_of_a_row_in_single_precision_is_warned_of() -> None:
    q, k, v = np.float32([[1, 2]]), np.float32([[1, 0], [3, 1]]), np.float32([[1], [2]])
    drowned = np.full((1, 2), -1e9, np.float32)
    assert attention(q, k, v, bias=drowned).weights.tolist() == [[0.5, 0.5]]
    exact = attention(*(x.astype(float) for x in (q, k, v)), bias=drowned).weights
    assert close(exact, attention(q, k, v).weights, 1e-6)
    assert "float32 rounds such sums to multiples of 64" in " ".join(str(attention.__doc__).split())
    assert np.spacing(np.float32(1e9)) == 64


def test_h05_a_width_that_does_not_divide_is_named() -> None:
    w = np.eye(10)
    with pytest.raises(ValueError, match="its width 10 cannot be cut into 3 equally wide heads"):
        multi_head_attention(drawn(2, 10), w, w, w, w, n_heads=3)
    with pytest.raises(ValueError, match="its width 10 cannot be cut into 3 equally wide heads"):
        split_heads(drawn(2, 10), 3)


def test_h07_a_width_that_does_not_divide_is_refused_before_any_product(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_late(*_: object, **__: object) -> None:
        raise AssertionError("a projection was computed first")

    monkeypatch.setattr("attention.multi_head.linear", too_late)
    w = np.zeros((512, 512))
    with pytest.raises(ValueError, match="512 cannot be cut into 6"):
        multi_head_attention(np.zeros((1, 512)), w, w, w, w, n_heads=6)


@pytest.mark.parametrize("chunks", REPORTS["C05"]["input"]["chunkings"])
@pytest.mark.parametrize("capacity", [None, 6, 9])
def test_c05_any_chunking_gives_the_same_rows_and_stores_the_same(chunks: list[int], capacity: int | None) -> None:
    q, k, v, _ = inputs("C05").values()
    cache, rows = KVCache(capacity), []
    for tokens in np.split(np.arange(6), np.cumsum(chunks)[:-1]):
        cache.append(k[tokens], v[tokens])
        rows.append(cache.attend(q[tokens]).output)
    assert close(np.vstack(rows), right("C05"), 1e-12)
    np.testing.assert_array_equal(cache.k, k)
    np.testing.assert_array_equal(cache.v, v)


def test_c07_a_full_cache_refuses_the_next_token_and_stays_as_it_is() -> None:
    cache, k, v = KVCache(capacity=4), drawn(5, 2), drawn(5, 3, seed=1)
    cache.append(k[:3], v[:3])
    cache.append(k[3:4], v[3:4])
    with pytest.raises(ValueError, match=r"4 tokens .* 5; capacity is 4"):
        cache.append(k[4:], v[4:])
    assert len(cache) == 4
    np.testing.assert_array_equal(cache.k, k[:4])
    np.testing.assert_array_equal(cache.v, v[:4])


@pytest.mark.parametrize("free", [0.0, NAN])
def test_c10_free_slots_are_no_keys(free: float) -> None:
    q, k, v, _ = inputs("C10").values()
    cache = KVCache(capacity=8)
    cache.append(k, v)
    for buffer in cache._buffers:
        assert buffer.shape[-2] == 8
        buffer[3:] = free
    assert close(cache.attend(q).output, right("C10"), 1e-12)


def test_g03_heads_that_do_not_divide_are_named_on_every_path() -> None:
    q, kv = drawn(3, 4, 2), drawn(2, 4, 2)
    cache = KVCache()
    cache.append(kv, kv)
    paths: list[Callable[[], object]] = [
        lambda: attention(q, kv, kv),
        lambda: cache.attend(q),
        lambda: attention_backward(q, kv, kv, q),
        lambda: multi_head_attention(
            drawn(4, 6), drawn(6, 6), drawn(6, 4), drawn(6, 4), drawn(6, 6), n_heads=3, n_kv_heads=2
        ),
    ]
    for path in paths:
        with pytest.raises(ValueError, match=r"3 query heads .* 2 key-value heads"):
            path()


def test_g05_the_cache_stores_the_key_value_heads_only() -> None:
    q, k, v, _ = inputs("G05").values()
    cache = KVCache()
    cache.append(k, v)
    assert cache.k.shape[0] == cache.v.shape[0] == 1
    assert close(cache.attend(q).output, right("G05"), 1e-12)
    repeated = attention(q, np.repeat(k, 4, axis=0), np.repeat(v, 4, axis=0), causal=True).output
    np.testing.assert_array_equal(cache.attend(q).output, repeated)


def test_d01_a_key_hidden_from_all_has_no_gradient() -> None:
    gradients = attention_backward(**inputs("D01"))
    assert (gradients.dk[2] == 0).all()
    assert (gradients.dv[2] == 0).all()
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_d03_a_query_with_nothing_to_see_has_no_gradient() -> None:
    assert all((gradient == 0).all() for gradient in attention_backward(**inputs("D03")))
    arguments = inputs("D03") | {"mask": None, "bias": [[-INF, -INF]]}
    assert all((gradient == 0).all() for gradient in attention_backward(**arguments))


def test_p01_one_position_too_many_is_refused_with_both_numbers() -> None:
    tokens, positions = drawn(7, 2), np.zeros((1024, 2))
    assert embed(np.zeros(1024, int), tokens, positions).shape == (1024, 2)
    with pytest.raises(ValueError, match="needs 1025 rows, it has 1024"):
        embed(np.zeros(1025, int), tokens, positions)


def test_p09_positions_of_padded_prompts_come_from_the_mask() -> None:
    real = np.array(REPORTS["P09"]["input"]["attention_mask"])
    expected = REPORTS["P09"]["right"]["values"][0]["value"]
    assert np.where(real, real_positions(real), None).tolist() == expected


def test_m19_a_sequence_of_length_zero_gets_zeros() -> None:
    q, k, v, _ = inputs("M19").values()
    answer = attention(q, k, v, mask=padding_mask(REPORTS["M19"]["input"]["valid_lens"], 2))
    assert close(answer.output, right("M19"), 1e-12)
    assert (answer.weights[1] == 0).all()
