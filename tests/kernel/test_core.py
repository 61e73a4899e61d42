"""The core is what runs: public functions give what it gives, to the last bit, and add few calls of their own."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import attention as package
from attention import (
    attend_block,
    attention,
    attention_backward,
    attention_scores,
    causal_mask,
    core,
    layer_norm,
    log_softmax,
    merge_blocks,
    merge_heads,
    multi_head_attention,
    repeat_heads,
    rms_norm,
    softmax,
    split_heads,
    tiled_attention,
)
from tests.bench import overhead
from tests.kernel.reports import Array

FOLDER = str(Path(package.__file__).parent)
INF, NAN = np.inf, np.nan


def drawn(*shapes: tuple[int, ...], dtype: str = "f8") -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def same_bits(ours: Any, theirs: Any) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 7, 6)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_is_the_core(dtype: str, shape: tuple[int, ...], is_causal: bool) -> None:
    q, k, v = drawn(shape, shape, shape, dtype=dtype)
    visible = core.causal(shape[-2], shape[-2]) if is_causal else True
    same_bits(attention(q, k, v, causal=is_causal), core.attend(q, k, v, visible))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_other_functions_are_the_core(dtype: str) -> None:
    x, *w = drawn((5, 8), (8, 8), (8, 4), (8, 4), (8, 8), dtype=dtype)
    heads = core.split_heads(x, 2)
    pairs = [
        (softmax(x), core.softmax(x)),
        (attention_scores(x, x), core.attention_scores(x, x)),
        (log_softmax(x), core.below_maximum(x) - np.log(np.exp(core.below_maximum(x)).sum(-1, keepdims=True))),
        (causal_mask(3, 5), core.causal(3, 5)),
        (split_heads(x, 2), heads),
        (merge_heads(heads), core.merge_heads(heads)),
        (repeat_heads(heads, 4), core.repeat_heads(heads, 4)),
    ]
    same_bits(*zip(*pairs, strict=True))
    bare = core.multi_head(x @ w[0], x @ w[1], x @ w[2], w[3], 4, 2)
    same_bits(multi_head_attention(x, *w, n_heads=4, n_kv_heads=2), bare)


def test_the_core_is_silent_and_an_empty_row_gives_zeros_there_too() -> None:
    q, k, v = drawn((2, 4), (3, 4), (3, 2))
    with np.errstate(all="raise"):
        _, weights, output = core.attend(q, k, v, np.array([[True, True, True], [False, False, False]]))
    assert weights[0].sum() == pytest.approx(1)
    assert not weights[1].any()
    assert not output[1].any()


def test_a_masked_key_of_the_core_may_hold_anything() -> None:
    q, k, v = drawn((2, 4), (3, 4), (3, 2))
    mask, clean = np.array([True, False, True]), k.copy()
    k[1] = NAN
    same_bits(core.attend(q, k, v, mask), core.attend(q, clean, v, mask))


# Each way to compute attention gives its output here.
PATHS: dict[str, Callable[..., Array]] = {
    "plain": lambda q, k, v: attention(q, k, v).output,
    "tiled": lambda q, k, v: tiled_attention(q, k, v, block_k=1),
    "readable tiles": lambda q, k, v: tiled_attention(q, k, v, mask=True, block_k=1),
    "merged": lambda q, k, v: merge_blocks(attend_block(q, k[:1], v[:1]), attend_block(q, k[1:], v[1:])).output,
}


@pytest.mark.parametrize("path", PATHS)
def test_scores_that_fit_are_finite_although_their_sums_of_products_do_not(path: str) -> None:
    q = np.full((1, 64), 4e18, np.float32)
    output = PATHS[path](q, np.concatenate([q, 0 * q]), np.float32([[1], [2]]))
    assert output.tolist() == [[1]]
    assert output.dtype == np.float32


def test_the_weights_of_such_scores_are_one_and_zero_and_their_gradients_finite() -> None:
    q = np.full((1, 64), 4e18, np.float32)
    k, v = np.concatenate([q, 0 * q]), np.float32([[1], [2]])
    assert attention(q, k, v).weights.tolist() == [[1, 0]]
    assert all(np.isfinite(gradient).all() for gradient in attention_backward(q, k, v, np.float32([[1]])))


@pytest.mark.parametrize("scale", [4.0, -4.0])
def test_a_scale_above_one_comes_last_for_scaled_queries_would_overflow(scale: float) -> None:
    q, k = np.float32([[2e38]]), np.float32([[1e-38]])
    assert attention_scores(q, k, scale) == pytest.approx(2 * scale)


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_a_value_that_is_not_finite_reaches_only_its_own_column_and_who_sees_it(value: float) -> None:
    q, k, v = drawn((3, 4), (3, 4), (3, 2))
    clean = attention(q, k, v, causal=True).output
    v[1, 0] = value
    output = attention(q, k, v, causal=True).output
    np.testing.assert_array_equal(output[0], clean[0])
    np.testing.assert_array_equal(output[:, 1], clean[:, 1])
    np.testing.assert_array_equal(output[1:, 0], [value, value])


def test_a_softmax_of_long_columns_rounds_as_one_of_long_rows() -> None:
    (rows,) = drawn((3, 10_000), dtype="f4")
    np.testing.assert_array_equal(softmax(rows.T, axis=0), softmax(rows).T)


@pytest.mark.parametrize("normalise", [softmax, log_softmax, layer_norm, rms_norm])
def test_rows_that_lie_apart_in_memory_round_as_rows_that_lie_together(normalise: Callable[[Array], Array]) -> None:
    (rows,) = drawn((3, 10_000), dtype="f4")
    np.testing.assert_array_equal(normalise(np.asfortranarray(rows)), normalise(rows))


def calls_inside(function: Callable[[], Any]) -> list[str]:
    """Return the names of the package's functions that a call of this one calls."""
    names: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(FOLDER):
            names.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return names


def test_arguments_are_checked_once_so_that_a_call_makes_few_others() -> None:
    q, k, v, *w = drawn((4, 4), (4, 4), (4, 4), *4 * [(4, 4)])
    calls = calls_inside(lambda: attention(q, k, v, causal=True))
    assert {"attention", "attend", "softmax"} <= set(calls)
    assert len(calls) <= 12, calls
    calls = calls_inside(lambda: multi_head_attention(q, *w, n_heads=2, causal=True))
    assert {"multi_head", "split_heads", "attend"} <= set(calls)
    assert len(calls) <= 40, calls


@pytest.mark.parametrize("name", overhead.pairs())
def test_the_benchmark_compares_functions_of_equal_answers(name: str) -> None:
    public, bare = overhead.pairs()[name]
    same_bits(public(), bare())
