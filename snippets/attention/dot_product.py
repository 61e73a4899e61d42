"""Scaled dot-product attention: scores → weights → output."""

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from . import core
from .checks import as_floats
from .core import Attention, Score
from .heads import share_heads
from .masks import Align, query_offset, visible_pairs
from .nonfinite import attend_visible
from .scores import check_score_options, score_function
from .shapes import check_leading, scores_shape
from .sinks import attend_with_sink, check_sink


class Options(TypedDict, total=False):
    """The keyword arguments of `attention`, for functions that hand them on."""

    mask: ArrayLike | None
    bias: ArrayLike | None
    causal: bool
    window: int | None
    scale: float | None
    softcap: float | None
    align: Align
    sink: ArrayLike | None


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    align: Align = "bottom-right",
    sink: ArrayLike | None = None,
) -> Attention:
    """Sum the values, weighted by how well their keys match each query: softmax(q kᵀ · scale) v.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v] -> [..., n_q, n_k], [..., n_q, n_k], [..., n_q, d_v]

    Parameters
    ----------
    q, k, v
        Queries, keys, values. Leading axes (batch, heads) broadcast. Keys and values may have fewer heads (axis -3)
        than queries: then `n_heads // n_kv_heads` neighbouring query heads share one.
    mask
        Boolean, broadcasts to (..., n_q, n_k); True = may attend.
    bias
        Numbers added to the scores; -inf hides a key like `mask` does. A mask of 0 and 1 is no bias: it would be added
        and hide nothing; turn it into a boolean mask. Nor does -1e9 hide a row of nothing else: what is added to all
        scores of a row leaves the weights as they are, except that float32 rounds such sums to multiples of 64, which
        makes the weights equal.
    causal, window
        Shorthand for `causal_mask` and `sliding_window_mask`; all masks must agree before a key is seen.
    scale
        1/√d_k where it is left out.
    softcap
        Squeezes scores into (-softcap, softcap) by tanh, before bias and masks.
    align
        How `causal` and `window` read the positions of queries: as in `causal_mask`.
    sink
        The score of a key that every query sees and whose value is 0: weights then sum to less than 1. Broadcasts to
        (..., n_q, 1); one for each head is `sink[:, None, None]`. It has no column in what is returned.

    Returns
    -------
    `Attention(scores, weights, output)`: scores are the input of the softmax, -inf where a key is hidden. A query that
    may attend to nothing gets zeros. The contents of a hidden key or value, even NaN, change nothing.

    Raises
    ------
    ValueError
        If shapes do not fit, heads do not divide, there is no key, or `window`, `softcap` or `align` is none that
        there is.
    TypeError
        If `mask` is not boolean, or anything else does not hold real numbers.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1. For `sink`: OpenAI, "gpt-oss-120b & gpt-oss-20b
    Model Card", 2025, section 2.

    Examples
    --------
    >>> scores, weights, output = attention([[3, 1], [1, 3]], [[3, 1], [1, 3]], [[6, 0.5], [0.5, 6]])
    >>> output.round(2)
    array([[5.69, 0.81],
           [0.81, 5.69]])
    """
    arrays, dtype = as_floats({"q": q, "k": k, "v": v})
    q, k, v = arrays["q"], arrays["k"], arrays["v"]
    if not q.shape[-3:-2] == k.shape[-3:-2] == v.shape[-3:-2]:
        k, v = share_heads(q, k), share_heads(q, v, "v")
    shape = scores_shape(q, k, v)
    score: Score = core.attention_scores
    if scale is not None or softcap is not None or bias is not None:
        scale, softcap, bias = check_score_options(q, k, shape, scale, softcap, bias)
        score = score_function(scale, softcap, bias)
    offset = None if align == "bottom-right" else query_offset(align)
    visible = visible_pairs(shape, mask=mask, causal=causal, window=window, bias=bias, offset=offset)
    if mask is not None or bias is not None:
        shape = np.broadcast_shapes(shape, np.shape(visible))
        check_leading("scores (after mask and bias) and v", shape, v.shape)
    if sink is None:
        scores, weights, output = attend_visible(q, k, v, visible, score)
    else:
        scores, weights, output = attend_with_sink(
            q, k, v, visible, score, check_sink(sink, shape, np.result_type(q, k))
        )
    if weights.dtype == output.dtype == dtype:
        return Attention(scores, weights, output)
    with np.errstate(over="ignore", under="ignore"):  # half precision is rounded once, here
        return Attention(scores, weights.astype(dtype), output.astype(dtype))
