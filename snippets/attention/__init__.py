"""Attention in small NumPy functions: read them, copy them, import them.

Shapes are (..., tokens, width); leading axes broadcast. Boolean masks: True = may attend.
"""

import sys

if sys.version_info < (3, 12):
    raise ImportError("attention needs Python 3.12 or newer, this is %d.%d.%d" % sys.version_info[:3])

from .activations import gelu, silu
from .alibi import alibi_bias, alibi_slopes
from .cache import KVCache
from .configs import MODELS, Config
from .core import Attention
from .cost import (
    attention_flops,
    cache_bytes,
    layer_cache_bytes,
    layer_flops,
    matmul_flops,
    score_bytes,
    training_flops_per_token,
)
from .dot_product import attention
from .embedding import embed
from .gradients import Gradients, attention_backward, bias_backward, softmax_backward
from .heads import merge_heads, repeat_heads, split_heads
from .import_name import warn_of_foreign_file
from .layers import feed_forward, linear
from .masks import causal_mask, padding_mask, real_positions, sliding_window_mask
from .merge import EMPTY_BLOCK, Block, attend_block, merge_blocks
from .multi_head import multi_head_attention, project_qkv, split_qkv
from .normalization import layer_norm, rms_norm
from .probabilities import log_softmax, softmax
from .rotations import rotary, rotate_pairs
from .scores import attention_scores
from .tiled import tiled_attention, tiled_attention_backward

__all__ = [
    "EMPTY_BLOCK",
    "MODELS",
    "Attention",
    "Block",
    "Config",
    "Gradients",
    "KVCache",
    "alibi_bias",
    "alibi_slopes",
    "attend_block",
    "attention",
    "attention_backward",
    "attention_flops",
    "attention_scores",
    "bias_backward",
    "cache_bytes",
    "causal_mask",
    "embed",
    "feed_forward",
    "gelu",
    "layer_cache_bytes",
    "layer_flops",
    "layer_norm",
    "linear",
    "log_softmax",
    "matmul_flops",
    "merge_blocks",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "project_qkv",
    "real_positions",
    "repeat_heads",
    "rms_norm",
    "rotary",
    "rotate_pairs",
    "score_bytes",
    "silu",
    "sliding_window_mask",
    "softmax",
    "softmax_backward",
    "split_heads",
    "split_qkv",
    "tiled_attention",
    "tiled_attention_backward",
    "training_flops_per_token",
]

warn_of_foreign_file(__path__[0])
del sys, warn_of_foreign_file
