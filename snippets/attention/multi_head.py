"""Multi-head attention: project, split into heads, attend in each, merge, project back."""

from functools import partial
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from . import core
from .checks import Array, as_array, as_floats
from .core import Attention
from .dot_product import Options, attention
from .heads import check_divides, group_size
from .layers import check_linear, linear, project


def project_qkv(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    b_q: ArrayLike | None = None,
    b_k: ArrayLike | None = None,
    b_v: ArrayLike | None = None,
    context: ArrayLike | None = None,
) -> tuple[Array, Array, Array]:
    """Make queries from `x`, and keys and values from `context`, each with its own matrix.

    [..., n, d_model], [d_model, n_heads · d] -> [..., n, n_heads · d], for q, k and v

    Parameters
    ----------
    context
        Where keys and values come from, [..., n_k, d_context]; `x` itself where left out (self-attention).

    Examples
    --------
    >>> q, k, v = project_qkv([[1, 2]], w_q=[[1], [0]], w_k=[[0], [1]], w_v=[[1], [1]])
    >>> q, k, v
    (array([[1.]]), array([[2.]]), array([[3.]]))
    """
    source = x if context is None else context
    return (
        linear(x, w_q, b_q, suffix="_q"),
        linear(source, w_k, b_k, suffix="_k"),
        linear(source, w_v, b_v, suffix="_v"),
    )


def split_qkv(fused: ArrayLike, n_heads: int, n_kv_heads: int | None = None) -> tuple[Array, Array, Array]:
    """Separate q, k and v where a checkpoint stores the three side by side, as GPT-2 does.

    [..., (n_heads + 2 n_kv_heads) · d] -> [..., n_heads · d], [..., n_kv_heads · d], [..., n_kv_heads · d]

    Works on the weight (768, 2304), on its bias (2304,), and on their product with x. The results are views: writing to
    them writes to `fused`.

    Examples
    --------
    >>> split_qkv([1, 2, 3, 4, 5, 6], n_heads=2)
    (array([1, 2]), array([3, 4]), array([5, 6]))
    """
    array = as_array("fused", fused)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    group_size(n_heads, n_kv_heads)
    n_heads, n_kv_heads = int(n_heads), int(n_kv_heads)  # NumPy's small integers would overflow
    check_divides("fused", array.shape, n_heads + 2 * n_kv_heads)
    d = array.shape[-1] // (n_heads + 2 * n_kv_heads)
    q, k, v = np.split(array, [n_heads * d, (n_heads + n_kv_heads) * d], axis=-1)
    return q, k, v


def multi_head_attention(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    w_o: ArrayLike,
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    context: ArrayLike | None = None,
    b_q: ArrayLike | None = None,
    b_k: ArrayLike | None = None,
    b_v: ArrayLike | None = None,
    b_o: ArrayLike | None = None,
    **options: Unpack[Options],
) -> Attention:
    """Let `n_heads` heads read `x`, each through its own slice of the projections.

    [..., n_q, d_model] -> [..., n_heads, n_q, n_k], [..., n_heads, n_q, n_k], [..., n_q, d_out]

    Parameters
    ----------
    w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o
        Matrices (d_in, d_out) and biases (d_out,). Each head is d_out / n_heads wide, and that width sets the scale.
    n_kv_heads
        Heads of keys and values: as many as of queries where left out; fewer is grouped-query, 1 multi-query.
    context
        Where keys and values come from, [..., n_k, d_context], for cross-attention.
    options
        mask, bias, causal, window, scale, softcap, as for `attention`; masks broadcast to (..., n_heads, n_q, n_k).
        One mask for each sequence of a batch needs an axis for the heads: `padding_mask(lengths, n_k)[:, None]`.

    Returns
    -------
    `Attention(scores, weights, output)`: scores and weights of every head, and the output of all heads together.

    Raises
    ------
    ValueError
        If the heads cannot share a width equally, or shapes do not fit. Nothing is computed then.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2; Ainslie et al., "GQA", 2023.

    Examples
    --------
    >>> one = np.eye(4)
    >>> multi_head_attention([[1, 0, 2, -1], [0, 1, 1, 0]], one, one, one, one, n_heads=2, causal=True).output.round(2)
    array([[ 1.  ,  0.  ,  2.  , -1.  ],
           [ 0.33,  0.67,  1.67, -0.67]])
    """
    needed: dict[str, ArrayLike] = {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    a, dtype = as_floats(needed, b_q=b_q, b_k=b_k, b_v=b_v, b_o=b_o, context=context)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    _check_heads(a, n_heads, n_kv_heads)
    x, source = a["x"], a.get("context", a["x"])
    q = project(x, a["w_q"], a.get("b_q"))
    k = project(source, a["w_k"], a.get("b_k"))
    v = project(source, a["w_v"], a.get("b_v"))
    attend = partial(attention, **options)
    scores, weights, output = core.multi_head(q, k, v, a["w_o"], int(n_heads), int(n_kv_heads), attend)
    output = output if b_o is None else output + a["b_o"]
    return Attention(scores, weights.astype(dtype, copy=False), output.astype(dtype, copy=False))


def _check_heads(arrays: dict[str, Array], n_heads: int, n_kv_heads: int) -> None:
    """Refuse, before anything is computed, widths that the heads cannot share, and matrices that do not fit."""
    group_size(n_heads, n_kv_heads)
    for name in ("x", "context"):
        if name in arrays and arrays[name].ndim < 2:
            raise ValueError(f"{name} has shape {arrays[name].shape}; it must be (..., tokens, width)")
    for name, heads in (("w_q", n_heads), ("w_k", n_kv_heads), ("w_v", n_kv_heads)):
        check_divides(name, arrays[name].shape, heads)
    w_q, w_k = arrays["w_q"].shape, arrays["w_k"].shape
    if w_q[-1] // n_heads != w_k[-1] // n_kv_heads:
        rule = "queries and keys must have the same d_k"
        widths = f"{n_heads} heads of {w_q[-1] // n_heads} and {n_kv_heads} of {w_k[-1] // n_kv_heads}"
        raise ValueError(f"w_q has shape {w_q} and w_k {w_k}, which makes {widths}: {rule}")
    x = arrays["x"].shape
    source = arrays["context"].shape if "context" in arrays else x
    merged = (*x[:-1], arrays["w_v"].shape[-1] // n_kv_heads * n_heads)
    for suffix, shape in (("_q", x), ("_k", source), ("_v", source), ("_o", merged)):
        check_linear(shape, arrays[f"w{suffix}"], arrays.get(f"b{suffix}"), suffix)
