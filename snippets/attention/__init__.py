"""Attention in small NumPy functions: read them, copy them, import them.

Shapes are (..., tokens, width); leading axes broadcast. Boolean masks: True = may attend.
"""

from .dot_product import Attention, attention, attention_scores
from .masks import causal_mask, padding_mask, sliding_window_mask
from .probabilities import log_softmax, softmax

__all__ = [
    "Attention",
    "attention",
    "attention_scores",
    "causal_mask",
    "log_softmax",
    "padding_mask",
    "sliding_window_mask",
    "softmax",
]
