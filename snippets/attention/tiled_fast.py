"""The fast path of `tiled_attention`: the same online softmax, written for the cores and caches of a CPU.

Threads share the strips of queries of all heads: whoever is free takes the next. Within a strip the output is kept
unnormalised, rescaled in place when a new maximum turns up, and exp() is taken in place. np.exp2() is faster on
ordinary numbers, but was measured to be a hundred times slower where its result is subnormal.
"""

import math
import os
import sys
from collections import deque
from collections.abc import Callable
from itertools import product

import numpy as np

from .checks import Array
from .pieces import blend, piece_side, scores_of, turn, whole_pieces
from .tiles import Reach

type Tile = tuple[slice, Array | None]  # keys, and which of them each query may see: None for all
type Strip = tuple[slice, list[Tile]]  # queries, and what they can see
type Job = tuple[tuple[int, ...], Strip]  # of one head


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
    """Compute `tiled_attention` where `fast_applies`; each thread takes the next strip of queries there is."""
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    q, k, v = (np.broadcast_to(x, (*leading, *x.shape[-2:])) for x in (q, k, v))
    output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    side = min(block_q, block_k, piece_side(max(q.shape[-1], v.shape[-1])))
    strips = _strips(reach, q.shape[-2], block_q, block_k, side)
    jobs: deque[Job | None] = deque(product(np.ndindex(leading), strips))
    threads = max(1, min(_cores(), len(jobs)))
    jobs.extend([None] * threads)  # tells each thread to stop

    def work() -> None:
        last = None
        while job := jobs.popleft():
            head, (rows, tiles) = job
            if head != last:
                turned, last = turn(k[head], side), head
            with np.errstate(over="ignore", under="ignore"):  # exp() of a huge gap is 0
                _attend_strip(q[head][rows] * scale, turned, v[head], tiles, side, out=output[head][rows])

    _on_threads(work, threads)
    return output


def _strips(reach: Reach, n_q: int, block_q: int, block_k: int, side: int) -> list[Strip]:
    """Cut the queries into strips, and list the tiles of keys each of them can see; all heads share the list."""
    return [
        (
            slice(queries.start, queries.stop),
            [
                (slice(keys.start, keys.stop), reach.visible(queries, keys))
                for keys in whole_pieces(reach.keys(queries), block_k, side)
            ],
        )
        for queries in whole_pieces(range(n_q), block_q, side)
    ]


def _attend_strip(q: Array, turned: Array, v: Array, tiles: list[Tile], side: int, *, out: Array) -> None:
    """Online softmax over the tiles of keys that one strip of scaled queries can see."""
    maximum = np.full((len(q), 1), np.finfo(q.dtype).min)  # not -inf: a row that sees nothing yet would give NaN
    normaliser = np.zeros_like(maximum)
    out[:] = 0
    for keys, visible in tiles:
        scores = scores_of(q, turned, keys, side)
        if visible is not None:
            np.copyto(scores, -np.inf, where=~visible)
        raised = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
        scores -= raised
        weights = np.exp(scores, out=scores)
        faded = np.exp(maximum - raised)
        normaliser = normaliser * faded + weights.sum(axis=-1, keepdims=True)
        out *= faded
        out += blend(weights, v[keys], side)
        maximum = raised
    out /= np.where(normaliser == 0, 1, normaliser)


def _on_threads(work: Callable[[], None], threads: int) -> None:
    """Let so many threads do the work, and wait for them."""
    if threads == 1:
        return work()
    from concurrent.futures import ThreadPoolExecutor  # not needed, and not cheap, at import

    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(work) for _ in range(threads)]:
            future.result()  # passes an exception on


def _cores() -> int:
    """How many cores this process may use; a browser has no threads to offer."""
    if sys.platform == "emscripten":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
