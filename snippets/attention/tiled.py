"""The same attention in tiles: the n_q · n_k scores never exist all at once."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_array, as_float, check_count, common_dtype
from .dot_product import score_scale
from .heads import share_heads
from .masks import visible_pairs
from .merge import EMPTY_BLOCK, Block, attend_block, merge_blocks
from .shapes import check_leading, check_plane, check_qkv
from .tiled_fast import attend_fast, set_odd_aside
from .tiles import Reach, tiles


def tiled_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    block_q: int = 128,
    block_k: int = 1024,
) -> Array:
    """Give the output of `attention` in memory that grows with n_q + n_k, not with n_q · n_k.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v] -> [..., n_q, d_v]

    Parameters
    ----------
    q, k, v, mask, bias, causal, window, scale, softcap
        As for `attention`. Tiles that `causal` or `window` hides altogether are never computed.
    block_q, block_k
        How many queries and keys make a tile. They change memory and speed, and the result only by rounding.

    Returns
    -------
    The output alone. There are no scores and weights to return: a tile's are dropped as soon as its values are
    blended in, and no weight is final before the last tile has added to its normaliser.

    Ordinary numbers of one dtype, without mask, bias and softcap, take the fast path of `tiled_fast`; everything else
    is computed by `attend_in_tiles`. Both give the same result, to rounding.

    Raises
    ------
    ValueError, TypeError
        As `attention` does, and if a block size is not an integer of at least 1.

    References
    ----------
    Rabe and Staats, "Self-attention Does Not Need O(n²) Memory", 2021.
    Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022, section 3.1.

    Examples
    --------
    >>> tiled_attention([[3, 1], [1, 3]], [[3, 1], [1, 3]], [[6, 0.5], [0.5, 6]], block_k=1).round(2)
    array([[5.69, 0.81],
           [0.81, 5.69]])
    """
    (q, q_dtype), (k, k_dtype), (v, v_dtype) = as_float("q", q), as_float("k", k), as_float("v", v)
    k, v = share_heads(q, k), share_heads(q, v, "v")
    check_qkv(q, k, v)
    block_q, block_k = check_count("block_q", block_q), check_count("block_k", block_k)
    reach = Reach.of(q.shape[-2], k.shape[-2], causal=causal, window=window)
    factor = score_scale(q, scale)
    attend = partial(attend_block, scale=factor, softcap=softcap)
    tile = partial(attend_in_tiles, attend=attend, block_q=block_q, block_k=block_k)
    if mask is None and bias is None and softcap is None and q.dtype == k.dtype == v.dtype:
        first, clean = set_odd_aside(q, k, v, reach, factor)
        output = attend_fast(*clean, reach, scale=factor, block_q=block_q, block_k=block_k)
        if first < q.shape[-2]:
            rest = reach._replace(offset=reach.offset + first)
            output[..., first:, :] = tile(q[..., first:, :], k, v, rest)
    else:
        output = tile(q, k, v, reach, mask=mask, bias=bias)
    with np.errstate(over="ignore", under="ignore"):  # half precision is rounded once, here
        return output.astype(common_dtype(q_dtype, k_dtype, v_dtype), copy=False)


def attend_in_tiles(
    q: Array,
    k: Array,
    v: Array,
    reach: Reach,
    attend: Callable[..., Block],
    *,
    block_q: int,
    block_k: int,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
) -> Array:
    """Online softmax: for each run of queries, attend to one block of keys after the other and merge."""
    allowed, added, leading = _laid_over(q, k, v, mask, bias)
    output = np.zeros((*leading, q.shape[-2], v.shape[-1]), common_dtype(q.dtype, k.dtype, v.dtype))
    for queries in tiles(range(q.shape[-2]), block_q):
        rows = slice(queries.start, queries.stop)
        merged = EMPTY_BLOCK
        for keys in tiles(reach.keys(queries), block_k):
            columns = slice(keys.start, keys.stop)
            visible = _both(reach.visible(queries, keys), _cut(allowed, rows, columns))
            tile_bias = _cut(added, rows, columns)
            block = attend(q[..., rows, :], k[..., columns, :], v[..., columns, :], mask=visible, bias=tile_bias)
            merged = merge_blocks(merged, block)
        output[..., rows, :] = merged.output
    return output


def _laid_over(
    q: Array, k: Array, v: Array, mask: ArrayLike | None, bias: ArrayLike | None
) -> tuple[Array | None, Array | None, tuple[int, ...]]:
    """Return mask and bias as they lie over the scores, and the leading axes of the output."""
    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    allowed, added = _over_scores(visible_pairs(shape, mask=mask), shape), _over_scores(bias, shape)
    arrays = [x for x in (q, k, v, allowed, added) if x is not None]
    check_leading("q, k, v, mask and bias", *arrays)
    return allowed, added, np.broadcast_shapes(*(x.shape[:-2] for x in arrays))


def _over_scores(plane: ArrayLike | None, shape: tuple[int, ...]) -> Array | None:
    """View a mask or bias as (..., n_q, n_k), so that tiles can be cut out of it."""
    if plane is None:
        return None
    array = as_array("bias", plane)
    check_plane("bias", array.shape, shape)
    return np.broadcast_to(array, (*array.shape[:-2], *shape[-2:]))


def _cut(plane: Array | None, rows: slice, columns: slice) -> Array | None:
    return None if plane is None else plane[..., rows, columns]


def _both(visible: Array | None, allowed: Array | None) -> Array | None:
    if visible is None or allowed is None:
        return allowed if visible is None else visible
    return np.logical_and(visible, allowed)
