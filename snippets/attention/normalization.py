"""Bring every token's vector to a common size: layer norm and RMS norm."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_floats, check_positive
from .shapes import check_axis


def layer_norm(
    x: ArrayLike, weight: ArrayLike | None = None, bias: ArrayLike | None = None, *, eps: float = 1e-5
) -> Array:
    """Give every token mean 0 and variance 1 over its width, then stretch by `weight` and shift by `bias`.

    [..., d], [d], [d] -> [..., d]

    The variance is the population's (divided by d, not by d - 1).

    References
    ----------
    Ba, Kiros and Hinton, "Layer Normalization", 2016.

    Examples
    --------
    >>> layer_norm([1, 2, 4, 9]).round(3)
    array([-0.973, -0.649,  0.   ,  1.622])
    """
    arrays, dtype = as_floats({"x": x}, weight=weight, bias=bias)
    _check_widths(arrays)
    x, eps_scaled = _scale_down(arrays["x"], eps)
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    y = centred / np.sqrt(variance + eps_scaled)
    result: Array = (y * arrays.get("weight", 1) + arrays.get("bias", 0)).astype(dtype)
    return result


def rms_norm(x: ArrayLike, weight: ArrayLike | None = None, *, eps: float = 1e-5) -> Array:
    """Divide every token by its root mean square over the width, then stretch by `weight`.

    [..., d], [d] -> [..., d]

    References
    ----------
    Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.

    Examples
    --------
    >>> rms_norm([3, -3, 3, -3]).round(3)
    array([ 1., -1.,  1., -1.])
    """
    arrays, dtype = as_floats({"x": x}, weight=weight)
    _check_widths(arrays)
    x, eps_scaled = _scale_down(arrays["x"], eps)
    mean_square = (x * x).mean(axis=-1, keepdims=True)
    y = x / np.sqrt(mean_square + eps_scaled)
    result: Array = (y * arrays.get("weight", 1)).astype(dtype)
    return result


def _scale_down(x: Array, eps: float) -> tuple[Array, Array]:
    """Divide rows of huge numbers by a power of two, whose squares would overflow, and eps by its square.

    The norms of a row and of a multiple of it are the same; a power of two changes no digit.
    """
    eps = check_positive("eps", eps, x.dtype)
    x = np.ascontiguousarray(x)  # the sums over a row are then taken pairwise, with less rounding
    exponent = np.frexp(np.abs(x).max(axis=-1, keepdims=True))[1]
    exponent = np.where(exponent > np.finfo(x.dtype).maxexp // 4, exponent, 0)
    lowest = np.finfo(x.dtype).tiny  # above 0, for a row of equal numbers has no variance
    return np.ldexp(x, -exponent), np.maximum(np.ldexp(x.dtype.type(eps), -2 * exponent), lowest)


def _check_widths(arrays: dict[str, Array]) -> None:
    """Refuse an x without width, and a weight or bias that does not have one number for each place of it."""
    x = arrays["x"]
    check_axis("x", x.shape, -1)
    for name in ("weight", "bias"):
        if name in arrays and arrays[name].shape != x.shape[-1:]:
            raise ValueError(f"x has shape {x.shape} and {name} {arrays[name].shape}: {name} must be ({x.shape[-1]},)")
