"""Attention and nothing else: these are the lines that run.

They check nothing. The public functions check their arguments, settle the dtypes, call these lines, and round once.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Score = Callable[[Array, Array], Array]


class Attention(NamedTuple):
    """The three steps of one attention call, in order."""

    scores: Array
    weights: Array
    output: Array


Attend = Callable[[Array, Array, Array], Attention]


def below_maximum(scores: Array) -> Array:  # [n] -> [n]
    """Subtract the maximum of each row: only differences count, and exp() can no longer overflow."""
    lowest = np.finfo(scores.dtype).min  # a finite maximum for a row of nothing but -inf: -inf - -inf would be NaN
    return scores - scores.max(axis=-1, keepdims=True, initial=lowest)


def softmax(scores: Array) -> Array:  # [n] -> [n]
    """Turn each row of scores into weights: none is negative, and they sum to 1."""
    exps = np.exp(below_maximum(scores))
    return exps / np.maximum(exps.sum(axis=-1, keepdims=True), 1)  # a sum holds exp(0) = 1, unless the row is empty


def attention_scores(q: Array, k: Array, scale: float | None = None) -> Array:  # [n_q, d], [n_k, d] -> [n_q, n_k]
    """Compare every query with every key: their dot product, divided by √d."""
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    return (q * scale) @ k.swapaxes(-1, -2)  # scaled first, so that the sum of d products does not overflow


def attend(
    q: Array, k: Array, v: Array, visible: Array | bool = True, score: Score = attention_scores
) -> Attention:  # [n_q, d_k], [n_k, d_k], [n_k, d_v], [n_q, n_k] -> [n_q, n_k], [n_q, n_k], [n_q, d_v]
    """Score the keys, turn the scores of visible ones into weights, and sum the values by these weights."""
    scores = np.where(visible, score(q, k), -np.inf)  # replaced, not added to: NaN - inf would stay NaN
    weights = softmax(scores)
    return Attention(scores, weights, weights @ v)


def positions(n_q: int, n_k: int) -> tuple[Array, Array]:  # -> [n_q, 1], [n_k]
    """Return where queries and keys stand in one sequence; the last query and the last key are its last token."""
    return np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)


def causal(n_q: int, n_k: int) -> Array:  # -> [n_q, n_k]
    """Let every query see its own token and those before it."""
    queries, keys = positions(n_q, n_k)
    return keys <= queries


def split_heads(x: Array, n_heads: int) -> Array:  # [n, n_heads · d] -> [n_heads, n, d]
    """Give every head its slice of each token."""
    return x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads).swapaxes(-3, -2)


def merge_heads(x: Array) -> Array:  # [n_heads, n, d] -> [n, n_heads · d]
    """Put the heads' slices of each token side by side again."""
    return x.swapaxes(-3, -2).reshape(*x.shape[:-3], x.shape[-2], x.shape[-3] * x.shape[-1])


def repeat_heads(x: Array, n_heads: int) -> Array:  # [n_kv_heads, n, d] -> [n_heads, n, d]
    """Give every key-value head to its group of query heads; neighbours share one: 0 0 1 1."""
    return np.repeat(x, n_heads // x.shape[-3], axis=-3)


def multi_head(
    q: Array, k: Array, v: Array, w_o: Array, n_heads: int, n_kv_heads: int, attend_each: Attend = attend
) -> Attention:  # [n, heads · d] for q, k and v, [n_heads · d, d_out] -> [n_heads, n_q, n_k] twice, [n_q, d_out]
    """Let every head attend with its own slices of q, k and v, and mix the outputs of all heads."""
    q, k, v = split_heads(q, n_heads), split_heads(k, n_kv_heads), split_heads(v, n_kv_heads)
    scores, weights, outputs = attend_each(q, repeat_heads(k, n_heads), repeat_heads(v, n_heads))
    return Attention(scores, weights, merge_heads(outputs) @ w_o)
