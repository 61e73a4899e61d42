"""What does not fit is refused, and the message names the argument, what was given, and the rule."""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import attention as package
from attention import (
    MODELS,
    Config,
    KVCache,
    alibi_bias,
    alibi_slopes,
    attend_block,
    attention,
    attention_backward,
    attention_flops,
    attention_scores,
    cache_bytes,
    causal_mask,
    embed,
    feed_forward,
    gelu,
    layer_cache_bytes,
    layer_flops,
    layer_norm,
    linear,
    log_softmax,
    matmul_flops,
    merge_blocks,
    merge_heads,
    multi_head_attention,
    padding_mask,
    real_positions,
    repeat_heads,
    rms_norm,
    rotary,
    rotate_pairs,
    score_bytes,
    sliding_window_mask,
    softmax,
    softmax_backward,
    split_heads,
    split_qkv,
    tiled_attention,
    tiled_attention_backward,
    training_flops_per_token,
)
from tests.kernel.reports import Array


def ones(*shape: int) -> Array:
    return np.ones(shape)


def cached() -> KVCache:
    cache = KVCache()
    cache.append(ones(2, 3, 4), ones(2, 3, 5))
    return cache


Q, K, V = ones(3, 4), ones(5, 4), ones(5, 2)

REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    # shapes of q, k, v
    (lambda: attention(ones(3, 4), ones(5, 6), ones(5, 2)), ValueError, "q has shape (3, 4) and k (5, 6)"),
    (lambda: attention(ones(4), K, V), ValueError, "q has shape (4,) and k (5, 4): both must be (..., tokens, d_k)"),
    (lambda: attention(1.0, K, V), ValueError, "q has shape ()"),
    (lambda: attention(Q, ones(4), V), ValueError, "k (4,)"),
    (lambda: attention(Q, K, ones(5)), ValueError, "v has shape (5,); it must be (..., tokens, d_v)"),
    (
        lambda: attention(Q, K, ones(6, 2)),
        ValueError,
        "k has shape (5, 4) and v (6, 2): every key needs one value, 5 !=",
    ),
    (lambda: attention(Q, ones(0, 4), ones(0, 2)), ValueError, "k has shape (0, 4): there must be at least one key"),
    (lambda: attention(ones(3, 0), ones(5, 0), V), ValueError, "q has shape (3, 0): d_k must be at least 1"),
    (
        lambda: attention(ones(2, 3, 4), ones(5, 5, 4), ones(5, 5, 2)),
        ValueError,
        "(2, 3, 4) and k (5, 5, 4): on axis -3",
    ),
    (lambda: attention(ones(2, 3, 4), K, ones(5, 5, 2)), ValueError, "(2, 3, 4) and v (5, 5, 2): on axis -3"),
    (
        lambda: attention(ones(2, 1, 3, 4), ones(3, 1, 5, 4), V),
        ValueError,
        "q and k have shapes (2, 1, 3, 4), (3, 1, 5",
    ),
    (
        lambda: attention(ones(2, 1, 3, 4), K, ones(3, 1, 5, 2)),
        ValueError,
        "q, k and v have shapes (2, 1, 3, 4), (5, 4),",
    ),
    (lambda: attention(ones(0, 3, 4), ones(2, 5, 4), V), ValueError, "0 query heads must be a multiple of 2"),
    (lambda: attention(ones(2, 3, 4), ones(0, 5, 4), V), ValueError, "2 query heads must be a multiple of 0"),
    (lambda: attention_scores(ones(2, 1, 3, 4), ones(3, 1, 5, 4)), ValueError, "their leading axes must broadcast"),
    (lambda: attention([[1, 2], [3]], K, V), ValueError, "q is ragged"),
    # dtypes
    (lambda: attention(Q.astype(complex), K, V), TypeError, "q has dtype complex128; it must hold real numbers"),
    (lambda: attention(Q, K.astype(object), V), TypeError, "k has dtype object"),
    (lambda: attention(Q, K, V.astype(str)), TypeError, "v has dtype <U"),
    (lambda: softmax(["a"]), TypeError, "scores has dtype <U1"),
    (lambda: softmax(np.array(["2026-01-01"], "M8[D]")), TypeError, "scores has dtype datetime64"),
    # masks and biases
    (lambda: attention(Q, K, V, mask=np.ones((3, 4), bool)), ValueError, "mask has shape (3, 4); it must broadcast to"),
    (lambda: attention(Q, K, V, mask=np.ones((2, 5), bool)), ValueError, "the scores' (3, 5), (..., n_q, n_k)"),
    (lambda: attention(Q, ones(1, 4), ones(1, 2), mask=np.ones((3, 5), bool)), ValueError, "mask has shape (3, 5)"),
    (lambda: attention(Q, K, V, mask=np.ones((3, 0), bool)), ValueError, "mask has shape (3, 0)"),
    (lambda: attention(Q, K, V, mask=[[1, 0, 1, 0, 1]]), TypeError, "mask has dtype int64; it must be boolean"),
    (lambda: attention(Q, K, V, mask=np.zeros((3, 5))), TypeError, "mask has dtype float64; it must be boolean"),
    (lambda: attention(Q, K, V, bias=np.zeros((4, 5))), ValueError, "bias has shape (4, 5); it must broadcast to"),
    (
        lambda: attention(Q, K, V, bias=np.ones((3, 5), bool)),
        TypeError,
        "bias is boolean; a boolean mask goes into mask=",
    ),
    (lambda: attention(Q, K, V, bias=[["a"] * 5]), TypeError, "bias has dtype <U1"),
    (
        lambda: attention(Q, K, ones(2, 5, 2), mask=np.ones((3, 1, 5), bool)),
        ValueError,
        "scores (after mask and bias) and v have shapes (3, 3, 5), (2, 5, 2)",
    ),
    (
        lambda: attention(Q, K, V, mask=np.ones((3, 1, 5), bool), bias=ones(2, 1, 5)),
        ValueError,
        "mask has shape (3, 1, 5); it must broadcast to the scores' (2, 3, 5)",
    ),
    # windows, scales, temperatures
    (
        lambda: attention(Q, K, V, window=0),
        ValueError,
        "window is 0; it counts the current token, so it must be at least 1",
    ),
    (lambda: attention(Q, K, V, window=-2, causal=True), ValueError, "window is -2"),
    (lambda: attention(Q, K, V, window=2.0), TypeError, "window is 2.0; it must be an integer"),  # type: ignore[arg-type]
    (lambda: attention(Q, K, V, window=True), TypeError, "window is True; it must be an integer"),
    (lambda: sliding_window_mask(3, window=0), ValueError, "window is 0"),
    (lambda: attention(Q, K, V, softcap=0), ValueError, "softcap is 0; it must be positive"),
    (lambda: attention(Q, K, V, softcap=-1.0), ValueError, "softcap is -1.0"),
    (lambda: attention(Q, K, V, softcap=np.inf), ValueError, "softcap is inf; it must be finite"),
    (lambda: attention(Q, K, V, scale=np.nan), ValueError, "scale is nan; it must be finite in float64"),
    (
        lambda: attention(Q.astype("f4"), K.astype("f4"), V, scale=1e39),
        ValueError,
        "scale is 1e+39; it must be finite in f",
    ),
    (lambda: attention(Q, K, V, scale="1"), TypeError, "scale is '1'; it must be a real number"),  # type: ignore[arg-type]
    (lambda: softmax([1.0], temperature=0), ValueError, "temperature is 0; it must be positive"),
    (lambda: softmax([1.0], temperature=-1), ValueError, "temperature is -1"),
    (lambda: softmax([1.0], temperature=np.nan), ValueError, "temperature is nan; it must be finite"),
    (lambda: softmax(ones(2).astype("f4"), temperature=1e-50), ValueError, "not round to 0 in float32"),
    (lambda: log_softmax(ones(2).astype("f2"), temperature=1e50), ValueError, "it must be finite in float32"),
    (lambda: softmax([1.0], temperature=None), TypeError, "temperature is None; it must be a real"),  # type: ignore[arg-type]
    # axes
    (lambda: softmax(ones(2, 3), axis=2), ValueError, "axis is 2, but scores has shape (2, 3): it must lie in [-2, 2)"),
    (lambda: softmax(ones(2, 3), axis=-3), ValueError, "axis is -3"),
    (lambda: softmax(1.0), ValueError, "scores has shape ()"),
    (lambda: softmax(ones(2, 0)), ValueError, "scores has shape (2, 0): axis -1 is empty"),
    (lambda: softmax(ones(2), axis=None), TypeError, "axis is None; it must be one integer"),  # type: ignore[arg-type]
    (lambda: softmax(ones(2), axis=(0,)), TypeError, "axis is (0,); it must be one integer"),  # type: ignore[arg-type]
    # masks on their own
    (lambda: causal_mask(-1), ValueError, "n_q is -1; it counts tokens, so it must be at least 0"),
    (lambda: causal_mask(1, -1), ValueError, "n_k is -1"),
    (lambda: causal_mask(1.5), TypeError, "n_q is 1.5; it must be an integer"),  # type: ignore[arg-type]
    (lambda: padding_mask([1.0], 3), TypeError, "lengths has dtype float64; it must hold integers"),
    (lambda: padding_mask([True], 3), TypeError, "lengths has dtype bool"),
    (lambda: padding_mask([1, 4], 3), ValueError, "lengths run from 1 to 4; each must lie in [0, n_k] = [0, 3]"),
    (lambda: padding_mask([-1], 3), ValueError, "lengths run from -1 to -1"),
    (lambda: padding_mask([0], -3), ValueError, "n_k is -3"),
    # heads
    (
        lambda: split_heads(ones(2, 10), 3),
        ValueError,
        "x has shape (2, 10): its width 10 cannot be cut into 3 equally wide",
    ),
    (lambda: split_heads(ones(2, 10), 0), ValueError, "n_heads is 0"),
    (lambda: split_heads(ones(10), 2), ValueError, "x has shape (10,); it must be (..., tokens, width)"),
    (lambda: merge_heads(ones(2, 10)), ValueError, "x has shape (2, 10); it must be (..., n_heads, tokens, width)"),
    (
        lambda: repeat_heads(ones(2, 10), 2),
        ValueError,
        "x has shape (2, 10); it must be (..., n_kv_heads, tokens, width)",
    ),
    (lambda: repeat_heads(ones(2, 3, 4), 5), ValueError, "5 query heads cannot share 2 key-value heads"),
    (lambda: split_qkv(ones(2, 10), 2), ValueError, "fused has shape (2, 10): its width 10 cannot be cut into 6"),
    (lambda: split_qkv(ones(2, 10), 3, 2), ValueError, "3 query heads cannot share 2 key-value heads"),
    (lambda: split_qkv(1.0, 2), ValueError, "fused has shape (): it has no last axis to cut into 6 heads"),
    (lambda: multi_head_attention(ones(4), *[ones(4, 4)] * 4, n_heads=2), ValueError, "x has shape (4,); it must be"),
    (
        lambda: multi_head_attention(ones(2, 4), *[ones(4, 4)] * 4, n_heads=2, context=ones(4)),
        ValueError,
        "context has shape (4,); it must be (..., tokens, width)",
    ),
    (lambda: multi_head_attention(ones(2, 4), 1, *[ones(4, 4)] * 3, n_heads=2), ValueError, "w_q has shape ()"),
    (lambda: multi_head_attention(ones(2, 4), *[ones(4, 4)] * 4, n_heads=2, n_kv_heads=4), ValueError, "2 query heads"),
    (lambda: multi_head_attention(ones(2, 4), *[ones(4, 4)] * 4, n_heads=2, n_kv_heads=1), ValueError, "the same d_k"),
    (
        lambda: multi_head_attention(ones(2, 8), *[ones(8, 8)] * 4, n_heads=4, n_kv_heads=2),
        ValueError,
        "w_q has shape (8, 8) and w_k (8, 8), which makes 4 heads of 2 and 2 of 4",
    ),
    # layers
    (
        lambda: feed_forward(ones(2, 3), ones(3, 5), ones(5, 3), w_gate=ones(3, 1)),
        ValueError,
        "w_in has shape (3, 5) and w_gate (3, 1): they must be the same",
    ),
    (lambda: linear(ones(2, 3), ones(4, 5)), ValueError, "x has shape (2, 3) and w (4, 5)"),
    (lambda: linear(ones(2, 3), ones(3)), ValueError, "w (3,)"),
    (lambda: linear(1.0, ones(3, 3)), ValueError, "x has shape ()"),
    (lambda: linear(ones(2, 3), ones(3, 5), ones(4), suffix="_k"), ValueError, "w_k has shape (3, 5) and b_k (4,)"),
    (lambda: linear(ones(2, 3), ones(3, 5), ones(1)), ValueError, "b must be (d_out,)"),
    (lambda: feed_forward(ones(2, 3), ones(3, 5), ones(4, 3)), ValueError, "w_out (4, 3)"),
    (lambda: feed_forward(ones(2, 3), ones(3, 5), ones(5, 3), w_gate=ones(4, 5)), ValueError, "w_gate (4, 5)"),
    (lambda: feed_forward(ones(2, 3), ones(3, 5), None), TypeError, "w_out has dtype object"),  # type: ignore[arg-type]
    (
        lambda: multi_head_attention(ones(2, 4), ones(4, 4), ones(4, 4), ones(4, 4), ones(5, 4), n_heads=2),
        ValueError,
        "w_o (5, 4)",
    ),
    (
        lambda: multi_head_attention(ones(2, 4), ones(4, 4), ones(4, 4), ones(4, 4), ones(4, 4), n_heads=2, windw=3),  # type: ignore[call-arg]
        TypeError,
        "windw",
    ),
    (lambda: gelu(ones(2), approximate="erf"), ValueError, "approximate is 'erf'; it must be"),  # type: ignore[arg-type]
    (lambda: layer_norm(ones(2, 3), ones(2)), ValueError, "x has shape (2, 3) and weight (2,): weight must be (3,)"),
    (lambda: layer_norm(ones(2, 3), bias=ones(1)), ValueError, "bias must be (3,)"),
    (lambda: layer_norm(ones(2, 0)), ValueError, "x has shape (2, 0): axis -1 is empty"),
    (lambda: layer_norm(ones(2, 3), eps=0), ValueError, "eps is 0; it must be positive"),
    (lambda: rms_norm(ones(2, 3), ones(4)), ValueError, "weight must be (3,)"),
    (lambda: rms_norm(ones(2, 3), eps=-1e-5), ValueError, "eps is -1e-05"),
    # embeddings and rotations
    (
        lambda: embed([50257], ones(50257, 1)),
        ValueError,
        "ids go up to 50257: token_table needs 50258 rows, it has 50257",
    ),
    (lambda: embed([-1], ones(3, 1)), ValueError, "ids go down to -1; token_table has rows from 0 on"),
    (lambda: embed([0.0], ones(3, 1)), TypeError, "ids has dtype float64"),
    (lambda: embed(0, ones(3, 1)), ValueError, "ids has shape (); it must be (..., n)"),
    (lambda: embed([0], ones(3)), ValueError, "token_table has shape (3,); it must be (rows, d_model)"),
    (lambda: embed([0], ones(3, 1), positions=[0]), ValueError, "positions are given, but no position_table"),
    (lambda: embed([0, 0], ones(3, 1), ones(1, 1)), ValueError, "positions go up to 1: position_table needs 2 rows"),
    (
        lambda: embed([0, 0], ones(3, 1), ones(2, 2)),
        ValueError,
        "token_table is 1 wide and position_table 2: d_model must be one",
    ),
    (
        lambda: embed([0, 0], ones(3, 1), ones(3, 1), [0, 1, 2]),
        ValueError,
        "positions has shape (3,); it must broadcast to (2,)",
    ),
    (lambda: rotary(ones(2, 3)), ValueError, "x has shape (2, 3); it must be (..., tokens, d) with an even d"),
    (lambda: rotary(ones(4)), ValueError, "x has shape (4,)"),
    (lambda: rotary(ones(2, 4), [0, 1, 2]), ValueError, "positions has shape (3,); it must broadcast to (2,)"),
    (lambda: rotary(ones(2, 4), ones(3, 2)), ValueError, "positions has shape (3, 2); it must broadcast to (2,)"),
    (lambda: rotary(ones(2, 4), base=0), ValueError, "base is 0; it must be positive"),
    (lambda: rotate_pairs(ones(2, 3), 1.0, 0.0), ValueError, "x has shape (2, 3)"),
    (
        lambda: rotate_pairs(ones(2, 4), ones(2, 4), ones(2, 2)),
        ValueError,
        "cos has shape (2, 4); it must broadcast to",
    ),
    (
        lambda: rotate_pairs(ones(2, 4), ones(2, 2), ones(3, 2)),
        ValueError,
        "sin has shape (3, 2); it must broadcast to",
    ),
    # gradients
    (
        lambda: attention_backward(Q, K, V, ones(3, 3)),
        ValueError,
        "dout has shape (3, 3); it must have that of the output",
    ),
    (lambda: softmax_backward(ones(2), ones(3)), ValueError, "weights have shape (2,) and dweights (3,)"),
    (lambda: softmax_backward(ones(2), ones(2), axis=1), ValueError, "axis is 1, but weights has shape (2,)"),
    (lambda: softmax_backward(ones(2), ones(2), temperature=0), ValueError, "temperature is 0"),
    # the cache
    (lambda: KVCache(capacity=0), ValueError, "capacity is 0"),
    (lambda: KVCache().k, ValueError, "0 tokens are cached"),
    (lambda: KVCache().attend(ones(0, 2)), ValueError, "0 tokens are cached"),
    (lambda: KVCache().attend(ones(1, 2)), ValueError, "q has shape (1, 2), but 0 tokens are cached"),
    (lambda: cached().attend(ones(2, 4, 4)), ValueError, "q has shape (2, 4, 4), but 3 tokens are cached"),
    (lambda: cached().attend(ones(4)), ValueError, "q has shape (4,)"),
    (lambda: cached().append(ones(2, 1, 4), ones(2, 2, 5)), ValueError, "k has shape (2, 1, 4) and v (2, 2, 5)"),
    (lambda: cached().append(ones(4), ones(2, 1, 5)), ValueError, "k has shape (4,)"),
    (lambda: cached().append(ones(2, 1, 4), ones(3, 1, 5)), ValueError, "k and v have shapes (2, 1, 4), (3, 1, 5)"),
    (
        lambda: cached().append(ones(1, 1, 4), ones(1, 1, 5)),
        ValueError,
        "k has shape (1, 1, 4); what is cached has (2, n, 4)",
    ),
    (
        lambda: cached().append(ones(2, 1, 4), ones(2, 1, 6)),
        ValueError,
        "v has shape (2, 1, 6); what is cached has (2, n, 5)",
    ),
    (
        lambda: cached().append(ones(2, 1, 4).astype("f4"), ones(2, 1, 5)),
        TypeError,
        "k has dtype float32; what is cached",
    ),
    (lambda: cached().append(ones(2, 1, 4).astype(str), ones(2, 1, 5)), TypeError, "k has dtype <U"),
    # switches, numbers and arrays of the wrong kind
    (lambda: attention(Q, K, V, causal="top_left"), TypeError, "causal is 'top_left'; it must be True or False"),
    (lambda: tiled_attention(Q, K, V, causal=np.array([True])), TypeError, "causal is array([ True]); it must be True"),
    (lambda: attention_backward(Q, K, V, ones(3, 2), causal=1), TypeError, "causal is 1; it must be True or False"),
    (lambda: cached().attend(ones(2, 1, 4), causal="off"), TypeError, "causal is 'off'; it must be True or False"),
    (lambda: sliding_window_mask(3, window=2, causal="off"), TypeError, "causal is 'off'"),  # type: ignore[arg-type]
    (lambda: rotary(Q, interleaved="off"), TypeError, "interleaved is 'off'; it must be True or False"),  # type: ignore[arg-type]
    (lambda: attention(Q, K, V, scale=False), TypeError, "scale is False; it must be a real number, not a switch"),
    (lambda: softmax(Q, temperature=True), TypeError, "temperature is True; it must be a real number"),
    (lambda: attention(Q, K, V, scale=10**400), ValueError, "it must be finite in float64"),
    (lambda: softmax(Q, axis=True), TypeError, "axis is True; it must be one integer"),
    (lambda: attention(Q, K, np.ma.array(V, mask=V > 0)), TypeError, "v is a masked array, whose mask would be lost"),
    (lambda: attention([np.ma.array([1.0, 2.0], mask=[0, 1])], K, V), TypeError, "q holds a masked array, whose mask"),
    (lambda: softmax([[1.0, np.ma.masked]]), TypeError, "scores holds a masked array"),
    (lambda: embed(([1], [np.ma.array([2])]), Q), TypeError, "ids holds a masked array"),
    (lambda: attention(Q, K, V, mask=[[True], [True, False]]), ValueError, "mask is ragged"),
    (lambda: attention(Q, K, V, bias=[[1], [1, 2]]), ValueError, "bias is ragged"),
    (lambda: tiled_attention(Q, K, V, bias=[[1], [1, 2]]), ValueError, "bias is ragged"),
    (lambda: embed([[0], [1, 2]], V), ValueError, "ids is ragged"),
    (lambda: embed([0, 1], V, V, [[0], [1, 2]]), ValueError, "positions is ragged"),
    (lambda: padding_mask([[1], [1, 2]], 3), ValueError, "lengths is ragged"),
    (lambda: split_heads([[1], [1, 2]], 1), ValueError, "x is ragged"),
    (lambda: merge_heads([[1], [1, 2]]), ValueError, "x is ragged"),
    (lambda: split_qkv([[1], [1, 2]], 1), ValueError, "fused is ragged"),
    (lambda: cached().attend([[1], [1, 2]]), ValueError, "q is ragged"),
    (
        lambda: merge_blocks(attend_block(Q, K, V), attend_block(Q[:1], K, V)),
        ValueError,
        "blocks have outputs of shape (3, 2) and (1, 2): they must be of the same queries",
    ),
    (
        lambda: merge_blocks(attend_block(Q, K, V), attend_block(Q, K, V[:, :1])),
        ValueError,
        "blocks have outputs of shape (3, 2) and (3, 1)",
    ),
    # costs
    (lambda: matmul_flops(2.5, 3, 1), TypeError, "m is 2.5; it must be an integer"),  # type: ignore[arg-type]
    (lambda: matmul_flops(2, -3, 1), ValueError, "k is -3; it is a count"),
    (lambda: Config(0, 8, 2, 1, 4, 16), ValueError, "n_layers is 0"),
    (lambda: Config(1, 8, 3, 2, 4, 16), ValueError, "3 query heads cannot share 2 key-value heads"),
    (lambda: Config(1, 8, 2, 1, 4, 16, window=4), ValueError, "n_windowed_layers is 0 of 1, window is 4"),
    (lambda: Config(1, 8, 2, 1, 4, 16, n_windowed_layers=1), ValueError, "window is None"),
    (lambda: Config(1, 8, 2, 1, 4, 16, window=4, n_windowed_layers=2), ValueError, "n_windowed_layers is 2 of 1"),
    (lambda: Config(1, 8, 2, 1, 4, 16, window=0, n_windowed_layers=1), ValueError, "window is 0"),
    (lambda: Config(1.0, 8, 2, 1, 4, 16), TypeError, "n_layers is 1.0; it must be an integer"),  # type: ignore[arg-type]
    (lambda: causal_mask(2, align="left"), ValueError, """align is 'left'; it must be "bottom-right" or "top-left\""""),  # type: ignore[arg-type]
    (lambda: attention(Q, K, V, align=True), ValueError, "align is True"),  # type: ignore[arg-type]
    (lambda: tiled_attention(Q, K, V, align="top"), ValueError, "align is 'top'"),  # type: ignore[arg-type]
    (lambda: sliding_window_mask(3, window=None), TypeError, "window is None"),  # type: ignore[arg-type]
    (lambda: attention(Q, K, V, sink=ones(4)), ValueError, "sink has shape (4,); it must broadcast to (3, 1)"),
    (lambda: tiled_attention(Q, K, V, sink=ones(2, 1, 1)), ValueError, "sink has shape (2, 1, 1); it must broadcast"),
    (lambda: attention(Q, K, V, sink="deep"), TypeError, "sink has dtype"),  # type: ignore[arg-type]
    (lambda: attend_block(Q, K, V, causal=True, offset=1.5), TypeError, "offset is 1.5; it must be an integer"),  # type: ignore[arg-type]
    (lambda: attend_block(ones(3), K, V, causal=True), ValueError, "q has shape (3,) and k (5, 4)"),
    (lambda: attend_block(Q, K, V, causal="no"), TypeError, "causal is 'no'"),  # type: ignore[arg-type]
    (lambda: attend_block(Q, K, V, window=1, mask=ones(3, 5)), TypeError, "mask has dtype float64"),
    (lambda: tiled_attention_backward(Q, K, V, ones(3, 2), block_q=0), ValueError, "block_q is 0"),
    (lambda: alibi_slopes(0), ValueError, "n_heads is 0"),
    (lambda: alibi_bias(2, -1), ValueError, "n_q is -1"),
    (lambda: padding_mask([1], 2, "top"), ValueError, """side is 'top'; it must be "left" or "right\""""),  # type: ignore[arg-type]
    (lambda: real_positions([0, 1]), TypeError, "real has dtype int64; it must be boolean"),
    (lambda: real_positions(True), ValueError, "real has shape (); it must be (..., n)"),
    (lambda: Config(1, 8, 2, 1, 4, 16, gated="no"), TypeError, "gated is 'no'; it must be True or False"),  # type: ignore[arg-type]
    (lambda: Config(1, 8, 2, 1, 4, 16, source=None), TypeError, "source is None; it must be a str"),  # type: ignore[arg-type]
    (lambda: attention_flops(MODELS["gpt2"], -1), ValueError, "n_q is -1; it counts tokens"),
    (lambda: attention_flops({}, 3), TypeError, "config is {}; it must be a Config, such as MODELS"),  # type: ignore[arg-type]
    (lambda: layer_flops("gpt2", 3), TypeError, "config is 'gpt2'; it must be a Config"),  # type: ignore[arg-type]
    (lambda: training_flops_per_token(None, 3, 1), TypeError, "config is None"),  # type: ignore[arg-type]
    (lambda: score_bytes(12, 3), TypeError, "config is 12"),  # type: ignore[arg-type]
    (lambda: layer_cache_bytes(Config, 3), TypeError, "config is <class"),  # type: ignore[arg-type]
    (lambda: cache_bytes([], 3), TypeError, "config is []"),  # type: ignore[arg-type]
    (lambda: attention_flops(MODELS["gpt2"], 3, causal="no"), TypeError, "causal is 'no'"),  # type: ignore[arg-type]
    (lambda: attention_flops(MODELS["gpt2"], 3, window=0), ValueError, "window is 0; it counts the current token"),
    (lambda: score_bytes(MODELS["gpt2"], 1, bytes_per_number=np.nan), ValueError, "bytes_per_number is nan"),
    (lambda: cache_bytes(MODELS["gpt2"], 1, bytes_per_number=-0.5), ValueError, "bytes_per_number is -0.5"),
    (lambda: attention_flops(MODELS["gpt2"], 1, -1), ValueError, "n_k is -1"),
    (lambda: score_bytes(MODELS["gpt2"], 1, bytes_per_number=0), ValueError, "bytes_per_number is 0"),
    (lambda: cache_bytes(MODELS["gpt2"], -1), ValueError, "n_tokens is -1"),
    (lambda: layer_cache_bytes(MODELS["gpt2"], 1, window=0), ValueError, "window is 0"),
    (lambda: training_flops_per_token(MODELS["gpt2"], 1, -1), ValueError, "n_params is -1"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED, ids=[message[:60] for _, _, message in REFUSED])
