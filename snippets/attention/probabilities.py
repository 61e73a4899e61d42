"""Scores to weights: the softmax and its logarithm."""

import numpy as np
from numpy.typing import ArrayLike

from . import core
from .checks import Array, as_float, check_positive
from .shapes import check_axis, with_axis_last


def softmax(scores: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Array:
    """Turn scores into non-negative weights that sum to 1 along `axis`.

    Only differences between scores count, so the maximum is subtracted first: exp() then cannot overflow.

    Parameters
    ----------
    scores
        Any shape. -inf means "nothing may go here". Unitless.
    axis
        The axis along which weights sum to 1; for attention that of the keys, which is the last.
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
    divisor = check_positive("temperature", temperature, x.dtype)
    with np.errstate(all="ignore"):  # inf - inf is NaN, as promised; a weight too small for the dtype is 0
        weights = core.softmax(_divide(with_axis_last(x, axis), divisor))
        return np.moveaxis(weights, -1, axis).astype(dtype, copy=False)


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
    divisor = check_positive("temperature", temperature, x.dtype)
    with np.errstate(all="ignore"):  # as in `softmax`
        shifted = core.below_maximum(_divide(with_axis_last(x, axis), divisor))
        total = np.maximum(np.exp(shifted).sum(axis=-1, keepdims=True), 1)  # as in `core.softmax`
        return np.moveaxis(shifted - np.log(total), -1, axis).astype(dtype, copy=False)


def _divide(scores: Array, temperature: float) -> Array:
    """Divide scores by the temperature, up to a constant for each row, which softmax ignores.

    Their maximum is subtracted first, for a small temperature would make them overflow; and they are halved before,
    for even their differences may overflow. Halving changes no digit.
    """
    return scores if temperature == 1 else core.below_maximum(scores / 2) / (temperature / 2)
