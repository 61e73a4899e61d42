"""Matrix products in pieces so small that a BLAS starts no threads of its own for them.

Where we share out work over threads, those of the BLAS would fight with ours, and NumPy has no portable way to switch
them off. But no BLAS starts threads for a product too small to repay them. So a product is cut into pieces below that
size, and one call of `np.matmul` runs over the stack of them: measured, that is as fast as one large product.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .checks import Array
from .tiles import tiles

SMALL_PRODUCT = 2**18  # multiplications; OpenBLAS gives a product one thread for each full 2**18 of them


def piece_side(width: int) -> int:
    """Return the side of square pieces of the scores, for keys and values of at most this width.

    >>> piece_side(64), piece_side(128)
    (64, 40)
    """
    return max(8, math.isqrt(SMALL_PRODUCT // width) // 8 * 8)


def whole_pieces(span: range, size: int, side: int) -> Iterator[range]:
    """Cut a range into tiles of at most `size` that pieces of `side` fill exactly, and last what is left over.

    Tiles lie on the grid of pieces, so the first one may begin early; the mask hides what should not be seen.

    >>> list(whole_pieces(range(5, 15), size=8, side=4))
    [range(4, 12), range(12, 15)]
    """
    start, stop = span.start // side * side, span.stop // side * side
    yield from tiles(range(start, stop), size // side * side)
    if max(start, stop) < span.stop:
        yield range(max(start, stop), span.stop)


def turn(k: Array, side: int) -> Array:
    """Lay out keys (n_k, d) as (pieces, d, side): a BLAS is faster on rows than on columns. The last may be part empty.

    >>> turn(np.array([[1, 2], [3, 4], [5, 6]]), side=2).tolist()
    [[[1, 3], [2, 4]], [[5, 0], [6, 0]]]
    """
    whole, rest = divmod(len(k), side)
    turned = np.zeros((whole + (rest > 0), k.shape[1], side), k.dtype)
    turned[:whole] = k[: whole * side].reshape(whole, side, k.shape[1]).swapaxes(1, 2)
    if rest:
        turned[whole, :, :rest] = k[whole * side :].T
    return turned


class Room(NamedTuple):
    """Memory for one tile at a time: the system takes longer to hand out fresh memory than a tile takes to compute."""

    scores: Array
    products: Array

    @classmethod
    def of(cls, n_q: int, n_k: int, side: int, width: int, dtype: np.dtype[Any]) -> "Room":
        """Make room for tiles of at most n_q queries and n_k keys, with values of this width."""
        return cls(np.empty(n_q * n_k, dtype), np.empty(n_q * max(1, n_k // side) * width, dtype))


def scores_of(q: Array, turned: Array, keys: slice, side: int, room: Room) -> Array:
    """Compute q kᵀ for the keys of one tile; the next tile overwrites them."""
    n_keys = keys.stop - keys.start
    scores = _shaped(room.scores, (len(q), n_keys))
    here = turned[keys.start // side : -(-keys.stop // side), :, :n_keys]
    np.matmul(_pieces(q, side), here, out=_pieces(scores, side, side))
    return scores


def weighted_sum(weights: Array, v: Array, side: int, room: Room) -> Array:
    """Compute weights · v for the keys of one tile: the products of the pieces, added up along the keys."""
    blocks = _pieces(weights, side, side)
    products = _shaped(room.products, (*blocks.shape[:3], v.shape[-1]))
    blended: Array = np.matmul(blocks, _pieces(v, side)[:, 0], out=products).sum(axis=1)
    return blended.reshape(len(weights), v.shape[-1])


def _shaped(memory: Array, shape: tuple[int, ...]) -> Array:
    return memory[: math.prod(shape)].reshape(shape)


def _pieces(matrix: Array, rows: int, columns: int | None = None) -> Array:
    """View (m, n) as (m / rows, n / columns, rows, columns); what is smaller than a piece is one, None cuts nothing."""
    m, n = matrix.shape
    down, across = max(1, m // rows), 1 if columns is None else max(1, n // columns)
    return matrix.reshape(down, m // down, across, n // across).swapaxes(1, 2)
