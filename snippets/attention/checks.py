"""Turn arguments into arrays that can be computed with, or say clearly why not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Array = NDArray[Any]


def as_float(name: str, values: ArrayLike) -> tuple[Array, np.dtype[Any]]:
    """Return `values` in the dtype to compute in, and the dtype to answer in.

    Integers and booleans become float64. Half precision (float16, bfloat16) is computed in float32.

    >>> as_float("scores", np.ones(2, np.float16))[0].dtype, as_float("scores", [1, 2])[1]
    (dtype('float32'), dtype('float64'))
    """
    array = np.asarray(values)
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    half = array.dtype == np.float16 or array.dtype.name == "bfloat16"
    if not half and array.dtype.kind != "f":
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold real numbers (float, integer or boolean)")
    return (array.astype(np.float32) if half else array), array.dtype


def common_dtype(*dtypes: DTypeLike) -> np.dtype[Any]:
    """Return the dtype an answer made of arrays of these dtypes has.

    >>> common_dtype(np.float16, np.float32)
    dtype('float32')
    """
    return np.result_type(*dtypes)


def check_axis(name: str, shape: Sequence[int], axis: int) -> None:
    """Refuse an axis that `name` does not have, or one with nothing on it."""
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"axis is {axis}, but {name} has shape {tuple(shape)}: it must lie in [-{len(shape)}, {len(shape)})"
        )
    if shape[axis] == 0:
        raise ValueError(
            f"{name} has shape {tuple(shape)}: axis {axis} is empty, so there is nothing to normalise over"
        )


def check_positive(name: str, value: float) -> float:
    """Return `value` as a plain float, or refuse it when it is not positive and finite."""
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} is {value}; it must be positive and finite")
    return float(value)


def check_qkv(q: Array, k: Array, v: Array) -> None:
    """Refuse queries, keys and values whose shapes do not fit together."""
    for name, array in (("q", q), ("k", k), ("v", v)):
        if array.ndim < 2:
            raise ValueError(f"{name} has shape {array.shape}; it must be (..., tokens, width)")
    check_qk(q, k)
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"k has shape {k.shape} and v {v.shape}: every key needs one value, {k.shape[-2]} != {v.shape[-2]}"
        )
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        rule = "their leading axes must broadcast"
        raise ValueError(f"q has shape {q.shape}, k {k.shape} and v {v.shape}: {rule}") from None


def check_qk(q: Array, k: Array) -> None:
    """Refuse queries and keys that have no dot product, and an empty set of keys."""
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has shape {q.shape} and k {k.shape}: both must be (..., tokens, d_k) with the same d_k")
    if q.shape[-1] == 0:
        raise ValueError(f"q has shape {q.shape}: d_k must be at least 1")
    if k.shape[-2] == 0:
        raise ValueError(f"k has shape {k.shape}: there must be at least one key")


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
