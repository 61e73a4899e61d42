"""Turn arguments into arrays that can be computed with, or say clearly why not."""

import math
import operator
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
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is ragged: its rows must all have the same length") from None
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    half = array.dtype == np.float16 or array.dtype.name == "bfloat16"
    if not half and array.dtype.kind != "f":
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold real numbers (float, integer or boolean)")
    return (array.astype(np.float32) if half else array), array.dtype


def as_floats(**arguments: ArrayLike | None) -> tuple[dict[str, Array], np.dtype[Any]]:
    """Return `as_float` of every argument that was not left out (None), and the dtype to answer in.

    >>> arrays, dtype = as_floats(x=np.ones(2, np.float16), bias=None, weight=np.ones(2, np.float32))
    >>> list(arrays), dtype
    (['x', 'weight'], dtype('float32'))
    """
    pairs = {name: as_float(name, values) for name, values in arguments.items() if values is not None}
    return {name: array for name, (array, _) in pairs.items()}, common_dtype(*(dtype for _, dtype in pairs.values()))


def common_dtype(*dtypes: DTypeLike) -> np.dtype[Any]:
    """Return the dtype an answer made of arrays of these dtypes has.

    >>> common_dtype(np.float16, np.float32)
    dtype('float32')
    """
    try:
        return np.result_type(*dtypes)
    except TypeError:  # float16 and bfloat16: neither holds the other, float32 holds both
        return np.result_type(np.float32, *(np.float32 if np.dtype(d).itemsize == 2 else d for d in dtypes))


def check_count(name: str, value: int, at_least: int = 1, why: str = "it is a count") -> int:
    """Return `value` as a plain integer, or refuse it when it is not one or too small."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; it must be an integer")
    count = operator.index(value)
    if count < at_least:
        raise ValueError(f"{name} is {count}; {why}, so it must be at least {at_least}")
    return count


def check_number(name: str, value: float, dtype: DTypeLike = np.float64) -> float:
    """Return `value` as a plain float, or refuse it when `dtype` cannot hold it."""
    try:
        finite = math.isfinite(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a real number") from None
    if not (finite and abs(float(value)) <= float(np.finfo(dtype).max)):
        raise ValueError(f"{name} is {value}; it must be finite in {np.dtype(dtype)}")
    return float(value)


def check_positive(name: str, value: float, dtype: DTypeLike = np.float64) -> float:
    """Return `value` as a plain float, or refuse it when it is not positive, not finite, or 0 in `dtype`."""
    number = check_number(name, value, dtype)
    if number <= 0 or number < float(np.finfo(dtype).tiny):
        raise ValueError(f"{name} is {value}; it must be positive and not round to 0 in {np.dtype(dtype)}")
    return number


def check_axis(name: str, shape: Sequence[int], axis: int) -> None:
    """Refuse an axis that `name` does not have, or one with nothing on it."""
    rank = len(shape)
    if not hasattr(axis, "__index__"):
        raise TypeError(f"axis is {axis!r}; it must be one integer")
    if not -rank <= axis < rank:
        raise ValueError(f"axis is {axis}, but {name} has shape {tuple(shape)}: it must lie in [{-rank}, {rank})")
    if shape[axis] == 0:
        raise ValueError(
            f"{name} has shape {tuple(shape)}: axis {axis} is empty, so there is nothing to normalise over"
        )


def check_qkv(q: Array, k: Array, v: Array) -> None:
    """Refuse queries, keys and values whose shapes do not fit together."""
    check_qk(q, k)
    if v.ndim < 2:
        raise ValueError(f"v has shape {v.shape}; it must be (..., tokens, d_v)")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"k has shape {k.shape} and v {v.shape}: every key needs one value, {k.shape[-2]} != {v.shape[-2]}"
        )
    check_leading("q, k and v", q, k, v)


def check_qk(q: Array, k: Array) -> None:
    """Refuse queries and keys that have no dot product, and an empty set of keys."""
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has shape {q.shape} and k {k.shape}: both must be (..., tokens, d_k) with the same d_k")
    if q.shape[-1] == 0:
        raise ValueError(f"q has shape {q.shape}: d_k must be at least 1")
    if k.shape[-2] == 0:
        raise ValueError(f"k has shape {k.shape}: there must be at least one key")
    check_leading("q and k", q, k)


def check_leading(names: str, *arrays: Array) -> None:
    """Refuse arrays (..., tokens, width) whose leading axes do not broadcast."""
    try:
        np.broadcast_shapes(*(array.shape[:-2] for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"{names} have shapes {shapes}: their leading axes must broadcast") from None


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
