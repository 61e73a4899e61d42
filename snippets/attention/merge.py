"""Attention over some of the keys, and how two such partial results become one: in any order, on any machine."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float
from .dot_product import attention


class Block(NamedTuple):
    """Attention over a block of keys, with what is needed to merge it with other blocks.

    `output` (..., n_q, d_v) is normalised: by itself it is the answer to "what if there were only these keys?".
    `maximum` (..., n_q, 1) is the largest score, -inf where nothing is visible; `normaliser` (..., n_q, 1) is the sum
    of exp(score - maximum), 0 where nothing is visible.
    """

    output: Array
    maximum: Array
    normaliser: Array

    @property
    def lse(self) -> Array:
        """The natural logarithm of the sum of exp(score), (..., n_q); the maximum is included, not subtracted.

        The scores are those the softmax saw: scaled, soft-capped, biased and masked. -inf where nothing is visible.
        """
        counted = np.where(self.normaliser == 0, 1, self.normaliser)
        logs: Array = (self.maximum + np.log(counted))[..., 0]
        return logs


# The identity of `merge_blocks`: no keys at all. Half precision gives way to whatever dtype it is merged with.
EMPTY_BLOCK = Block(
    output=np.zeros((1, 1), np.float16),
    maximum=np.full((1, 1), -np.inf, np.float16),
    normaliser=np.zeros((1, 1), np.float16),
)


def attend_block(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Block:
    """Attend to one block of keys as if there were no others, and keep what a merge needs.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v] -> Block

    Parameters are those of `attention`, for this block alone: `mask` and `bias` are the part that lies over its keys.
    `causal` and `window` depend on where the block stands in the sequence; give them as a mask.

    Returns
    -------
    `Block(output, maximum, normaliser)` in the dtype that is computed in: float32 for half precision.

    Raises
    ------
    ValueError, TypeError
        As `attention` does.

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, section 3.

    Examples
    --------
    >>> attend_block([[1.0]], [[0.0], [0.0]], [[2.0], [4.0]])
    Block(output=array([[3.]]), maximum=array([[0.]]), normaliser=array([[2.]]))
    """
    (q, _), (k, _), (v, _) = as_float("q", q), as_float("k", k), as_float("v", v)
    scores, _, output = attention(q, k, v, mask=mask, bias=bias, scale=scale, softcap=softcap)
    maximum = scores.max(axis=-1, keepdims=True)
    normaliser = _exp_below(maximum, scores).sum(axis=-1, keepdims=True)
    return Block(output, maximum, normaliser)


def merge_blocks(a: Block, b: Block) -> Block:
    """Make of attention over two disjoint sets of keys the attention over both.

    Associative, commutative, with `EMPTY_BLOCK` as its identity (to rounding): blocks may be merged as they arrive,
    pairwise in a tree, or along a ring. Leading axes broadcast.

    Returns
    -------
    `Block`: the two outputs, each weighted by its share of all that exp() summed to.

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, section 3.1.

    Examples
    --------
    >>> q, k, v = [[1.0]], [[0.0], [0.0], [0.0]], [[2.0], [4.0], [9.0]]
    >>> merge_blocks(attend_block(q, k[:2], v[:2]), attend_block(q, k[2:], v[2:])).output
    array([[5.]])
    """
    _check_blocks(a, b)
    maximum = np.maximum(a.maximum, b.maximum)
    with np.errstate(all="ignore"):  # a share too small for the dtype is 0; NaN and inf pass on what a block holds
        part_a = a.normaliser * _exp_below(maximum, a.maximum)
        part_b = b.normaliser * _exp_below(maximum, b.maximum)
        normaliser = part_a + part_b
        counted = np.where(normaliser == 0, 1, normaliser)
        output = part_a / counted * a.output + part_b / counted * b.output
    return Block(output, maximum, normaliser)


def _check_blocks(a: Block, b: Block) -> None:
    """Refuse blocks of other queries or of values of another width; `EMPTY_BLOCK` goes with any."""
    sizes = {x.output.shape[-2:] for x in (a, b) if x.normaliser.any() or x.output.shape[-2:] != (1, 1)}
    if len(sizes) > 1:
        rule = "they must be of the same queries, and of values of the same width"
        raise ValueError(f"blocks have outputs of shape {a.output.shape} and {b.output.shape}: {rule}")


def _exp_below(maximum: Array, scores: Array) -> Array:
    """Return exp(scores - maximum); where nothing is visible, 0, although -inf - -inf is NaN."""
    with np.errstate(all="ignore"):  # as in softmax: +inf - inf is NaN, a huge gap is -inf, its exp() is 0
        powers: Array = np.exp(scores - np.where(maximum == -np.inf, 0, maximum))
    return powers
