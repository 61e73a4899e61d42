"""Attention again, in plain Python loops over single numbers: nothing of NumPy's to get wrong the same way."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from attention import (
    alibi_bias,
    alibi_slopes,
    attend_block,
    attention,
    attention_scores,
    causal_mask,
    feed_forward,
    gelu,
    layer_norm,
    log_softmax,
    merge_heads,
    multi_head_attention,
    padding_mask,
    project_qkv,
    real_positions,
    repeat_heads,
    rms_norm,
    rotary,
    rotate_pairs,
    silu,
    sliding_window_mask,
    softmax,
    split_heads,
    split_qkv,
    tiled_attention,
)
from tests.kernel.reports import Array, close

Rows = list[list[float]]


def loops(
    q: Rows,
    k: Rows,
    v: Rows,
    *,
    mask: list[list[bool]] | None = None,
    bias: Rows | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    align: str = "bottom-right",
    sink: float | None = None,
) -> tuple[Rows, Rows]:
    """Weights and output; the definition, one number at a time."""
    scale = 1 / math.sqrt(len(q[0])) if scale is None else scale
    all_weights, output = [], []
    for i, query in enumerate(q):
        here = i if align == "top-left" else i + len(k) - len(q)
        exps = []
        for j, key in enumerate(k):
            score = scale * sum(a * b for a, b in zip(query, key, strict=True))
            score = score if softcap is None else softcap * math.tanh(score / softcap)
            score += 0 if bias is None else bias[i][j]
            seen = mask is None or mask[i][j]
            seen = seen and not (causal and j > here)
            seen = seen and not (window is not None and abs(here - j) >= window)
            exps.append(math.exp(score) if seen else 0.0)
        total = sum(exps) + (0 if sink is None else math.exp(sink))
        weights = [e / total if total else 0.0 for e in exps]
        all_weights.append(weights)
        output.append([sum(w * value[c] for w, value in zip(weights, v, strict=True)) for c in range(len(v[0]))])
    return all_weights, output


OPTIONS: list[dict[str, Any]] = [
    {},
    {"causal": True},
    {"window": 1},
    {"window": 2},
    {"window": 2, "causal": True},
    {"window": 99, "causal": True},
    {"scale": 0.3},
    {"scale": -1.0},
    {"softcap": 0.7},
    {"mask": True},
    {"bias": True},
    {"causal": True, "align": "top-left"},
    {"window": 2, "align": "top-left"},
    {"sink": 0.4},
    {"sink": -math.inf, "causal": True},
    {"mask": True, "bias": True, "causal": True, "window": 3, "scale": 0.9, "softcap": 1.5},
    {"mask": True, "bias": True, "causal": True, "softcap": 1.5, "sink": -0.3, "align": "top-left"},
]


@pytest.mark.parametrize("sizes", [(4, 4, 3, 3), (2, 5, 3, 1), (5, 2, 1, 4), (1, 6, 2, 2), (3, 1, 4, 2)], ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_attention_is_what_the_loops_say(sizes: tuple[int, int, int, int], options: dict[str, Any]) -> None:
    n_q, n_k, d_k, d_v = sizes
    rng = np.random.default_rng(sum(sizes))
    q, k, v = rng.standard_normal((n_q, d_k)), rng.standard_normal((n_k, d_k)), rng.standard_normal((n_k, d_v))
    options = dict(options)
    if "mask" in options:
        options["mask"] = (rng.random((n_q, n_k)) < 0.6).tolist()
    if "bias" in options:
        options["bias"] = rng.standard_normal((n_q, n_k)).tolist()
    weights, output = loops(q.tolist(), k.tolist(), v.tolist(), **options)
    answer = attention(q, k, v, **options)
    assert close(answer.weights, weights, 1e-14)
    assert close(answer.output, output, 1e-14)
    assert answer.scores.shape == answer.weights.shape
    assert close(tiled_attention(q, k, v, block_q=2, block_k=2, **options), output, 1e-14)


def test_every_batch_and_head_is_attention_of_its_own() -> None:
    rng = np.random.default_rng(1)
    q, k, v = rng.standard_normal((2, 3, 4, 5)), rng.standard_normal((2, 3, 6, 5)), rng.standard_normal((3, 6, 2))
    mask = rng.random((2, 1, 4, 6)) < 0.7
    answer = attention(q, k, v, mask=mask, causal=True)
    for batch in range(2):
        for head in range(3):
            one = attention(q[batch, head], k[batch, head], v[head], mask=mask[batch, 0], causal=True)
            for all_of_them, single in zip(answer, one, strict=True):
                np.testing.assert_allclose(all_of_them[batch, head], single, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize(("n_heads", "n_kv_heads"), [(4, 4), (4, 2), (4, 1), (6, 3)])
def test_query_heads_of_a_group_read_the_same_keys_and_values(n_heads: int, n_kv_heads: int) -> None:
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal((2, n, 5, 3)) for n in (n_heads, n_kv_heads, n_kv_heads))
    output = attention(q, k, v, window=2).output
    scores = attention_scores(q, k)
    for head in range(n_heads):
        shared = head * n_kv_heads // n_heads
        one = attention(q[:, head], k[:, shared], v[:, shared], window=2)
        assert close(output[:, head], one.output, 1e-14)
        assert close(scores[:, head], attention_scores(q[:, head], k[:, shared]), 1e-14)


def test_values_may_be_grouped_where_keys_are_not() -> None:
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((n, 5, 3)) for n in (4, 1, 2))
    assert close(attention(q, k, v).output, attention(q, k, np.repeat(v, 2, axis=0)).output, 1e-14)


def drawn_weights(d_model: int, d_context: int, d_q: int, d_kv: int, d_out: int) -> dict[str, Any]:
    rng = np.random.default_rng(4)
    shapes: dict[str, tuple[int, ...]] = {
        "w_q": (d_model, d_q),
        "w_k": (d_context, d_kv),
        "w_v": (d_context, d_kv),
        "w_o": (d_q, d_out),
    }
    shapes |= {"b_q": (d_q,), "b_k": (d_kv,), "b_v": (d_kv,), "b_o": (d_out,)}
    return {name: rng.standard_normal(shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
def test_multi_head_attention_is_attention_head_by_head(n_kv_heads: int) -> None:
    d, p = 3, drawn_weights(8, 7, 12, 3 * n_kv_heads, 5)
    rng = np.random.default_rng(5)
    x, context = rng.standard_normal((2, 4, 8)), rng.standard_normal((2, 6, 7))
    answer = multi_head_attention(x, n_heads=4, n_kv_heads=n_kv_heads, context=context, causal=True, **p)
    output = np.broadcast_to(p["b_o"], (2, 4, 5))
    for head in range(4):
        mine, shared = (slice(h * d, h * d + d) for h in (head, head * n_kv_heads // 4))
        q = x @ p["w_q"][:, mine] + p["b_q"][mine]
        k, v = (context @ p["w_" + n][:, shared] + p["b_" + n][shared] for n in "kv")
        one = attention(q, k, v, causal=True)
        assert close(answer.weights[:, head], one.weights, 1e-13)
        assert close(answer.scores[:, head][one.weights > 0], one.scores[one.weights > 0], 1e-13)
        output = output + one.output @ p["w_o"][mine]
    assert close(answer.output, output, 1e-12)


def test_a_mask_may_differ_from_head_to_head() -> None:
    p = drawn_weights(4, 4, 4, 4, 4)
    x = np.random.default_rng(6).standard_normal((3, 4))
    mask = np.ones((2, 3, 3), bool)
    mask[1, :, 0] = False
    weights = multi_head_attention(x, n_heads=2, mask=mask, **p).weights
    assert (weights[0] > 0).all()
    assert (weights[1, :, 0] == 0).all()


def test_many_tokens_are_projected_as_one_by_one() -> None:
    p = drawn_weights(4, 4, 6, 6, 4)
    x = np.random.default_rng(7).standard_normal((5, 4))
    arguments = {name: p[name] for name in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")}
    together = project_qkv(x, **arguments)
    for i, token in enumerate(x):
        for many, one in zip(together, project_qkv(token, **arguments), strict=True):
            assert close(many[i], one, 1e-14)


def test_a_fused_matrix_gives_the_same_q_k_and_v_as_its_three_parts() -> None:
    rng = np.random.default_rng(8)
    x, fused, bias = rng.standard_normal((2, 6)), rng.standard_normal((6, 16)), rng.standard_normal(16)
    (w_q, w_k, w_v), (b_q, b_k, b_v) = split_qkv(fused, 4, 2), split_qkv(bias, 4, 2)
    assert [w.shape for w in (w_q, w_k, w_v)] == [(6, 8), (6, 4), (6, 4)]
    apart = project_qkv(x, w_q, w_k, w_v, b_q=b_q, b_k=b_k, b_v=b_v)
    for part, columns in zip(apart, (slice(8), slice(8, 12), slice(12, 16)), strict=True):
        assert close(part, (x @ fused + bias)[:, columns], 1e-14)
    for part, expected in zip(apart, split_qkv(x @ fused + bias, 4, 2), strict=True):
        assert close(part, expected, 1e-14)


def test_keys_and_values_are_projected_from_the_context_and_queries_are_not() -> None:
    rng = np.random.default_rng(9)
    x, context, w_q, w_k, w_v = (rng.standard_normal(shape) for shape in ((2, 6), (3, 5), (6, 4), (5, 4), (5, 4)))
    q, k, v = project_qkv(x, w_q, w_k, w_v, context=context)
    for part, expected in ((q, x @ w_q), (k, context @ w_k), (v, context @ w_v)):
        assert close(part, expected, 1e-14)


def test_merging_undoes_splitting() -> None:
    x = np.arange(2 * 3 * 8).reshape(2, 3, 8)
    for n_heads in (1, 2, 4, 8):
        np.testing.assert_array_equal(merge_heads(split_heads(x, n_heads)), x)
        for head in range(n_heads):
            width = 8 // n_heads
            np.testing.assert_array_equal(split_heads(x, n_heads)[:, head], x[..., head * width : (head + 1) * width])
    assert split_heads(np.zeros((0, 3, 8)), 2).shape == (0, 2, 3, 4)
    assert merge_heads(np.zeros((0, 2, 3, 4))).shape == (0, 3, 8)


def test_heads_are_repeated_next_to_each_other() -> None:
    x = np.arange(3)[:, None, None]
    np.testing.assert_array_equal(repeat_heads(x, 6).ravel(), [0, 0, 1, 1, 2, 2])


def test_masks_are_what_the_words_say() -> None:
    for n_q, n_k in ((4, 4), (2, 5), (5, 2), (0, 3), (3, 0)):
        for window in (1, 2, 99, 2**63):
            for i in range(n_q):
                for j in range(n_k):
                    here = i + n_k - n_q
                    assert causal_mask(n_q, n_k)[i, j] == (j <= here)
                    narrow = sliding_window_mask(n_q, n_k, window=window)
                    assert narrow[i, j] == (here - window < j <= here)
                    wide = sliding_window_mask(n_q, n_k, window=window, causal=False)
                    assert wide[i, j] == (abs(here - j) < window)
        assert causal_mask(n_q, n_k).shape == sliding_window_mask(n_q, n_k, window=1).shape == (n_q, n_k)
    np.testing.assert_array_equal(causal_mask(3), causal_mask(3, 3))
    np.testing.assert_array_equal(padding_mask([[2, 0]], 2), [[[[True, True]], [[False, False]]]])


def test_softmax_and_its_logarithm_agree_with_their_definition_on_every_axis() -> None:
    x = np.random.default_rng(9).standard_normal((2, 3, 4))
    for axis in (-3, -2, -1, 0, 1, 2):
        for temperature in (0.1, 1.0, 50.0):
            exps = np.vectorize(math.exp)(x / temperature)
            expected = exps / exps.sum(axis=axis, keepdims=True)
            assert close(softmax(x, axis, temperature), expected, 1e-15)
            assert close(log_softmax(x, axis, temperature), np.log(expected), 1e-13)


def test_softmax_reaches_its_limits_without_a_warning() -> None:
    assert softmax([1.0, 3.0, 2.0], temperature=1e-300).tolist() == [0, 1, 0]
    assert close(softmax([1.0, 3.0, 2.0], temperature=1e300), [1 / 3] * 3, 1e-15)
    extremes, expected = [1e308, -1e308], 1 / (1 + math.exp(-2))
    assert close(softmax(extremes, temperature=1e308), [expected, 1 - expected], 1e-15)
    assert close(log_softmax(extremes, temperature=1e308), [math.log(expected), math.log(expected) - 2], 1e-15)
    assert softmax([-np.inf, -np.inf]).tolist() == [0, 0]
    assert log_softmax([-np.inf, -np.inf]).tolist() == [-np.inf, -np.inf]
    assert log_softmax([0.0, -1e308, 1e308]).tolist() == [-1e308, -np.inf, 0]
    assert softmax([-1e308, 1e308]).tolist() == [0, 1]


def test_layer_norm_divides_by_d_and_not_by_d_minus_1() -> None:
    x, w, b = np.random.default_rng(10).standard_normal((3, 2, 5)), np.arange(1.0, 6), np.arange(5.0)
    for row, expected in zip(layer_norm(x, w, b).reshape(-1, 5), x.reshape(-1, 5), strict=True):
        mean = sum(expected) / 5
        deviation = math.sqrt(sum((e - mean) ** 2 for e in expected) / 5 + 1e-5)
        assert close(row, [(e - mean) / deviation * s + t for e, s, t in zip(expected, w, b, strict=True)], 1e-13)


def test_rms_norm_subtracts_no_mean() -> None:
    x, w = np.random.default_rng(11).standard_normal((3, 5)), np.arange(1.0, 6)
    for row, expected in zip(rms_norm(x, w, eps=0.1), x, strict=True):
        size = math.sqrt(sum(e * e for e in expected) / 5 + 0.1)
        assert close(row, [e / size * s for e, s in zip(expected, w, strict=True)], 1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("power", [0, 60, 125])
def test_norms_do_not_overflow_where_the_squares_would(dtype: str, power: int) -> None:
    x = np.array([[3, -3], [5, -1], [2, 2], [0, 0]], dtype)
    huge = np.ldexp(x, power if dtype == "float32" else 8 * power)
    eps = 1e-30
    assert close(rms_norm(huge, eps=eps), x / np.sqrt((x**2).mean(-1, keepdims=True) + eps), 1e-6)
    assert close(layer_norm(huge, eps=eps), [[1, -1], [1, -1], [0, 0], [0, 0]], 1e-6)


def test_a_norm_of_small_numbers_keeps_eps() -> None:
    assert close(rms_norm([[1e-3, -1e-3]]), [[0.30151134457776363, -0.30151134457776363]], 1e-15)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("activation", [gelu, partial(gelu, approximate="tanh"), silu], ids=["exact", "tanh", "silu"])
def test_an_activation_is_zero_at_minus_infinity_and_the_identity_at_infinity(
    activation: Callable[[Array], Array], dtype: str
) -> None:
    with np.errstate(all="raise"):
        answer = activation(np.array([-np.inf, np.inf, 0, 1], dtype))
    assert answer[:3].tolist() == [0, np.inf, 0]
    assert 0 < answer[3] < 1
    assert np.isnan(activation(np.array([np.nan], dtype))).all()


def test_gelu_keeps_its_digits_far_down_the_tail() -> None:
    # mpmath, 30 digits: x·(1 + erf(x/√2))/2
    assert abs(gelu([-10.0])[0] / -7.61985302416052607e-23 - 1) < 1e-13
    assert abs(gelu([-1.0])[0] / -0.158655253931457051 - 1) < 1e-15
    x = np.linspace(-6, 6, 101)
    assert close(gelu(x) - gelu(-x), x, 1e-15)
    assert np.abs(gelu(x) - gelu(x, approximate="tanh")).max() < 5e-4
    assert gelu([1e200, -1e200], approximate="tanh").tolist() == [1e200, 0]
    assert gelu(np.zeros((0, 3))).shape == (0, 3)


def test_silu_is_x_times_the_logistic_function() -> None:
    x = np.linspace(-30, 30, 61)
    assert close(silu(x), [e / (1 + math.exp(-e)) for e in x], 1e-13)
    assert silu([-1e4, 1e4]).tolist() == [0, 1e4]
    assert close(silu([-30.0, -40.0]) / [-30 * math.exp(-30), -40 * math.exp(-40)], [1, 1], 1e-12)  # digits, far out


def test_feed_forward_widens_bends_and_narrows() -> None:
    rng = np.random.default_rng(12)
    x, w_in, w_out, w_gate = (rng.standard_normal(s) for s in ((2, 3), (3, 5), (5, 3), (3, 5)))
    b_in, b_out = rng.standard_normal(5), rng.standard_normal(3)
    assert close(feed_forward(x, w_in, w_out, b_in, b_out), gelu(x @ w_in + b_in) @ w_out + b_out, 1e-14)
    gated = feed_forward(x, w_in, w_out, w_gate=w_gate, activation=silu)
    assert close(gated, (silu(x @ w_gate) * (x @ w_in)) @ w_out, 1e-14)


def test_rotary_turns_every_pair_like_a_complex_number() -> None:
    x = np.random.default_rng(13).standard_normal((2, 3, 6))
    positions, base = [5, 0, 1000], 500.0
    for interleaved in (False, True):
        rotated = rotary(x, positions, base=base, interleaved=interleaved)
        for n, position in enumerate(positions):
            for i in range(3):
                a, b = (2 * i, 2 * i + 1) if interleaved else (i, i + 3)
                turn = complex(math.cos(position * base ** (-2 * i / 6)), math.sin(position * base ** (-2 * i / 6)))
                for batch in range(2):
                    expected = complex(x[batch, n, a], x[batch, n, b]) * turn
                    assert abs(complex(rotated[batch, n, a], rotated[batch, n, b]) - expected) < 1e-12


def test_rotary_makes_scores_depend_on_distance_alone() -> None:
    q, k = np.random.default_rng(14).standard_normal((2, 1, 8))
    for interleaved in (False, True):
        pairs = [
            (rotary(q, [m], interleaved=interleaved), rotary(k, [m + 7], interleaved=interleaved)) for m in (0, 90)
        ]
        near, far = (attention_scores(*pair) for pair in pairs)
        assert close(near, far, 1e-13)
        assert not close(near, attention_scores(q, k), 1e-3)


def test_rotary_positions_go_on_after_a_cache_and_may_differ_between_sequences() -> None:
    x = np.random.default_rng(15).standard_normal((2, 5, 4))
    np.testing.assert_array_equal(rotary(x)[:, 3:], rotary(x[:, 3:], range(3, 5)))
    both = rotary(x, [[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])
    np.testing.assert_array_equal(both[1], rotary(x[1], [0, 0, 0, 1, 2]))
    np.testing.assert_array_equal(rotate_pairs(x, np.ones(2), np.zeros(2)), x)


def test_the_worked_example_has_its_exact_numbers() -> None:
    q = k = [[3, 1], [1, 3]]
    v = [[6, 0.5], [0.5, 6]]
    bare, scaled = attention(q, k, v, scale=1), attention(q, k, v)
    assert bare.scores.tolist() == [[10, 6], [6, 10]]
    assert close(bare.weights[0], [1 / (1 + math.exp(-4)), 1 / (1 + math.exp(4))], 1e-16)
    assert bare.output.round(2).tolist() == [[5.9, 0.6], [0.6, 5.9]]
    assert scaled.scores.round(2).tolist() == [[7.07, 4.24], [4.24, 7.07]]
    assert scaled.output.round(2).tolist() == [[5.69, 0.81], [0.81, 5.69]]
    assert round(100 * bare.weights[0, 0], 1) == 98.2
    assert round(100 * scaled.weights[0, 0], 1) == 94.4


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_on_either_side_is_counted_by_hand(side: Any) -> None:
    mask = padding_mask([[3, 0], [1, 4]], 4, side)
    assert mask.shape == (2, 2, 1, 4)
    for length, row in zip([3, 0, 1, 4], mask.reshape(4, 4), strict=True):
        real = [True] * length + [False] * (4 - length)
        assert row.tolist() == (real if side == "right" else real[::-1])


def test_positions_count_real_tokens_one_by_one() -> None:
    real = np.random.default_rng(9).random((2, 3, 6)) < 0.6
    positions = real_positions(real)
    for row, seen in zip(positions.reshape(6, 6), real.reshape(6, 6), strict=True):
        count = 0
        for position, is_real in zip(row, seen, strict=True):
            assert position == (count if is_real else 0)
            count += is_real


@pytest.mark.parametrize(("n_q", "n_k"), [(3, 3), (2, 5), (5, 2), (0, 3), (3, 0)])
def test_both_alignments_are_what_the_loops_say(n_q: int, n_k: int) -> None:
    for align, first in (("bottom-right", n_k - n_q), ("top-left", 0)):
        options: dict[str, Any] = {"align": align}
        expected = np.array([[j <= first + i for j in range(n_k)] for i in range(n_q)], bool).reshape(n_q, n_k)
        np.testing.assert_array_equal(causal_mask(n_q, n_k, **options), expected)
        near = np.array([[abs(first + i - j) < 2 for j in range(n_k)] for i in range(n_q)], bool).reshape(n_q, n_k)
        np.testing.assert_array_equal(sliding_window_mask(n_q, n_k, window=2, causal=False, **options), near)
        np.testing.assert_array_equal(sliding_window_mask(n_q, n_k, window=2, **options), near & expected)
        np.testing.assert_array_equal(sliding_window_mask(n_q, n_k, window=2**70, **options), expected)


@pytest.mark.parametrize("shape", [(), (2, 1, 1), (3, 1), (2, 3, 1)])
def test_each_head_and_query_has_its_own_sink(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(10)
    q, k, v, sink = (rng.standard_normal(each) for each in ((2, 3, 4), (2, 5, 4), (2, 5, 2), shape))
    answer, tiled = attention(q, k, v, sink=sink), tiled_attention(q, k, v, sink=sink, block_q=2, block_k=2)
    every = np.broadcast_to(sink, (2, 3, 1))
    for head in range(2):
        for i in range(3):
            rows = (q[head, i : i + 1].tolist(), k[head].tolist(), v[head].tolist())
            weights, output = loops(*rows, sink=every[head, i, 0])
            assert close(answer.weights[head, i : i + 1], weights, 1e-14)
            assert close(answer.output[head, i : i + 1], output, 1e-14)
            assert close(tiled[head, i : i + 1], output, 1e-14)


def test_a_sink_takes_what_a_query_without_keys_has_and_huge_scores_leave_it_nothing() -> None:
    q, k, v = [[1.0], [0.0]], [[1e3], [-1e3]], [[2.0], [4.0]]
    weights = attention(q, k, v, mask=[[True, True], [False, False]], sink=500.0).weights
    assert weights.tolist() == [[1, 0], [0, 0]]
    weights = attention(np.float16(q), np.float16(k), np.float16(v), sink=np.float64(1e6), mask=False).weights
    assert weights.dtype == np.float16
    assert not weights.any()


def test_a_mask_of_one_column_leaves_the_sink_alone() -> None:
    q, k, v, sink = np.ones((2, 1)), np.ones((3, 1)), np.ones((3, 1)), 1.0
    weights = attention(q, k, v, mask=[[True], [False]], sink=sink).weights
    assert close(weights, [[0.25] * 3, [0] * 3], 1e-15)


ALIBI_8 = [2.0**-i for i in range(1, 9)]  # the paper's: 1/2, 1/4, ... 1/256


@pytest.mark.parametrize(
    ("n_heads", "slopes"),
    [
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (8, ALIBI_8),
        (16, [2 ** (-i / 2) for i in range(1, 17)]),
        (3, [2**-4, 2**-8, 2**-2]),
        (12, [*ALIBI_8, *(2 ** (-i / 2) for i in (1, 3, 5, 7))]),
    ],
)
def test_alibi_is_that_of_the_paper(n_heads: int, slopes: list[float]) -> None:
    assert close(alibi_slopes(n_heads), slopes, 1e-16)
    bias = alibi_bias(n_heads, 2, 4)
    for head in range(n_heads):
        for i in range(2):
            for j in range(4):
                assert bias[head, i, j] == -alibi_slopes(n_heads)[head] * abs(i + 2 - j)
    assert alibi_bias(n_heads, 3).shape == (n_heads, 3, 3)
    assert alibi_bias(n_heads, 0, 3).shape == (n_heads, 0, 3)


@pytest.mark.parametrize("first", [-3, 0, 2, 9])
def test_a_block_is_read_from_where_its_queries_stand(first: int) -> None:
    q, k, v = np.random.default_rng(11).standard_normal((3, 4, 2))
    seen = [[first + i - 1 <= j <= first + i for j in range(4)] for i in range(4)]
    block = attend_block(q, k, v, causal=True, window=2, offset=first)
    assert close(block.output, loops(q.tolist(), k.tolist(), v.tolist(), mask=seen)[1], 1e-14)
