"""Tiles of queries and keys: which keys a run of queries may see, and which pairs of a tile see each other."""

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


class Band(NamedTuple):
    """A band of pairs: every query sees so many keys ahead of its position and behind it; query 0 is at `offset`."""

    n_k: int
    offset: int
    ahead: int
    behind: int

    @classmethod
    def of(
        cls, n_q: int, n_k: int, *, causal: bool = False, window: int | None = None, offset: int | None = None
    ) -> "Band":
        """Read `causal` and `window` as `attention` does; without an offset the last query is the last key's token."""
        offset = n_k - n_q if offset is None else offset
        distance = n_q + n_k + abs(offset)  # no pair is farther apart, and no integer overflows
        if window is not None:
            distance = min(distance, check_count("window", window, why="it counts the current token") - 1)
        return cls(n_k, offset, 0 if check_flag("causal", causal) else distance, distance)

    def keys(self, queries: range) -> range:
        """Return the keys that at least one of these queries may see.

        >>> Band.of(8, 8, causal=True, window=3).keys(range(4, 6))
        range(2, 6)
        """
        first = queries.start + self.offset - self.behind
        stop = queries.stop + self.offset + self.ahead
        return range(self.n_k)[max(first, 0) : max(stop, 0)]

    def visible(self, queries: range, keys: range) -> Array | bool:
        """Return the mask over the tile of these queries and keys; True where nothing is hidden.

        >>> Band.of(8, 8, causal=True).visible(range(2, 4), range(2, 4)).astype(int)
        array([[1, 0],
               [1, 1]])
        """
        if not queries or not keys:
            return True
        first, last = queries[0] + self.offset, queries[-1] + self.offset
        if keys[-1] - first <= self.ahead and last - keys[0] <= self.behind:
            return True
        positions = np.arange(first, last + 1)[:, None]
        columns = np.arange(keys.start, keys.stop)
        visible: Array = columns <= positions + self.ahead
        if last - keys[0] > self.behind:
            visible &= columns >= positions - self.behind
        return visible
