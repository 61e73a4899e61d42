"""From logits to text: the likeliest next tokens, and greedy writing with a KV cache."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..cache import KVCache
from ..checks import Array, as_float, check_count
from ..probabilities import softmax


def top_tokens(logits: ArrayLike, n: int = 5) -> list[tuple[int, float]]:
    """Return the n likeliest tokens, id and probability, likeliest first.

    [n_vocab]

    >>> [(token, round(p, 2)) for token, p in top_tokens([0.0, 2.0, 1.0], n=2)]
    [(1, 0.67), (2, 0.24)]
    """
    row, _ = as_float("logits", logits)
    if row.ndim != 1:
        raise ValueError(f"logits has shape {row.shape}; it must be one row, (n_vocab,)")
    p = softmax(row.astype(np.float64))
    order = np.argsort(-p, kind="stable")[: check_count("n", n)]
    return [(int(token), float(p[token])) for token in order]


def greedy(model: Callable[..., Array], ids: list[int], n_new: int) -> list[int]:
    """Return the ids the model writes after a prompt when it always takes the likeliest token.

    `model` is a causal one of this package; only the newest token goes through it, the others are in the cache.
    """
    caches = [KVCache() for _ in range(model.n_layers)]  # type: ignore[attr-defined]
    written: list[int] = []
    for _ in range(check_count("n_new", n_new)):
        logits = model(written[-1:] or ids, caches=caches)
        written.append(int(logits[-1].argmax()))
    return written
