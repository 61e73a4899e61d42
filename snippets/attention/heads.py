"""Cut an array into heads, put it together again, and let several query heads share one key-value head."""

from numpy.typing import ArrayLike

from . import core
from .checks import Array, as_array, check_count


def split_heads(x: ArrayLike, n_heads: int) -> Array:
    """Give every head its slice of each token: cut the width, then put the axis of heads before that of tokens.

    [..., n, n_heads · d] -> [..., n_heads, n, d]

    Reshaping straight to the second shape would give the same shape and mix the tokens. The result is a view where
    NumPy can make one: writing to it writes to `x`.

    Raises
    ------
    ValueError
        If the width is not a multiple of `n_heads`.

    Examples
    --------
    >>> split_heads([[0, 1, 2, 3], [4, 5, 6, 7]], n_heads=2)
    array([[[0, 1],
            [4, 5]],
    <BLANKLINE>
           [[2, 3],
            [6, 7]]])
    """
    x = as_array("x", x)
    if x.ndim < 2:
        raise ValueError(f"x has shape {x.shape}; it must be (..., tokens, width)")
    n_heads = check_count("n_heads", n_heads)
    check_divides("x", x.shape, n_heads)
    return core.split_heads(x, n_heads)


def merge_heads(x: ArrayLike) -> Array:
    """Undo `split_heads`: the heads' slices of one token side by side again.

    [..., n_heads, n, d] -> [..., n, n_heads · d]

    The result is a copy, or where nothing has to be moved a view: then writing to it writes to `x`.

    Examples
    --------
    >>> merge_heads([[[0, 1], [4, 5]], [[2, 3], [6, 7]]])
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    """
    x = as_array("x", x)
    if x.ndim < 3:
        raise ValueError(f"x has shape {x.shape}; it must be (..., n_heads, tokens, width)")
    return core.merge_heads(x)


def repeat_heads(x: ArrayLike, n_heads: int) -> Array:
    """Hand every key-value head to its group of query heads, neighbours sharing: 0 0 1 1, not 0 1 0 1.

    [..., n_kv_heads, n, d] -> [..., n_heads, n, d]

    Raises
    ------
    ValueError
        If `n_heads` is not a multiple of `n_kv_heads`.

    References
    ----------
    Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints", 2023.

    Examples
    --------
    >>> repeat_heads([[[7]], [[8]]], n_heads=4).ravel()
    array([7, 7, 8, 8])
    """
    x = as_array("x", x)
    if x.ndim < 3:
        raise ValueError(f"x has shape {x.shape}; it must be (..., n_kv_heads, tokens, width)")
    group_size(n_heads, x.shape[-3])
    return core.repeat_heads(x, n_heads)


def share_heads(q: Array, k: Array, name: str = "k") -> Array:
    """Return keys (or values) with a head for every head of `q`; where NumPy broadcasts already, as they are.

    >>> import numpy as np
    >>> share_heads(np.ones((4, 1, 2)), np.ones((2, 5, 2))).shape
    (4, 5, 2)
    """
    if min(q.ndim, k.ndim) < 3 or q.shape[-3] == k.shape[-3] or 1 in (q.shape[-3], k.shape[-3]):
        return k
    n_heads, n_kv_heads = q.shape[-3], k.shape[-3]
    if 0 in (n_heads, n_kv_heads) or n_heads % n_kv_heads:
        rule = f"on axis -3, {n_heads} query heads must be a multiple of {n_kv_heads} key-value heads"
        raise ValueError(f"q has shape {q.shape} and {name} {k.shape}: {rule}")
    return core.repeat_heads(k, n_heads)


def group_size(n_heads: int, n_kv_heads: int) -> int:
    """Return how many query heads share one key-value head, or refuse numbers that do not divide."""
    n_heads, n_kv_heads = check_count("n_heads", n_heads), check_count("n_kv_heads", n_kv_heads)
    if n_heads % n_kv_heads:
        rule = "the number of query heads must be a multiple"
        raise ValueError(f"{n_heads} query heads cannot share {n_kv_heads} key-value heads: {rule}")
    return n_heads // n_kv_heads


def check_divides(name: str, shape: tuple[int, ...], n_heads: int) -> None:
    """Refuse a width that `n_heads` heads, a positive number, cannot share equally."""
    if not shape:
        raise ValueError(f"{name} has shape (): it has no last axis to cut into {n_heads} heads")
    if shape[-1] % n_heads:
        rule = f"its width {shape[-1]} cannot be cut into {n_heads} equally wide heads"
        raise ValueError(f"{name} has shape {shape}: {rule}")
