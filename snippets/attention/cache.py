"""The KV cache: with keys and values of all tokens kept, a new token costs one row instead of the whole square."""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_array, as_float, check_count, check_flag
from .core import Attention
from .dot_product import Options, attention
from .shapes import check_leading


class KVCache:
    """Keys and values of one layer, in the order in which their tokens came.

    Shapes are (..., n, d). With heads they are (..., n_kv_heads, n, d): only these are kept, however many query heads
    share them. What is appended is copied, in its own dtype. Answers are those of `attention` over all tokens at once.

    Parameters
    ----------
    capacity
        The most tokens that fit; without limit where left out.

    Examples
    --------
    >>> cache = KVCache()
    >>> cache.append([[1, 0], [0, 1]], [[4, 0], [0, 4]])
    >>> cache.append([[1, 1]], [[2, 2]])
    >>> len(cache), cache.attend([[0, 0]]).output
    (3, array([[2., 2.]]))
    """

    def __init__(self, capacity: int | None = None) -> None:
        self.capacity = None if capacity is None else check_count("capacity", capacity)
        self._length = 0
        self._buffers: list[Array] = []  # keys, values; longer than what is used

    def __len__(self) -> int:
        """Return how many tokens the cache holds: the position of the next one."""
        return self._length

    def __bool__(self) -> bool:
        """Say that a cache is there, empty or not, so that `cache or KVCache()` keeps an empty one."""
        return True

    @property
    def k(self) -> Array:
        """The keys so far, (..., n, d_k); read-only."""
        return self._used(0)

    @property
    def v(self) -> Array:
        """The values so far, (..., n, d_v); read-only."""
        return self._used(1)

    def append(self, k: ArrayLike, v: ArrayLike) -> None:
        """Add the keys and values of the next tokens.

        [..., n, d_k], [..., n, d_v]

        Raises
        ------
        ValueError
            If they do not fit each other, what is there, or the capacity. The cache is then as it was before.
        TypeError
            If their dtype is not that of what is there, or they do not hold real numbers.
        """
        new = [np.asarray(x, as_float(name, x)[1]) for name, x in (("k", k), ("v", v))]
        _check_pair(*new)
        total = self._length + new[0].shape[-2]
        if self.capacity is not None and total > self.capacity:
            raise ValueError(f"{self._length} tokens are cached, more would make {total}; capacity is {self.capacity}")
        old = self._buffers or [x[..., :0, :] for x in new]
        for name, buffer, x in zip("kv", old, new, strict=True):
            _check_continues(name, buffer, x)
        self._buffers = [self._grow(buffer, total) for buffer in old]
        for buffer, x in zip(self._buffers, new, strict=True):
            buffer[..., self._length : total, :] = x
        self._length = total

    def attend(self, q: ArrayLike, **options: Unpack[Options]) -> Attention:
        """Attend from the newest tokens to themselves and all before them; the last query is the last key's token.

        [..., n_q, d_k] -> [..., n_q, n], [..., n_q, n], [..., n_q, d_v]

        Options are those of `attention`, but `causal` is on unless switched off (for cross-attention).

        Raises
        ------
        ValueError
            If the cache is empty, or holds fewer tokens than there are causal queries.
        """
        options.setdefault("causal", True)
        shape = as_array("q", q).shape
        if check_flag("causal", options["causal"]) and len(shape) > 1 and shape[-2] > self._length:
            raise ValueError(f"q has shape {shape}, but {self._length} tokens are cached: append before attending")
        return attention(q, self.k, self.v, **options)

    def _used(self, which: int) -> Array:
        """Return what is in use of a buffer, as a view that cannot be written to."""
        if not self._buffers:
            raise ValueError("0 tokens are cached: append before attending")
        used = self._buffers[which][..., : self._length, :]
        used.flags.writeable = False
        return used

    def _grow(self, buffer: Array, total: int) -> Array:
        """Return the buffer, or a copy where it is too short: at least twice as long, so that copying stays rare."""
        if total <= buffer.shape[-2]:
            return buffer
        length = max(total, 2 * buffer.shape[-2]) if self.capacity is None else self.capacity
        longer = np.empty((*buffer.shape[:-2], length, buffer.shape[-1]), buffer.dtype)
        longer[..., : self._length, :] = buffer[..., : self._length, :]
        return longer


def _check_pair(k: Array, v: Array) -> None:
    """Refuse keys and values that are not as many, or not (..., tokens, width)."""
    if k.ndim < 2 or v.ndim < 2 or k.shape[-2] != v.shape[-2]:
        raise ValueError(f"k has shape {k.shape} and v {v.shape}: both must be (..., tokens, width), as many of each")
    check_leading("k and v", k.shape, v.shape)


def _check_continues(name: str, buffer: Array, new: Array) -> None:
    """Refuse tokens of another shape or dtype than those that are there."""
    if (*buffer.shape[:-2], buffer.shape[-1]) != (*new.shape[:-2], new.shape[-1]):
        cached = str((*buffer.shape[:-2], "n", buffer.shape[-1])).replace("'", "")
        raise ValueError(f"{name} has shape {new.shape}; what is cached has {cached}: only n may differ")
    if buffer.dtype != new.dtype:
        raise TypeError(f"{name} has dtype {new.dtype}; what is cached has {buffer.dtype}")
