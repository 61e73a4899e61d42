"""Dtypes in and out, and inputs that stay as they are: for every function that computes with floats."""

from collections.abc import Callable
from typing import Any, cast

import ml_dtypes  # also teaches NumPy the name bfloat16
import numpy as np
import pytest

from attention import (
    KVCache,
    attend_block,
    attention,
    attention_backward,
    attention_scores,
    embed,
    feed_forward,
    gelu,
    layer_norm,
    linear,
    log_softmax,
    merge_heads,
    multi_head_attention,
    project_qkv,
    repeat_heads,
    rms_norm,
    rotary,
    silu,
    softmax,
    softmax_backward,
    split_heads,
    tiled_attention,
)
from tests.kernel.reports import Array, close

EPS = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-13}
DTYPES = [np.dtype(ml_dtypes.bfloat16), *map(np.dtype, ("float16", "float32", "float64"))]


def one(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


# Every function that computes with floats, as a function of one dtype.
FUNCTIONS: dict[str, Callable[[Callable[..., Any]], Any]] = {
    "softmax": lambda a: softmax(a(3, 4)),
    "softmax with temperature": lambda a: softmax(a(3, 4), temperature=np.float64(2)),
    "log_softmax": lambda a: log_softmax(a(3, 4)),
    "attention": lambda a: attention(a(3, 2), a(4, 2), a(4, 5)).output,
    "weights": lambda a: attention(a(3, 2), a(4, 2), a(4, 5), mask=np.ones((3, 4), bool)).weights,
    "attention with options": lambda a: (
        attention(
            a(3, 2),
            a(4, 2),
            a(4, 5),
            scale=np.float64(0.5),
            softcap=np.float64(3),
            causal=True,
            window=cast(int, np.int64(2)),
        ).output
    ),
    "attention with another bias": lambda a: attention(a(3, 2), a(4, 2), a(4, 5), bias=np.zeros(4)).output,
    "attention_backward": lambda a: attention_backward(a(3, 2), a(4, 2), a(4, 5), a(3, 5), softcap=2.0).dk,
    "softmax_backward": lambda a: softmax_backward(a(3, 4), a(3, 4)),
    "multi_head_attention": lambda a: (
        multi_head_attention(a(3, 4), a(4, 4), a(4, 4), a(4, 4), a(4, 4), n_heads=2).output
    ),
    "heads' weights": lambda a: multi_head_attention(a(3, 4), a(4, 4), a(4, 4), a(4, 4), a(4, 4), n_heads=2).weights,
    "project_qkv": lambda a: project_qkv(a(3, 4), a(4, 4), a(4, 4), a(4, 4), b_v=a(4))[2],
    "linear": lambda a: linear(a(3, 4), a(4, 2), a(2)),
    "feed_forward": lambda a: feed_forward(a(3, 4), a(4, 8), a(8, 4), a(8), a(4)),
    "gated feed_forward": lambda a: feed_forward(a(3, 4), a(4, 8), a(8, 4), w_gate=a(4, 8), activation=silu),
    "layer_norm": lambda a: layer_norm(a(3, 4), a(4), a(4)),
    "rms_norm": lambda a: rms_norm(a(3, 4), a(4)),
    "gelu": lambda a: gelu(a(3, 4)),
    "gelu by tanh": lambda a: gelu(a(3, 4), approximate="tanh"),
    "silu": lambda a: silu(a(3, 4)),
    "rotary": lambda a: rotary(a(3, 4)),
    "interleaved rotary": lambda a: rotary(a(3, 4), np.arange(3), interleaved=True),
    "embed": lambda a: embed([0, 1], a(3, 4), a(2, 4)),
    "embed without positions": lambda a: embed([0, 1], a(3, 4)),
    "split_heads": lambda a: split_heads(a(3, 4), 2),
    "merge_heads": lambda a: merge_heads(a(2, 3, 4)),
    "repeat_heads": lambda a: repeat_heads(a(2, 3, 4), 4),
}
LAYOUT = ("split_heads", "merge_heads", "repeat_heads")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_goes_in_as_a_dtype_comes_out_as_that_dtype_and_near_the_exact_answer(
    name: str, dtype: np.dtype[Any]
) -> None:
    exact = FUNCTIONS[name](lambda *shape: one(*shape).astype(dtype).astype(float))
    answer = FUNCTIONS[name](lambda *shape: one(*shape).astype(dtype))
    assert answer.dtype == dtype
    scale = max(1.0, float(np.abs(exact).max()))
    assert close(answer.astype(float) / scale, exact / scale, EPS[dtype.name])


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_byte_order_of_the_input_changes_nothing(name: str, dtype: str) -> None:
    answer = FUNCTIONS[name](lambda *shape: one(*shape).astype(dtype))
    native = FUNCTIONS[name](lambda *shape: one(*shape).astype(dtype[1:]))
    np.testing.assert_array_equal(answer, native)
    assert name in LAYOUT or answer.dtype == native.dtype


def test_half_precision_of_the_other_byte_order_is_computed_in_float32() -> None:
    q, k, v = (np.array(x, ">f2") for x in ([[200, -200]], [[300, -300], [-300, 300]], [[1], [5]]))
    assert attention(q, k, v).output.tolist() == [[1]]
    assert tiled_attention(q, k, v).tolist() == [[1]]
    assert attend_block(q, k, v).output.tolist() == [[1]]


def test_a_cache_takes_arrays_of_both_byte_orders() -> None:
    cache = KVCache()
    for order in "<>":
        cache.append(np.ones((1, 2), f"{order}f4"), np.ones((1, 2), f"{order}f4"))
    assert len(cache) == 2
    assert cache.k.dtype == np.float32
    assert (cache.k == 1).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in LAYOUT])
