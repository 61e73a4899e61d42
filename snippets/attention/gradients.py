"""The backward pass of attention: how the loss changes with every query, key and value."""

from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_float, as_floats, check_positive
from .dot_product import Options, attention
from .heads import share_heads
from .nonfinite import weighted_sum
from .scores import attention_scores, scale_or_default
from .shapes import check_axis, with_axis_last


class Gradients(NamedTuple):
    """The gradients of queries, keys and values, each of the shape and dtype of its array."""

    dq: Array
    dk: Array
    dv: Array


def softmax_backward(weights: ArrayLike, dweights: ArrayLike, axis: int = -1, temperature: float = 1.0) -> Array:
    """Turn the gradient of the weights into that of the scores: w · (dw - Σ w dw) / temperature.

    Where a weight is 0, so is the gradient of its score, whatever stands in `dweights`.

    Parameters
    ----------
    weights
        What `softmax` returned for these scores, this axis and this temperature.
    dweights
        The gradient of the loss with respect to the weights; same shape.

    Raises
    ------
    ValueError
        If the shapes differ, or `axis` or `temperature` is one that `softmax` refuses.

    References
    ----------
    The Jacobian of softmax is diag(w) - w wᵀ: Bridle, 1990.

    Examples
    --------
    >>> softmax_backward([0.25, 0.75], [1.0, 0.0])
    array([ 0.1875, -0.1875])
    """
    arrays, dtype = as_floats({"weights": weights, "dweights": dweights})
    w, dw = arrays["weights"], arrays["dweights"]
    check_axis("weights", w.shape, axis)
    if w.shape != dw.shape:
        raise ValueError(f"weights have shape {w.shape} and dweights {dw.shape}: they must be the same")
    divisor = check_positive("temperature", temperature, w.dtype)
    w, dw = with_axis_last(w, axis), with_axis_last(dw, axis)
    with np.errstate(all="ignore"):  # as in `softmax`
        dw = np.where(w == 0, 0, dw)  # 0 · inf would be NaN
        dscores: Array = w * (dw - (w * dw).sum(axis=-1, keepdims=True)) / divisor
        return np.moveaxis(dscores, -1, axis).astype(dtype, copy=False)


def attention_backward(
    q: ArrayLike, k: ArrayLike, v: ArrayLike, dout: ArrayLike, **options: Unpack[Options]
) -> Gradients:
    """Return the gradients of q, k and v, given the gradient `dout` of attention's output.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v], [..., n_q, d_v] -> like q, like k, like v

    Takes the arguments of `attention`. Where several heads or batches share a key or a value, it gets the sum of their
    gradients. Hidden keys, and queries that may attend to nothing, get exact zeros.

    Raises
    ------
    ValueError
        If `dout` does not have the shape of the output, or `attention` refuses the arguments.

    References
    ----------
    Dao et al., "FlashAttention", 2022, appendix B.2.

    Examples
    --------
    >>> attention_backward([[1, 0]], [[1, 1], [0, 2]], [[1], [2]], dout=[[1]]).dv.round(2)
    array([[0.67],
           [0.33]])
    """
    inputs = [as_float(name, x) for name, x in (("q", q), ("k", k), ("v", v), ("dout", dout))]
    q, k, v, dout = (array for array, _ in inputs)
    step = _backward(q, k, v, dout, **options)
    keys, visible, scale = share_heads(q, k), step.visible, scale_or_default(q, options.get("scale"))
    with np.errstate(all="ignore"):  # as in `_backward`
        dscores = np.where(visible, step.dscores * _softcap_slope(q, keys, **options), 0)
        dq = weighted_sum(dscores, keys, visible) * scale
        dk = weighted_sum(dscores.swapaxes(-1, -2), q, visible.swapaxes(-1, -2)) * scale
        dv = weighted_sum(step.weights.swapaxes(-1, -2), dout, visible.swapaxes(-1, -2))
        grads = zip((dq, dk, dv), (q, k, v), inputs, strict=False)
        return Gradients(*(_sum_to(grad, x.shape).astype(dtype) for grad, x, (_, dtype) in grads))


