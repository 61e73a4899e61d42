"""What is hidden leaves no trace: lay masks and bias over the scores, then blend the values without a leak."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_array, as_float
from .masks import visible_pairs
from .shapes import check_plane


def hide(
    scores: Array,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
) -> tuple[Array, Array | None]:
    """Return the scores, with bias, and -inf where a key is hidden; and which pairs are visible (None: all of them).

    >>> hide(np.zeros((2, 2)), bias=[5, 0], causal=True)[0]
    array([[  5., -inf],
           [  5.,   0.]])
    """
    closed = None
    if bias is not None:
        added = _bias(bias, scores)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = scores + added
        closed = added == -np.inf
    visible = visible_pairs(scores.shape, mask=mask, causal=causal, window=window)
    if closed is not None and closed.any():
        visible = ~closed if visible is None else visible & ~closed
    return (scores if visible is None else np.where(visible, scores, scores.dtype.type(-np.inf))), visible


def blend(weights: Array, values: Array, visible: Array | None) -> Array:
    """Multiply weights and values so that a hidden value leaves no trace, although 0 · NaN is NaN.

    [..., n_q, n_k], [..., n_k, d], [..., n_q, n_k] -> [..., n_q, d]

    >>> blend(np.array([[1.0, 0.0]]), np.array([[2.0], [np.nan]]), visible=np.array([True, False]))
    array([[2.]])
    """
    finite = np.isfinite(values).all(axis=-1)
    with np.errstate(all="ignore"):  # a NaN or inf that is visible shows in the output; that is warning enough
        if visible is None or finite.all():
            return weights @ values
        output: Array = weights @ np.where(finite[..., None], values, values.dtype.type(0))
        visible = np.broadcast_to(visible, weights.shape)
        for key in np.flatnonzero(~finite.reshape(-1, finite.shape[-1]).all(axis=0)):
            odd = np.where(finite[..., None, key, None], 0, weights[..., key, None] * values[..., None, key, :])
            output = output + np.where(visible[..., key, None], odd, 0)
    return output


def _bias(bias: ArrayLike, scores: Array) -> Array:
    """Return the bias in the scores' dtype; what that cannot hold becomes infinite."""
    if as_array("bias", bias).dtype == bool:
        raise TypeError("bias is boolean; a boolean mask goes into mask=, where True = may attend")
    added, _ = as_float("bias", bias)
    check_plane("bias", added.shape, scores.shape)
    with np.errstate(over="ignore"):
        return added.astype(scores.dtype)
