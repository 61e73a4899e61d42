"""The same attention in tiles: the n_q · n_k scores never exist all at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .checks import as_float, as_floats, check_count
from .core import Array, Score
from .fast.kernel import attend_fast, zero_extremes
from .gradients import Gradients, attention_backward
from .heads import share_heads
from .masks import Align, query_offset, visible_pairs
from .merge import EMPTY_BLOCK, Block, as_block, merge_blocks
from .nonfinite import attend_visible
from .scores import check_score_options, scale_or_default, score_function
from .shapes import check_leading, scores_shape
from .sinks import check_sink
from .tiles import Band, tiles


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
    align: Align = "bottom-right",
    sink: ArrayLike | None = None,
    block_q: int = 128,
    block_k: int = 1024,
) -> Array:
    """Give the output of `attention` in memory that grows with n_q + n_k, not with n_q · n_k.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v] -> [..., n_q, d_v]

    Parameters
    ----------
    q, k, v, mask, bias, causal, window, scale, softcap, align, sink
        As for `attention`. Tiles that `causal` or `window` hides altogether are never computed.
    block_q, block_k
        How many queries and keys make a tile. They change memory and speed, and the result only by rounding.

    Returns
    -------
    The output alone. There are no scores and weights to return: those of a tile are dropped as soon as its values are
    summed, and no weight is final before the last tile has added to its normaliser.

    Ordinary numbers of one dtype, without mask, bias, softcap and sink, are computed by the tuned kernel of
    `attention.fast`, everything else by `attend_in_tiles`. Both give the same result, to rounding.

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
    arrays, dtype = as_floats({"q": q, "k": k, "v": v})
    q, k, v = arrays["q"], share_heads(arrays["q"], arrays["k"]), share_heads(arrays["q"], arrays["v"], "v")
    block_q, block_k = check_count("block_q", block_q), check_count("block_k", block_k)
    options = TileOptions.of(q, k, v, mask=mask, bias=bias, scale=scale, softcap=softcap, sink=sink)
    band = Band.of(q.shape[-2], k.shape[-2], causal=causal, window=window, offset=query_offset(align))
    if mask is None and bias is None and softcap is None and sink is None and q.dtype == k.dtype == v.dtype:
        first, finite = zero_extremes(q, k, v, band, options.scale)
        output = attend_fast(*finite, band, scale=options.scale, block_q=block_q, block_k=block_k)
        if first < q.shape[-2]:
            rest = band._replace(offset=band.offset + first)
            output[..., first:, :] = attend_in_tiles(q[..., first:, :], k, v, rest, options, block_q, block_k)
    else:
        output = attend_in_tiles(q, k, v, band, options, block_q, block_k)
    with np.errstate(over="ignore", under="ignore"):  # half precision is rounded once, here
        return output.astype(dtype, copy=False)


def tiled_attention_backward(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    dout: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    align: Align = "bottom-right",
    sink: ArrayLike | None = None,
    block_q: int = 128,
) -> Gradients:
    """Give what `attention_backward` gives in memory that grows with n_q + n_k, not with n_q · n_k.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v], [..., n_q, d_v] -> like q, like k, like v

    The scores and weights of `block_q` queries at a time are computed anew, with the keys that `causal` and `window`
    leave to at least one of them.

    Raises
    ------
    ValueError, TypeError
        As `attention_backward` does, and if `block_q` is not an integer of at least 1.

    References
    ----------
    Rabe and Staats, "Self-attention Does Not Need O(n²) Memory", 2021, section 4.

    Examples
    --------
    >>> tiled_attention_backward([[1, 0]], [[1, 1], [0, 2]], [[1], [2]], dout=[[1]]).dv.round(2)
    array([[0.67],
           [0.33]])
    """
    inputs = [as_float(name, x) for name, x in (("q", q), ("k", k), ("v", v), ("dout", dout))]
    q, k, v, dout = (array for array, _ in inputs)
    each = (q, share_heads(q, k), share_heads(q, v, "v"))
    block_q = check_count("block_q", block_q)
    options = TileOptions.of(*each, mask=mask, bias=bias, scale=scale, softcap=softcap, sink=sink)
    band = Band.of(q.shape[-2], k.shape[-2], causal=causal, window=window, offset=query_offset(align))
    if dout.shape != (shape := _zeros(*each, options).shape):
        raise ValueError(f"dout has shape {dout.shape}; it must have that of the output, {shape}")
    dq, dk, dv = (np.zeros(x.shape, x.dtype) for x in (q, k, v))
    for queries in tiles(range(q.shape[-2]), block_q):
        if not (keys := band.keys(queries)):
            continue
        rows, columns = slice(queries.start, queries.stop), slice(keys.start, keys.stop)
        part = attention_backward(
            q[..., rows, :],
            k[..., columns, :],
            v[..., columns, :],
            dout[..., rows, :],
            mask=options.visible[..., rows, columns] & band.visible(queries, keys),
            bias=None if options.bias is None else options.bias[..., rows, columns],
            scale=options.scale,
            softcap=softcap,
            sink=None if options.sink is None else options.sink[..., rows, :],
        )
        dq[..., rows, :] = part.dq
        dk[..., columns, :] += part.dk
        dv[..., columns, :] += part.dv
    return Gradients(*(grad.astype(dtype, copy=False) for grad, (_, dtype) in zip((dq, dk, dv), inputs, strict=False)))


