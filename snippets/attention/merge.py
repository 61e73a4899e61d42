"""Attention over some of the keys, and how two such partial results become one: in any order, on any machine."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import core
from .checks import as_floats, check_flag, check_integer
from .core import Array, Attention
from .dot_product import attention
from .heads import share_heads
from .masks import visible_pairs
from .shapes import check_qk


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
        divisor = np.where(self.normaliser == 0, 1, self.normaliser)
        return (self.maximum + np.log(divisor))[..., 0]


def _read_only(value: float) -> Array:
    return np.broadcast_to(np.float16(value), (1, 1))


# The identity of `merge_blocks`: no keys at all. Any dtype that it is merged with holds half precision.
EMPTY_BLOCK = Block(output=_read_only(0), maximum=_read_only(-np.inf), normaliser=_read_only(0))


def attend_block(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    offset: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Block:
    """Attend to one block of keys as if there were no others, and keep what a merge needs.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v] -> Block

    Parameters
    ----------
    q, k, v, mask, bias, causal, window, scale, softcap
        As for `attention`, for this block alone: `mask` and `bias` are the part that lies over its keys.
    offset
        How many tokens query 0 comes after key 0 of the block, negative where before it: `causal` and `window` depend
        on it. Where it is left out, the last query is the last key's token.

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

    Keys 4 and 5, read by the query that stands at 4:

    >>> attend_block([[1.0]], [[0.0], [0.0]], [[2.0], [4.0]], causal=True, offset=0).output
    array([[2.]])
    """
    arrays, _ = as_floats({"q": q, "k": k, "v": v})
    q, k, v = arrays["q"], arrays["k"], arrays["v"]
    check_qk(q, share_heads(q, k))
    offset = None if offset is None else check_integer("offset", offset)
    if check_flag("causal", causal) or window is not None:
        mask = visible_pairs((q.shape[-2], k.shape[-2]), mask=mask, causal=causal, window=window, offset=offset)
    return as_block(attention(q, k, v, mask=mask, bias=bias, scale=scale, softcap=softcap))


def as_block(answer: Attention) -> Block:
    """Return the output of attention with the maximum and the normaliser of its scores.

    >>> as_block(Attention(np.array([[2.0, -np.inf]]), np.array([[1.0, 0.0]]), np.array([[5.0]]))).normaliser
    array([[1.]])
    """
    with np.errstate(all="ignore"):  # as in `softmax`
        normaliser = np.exp(core.below_maximum(answer.scores)).sum(axis=-1, keepdims=True)
    return Block(answer.output, answer.scores.max(axis=-1, keepdims=True), normaliser)


def merge_blocks(a: Block, b: Block) -> Block:
    """Make of attention over two disjoint sets of keys the attention over both.

    Associative, commutative, with `EMPTY_BLOCK` as its identity (to rounding): blocks may be merged as they arrive,
    pairwise in a tree, or along a ring. Leading axes broadcast.

    Returns
    -------
    `Block`: the two outputs, each weighted by its share of the common normaliser.

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
    with np.errstate(all="ignore"):  # a share too small for the dtype is 0; NaN and infinity of a block are passed on
        part_a, part_b = _rescale(maximum, a), _rescale(maximum, b)
        normaliser = part_a + part_b
        divisor = np.where(normaliser == 0, 1, normaliser)
        output = part_a / divisor * a.output + part_b / divisor * b.output
    return Block(output, maximum, normaliser)


def _check_blocks(a: Block, b: Block) -> None:
    """Refuse blocks of other queries or of values of another width; `EMPTY_BLOCK` goes with any."""
    sizes = {x.output.shape[-2:] for x in (a, b) if x.normaliser.any() or x.output.shape[-2:] != (1, 1)}
    if len(sizes) > 1:
        rule = "they must be of the same queries, and of values of the same width"
        raise ValueError(f"blocks have outputs of shape {a.output.shape} and {b.output.shape}: {rule}")


def _rescale(maximum: Array, block: Block) -> Array:
    """Return the block's normaliser as if `maximum`, not its own, had been subtracted from its scores."""
    lowest = np.finfo(maximum.dtype).min  # as in `core.below_maximum`
    normaliser: Array = block.normaliser * np.exp(block.maximum - np.maximum(maximum, lowest))
    return normaliser
