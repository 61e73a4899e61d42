"""Backwards through everything beside attention: given the gradient of what a step returned, that of what it took.

`attention.attention_backward` does the same for attention. Names of gradients begin with d; shapes are those of what
they belong to. Nothing here checks its arguments: these are the inner steps of one training program.
"""

import math
from typing import NamedTuple

import numpy as np

from attention import log_softmax
from attention.checks import Array


class Mapped(NamedTuple):
    """Gradients of x, of the matrix (or the stretching weight), and of the bias."""

    dx: Array
    dw: Array
    db: Array


def cross_entropy(logits: Array, targets: Array, counted: Array) -> tuple[float, Array]:
    """Return the mean of -log p(target) over the counted places, and its gradient: (p - 1 at the target) / count.

    [..., n, n_vocab], [..., n], [..., n] -> (), [..., n, n_vocab]

    >>> loss, dlogits = cross_entropy(np.zeros((2, 4)), np.array([3, 0]), counted=np.array([True, False]))
    >>> round(loss, 4), dlogits[0]
    (1.3863, array([ 0.25,  0.25,  0.25, -0.75]))
    """
    logs = log_softmax(logits)
    share = (counted / counted.sum()).astype(logs.dtype)
    chosen = np.take_along_axis(logs, targets[..., None], axis=-1)
    dlogits = np.exp(logs)
    np.put_along_axis(dlogits, targets[..., None], np.exp(chosen) - 1, axis=-1)
    return -float((chosen[..., 0] * share).sum()), dlogits * share[..., None]


def linear_backward(x: Array, w: Array, dy: Array) -> Mapped:
    """Return the gradients of y = x w + b.

    [..., d_in], [d_in, d_out], [..., d_out] -> [..., d_in], [d_in, d_out], [d_out]

    >>> linear_backward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), dy=np.array([[10.0]]))
    Mapped(dx=array([[30., 40.]]), dw=array([[10.],
           [20.]]), db=array([10.]))
    """
    rows, drows = x.reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1])
    return Mapped((drows @ w.T).reshape(x.shape), rows.T @ drows, drows.sum(axis=0))


def layer_norm_backward(x: Array, weight: Array, dy: Array, *, eps: float = 1e-5) -> Mapped:
    """Return the gradients of layer norm: what changes the mean or the spread of x changes nothing.

    [..., d], [d], [..., d] -> [..., d], [d], [d]

    With x̂ the normalised x, σ its spread and g = dy · weight: dx = (g - mean(g) - x̂ mean(g x̂)) / σ.

    >>> x = np.array([[1.0, 2.0, 4.0, 9.0]])
    >>> dx = layer_norm_backward(x, np.ones(4), dy=np.array([[1.0, 0.0, 0.0, 0.0]])).dx
    >>> bool(abs(dx.sum()) < 1e-15)
    True
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + eps)
    normed, g = centred / spread, dy * weight
    dx = (g - g.mean(axis=-1, keepdims=True) - normed * (g * normed).mean(axis=-1, keepdims=True)) / spread
    tokens = tuple(range(x.ndim - 1))
    return Mapped(dx, (dy * normed).sum(axis=tokens), dy.sum(axis=tokens))


def gelu_backward(x: Array, dy: Array) -> Array:
    """Return the gradient of GELU in its tanh form, x (1 + t) / 2 with t = tanh(c (x + 0.044715 x³)) and c = √(2 / π).

    >>> gelu_backward(np.array([0.0, 10.0]), dy=np.ones(2))
    array([0.5, 1. ])
    """
    c, square = math.sqrt(2 / math.pi), x * x
    t = np.tanh(c * x * (1 + 0.044715 * square))
    slope: Array = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * square)
    return dy * slope


def embed_backward(ids: Array, dx: Array, n_vocab: int, n_positions: int) -> tuple[Array, Array]:
    """Return the gradients of both tables: each row gets the sum over all places where it was looked up.

    [batch, n], [batch, n, d] -> [n_vocab, d], [n_positions, d]

    >>> embed_backward(np.array([[1, 1]]), np.array([[[1.0], [2.0]]]), n_vocab=2, n_positions=3)
    (array([[0.],
           [3.]]), array([[1.],
           [2.],
           [0.]]))
    """
    dtokens = np.zeros((n_vocab, dx.shape[-1]), dx.dtype)
    dpositions = np.zeros((n_positions, dx.shape[-1]), dx.dtype)
    np.add.at(dtokens, ids, dx)
    dpositions[: dx.shape[1]] = dx.sum(axis=0)
    return dtokens, dpositions