class TileOptions(NamedTuple):
    """The options of scores; the mask and the bias are views (..., n_q, n_k), of which tiles are cut.

    The score of the sink is a view (..., n_q, 1).
    """

    scale: float
    softcap: float | None
    visible: Array
    bias: Array | None
    sink: Array | None

    @classmethod
    def of(
        cls,
        q: Array,
        k: Array,
        v: Array,
        *,
        mask: ArrayLike | None,
        bias: ArrayLike | None,
        scale: float | None,
        softcap: float | None,
        sink: ArrayLike | None,
    ) -> "TileOptions":
        """Check the options of `attention` for arrays whose heads are as many."""
        shape = scores_shape(q, k, v)
        scale = scale_or_default(q, scale)
        _, softcap, bias = check_score_options(q, k, shape, scale, softcap, bias)
        visible, plane = visible_pairs(shape, mask=mask), shape[-2:]
        planes = [x for x in (visible, bias) if isinstance(x, np.ndarray)]
        check_leading("q, k, v, mask and bias", *(x.shape for x in (q, k, v, *planes)))
        if sink is not None:
            leading = np.broadcast_shapes(shape[:-2], *(x.shape[:-2] for x in planes))
            sink = check_sink(sink, (*leading, *plane), np.result_type(q, k))
        return cls(
            scale, softcap, _over_plane(visible, plane), None if bias is None else _over_plane(bias, plane), sink
        )

    def tile(self, rows: slice, columns: slice) -> tuple[Array, Score]:
        """Return who is visible in a tile, and the function for its scores."""
        visible, bias = self.visible[..., rows, columns], None
        if self.bias is not None:
            bias = self.bias[..., rows, columns]
            visible = visible & (bias != -np.inf)
        return visible, score_function(self.scale, self.softcap, bias)


def attend_in_tiles(
    q: Array, k: Array, v: Array, band: Band, options: TileOptions, block_q: int, block_k: int
) -> Array:  # [n_q, d_k], [n_k, d_k], [n_k, d_v] -> [n_q, d_v]
    """Online softmax: for each run of queries, attend to one block of keys after the other and merge."""
    output = _zeros(q, k, v, options)
    for queries in tiles(range(q.shape[-2]), block_q):
        rows = slice(queries.start, queries.stop)
        merged = EMPTY_BLOCK
        for keys in tiles(band.keys(queries), block_k):
            columns = slice(keys.start, keys.stop)
            allowed, score = options.tile(rows, columns)
            visible = band.visible(queries, keys) & allowed
            tile = attend_visible(q[..., rows, :], k[..., columns, :], v[..., columns, :], visible, score)
            merged = merge_blocks(merged, as_block(tile))
        if options.sink is not None:
            maximum = options.sink[..., rows, :]
            merged = merge_blocks(merged, Block(output[..., rows, :], maximum, np.ones_like(maximum)))
        output[..., rows, :] = merged.output
    return output


def _zeros(q: Array, k: Array, v: Array, options: TileOptions) -> Array:
    """Return zeros of the shape and dtype of the output."""
    arrays = [x for x in (q, k, v, options.visible, options.bias) if x is not None]
    leading = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    return np.zeros((*leading, q.shape[-2], v.shape[-1]), np.result_type(q, k, v))


def _over_plane(x: Array | bool, plane: tuple[int, ...]) -> Array:
    """View a mask or bias as (..., n_q, n_k), so that tiles can be cut out of it."""
    return np.broadcast_to(x, (*np.shape(x)[:-2], *plane))
