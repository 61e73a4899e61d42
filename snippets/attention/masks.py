"""Boolean masks over pairs of query and key: True = may attend. Combine them with `&`."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from . import core
from .checks import Array, as_array, as_integers, check_count, check_flag
from .shapes import check_plane
from .tiles import Band

Align = Literal["bottom-right", "top-left"]


def causal_mask(n_q: int, n_k: int | None = None, *, align: Align = "bottom-right") -> Array:
    """Let every query see itself and what came before it.

    With more keys than queries the queries are the *last* tokens (bottom-right alignment), as in decoding with a cache.

    Parameters
    ----------
    n_q, n_k
        Numbers of queries and keys; as many keys as queries where `n_k` is left out.
    align
        "bottom-right": the last query is the last key's token. "top-left": the first query is the first key's token, as
        in PyTorch's `is_causal=True` and in ONNX.

    Returns
    -------
    Boolean array (n_q, n_k); True = may attend.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3.

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    >>> causal_mask(2, 4, align="top-left").astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0]])
    """
    n_q, n_k = _check_lengths(n_q, n_k)
    return _as_mask(visible_pairs((n_q, n_k), causal=True, offset=query_offset(align)), n_q, n_k)


def sliding_window_mask(
    n_q: int, n_k: int | None = None, *, window: int, causal: bool = True, align: Align = "bottom-right"
) -> Array:
    """Let every query see the `window` keys that end with its own position.

    Without `causal` it may look as far ahead as it may look back: `window` - 1 keys to either side.

    Returns
    -------
    Boolean array (n_q, n_k); True = may attend. `align` is that of `causal_mask`.

    Raises
    ------
    ValueError
        If `window` is smaller than 1: a token always sees itself.

    References
    ----------
    Beltagy, Peters and Cohan, "Longformer: The Long-Document Transformer", 2020, section 3.1.

    Examples
    --------
    >>> sliding_window_mask(3, window=2).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    n_q, n_k = _check_lengths(n_q, n_k)
    window = check_count("window", window, why="it counts the current token")
    return _as_mask(visible_pairs((n_q, n_k), causal=causal, window=window, offset=query_offset(align)), n_q, n_k)


def padding_mask(lengths: ArrayLike, n_k: int, side: Literal["left", "right"] = "right") -> Array:
    """Hide what was only added to make all sequences equally long.

    Parameters
    ----------
    lengths
        Integers (...): how many of the `n_k` keys of each sequence are real.
    side
        Where the padding is: after the real keys, or "left", before them.

    Returns
    -------
    Boolean array (..., 1, n_k): the 1 lets every query of a sequence share its row.
    With a head axis in between, insert it: `mask[:, None]`.

    Examples
    --------
    >>> padding_mask([3, 1], 3).astype(int)
    array([[[1, 1, 1]],
    <BLANKLINE>
           [[1, 0, 0]]])
    """
    n_k = check_count("n_k", n_k, 0, "it counts tokens")
    counts = as_integers("lengths", lengths)
    if counts.size and not (counts.min() >= 0 and counts.max() <= n_k):
        raise ValueError(f"lengths run from {counts.min()} to {counts.max()}; each must lie in [0, n_k] = [0, {n_k}]")
    if side not in ("left", "right"):
        raise ValueError(f'side is {side!r}; it must be "left" or "right"')
    mask: Array = np.arange(n_k) < counts[..., None, None]
    return mask if side == "right" else mask[..., ::-1]


def real_positions(real: ArrayLike) -> Array:
    """Count the real tokens of each sequence, from 0: where each stands once the padding is taken out.

    [..., n] -> [..., n]

    Parameters
    ----------
    real
        Boolean: True = a real token, False = padding, on either side. Padding gets the position 0.

    Raises
    ------
    ValueError
        If `real` has no axis of tokens.
    TypeError
        If it is not boolean.

    Examples
    --------
    >>> real_positions([[False, False, True, True], [True, True, True, False]])
    array([[0, 0, 0, 1],
           [0, 1, 2, 0]])
    """
    mask = as_array("real", real)
    if mask.dtype != bool:
        raise TypeError(f"real has dtype {mask.dtype}; it must be boolean (True = a real token, False = padding)")
    if mask.ndim < 1:
        raise ValueError(f"real has shape {mask.shape}; it must be (..., n)")
    return np.where(mask, mask.cumsum(axis=-1) - 1, 0)


def visible_pairs(
    shape: tuple[int, ...],
    *,
    mask: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    bias: Array | None = None,
    offset: int | None = None,
) -> Array | bool:
    """Combine all that hides a key in scores of this shape (..., n_q, n_k): visible is what each of them allows.

    A bias, in the scores' dtype, hides where it is -inf. Returns True where nothing is hidden. `offset` is the position
    of query 0 among the keys; where it is left out, the last query is the last key's token.

    Examples
    --------
    >>> visible_pairs((3, 3), mask=[True, True, False], causal=True).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    n_q, n_k = shape[-2:]
    visible: Array | bool = True
    causal = check_flag("causal", causal)
    if causal and window is None and offset is None:
        visible = core.causal(n_q, n_k)
    elif causal or window is not None:
        visible = Band.of(n_q, n_k, causal=causal, window=window, offset=offset).visible(range(n_q), range(n_k))
    if bias is not None:
        visible = visible & (bias != -np.inf)
        shape = np.broadcast_shapes(shape, bias.shape)
    if mask is not None:
        allowed = as_array("mask", mask)
        if allowed.dtype != bool:
            raise TypeError(
                f"mask has dtype {allowed.dtype}; it must be boolean (True = may attend), numbers go into bias="
            )
        check_plane("mask", allowed.shape, shape)
        visible = visible & allowed
    return visible


def query_offset(align: Align) -> int | None:
    """Return the position of query 0 among the keys, None where the last query is the last key's token.

    >>> query_offset("bottom-right"), query_offset("top-left")
    (None, 0)
    """
    if align not in ("bottom-right", "top-left"):
        raise ValueError(f'align is {align!r}; it must be "bottom-right" or "top-left"')
    return None if align == "bottom-right" else 0


def _as_mask(visible: Array | bool, n_q: int, n_k: int) -> Array:
    """Return the mask (n_q, n_k), with every pair in it where nothing is hidden."""
    return np.ones((n_q, n_k), bool) if visible is True else np.asarray(visible)


def _check_lengths(n_q: int, n_k: int | None) -> tuple[int, int]:
    """Return both counts as plain integers; as many keys as queries where `n_k` is left out."""
    n_q = check_count("n_q", n_q, 0, "it counts tokens")
    return n_q, n_q if n_k is None else check_count("n_k", n_k, 0, "it counts tokens")
