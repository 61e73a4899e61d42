"""Values that are not finite, behind a mask: 0 · NaN is NaN, yet what a query may not see leaves no trace."""

import numpy as np

from . import core
from .core import Array, Attention, Score


def attend_visible(q: Array, k: Array, v: Array, visible: Array | bool, score: Score) -> Attention:
    """Attend as the core does, but add what is not finite in v only for the queries that may see it.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v], [..., n_q, n_k] -> as `core.attend`
    """
    with np.errstate(all="ignore"):  # NaN and infinity that are visible show in the output; that is warning enough
        if visible is True or np.isfinite(v).all():
            return core.attend(q, k, v, visible, score)
        scores, weights, output = core.attend(q, k, _finite_part(v), visible, score)
        return Attention(scores, weights, output + _nonfinite_sum(weights, v, visible))


def weighted_sum(weights: Array, values: Array, visible: Array) -> Array:
    """Sum the values by their weights, those that are not finite only where they are visible.

    [..., n_q, n_k], [..., n_k, d], [..., n_q, n_k] -> [..., n_q, d]

    >>> weighted_sum(np.array([[1.0, 0.0]]), np.array([[2.0], [np.nan]]), visible=np.array([True, False]))
    array([[2.]])
    """
    with np.errstate(all="ignore"):
        if np.isfinite(values).all():
            return weights @ values
        return weights @ _finite_part(values) + _nonfinite_sum(weights, values, visible)


def _finite_part(values: Array) -> Array:
    return np.where(np.isfinite(values), values, values.dtype.type(0))


def _nonfinite_sum(weights: Array, values: Array, visible: Array | bool) -> Array:
    """Sum weight · value over the values that are not finite and visible, one key at a time."""
    nonfinite, visible = ~np.isfinite(values), np.broadcast_to(visible, weights.shape)
    total = np.zeros((1, 1), values.dtype)
    for key in np.flatnonzero(nonfinite.any(axis=-1).reshape(-1, values.shape[-2]).any(axis=0)):
        where = visible[..., key, None] & nonfinite[..., None, key, :]
        total = total + np.where(where, weights[..., key, None] * values[..., None, key, :], 0)
    return total
