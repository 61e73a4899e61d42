"""Turn arguments into arrays that can be computed with, or say clearly why not."""

import math
import operator
import sys
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .core import Array as Array

COMPUTED_AS_IS = [{(np.ndarray, np.dtype(dtype))} for dtype in (np.float64, np.float32)]


def as_array(name: str, values: ArrayLike) -> Array:
    """Return `values` as an array, or refuse what is none, or would be one only by dropping its mask.

    >>> as_array("mask", [[True], [True, False]])
    Traceback (most recent call last):
        ...
    ValueError: mask is ragged: its rows must all have the same length
    """
    masked = sys.modules.get("numpy.ma")  # a masked array can only come from there
    if masked is not None and _holds(values, masked.MaskedArray):
        what = "is" if isinstance(values, masked.MaskedArray) else "holds"
        rule = "whose mask would be lost: fill it, and say what to hide by mask="
        raise TypeError(f"{name} {what} a masked array, {rule}")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} is ragged: its rows must all have the same length") from None


def _holds(values: Any, kind: type) -> bool:
    """Return whether this is of that kind, or a list of lists with something of that kind in it."""
    if isinstance(values, (list, tuple)):
        return any(_holds(value, kind) for value in values)
    return isinstance(values, kind)


def as_float(name: str, values: ArrayLike) -> tuple[Array, np.dtype[Any]]:
    """Return `values` in the dtype to compute in, and the dtype to answer in.

    Integers and booleans become float64. Half precision (float16, bfloat16) is computed in float32. Both dtypes have
    this machine's byte order.

    >>> as_float("scores", np.ones(2, np.float16))[0].dtype, as_float("scores", [1, 2])[1]
    (dtype('float32'), dtype('float64'))
    """
    array = as_array(name, values)
    if array.dtype.kind in "biu":
        array = array.astype(np.float64)
    if array.dtype.kind != "f" and array.dtype.name != "bfloat16":
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold real numbers (float, integer or boolean)")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return (array.astype(np.float32) if array.dtype.itemsize == 2 else array), array.dtype


def as_integers(name: str, values: ArrayLike) -> Array:
    """Return `values` as an array of integers, which an empty list is as well.

    >>> as_integers("ids", [])
    array([], dtype=int64)
    """
    array = as_array(name, values)
    if array.size == 0 and not hasattr(values, "dtype"):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {array.dtype}; it must hold integers")
    return array


def as_floats(required: dict[str, ArrayLike], **optional: ArrayLike | None) -> tuple[dict[str, Array], np.dtype[Any]]:
    """Return `as_float` of what is required and of every option that was not left out, and the dtype to answer in.

    >>> arrays, dtype = as_floats({"x": np.ones(2, np.float16)}, bias=None, weight=np.ones(2, np.float32))
    >>> list(arrays), dtype
    (['x', 'weight'], dtype('float32'))
    """
    arguments = required | {name: values for name, values in optional.items() if values is not None}
    if {(type(values), getattr(values, "dtype", None)) for values in arguments.values()} in COMPUTED_AS_IS:
        arrays = cast(dict[str, Array], arguments)
        return arrays, next(iter(arrays.values())).dtype
    pairs = {name: as_float(name, values) for name, values in arguments.items()}
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
    count = check_integer(name, value)
    if count < at_least:
        raise ValueError(f"{name} is {count}; {why}, so it must be at least {at_least}")
    return count


def check_integer(name: str, value: int) -> int:
    """Return `value` as a plain integer, or refuse what is none."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; it must be an integer")
    return operator.index(value)


def check_flag(name: str, value: bool) -> bool:
    """Return `value` as a plain boolean, or refuse it: any text, "off" too, would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; it must be True or False")
    return bool(value)


def check_number(name: str, value: float, dtype: DTypeLike = np.float64) -> float:
    """Return `value` as a plain float, or refuse it when `dtype` cannot hold it."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}; it must be a real number, not a switch")
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an integer larger than any float
        finite = False
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
