"""Where tiles lie: which keys a run of queries can reach, and which pairs inside a tile see each other."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .checks import Array, check_count, check_flag


def tiles(span: range, size: int) -> Iterator[range]:
    """Cut a range into runs of `size`; the last one may be shorter.

    >>> list(tiles(range(5), 2))
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    return (span[start : start + size] for start in range(0, len(span), size))


class Reach(NamedTuple):
    """How many keys ahead of and behind its own position each query may see; `offset` is where query 0 stands."""

    n_k: int
    offset: int
    ahead: int
    behind: int

    @classmethod
    def of(cls, n_q: int, n_k: int, *, causal: bool = False, window: int | None = None) -> "Reach":
        """Read `causal` and `window` as `attention` does: the last query stands at the last key."""
        farthest = n_q + n_k  # no pair is farther apart, and no integer overflows
        if window is not None:
            farthest = min(farthest, check_count("window", window, why="it counts the current token") - 1)
        return cls(n_k, n_k - n_q, 0 if check_flag("causal", causal) else farthest, farthest)

    def keys(self, queries: range) -> range:
        """Return the keys that at least one of these queries may see.

        >>> Reach.of(8, 8, causal=True, window=3).keys(range(4, 6))
        range(2, 6)
        """
        first = queries.start + self.offset - self.behind
        stop = queries.stop + self.offset + self.ahead
        return range(self.n_k)[max(first, 0) : max(stop, 0)]

    def visible(self, queries: range, keys: range) -> Array | None:
        """Return the mask over the tile of these queries and keys; None where all of it is seen.

        >>> Reach.of(8, 8, causal=True).visible(range(2, 4), range(2, 4)).astype(int)
        array([[1, 0],
               [1, 1]])
        """
        first, last = queries[0] + self.offset, queries[-1] + self.offset
        if keys[-1] - first <= self.ahead and last - keys[0] <= self.behind:
            return None
        positions = np.arange(first, last + 1)[:, None]
        columns = np.arange(keys.start, keys.stop)
        visible: Array = columns <= positions + self.ahead
        if last - keys[0] > self.behind:
            visible &= columns >= positions - self.behind
        return visible
