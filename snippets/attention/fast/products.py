"""Matrix products in pieces so small that a BLAS starts no threads of its own for them.

The kernel shares its work among threads of its own. Those of the BLAS would compete with them, and NumPy has no
portable way to switch them off. But no BLAS starts threads for a small product. So a product is cut into pieces below
that size, and one call of `np.matmul` runs over the stack of them: measured, that is as fast as one large product.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core import Array
from ..tiles import tiles

SMALL_PRODUCT = 2**18  # multiplications; OpenBLAS gives a product one thread for each full 2**18 of them


def piece_side(width: int) -> int:
    """Return the side of square pieces of the scores, for keys and values of at most this width.

    >>> piece_side(64), piece_side(128)
    (64, 40)
    """
    return max(8, math.isqrt(SMALL_PRODUCT // width) // 8 * 8)


def full_tiles(span: range, size: int, side: int) -> Iterator[range]:
    """Cut a range into tiles of at most `size` that pieces of `side` fill exactly, and a last tile of the remainder.

    Tiles lie on the grid of pieces, so the first one may begin before the range; the mask hides those keys.

    >>> list(full_tiles(range(5, 15), size=8, side=4))
    [range(4, 12), range(12, 15)]
    """
    start, stop = span.start // side * side, span.stop // side * side
    yield from tiles(range(start, stop), size // side * side)
    if max(start, stop) < span.stop:
        yield range(max(start, stop), span.stop)


class Workspace(NamedTuple):
    """Memory for one tile, used for all of them: to get fresh memory takes longer than to compute a tile."""

    keys: Array
    scores: Array
    products: Array

    @classmethod
    def of(cls, tile: tuple[int, int, int], k: Array, v: Array, side: int) -> "Workspace":
        """Allocate for keys and values (…, n_k, d), and for tiles of at most (heads, n_q, n_k) scores."""
        heads, n_q, n_k = tile
        sizes = (
            heads * -(-k.shape[-2] // side) * side * k.shape[-1],
            heads * n_q * n_k,
            heads * n_q * max(1, n_k // side) * v.shape[-1],
        )
        return cls(*(np.empty(size, k.dtype) for size in sizes))


def transpose_keys(k: Array, side: int, workspace: Workspace) -> Array:
    """Copy keys (…, n_k, d) to (…, pieces, d, side), the last piece partly unused: a BLAS is faster on rows.

    >>> k = np.array([[1, 2], [3, 4], [5, 6], [7, 8]])
    >>> transpose_keys(k, side=2, workspace=Workspace.of((1, 4, 4), k, k, side=2)).tolist()
    [[[1, 3], [2, 4]], [[5, 7], [6, 8]]]
    """
    *heads, n_k, d = k.shape
    full, rest = divmod(n_k, side)
    transposed = _view(workspace.keys, (*heads, full + (rest > 0), d, side))
    transposed[..., :full, :, :] = k[..., : full * side, :].reshape(*heads, full, side, d).swapaxes(-1, -2)
    if rest:
        transposed[..., full, :, :rest] = k[..., full * side :, :].swapaxes(-1, -2)
    return transposed


def tile_scores(q: Array, transposed: Array, keys: slice, side: int, workspace: Workspace) -> Array:
    """Compute q kᵀ for the keys of one tile; the next tile overwrites them."""
    n_keys = keys.stop - keys.start
    scores = _view(workspace.scores, (*q.shape[:-1], n_keys))
    tile = transposed[..., None, keys.start // side : -(-keys.stop // side), :, :n_keys]
    np.matmul(_pieces(q, side), tile, out=_pieces(scores, side, side))
    return scores


def tile_sum(weights: Array, v: Array, side: int, workspace: Workspace) -> Array:
    """Compute weights · v for the keys of one tile: the products of the pieces, added up along the keys."""
    pieces = _pieces(weights, side, side)
    products = _view(workspace.products, (*pieces.shape[:-1], v.shape[-1]))
    sums = np.matmul(pieces, _pieces(v, side).swapaxes(-4, -3), out=products).sum(axis=-3)
    return sums.reshape(*weights.shape[:-1], v.shape[-1])


def _view(memory: Array, shape: tuple[int, ...]) -> Array:
    return memory[: math.prod(shape)].reshape(shape)


def _pieces(matrix: Array, rows: int, columns: int | None = None) -> Array:
    """View (…, m, n) as (…, m / rows, n / columns, rows, columns); None keeps all columns in one piece."""
    *heads, m, n = matrix.shape
    down, across = max(1, m // rows), 1 if columns is None else max(1, n // columns)
    return matrix.reshape(*heads, down, m // down, across, n // across).swapaxes(-3, -2)
