"""Scores to shares: the softmax and its logarithm."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float, check_positive
from .shapes import check_axis


def softmax(scores: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Array:
    """Turn scores into non-negative weights that sum to 1 along `axis`.

    Only differences between scores count, so the maximum is subtracted first: exp() then never overflows.

    Parameters
    ----------
    scores
        Any shape. -inf means "nothing may go here". Unitless.
    axis
        The axis that shall sum to 1; for attention the keys, which come last.
    temperature
        Scores are divided by it: below 1 sharpens, above 1 flattens. Must be positive.

    Returns
    -------
    Array of the same shape. A row of nothing but -inf gives exact zeros; a row with NaN or +inf gives NaN.

    Raises
    ------
    ValueError
        If `axis` does not exist or is empty, or `temperature` is not positive and finite. Temperature 0 would be
        argmax: ask for that by name.
    TypeError
        If `scores` are not real numbers.

    References
    ----------
    Bridle, "Probabilistic interpretation of feedforward classification network outputs", 1990.

    Examples
    --------
    >>> softmax([[10.0, 6.0], [6.0, 10.0]]).round(3)
    array([[0.982, 0.018],
           [0.018, 0.982]])
    >>> softmax([1000.0, 1000.0, -np.inf])
    array([0.5, 0.5, 0. ])
    """
    x, dtype = as_float("scores", scores)
    check_axis("scores", x.shape, axis)
    shifted = _below_maximum(x, axis, temperature)
    with np.errstate(under="ignore"):  # a share too small for the dtype is 0
        exps = np.exp(shifted)
        total = exps.sum(axis=axis, keepdims=True)
        weights: Array = (exps / np.where(total == 0, 1, total)).astype(dtype)
    return weights


def log_softmax(scores: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Array:
    """Return the logarithm of `softmax`, without taking the logarithm of a number that was rounded to 0.

    Parameters, dtypes and errors are those of `softmax`; a row of nothing but -inf gives -inf.

    Examples
    --------
    >>> log_softmax([0.0, 1000.0])
    array([-1000.,     0.])
    """
    x, dtype = as_float("scores", scores)
    check_axis("scores", x.shape, axis)
    shifted = _below_maximum(x, axis, temperature)
    with np.errstate(under="ignore", over="ignore"):
        total = np.exp(shifted).sum(axis=axis, keepdims=True)
        logs: Array = (shifted - np.log(np.where(total == 0, 1, total))).astype(dtype)
    return logs


def _below_maximum(x: Array, axis: int, temperature: float) -> Array:
    """Return (x - maximum) / temperature; a row of nothing but -inf has no maximum to subtract."""
    divisor = check_positive("temperature", temperature, x.dtype)
    maximum = x.max(axis=axis, keepdims=True)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):  # inf - inf is NaN, as promised; a huge gap -inf
        shifted: Array = (x - np.where(maximum == -np.inf, 0, maximum)) / divisor
    return shifted