def test_it_is_refused_with_a_message_that_helps(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_the_cache_is_as_before_after_every_refusal() -> None:
    cache = cached()
    for k, v in ((ones(1, 1, 4), ones(2, 1, 5)), (ones(2, 1, 4), ones(2, 1, 6)), (ones(2, 1, 4), ones(2, 2, 5))):
        with pytest.raises(ValueError, match="shape"):
            cache.append(k, v)
    with pytest.raises(TypeError, match="dtype"):
        cache.append(ones(2, 1, 4), ones(2, 1, 5).astype("f4"))
    assert len(cache) == cache.k.shape[-2] == cache.v.shape[-2] == 3
    assert (cache.k == 1).all()
    assert (cache.v == 1).all()


def test_all_that_is_exported_exists_and_is_documented() -> None:
    assert package.__all__ == sorted(package.__all__, key=lambda name: (not name.isupper(), name.islower(), name))
    for name in package.__all__:
        assert getattr(package, name).__doc__, name


CONFIG_FIELDS = {field.name: field.type for field in dataclasses.fields(Config)}


@pytest.mark.parametrize("name", CONFIG_FIELDS)
@pytest.mark.parametrize("value", ["no", 1.5, [], print], ids=["text", "fraction", "list", "function"])
def test_no_field_of_a_config_takes_a_value_of_another_kind(name: str, value: object) -> None:
    if CONFIG_FIELDS[name] is str and isinstance(value, str):
        value = 3
    with pytest.raises(TypeError, match=f"{name} is "):
        dataclasses.replace(MODELS["mistral-7b"], **{name: value})  # type: ignore[arg-type]
