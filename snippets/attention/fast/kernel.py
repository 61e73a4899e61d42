"""Online softmax in strips of queries, which threads share.

A thread that is free takes the next strip, for a few heads at a time. Within a strip the output stays unnormalised and
is rescaled in place when the maximum rises; exp() is taken in place.
np.exp2() is faster on ordinary numbers, but was measured to be a hundred times slower where its result is subnormal.
"""

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product

import numpy as np

from ..core import Array
from ..tiles import Band, tiles
from .products import Workspace, full_tiles, piece_side, tile_scores, tile_sum, transpose_keys

HEADS_TOGETHER = 3  # threads wait for each other between calls of NumPy: fewer calls a head, fewer waits

type Tile = tuple[slice, Array]  # keys, and the mask that hides some of the last of them
type Strip = tuple[slice, list[Tile]]  # queries, and the tiles of keys they see
type Job = tuple[tuple[int, ...], range, Strip]  # index on the axes before the heads, heads, strip


def zero_extremes(q: Array, k: Array, v: Array, band: Band, scale: float) -> tuple[int, tuple[Array, Array, Array]]:
    """Replace extreme tokens by zeros, and return the first query that is extreme or sees an extreme key.

    Extreme is what is not finite, or so large that a score might overflow. The queries before that one are computed as
    if there were no extreme tokens, which therefore cannot change their last bit.

    >>> q, k, v = np.ones((3, 2)), np.ones((3, 2)), np.array([[1.0], [np.nan], [1.0]])
    >>> zero_extremes(q, k, v, Band.of(3, 3, causal=True), scale=1)[0]
    1
    """
    limit = math.sqrt(float(np.finfo(q.dtype).max) / (q.shape[-1] * max(abs(scale), 1.0)))
    extreme_q, extreme_k, extreme_v = (_extreme_tokens(x, limit) for x in (q, k, v))
    rows = [q.shape[-2], *np.flatnonzero(extreme_q)[:1]]
    rows += [max(0, key - band.offset - band.ahead) for key in np.flatnonzero(extreme_k | extreme_v)[:1]]
    return int(min(rows)), (_zero(q, extreme_q), _zero(k, extreme_k), _zero(v, extreme_v))


def _zero(x: Array, tokens: Array) -> Array:
    return np.where(tokens[:, None], x.dtype.type(0), x) if tokens.any() else x


def _extreme_tokens(x: Array, limit: float) -> Array:
    """Mark the tokens that hold, in any head, a number that is not finite or not below the limit."""
    if not x.size or max(-float(x.min()), float(x.max())) < limit:
        return np.zeros(x.shape[-2], bool)
    extreme: Array = ~(np.abs(x) < limit).all(axis=-1)
    return extreme.reshape(-1, x.shape[-2]).any(axis=0)


def attend_fast(q: Array, k: Array, v: Array, band: Band, *, scale: float, block_q: int, block_k: int) -> Array:
    """Compute `tiled_attention` of ordinary numbers of one dtype; each thread takes the next strip there is."""
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    *batch, heads = leading or (1,)
    q, k, v = (np.broadcast_to(x, (*batch, heads, *x.shape[-2:])) for x in (q, k, v))
    output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    side = min(block_q, block_k, piece_side(max(q.shape[-1], v.shape[-1])))
    strips = _strips(band, q.shape[-2], block_q, block_k, side)
    jobs: deque[Job] = deque(product(np.ndindex(*batch), tiles(range(heads), HEADS_TOGETHER), strips))

    def work(take: Callable[[], Job]) -> None:
        at: tuple[int | slice, ...] = ()
        tile = (min(HEADS_TOGETHER, heads), min(block_q, q.shape[-2]), min(block_k, k.shape[-2]))
        workspace = Workspace.of(tile, k, v, side)
        with np.errstate(over="ignore", under="ignore"):  # exp() of a large difference is 0
            for index, group, (rows, strip) in _until_empty(take):
                before, at = at, (*index, slice(group.start, group.stop))
                if at != before:
                    keys = transpose_keys(k[at], side, workspace)
                scaled = q[at][:, rows] * scale
                _attend_strip(scaled, keys, v[at], strip, side, workspace, out=output[at][:, rows])

    # From both ends, so that few threads copy the keys of the same heads.
    _on_threads(work, [(jobs.popleft, jobs.pop)[i % 2] for i in range(max(1, min(_cores(), len(jobs))))])
    return output.reshape(*leading, *output.shape[-2:])


def _strips(band: Band, n_q: int, block_q: int, block_k: int, side: int) -> list[Strip]:
    """Cut the queries into strips, and list the tiles of keys each of them sees; all heads share the list."""
    return [
        (
            slice(queries.start, queries.stop),
            [
                (slice(keys.start, keys.stop), _hidden(band, queries, keys))
                for keys in full_tiles(band.keys(queries), block_k, side)
            ],
        )
        for queries in full_tiles(range(n_q), block_q, side)
    ]


def _hidden(band: Band, queries: range, keys: range) -> Array:
    """Return the mask, True = hidden, over the last m keys of a tile, (n_q, m); every query sees those before them."""
    first, last = queries[0] + band.offset, queries[-1] + band.offset
    if last - keys[0] <= band.behind:
        keys = keys[max(0, first + band.ahead + 1 - keys[0]) :]
    visible = band.visible(queries, keys) if keys else True
    return np.logical_not(visible) if isinstance(visible, np.ndarray) else np.empty((len(queries), 0), bool)


def _attend_strip(
    q: Array, keys: Array, v: Array, strip: list[Tile], side: int, workspace: Workspace, *, out: Array
) -> None:  # [heads, n_q, d_k] scaled, [heads, pieces, d_k, side], [heads, n_k, d_v]
    """Online softmax over the tiles of keys that one strip of queries sees."""
    maximum = np.full((*q.shape[:-1], 1), np.finfo(q.dtype).min)  # finite, as in `core.below_maximum`
    normaliser = np.zeros_like(maximum)
    out[...] = 0
    for columns, hidden in strip:
        scores = tile_scores(q, keys, columns, side, workspace)
        np.copyto(scores[..., scores.shape[-1] - hidden.shape[-1] :], -np.inf, where=hidden)
        new_maximum = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
        scores -= new_maximum
        weights = np.exp(scores, out=scores)
        rescale = np.exp(maximum - new_maximum)
        normaliser = normaliser * rescale + weights.sum(axis=-1, keepdims=True)
        out *= rescale
        out += tile_sum(weights, v[:, columns], side, workspace)
        maximum = new_maximum
    out /= np.where(normaliser == 0, 1, normaliser)


def _until_empty[T](take: Callable[[], T]) -> Iterator[T]:
    with suppress(IndexError):
        while True:
            yield take()


def _on_threads[T](work: Callable[[T], None], tasks: list[T]) -> None:
    """Let a thread work on each task, this one on the first, and wait for them all."""
    if len(tasks) == 1:
        return work(tasks[0])
    from concurrent.futures import ThreadPoolExecutor  # not needed, and not cheap, at import

    with ThreadPoolExecutor(len(tasks) - 1) as pool:
        futures = [pool.submit(work, task) for task in tasks[1:]]
        work(tasks[0])
        for future in futures:
            future.result()  # passes an exception on


def _cores() -> int:
    """Count the cores that this process may use; a browser has no threads to offer."""
    if sys.platform == "emscripten":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
