"""Gradients against finite differences, and against what they must be where something is hidden or shared."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from attention import (
    Gradients,
    attention,
    attention_backward,
    bias_backward,
    softmax,
    softmax_backward,
    tiled_attention_backward,
)
from tests.kernel.reports import Array, close

NAN, INF = np.nan, np.inf


def by_finite_differences(q: Array, k: Array, v: Array, dout: Array, **options: Any) -> Gradients:
    """Nudge every number a little to both sides and see how the loss, sum(output · dout), moves."""
    arrays, step, gradients = [q, k, v], 1e-6, []
    for which, array in enumerate(arrays):
        gradient = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            losses = []
            for nudge in (step, -step):
                nudged = [x.copy() for x in arrays]
                nudged[which][place] += nudge
                losses.append((attention(*nudged, **options).output * dout).sum())
            gradient[place] = (losses[0] - losses[1]) / (2 * step)
        gradients.append(gradient)
    return Gradients(*gradients)


SHAPES = [
    ((3, 2), (4, 2), (4, 3)),
    ((2, 4, 3, 2), (2, 2, 4, 2), (2, 2, 4, 1)),  # grouped heads
    ((4, 3, 2), (1, 3, 2), (1, 3, 2)),  # multi-query
    ((3, 2), (2, 4, 2), (2, 4, 2)),  # one set of queries, two of keys
    ((2, 2), (3, 2), (5, 3, 1)),  # values with an axis of their own
    ((2, 1, 3, 2), (3, 4, 2), (3, 4, 2)),  # queries and keys each with an axis the other lacks
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"causal": True},
    {"window": 2, "causal": True},
    {"scale": 0.3},
    {"softcap": 0.8},
    {"mask": True},
    {"bias": True},
    {"sink": 0.3},
    {"causal": True, "window": 2, "align": "top-left", "sink": -1.0},
    {"mask": True, "bias": True, "causal": True, "scale": 1.3, "softcap": 1.5, "window": 3},
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_gradients_are_what_finite_differences_say(shapes: tuple[Any, ...], options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(shape) for shape in shapes)
    plane, options = (q.shape[-2], k.shape[-2]), dict(options)
    if "mask" in options:
        options["mask"] = rng.random(plane) < 0.6
    if "bias" in options:
        options["bias"] = np.where(rng.random(plane) < 0.2, -INF, rng.standard_normal(plane))
    dout = rng.standard_normal(attention(q, k, v, **options).output.shape)
    gradients = attention_backward(q, k, v, dout, **options)
    for gradient, expected in zip(gradients, by_finite_differences(q, k, v, dout, **options), strict=True):
        assert close(gradient, expected, 2e-8)
    for block_q in (1, 2, 100):
        tiled = tiled_attention_backward(q, k, v, dout, block_q=block_q, **options)
        assert all(close(one, other, 1e-13) for one, other in zip(tiled, gradients, strict=True))


@pytest.mark.parametrize(
    ("shapes", "bias_shape"),
    [
        (SHAPES[0], ()),
        (SHAPES[0], (4,)),
        (SHAPES[0], (3, 1)),
        (SHAPES[0], (2, 3, 4)),  # two biases for one set of queries
        (SHAPES[1], (4, 3, 4)),
        (SHAPES[1], (2, 1, 1, 4)),
        (SHAPES[2], (4, 1, 1)),
        (SHAPES[4], (1, 2, 3)),
        (SHAPES[5], (2, 3, 3, 4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("options", [{}, {"causal": True, "softcap": 0.9, "scale": 0.5, "sink": 0.1}, {"mask": True}])
def test_the_gradient_of_the_bias_is_what_finite_differences_say(
    shapes: tuple[Any, ...], bias_shape: tuple[int, ...], options: dict[str, Any]
) -> None:
    rng = np.random.default_rng(8)
    q, k, v = (rng.standard_normal(shape) for shape in shapes)
    bias = rng.standard_normal(bias_shape)
    options = options | ({"mask": rng.random((q.shape[-2], k.shape[-2])) < 0.6} if "mask" in options else {})
    dout = rng.standard_normal(attention(q, k, v, bias=bias, **options).output.shape)
    gradient = bias_backward(q, k, v, dout, bias=bias, **options)
    assert gradient.shape == bias.shape
    for place in np.ndindex(bias.shape):
        nudge = np.zeros_like(bias)
        nudge[place] = 1e-6
        up, down = (attention(q, k, v, bias=bias + sign * nudge, **options).output for sign in (1, -1))
        assert abs(((up - down) * dout).sum() / 2e-6 - gradient[place]) < 2e-8


def test_the_gradient_of_a_sink_is_that_of_the_bias_taken_together() -> None:
    rng = np.random.default_rng(13)
    q, k, v, dout = (rng.standard_normal(shape) for shape in ((3, 2), (4, 2), (4, 2), (3, 2)))
    sink, bias = rng.standard_normal((3, 1)), np.zeros((3, 4))
    gradient = -bias_backward(q, k, v, dout, bias=bias, sink=sink).sum(axis=-1)
    for row in range(3):
        nudge = np.where(np.arange(3)[:, None] == row, 1e-6, 0)
        up, down = (attention(q, k, v, sink=sink + sign * nudge).output for sign in (1, -1))
        assert abs(((up - down) * dout).sum() / 2e-6 - gradient[row]) < 2e-8


def test_a_bias_that_hides_gets_exactly_nothing_and_the_gradient_has_its_dtype() -> None:
    rng = np.random.default_rng(9)
    q, k, v, dout = rng.standard_normal((4, 3, 2)).astype("f4")
    k[1], v[1] = NAN, INF
    gradient = bias_backward(q, k, v, dout, bias=np.float16([0.5, -INF, 0]))
    assert gradient.dtype == np.float16
    assert gradient[1] == 0
    assert np.isfinite(gradient).all()
    with pytest.raises(TypeError, match="bias is None; there must be one to have a gradient"):
        bias_backward(q, k, v, dout)
    with pytest.raises(ValueError, match="dout has shape"):
        bias_backward(q, k, v, dout[0], bias=0.0)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_tiled_gradients_round_once_and_have_the_dtype_of_their_inputs(dtype: str) -> None:
    q, k, v, dout = np.random.default_rng(10).standard_normal((4, 300, 4)).astype(dtype)
    whole = attention_backward(q, k.astype("f8"), v, dout, causal=True)
    tiled = tiled_attention_backward(q, k.astype("f8"), v, dout, causal=True, block_q=7)
    for one, other in zip(tiled, whole, strict=True):
        assert one.dtype == other.dtype
        assert close(one, other, {"float16": 4e-3, "float32": 1e-5}[dtype])


def test_tiled_gradients_of_queries_that_see_nothing_and_of_hidden_garbage_are_zero() -> None:
    rng = np.random.default_rng(11)
    q, k, v, dout = (rng.standard_normal(shape) for shape in ((5, 2), (2, 2), (2, 2), (5, 2)))
    q[:3], v[1] = NAN, INF
    whole = attention_backward(q, k, v, dout * [[1], [1], [1], [1], [0]], causal=True)
    tiled = tiled_attention_backward(q, k, v, dout * [[1], [1], [1], [1], [0]], causal=True, block_q=2)
    for one, other in zip(tiled, whole, strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
        np.testing.assert_allclose(one, other, atol=1e-14)
    assert not tiled.dq[:4].any()
    with pytest.raises(ValueError, match=r"dout has shape \(2, 2\); it must have that of the output, \(5, 2\)"):
        tiled_attention_backward(q, k, v, dout[:2])


def test_memory_of_the_tiled_gradients_does_not_grow_with_the_square() -> None:
    n = 2048
    q, k, v, dout = np.random.default_rng(12).standard_normal((4, n, 4)).astype("f4")
    tracemalloc.start()
    tiled_attention_backward(q, k, v, dout, block_q=32)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * n * n / 2  # all scores in float32 are twice that, and attention_backward holds several such


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_softmax_backward_is_what_finite_differences_say(axis: int, temperature: float) -> None:
    rng = np.random.default_rng(1)
    scores, dweights = rng.standard_normal((2, 3, 4))
    gradient = softmax_backward(softmax(scores, axis, temperature), dweights, axis, temperature)
    for place in np.ndindex(scores.shape):
        nudge = np.zeros_like(scores)
        nudge[place] = 1e-6
        up, down = (softmax(scores + sign * nudge, axis, temperature) for sign in (1, -1))
        assert abs(((up - down) * dweights).sum() / 2e-6 - gradient[place]) < 1e-9


def test_softmax_backward_sums_to_zero_and_is_zero_in_an_empty_row() -> None:
    weights = softmax([[1.0, 2.0, 3.0], [-INF, -INF, -INF]])
    gradient = softmax_backward(weights, [[1.0, -2.0, 5.0], [7.0, 8.0, 9.0]])
    assert abs(gradient[0].sum()) < 1e-15
    assert gradient[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("garbage", [NAN, INF, -INF])
@pytest.mark.parametrize("axis", [0, -1])
def test_garbage_where_a_weight_is_zero_reaches_no_score(garbage: float, axis: int) -> None:
    weights, dweights = np.array([[0.5, 0.5, 0], [0, 0, 0]]), np.array([[1, 2, garbage], [garbage, 4, 5]])
    with np.errstate(all="raise"):
        gradient = softmax_backward(weights if axis else weights.T, dweights if axis else dweights.T, axis)
    assert (gradient if axis else gradient.T).tolist() == [[-0.25, 0.25, 0], [0, 0, 0]]


def test_garbage_where_there_is_weight_spoils_its_own_row_only() -> None:
    gradient = softmax_backward([[0.5, 0.5], [0.5, 0.5]], [[1, INF], [1, 2]])
    assert np.isnan(gradient[0]).any()
    assert gradient[1].tolist() == [-0.25, 0.25]


def test_long_sums_in_single_precision_round_little() -> None:
    rng = np.random.default_rng(6)
    weights, dweights = softmax(rng.random((100_000, 2)), axis=0), rng.random((100_000, 2))
    exact, single = (
        softmax_backward(weights, dweights, 0),
        softmax_backward(np.float32(weights), np.float32(dweights), 0),
    )
    assert close(single / weights.max(), exact / weights.max(), 1e-6)
    x = np.full((100_000, 1, 1), 0.1, np.float32)  # one key and value for all
    assert attention_backward(x, x[0], x[0], x).dv == pytest.approx(1e4, rel=1e-7)


@pytest.mark.parametrize("garbage", [NAN, INF, -INF])
@pytest.mark.parametrize("how", ["mask", "bias"])
def test_garbage_in_a_hidden_key_or_value_reaches_no_gradient(garbage: float, how: str) -> None:
    rng = np.random.default_rng(2)
    q, k, v, dout = (rng.standard_normal(shape) for shape in ((3, 2), (4, 2), (4, 2), (3, 2)))
    seen = np.arange(4) != 1
    options: dict[str, Any] = {"mask": seen} if how == "mask" else {"bias": np.where(seen, 0, -INF)}
    clean = attention_backward(q, k, v, dout, softcap=2.0, **options)
    k[1], v[1] = garbage, garbage
    for gradient, expected in zip(attention_backward(q, k, v, dout, softcap=2.0, **options), clean, strict=True):
        np.testing.assert_array_equal(gradient, expected)
    assert (clean.dk[1] == 0).all()
    assert (clean.dv[1] == 0).all()


@pytest.mark.parametrize("garbage", [NAN, INF])
def test_garbage_in_a_query_that_sees_nothing_reaches_no_gradient(garbage: float) -> None:
    rng = np.random.default_rng(3)
    q, k, v, dout = (rng.standard_normal(shape) for shape in ((3, 2), (4, 2), (4, 2), (3, 2)))
    mask = np.array([[True] * 4, [False] * 4, [True] * 4])
    clean = attention_backward(q, k, v, dout, mask=mask)
    q[1], dout[1] = garbage, garbage
    for gradient, expected in zip(attention_backward(q, k, v, dout, mask=mask), clean, strict=True):
        np.testing.assert_array_equal(gradient, expected)
    assert (clean.dq[1] == 0).all()


@pytest.mark.parametrize("which", ["q", "dout"])
@pytest.mark.parametrize("garbage", [NAN, INF])
def test_garbage_in_a_query_reaches_only_the_keys_it_sees(which: str, garbage: float) -> None:
    rng = np.random.default_rng(6)
    x = dict(zip(("q", "k", "v", "dout"), rng.standard_normal((4, 4, 3)), strict=True))
    clean = attention_backward(**x, causal=True)
    x[which][1] = garbage
    gradients = attention_backward(**x, causal=True)
    for gradient, expected in ((gradients.dk, clean.dk), (gradients.dv, clean.dv)):
        np.testing.assert_array_equal(gradient[2:], expected[2:])
    np.testing.assert_array_equal(gradients.dq[[0, 2, 3]], clean.dq[[0, 2, 3]])
    assert np.isnan(gradients.dk[:2]).any()


def test_garbage_in_the_future_does_not_reach_the_gradients_of_the_past() -> None:
    rng = np.random.default_rng(4)
    q, k, v, dout = rng.standard_normal((4, 5, 3))
    dout[3:] = 0
    before = attention_backward(q, k, v, dout, causal=True)
    k[4], v[4] = NAN, INF
    after = attention_backward(q, k, v, dout, causal=True)
    np.testing.assert_array_equal(before.dq[:4], after.dq[:4])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16"])
def test_every_gradient_has_the_dtype_of_its_input(dtype: str) -> None:
    import ml_dtypes

    assert ml_dtypes.bfloat16  # teaches NumPy the name
    q, k, v, dout = np.random.default_rng(5).standard_normal((4, 3, 2)).astype(dtype)
    exact = attention_backward(*(x.astype(float) for x in (q, k, v, dout)), causal=True)
    for gradient, expected in zip(attention_backward(q, k, v, dout, causal=True), exact, strict=True):
        assert gradient.dtype == np.dtype(dtype)
        assert close(gradient, expected, {"float64": 1e-14, "float32": 1e-6, "float16": 2e-3, "bfloat16": 2e-2}[dtype])
    mixed = attention_backward(q, k.astype("float32"), v.astype("float64"), dout)
    assert [gradient.dtype.name for gradient in mixed] == [dtype, "float32", "float64"]
    assert attention_backward([[1]], [[1]], [[1]], [[1]]).dq.dtype == np.float64


def test_nothing_in_nothing_out() -> None:
    gradients = attention_backward(np.zeros((0, 4, 2)), np.zeros((0, 3, 2)), np.zeros((0, 3, 2)), np.zeros((0, 4, 2)))
    assert [gradient.shape for gradient in gradients] == [(0, 4, 2), (0, 3, 2), (0, 3, 2)]
    no_queries = attention_backward(np.zeros((0, 2)), np.ones((3, 2)), np.ones((3, 2)), np.zeros((0, 2)))
    assert (no_queries.dk == 0).all()
    assert (no_queries.dv == 0).all()