def bias_backward(q: ArrayLike, k: ArrayLike, v: ArrayLike, dout: ArrayLike, **options: Unpack[Options]) -> Array:
    """Return the gradient of the bias, given the gradient `dout` of attention's output.

    [..., n_q, d_k], [..., n_k, d_k], [..., n_k, d_v], [..., n_q, d_v], bias -> like bias

    Takes the arguments of `attention`, `bias` among them. Where one number of the bias is added to several scores, it
    gets the sum of their gradients; where it is -inf, and where a key is hidden, exactly 0. The gradient of a sink is
    minus the sum, over the keys, of that of a bias (..., n_q, n_k).

    Raises
    ------
    ValueError, TypeError
        As `attention_backward` does, and if there is no bias.

    References
    ----------
    Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", 2020, section
    2.1: a bias that is learnt.

    Examples
    --------
    >>> bias_backward([[1, 0]], [[1, 1], [0, 2]], [[1], [2]], dout=[[1]], bias=[0.0, 0.0]).round(2)
    array([-0.22,  0.22])
    """
    if (bias := options.get("bias")) is None:
        raise TypeError("bias is None; there must be one to have a gradient")
    q, k, v, dout = (as_float(name, x)[0] for name, x in (("q", q), ("k", k), ("v", v), ("dout", dout)))
    dscores = _backward(q, k, v, dout, **options).dscores
    array, dtype = as_float("bias", bias)
    with np.errstate(all="ignore"):  # as in `_backward`
        return _sum_over_shared(dscores, array.shape).astype(dtype)


class _Step(NamedTuple):
    """What the backward pass needs of every pair (..., n_q, n_k)."""

    visible: Array
    weights: Array
    dscores: Array  # of what the softmax saw: after softcap and bias


def _backward(q: Array, k: Array, v: Array, dout: Array, **options: Unpack[Options]) -> _Step:
    """Compute the forward pass and go back to the scores; what is hidden gets zeros."""
    scores, weights, output = attention(q, k, v, **options)
    if dout.shape != output.shape:
        raise ValueError(f"dout has shape {dout.shape}; it must have that of the output, {output.shape}")
    values, visible = share_heads(q, v, "v"), scores != -np.inf
    with np.errstate(all="ignore"):  # a hidden key or value may hold anything; np.where drops what comes of it
        dweights = np.where(visible, dout @ values.swapaxes(-1, -2), 0)
        weights = np.where(visible, np.broadcast_to(weights, dweights.shape), 0)
        return _Step(visible, weights, softmax_backward(weights, dweights))


def _softcap_slope(q: Array, k: Array, **options: Unpack[Options]) -> Array | float:
    """Return the derivative of softcap · tanh(scores / softcap)."""
    softcap = options.get("softcap")
    if softcap is None:
        return 1.0
    slope: Array = 1 - np.tanh(attention_scores(q, k, options.get("scale")) / float(softcap)) ** 2
    return slope


def _sum_to(grad: Array, shape: tuple[int, ...]) -> Array:
    """Add up the gradients of a shared key or value: over the heads of a group first, then over broadcast axes."""
    if len(shape) > 2 and shape[-3] not in (1, grad.shape[-3]):
        grouped = (*grad.shape[:-3], shape[-3], grad.shape[-3] // shape[-3], *grad.shape[-2:])
        grad = grad.reshape(grouped).sum(axis=-3)
    return _sum_over_shared(grad, shape)


def _sum_over_shared(grad: Array, shape: tuple[int, ...]) -> Array:
    """Add up what the entries of an array of this shape get along the axes over which they are broadcast."""
    padded = (1,) * (grad.ndim - len(shape)) + shape
    shared = tuple(axis for axis, sizes in enumerate(zip(grad.shape, padded, strict=True)) if sizes[0] != sizes[1])
    return grad.sum(axis=shared, keepdims=True, dtype=np.float64).reshape(shape)  # a batch may be long
