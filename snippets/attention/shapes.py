"""Refuse shapes that do not fit together, and say which and by what rule."""

from collections.abc import Sequence

import numpy as np

from .checks import Array


def check_axis(name: str, shape: Sequence[int], axis: int) -> None:
    """Refuse an axis that `name` does not have, or one with nothing on it."""
    rank = len(shape)
    if isinstance(axis, (bool, np.bool_)) or not hasattr(axis, "__index__"):
        raise TypeError(f"axis is {axis!r}; it must be one integer")
    if not -rank <= axis < rank:
        raise ValueError(f"axis is {axis}, but {name} has shape {tuple(shape)}: it must lie in [{-rank}, {rank})")
    if shape[axis] == 0:
        raise ValueError(
            f"{name} has shape {tuple(shape)}: axis {axis} is empty, so there is nothing to normalise over"
        )


def with_axis_last(x: Array, axis: int) -> Array:
    """Return x with this axis last and contiguous: a sum over it is then taken pairwise, with less rounding."""
    return np.ascontiguousarray(x if axis in (-1, x.ndim - 1) else np.moveaxis(x, axis, -1))


def scores_shape(q: Array, k: Array, v: Array) -> tuple[int, ...]:
    """Return the shape of the scores, or refuse queries, keys and values that do not fit together.

    >>> scores_shape(np.ones((2, 3, 4)), np.ones((5, 4)), np.ones((5, 1)))
    (2, 3, 5)
    """
    if q.ndim == k.ndim == v.ndim > 1 and q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        n_q, (n_k, d_k) = q.shape[-2], k.shape[-2:]
        if d_k == q.shape[-1] > 0 and n_k == v.shape[-2] > 0:  # the usual case
            return (*q.shape[:-2], n_q, n_k)
    check_qk(q, k)
    if v.ndim < 2:
        raise ValueError(f"v has shape {v.shape}; it must be (..., tokens, d_v)")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"k has shape {k.shape} and v {v.shape}: every key needs one value, {k.shape[-2]} != {v.shape[-2]}"
        )
    check_leading("q, k and v", q.shape, k.shape, v.shape)
    return (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])


def check_qk(q: Array, k: Array) -> None:
    """Refuse queries and keys that have no dot product, and an empty set of keys."""
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has shape {q.shape} and k {k.shape}: both must be (..., tokens, d_k) with the same d_k")
    if q.shape[-1] == 0:
        raise ValueError(f"q has shape {q.shape}: d_k must be at least 1")
    if k.shape[-2] == 0:
        raise ValueError(f"k has shape {k.shape}: there must be at least one key")
    check_leading("q and k", q.shape, k.shape)


def check_leading(names: str, *shapes: tuple[int, ...]) -> None:
    """Refuse shapes (..., tokens, width) whose leading axes do not broadcast."""
    try:
        np.broadcast_shapes(*(shape[:-2] for shape in shapes))
    except ValueError:
        listed = ", ".join(str(shape) for shape in shapes)
        raise ValueError(f"{names} have shapes {listed}: their leading axes must broadcast") from None


def check_plane(name: str, shape: Sequence[int], scores_shape: Sequence[int]) -> None:
    """Refuse a mask or bias that does not broadcast to the scores it is laid over."""
    try:
        fits = np.broadcast_shapes(shape, scores_shape)[-2:] == tuple(scores_shape[-2:])
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"{name} has shape {tuple(shape)}; it must broadcast to the scores' {tuple(scores_shape)}, (..., n_q, n_k)"
        )


def check_broadcasts(name: str, shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Refuse a shape that does not broadcast to the target without enlarging it."""
    if len(shape) > len(target) or any(n not in (1, m) for n, m in zip(shape[::-1], target[::-1], strict=False)):
        raise ValueError(f"{name} has shape {shape}; it must broadcast to {target}")
