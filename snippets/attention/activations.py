"""Activations, between two linear layers: GELU in both its forms, and SiLU."""

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def _as_finite_below(x: ArrayLike) -> tuple[Array, np.dtype]:
    """Return `as_float` with the lowest finite number for -inf: both activations are 0 there, but 0 · -inf is NaN."""
    array, dtype = as_float("x", x)
    return np.maximum(array, np.finfo(array.dtype).min), dtype


def gelu(x: ArrayLike, approximate: Literal["none", "tanh"] = "none") -> Array:
    """Multiply every number by the part of a normal distribution that lies below it: x · Φ(x).

    Parameters
    ----------
    approximate
        "none" is the exact form, by the error function; "tanh" is the approximation GPT-2's checkpoints were trained
        with. They differ by up to 5e-4: a checkpoint needs its own.

    Raises
    ------
    ValueError
        If `approximate` is neither.

    References
    ----------
    Hendrycks and Gimpel, "Gaussian Error Linear Units (GELUs)", 2016.

    Examples
    --------
    >>> gelu([-1.0, 0.0, 1.0]).round(4)
    array([-0.1587,  0.    ,  0.8413])
    >>> gelu([-1.0, 0.0, 1.0], approximate="tanh").round(4)
    array([-0.1588,  0.    ,  0.8412])
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f'approximate is {approximate!r}; it must be "none" or "tanh"')
    x, dtype = _as_finite_below(x)
    with np.errstate(over="ignore", under="ignore"):  # tanh of a huge number is 1 all the same
        if approximate == "none":
            result: Array = x * (0.5 * _erfc(x / -math.sqrt(2)))  # erfc keeps its digits where 1 + erf cancels
        else:
            result = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))
        return result.astype(dtype)


def silu(x: ArrayLike) -> Array:
    """Multiply every number by its logistic function: x / (1 + exp(-x)).

    References
    ----------
    Elfwing, Uchibe and Doya, "Sigmoid-Weighted Linear Units for Neural Network Function Approximation", 2017.

    Examples
    --------
    >>> silu([-1.0, 0.0, 1.0]).round(4)
    array([-0.2689,  0.    ,  0.7311])
    """
    x, dtype = _as_finite_below(x)
    with np.errstate(under="ignore"):
        small = np.exp(-np.abs(x))  # never overflows; keeps its digits far below 0, where 1 + tanh would lose them
        result: Array = x * np.where(x < 0, small, 1) / (1 + small)
        return result.astype(dtype)
