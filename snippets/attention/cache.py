"""The KV cache: with keys and values of all tokens kept, a new token costs one row instead of the whole square."""

from typing import Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_array, as_float, as_integers, check_count, check_flag
from .core import Attention
from .dot_product import Options, attention
from .masks import visible_pairs
from .shapes import check_leading


class KVCache:
    """Keys and values of one layer, in the order in which their tokens came.

    Shapes are (..., n, d). With heads they are (..., n_kv_heads, n, d): only these are kept, however many query heads
    share them. What is appended is copied, in its own dtype. Answers are those of `attention` over all tokens at once.

    Parameters
    ----------
    capacity
        The most tokens that fit; without limit where left out.
    window
        Each token attends to the last `window` tokens, itself included; those before them are dropped. All are kept
        where left out.
    n_first
        With a window: so many tokens from the beginning are kept as well, and every token attends to them.

    References
    ----------
    Xiao et al., "Efficient Streaming Language Models with Attention Sinks", 2023, for `n_first`.

    Examples
    --------
    >>> cache = KVCache()
    >>> cache.append([[1, 0], [0, 1]], [[4, 0], [0, 4]])
    >>> cache.append([[1, 1]], [[2, 2]])
    >>> len(cache), cache.attend([[0, 0]]).output
    (3, array([[2., 2.]]))
    """

    def __init__(self, capacity: int | None = None, *, window: int | None = None, n_first: int = 0) -> None:
        self.capacity = None if capacity is None else check_count("capacity", capacity)
        self.window = None if window is None else check_count("window", window, why="it counts the current token")
        self.n_first = check_count("n_first", n_first, 0)
        if self.n_first and window is None:
            raise ValueError(f"n_first is {n_first}, but without a window all tokens are kept: give a window too")
        self._length = 0
        self._dropped = 0
        self._buffers: list[Array] = []  # keys, values; longer than what is used

    def __len__(self) -> int:
        """Return how many tokens the cache holds."""
        return self._length

    @property
    def position(self) -> int:
        """The position of the next token: how many came so far, those included that a window has dropped."""
        return self._length + self._dropped

    def __copy__(self) -> Self:
        """Return a cache that shares nothing with this one."""
        return self.fork()

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
        n = new[0].shape[-2]
        self.check_capacity(n)
        old = self._buffers or [x[..., :0, :] for x in new]
        for name, buffer, x in zip("kv", old, new, strict=True):
            _check_continues(name, buffer, x)
        self._drop(self._n_outdated(n))
        total = self._length + n
        self._buffers = [self._grow(buffer, total) for buffer in self._buffers or old]
        for buffer, x in zip(self._buffers, new, strict=True):
            buffer[..., self._length : total, :] = x
        self._length = total

    def check_capacity(self, n: int) -> None:
        """Refuse `n` more tokens where they do not fit, before anything is computed for them.

        Raises
        ------
        ValueError
            If the cache would then hold more tokens than its capacity.

        Examples
        --------
        >>> KVCache(capacity=1).check_capacity(2)
        Traceback (most recent call last):
            ...
        ValueError: 0 tokens are cached, more would make 2; capacity is 1
        """
        total = self._length - self._n_outdated(n) + n
        if self.capacity is not None and total > self.capacity:
            raise ValueError(f"{self._length} tokens are cached, more would make {total}; capacity is {self.capacity}")

    def attend(self, q: ArrayLike, **options: Unpack[Options]) -> Attention:
        """Attend from the newest tokens to themselves and all before them; the last query is the last key's token.

        [..., n_q, d_k] -> [..., n_q, n], [..., n_q, n], [..., n_q, d_v]

        Options are those of `attention`, but `causal` is on unless switched off (for cross-attention). Masks and
        biases lie over the tokens that the cache holds.

        Raises
        ------
        ValueError
            If the cache is empty, holds fewer tokens than there are causal queries, or has dropped what a query needs.
        """
        options.setdefault("causal", True)
        shape = as_array("q", q).shape
        if check_flag("causal", options["causal"]) and len(shape) > 1 and shape[-2] > self._length:
            raise ValueError(f"q has shape {shape}, but {self._length} tokens are cached: append before attending")
        if self.window is not None and len(shape) > 1:
            options["mask"] = self._in_window(shape, self.window, options.pop("window", None), options.get("mask"))
        return attention(q, self.k, self.v, **options)

    def fork(self) -> Self:
        """Return a cache of the same tokens that goes on by itself: two continuations of one prompt.

        >>> cache = KVCache()
        >>> cache.append([[1.0]], [[2.0]])
        >>> other = cache.fork()
        >>> other.append([[3.0]], [[4.0]])
        >>> len(cache), len(other)
        (1, 2)
        """
        twin = type(self).__new__(type(self))
        twin.__dict__ |= self.__dict__
        twin._keep(slice(0, self._length))
        return twin

    def truncate(self, length: int) -> None:
        """Keep the first `length` of the tokens that are there; `truncate(len(cache) - 2)` takes the last two back.

        Raises
        ------
        ValueError
            If there are fewer tokens, or the next one would miss some that a window has dropped.

        Examples
        --------
        >>> cache = KVCache()
        >>> cache.append([[1.0], [3.0]], [[2.0], [4.0]])
        >>> cache.truncate(1)
        >>> cache.k
        array([[1.]])
        """
        length = check_count("length", length, 0, "it counts tokens")
        if length > self._length:
            raise ValueError(f"length is {length}, but {self._length} tokens are cached: it cannot be more")
        if self.window is not None and self._dropped and length - self.n_first < self.window - 1:
            rule = f"the next token attends to {self.window - 1} before it, and older ones were dropped"
            raise ValueError(f"length is {length}: {rule}, so it must be at least {self.n_first + self.window - 1}")
        self._keep(slice(0, length))

    def reorder(self, rows: ArrayLike) -> None:
        """Let sequence i of the batch, the first axis, go on from what was sequence `rows[i]`: beams of a search.

        [n_sequences] integers; one row may be taken several times or never, so the batch may grow or shrink.

        Raises
        ------
        ValueError
            If the cache is empty, has no axis before the tokens, or a row is not there.

        Examples
        --------
        >>> cache = KVCache()
        >>> cache.append([[[1.0]], [[3.0]]], [[[2.0]], [[4.0]]])
        >>> cache.reorder([1, 1])
        >>> cache.k.ravel()
        array([3., 3.])
        """
        index, shapes = as_integers("rows", rows), (self.k.shape, self.v.shape)
        if index.ndim != 1 or min(map(len, shapes)) < 3:
            rule = "rows must be (n,), and both have an axis of sequences first"
            raise ValueError(f"rows has shape {index.shape}, k {shapes[0]} and v {shapes[1]}: {rule}")
        n = min(shape[0] for shape in shapes)
        if index.size and not 0 <= index.min() <= index.max() < n:
            raise ValueError(f"rows go from {index.min()} to {index.max()}; the cache has sequences 0 to {n - 1}")
        self._buffers = [buffer[index] for buffer in self._buffers]

    def _n_outdated(self, n: int) -> int:
        """Return how many tokens no query will see once `n` more have come; the window counts from the first of these.

        A token sees `window` - 1 before it, so these stay besides the new ones.
        """
        if self.window is None or n == 0:
            return 0
        return max(0, self._length - self.n_first - (self.window - 1))

    def _drop(self, n: int) -> None:
        """Drop `n` tokens, the oldest that are not among the first ones."""
        if n:
            self._keep(np.r_[: self.n_first, self.n_first + n : self._length])
            self._dropped += n

    def _keep(self, tokens: slice | Array) -> None:
        """Keep these tokens in buffers without free slots: what comes next is then written to new memory.

        Another cache, or somebody who asked for `k`, may still read the old one.
        """
        self._buffers = [buffer[..., tokens, :] for buffer in self._buffers]
        self._length = self._buffers[0].shape[-2] if self._buffers else 0

    def _in_window(self, shape: tuple[int, ...], window: int, asked: int | None, mask: ArrayLike | None) -> Array:
        """Return the mask of what queries of this shape may see of the tokens held, or refuse what was dropped."""
        if asked is not None and check_count("window", asked, why="it counts the current token") > window:
            raise ValueError(f"window is {asked}, but the cache keeps the last {window} tokens: it cannot be larger")
        n_q, oldest = shape[-2], self.n_first + self._dropped
        window_start = self.position - n_q - (window if asked is None else int(asked)) + 1
        if self._dropped and window_start < oldest:
            rule = "attend to the tokens of one append before the next"
            raise ValueError(f"q has shape {shape}, but tokens before {oldest} were dropped: {rule}")
        queries = np.arange(self.position - n_q, self.position)[:, None]
        keys = np.arange(self._length) + np.where(np.arange(self._length) < self.n_first, 0, self._dropped)
        near = np.abs(keys - queries) < (window if asked is None else asked)
        visible: Array = (near | (keys < self.n_first)) & visible_pairs((n_q, self._length), mask=mask)
        return visible

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
