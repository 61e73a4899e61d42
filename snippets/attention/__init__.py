"""Attention in small NumPy functions: read them, copy them, import them.

Shapes are (..., tokens, width); leading axes broadcast. Boolean masks: True = may attend.
"""

from .dot_product import Attention, attention, attention_scores
from .masks import causal_mask, padding_mask, sliding_window_mask
from .merge import EMPTY_BLOCK, Block, attend_block, merge_blocks
from .probabilities import log_softmax, softmax
from .tiled import tiled_attention

__all__ = [
    "EMPTY_BLOCK",
    "Attention",
    "Block",
    "attend_block",
    "attention",
    "attention_scores",
    "causal_mask",
    "log_softmax",
    "merge_blocks",
    "padding_mask",
    "sliding_window_mask",
    "softmax",
    "tiled_attention",
]
