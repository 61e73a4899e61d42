"""Attention sinks: one more key that every query sees, whose value is 0, so that a head can attend to nothing."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float
from .core import Attention, Score
from .nonfinite import attend_visible
from .shapes import check_broadcasts


def check_sink(sink: ArrayLike, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Return the score of the sink for every query, (..., n_q, 1), in the dtype of scores of this shape."""
    array, _ = as_float("sink", sink)
    expected = (*shape[:-1], 1)
    check_broadcasts("sink", array.shape, expected)
    with np.errstate(over="ignore"):
        return np.broadcast_to(array.astype(dtype), expected)


def attend_with_sink(q: Array, k: Array, v: Array, visible: Array | bool, score: Score, sink: Array) -> Attention:
    """Attend with the sink as the last key, and leave its column out of what is returned.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v], [..., n_q, n_k], [..., n_q, 1] -> as `core.attend`
    """

    def score_all(q: Array, k: Array) -> Array:
        return _append(score(q, k), sink)

    n_k = v.shape[-2]
    seen = True if visible is True else _append(np.broadcast_to(visible, (*np.shape(visible)[:-1], n_k)), np.True_)
    nothing = np.zeros((*v.shape[:-2], 1, v.shape[-1]), v.dtype)
    scores, weights, output = attend_visible(q, k, np.concatenate([v, nothing], axis=-2), seen, score_all)
    return Attention(scores[..., :-1], weights[..., :-1], output)


def _append(x: Array, column: Array | np.bool_) -> Array:  # [n_q, n_k], [n_q, 1] -> [n_q, n_k + 1]
    """Add a column; the axes before it broadcast."""
    leading = np.broadcast_shapes(x.shape[:-1], np.shape(column)[:-1])
    return np.concatenate([np.broadcast_to(a, (*leading, n)) for a, n in ((x, x.shape[-1]), (column, 1))], axis=-1)
