"""The fast path of `tiled_attention`: the same online softmax, written for the cores and caches of a CPU.

Threads share out the heads and their strips of queries. Within a strip the output is kept unnormalised and is
rescaled in place when a new maximum turns up; exp() is taken in place.

A BLAS brings its own threads, which would fight with ours, and NumPy has no portable way to switch them off. But a
BLAS does not start threads for a product so small that they cannot pay, so every product is made of square pieces that
stay below that size; `np.matmul` runs over a stack of pieces in one call. np.exp() is preferred to np.exp2(), which
is faster on ordinary numbers but was measured a hundred times slower where the result is subnormal.
"""

import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from .checks import Array
from .tiles import Reach, tiles

type Block = tuple[slice, Array | None]  # keys, and which of them each query may see: None for all

SMALL_PRODUCT = 2**18  # multiplications; OpenBLAS gives a product one thread for each full 2**18 of them


def fast_applies(q: Array, k: Array, v: Array, scale: float) -> bool:
    """Say whether q, k and v have one dtype, and are finite and so far from its largest number that nothing overflows.

    >>> fast_applies(np.ones((2, 4)), np.ones((3, 4)), np.full((3, 1), np.inf), scale=1)
    False
    """
    if not q.dtype == k.dtype == v.dtype:
        return False
    largest = float(np.finfo(q.dtype).max)
    peaks = [max(-float(x.min()), float(x.max())) if x.size else 0.0 for x in (q, k, v)]
    score = peaks[0] * peaks[1] * q.shape[-1] * abs(scale)
    return all(peak < math.sqrt(largest) for peak in peaks) and score < largest


def attend_fast(q: Array, k: Array, v: Array, reach: Reach, *, scale: float, block_q: int, block_k: int) -> Array:
    """Compute `tiled_attention` where `fast_applies`: one job for each head and strip of queries."""
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (np.broadcast_to(x, (*leading, *x.shape[-2:])) for x in (q, k, v))
    output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    side = max(8, math.isqrt(SMALL_PRODUCT // max(q.shape[-1], v.shape[-1])) // 8 * 8)

    strips = [
        (slice(queries.start, queries.stop), _blocks(reach, queries, block_k, side))
        for queries in _whole_pieces(range(q.shape[-2]), block_q, side)
    ]

    def attend(job: tuple[tuple[int, ...], tuple[slice, list[Block]]]) -> None:
        head, (rows, blocks) = job
        with np.errstate(over="ignore", under="ignore"):  # exp() of a huge gap is 0
            _attend_strip(q[head][rows] * scale, k[head], v[head], blocks, side, out=output[head][rows])

    _share_out(attend, list(product(np.ndindex(leading), strips)))
    return output


def _blocks(reach: Reach, queries: range, block_k: int, side: int) -> list[Block]:
    """List the blocks of keys that a strip of queries can see; made once, as all heads share them."""
    return [
        (slice(keys.start, keys.stop), reach.visible(queries, keys))
        for keys in _whole_pieces(reach.keys(queries), block_k, side)
    ]


def _attend_strip(q: Array, k: Array, v: Array, blocks: list[Block], side: int, *, out: Array) -> None:
    """Online softmax over the blocks of keys that one strip of scaled queries can see."""
    maximum = np.full((len(q), 1), np.finfo(q.dtype).min)  # not -inf: a row that sees nothing yet would give NaN
    normaliser = np.zeros_like(maximum)
    out[:] = 0
    for keys, visible in blocks:
        scores = _scores(q, k[keys], side)
        if visible is not None:
            np.copyto(scores, -np.inf, where=~visible)
        raised = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
        scores -= raised
        weights = np.exp(scores, out=scores)
        faded = np.exp(maximum - raised)
        normaliser = normaliser * faded + weights.sum(axis=-1, keepdims=True)
        out *= faded
        out += _blend(weights, v[keys], side)
        maximum = raised
    out /= np.where(normaliser == 0, 1, normaliser)


def _scores(q: Array, k: Array, side: int) -> Array:
    """Compute q kᵀ piece by piece; keys are turned first, as a BLAS is faster on rows than on columns."""
    scores = np.empty((len(q), len(k)), q.dtype)
    turned = np.ascontiguousarray(_pieces(k, side).swapaxes(-1, -2))
    np.matmul(_pieces(q, side), turned[:, 0], out=_pieces(scores, side, side))
    return scores


def _blend(weights: Array, v: Array, side: int) -> Array:
    """Compute weights · v piece by piece, and add up the pieces along the keys."""
    blended: Array = np.matmul(_pieces(weights, side, side), _pieces(v, side)[:, 0]).sum(axis=1)
    return blended.reshape(len(weights), v.shape[-1])


def _pieces(matrix: Array, rows: int, columns: int | None = None) -> Array:
    """View (m, n) as (m / rows, n / columns, rows, columns); what is smaller than a piece is one, None cuts nothing."""
    m, n = matrix.shape
    down, across = max(1, m // rows), 1 if columns is None else max(1, n // columns)
    return matrix.reshape(down, m // down, across, n // across).swapaxes(1, 2)


def _whole_pieces(span: range, size: int, side: int) -> Iterator[range]:
    """Cut a range into tiles that pieces of `side` fill exactly, and last what is left over.

    The first tile may begin a little early, so that pieces lie on a grid; the mask hides what should not be seen.
    """
    side = min(side, size)
    start, stop = span.start // side * side, span.stop // side * side
    yield from tiles(range(start, stop), size // side * side)
    if max(start, stop) < span.stop:
        yield range(max(start, stop), span.stop)


def _share_out(work: Callable[..., None], jobs: Sequence[object]) -> None:
    """Do all jobs, on as many threads as there are cores to use; every thread takes every n-th job."""
    threads = max(1, min(_cores(), len(jobs)))

    def share(first: int) -> None:
        for job in jobs[first::threads]:
            work(job)

    if threads == 1:
        return share(0)
    from concurrent.futures import ThreadPoolExecutor  # not needed, and not cheap, at import

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(share, range(threads)))  # the list passes an exception on


def _cores() -> int:
    """How many cores this process may use; a browser has no threads to offer."""
    if sys.platform == "emscripten":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
