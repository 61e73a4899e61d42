"""The fast path of `tiled_attention`: the same online softmax, written for the cores and caches of a CPU.

Threads share the strips of queries of all heads: whoever is free takes the next, for a few heads at a time. Within a
strip the output is kept unnormalised, rescaled in place when a new maximum turns up, and exp() is taken in place.
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

from .checks import Array
from .pieces import Room, piece_side, scores_of, turn, weighted_sum, whole_pieces
from .tiles import Reach, tiles

HEADS_TOGETHER = 3  # between two calls of NumPy threads wait for each other: the fewer calls a head, the fewer waits

type Tile = tuple[slice, Array]  # keys, and which of the last of them each query must not see
type Strip = tuple[slice, list[Tile]]  # queries, and what they can see
type Job = tuple[tuple[int, ...], range, Strip]  # where on the axes before the heads, which heads, and their strip


def set_odd_aside(q: Array, k: Array, v: Array, reach: Reach, scale: float) -> tuple[int, tuple[Array, Array, Array]]:
    """Replace odd tokens by zeros, and return the first query that is odd or can see an odd key.

    Odd is what is not finite, or so large that a score might overflow. A query before that row is computed as if the
    odd tokens did not exist, so that they cannot change it in the last bit.

    >>> q, k, v = np.ones((3, 2)), np.ones((3, 2)), np.array([[1.0], [np.nan], [1.0]])
    >>> set_odd_aside(q, k, v, Reach.of(3, 3, causal=True), scale=1)[0]
    1
    """
    limit = math.sqrt(float(np.finfo(q.dtype).max) / (q.shape[-1] * max(abs(scale), 1.0)))
    odd_q, odd_k, odd_v = (_odd_tokens(x, limit) for x in (q, k, v))
    rows = [q.shape[-2], *np.flatnonzero(odd_q)[:1]]
    rows += [max(0, key - reach.offset - reach.ahead) for key in np.flatnonzero(odd_k | odd_v)[:1]]
    return int(min(rows)), (_without(q, odd_q), _without(k, odd_k), _without(v, odd_v))


def _without(x: Array, odd: Array) -> Array:
    return np.where(odd[:, None], x.dtype.type(0), x) if odd.any() else x


def _odd_tokens(x: Array, limit: float) -> Array:
    """Say which tokens hold, in any head, a number that is not finite or not below the limit."""
    if not x.size or max(-float(x.min()), float(x.max())) < limit:
        return np.zeros(x.shape[-2], bool)
    odd: Array = ~(np.abs(x) < limit).all(axis=-1)
    return odd.reshape(-1, x.shape[-2]).any(axis=0)


def attend_fast(q: Array, k: Array, v: Array, reach: Reach, *, scale: float, block_q: int, block_k: int) -> Array:
    """Compute `tiled_attention` of ordinary numbers of one dtype; each thread takes the next strip there is."""
    leading = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    *batch, heads = leading or (1,)
    q, k, v = (np.broadcast_to(x, (*batch, heads, *x.shape[-2:])) for x in (q, k, v))
    output = np.empty((*q.shape[:-1], v.shape[-1]), q.dtype)
    side = min(block_q, block_k, piece_side(max(q.shape[-1], v.shape[-1])))
    strips = _strips(reach, q.shape[-2], block_q, block_k, side)
    jobs: deque[Job] = deque(product(np.ndindex(*batch), tiles(range(heads), HEADS_TOGETHER), strips))

    def work(take: Callable[[], Job]) -> None:
        last: tuple[int | slice, ...] = ()
        tile = (min(HEADS_TOGETHER, heads), min(block_q, q.shape[-2]), min(block_k, k.shape[-2]))
        room = Room.of(tile, k, v, side)
        with np.errstate(over="ignore", under="ignore"):  # exp() of a huge gap is 0
            for where, few, (rows, seen) in _until_empty(take):
                here: tuple[int | slice, ...] = (*where, slice(few.start, few.stop))
                if here != last:
                    turned, last = turn(k[here], side, room), here
                _attend_strip(q[here][:, rows] * scale, turned, v[here], seen, side, room, out=output[here][:, rows])

    # From both ends, so that few threads lay out the keys of the same heads.
    _on_threads(work, [(jobs.popleft, jobs.pop)[i % 2] for i in range(max(1, min(_cores(), len(jobs))))])
    return output.reshape(*leading, *output.shape[-2:])


def _strips(reach: Reach, n_q: int, block_q: int, block_k: int, side: int) -> list[Strip]:
    """Cut the queries into strips, and list the tiles of keys each of them can see; all heads share the list."""
    return [
        (
            slice(queries.start, queries.stop),
            [
                (slice(keys.start, keys.stop), _hidden(reach, queries, keys))
                for keys in whole_pieces(reach.keys(queries), block_k, side)
            ],
        )
        for queries in whole_pieces(range(n_q), block_q, side)
    ]


def _hidden(reach: Reach, queries: range, keys: range) -> Array:
    """Say who must not see whom in a tile: (n_q, m) over its last m keys, for the ones before them are seen by all."""
    first, last = queries[0] + reach.offset, queries[-1] + reach.offset
    if last - keys[0] <= reach.behind:
        keys = keys[max(0, first + reach.ahead + 1 - keys[0]) :]
    visible = reach.visible(queries, keys) if keys else None
    return np.empty((len(queries), 0), bool) if visible is None else ~visible


def _attend_strip(q: Array, turned: Array, v: Array, seen: list[Tile], side: int, room: Room, *, out: Array) -> None:
    """Online softmax over the tiles of keys that one strip of scaled queries (heads, n_q, d) can see."""
    maximum = np.full((*q.shape[:-1], 1), np.finfo(q.dtype).min)  # not -inf: a row that sees nothing yet would give NaN
    normaliser = np.zeros_like(maximum)
    out[...] = 0
    for keys, hidden in seen:
        scores = scores_of(q, turned, keys, side, room)
        np.copyto(scores[..., scores.shape[-1] - hidden.shape[-1] :], -np.inf, where=hidden)
        raised = np.maximum(maximum, scores.max(axis=-1, keepdims=True))
        scores -= raised
        weights = np.exp(scores, out=scores)
        faded = np.exp(maximum - raised)
        normaliser = normaliser * faded + weights.sum(axis=-1, keepdims=True)
        out *= faded
        out += weighted_sum(weights, v[:, keys], side, room)
        maximum = raised
    out /= np.where(normaliser == 0, 1, normaliser)


def _until_empty[T](take: Callable[[], T]) -> Iterator[T]:
    with suppress(IndexError):
        while True:
            yield take()


def _on_threads[T](work: Callable[[T], None], given: list[T]) -> None:
    """Let one thread work on each of what is given, this one on the first, and wait for them all."""
    if len(given) == 1:
        return work(given[0])
    from concurrent.futures import ThreadPoolExecutor  # not needed, and not cheap, at import

    with ThreadPoolExecutor(len(given) - 1) as pool:
        others = [pool.submit(work, one) for one in given[1:]]
        work(given[0])
        for other in others:
            other.result()  # passes an exception on


def _cores() -> int:
    """How many cores this process may use; a browser has no threads to offer."""
    if sys.platform == "emscripten":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
