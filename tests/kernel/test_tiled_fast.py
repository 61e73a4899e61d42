"""The fast path: when it is taken, how it shares out its work, and that its products stay small."""

import os
import sys
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import pytest

from attention import attention, tiled, tiled_attention
from attention.fast import kernel, products
from attention.tiles import Band, tiles
from tests.kernel.reports import Array, close


def drawn(*shape: int, dtype: Any = np.float32) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(dtype) for _ in range(3)]


def takes_the_fast_path(*arrays: Any, **options: Any) -> bool:
    with mock.patch.object(tiled, "attend_fast", wraps=kernel.attend_fast) as fast:
        output = tiled_attention(*arrays, **options)
    assert close(output, attention(*arrays, **options).output, 1e-2)
    return bool(fast.called)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8])
@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": 3}, {"scale": 2}])
def test_finite_arrays_of_one_dtype_take_it(dtype: Any, options: dict[str, Any]) -> None:
    assert takes_the_fast_path(*drawn(2, 5, 4, dtype=dtype), **options)


@pytest.mark.parametrize("options", [{"mask": True}, {"bias": 0.0}, {"softcap": 3.0}])
def test_masks_bias_and_softcap_are_left_to_the_readable_path(options: dict[str, Any]) -> None:
    assert not takes_the_fast_path(*drawn(5, 4), **options)


def test_mixed_dtypes_are_left_to_the_readable_path() -> None:
    q, k, v = drawn(5, 4)
    assert not takes_the_fast_path(q, k.astype(np.float64), v)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 3e38, -1e20])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_later_token_of_whatever_kind_leaves_earlier_rows_bit_identical(which: int, value: float) -> None:
    arrays = q, k, v = drawn(2, 300, 16)
    before = tiled_attention(q, k, v, causal=True)
    arrays[which][1, 200, 3] = value
    after = tiled_attention(q, k, v, causal=True)
    assert np.array_equal(before[:, :200], after[:, :200])
    expected = attention(q, k, v, causal=True).output
    np.testing.assert_allclose(after, expected, rtol=1e-5, atol=1e-6, equal_nan=True)
    assert not np.array_equal(before[1, 200:], after[1, 200:])


def test_scores_that_would_overflow_are_computed_as_plain_attention_does() -> None:
    big = np.full((2, 2), 1e18, np.float32)
    band = Band.of(2, 2)
    assert kernel.zero_extremes(big, big, big, band, scale=1)[0] == 2
    assert kernel.zero_extremes(big, big, big, band, scale=1e3)[0] == 0


def test_an_extreme_key_that_no_query_sees_costs_nothing() -> None:
    q, k, v = drawn(4, 2)
    k[3] = np.nan
    first, (_, clean, _) = kernel.zero_extremes(q[:3], k, v, Band(4, 0, 0, 4), scale=1)
    assert first == 3
    assert np.array_equal(clean[:3], k[:3])
    assert not clean[3].any()


def test_any_number_of_threads_gives_the_same_bits() -> None:
    q, k, v = drawn(7, 300, 16)
    answers = []
    for cores in (1, 2, 5, 99):
        with mock.patch.object(kernel, "_cores", return_value=cores):
            answers.append(tiled_attention(q, k, v, causal=True, block_q=64))
    assert all(np.array_equal(answers[0], answer) for answer in answers)
    assert close(answers[0], attention(q, k, v, causal=True).output, 1e-5)


