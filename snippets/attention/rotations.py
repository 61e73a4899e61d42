"""Rotary positions: rotate every pair of numbers by an angle that grows with the token's position."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float, check_flag, check_positive
from .shapes import check_broadcasts


def rotary(
    x: ArrayLike, positions: ArrayLike | None = None, *, base: float = 10000.0, interleaved: bool = False
) -> Array:
    """Rotate pair i of a token at position p by the angle p · base^(-2i/d), in radians.

    [..., n, d], [..., n] -> [..., n, d]

    Applied to queries and keys, their dot product then depends on how far apart two tokens are, not on where.

    Parameters
    ----------
    positions
        0, 1, 2 … where left out. After a cache of `past` tokens they go on: `range(past, past + n)`. Where every
        sequence of a batch has its own and x has heads, insert their axis: `positions[:, None]`.
    base
        Sets the lowest frequency; Llama 3 has 500000.
    interleaved
        Pairs are neighbours (0, 1), (2, 3) …; otherwise (0, d/2), (1, d/2 + 1) …, as most checkpoints store them.

    Raises
    ------
    ValueError
        If d is odd, or the positions do not broadcast to the tokens.

    References
    ----------
    Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.

    Examples
    --------
    >>> rotary([[1, 0], [1, 0]]).round(4)
    array([[1.    , 0.    ],
           [0.5403, 0.8415]])
    """
    array, _ = as_float("x", x)
    if array.ndim < 2 or array.shape[-1] % 2:
        raise ValueError(f"x has shape {array.shape}; it must be (..., tokens, d) with an even d")
    n, d = array.shape[-2:]
    at, _ = as_float("positions", np.arange(n) if positions is None else positions)
    check_broadcasts("positions", at.shape, array.shape[:-1])
    frequencies = check_positive("base", base) ** (-np.arange(0, d, 2) / d)
    angles = at.astype(np.float64)[..., None] * frequencies
    return rotate_pairs(x, np.cos(angles), np.sin(angles), interleaved=interleaved)


def rotate_pairs(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, interleaved: bool = False) -> Array:
    """Rotate pair i of every token by the angle with this cosine and sine.

    [..., n, d], [..., n, d/2], [..., n, d/2] -> [..., n, d]

    Examples
    --------
    >>> rotate_pairs([[1, 2, 3, 4]], cos=[[0, 0]], sin=[[1, 1]])
    array([[-3., -4.,  1.,  2.]])
    >>> rotate_pairs([[1, 2, 3, 4]], cos=[[0, 0]], sin=[[1, 1]], interleaved=True)
    array([[-2.,  1., -4.,  3.]])
    """
    (x, dtype), (cos, _), (sin, _) = as_float("x", x), as_float("cos", cos), as_float("sin", sin)
    if x.ndim < 2 or x.shape[-1] % 2:
        raise ValueError(f"x has shape {x.shape}; it must be (..., tokens, d) with an even d")
    half = x.shape[-1] // 2
    check_broadcasts("cos", cos.shape, (*x.shape[:-1], half))
    check_broadcasts("sin", sin.shape, (*x.shape[:-1], half))
    first, second = slice(half), slice(half, None)
    if check_flag("interleaved", interleaved):
        first, second = slice(0, None, 2), slice(1, None, 2)
    rotated = np.empty(x.shape, dtype)
    rotated[..., first] = x[..., first] * cos - x[..., second] * sin
    rotated[..., second] = x[..., first] * sin + x[..., second] * cos
    return rotated
