"""Scores of queries against keys: scaled, soft-capped, biased."""

import math

import numpy as np
from numpy.typing import ArrayLike

from . import core
from .checks import Array, as_array, as_float, as_floats, check_number, check_positive
from .core import Score
from .heads import share_heads
from .shapes import check_plane, check_qk


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
    arrays, _ = as_floats({"q": q, "k": k})
    q, k = arrays["q"], share_heads(arrays["q"], arrays["k"])
    check_qk(q, k)
    if scale is not None:
        scale = check_number("scale", scale, q.dtype)
    with np.errstate(all="ignore"):  # a masked key may hold anything, and a warning about it would be a false alarm
        return score_function(scale)(q, k)


def score_function(scale: float | None = None, softcap: float | None = None, bias: Array | None = None) -> Score:
    """Return the function that scores queries against keys; the options were checked by `check_score_options`.

    >>> score_function(scale=1, bias=np.array([5, 0]))(np.array([[1]]), np.array([[2], [3]]))
    array([[7, 3]])
    """

    def score(q: Array, k: Array) -> Array:
        if scale is None or abs(scale) <= 1:
            scores = core.attention_scores(q, k, scale)
        else:  # scaled last: a large scale might overflow where the score does not
            scores = core.attention_scores(q, k, 1) * scale
        if softcap is not None:
            scores = softcap * np.tanh(scores / softcap)
        return scores if bias is None else scores + bias

    return score


def check_score_options(
    q: Array, k: Array, shape: tuple[int, ...], scale: float | None, softcap: float | None, bias: ArrayLike | None
) -> tuple[float | None, float | None, Array | None]:
    """Return the options as numbers of the dtype of scores of this shape, or refuse them."""
    dtype = np.result_type(q, k)
    return (
        None if scale is None else check_number("scale", scale, q.dtype),
        None if softcap is None else check_positive("softcap", softcap, dtype),
        None if bias is None else _as_bias(bias, shape, dtype),
    )


def scale_or_default(q: Array, scale: float | None) -> float:
    """Return `scale`, or 1/√d_k where it is left out."""
    return 1 / math.sqrt(q.shape[-1]) if scale is None else check_number("scale", scale, q.dtype)


def _as_bias(bias: ArrayLike, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return the bias in the scores' dtype; what that cannot hold becomes infinite."""
    if as_array("bias", bias).dtype == bool:
        raise TypeError("bias is boolean; a boolean mask goes into mask=, where True = may attend")
    array, _ = as_float("bias", bias)
    check_plane("bias", array.shape, shape)
    with np.errstate(over="ignore"):
        return array.astype(dtype)