def test_a_head_alone_gives_the_bits_that_it_gives_among_others() -> None:
    q, k, v = drawn(7, 300, 16)
    together = tiled_attention(q, k, v, causal=True)
    assert all(np.array_equal(tiled_attention(q[i], k[i], v[i], causal=True), head) for i, head in enumerate(together))


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": 5}, {"causal": True, "window": 5}], ids=str)
@pytest.mark.parametrize("n_q", [4, 12, 20])
def test_a_mask_covers_what_is_hidden_and_begins_with_it(options: dict[str, Any], n_q: int) -> None:
    band = Band.of(n_q, 12, **options)
    for queries, keys in product(tiles(range(n_q), 4), tiles(range(12), 6)):
        hidden, visible = kernel._hidden(band, queries, keys), band.visible(queries, keys)
        expected = np.broadcast_to(np.logical_not(visible), (4, 6))
        assert np.array_equal(expected[:, 6 - hidden.shape[1] :], hidden)
        assert not expected[:, : 6 - hidden.shape[1]].any()
        assert hidden.size == 0 or band.behind < 12 or hidden[:, 0].any()


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("fault", [RuntimeError("in a thread"), IndexError("in a thread")], ids=repr)
def test_a_fault_in_a_thread_bandes_the_caller(cores: int, fault: Exception) -> None:
    here = mock.patch.object(kernel, "_cores", return_value=cores)
    there = mock.patch.object(kernel, "_attend_strip", side_effect=fault)
    with here, there, pytest.raises(type(fault), match="in a thread"):
        tiled_attention(*drawn(3, 300, 16))


def test_a_tile_of_a_strip_overwrites_the_one_before_it() -> None:
    with mock.patch.object(kernel, "tile_scores", wraps=products.tile_scores) as computed:
        tiled_attention(*drawn(1, 300, 16), block_q=64, block_k=64)
    workspaces = {id(call.args[-1]) for call in computed.call_args_list}
    assert computed.call_count == 25
    assert len(workspaces) <= kernel._cores()


@pytest.mark.parametrize("cores", [1, 3, 40])
@pytest.mark.parametrize("heads", [0, 1, 2, 7])
@pytest.mark.parametrize("n_q", [0, 1, 50])
def test_every_strip_of_every_head_is_attended_to_once(cores: int, heads: int, n_q: int) -> None:
    q, k, v = np.ones((heads, n_q, 4)), np.ones((heads, 5, 4)), np.ones((heads, 5, 4))
    strip = mock.patch.object(kernel, "_attend_strip", wraps=kernel._attend_strip)
    with mock.patch.object(kernel, "_cores", return_value=cores), strip as attended:
        output = tiled_attention(q, k, v, block_q=16, block_k=16)
    assert sum(len(call.args[0]) for call in attended.call_args_list) == heads * -(-n_q // 16)
    assert np.array_equal(output, np.ones((heads, n_q, 4)))


def test_it_counts_the_cores_it_may_use_and_none_but_one_in_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 6}, raising=False)
    assert kernel._cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert kernel._cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert kernel._cores() == 1
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert kernel._cores() == 1


@pytest.mark.parametrize("width", [1, 8, 64, 80, 128, 256, 4096])
def test_no_piece_of_a_product_is_large_enough_for_a_blas_to_start_threads(width: int) -> None:
    with mock.patch.object(np, "matmul", wraps=np.matmul) as product:
        tiled_attention(*drawn(200, width), causal=True)
    shapes = [(call.args[0].shape, call.args[1].shape) for call in product.call_args_list]
    assert shapes
    assert all(a[-2] * a[-1] * b[-1] <= products.SMALL_PRODUCT for a, b in shapes)


@pytest.mark.parametrize("span", [range(0, 200), range(70, 200), range(64, 128), range(3, 5), range(0)])
@pytest.mark.parametrize(("size", "side"), [(128, 64), (100, 64), (32, 32), (1, 1), (64, 8)])
def test_tiles_are_whole_pieces_but_the_last_and_cover_the_span(span: range, size: int, side: int) -> None:
    runs = list(products.full_tiles(span, size, side))
    covered = [i for run in runs for i in run]
    assert covered == list(range(covered[0], span.stop)) if span else not covered
    assert all(len(run) <= size for run in runs)
    assert all(len(run) % side == 0 for run in runs[:-1])
    assert not span or span.start - side < covered[0] <= span.start
