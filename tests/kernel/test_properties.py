"""What must hold for every input; hypothesis looks for one that breaks it, in the same places every time."""

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention import KVCache, attention, attention_backward, log_softmax, softmax
from tests.kernel.reports import Array, close

steady = settings(max_examples=80)
GARBAGE = [np.nan, np.inf, -np.inf, 1e30, -7.0]
EPS = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-13}
DTYPES = [np.dtype(ml_dtypes.bfloat16), *map(np.dtype, ("float16", "float32", "float64"))]
Problem = tuple[Array, Array, Array, dict[str, Any]]


@st.composite
def problems(draw: st.DrawFn, *, square: bool = False, positions: bool = True, lead: bool = True) -> Problem:
    """Queries, keys, values and options: small whole numbers and halves, and -inf in the bias now and then."""
    n_k, d_k, d_v = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    n_q = n_k if square else draw(st.integers(1, 5))
    axes = draw(st.sampled_from([(), (2,), (2, 2)])) if lead else ()
    halves = st.integers(-8, 8).map(lambda n: n / 2)
    q, k, v = (draw(arrays(float, (*axes, *s), elements=halves)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    plane = (n_q, n_k)
    options: dict[str, Any] = {
        "mask": draw(st.none() | arrays(bool, plane)),
        "bias": draw(st.none() | arrays(float, plane, elements=halves | st.just(-np.inf))),
        "scale": draw(st.none() | st.floats(-2, 2)),
        "softcap": draw(st.none() | st.floats(0.5, 20)),
    }
    if positions:
        options |= {"causal": draw(st.booleans()), "window": draw(st.none() | st.integers(1, 6))}
    return q, k, v, options


def visible(problem: Problem) -> Array:
    q, k, v, options = problem
    seen: Array = attention(q, k, v, **options).scores != -np.inf
    return seen


@steady
@given(problems())
def test_rows_of_weights_sum_to_one_or_are_exactly_zero(problem: Problem) -> None:
    q, k, v, options = problem
    weights, output = attention(q, k, v, **options)[1:]
    empty = ~visible(problem).any(axis=-1)
    assert (weights[empty] == 0).all()
    assert (output[empty] == 0).all()
    assert close(weights[~empty].sum(axis=-1), np.ones((~empty).sum()), 1e-14)
    assert (weights >= 0).all()
    assert (weights[~visible(problem)] == 0).all()


@steady
@given(st.data(), st.sampled_from(DTYPES))
def test_softmax_sums_to_one_in_every_dtype_up_to_its_extremes(data: st.DataObject, dtype: np.dtype[Any]) -> None:
    highest = 65504.0 if dtype == np.float16 else 1e5
    elements = st.floats(-highest, highest) | st.just(-np.inf) | st.sampled_from([-highest, 0, highest])
    scores = data.draw(arrays(float, st.tuples(st.integers(1, 3), st.integers(1, 6)), elements=elements)).astype(dtype)
    weights = softmax(scores)
    assert weights.dtype == dtype
    empty = (scores == -np.inf).all(axis=-1)
    assert close(weights.astype(float).sum(axis=-1), np.where(empty, 0, 1), EPS[dtype.name])
    assert (weights[empty] == 0).all()
    assert close(np.exp(log_softmax(scores).astype(float)), weights, EPS[dtype.name])


@steady
@given(
    arrays(float, 5, elements=st.integers(-1000, 1000)), st.integers(-(10**6), 10**6), st.sampled_from([0.5, 1.0, 8.0])
)
def test_only_differences_between_scores_count(scores: Array, shift: int, temperature: float) -> None:
    np.testing.assert_array_equal(
        softmax(scores, temperature=temperature), softmax(scores + shift, temperature=temperature)
    )
    np.testing.assert_array_equal(log_softmax(scores), log_softmax(scores + shift))


@steady
@given(problems(), st.integers(-50, 50))
def test_a_constant_added_to_a_row_changes_no_weight(problem: Problem, constant: int) -> None:
    q, k, v, options = problem
    before = attention(q, k, v, **options)
    bias = 0 if options["bias"] is None else options["bias"]
    rows = np.arange(q.shape[-2])[:, None] * constant
    after = attention(q, k, v, **(options | {"bias": np.broadcast_to(bias + rows, before.scores.shape[-2:])}))
    assert close(before.weights, after.weights, 1e-12)


@steady
@given(problems(positions=False), st.randoms(use_true_random=False))
def test_the_order_of_the_keys_does_not_matter(problem: Problem, random: Any) -> None:
    q, k, v, options = problem
    order = list(range(k.shape[-2]))
    random.shuffle(order)
    reordered = options | {name: options[name][:, order] for name in ("mask", "bias") if options[name] is not None}
    before, after = attention(q, k, v, **options), attention(q, k[..., order, :], v[..., order, :], **reordered)
    assert close(before.output, after.output, 1e-13)
    assert close(before.weights[..., order], after.weights, 1e-14)


@steady
@given(problems())
def test_the_output_lies_between_the_values_it_is_made_of(problem: Problem) -> None:
    q, k, v, options = problem
    output, seen = attention(q, k, v, **options).output, visible(problem)[..., None]
    lowest = np.where(seen, v[..., None, :, :], np.inf).min(axis=-2)
    highest = np.where(seen, v[..., None, :, :], -np.inf).max(axis=-2)
    some = seen.any(axis=-2)[..., 0]
    assert (output[some] >= lowest[some] - 1e-13).all()
    assert (output[some] <= highest[some] + 1e-13).all()


@steady
@given(problems(square=True), st.integers(0, 4), st.sampled_from(GARBAGE))
def test_the_future_leaves_the_past_bit_for_bit_as_it_was(problem: Problem, token: int, garbage: float) -> None:
    q, k, v, options = problem
    options["causal"], token = True, min(token, k.shape[-2] - 1)
    before = attention(q, k, v, **options)
    for x in (q, k, v):
        x[..., token, :] = garbage
    after = attention(q, k, v, **options)
    for was, now in zip(before, after, strict=True):
        np.testing.assert_array_equal(was[..., :token, :], now[..., :token, :])
        assert not np.isnan(now[..., :token, :]).any()


@steady
@given(problems(), st.integers(0, 4), st.sampled_from(GARBAGE), st.sampled_from(["float32", "float64"]))
def test_what_a_row_does_not_see_does_not_change_it(problem: Problem, key: int, garbage: float, dtype: str) -> None:
    *qkv, options = problem
    q, k, v = (x.astype(dtype) for x in qkv)
    key = min(key, k.shape[-2] - 1)
    unseen = ~visible((q, k, v, options))[..., key]
    before = attention(q, k, v, **options)
    dout = np.where(unseen[..., None], np.ones_like(before.output), 0)
    gradients = attention_backward(q, k, v, dout, **options)
    k[..., key, :], v[..., key, :] = garbage, garbage
    after = attention(q, k, v, **options)
    for was, now in zip(before, after, strict=True):
        np.testing.assert_array_equal(was[unseen], now[unseen])
    dq = attention_backward(q, k, v, dout, **options).dq
    np.testing.assert_array_equal(gradients.dq[unseen], dq[unseen])


@steady
@given(problems(square=True), st.data())
def test_cached_is_plain_in_any_chunks(problem: Problem, data: st.DataObject) -> None:
    q, k, v, options = problem
    n = k.shape[-2]
    del options["causal"]
    cuts = sorted(data.draw(st.sets(st.integers(1, n - 1), max_size=n - 1))) if n > 1 else []
    cache, rows = KVCache(data.draw(st.none() | st.integers(n, 9))), []
    for tokens in np.split(np.arange(n), cuts):
        cache.append(k[..., tokens, :], v[..., tokens, :])
        mine = dict(options)
        for name in ("mask", "bias"):
            if mine[name] is not None:
                mine[name] = mine[name][tokens][:, : len(cache)]
        rows.append(cache.attend(q[..., tokens, :], **mine).output)
    assert close(np.concatenate(rows, axis=-2), attention(q, k, v, causal=True, **options).output, 1e-13)


@steady
@given(problems())
def test_gradients_are_linear_in_dout_and_sum_to_zero_over_equal_keys(problem: Problem) -> None:
    q, k, v, options = problem
    dout = np.ones(attention(q, k, v, **options).output.shape)
    once, thrice = attention_backward(q, k, v, dout, **options), attention_backward(q, k, v, 3 * dout, **options)
    for one, three in zip(once, thrice, strict=True):
        assert close(3 * one, three, 1e-11)
    assert close(
        once.dv.sum(axis=-2), visible(problem).any(axis=-1).sum(axis=-1)[..., None] * np.ones(v.shape[-1]), 1e-12
    )


@steady
@given(
    arrays(float, (3, 2), elements=st.sampled_from([-316.0, -1.0, 0.0, 1.0, 316.0]) | st.floats(-316, 316)),
    arrays(float, (4, 2), elements=st.sampled_from([-316.0, -1.0, 0.0, 1.0, 316.0]) | st.floats(-316, 316)),
    st.sampled_from(["float32", "float64"]),
)
def test_finite_scores_up_to_a_hundred_thousand_give_finite_answers(q: Array, k: Array, dtype: str) -> None:
    q, k = q.astype(dtype), k.astype(dtype)
    with np.errstate(all="raise"):
        answer = attention(q, k, k, scale=0.5)
        assert np.abs(answer.scores).max() <= 1e5
        assert all(np.isfinite(step).all() for step in answer)
        gradients = attention_backward(q, k, k, np.ones((3, 2), dtype), scale=0.5)
        assert all(np.isfinite(gradient).all() for gradient in gradients)


@steady
@given(st.data())
def test_half_precision_stays_finite_at_its_extremes(data: st.DataObject) -> None:
    extremes = st.sampled_from([-65504.0, 65504.0, 6e-8, -6e-8, 0.0, 1.0])
    q, k, v = (data.draw(arrays(np.float16, (3, 4), elements=extremes)) for _ in range(3))
    answer = attention(q, k, v, causal=data.draw(st.booleans()))
    assert np.isfinite(answer.weights).all()
    assert np.isfinite(answer.output).all()
    assert answer.output.dtype == answer.weights.dtype == np.float16
