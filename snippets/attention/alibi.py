"""ALiBi: positions as a bias, a penalty on the score that grows with the distance from query to key."""

import numpy as np

from . import core
from .checks import Array, check_count


def alibi_slopes(n_heads: int) -> Array:
    """Return how much each head takes off a score for every token of distance: 2^(-8/n), 2^(-16/n), … for n heads.

    Where n is no power of two, the rest of the heads take every other slope of twice as many heads.

    Returns
    -------
    Array (n_heads,).

    References
    ----------
    Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
    2021, section 3; for other numbers of heads, the code published with it.

    Examples
    --------
    >>> alibi_slopes(4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625])
    """
    n_heads = check_count("n_heads", n_heads)
    n = 2 ** (n_heads.bit_length() - 1)  # the largest power of two that is not larger
    exponents = np.concatenate([np.arange(1, n + 1) / n, np.arange(1, 2 * (n_heads - n), 2) / (2 * n)])
    slopes: Array = 2.0 ** (-8 * exponents)
    return slopes


def alibi_bias(n_heads: int, n_q: int, n_k: int | None = None) -> Array:
    """Return the bias of every head: minus its slope times the distance from query to key, in tokens.

    With more keys than queries the queries are the last tokens, as in `causal_mask`. The bias hides nothing: give it to
    `attention` together with `causal=True` where nothing may look ahead.

    Returns
    -------
    Array (n_heads, n_q, n_k).

    References
    ----------
    Press, Smith and Lewis, "Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation",
    2021, section 3.

    Examples
    --------
    >>> alibi_bias(8, 2, 3)[0]
    array([[-0.5, -0. , -0.5],
           [-1. , -0.5, -0. ]])
    """
    n_q = check_count("n_q", n_q, 0, "it counts tokens")
    n_k = n_q if n_k is None else check_count("n_k", n_k, 0, "it counts tokens")
    queries, keys = core.positions(n_q, n_k)
    bias: Array = -alibi_slopes(n_heads)[:, None, None] * np.abs(queries - keys)
    return bias
