"""Layers of weights: one linear map, and the feed-forward network made of two or three."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from .activations import gelu
from .checks import Array, as_floats


def linear(x: ArrayLike, w: ArrayLike, b: ArrayLike | None = None, *, suffix: str = "") -> Array:
    """Map every token by the same matrix: x w + b.

    [..., n, d_in], [d_in, d_out], [d_out] -> [..., n, d_out]

    The matrix stands as GPT-2 stores it, (d_in, d_out); torch's `Linear` holds its transpose.

    Parameters
    ----------
    suffix
        Ends the names `w` and `b` in error messages, as in w_q.

    Raises
    ------
    ValueError
        If the widths do not fit.

    Examples
    --------
    >>> linear([[1, 2]], [[1, 0, 1], [0, 1, 1]], [0, 0, 10])
    array([[ 1.,  2., 13.]])
    """
    arrays, dtype = as_floats({"x": x, f"w{suffix}": w}, **{f"b{suffix}": b})
    x, w, b = arrays["x"], arrays[f"w{suffix}"], arrays.get(f"b{suffix}")
    check_linear(x.shape, w, b, suffix)
    return project(x, w, b).astype(dtype)


def project(x: Array, w: Array, b: Array | None) -> Array:  # [n, d_in], [d_in, d_out], [d_out] -> [n, d_out]
    """Compute x w + b of arrays that were checked."""
    return x @ w if b is None else x @ w + b


def check_linear(x_shape: tuple[int, ...], w: Array, b: Array | None, suffix: str = "") -> None:
    """Refuse a matrix that does not fit an x of this shape, and a bias that does not fit the matrix."""
    if len(x_shape) < 1 or w.ndim != 2 or x_shape[-1] != w.shape[0]:
        rule = "x must be (..., d_in) and the matrix (d_in, d_out) with the same d_in"
        raise ValueError(f"x has shape {x_shape} and w{suffix} {w.shape}: {rule}")
    if b is not None and b.shape != w.shape[1:]:
        raise ValueError(f"w{suffix} has shape {w.shape} and b{suffix} {b.shape}: b must be (d_out,)")


def feed_forward(
    x: ArrayLike,
    w_in: ArrayLike,
    w_out: ArrayLike,
    b_in: ArrayLike | None = None,
    b_out: ArrayLike | None = None,
    *,
    w_gate: ArrayLike | None = None,
    activation: Callable[[Array], Array] = gelu,
) -> Array:
    """Map every token to d_ff numbers, apply the activation, and map back; tokens do not see each other.

    [..., n, d_model], [d_model, d_ff], [d_ff, d_model], [d_ff], [d_model] -> [..., n, d_model]

    Parameters
    ----------
    w_gate
        With it, the activation acts on x w_gate, and the result multiplies x w_in (SwiGLU with `silu`).
    activation
        Exact `gelu` where left out; GPT-2 takes its tanh form.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.3; Shazeer, "GLU Variants Improve Transformer", 2020.

    Examples
    --------
    >>> feed_forward([[1, -1]], [[1, 0], [0, 1]], [[1, 0], [0, 1]], activation=lambda x: x.clip(0))
    array([[1., 0.]])
    """
    arrays, dtype = as_floats({"x": x, "w_in": w_in, "w_out": w_out}, b_in=b_in, b_out=b_out, w_gate=w_gate)
    hidden = linear(arrays["x"], arrays["w_in"], arrays.get("b_in"), suffix="_in")
    if w_gate is None:
        hidden = activation(hidden)
    else:
        if arrays["w_gate"].shape != arrays["w_in"].shape:
            shapes = f"w_in has shape {arrays['w_in'].shape} and w_gate {arrays['w_gate'].shape}"
            raise ValueError(f"{shapes}: they must be the same, for one multiplies what the other gives")
        hidden = hidden * activation(linear(arrays["x"], arrays["w_gate"], suffix="_gate"))
    return linear(hidden, arrays["w_out"], arrays.get("b_out"), suffix="_out").astype(dtype)
