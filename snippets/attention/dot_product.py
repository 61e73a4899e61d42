"""Scaled dot-product attention: scores → weights → output."""

import math
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float, check_number, check_positive, common_dtype
from .heads import share_heads
from .hidden import blend, hide
from .probabilities import softmax
from .shapes import check_leading, check_qk, check_qkv


class Attention(NamedTuple):
    """The three steps of one attention call, in order."""

    scores: Array
    weights: Array
    output: Array


class Options(TypedDict, total=False):
    """The keyword arguments of `attention`, for functions that hand them on."""

    mask: ArrayLike | None
    bias: ArrayLike | None
    causal: bool
    window: int | None
    scale: float | None
    softcap: float | None


def attention_scores(q: ArrayLike, k: ArrayLike, scale: float | None = None) -> Array:
    """Compare every query with every key: q kᵀ · scale.

    [..., n_q, d_k], [..., n_k, d_k] -> [..., n_q, n_k]

    Parameters
    ----------
    q, k
        Queries and keys; d_k is the width of one head, not of the model.
    scale
        1/√d_k where it is left out; 1 gives the bare dot products.

    Returns
    -------
    Unitless scores. Half precision is computed, and returned, in float32: a float16 holds no score above 65504.

    Raises
    ------
    ValueError
        If the widths differ, or there is no key.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    Examples
    --------
    >>> attention_scores([[3, 1], [1, 3]], [[3, 1], [1, 3]], scale=1)
    array([[10.,  6.],
           [ 6., 10.]])
    """
    (q, _), (k, _) = as_float("q", q), as_float("k", k)
    k = share_heads(q, k)
    check_qk(q, k)
    factor = score_scale(q, scale)
    with np.errstate(all="ignore"):  # garbage in a key that a mask will hide is no cause for alarm
        scores: Array = (q @ np.swapaxes(k, -1, -2)) * factor
    return scores


def score_scale(q: Array, scale: float | None) -> float:
    """Return `scale`, or 1/√d_k where it is left out."""
    return 1 / math.sqrt(q.shape[-1]) if scale is None else check_number("scale", scale, q.dtype)


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Attention:
    """Blend the values by how well their keys match each query: softmax(q kᵀ · scale) v.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v] -> [..., n_q, n_k], [..., n_q, n_k], [..., n_q, d_v]

    Parameters
    ----------
    q, k, v
        Queries, keys, values. Leading axes (batch, heads) broadcast. Keys and values may have fewer heads (axis -3)
        than queries: then `n_heads // n_kv_heads` neighbouring query heads share one.
    mask
        Boolean, broadcasts to (..., n_q, n_k); True = may attend.
    bias
        Numbers added to the scores; -inf hides a key like `mask` does. A mask of 0 and 1 is no bias: it would be added
        and hide nothing; turn it into a boolean mask.
    causal, window
        Shorthand for `causal_mask` and `sliding_window_mask`; all masks must agree before a key is seen.
    scale
        1/√d_k where it is left out.
    softcap
        Squeezes scores into (-softcap, softcap) by tanh, before bias and masks.

    Returns
    -------
    `Attention(scores, weights, output)`: scores are what the softmax saw, -inf where hidden. A query that may attend
    to nothing gets zeros. What stands in a hidden key or value, even NaN, changes nothing.

    Raises
    ------
    ValueError
        If shapes do not fit, heads do not divide, there is no key, or `window` or `softcap` is out of range.
    TypeError
        If `mask` is not boolean, or anything else does not hold real numbers.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    Examples
    --------
    >>> scores, weights, output = attention([[3, 1], [1, 3]], [[3, 1], [1, 3]], [[6, 0.5], [0.5, 6]])
    >>> output.round(2)
    array([[5.69, 0.81],
           [0.81, 5.69]])
    """
    (q, q_dtype), (k, k_dtype), (v, v_dtype) = as_float("q", q), as_float("k", k), as_float("v", v)
    k, v = share_heads(q, k), share_heads(q, v, "v")
    check_qkv(q, k, v)
    scores = attention_scores(q, k, scale)
    if softcap is not None:
        limit = check_positive("softcap", softcap, scores.dtype)
        with np.errstate(all="ignore"):  # as in `attention_scores`
            scores = limit * np.tanh(scores / limit)
    scores, visible = hide(scores, mask=mask, bias=bias, causal=causal, window=window)
    check_leading("scores (after mask and bias) and v", scores, v)
    weights = softmax(scores)
    output = blend(weights, v, visible)
    dtype = common_dtype(q_dtype, k_dtype, v_dtype)
    with np.errstate(over="ignore", under="ignore"):  # half precision is rounded once, here
        return Attention(scores, weights.astype(dtype), output.astype(dtype))
