"""Call our functions the way the ONNX operators of the same names are called.

Only what ONNX says differently is done here: how heads are laid out, where a query stands, what a mask may look like.
"""

import numpy as np

from attention import (
    attention,
    attention_scores,
    gelu,
    layer_norm,
    merge_heads,
    rms_norm,
    rotate_pairs,
    split_heads,
)
from attention.checks import Array

SOFTMAX_PRECISION = {1: np.float32, 10: np.float16, 11: np.float64}  # ONNX's numbers for its element types


def onnx_attention(
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    nonpad_kv_seqlen: Array | None = None,
    *,
    is_causal: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    q_num_heads: int = 0,
    kv_num_heads: int = 0,
    qk_matmul_output_mode: int = 0,
    softmax_precision: int | None = None,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Array, Array, Array, Array]:
    """Return Y, present_key, present_value and qk_matmul_output of the operator Attention, opset 23 to 25."""
    answer_dtype, three_axes = q.dtype, q.ndim == 3
    if three_axes:
        q, k, v = split_heads(q, q_num_heads), split_heads(k, kv_num_heads), split_heads(v, kv_num_heads)
    if past_key is not None and past_value is not None:
        k, v = np.concatenate([past_key, k], axis=2), np.concatenate([past_value, v], axis=2)
    present = k, v
    if softmax_precision is not None:
        dtype = np.result_type(q.dtype, SOFTMAX_PRECISION[softmax_precision])
        q, k, v = q.astype(dtype), k.astype(dtype), v.astype(dtype)
    cached = 0 if past_key is None else past_key.shape[2]
    right = 0 if is_causal else right_window_size
    mask, bias = mask_and_bias(q.shape[2], k.shape[2], attn_mask, cached, nonpad_kv_seqlen, left_window_size, right)
    cap = softcap or None
    answer = attention(q, k, v, mask=mask, bias=bias, scale=scale, softcap=cap)
    if qk_matmul_output_mode == 0:
        stage = attention_scores(q, k, scale)
    elif qk_matmul_output_mode == 1:
        stage = attention(q, k, v, scale=scale, softcap=cap).scores
    else:
        stage = answer.scores if qk_matmul_output_mode == 2 else answer.weights
    output = merge_heads(answer.output) if three_axes else answer.output
    return output.astype(answer_dtype), *present, stage.astype(answer_dtype)


def mask_and_bias(
    n_q: int, n_k: int, attn_mask: Array | None, cached: int, lengths: Array | None, left: int, right: int
) -> tuple[Array, Array | None]:
    """Say in our terms what ONNX says by a mask, by positions and by lengths.

    Query i stands at key i, after the cached keys, or so that the last query stands at the last key in use.
    """
    offsets = np.full(1, cached) if lengths is None else lengths - n_q
    queries = np.arange(n_q)[:, None] + offsets[:, None, None, None]
    keys = np.arange(n_k)
    mask = np.ones(np.broadcast_shapes(queries.shape, keys.shape), bool)
    if left >= 0:
        mask &= keys >= queries - left
    if right >= 0:
        mask &= keys <= queries + right
    if lengths is not None:
        mask &= keys < lengths[:, None, None, None]
    if attn_mask is None:
        return mask, None
    missing = [(0, 0)] * (attn_mask.ndim - 1) + [(0, n_k - attn_mask.shape[-1])]
    if attn_mask.dtype == bool:
        return mask & np.pad(attn_mask, missing, constant_values=False), None
    return mask, np.pad(attn_mask, missing, constant_values=-np.inf)


def onnx_layer_norm(
    x: Array, weight: Array, bias: Array | None = None, *, axis: int = -1, epsilon: float = 1e-5
) -> Array:
    """Return Y of the operator LayerNormalization: all axes from `axis` on are one width to us."""
    bias = None if bias is None else bias.reshape(-1)
    return layer_norm(x.reshape(*x.shape[:axis], -1), weight.reshape(-1), bias, eps=epsilon).reshape(x.shape)


def onnx_rms_norm(x: Array, weight: Array, *, axis: int = -1, epsilon: float = 1e-5) -> Array:
    """Return Y of the operator RMSNormalization."""
    return rms_norm(x.reshape(*x.shape[:axis], -1), weight.reshape(-1), eps=epsilon).reshape(x.shape)


def onnx_gelu(x: Array, *, approximate: bytes = b"none") -> Array:
    """Return Y of the operator Gelu."""
    return gelu(x, approximate="tanh" if approximate == b"tanh" else "none")


def onnx_rotary(
    x: Array,
    cos_cache: Array,
    sin_cache: Array,
    position_ids: Array | None = None,
    *,
    interleaved: int = 0,
    num_heads: int = 0,
    rotary_embedding_dim: int = 0,
) -> Array:
    """Return Y of the operator RotaryEmbedding: it may turn only the front of each head."""
    cos, sin = (cache if position_ids is None else cache[position_ids] for cache in (cos_cache, sin_cache))
    heads = split_heads(x, num_heads) if x.ndim == 3 else x
    turning, rest = np.split(heads, [rotary_embedding_dim or heads.shape[-1]], axis=-1)
    rotated = rotate_pairs(turning, cos[:, None], sin[:, None], interleaved=bool(interleaved))
    output = np.concatenate([rotated, rest], axis=-1)
    return merge_heads(output) if x.ndim == 3 else output
