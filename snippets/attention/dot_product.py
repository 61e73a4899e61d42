"""Scaled dot-product attention: scores → weights → output."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float, check_plane, check_positive, check_qk, check_qkv, common_dtype
from .masks import visible_pairs
from .probabilities import softmax


class Attention(NamedTuple):
    """The three steps of one attention call, in order."""

    scores: Array
    weights: Array
    output: Array


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
    check_qk(q, k)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    with np.errstate(invalid="ignore", over="ignore"):  # garbage in a key that a mask will hide is no cause for alarm
        scores: Array = (q @ np.swapaxes(k, -1, -2)) * scale
    return scores


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
        Queries, keys, values. Leading axes (batch, heads) broadcast.
    mask
        Boolean, broadcasts to (..., n_q, n_k); True = may attend.
    bias
        Numbers added to the scores; -inf hides a key like `mask` does.
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
        If shapes do not fit, there is no key, or `window` or `softcap` is out of range.
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
    check_qkv(q, k, v)
    scores = attention_scores(q, k, scale)
    if softcap is not None:
        limit = check_positive("softcap", softcap)
        scores = limit * np.tanh(scores / limit)
    visible = visible_pairs(scores.shape, mask=mask, causal=causal, window=window)
    if bias is not None:
        scores, visible = _add_bias(scores, bias, visible)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    weights = softmax(scores)
    output = _blend(weights, v, visible)
    dtype = common_dtype(q_dtype, k_dtype, v_dtype)
    return Attention(scores, weights.astype(dtype), output.astype(dtype))


def _add_bias(scores: Array, bias: ArrayLike, visible: Array | None) -> tuple[Array, Array | None]:
    """Add the bias; where it is -inf, its key is hidden as if a mask had said so."""
    if np.asarray(bias).dtype == bool:
        raise TypeError("bias is boolean; a boolean mask goes into mask=, where True = may attend")
    added, _ = as_float("bias", bias)
    check_plane("bias", added.shape, scores.shape)
    with np.errstate(invalid="ignore"):
        biased = scores + added
    open_to_all = (added != -np.inf).all()
    if open_to_all:
        return biased, visible
    return biased, (added != -np.inf) if visible is None else visible & (added != -np.inf)


def _blend(weights: Array, v: Array, visible: Array | None) -> Array:
    """Multiply weights and values so that a hidden value leaves no trace: 0 · NaN would be NaN."""
    finite = np.isfinite(v).all(axis=-1)
    if visible is None or finite.all():
        return weights @ v
    odd = np.flatnonzero(~finite.reshape(-1, finite.shape[-1]).all(axis=0))  # keys with a NaN or inf somewhere
    seen = np.broadcast_to(visible, weights.shape)[..., odd, None]
    clean = v.copy()
    clean[..., odd, :] = 0
    with np.errstate(invalid="ignore"):
        terms = weights[..., odd, None] * v[..., None, odd, :]
    output: Array = weights @ clean + np.where(seen, terms, 0).sum(axis=-2)
    return output