def test_integers_come_out_as_float64(name: str, dtype: type) -> None:
    answer = FUNCTIONS[name](lambda *shape: np.ones(shape, dtype))
    assert answer.dtype == np.float64


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_input_is_changed_nor_needs_to_be_writable(name: str) -> None:
    pairs: list[tuple[Array, Array]] = []

    def locked(*shape: int) -> Array:
        array = one(*shape)
        pairs.append((array, array.copy()))
        array.flags.writeable = False
        return array

    FUNCTIONS[name](locked)
    assert pairs
    for array, copy in pairs:
        np.testing.assert_array_equal(array, copy)


def test_options_are_not_changed_either() -> None:
    q, mask, bias = one(3, 4), np.tri(3, dtype=bool), one(3, 3)
    copies = q.copy(), mask.copy(), bias.copy()
    cache = KVCache()
    cache.append(q, q)
    options = {"mask": mask, "bias": bias}
    cache.attend(q, **options)  # type: ignore[arg-type]
    attention_backward(q, q, q, q, **options)  # type: ignore[arg-type]
    assert list(options) == ["mask", "bias"]
    for array, copy in zip((q, mask, bias), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("pair", [("float16", "bfloat16"), ("bfloat16", "float16"), ("float32", "bfloat16")])
def test_two_halves_meet_in_float32(pair: tuple[str, str]) -> None:
    q, k = one(3, 4).astype(pair[0]), one(3, 4).astype(pair[1])
    assert attention(q, k, k).output.dtype == np.float32
    assert attention(q, q, k).output.dtype == np.float32
    assert attention(q, k, one(3, 4)).output.dtype == np.float64


def test_half_precision_scores_stay_in_float32() -> None:
    q = np.full((1, 2), 60000, np.float16)
    assert attention_scores(q, q).dtype == attention(q, q, q).scores.dtype == np.float32
    assert np.isfinite(attention_scores(q, q)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "options", [{}, {"bias": [[0.0] * 3]}, {"scale": np.float64(2)}, {"softcap": np.float64(2)}], ids=str
)
def test_scores_keep_their_dtype_whatever_is_mixed_in(dtype: str, options: dict[str, Any]) -> None:
    q = one(3, 4).astype(dtype)
    assert attention(q, q, q, **options).scores.dtype == np.dtype(dtype)
    assert attention(q, q, q, causal=True, **options).scores.dtype == np.dtype(dtype)
    assert attention_scores(q, q, options.get("scale")).dtype == np.dtype(dtype)
